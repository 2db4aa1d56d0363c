# The figure of docs/evidence/mobile-cuda.md from results/mobile-cuda-study.csv.
# usage: gnuplot -c figure.gp CSV OUT.svg
set encoding utf8
set datafile separator ','
array hue[6] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0x56B4E9, 0xCC79A7]    # as in tools/plots/common.gp
set terminal svg size 745, 440 font 'Helvetica,20' linewidth 2 noenhanced standalone background '#ffffff'
set output ARG2
set border 3 lw 0.6
set tics nomirror scale 0.4 font 'Helvetica,17'
set grid ytics lt 1 lc rgb '#dddddd' lw 0.4
set key outside right center vertical Left reverse font 'Helvetica,15' samplen 1 spacing 1.3 width -2
set xlabel 'GPUs'
set ylabel 'time saved, %'
set xtics 1
set xrange [0.45:4.5]
set yrange [0:25]
array variant[5] = ['own-links', 'mul', 'host-20-pairs', 'fit-four', 'fit-both']
array title[5] = ['own links', 'product', '20 % on host, pairs', 'manager 170 ms', 'both: 800 ms, 30 %']
pick(i, v) = stringcolumn(1) eq variant[i] ? v : NaN
set datafile missing NaN
plot for [i = 1:5] ARG1 using (pick(i, $3 + 0.14 * (i - 2.5))):5:6:7 every ::1 with yerrorbars pt 7 ps 0.5 lw 0.6 lc rgb hue[i] title title[i], \
     ARG1 using (stringcolumn(1) eq 'own-links' && strlen(stringcolumn(8)) ? $3 - 0.37 : NaN):8 every ::1 with points pt 2 ps 1.1 lw 1.2 lc rgb 'black' title 'published'
