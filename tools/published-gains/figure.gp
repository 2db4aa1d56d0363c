# Published gains and what is left of them, from lines that study.py writes: place, name, the published gain, and the gain and half of its
# interval with measured kernels and with what is not known drawn; all in percent.
# usage: gnuplot -c figure.gp DATA FIGURE-WITHOUT-.svg
lines = ARG1
name = ARG2
load 'tools/figure.gp'
figure_h = 2.3
array what[3] = ['published', 'measured kernels', 'unknowns drawn']
array colour[3] = [0x999999, 0x0072B2, 0xE69F00]
array left[3] = [0.3, 1.1, 2.25]
eval begin
do for [i = 1:3] {
    set object i rectangle from screen across(left[i] - 0.14), down(0.16) to screen across(left[i] - 0.05), down(0.08) fc rgb colour[i] fs solid noborder
    set label i what[i] at screen across(left[i]), down(0.12) left font font7
}
eval place(1.75, 0.25, 1.6, 1.6)
set xlabel 'Gain (%)' font font7 offset 0, 0.5
set yrange [6.6:0.5]
set xrange [-10:140]
set xtics 20
set grid xtics lt 1 lc rgb '#dddddd' lw 0.4
unset key
plot lines using 3:($1 - 0.22):ytic(2) with points pt 5 ps 0.5 lc rgb colour[1], \
     lines using 4:1:5 with xerrorbars pt 7 ps 0.4 lc rgb colour[2], \
     lines using 6:($1 + 0.22):7 with xerrorbars pt 9 ps 0.4 lc rgb colour[3]
unset multiplot
unset output
