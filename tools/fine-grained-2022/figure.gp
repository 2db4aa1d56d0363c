# The README's figure, from lines that study.py writes: panel, place of the group, and the gains in percent: published, with the fitted
# kernels, with kernels that a profile can show.
# usage: gnuplot -c figure.gp DATA FIGURE-WITHOUT-.svg
lines = ARG1
name = ARG2
load 'tools/figure.gp'
figure_h = 2.1
array what[3] = ['published', 'fitted: kernels that alone want up to three times what an SM has', 'kernels that a profile can show']
array colour[3] = [0x999999, 0xE69F00, 0x0072B2]
eval begin
do for [i = 1:3] {
    set object i rectangle from screen across(0.1), down(0.14 + 0.15 * (i - 1)) to screen across(0.2), down(0.06 + 0.15 * (i - 1)) fc rgb colour[i] fs solid noborder
    set label i what[i] at screen across(0.25), down(0.1 + 0.15 * (i - 1)) left font font7
}
set grid ytics lt 1 lc rgb '#dddddd' lw 0.4
set boxwidth 0.24
set style fill solid 1.0 noborder
array over[2] = ['over utilization-aware', 'over round robin']
do for [p = 1:2] {
    eval place(p == 1 ? 0.42 : 2.42, 0.6, p == 1 ? 1.45 : 0.95, 1.1)
    set xlabel over[p] font font7 offset 0, 0.9
    if (p == 1) { set ylabel 'Gain of fine-grained (%)' font font7 offset 1.2 } else { unset ylabel }
    set xrange [0.5:(p == 1 ? 5.5 : 2.5)]
    set yrange [0:*]
    if (p == 1) { set xtics ('S1' 1, 'S2' 2, 'S3' 3, 'S4' 4, 'mean' 5) } else { set xtics ('S2' 1, 'mean' 2) }
    plot for [i = 1:3] lines using ($1 == p ? $2 + 0.26 * (i - 2) : NaN):(column(2 + i)) with boxes lc rgb colour[i]
    do for [i = 1:3] { unset object i; unset label i }
}
unset multiplot
unset output
