# What processes do over time: a row a process, a colour a state. Or pods: a row a GPU, which may have lanes.
# usage: gnuplot -c processes.gp SCRIPTS VARIABLES DATA FORMAT FILE
scripts = ARG1
data = ARG3
format = ARG4
file = ARG5
load ARG2
panels = 1

# Rows are as high as names are, or lower, so that all fit on a page; then not every row has its name.
row_h = 7.0 / rows_drawn
row_h = row_h > 0.14 ? 0.14 : row_h < 0.06 ? 0.06 : row_h
every = row_h >= 0.1 ? 1 : row_h * 2 >= 0.1 ? 2 : 5
widest = 0
do for [r = 1:rows_drawn] { widest = strlen(row_name[r]) > widest ? strlen(row_name[r]) : widest }

margin_left = 0.1 + widest * 0.056
margin_right = 0.12
title_h = 0.2
plot_h = rows_drawn * row_h
plot_h = plot_h < 0.4 ? 0.4 : plot_h
array panel_below[1]
panel_below[1] = 0.19
side_w = 0
foot_h = 0.15
load scripts . '/common.gp'

# Waiting is grey, work on the device is blue and green, being stopped or moved is red and purple.
# In the order of sms__name_states; what is not known there is black.
array state_rgb[12] = [0xDDDDDD, 0xB0B0B0, 0x808080, 0x505050, 0xF0E442, 0x009E73, 0x0072B2, 0x56B4E9, 0xD55E00, 0xCC79A7, 0xEBCFDF, 0xE69F00]
# Of pods, in the order of the states of plot_pods.c.
array pod_rgb[7] = [0x0072B2, 0xD55E00, 0x56B4E9, 0xE69F00, 0xCC79A7, 0xF0E442, 0xB0B0B0]
rgb_of(i) = kind eq 'pods' ? pod_rgb[i + 1] : i < 12 ? state_rgb[i + 1] : 0x000000
do for [i = 1:names] { set object i rectangle fillcolor rgb rgb_of(name_colour[i]) }

set style fill solid 1.0 noborder
set xrange [from_ns / unit_ns:to_ns / unit_ns]
set yrange [rows_drawn:0]
set tics out
set xtics step((to_ns - from_ns) / unit_ns)
set ytics scale 0
set ytics ('' -1)
do for [r = 1:rows_drawn:every] { set ytics add (row_name[r] r - 0.5) }

set lmargin at screen plot_left(1)
set rmargin at screen plot_right(1)
set tmargin at screen plot_top(1)
set bmargin at screen plot_bottom(1)
title = panel_title[1]
if (rows_drawn < processes) { title = title . sprintf(' (first %d of %d)', rows_drawn, processes) }
set label 1001 title at screen x_middle(1), down(title_h + cell_y(1) - 0.085) center noenhanced
set label 1003 'Time (' . unit . ')' at screen x_middle(1), down(cell_y(1) + title_h + plot_h + 0.27) center
low = row_h > 0.1 ? 0.12 : 0.06
if (kind eq 'pods') {
    slit = (to_ns - from_ns) * 0.002    # what keeps a pod apart from the next one
    right(a, b) = (b - a > 3 * slit ? b - slit : b) / unit_ns
    plot data using (($1 + $2) / 2 / unit_ns):($3 + 0.5):($1 / unit_ns):(right($1, $2)):($3 + low + $6 / $7 * (1 - 2 * low)):($3 + low + ($6 + 0.9) / $7 * (1 - 2 * low)):(rgb_of(int($4))) with boxxyerror lc rgb variable lw 0
} else {
    plot data using (($1 + $2) / 2 / unit_ns):($3 + 0.5):($1 / unit_ns):($2 / unit_ns):($3 + low):($3 + 1 - low):(rgb_of(int($4))) with boxxyerror lc rgb variable lw 0
}
unset output
