# Blocks on the first SMs of one device over time: an SM is a stack of lanes, one block each.
# usage: gnuplot -c timeline.gp SCRIPTS VARIABLES DATA FORMAT FILE
scripts = ARG1
data = ARG3
format = ARG4
file = ARG5
load ARG2

margin_left = 0.42
margin_right = 0.12
title_h = 0.2
lanes = 1
do for [p = 1:panels] { lanes = panel_lanes[p] > lanes ? panel_lanes[p] : lanes }
plot_h = sms * lanes * 0.022
plot_h = plot_h < 0.8 ? 0.8 : plot_h > 1.6 ? 1.6 : plot_h
array panel_below[panels]
do for [p = 1:panels] { panel_below[p] = 0.19 }
side_w = 0
foot_h = 0.15
load scripts . '/common.gp'

set style fill solid 1.0 noborder
slit = (to_ns - from_ns) * 0.0015    # what keeps a block apart from the next one
set xrange [from_ns / unit_ns:to_ns / unit_ns]
set tics out
set ytics scale 0

set multiplot
do for [p = 1:panels] {
    set lmargin at screen plot_left(p)
    set rmargin at screen plot_right(p)
    set tmargin at screen plot_top(p)
    set bmargin at screen plot_bottom(p)
    set label 1001 panel_title[p] at screen x_middle(p), down(cell_y(p) + title_h - 0.085) center noenhanced
    set label 1002 'SM' at screen across(cell_x(p) + 0.09), y_middle(p) center rotate
    if (is_lowest(p)) { set label 1003 'Time (' . unit . ')' at screen x_middle(p), down(cell_y(p) + title_h + plot_h + 0.27) center }
    lanes = panel_lanes[p] > 0 ? panel_lanes[p] : 1
    gap = lanes * 0.12 < 0.5 ? 0.5 : lanes * 0.12
    stack = lanes + gap
    set yrange [-gap:sms * stack]
    set ytics ('' -10 * stack)
    unset arrow
    do for [s = 0:panel_block[p] > 0 ? sms - 1 : -1] {
        set ytics add (sprintf('%d', s) s * stack + lanes / 2.0)
        if (s > 0) { set arrow from graph 0, first s * stack - gap / 2.0 to graph 1, first s * stack - gap / 2.0 nohead lc rgb '#999999' lw 0.4 }
    }
    if (panel_block[p] > 0) {
        plot data index panel_block[p] - 1 using (($1 + $2) / 2 / unit_ns):($3 * stack + $4 + 0.5):($1 / unit_ns):(($2 - slit) / unit_ns):($3 * stack + $4 + 0.07):($3 * stack + $4 + 0.93):(colour(int($5))) with boxxyerror lc rgb variable lw 0
    } else {
        set label 1000 'no blocks recorded' at graph 0.5, graph 0.5 center
        plot 2 * sms * stack
    }
    unset object
    unset label
}
unset multiplot
unset output
