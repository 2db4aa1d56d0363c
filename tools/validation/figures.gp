# The figures of docs/validation-old.md from the numbers that build/bin/validate wrote.
# usage: gnuplot -c figures.gp DATA_FOLDER FIGURE_FOLDER
from = ARG1
to = ARG2
set encoding utf8
array hue[6] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0x56B4E9, 0xCC79A7]    # as in tools/plots/common.gp
low = "svg size 745, 420 font 'Helvetica,20' linewidth 2 noenhanced standalone background '#ffffff'"
set terminal @low
set border 3 lw 0.6
set tics nomirror scale 0.4 font 'Helvetica,17'
set grid lt 1 lc rgb '#dddddd' lw 0.4
# What one figure's key is told, the next one's keeps: each begins anew.

set output to . '/validation-occupancy.svg'
set xlabel 'achieved occupancy, measured, %'
set ylabel 'predicted, %'
set xrange [0:100]
set yrange [0:105]
set key default outside top center horizontal Left reverse maxcols 2 width -2 font 'Helvetica,15' samplen 1
plot x with lines lc rgb 'black' lw 0.5 notitle, \
     from . '/occupancy.dat' using 1:($4 == 0 ? $3 : NaN) with points pt 6 ps 0.6 lc rgb '#666666' title 'theoretical: cfd, hotspot, bfs', \
     '' using 1:($4 == 1 ? $2 : NaN) with points pt 7 ps 0.4 lc rgb hue[2] title 'simulated: gaussian', \
     '' using 1:($4 == 0 ? $2 : NaN) with points pt 7 ps 0.6 lc rgb hue[1] title 'simulated: cfd, hotspot, bfs'

high = "svg size 745, 560 font 'Helvetica,20' linewidth 2 noenhanced standalone background '#ffffff'"
set terminal @high
set output to . '/validation-timelines.svg'
set xlabel "second starts, % of the first one's time"
unset ylabel
set xrange [92:100.5]
set yrange [*:*] reverse
set ytics font 'Helvetica,14' offset 0.5, 0
set key default outside top center horizontal Left reverse font 'Helvetica,17' samplen 1.5
set offsets 0, 0, 0.7, 0.7
set lmargin 19
plot from . '/timelines.dat' using 2:0:3:4:ytic(1) with xerrorbars pt 7 ps 0.6 lc rgb hue[1] title 'measured: mean, least, most', \
     '' using 5:0 with points pt 2 ps 0.7 lc rgb hue[4] title 'simulated'
set offsets 0, 0, 0, 0
unset lmargin
set yrange [*:*] noreverse
set terminal @low

set xtics auto

set output to . '/validation-bandwidth.svg'
set xlabel 'occupancy, %'
set ylabel 'DRAM, GB/s'
set logscale x 2
set xrange [2.8:110]
set yrange [0:1050]
set xtics (3.1, 12.5, 25, 50, 100)
set key default outside right center Left reverse horizontal maxcols 1 font 'Helvetica,17' samplen 1.5
plot for [k = 0:2] from . '/bandwidth.dat' index k using 1:2 with points pt 7 ps 0.8 lc rgb hue[k + 1] title word('read scale triad', k + 1) . ', measured', \
     for [k = 0:2] from . '/bandwidth-lines.dat' index k using 1:2 with lines lc rgb hue[k + 1] dt 1 title word('read scale triad', k + 1) . ', proportional', \
     for [k = 0:2] '' index k using 1:3 with lines lc rgb hue[k + 1] dt 2 title word('read scale triad', k + 1) . ', curve'
unset logscale x

unset output
