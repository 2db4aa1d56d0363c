# ---- curves: a panel for each scenario, a line for each policy, named at its end ----
# panel_: title, xlabel, ylabel, left, right, low, high; panel_log: of the y axis; set: log_x, each_x, marked; xname_: label, at (1, 2, ...); label_: panel, text, rgb, y; in order of panel and y
# data: panel, line, rgb, dash, x, y, low, high, names. Marks are drawn where `marked` is set.
# scatter: x has an interval, too: data has left, right before the names
# striped: so many lines are drawn once more, each in a part of every length that is its own: where they coincide, each is seen in its turn
# steps: lines are distributions; those numbered beyond `lines` are marks on them. panel_target (NaN: none): a line across; upright among steps, with its target_name
# needs: xnames log_x each_x marked lines line_rgb line_dash panels panel_title panel_xlabel panel_ylabel panel_left panel_right panel_low panel_high panel_log labels label_panel label_text label_rgb label_y
if (!exists('steps')) { steps = 0 }
if (!exists('scatter')) { scatter = 0 }
if (!exists('striped')) { striped = scatter || xnames > 0 || lines == 1 ? 0 : min(lines, 16) }    # lines beyond are dashed
if (!exists('target_name')) { target_name = ''; array panel_target[panels]; do for [p = 1:panels] { panel_target[p] = NaN } }
label_letters = 0
do for [l = 1:labels] { label_letters = max(label_letters, longest(label_text[l])) }
side_w = min(0.15 + label_letters * letter, figure_w * 0.5)
tick_letters = 5
do for [p = 1:panels] {
    by = step(1.0 * (panel_high[p] - panel_low[p]), 5)
    if (!panel_log[p]) { do for [i = int(ceil(panel_low[p] / by)):int(floor(panel_high[p] / by))] { tick_letters = max(tick_letters, strlen(sprintf('%g', i * by))) } }
    if (panel_log[p]) { do for [d = int(floor(log10(panel_low[p]))):int(floor(log10(panel_high[p])))] { tick_letters = max(tick_letters, strlen(sprintf('%g', 10.0**d))) } }
}
left_w = 0.47 + (tick_letters - 5) * letter
plot_h = 1.35
apart = 0.04    # names at the ends, so that one is told from the lines of the next
array begin_y[panels]
array above[panels]    # what is between a panel's title and its frame: more lines of the title, and the name of a target
y = head_h
do for [p = 1:panels] {
    mine = 0
    do for [l = 1:labels] { if (label_panel[l] == p) { mine = mine + text_h(label_text[l]) + apart } }
    plot_h = max(plot_h, max(mine, min(2.2, longest(panel_ylabel[p]) * letter)))
    above[p] = (panels > 1 ? (lines_of(panel_title[p]) - 1) * title_line_h : 0) + (steps && panel_target[p] == panel_target[p] ? 0.1 : 0)
}
do for [p = 1:panels] {
    panel_xlabel[p] = short(capital(panel_xlabel[p]), (figure_w - 0.1) / letter)
    panel_ylabel[p] = short(capital(panel_ylabel[p]), (plot_h + 0.1) / letter)
    if (lines_of(panel_title[p]) == 1) { panel_title[p] = short(panel_title[p], figure_w / 0.0625) }
    begin_y[p] = y + (panels > 1 ? 0.21 : 0.07) + above[p]
    y = begin_y[p] + plot_h + (each_x || p == panels ? 0.31 : 0.16)
}
figure_h = y + 0.02
eval begin
eval head
set grid ytics lt 1 lc rgb '#dddddd' lw 0.4
set dashtype 2 (5, 2.5)
# Nothing is between names, so no line is: the marks of all lines are side by side at each.
at(x, l) = xnames > 0 ? x + 0.5 * (l - (lines + 1) / 2.0) / lines : x
do for [l = 1:striped] { eval sprintf('set dashtype %d (0.01, %g, 8, %g)', 10 + l, 8 * (l - 1) + 0.01, 8 * (striped - l) + 0.01) }
do for [p = 1:panels] {
    set lmargin at screen across(left_w)
    set rmargin at screen across(figure_w - side_w)
    set tmargin at screen down(begin_y[p])
    set bmargin at screen down(begin_y[p] + plot_h)
    middle_x = (left_w + figure_w - side_w) / 2
    if (panels > 1) { set label 1 panel_title[p] at screen across(longest(panel_title[p]) * 0.067 > figure_w - side_w - left_w ? figure_w / 2 : middle_x), down(begin_y[p] - 0.12 - above[p]) center noenhanced }
    if (each_x || p == panels) { set label 2 panel_xlabel[p] at screen across(longest(panel_xlabel[p]) * letter > figure_w - side_w - left_w ? figure_w / 2 : middle_x), down(begin_y[p] + plot_h + 0.24) center noenhanced font font7 }
    set label 3 panel_ylabel[p] at screen across(0.07), down(begin_y[p] + plot_h / 2) center rotate noenhanced font font7
    unset logscale
    unset xtics
    set grid noxtics
    if (xnames > 0) {
        do for [i = 1:xnames] { if (each_x || p == panels) { set label 5000 + i xname_label[i] at first xname_at[i], screen down(begin_y[p] + plot_h + 0.09) center noenhanced font font7 } }
    } else {
        set xtics nomirror scale 0.4 offset 0, 0.3 font font7
        if (log_x) {
            set logscale x 10
            set xtics ()
            # 1, 2 and 5 times a power of ten may be too few: of 5 to 8 ms only one
            narrow = panel_right[p] < 5.0 * panel_left[p]
            decade_w = (figure_w - side_w - left_w) / log10(1.0 * panel_right[p] / panel_left[p])
            widest = max(strlen(sprintf('%g', 10.0**floor(log10(panel_left[p])))), strlen(sprintf('%g', 10.0**floor(log10(panel_right[p]))))) * letter + 0.05
            by = step(1.0 * (panel_right[p] - panel_left[p]), 4.5)
            if (narrow) { do for [i = int(ceil(panel_left[p] / by)):int(floor(panel_right[p] / by))] { set xtics add (each_x || p == panels ? sprintf('%g', i * by) : '' i * by) } } else { do for [d = -15:18] { do for [m = 1:5] {
                at = m * 10.0**d
                labelled = m == 1 ? d % ceil(widest / decade_w) == 0 : m != 3 && m != 4 && 0.301 * decade_w > widest
                if (labelled && at >= panel_left[p] && at <= panel_right[p]) { set xtics add (each_x || p == panels ? sprintf('%g', at) : '' at) }
            } } }
        } else { set xtics step(1.0 * (panel_right[p] - panel_left[p]), 4.5) }
        if (!each_x && p < panels) { set format x '' } else { set format x '%h' }
    }
    if (panel_log[p]) { set logscale y 10 }
    set xrange [panel_left[p]:panel_right[p]]
    set yrange [panel_low[p]:panel_high[p]]
    if (panel_log[p]) {
        set ytics ()
        do for [d = -15:18] { do for [m in '1 2 5'] { if (m == 1 || panel_high[p] < 300 * panel_low[p]) { set ytics add (sprintf('%g', m * 10.0**d) m * 10.0**d) } } }
    } else { set ytics step(1.0 * (panel_high[p] - panel_low[p]), 5) }
    unset arrow
    aimed = panel_target[p] == panel_target[p]
    if (aimed && steps) {
        set arrow 1 from first panel_target[p], graph 0 to first panel_target[p], graph 1 nohead front lc rgb 'black' lw 0.8 dt 2
        set label 4 target_name at first panel_target[p], screen down(begin_y[p] - 0.045) center noenhanced font font6
    }
    if (aimed && !steps) { set arrow 1 from graph 0, first panel_target[p] to graph 1, first panel_target[p] nohead front lc rgb 'black' lw 0.8 dt 2 }
    # Names keep a line's distance: pushed up from below, then down from the top.
    place = -1e9
    count = 0
    array place_at[labels + 1]
    do for [l = 1:labels] {
        if (label_panel[l] == p) {
            half = (text_h(label_text[l]) + apart) / 2
            want = (panel_log[p] ? log(label_y[l] / panel_low[p]) / log(panel_high[p] / panel_low[p]) : 1.0 * (label_y[l] - panel_low[p]) / (panel_high[p] - panel_low[p])) * plot_h
            place_at[l] = max(max(want, half), place + half)
            place = place_at[l] + half
        }
    }
    ceiling = plot_h
    do for [l = labels:1:-1] {
        if (label_panel[l] == p) {
            half = (text_h(label_text[l]) + apart) / 2
            place_at[l] = min(place_at[l], ceiling - half)
            ceiling = place_at[l] - half
            set label 100 + l label_text[l] at screen across(figure_w - side_w + 0.1), down(begin_y[p] + plot_h - place_at[l] - (lines_of(label_text[l]) - 1) * line_h / 2) left noenhanced font font7 tc rgb label_rgb[l]
            set arrow 100 + l from screen across(figure_w - side_w), first label_y[l] to screen across(figure_w - side_w + 0.08), down(begin_y[p] + plot_h - place_at[l]) nohead lc rgb label_rgb[l] lw 0.5
        }
    }
    # Not yerrorbars: gnuplot 5.4 draws a white disc over each of them, so that short ones cannot be seen.
    plot for [l = 1:(marked ? lines : 0)] data skip 1 using ($1 == p && $2 == l ? at($5, l) : NaN):7:(0):($8 - $7) with vectors heads size screen across(0.03), 90 fixed lw 0.6 lc rgb line_rgb[l], \
         for [l = 2:(scatter ? lines : 0)] data skip 1 using ($1 == p && $2 == l ? $9 : NaN):6:($10 - $9):(0) with vectors heads size screen across(0.03), 90 fixed lw 0.6 lc rgb line_rgb[l], \
         for [l = 1:(steps || xnames > 0 ? 0 : lines)] data skip 1 using ($1 == p && $2 == l ? $5 : NaN):6 with linespoints lc rgb line_rgb[l] lw 1.1 dt line_dash[l] pt (marked ? 7 : -1) ps (scatter ? 0.5 : 0.25), \
         for [l = 1:(xnames > 0 ? lines : 0)] data skip 1 using ($1 == p && $2 == l ? at($5, l) : NaN):6 with points lc rgb line_rgb[l] pt 8 - line_dash[l] ps 0.5, \
         for [l = 1:(steps ? lines : 0)] data skip 1 using ($1 == p && $2 == l ? $5 : NaN):6 with steps lc rgb line_rgb[l] lw 1.1 dt line_dash[l], \
         for [l = 1:(steps ? 0 : striped)] data skip 1 using ($1 == p && $2 == l ? $5 : NaN):6 with lines lc rgb line_rgb[l] lw 1.1 dt 10 + l, \
         for [l = 1:(steps ? striped : 0)] data skip 1 using ($1 == p && $2 == l ? $5 : NaN):6 with steps lc rgb line_rgb[l] lw 1.1 dt 10 + l, \
         for [l = 1:(steps ? lines : 0)] data skip 1 using ($1 == p && $2 == lines + l ? $5 : NaN):6 with points lc rgb line_rgb[l] pt 7 ps 0.35
    unset label
    unset object
}
unset multiplot
unset output
