# Grouped bars with error bars: throughput and utilization.
# usage: gnuplot -c bars.gp SCRIPTS VARIABLES DATA FORMAT FILE
scripts = ARG1
data = ARG3
format = ARG4
file = ARG5
load ARG2

# Names below the axis slant if the longest of a panel does not fit below its group.
array panel_slant[panels]
array panel_below[panels]
do for [p = 1:panels] {
    widest = 0
    do for [t = panel_first_tic[p]:panel_last_tic[p]] { widest = strlen(tic_name[t]) > widest ? strlen(tic_name[t]) : widest }
    panel_slant[p] = widest * 0.055 > 2.75 / (panel_right[p] - 0.5)
    # Steeper, so that a long name of the first group does not leave the page.
    panel_slant[p] = panel_slant[p] ? widest > 14 ? 55 : 35 : 0
    panel_below[p] = 0.2 + (panel_slant[p] ? widest * 0.053 * sin(panel_slant[p] * pi / 180) : 0)
}

margin_left = 0.52
margin_right = 0.08
title_h = 0.2 + question_lines * 0.12
plot_h = 1.15
side_w = 0
foot_h = 0
load scripts . '/common.gp'

set style fill solid 1.0 border rgb 'black'
set xtics scale 0
set grid ytics lt 1 lc rgb '#dddddd' lw 0.4

set multiplot
do for [p = 1:panels] {
    set lmargin at screen plot_left(p)
    set rmargin at screen plot_right(p)
    set tmargin at screen plot_top(p)
    set bmargin at screen plot_bottom(p)
    set label 1001 panel_title[p] at screen x_middle(p), down(cell_y(p) + 0.115) center noenhanced
    set label 1003 panel_question[p] at screen x_middle(p), down(cell_y(p) + 0.23) center noenhanced font small
    set label 1002 panel_label[p] at screen across(cell_x(p) + 0.09), y_middle(p) center rotate
    set xrange [0.5:panel_right[p]]
    set yrange [0:panel_top[p]]
    set ytics step(panel_top[p])
    set boxwidth panel_bar[p] * 0.92 absolute
    if (panel_slant[p]) { set xtics rotate by panel_slant[p] right offset 0.6, 0.1 } else { set xtics norotate center offset 0, tics_up }
    set xtics ('' 0)
    if (panel_empty[p]) { set label 1000 empty_text at graph 0.5, graph 0.5 center }
    do for [t = panel_first_tic[p]:panel_last_tic[p]] { set xtics add (tic_name[t] tic_at[t]) }
    unset arrow
    if (panel_rule[p] > 0) { set arrow 1 from panel_rule[p], graph 0 to panel_rule[p], graph 1 nohead lc rgb '#888888' lw 0.5 dt 3 }
    if (full_line) { set arrow 2 from graph 0, first 100 to graph 1, first 100 nohead front lc rgb 'black' lw 0.8 dt 2 }
    if (panel_bound[p] > 0) {
        set arrow 3 from graph 0, first panel_bound[p] to graph 1, first panel_bound[p] nohead front lc rgb 'black' lw 0.8 dt 2
        set label 1004 'no policy exceeds this' at graph 0.99, first panel_bound[p] right offset 0, -0.5 font small front
    }
    plot for [b = panel_first_block[p]:panel_last_block[p]] data index b - 1 using 2:($3 / panel_unit[p]) with boxes lc rgb colour(block_colour[b]) lw 0.3, \
         for [b = panel_first_block[p]:panel_last_block[p]] data index b - 1 using 2:(($3 - $4) / panel_unit[p]):(0):(2 * $4 / panel_unit[p]) with vectors heads size screen across(0.02), 90 fixed lc rgb 'black' lw 0.6
    unset object
    unset label
}
unset multiplot
unset output
