# Total time by containers, and what it is above or below the serial line.
# usage: gnuplot -c figure.gp DATA FIGURE-WITHOUT-.svg
kang = ARG1
name = ARG2
load 'tools/figure.gp'
figure_h = 3.35
eval begin
set grid lt 1 lc rgb '#dddddd' lw 0.4
set xrange [0.5:10.5]
set xtics 1
eval place(0.47, 0.08, 2.88, 1.45)
set ylabel 'Total time (s)' font font7 offset 1
set format x ''
set yrange [0:130]
set ytics 25
set key left top Left reverse samplen 2 font font7
plot kang using 1:2 with lines lw 1 dt 2 lc rgb 'black' title 'serial', \
     '' using 1:5 with points pt 6 ps 0.6 lw 2 lc rgb 'black' title 'concurrent, published', \
     '' using 1:3 with linespoints pt 5 ps 0.4 lc rgb hue[2] title 'concurrent', \
     '' using 1:4 with linespoints pt 7 ps 0.4 lc rgb hue[1] title 'managed'
eval place(0.47, 1.65, 2.88, 1.35)
unset key
set format x '%h'
set xlabel 'Containers' font font7 offset 0, 1.1
set ylabel 'Beyond serial (s)'
set yrange [-0.5:5]
set ytics 1
plot 0 with lines lw 1 dt 2 lc rgb 'black', \
     kang using 1:($5 - $6) with points pt 6 ps 0.6 lw 2 lc rgb 'black', \
     '' using 1:($3 - $2) with linespoints pt 5 ps 0.4 lc rgb hue[2], \
     '' using 1:($4 - $2) with linespoints pt 7 ps 0.4 lc rgb hue[1]
unset multiplot
unset output
