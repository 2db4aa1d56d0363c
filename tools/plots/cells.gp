# ---- heat maps: a panel for each policy ----
# set: xlabel, ylabel, left, right, low, high (of the axes), value_label, value_low, value_high; gain_label, gain (end of the scale of gains), ratio (height
# over width of a panel), stacked; panel_: title, is_gain; xname_, yname_: label, at (names on the axes); data: panel, x, y, width, height, value, names
# needs: xlabel ylabel left right low high value_label value_low value_high gain_label gain ratio stacked as_image panels panel_title panel_is_gain xnames ynames
xlabel = capital(xlabel); ylabel = capital(ylabel); value_label = capital(value_label); gain_label = capital(gain_label)
do for [i = 1:xnames] { xname_label[i] = short(xname_label[i], 0.42 * figure_w / letter) }
do for [i = 1:ynames] { yname_label[i] = short(yname_label[i], 0.42 * figure_w / letter) }
x_letters = 0
y_letters = ynames == 0 ? 3 : 0
do for [i = 1:xnames] { x_letters = max(x_letters, strlen(xname_label[i])) }
do for [i = 1:ynames] { y_letters = max(y_letters, strlen(yname_label[i])) }
longest_name = max(x_letters, y_letters)
columns = stacked ? 1 : min(panels, figure_w > 5 || panels > 6 ? 3 : 2)
pitch(n) = 72 * 0.75 * figure_w * 0.8 / columns / max(n, 1)    # points a name
small = max(5, min(7, pitch(max(xnames, ynames))))
# Where names would be too small to read, an axis has only some of them. If both axes have the same, it has their numbers, and a list below says whose they are.
is_list = pitch(xnames) < 5 && xnames == ynames
if (is_list) { do for [i = 1:xnames] { is_list = is_list && xname_label[i] eq yname_label[i] } }
is_shown(i, n) = is_list ? i == 1 || i % 5 == 0 : (i - 1) % ceil(5 / pitch(n)) == 0
if (is_list) { small = 7; x_letters = 2; y_letters = 2 }
right = 1.0 * right
value_high = 1.0 * value_high
gain = 1.0 * gain
high = 1.0 * high
label_w = 0.1 + y_letters * letter * small / 7 + (ylabel eq '' ? 0 : 0.13 * lines_of(ylabel))
bar_w = stacked ? 0.55 : 0
panel_w = (figure_w - label_w - bar_w) / columns
turned = !is_list && xnames > 0 && (x_letters + 1) * letter * small / 7 > (panel_w - 0.1) / xnames    # so that a blank is between names
below_h = 0.09 + (turned ? x_letters * letter * small / 7 : 0.1) + (xlabel eq '' ? 0 : 0.13)
plot_h = (panel_w - 0.1) * ratio
panel_rows = (panels + columns - 1) / columns
array begin_y[panels]
y = head_h
do for [q = 1:panel_rows] {
    above_h = 0
    do for [p = (q - 1) * columns + 1:min(q * columns, panels)] { above_h = max(above_h, 0.04 + titles_h(panel_title[p])) }
    do for [p = (q - 1) * columns + 1:min(q * columns, panels)] { begin_y[p] = y + above_h }
    y = y + above_h + plot_h + 0.03
}
gains = 0
do for [p = 1:panels] { gains = gains + panel_is_gain[p] }
bars_h = stacked ? 0 : 0.5
list_columns = 1
do for [n = 2:8] { if (figure_w / n > (5 + longest_name) * letter) { list_columns = n } }
list_rows = (xnames + list_columns - 1) / list_columns
list_y = y + below_h + 0.1
list_h = is_list ? list_rows * 0.13 + 0.06 : 0
figure_h = y + below_h + list_h + bars_h + (!stacked && gains > 0 && figure_w < 5 ? 0.46 : 0)
font_small = points(small)
font_title = stacked ? font8 : font7
eval begin
eval head
# ColorBrewer's YlGnBu for values: idle is light and full is dark, in grey as well. Its PuOr for gains: white is none, purple is more.
values = "0 '#ffffd9', 1 '#edf8b1', 2 '#c7e9b4', 3 '#7fcdbb', 4 '#41b6c4', 5 '#1d91c0', 6 '#225ea8', 7 '#253494', 8 '#081d58'"
change = "0 '#b35806', 1 '#e08214', 2 '#fdb863', 3 '#fee0b6', 4 '#ffffff', 5 '#d8daeb', 6 '#b2abd2', 7 '#8073ac', 8 '#542788'"
set xrange [left:right]
set yrange [low:high]
set tics out scale 0.3
shown_value = 0
shown_gain = 0
do for [p = 1:panels] {
    column_x = label_w + ((p - 1) % columns) * panel_w
    is_lowest = p + columns > panels
    set lmargin at screen across(column_x)
    set rmargin at screen across(column_x + panel_w - 0.1)
    set tmargin at screen down(begin_y[p])
    set bmargin at screen down(begin_y[p] + plot_h)
    set label 1 panel_title[p] at screen across(column_x + (panel_w - 0.1) / 2), down(begin_y[p] - titles_h(panel_title[p]) + 0.05) center noenhanced font font_title
    unset xtics
    unset ytics
    if (ynames == 0 && column_x == label_w) { set ytics step(abs(high - low), plot_h / 0.2) offset 0.5, 0 scale 0.3 font font7 }
    if (xnames == 0 && is_lowest) { set xtics step(right - left, 5) offset 0, 0.3 scale 0.3 font font7 }
    if (is_list && p == 1) { do for [i = 1:xnames] { set label 3000 + i sprintf('%d  %s', i, xname_label[i]) at screen across(0.1 + figure_w * ((i - 1) / list_rows) / list_columns), down(list_y + 0.13 * ((i - 1) % list_rows)) left noenhanced font font7 } }
    if (column_x == label_w) { do for [i = 1:ynames] { if (is_shown(i, ynames)) { set label 100 + i is_list ? sprintf('%d', i) : yname_label[i] at screen across(column_x - 0.04), first yname_at[i] right noenhanced font font_small } } }
    if (is_lowest) { do for [i = 1:xnames] {
        if (turned && is_shown(i, xnames)) { set label 1000 + i xname_label[i] at first xname_at[i], screen down(begin_y[p] + plot_h + 0.04) right rotate noenhanced font font_small }
        if (!turned && is_shown(i, xnames)) { set label 1000 + i is_list ? sprintf('%d', i) : xname_label[i] at first xname_at[i], screen down(begin_y[p] + plot_h + 0.09) center noenhanced font font_small }
    } }
    if (p == panels && xlabel ne '') { set label 2 xlabel at screen across((label_w + figure_w - bar_w - 0.1) / 2), down(begin_y[p] + plot_h + below_h - 0.06) center noenhanced font font7 }
    if (ylabel ne '' && column_x == label_w) { set label 3 ylabel at screen across(0.07), down(begin_y[p] + plot_h / 2) center rotate noenhanced font font7 }
    unset colorbox
    if (panel_is_gain[p]) {
        eval 'set palette defined (' . change . ')'
        set cbrange [-gain:gain]
        set cbtics step(2 * gain, 5) scale 0.3 offset 0, 0.3 font font7
        bar_x = figure_w > 5 ? figure_w / 2 + 0.15 : 0.15
        bar_y = figure_h - 0.42
        if (!shown_gain) {
            set colorbox horizontal user origin across(bar_x), down(bar_y + 0.08) size across(figure_w > 5 ? figure_w / 2 - 0.3 : figure_w - 0.3), 0.08 / figure_h
            set label 4 gain_label at screen across(bar_x + (figure_w > 5 ? figure_w / 2 - 0.3 : figure_w - 0.3) / 2), down(bar_y + 0.33) center noenhanced font font7
        }
        shown_gain = 1
    } else {
        eval 'set palette defined (' . values . ')'
        set cbrange [value_low:value_high]
        bar_y = figure_h - 0.42 - (gains > 0 && figure_w < 5 ? 0.46 : 0)
        if (stacked) {
            set cbtics step(value_high - value_low, 4.5) scale 0.3 offset -0.8, 0 font font7
            set colorbox user origin across(figure_w - bar_w + 0.05), down(begin_y[panels] + plot_h) size across(0.08), (begin_y[panels] + plot_h - begin_y[1]) / figure_h
            set label 5 value_label at screen across(figure_w - 0.06), down((begin_y[1] + begin_y[panels] + plot_h) / 2) center rotate noenhanced font font7
        } else {
            set cbtics step(value_high - value_low, 5) scale 0.3 offset 0, 0.3 font font7
            if (!shown_value) {
                set colorbox horizontal user origin across(0.15), down(bar_y + 0.08) size across(figure_w > 5 ? figure_w / 2 - 0.3 : figure_w - 0.3), 0.08 / figure_h
                set label 5 value_label at screen across(0.15 + (figure_w > 5 ? figure_w / 2 - 0.3 : figure_w - 0.3) / 2), down(bar_y + 0.33) center noenhanced font font7
            }
        }
        if (shown_value) { unset colorbox; unset label 5 }
        shown_value = 1
    }
    if (as_image) {
        plot data skip 1 index p - 1 using 2:3:6 with image pixels
    } else {
        set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillcolor rgb '#bbbbbb' fillstyle solid noborder    # where no value is: white is a change of nothing
        plot data skip 1 using ($1 == p && $6 == $6 ? $2 : NaN):3:($2 - $4 / 2):($2 + $4 / 2):($3 - $5 / 2):($3 + $5 / 2):6 with boxxyerror fillstyle solid noborder lc palette
    }
    unset label
    unset object
}
unset multiplot
unset output
