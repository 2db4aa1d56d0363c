# ---- what all figures share: common.gp ----
# Sizes are those of the printed page: 3.45 inches is a column, 7 a page. Text is not enhanced, so names may have any characters.
set encoding utf8
format = exists('ARGC') && ARGC > 0 ? ARG1 : 'svg'
file = exists('ARGC') && ARGC > 1 ? ARG2 : name . '.' . format
data = name . '.csv'
set datafile separator comma
figure_w = width_in > 0 ? 1.0 * width_in : 3.45
figure_h = 1.0

# Widths of text are estimated from the number of its letters, for a wide sans serif font.
max(a, b) = a > b ? a : b
min(a, b) = a < b ? a : b
longest(s) = strstrt(s, "\n") == 0 ? strlen(s) : max(strstrt(s, "\n") - 1, longest(s[strstrt(s, "\n") + 1:*]))
lines_of(s) = strstrt(s, "\n") == 0 ? 1 : 1 + lines_of(s[strstrt(s, "\n") + 1:*])
letter = 0.0585    # inches, of 7 points
line_h = 0.147      # from line to line, of 7 points
title_line_h = 0.165
text_h(s) = 0.115 + (lines_of(s) - 1) * line_h
titles_h(s) = 0.145 + (lines_of(s) - 1) * title_line_h
# Of a long name both ends are kept, since names of a list differ at either.
short(s, most) = strlen(s) <= most ? s : s[1:int(most / 2)] . '…' . s[strlen(s) - int(most) + int(most / 2) + 2:*]
# Labels of axes begin with a capital, but not those such as p99 and vCPUs.
small_letters = 'abcdefghijklmnopqrstuvwxyz'
capital(s) = strlen(s) > 1 && strstrt(small_letters . ' ', s[2:2]) > 0 && strstrt(small_letters, s[1:1]) > 0 ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[strstrt(small_letters, s[1:1]):strstrt(small_letters, s[1:1])] . s[2:*] : s

# A step of 1, 2 or 5 times a power of ten, so that at most `most` labels fit below `top`.
power(x) = 10.0 ** floor(log10(x))
rounded(x) = x <= power(x) * 1.001 ? power(x) : x <= 2.001 * power(x) ? 2 * power(x) : x <= 5.001 * power(x) ? 5 * power(x) : 10 * power(x)
step(top, most) = top > 0 ? rounded(top / most) : 1

across(inches) = inches / figure_w
down(inches) = 1 - inches / figure_h
svg_inch = figure_w > 4.5 ? 144 : 216
points(n) = format eq 'svg' ? sprintf('Helvetica,%g', svg_inch * n / 72.0) : sprintf('Helvetica,%g', n)
font6 = points(6)
font7 = points(7)
font8 = points(8)
terminal(x) = format eq 'svg' \
    ? sprintf("set terminal svg size %g,%g font '%s' linewidth %g noenhanced standalone background '#ffffff'", figure_w * svg_inch, figure_h * svg_inch, font8, svg_inch / 72.0) \
    : format eq 'pdf' \
    ? sprintf("set terminal pdfcairo size %gin,%gin font 'Helvetica,8' fontscale 0.75 linewidth 2 dashlength 2 noenhanced", figure_w, figure_h) \
    : sprintf("set terminal pngcairo size %d,%d font 'Helvetica,8' fontscale %g linewidth %g dashlength 2 pointscale %g noenhanced", figure_w * 300, figure_h * 300, 300.0 / 96, 300.0 / 72, 300.0 / 72)

# The legend: one entry after the other, in as many lines as they take. Before it come the title's lines.
if (!exists('names')) { names = 0 }
if (!exists('name_stripes')) { array name_stripes[names + 1] = [0]; do for [i = 1:names] { name_stripes[i] = 0 } }
if (!exists('title')) { title = '' }
if (lines_of(title) == 1) { title = short(title, figure_w / 0.0625) }
title_h = title eq '' ? 0.03 : 0.05 + titles_h(title)
array at_x[names + 1]
array at_y[names + 1]
array entry_w[names + 1]
used_w = 0.05
legend_h = names > 0 ? 0.15 : 0
do for [i = 1:names] {
    name_label[i] = short(name_label[i], (figure_w - 0.32) / letter)
    entry_w[i] = 0.27 + strlen(name_label[i]) * letter
    if (used_w + entry_w[i] > figure_w && used_w > 0.1) { used_w = 0.05; legend_h = legend_h + 0.14 }
    at_x[i] = used_w
    at_y[i] = title_h + legend_h - 0.075
    used_w = used_w + entry_w[i]
}
head_h = title_h + legend_h

# The boxes of a colour that is used again have a stripe along them, or two: the middle of the k-th of n is at this part of the height. It is seen on its colour.
stripe_at(k, n) = 1.0 * k / (n + 1)
stripe_rgb(rgb) = 0.299 * (int(rgb) >> 16) + 0.587 * (int(rgb) >> 8 & 255) + 0.114 * (int(rgb) & 255) < 140 ? 0xffffff : 0

# Called once figure_h is known.
begin = "eval terminal(0); set output file; set border lw 0.6; set tics nomirror scale 0.4 font font7; set xtics offset 0, 0.3; set ytics offset 0.5, 0; set format '%h'; set key noautotitle; unset key; set style fill solid 1.0 noborder; set multiplot"
head = "if (title ne '') { set label 9001 title at screen 0.5, down(0.1) center noenhanced }; do for [i = 1:names] { set object 9000 + i rectangle from screen across(at_x[i]), down(at_y[i] + 0.04) to screen across(at_x[i] + 0.1), down(at_y[i] - 0.04) fillcolor rgb name_rgb[i] fillstyle solid border rgb 'black' lw 0.3; do for [k = 1:name_stripes[i]] { set object 9000 + 100 * k + i rectangle from screen across(at_x[i]), down(at_y[i] + 0.04 - 0.08 * stripe_at(k, name_stripes[i]) + 0.007) to screen across(at_x[i] + 0.1), down(at_y[i] + 0.04 - 0.08 * stripe_at(k, name_stripes[i]) - 0.007) fillcolor rgb stripe_rgb(name_rgb[i]) fillstyle solid noborder }; set label 9001 + i name_label[i] at screen across(at_x[i] + 0.14), down(at_y[i]) left noenhanced font font7 }"
