# panels.gp: the metrics that explain the times. The rows are those of ladder.gp, with a column for
# each metric: a row has one kernel's metrics, a column shows what each step changes. A page has at
# most five columns, so that a hall can read them; a lab with more metrics has more pages, -metrics,
# -metrics-2 and so on. Needs style.gp, read.gp and, from the lab's script:
#   metric_list             the metrics, in page order
#   metric_scale(m)         divides the value in base units
#   metric_words1(m), metric_words2(m)   its description in two short lines
#   metric_full(m)          the end of the axis; NaN: as needed for the largest value

PANEL_TOP = 0.728
PANEL_NAMES = 0.235
PANELS_L = 0.245
PANELS_R = 0.995
MOST_COLUMNS = 5
pages = int(ceil(1.0 * words(metric_list) / MOST_COLUMNS))
columns = int(ceil(1.0 * words(metric_list) / pages))
column_width = (PANELS_R - PANELS_L) / columns
column_x(m) = PANELS_L + ((m - 1) % columns) * column_width
panel_height = steps < 6 ? 0.11 : (PANEL_TOP - 0.085) / steps
PANEL_BOTTOM = PANEL_TOP - steps * panel_height
panel_y(r) = PANEL_TOP - (r - 0.5) * panel_height

metric(s, m, r) = value[metric_cell(s, m, r)] / metric_scale(m)
largest(m) = larger(largest_of(RUN, m), largest_of(REFERENCE, m))
largest_of(s, m) = (top = NaN, sum [r = 1:steps] (top = larger(top, metric(s, m, r)), 0), top)
panel_end(m) = have(metric_full(m)) ? metric_full(m) : !have(largest(m)) || largest(m) <= 0 ? 1 : largest(m)

# "n/a" if the profiler lacks the value, "" if the kernel was not profiled.
profiled(s, r) = sum [m = 1:words(metric_list)] (have(value[metric_cell(s, m, r)]) ? 1 : 0)
metric_text(s, m, r) = profiled(s, r) ? figure(metric(s, m, r)) : ""
panel_long(s, m, r) = have(metric(s, m, r)) && metric(s, m, r) > 0.52 * panel_end(m)
panel_font(s) = s == REFERENCE && two ? 20 : 24

# A long name takes two or three lines, cut after underscores.
HEAD_LETTERS = int(column_width * 1920 / 14.6) # letters that a column is wide
last_bar(s) = strstrt(s, "_") == 0 ? 0 : strstrt(s, "_") + last_bar(s[strstrt(s, "_") + 1:*])
fitting(s) = strlen(s) <= HEAD_LETTERS ? strlen(s) : last_bar(s[1:HEAD_LETTERS]) > 0 ? last_bar(s[1:HEAD_LETTERS]) : strlen(s)
after(s) = s[fitting(s) + 1:*]
head_line(s, n) = n == 1 ? s[1:fitting(s)] : head_line(after(s), n - 1)
head_lines(s) = after(s) eq "" ? 1 : 1 + head_lines(after(s))

do for [p = 1:pages] {
output_file = out . "-metrics" . (p == 1 ? "" : sprintf("-%d", p)) . "." . term
first_m = (p - 1) * columns + 1
last_m = p == pages ? words(metric_list) : p * columns
eval OPEN
set multiplot
unset xtics
unset ytics
unset grid
set yrange [steps + 0.5:0.5]

set label 1 page_title . (pages > 1 ? sprintf(" (%d of %d)", p, pages) : "") at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK
legend_x = 0.02
do for [s = RUN:REFERENCE] {
    if (device[s + 1] ne "") {
        set object 10 + s rectangle from screen legend_x, screen 0.884 to screen legend_x + 0.014, screen 0.908 \
            fillcolor rgb series_color(s) fillstyle solid noborder
        set label 10 + s legend(s) at screen legend_x + 0.02, screen 0.896 left font plain(24) textcolor rgb C_INK
        legend_x = legend_x + 0.05 + 0.0068 * strlen(legend(s))
    }
}
do for [r = 1:steps] {
    if (r % 2 == 1) {
        set object 100 + r rectangle from screen 0.008, screen panel_y(r + 0.5) to screen 0.995, screen panel_y(r - 0.5) \
            behind fillcolor rgb "#F4F6F8" fillstyle solid noborder
    }
    set label 100 + r sprintf("%d  %s", r, label[r]) at screen PANEL_NAMES, screen panel_y(r) right font plain(24) \
        textcolor rgb (todo(r) ? C_QUIET : C_INK)
}
do for [m = first_m:last_m] {
    x = column_x(m)
    head = word(metric_list, m)
    do for [n = 1:head_lines(head)] {
        set label 160 + 20 * n + m head_line(head, n) at screen x, screen PANEL_TOP + 0.093 + 0.027 * (head_lines(head) - n) left font bold(22) \
            textcolor rgb C_INK
    }
    set label 240 + m metric_words1(m) at screen x, screen PANEL_TOP + 0.058 left font plain(20) textcolor rgb C_QUIET
    set label 260 + m metric_words2(m) at screen x, screen PANEL_TOP + 0.031 left font plain(20) textcolor rgb C_QUIET
}
set label 30 page_note at screen 0.02, screen 0.042 left font plain(20) textcolor rgb C_QUIET
set label 31 reference_note at screen 0.02, screen 0.016 left font plain(20) textcolor rgb C_BAD

set tmargin at screen PANEL_TOP
set bmargin at screen PANEL_BOTTOM
set border 2
do for [m = first_m:last_m] {
    set lmargin at screen column_x(m)
    set rmargin at screen column_x(m) + 0.92 * column_width
    set xrange [0:panel_end(m)]
    plot sample [r = 1:rows:1] '+' using (0):(r):(0):(metric(RUN, m, $1)):(bar_lo($1, RUN)):(bar_hi($1, RUN)) \
            with boxxyerror linecolor rgb C_RUN, \
        [r = 1:rows:1] '+' using (0):(r):(0):(metric(REFERENCE, m, $1)):(bar_lo($1, REFERENCE)):(bar_hi($1, REFERENCE)) \
            with boxxyerror linecolor rgb C_REFERENCE, \
        for [s = RUN:REFERENCE] [r = 1:rows:1] '+' using (panel_long(s, m, $1) || !have(metric(s, m, $1)) ? NaN : metric(s, m, $1)):($1 + middle(s)):(metric_text(s, m, $1)) \
            with labels left offset character 0.4, 0 font plain(panel_font(s)) textcolor rgb ink(s), \
        for [s = RUN:REFERENCE] [r = 1:rows:1] '+' using (panel_long(s, m, $1) ? metric(s, m, $1) : NaN):($1 + middle(s)):(metric_text(s, m, $1)) \
            with labels right offset character -0.5, 0 font plain(panel_font(s)) textcolor rgb (s == RUN ? "#FFFFFF" : C_INK), \
        for [s = RUN:REFERENCE] [r = 1:rows:1] '+' using (have(metric(s, m, $1)) ? NaN : 0):($1 + middle(s)):(metric_text(s, m, $1)) \
            with labels left offset character 0.4, 0 font plain(panel_font(s)) textcolor rgb C_QUIET
    unset label
    unset object
}
unset multiplot
unset output
}
