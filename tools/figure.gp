# The style of the figures in docs/figures that the tools draw: that of smsched plot, at a column's width. A script sets `name`, the figure's file
# without `.svg`, loads this, sets `figure_h` (inches), and says `eval begin`. Afterwards `eval panel(top, height)` places a panel. Run from the repository's root.
width_in = 0
load 'tools/plots/common.gp'
array hue[6] = [0x0072B2, 0xE69F00, 0x009E73, 0xD55E00, 0x56B4E9, 0xCC79A7]    # as in sim/report/palette.def
# Of the area between the axes: inches from the figure's left, its top and to its right.
place(left, top, width, height) = sprintf("set lmargin at screen %g; set rmargin at screen %g; set tmargin at screen %g; set bmargin at screen %g", across(left), across(left + width), down(top), down(top + height))
set datafile separator whitespace
