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

# Only where there are captures.
if (system("test -s '" . from . "/captures.dat' && echo yes") eq 'yes') {
    set output to . '/validation-captures.svg'
    set xlabel 'slowdown, measured'
    set ylabel 'predicted'
    set xrange [0.9:*]
    set yrange [0.9:*]
    set xtics auto
    set key default outside right center vertical Left reverse font 'Helvetica,17' samplen 1.5
    plot x with lines lc rgb 'black' lw 0.5 notitle, \
         from . '/captures.dat' using 1:2 with points pt 7 ps 0.6 lc rgb hue[1] title 'proportional', \
         '' using 1:3 with points pt 6 ps 0.8 lc rgb hue[2] title 'maxmin'
}
unset output
