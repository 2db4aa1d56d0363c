# What all figures share. Before it is loaded, the script that loads it has set
#   format, file      svg, pdf or png, and where it goes
#   panels            how many there are; they fill one column, or two if there are more than four
#   panel_columns     instead of these one or two; optional
#   names, name[], name_colour[]    the legend; names = 0: none
#   margin_left, margin_right, title_h, plot_h    of each panel, in inches
#   panel_below[]     what each panel needs below its axis for the names of tics
#   side_w, foot_h    kept free at the right and at the bottom
# Sizes are those of the printed page: a figure is 3.45 inches wide, or 7 with two columns of panels.
set encoding utf8

# Okabe and Ito's colours, which the colour-blind tell apart too; beyond eight, the same paler.
array hue[8] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0x56B4E9, 0xCC79A7, 0xF0E442, 0x666666]
pale(c) = ((c >> 1) & 0x7F7F7F) + 0x7F7F7F
colour(i) = i % 16 < 8 ? hue[i % 8 + 1] : pale(hue[i % 8 + 1])    # i from 0

columns = exists('panel_columns') ? panel_columns : panels > 4 ? 2 : 1
rows = (panels + columns - 1) / columns
figure_w = columns > 1 ? 7.0 : 3.45
panel_w = (figure_w - side_w) / columns

# The legend: the most columns that fit, each as wide as its longest name.
entry_w(letters) = 0.32 + letters * 0.056
legend_columns = 0
legend_w = 0
array column_x[names + 2]
do for [try = names:1:-1] {
    if (legend_columns == 0) {
        column_x[1] = 0
        do for [c = 1:try] {
            longest = 0
            do for [i = c:names:try] { longest = strlen(name[i]) > longest ? strlen(name[i]) : longest }
            column_x[c + 1] = column_x[c] + entry_w(longest)
        }
        if (column_x[try + 1] < figure_w || try == 1) { legend_columns = try; legend_w = column_x[try + 1] - 0.1 }
    }
}
legend_rows = names > 0 ? (names + legend_columns - 1) / legend_columns : 0
legend_h = names > 0 ? legend_rows * 0.15 + 0.05 : 0
legend_x(i) = (figure_w - legend_w) / 2 + column_x[(i - 1) % legend_columns + 1]
legend_y(i) = 0.1 + ((i - 1) / legend_columns) * 0.15

array row_y[rows + 1]
row_y[1] = legend_h
do for [r = 1:rows] {
    below_h = 0
    do for [p = (r - 1) * columns + 1:r * columns] { below_h = p <= panels && panel_below[p] > below_h ? panel_below[p] : below_h }
    row_y[r + 1] = row_y[r] + title_h + plot_h + below_h
}
figure_h = row_y[rows + 1] + foot_h + 0.02
across(inches) = inches / figure_w
down(inches) = 1 - inches / figure_h
cell_x(i) = ((i - 1) % columns) * panel_w
cell_y(i) = row_y[(i - 1) / columns + 1]
is_lowest(i) = i + columns > panels
plot_left(i) = across(cell_x(i) + margin_left)
plot_right(i) = across(cell_x(i) + panel_w - margin_right)
plot_top(i) = down(cell_y(i) + title_h)
plot_bottom(i) = down(cell_y(i) + title_h + plot_h)

# Titles are placed in inches, for terminals differ in what a character's height is.
x_middle(i) = (plot_left(i) + plot_right(i)) / 2
y_middle(i) = (plot_top(i) + plot_bottom(i)) / 2

# A step of 1, 2 or 5 times a power of ten, with about four steps up to `top`.
power(x) = 10.0 ** floor(log10(x))
rounded(x) = x < 1.5 * power(x) ? power(x) : x < 3.5 * power(x) ? 2 * power(x) : x < 7.5 * power(x) ? 5 * power(x) : 10 * power(x)
step(top) = rounded(top / 4.5)

svg_inch = columns > 1 ? 144 : 216
if (format eq 'svg') {
    set terminal svg size figure_w * svg_inch, figure_h * svg_inch font sprintf('Helvetica,%g', svg_inch / 9.0) linewidth svg_inch / 72.0 noenhanced standalone background '#ffffff'
}
if (format eq 'pdf') {
    set terminal pdfcairo size figure_w in, figure_h in font 'Helvetica,8' fontscale 0.75 linewidth 1 noenhanced
}
if (format eq 'png') {
    set terminal pngcairo size figure_w * 300, figure_h * 300 font 'Helvetica,8' fontscale 300.0 / 96 linewidth 300.0 / 72 noenhanced
}
set output file

set border lw 0.6
small = 'Helvetica,' . (format eq 'svg' ? sprintf('%g', svg_inch * 7.0 / 72) : '7')
set tics nomirror scale 0.4 font small
tics_up = format eq 'svg' ? 0.55 : 0.35
set xtics offset 0, tics_up
set ytics offset 0.5, 0
set format '%h'    # the default has a blank in front
unset key

do for [i = 1:names] {
    set object i rectangle from screen across(legend_x(i)), down(legend_y(i) + 0.045) to screen across(legend_x(i) + 0.13), down(legend_y(i) - 0.045) fillcolor rgb colour(name_colour[i]) fillstyle solid border rgb 'black' lw 0.3
    set label i name[i] at screen across(legend_x(i) + 0.18), down(legend_y(i)) left noenhanced
}
