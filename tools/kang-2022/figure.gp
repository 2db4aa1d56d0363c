# Total time by containers, and what it is above or below the serial line.
# usage: gnuplot -c figure.gp DATA FORMAT FILE
data = ARG1
set encoding utf8
array hue[3] = [0x0072B2, 0xE69F00, 0x009E73]    # as in tools/plots/common.gp
if (ARG2 eq 'svg') {
    set terminal svg size 745, 760 font 'Helvetica,20' linewidth 2 noenhanced standalone background '#ffffff'
}
if (ARG2 eq 'png') { set terminal pngcairo size 1035, 1056 font 'Helvetica,8' fontscale 300.0 / 96 linewidth 300.0 / 72 noenhanced }
if (ARG2 eq 'pdf') { set terminal pdfcairo size 3.45 in, 3.52 in font 'Helvetica,8' linewidth 1 noenhanced }
set output ARG3
set border 3 lw 0.6
set tics nomirror scale 0.4
set grid lt 1 lc rgb '#dddddd' lw 0.4
set xrange [0.5:10.5]
set xtics 1
set lmargin 8
set rmargin 2
set multiplot layout 2, 1
set ylabel 'total time, s'
set yrange [0:130]
set ytics 25
set key left top Left reverse samplen 2
plot data using 1:2 with lines lw 1 dt 2 lc rgb 'black' title 'serial', \
     '' using 1:5 with points pt 6 ps 0.8 lc rgb 'black' title 'concurrent, published', \
     '' using 1:3 with linespoints pt 2 ps 0.8 lc rgb hue[2] title 'concurrent', \
     '' using 1:4 with linespoints pt 7 ps 0.5 lc rgb hue[1] title 'managed'
set xlabel 'containers'
set ylabel 'beyond serial, s'
set yrange [-0.5:5]
set ytics 1
unset key
plot 0 with lines lw 1 dt 2 lc rgb 'black', \
     data using 1:($5 - $6) with points pt 6 ps 0.8 lc rgb 'black', \
     '' using 1:($3 - $2) with linespoints pt 2 ps 0.8 lc rgb hue[2], \
     '' using 1:($4 - $2) with linespoints pt 7 ps 0.5 lc rgb hue[1]
unset multiplot
unset output
