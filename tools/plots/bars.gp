# ---- horizontal bars: a panel for each scenario, a row for each policy, a bar for each tenant ----
# panel_: title, xlabel, top, bound (NaN: none), start (NaN: none), first, last (of its data); row_: panel, label, in order of panels; set: subs, shared, label_letters_of
# data: panel, row, sub, rgb, value, ci95, label, names
# needs: subs shared each_x label_letters_of panels panel_title panel_xlabel panel_top panel_low panel_bound panel_bound_name panel_start panel_first panel_last rows row_panel row_label
label_letters = 4    # the letters of a shorter label may be wide
label_letters_of = min(label_letters_of, 24)
do for [r = 1:rows] { label_letters = max(label_letters, longest(row_label[r])) }
xlabel_letters = 0
title_letters = 0
do for [p = 1:panels] { panel_xlabel[p] = capital(panel_xlabel[p]); title_letters = max(title_letters, longest(panel_title[p])); xlabel_letters = max(xlabel_letters, longest(panel_xlabel[p])) }
label_w = 0.08 + label_letters * letter
columns = figure_w > 5 ? min(panels, 3) : min(panels, 2)
if (!shared || (each_x && xlabel_letters > 20) || label_w >= 0.42 * figure_w || title_letters * 0.0575 > (figure_w - label_w) / columns) { columns = 1 }
panel_rows = (panels + columns - 1) / columns
bar_h = subs > 1 ? rows * subs > 150 ? 0.05 : 0.09 : 0.1
has_text = bar_h > 0.06
gap_h = subs > 1 ? 0.06 : 0.05
margin = 0.15
panel_w = (figure_w - label_w) / columns
max_lines = 1
do for [p = 1:panels] { max_lines = max(max_lines, lines_of(panel_xlabel[p])) }
array height[panels]
array begin_y[panels]
array row_y[rows]
array above[panels]
array last_row[panels]    # of a panel, whose rows follow those of the panel before
do for [p = 1:panels] {
    height[p] = gap_h / 2
    above[p] = (panels > 1 ? 0.05 + titles_h(panel_title[p]) : 0.03) + (panel_bound[p] > 0 ? 0.1 : 0)
}
do for [r = 1:rows] {
    p = row_panel[r]
    last_row[p] = r
    row_h = max(subs * bar_h, text_h(row_label[r])) + gap_h
    row_y[r] = height[p] + row_h / 2 - gap_h / 2
    height[p] = height[p] + row_h
}
bottom_h = 0.31 + line_h * (max_lines - 1)
y = head_h
do for [q = 1:panel_rows] {
    above_h = 0
    plot_h = 0
    do for [p = (q - 1) * columns + 1:min(q * columns, panels)] { above_h = max(above_h, above[p]); plot_h = max(plot_h, height[p]) }
    do for [p = (q - 1) * columns + 1:min(q * columns, panels)] { begin_y[p] = y + above_h }
    y = y + above_h + plot_h + (each_x || q == panel_rows ? bottom_h : 0.17)
}
figure_h = y + 0.02
eval begin
eval head
set xtics offset 0, 0.35
set grid xtics lt 1 lc rgb '#dddddd' lw 0.4
set ytics scale 0
do for [p = 1:panels] {
    column_x = label_w + ((p - 1) % columns) * panel_w
    set lmargin at screen across(column_x)
    set rmargin at screen across(column_x + panel_w - margin)
    set tmargin at screen down(begin_y[p])
    set bmargin at screen down(begin_y[p] + height[p])
    if (panels > 1) { set label 1 panel_title[p] at screen across(columns == 1 && longest(panel_title[p]) * 0.067 > panel_w - margin ? figure_w / 2 : column_x + (panel_w - margin) / 2), down(begin_y[p] - above[p] + 0.095) center noenhanced }
    wide = longest(panel_xlabel[p]) * letter > figure_w - label_w - margin
    if (each_x && columns > 1) { set label 2 panel_xlabel[p] at screen across(column_x + (panel_w - margin) / 2), down(begin_y[p] + height[p] + 0.25) center noenhanced font font7 }
    if ((each_x && columns == 1) || p == panels) { set label 2 panel_xlabel[p] at screen across(wide ? figure_w / 2 : (label_w + figure_w - margin) / 2), down(begin_y[p] + height[p] + 0.25) center noenhanced font font7 }
    # The changes are a column at the right.
    part = (has_text ? label_letters_of * 0.052 + 0.08 : 0.03) / (panel_w - margin)
    bottom = panel_low[p] * 1.1
    top = (panel_top[p] - bottom * part) / (1 - part)
    if (panel_bound[p] > 0) { set label 3 panel_bound_name[p] at screen across(column_x + (panel_w - margin) * (panel_bound[p] - bottom) / (top - bottom)), down(begin_y[p] - 0.045) center font font6 }
    set xrange [bottom:top]
    set yrange [height[p]:0]
    by = step(top - bottom, panel_w / 0.38)
    set xtics floor(top / by) - ceil(bottom / by) < 1 ? by / 2 : by    # one number alone tells no scale
    set ytics ('' -1)
    unset arrow
    if (panel_bound[p] > 0) { set arrow 1 from first panel_bound[p], graph 0 to first panel_bound[p], graph 1 nohead front lc rgb 'black' lw 0.8 dt 2 }
    if (panel_start[p] == panel_start[p]) { set arrow 2 from first panel_start[p], graph 0 to first panel_start[p], graph 1 nohead back lc rgb '#555555' lw 0.8 dt 3 }
    if (!shared || column_x == label_w) {
        do for [r = (p > 1 ? last_row[p - 1] + 1 : 1):last_row[p]] { set label 100 + r row_label[r] at screen across(column_x - 0.05), down(begin_y[p] + row_y[r] - (lines_of(row_label[r]) - 1) * line_h / 2) right noenhanced font font7 }
    }
    middle(r, s) = row_y[int(r)] + (s - (subs - 1) / 2.0) * bar_h
    # What goes beyond the panel's top ends there, with a gap, so that it leaves room for its label.
    end(x) = min(x, panel_top[p])
    plot data skip 1 every ::panel_first[p]::panel_last[p] using (0):(middle($2, $3)):(0):(end($5)):(middle($2, $3) - bar_h * 0.46):(middle($2, $3) + bar_h * 0.46):4 with boxxyerror lc rgb variable lw 0, \
         data skip 1 every ::panel_first[p]::panel_last[p] using ($5 > end($5) ? end($5) : NaN):(middle($2, $3)):(end($5) * 0.94):(end($5) * 0.96):(middle($2, $3) - bar_h * 0.46):(middle($2, $3) + bar_h * 0.46) with boxxyerror lc rgb 'white' lw 0, \
         data skip 1 every ::panel_first[p]::panel_last[p] using ($5 - $6):(middle($2, $3)):(2 * $6):(0) with vectors heads size screen across(0.015), 90 fixed lc rgb 'black' lw 0.6, \
         data skip 1 every ::panel_first[p]::panel_last[p] using (has_text ? top : NaN):(middle($2, $3)):(short(strcol(7), 24)) with labels right offset -0.3, 0 noenhanced font font6
    unset label
    unset object
}
unset multiplot
unset output
