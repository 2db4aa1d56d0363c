# ---- rectangles over time: a panel for each policy, and one time axis for all ----
# set: xlabel, left, right, row_h, ylabel; panel_: title, drawn, note (in place of what is not drawn); row_: label, y (middle), from the top; set: high (of the y axis)
# data: panel, start, end, y0, y1, rgb, stripes, names
# needs: xlabel left right row_h ylabel high panels panel_title panel_drawn panel_note rows row_label row_y
label_letters = 4    # the letters of a shorter label may be wide
do for [r = 1:rows] { row_label[r] = short(row_label[r], 0.42 * figure_w / letter); label_letters = max(label_letters, longest(row_label[r])) }
stripes = 0
do for [i = 1:names] { stripes = max(stripes, name_stripes[i]) }
right = 1.0 * right
high = 1.0 * high
left_w = 0.1 + label_letters * letter + (ylabel eq '' ? 0 : 0.13)
every_row = row_h * high / max(rows, 1) >= 0.1 ? 1 : ceil(0.1 * rows / (row_h * high))
by = step(right - left, 6)
last = by * floor(right / by)
# The last number of the axis may reach beyond the axis.
right_w = max(0.12, strlen(sprintf('%g', last)) * letter / 2 - (right - last) / (right - left) * (figure_w - left_w - 0.12) + 0.04)
plot_h = max(row_h * high, ylabel eq '' ? 0.25 : 0.5)
array height[panels]
middle_x = (left_w + figure_w - right_w) / 2
array begin_y[panels]
y = head_h
do for [p = 1:panels] {
    begin_y[p] = y + (panel_title[p] eq '' ? 0.03 : 0.05 + titles_h(panel_title[p]))
    height[p] = panel_drawn[p] ? plot_h : min(plot_h, 0.25)
    y = begin_y[p] + height[p] + 0.04
}
figure_h = y + 0.31
eval begin
eval head
set ytics scale 0
set xrange [left:right]
set yrange [high:0]
do for [p = 1:panels] {
    set lmargin at screen across(left_w)
    set rmargin at screen across(figure_w - right_w)
    set tmargin at screen down(begin_y[p])
    set bmargin at screen down(begin_y[p] + height[p])
    set label 1 panel_title[p] at screen across(longest(panel_title[p]) * 0.067 > figure_w - left_w - right_w ? figure_w / 2 : middle_x), down(begin_y[p] - titles_h(panel_title[p]) + 0.045) center noenhanced
    if (ylabel ne '' && panel_drawn[p]) { set label 2 ylabel at screen across(0.08), down(begin_y[p] + height[p] / 2) center rotate font font7 }
    set xtics by out
    set format x p == panels ? '%h' : ''
    set ytics ('' -1)
    if (panel_drawn[p]) { do for [r = 1:rows:every_row] { set label 100 + r row_label[r] at screen across(left_w - 0.05), first row_y[r] right noenhanced font font7 } }
    if (p == panels) { set label 3 xlabel at screen across(middle_x), down(begin_y[p] + height[p] + 0.26) center font font7 }
    if (!panel_drawn[p]) { set label 4 panel_note[p] at screen across(middle_x), down(begin_y[p] + height[p] / 2) center font font7 }
    plot data skip 1 using ($1 == p ? ($2 + $3) / 2 : NaN):(($4 + $5) / 2):2:3:4:5:6 with boxxyerror lc rgb variable lw 0, \
         for [k = 1:stripes] data skip 1 using ($1 == p && $7 >= k ? ($2 + $3) / 2 : NaN):(($4 + $5) / 2):2:3:($5 - ($5 - $4) * (stripe_at(k, $7) - 0.09)):($5 - ($5 - $4) * (stripe_at(k, $7) + 0.09)):(stripe_rgb($6)) with boxxyerror lc rgb variable lw 0
    unset label
    unset object
}
unset multiplot
unset output
