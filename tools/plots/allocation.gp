# How full a cluster gets as pods come: GPUs allocated, and of those that are left the part that is of no use.
# usage: gnuplot -c allocation.gp SCRIPTS VARIABLES DATA FORMAT FILE
scripts = ARG1
data = ARG3
format = ARG4
file = ARG5
load ARG2
panels = 2

margin_left = 0.42
margin_right = 0.1
title_h = 0.2
plot_h = 1.35
array panel_below[2]
panel_below[1] = 0.24
panel_below[2] = 0.19
side_w = 0
foot_h = 0.15
load scripts . '/common.gp'

array panel_title[2] = ['GPUs allocated', 'Fragments, of the GPUs that are left']
set tics out
set grid ytics lt 1 lc rgb '#dddddd' lw 0.4
# Thin lines: black in the place of yellow, and every other one dashed, as they lie on each other. The legend has lines, too.
rgb_of(i) = i % 8 == 6 ? (i < 8 ? 0x000000 : 0x7F7F7F) : colour(i)
set dashtype 2 (5, 2.5)
dash(i) = i % 2 ? 2 : 1
do for [i = 1:names] {
    unset object i
    set arrow i from screen across(legend_x(i) - 0.04), down(legend_y(i)) to screen across(legend_x(i) + 0.14), down(legend_y(i)) nohead lc rgb rgb_of(name_colour[i]) lw 1.1 dt dash(name_colour[i])
}

set multiplot
do for [p = 1:2] {
    set lmargin at screen plot_left(p)
    set rmargin at screen plot_right(p)
    set tmargin at screen plot_top(p)
    set bmargin at screen plot_bottom(p)
    set label 1001 panel_title[p] at screen x_middle(p), down(cell_y(p) + title_h - 0.085) center noenhanced
    set label 1002 '%' at screen across(cell_x(p) + 0.07), y_middle(p) center
    if (p == 2) { set label 1003 'GPUs asked for by pods that came (% of all)' at screen x_middle(p), down(cell_y(p) + title_h + plot_h + 0.27) center }
    left = p == 1 ? from : 0
    low = p == 1 ? base : 0
    set xrange [left:most]
    set yrange [low:100]
    set xtics step(most - left)
    set ytics step(100 - low)
    plot for [d = 1:2] for [i = 1:lines] data index i - 1 using 1:(dash(line_colour[i]) == d ? column(p + 1) : NaN) with lines lc rgb rgb_of(line_colour[i]) lw 1.1 dt d, \
         (p == 1 ? x : NaN) with lines lc rgb '#888888' lw 0.5 dt 3
    unset label
    unset arrow
}
unset multiplot
unset output
