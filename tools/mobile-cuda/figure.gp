# The figure of docs/evidence/mobile-cuda.md from results/mobile-cuda-study.csv.
# usage: gnuplot -c figure.gp CSV FIGURE-WITHOUT-.svg
study = ARG1
name = ARG2
load 'tools/figure.gp'
set datafile separator comma
figure_h = 2.55
array variant[5] = ['own-links', 'mul', 'host-20-pairs', 'fit-four', 'fit-both']
array title_of[6] = ['own links', 'product', '20 % on host, pairs', 'manager 170 ms', 'both: 800 ms, 30 %', 'published']
array point[6] = [7, 5, 9, 13, 11, 2]
eval begin
eval place(0.42, 0.56, 2.93, 1.6)
set grid ytics lt 1 lc rgb '#dddddd' lw 0.4
do for [i = 1:6] { set label i title_of[i] at screen across(0.52 + 1.5 * ((i - 1) % 2)), down(0.1 + 0.15 * ((i - 1) / 2)) point pt point[i] ps 0.5 lc rgb i < 6 ? hue[i] : 0 offset 0.8, -0.3 font font7 }
set xlabel 'GPUs' font font7 offset 0, 1.1
set ylabel 'Time saved (%)' font font7 offset 1
set xtics 1
set xrange [0.4:4.6]
set yrange [0:25]
set datafile missing NaN
pick(i, v) = stringcolumn(1) eq variant[i] ? v : NaN
plot for [i = 1:5] study using (pick(i, $3 + 0.14 * (i - 2.5))):6:(0):($7 - $6) every ::1 with vectors heads size screen across(0.03), 90 fixed lw 0.6 lc rgb hue[i], \
     for [i = 1:5] study using (pick(i, $3 + 0.14 * (i - 2.5))):5 every ::1 with points pt point[i] ps 0.5 lc rgb hue[i], \
     study using (stringcolumn(1) eq 'own-links' && strlen(stringcolumn(8)) ? $3 - 0.37 : NaN):8 every ::1 with points pt 2 ps 0.5 lw 2 lc rgb 'black'
unset multiplot
unset output
