# Occupancy of the SMs of one device over time.
# usage: gnuplot -c heatmap.gp SCRIPTS VARIABLES DATA FORMAT FILE
scripts = ARG1
data = ARG3
format = ARG4
file = ARG5
load ARG2
names = 0

margin_left = 0.42
margin_right = 0.08
title_h = 0.2
plot_h = 0.85
array panel_below[panels]
do for [p = 1:panels] { panel_below[p] = 0.19 }
side_w = 0.6
foot_h = 0.15
load scripts . '/common.gp'

# ColorBrewer's YlGnBu: idle is light and full is dark, in grey as well.
set palette defined (0 '#ffffd9', 1 '#edf8b1', 2 '#c7e9b4', 3 '#7fcdbb', 4 '#41b6c4', 5 '#1d91c0', 6 '#225ea8', 7 '#253494', 8 '#081d58')
set cbrange [0:100]
set cbtics 25 offset -0.8, 0
set xrange [0:end_ns / unit_ns]
set yrange [-0.5:sms - 0.5]
set tics out
set ytics step(sms) > 1 ? step(sms) : 1
set colorbox user origin across(figure_w - side_w + 0.1), plot_bottom(panels) size across(0.09), plot_top(1) - plot_bottom(panels)

set label 'Occupancy (%)' at screen across(figure_w - 0.09), (plot_top(1) + plot_bottom(panels)) / 2 center rotate

set multiplot
do for [p = 1:panels] {
    set lmargin at screen plot_left(p)
    set rmargin at screen plot_right(p)
    set tmargin at screen plot_top(p)
    set bmargin at screen plot_bottom(p)
    set label 1001 panel_title[p] at screen x_middle(p), down(cell_y(p) + title_h - 0.085) center noenhanced
    set label 1002 'SM' at screen across(cell_x(p) + 0.09), y_middle(p) center rotate
    if (is_lowest(p)) { set label 1003 'Time (' . unit . ')' at screen x_middle(p), down(cell_y(p) + title_h + plot_h + 0.27) center }
    if (sms > 1 && end_ns > 1.5 * width_ns) {
        plot data index p - 1 using ($1 / unit_ns):2:($3 * 100) with image
    } else {
        # An image has two rows and two columns at least.
        plot data index p - 1 using ($1 / unit_ns):2:(($1 - width_ns / 2) / unit_ns):(($1 + width_ns / 2) / unit_ns):($2 - 0.5):($2 + 0.5):($3 * 100) with boxxyerror fillstyle solid noborder lc palette
    }
    unset colorbox
    unset label
}
unset multiplot
unset output
