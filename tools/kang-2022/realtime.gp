# The time of a job by containers on one GPU. Below, by load: misses, jobs in time, and how long containers wait.
# usage: gnuplot -c realtime.gp SHARED LOAD FIGURE-WITHOUT-.svg
shared = ARG1
by_load = ARG2
name = ARG3
load 'tools/figure.gp'
figure_h = 5.35
array policy[3] = ['realtime', 'least_allocated', 'random']
array point[3] = [7, 5, 9]
eval begin
set grid lt 1 lc rgb '#dddddd' lw 0.4
set key left top Left reverse samplen 2 font font7
eval place(0.47, 0.08, 2.88, 1.15)
set xlabel 'Containers on a GPU' font font7 offset 0, 1.1
set ylabel 'Time of a job / alone' font font7 offset 1
set xrange [0:21]
set yrange [0:21]
set xtics 5
set ytics 5
plot shared index 0 using 1:2 with linespoints pt 7 ps 0.4 lc rgb hue[1] title 'matrices of 8192 (Fig. 3)', \
     shared index 1 using 1:2 with linespoints pt 5 ps 0.4 lc rgb hue[2] title 'inference, 14 % each (Fig. 4)'
set xrange [0:105]
set xtics 20
unset xlabel
set format x ''
array what[3] = ['Deadlines missed (%)', 'Jobs in time per s', 'Wait for a node (s)']
do for [i = 1:3] {
    eval place(0.47, 0.57 + 1.13 * i, 2.88, 1.03)
    set ylabel what[i]
    if (i == 1) { set yrange [0:100]; set ytics 25 } else { set yrange [0:*]; set ytics autofreq; unset key }
    if (i == 3) { set xlabel 'Load (% of the cores)' font font7 offset 0, 1.1; set format x '%h' }
    plot for [k = 1:3] by_load index k - 1 using 1:(column(2 * i) - column(2 * i + 1)):(0):(2 * column(2 * i + 1)) with vectors heads size screen across(0.03), 90 fixed lw 0.6 lc rgb hue[k] notitle, \
         for [k = 1:3] by_load index k - 1 using 1:(column(2 * i)) with linespoints pt point[k] ps 0.4 lc rgb hue[k] title policy[k]
}
unset multiplot
unset output
