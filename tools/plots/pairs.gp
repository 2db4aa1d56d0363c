# System throughput of pairs of programs: under the first policy, and the gain over it under each other one.
# usage: gnuplot -c pairs.gp SCRIPTS VARIABLES DATA FORMAT FILE
scripts = ARG1
data = ARG3
format = ARG4
file = ARG5
load ARG2
names = 0

panel_columns = panels < 3 ? 2 : 3
label_w = 1.12
side_w = label_w
margin_left = 0.04
margin_right = 0.04
title_h = 0.19
plot_h = (7.0 - label_w) / panel_columns - margin_left - margin_right
array panel_below[panels]
do for [p = 1:panels] { panel_below[p] = p > panels - (panels - 1) % panel_columns - 1 ? 0.95 : 0.02 }
foot_h = 0.5
load scripts . '/common.gp'

# Labels are at the left of the first column and below the last row.
plot_left(i) = across(label_w + cell_x(i) + margin_left)
plot_right(i) = across(label_w + cell_x(i) + panel_w - margin_right)
is_last_row(i) = i > panels - (panels - 1) % columns - 1

# ColorBrewer's YlGnBu for throughput; its PuOr for gains: white is none, purple is more.
throughput = "0 '#ffffd9', 1 '#edf8b1', 2 '#c7e9b4', 3 '#7fcdbb', 4 '#41b6c4', 5 '#1d91c0', 6 '#225ea8', 7 '#253494', 8 '#081d58'"
gains = "0 '#b35806', 1 '#e08214', 2 '#fdb863', 3 '#fee0b6', 4 '#ffffff', 5 '#d8daeb', 6 '#b2abd2', 7 '#8073ac', 8 '#542788'"
small = format eq 'svg' ? sprintf('Helvetica,%g', svg_inch * 6.0 / 72) : 'Helvetica,6'

set xrange [-0.5:programs - 0.5]
set yrange [programs - 0.5:-0.5]
set tics out scale 0.2 font small
bar_y = down(figure_h - 0.2)
bar_h = across(0.09) * figure_w / figure_h

set multiplot
do for [p = 1:panels] {
    set lmargin at screen plot_left(p)
    set rmargin at screen plot_right(p)
    set tmargin at screen plot_top(p)
    set bmargin at screen plot_bottom(p)
    set label 1001 panel_title[p] at screen x_middle(p), down(cell_y(p) + title_h - 0.085) center noenhanced
    unset xtics
    unset ytics
    if (cell_x(p) == 0) {
        set ytics ('' 0) scale 0.2 font small offset 0.5, 0
        do for [i = 1:programs] { set ytics add (program[i] i - 1) }
    }
    if (is_last_row(p)) {
        set xtics ('' 0) rotate by 90 right scale 0.2 font small offset 0, 0.1
        do for [i = 1:programs] { set xtics add (program[i] i - 1) }
    }
    if (p == 1) {
        eval 'set palette defined (' . throughput . ')'
        set cbrange [least:most]
        set cbtics 0.2 scale 0.3 offset 0, tics_up font small
        set colorbox horizontal user origin across(label_w + 0.04), bar_y size across(2.5), bar_h
        set label 1002 'Throughput of both (STP) under ' . panel_title[1] at screen across(label_w + 1.29), down(figure_h - 0.37) center noenhanced font small
        plot data index p - 1 using 1:2:3 with image pixels
    } else {
        eval 'set palette defined (' . gains . ')'
        set cbrange [-gain * 100:gain * 100]
        set cbtics step(gain * 200) scale 0.3 offset 0, tics_up font small
        if (p == 2) {
            set colorbox horizontal user origin across(4.3), bar_y size across(2.5), bar_h
            set label 1002 'Gain over it (%); beyond, as the ends' at screen across(5.55), down(figure_h - 0.37) center font small
        }
        plot data index p - 1 using 1:2:($3 * 100) with image pixels
    }
    unset colorbox
    unset label
}
unset multiplot
unset output
