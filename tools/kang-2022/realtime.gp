# Above: the time of a job by containers on one GPU; misses by load. Below: jobs in time; how long containers wait.
# usage: gnuplot -c realtime.gp SHARED LOAD FORMAT FILE
shared = ARG1
load = ARG2
set encoding utf8
array hue[3] = [0x0072B2, 0xE69F00, 0x009E73]    # as in tools/plots/common.gp
if (ARG3 eq 'svg') {
    set terminal svg size 1490, 1000 font 'Helvetica,20' linewidth 2 noenhanced standalone background '#ffffff'
}
if (ARG3 eq 'png') { set terminal pngcairo size 2070, 1390 font 'Helvetica,8' fontscale 300.0 / 96 linewidth 300.0 / 72 noenhanced }
if (ARG3 eq 'pdf') { set terminal pdfcairo size 6.9 in, 4.63 in font 'Helvetica,8' linewidth 1 noenhanced }
set output ARG4
set border 3 lw 0.6
set tics nomirror scale 0.4
set grid lt 1 lc rgb '#dddddd' lw 0.4
set lmargin 9
set rmargin 2
set multiplot layout 2, 2
set xlabel 'containers on a GPU'
set ylabel 'time of a job / alone'
set xrange [0:21]
set yrange [0:21]
set xtics 5
set ytics 5
set key left top Left reverse samplen 2
plot shared index 0 using 1:2 with linespoints pt 7 ps 0.6 lc rgb hue[1] title 'matrices of 8192 (Fig. 3)', \
     shared index 1 using 1:2 with linespoints pt 2 ps 0.8 lc rgb hue[2] title 'inference, 14 % each (Fig. 4)'
set xlabel 'load, % of the cores'
set xrange [0:105]
set xtics 20
set ylabel 'deadlines missed, %'
set yrange [0:100]
set ytics 20
plot load index 0 using 1:2:3 with yerrorlines pt 7 ps 0.6 lc rgb hue[1] title 'realtime', \
     load index 1 using 1:2:3 with yerrorlines pt 2 ps 0.8 lc rgb hue[2] title 'least_allocated', \
     load index 2 using 1:2:3 with yerrorlines pt 6 ps 0.6 lc rgb hue[3] title 'random'
unset key
set ylabel 'jobs in time / s'
set autoscale y
set yrange [0:*]
set ytics auto
plot load index 0 using 1:4:5 with yerrorlines pt 7 ps 0.6 lc rgb hue[1], \
     load index 1 using 1:4:5 with yerrorlines pt 2 ps 0.8 lc rgb hue[2], \
     load index 2 using 1:4:5 with yerrorlines pt 6 ps 0.6 lc rgb hue[3]
set ylabel 'wait for a node, s'
plot load index 0 using 1:6:7 with yerrorlines pt 7 ps 0.6 lc rgb hue[1], \
     load index 1 using 1:6:7 with yerrorlines pt 2 ps 0.8 lc rgb hue[2], \
     load index 2 using 1:6:7 with yerrorlines pt 6 ps 0.6 lc rgb hue[3]
unset multiplot
unset output
