# bars.gp: a panel with a row for each launch: a bar for the shown series, a dot for the recording
# beside it, and after both their figures in their colours, the bar's first. Needs sweep.gp, the
# page's yrange [row_count + 0.5:0.5] and tmargin and bmargin at ROW_TOP and ROW_BOTTOM, and
#   row_count, both       rows; is there a recording beside the run?
#   bar(r), dot_at(r)     their figures in row r; NaN: none
#   bar_word(r)           instead of a bar's missing figure
#   BAR_L, BAR_R          the panel, in fractions of the page
#   bar_title, bar_log    above the panel; 1: its axis is logarithmic

bar_least = NaN
bar_most = NaN
do for [r = 1:row_count] {
    do for [k = 1:2] {
        v = k == 1 ? bar(r) : dot_at(r)
        if (have(v) && (v > 0 || !bar_log)) { bar_least = -larger(-bar_least, -v); bar_most = larger(bar_most, v) }
    }
}
if (!have(bar_most) || bar_most <= 0) { bar_least = 1.0; bar_most = 1.0 }
FIGURE = 0.0067 # width of a digit
bar_room = (both ? 15 : 8) * FIGURE / (BAR_R - BAR_L) # that figures need, in fractions of the panel
if (bar_log) {
    bar_from = bar_least / 2
    bar_to = bar_from * (bar_most / bar_from) ** (1 / (1 - bar_room))
    set logscale x 10
    set xtics nomirror 10 font TIC_FONT
} else {
    bar_from = 0
    bar_to = bar_most / (1 - bar_room)
    set xtics nomirror tic_step(bar_to, 4) font TIC_FONT
}
set xrange [bar_from:bar_to]
set format x "%g"
set lmargin at screen BAR_L
set rmargin at screen BAR_R
bar_x(v) = BAR_L + (BAR_R - BAR_L) * (!have(v) || v <= bar_from ? 0 : bar_log ? log(v / bar_from) / log(bar_to / bar_from) : v / bar_to)
set label label_n bar_title at screen BAR_L, screen ROW_TOP + 0.025 left font bold(24) textcolor rgb C_INK
label_n = label_n + 1
do for [r = 1:row_count] {
    x = bar_x(larger(bar(r), dot_at(r))) + FIGURE
    y = ROW_TOP - (r - 0.5) * (ROW_TOP - ROW_BOTTOM) / row_count
    words = have(bar(r)) ? figure(bar(r)) : bar_word(r)
    set label label_n words at screen x, screen y left font plain(20) textcolor rgb C_RUN
    set label label_n + 1 (have(dot_at(r)) ? figure(dot_at(r)) : "") at screen x + FIGURE * (strlen(words) + 1), screen y left font plain(20) \
        textcolor rgb "#8A5A00"
    label_n = label_n + 2
}
bar_rows = row_count < 2 ? 2 : row_count # gnuplot 5.4 can crash on a sampled range of one
here(r) = int(r) <= row_count
plot sample [r = 1:bar_rows:1] '+' using (bar_from):(r):(bar_from):(here($1) ? bar(int($1)) : NaN):(r - 0.3):(r + 0.3) with boxxyerror \
        linecolor rgb C_RUN notitle, \
    [r = 1:bar_rows:1] '+' using (here($1) ? dot_at(int($1)) : NaN):(r) with points pointtype 7 pointsize dot(7) linecolor rgb "white" notitle, \
    [r = 1:bar_rows:1] '+' using (here($1) ? dot_at(int($1)) : NaN):(r) with points pointtype 7 pointsize dot(5) linecolor rgb C_REFERENCE notitle
unset label
unset logscale x
