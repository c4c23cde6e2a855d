# ladder.gp: the chart of times. A row for each step: its time (shorter is better), its bandwidth
# (longer is better, up to the memory's peak), and the speed-up over the first step. Needs style.gp,
# read.gp, rows.gp, page_title, ladder_note, bounds, bounds_note, output_file.

# ---- Layout, in fractions of the page ---------------------------------------------------------

TOP = 0.80
NAMES = 0.235  # kernel names end here
TIME_L = 0.245; TIME_R = 0.535
RATE_L = 0.565; RATE_R = 0.875
GAIN = 0.96    # speed-ups end here
row_height = steps < 6 ? 0.11 : (TOP - 0.125) / steps
BOTTOM = TOP - steps * row_height
screen_y(r) = TOP - (r - 0.5) * row_height

# One thick bar a row, or two: the run's above the recorded one. Centres and half heights are in
# rows.
middle(s) = !two ? 0 : s == REFERENCE ? 0.20 : -0.18
half(s) = !two ? 0.27 : s == REFERENCE ? 0.13 : 0.19
bar_font(s) = s == REFERENCE ? (two ? 20 : 24) : 24
series_color(s) = s == REFERENCE ? C_REFERENCE : C_RUN
ink(s) = s == REFERENCE ? "#8A5A00" : C_RUN

# A label is after its bar, or inside the end of a long one.
time_end = 1.05 * slowest * scale
top_peak = larger(peak[RUN + 1], peak[REFERENCE + 1])
rate_end = have(larger(fastest_rate, top_peak)) ? 1.04 * larger(fastest_rate, top_peak) : 1
if (rate_end <= 0) { rate_end = 1 }
long(x, end) = have(x) && x > 0.74 * end
# The label is beyond a time's whisker, or before it.
whisker_from(r, s) = have(least[cell(s, r)]) && have(time[cell(s, r)]) ? least[cell(s, r)] : shown_time(r, s)
whisker_to(r, s) = larger(zero(shown_time(r, s)), most[cell(s, r)])
label_within(r, s) = long(whisker_to(r, s) * scale, time_end) && whisker_from(r, s) * scale > 0.26 * time_end

# ---- Drawing ----------------------------------------------------------------------------------

eval OPEN
set multiplot
set yrange [steps + 0.5:0.5]
unset ytics

# Bands behind every second row, names, speed-ups.
do for [r = 1:steps] {
    if (r % 2 == 1) {
        set object 100 + r rectangle from screen 0.012, screen screen_y(r + 0.5) to screen 0.985, screen screen_y(r - 0.5) \
            behind fillcolor rgb "#F4F6F8" fillstyle solid noborder
    }
    set label 100 + r sprintf("%d  %s", r, label[r]) at screen NAMES, screen screen_y(r) right font plain(24) \
        textcolor rgb (todo(r) ? C_QUIET : C_INK)
    set label 200 + r gain_text(r, RUN) at screen GAIN, screen screen_y(r + middle(RUN)) right font bold(24) textcolor rgb C_RUN
    set label 300 + r gain_text(r, REFERENCE) at screen GAIN, screen screen_y(r + middle(REFERENCE)) right \
        font plain(bar_font(REFERENCE)) textcolor rgb ink(REFERENCE)
}

# Title, legend, notes.
set label 1 page_title at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK
legend_x = 0.02
do for [s = RUN:REFERENCE] {
    if (device[s + 1] ne "") {
        set object 10 + s rectangle from screen legend_x, screen 0.884 to screen legend_x + 0.014, screen 0.908 \
            fillcolor rgb series_color(s) fillstyle solid noborder
        set label 10 + s legend(s) at screen legend_x + 0.02, screen 0.896 left font plain(24) textcolor rgb C_INK
        legend_x = legend_x + 0.05 + 0.0068 * strlen(legend(s))
    }
}
if (waiting > 0) {
    todo_words = device[GOAL + 1] ne "" ? "to do: what the solution reaches" : "to do"
    # On a separate line if the devices' names leave no room.
    legend_y = legend_x + 0.02 + 0.0068 * strlen(todo_words) < 1 ? 0.896 : 0.862
    if (legend_y < 0.896) { legend_x = 0.02 }
    set object 13 rectangle from screen legend_x, screen legend_y - 0.012 to screen legend_x + 0.014, screen legend_y + 0.012 \
        fillcolor rgb C_TODO fillstyle solid noborder
    set label 13 todo_words at screen legend_x + 0.02, screen legend_y left \
        font plain(24) textcolor rgb C_INK
}
set label 20 sprintf("time, %s (shorter is better)", unit) at screen TIME_L, screen TOP + 0.025 left font bold(24) textcolor rgb C_INK
set label 21 (rate_unit eq "GB/s" ? "bandwidth" : "arithmetic") . ", " . rate_unit . " (longer is better)" at screen RATE_L, screen TOP + 0.025 left font bold(24) textcolor rgb C_INK
set label 22 "speed-up" at screen GAIN + 0.015, screen TOP + 0.025 right font bold(24) textcolor rgb C_INK
modelled = clock[1] eq "modelled" || (device[1] eq "" && clock[2] eq "modelled")
set label 30 (modelled ? "Modelled times come from simt's time model, measured ones from the GPU's own clock.  " : "") . \
    ladder_note \
    at screen 0.02, screen 0.042 left font plain(20) textcolor rgb C_QUIET
set label 31 reference_note at screen 0.02, screen 0.018 left font plain(20) textcolor rgb C_BAD
set label 32 bounds_note at screen RATE_L, screen 0.018 left font plain(20) textcolor rgb C_QUIET

# One panel: bars of both series from their shown_ values, whiskers for measured times, labels.
bar_lo(r, s) = r + middle(s) - half(s)
bar_hi(r, s) = r + middle(s) + half(s)
run_color(r) = todo(r) ? 0xC4C8CC : 0x0072B2
text_color(r, s, inside) = inside ? (s == RUN && !todo(r) ? 0xFFFFFF : 0x202428) : \
    s == RUN ? (bad(r) ? 0xD55E00 : todo(r) || absent(r) ? 0x6A7178 : 0x0072B2) : 0x8A5A00
zero(x) = have(x) ? x : 0

set tmargin at screen TOP
set bmargin at screen BOTTOM
set lmargin at screen TIME_L
set rmargin at screen TIME_R
set border 2
TIC_FONT = plain(20)
set xtics font TIC_FONT
set xrange [0:time_end]
set xtics tic_step(time_end, 6)
plot sample [r = 1:rows:1] '+' using (0):(r):(0):(shown_time($1, RUN) * scale):(bar_lo($1, RUN)):(bar_hi($1, RUN)):(run_color($1)) \
        with boxxyerror linecolor rgb variable, \
    [r = 1:rows:1] '+' using (0):(r):(0):(shown_time($1, REFERENCE) * scale):(bar_lo($1, REFERENCE)):(bar_hi($1, REFERENCE)) \
        with boxxyerror linecolor rgb C_REFERENCE, \
    for [s = RUN:REFERENCE] [r = 1:rows:1] '+' using (time[cell(s, $1)] * scale):($1 + middle(s)):(least[cell(s, $1)] * scale):(most[cell(s, $1)] * scale) \
        with xerrorbars pointtype -1 linecolor rgb C_INK linewidth 1.5, \
    for [s = RUN:REFERENCE] [r = 1:rows:1] '+' using (label_within($1, s) ? NaN : whisker_to($1, s) * scale):($1 + middle(s)):(time_text($1, s)):(text_color($1, s, 0)) \
        with labels left offset character 0.6, 0 font plain(bar_font(s)) textcolor rgb variable, \
    for [s = RUN:REFERENCE] [r = 1:rows:1] '+' using (label_within($1, s) ? whisker_from($1, s) * scale : NaN):($1 + middle(s)):(time_text($1, s)):(text_color($1, s, 1)) \
        with labels right offset character -0.8, 0 font plain(bar_font(s)) textcolor rgb variable

unset label
unset object
set lmargin at screen RATE_L
set rmargin at screen RATE_R
set xrange [0:rate_end]
set xtics tic_step(rate_end, 6)
# A line across rows is a dash between each two of them, so that it strikes no label through.
arrow_n = 40
DASHES = 'do for [r = dash_from:steps] { set arrow arrow_n from first dash_x, first r + 0.36 to first dash_x, first r + 0.60 nohead front \
    linecolor rgb dash_ink linewidth 3; arrow_n = arrow_n + 1 }'
do for [s = RUN:REFERENCE] {
    if (have(peak[s + 1]) && device[s + 1] ne "" && (s == RUN || peak[s + 1] != peak[1] || device[1] eq "")) {
        dash_x = peak[s + 1]
        dash_ink = peak[1] == peak[2] || device[2] eq "" ? C_INK : ink(s)
        dash_from = 0
        eval DASHES
        set label 40 + s sprintf("peak %s %s", figure(peak[s + 1]), rate_unit) at first peak[s + 1], screen BOTTOM - 0.05 center font bold(20) \
            textcolor rgb dash_ink
    }
}
# A bound's line goes through all steps below its own.
do for [b = 1:words(bounds)] {
    bound = int(word(bounds, b))
    do for [s = RUN:REFERENCE] {
        if (have(shown_rate(bound, s))) {
            dash_x = shown_rate(bound, s)
            dash_ink = s == RUN ? C_RUN : ink(s)
            dash_from = bound
            eval DASHES
        }
    }
}
plot sample [r = 1:rows:1] '+' using (0):(r):(0):(shown_rate($1, RUN)):(bar_lo($1, RUN)):(bar_hi($1, RUN)):(run_color($1)) \
        with boxxyerror linecolor rgb variable, \
    [r = 1:rows:1] '+' using (0):(r):(0):(shown_rate($1, REFERENCE)):(bar_lo($1, REFERENCE)):(bar_hi($1, REFERENCE)) \
        with boxxyerror linecolor rgb C_REFERENCE, \
    for [s = RUN:REFERENCE] [r = 1:rows:1] '+' using (long(shown_rate($1, s), rate_end) ? NaN : zero(shown_rate($1, s))):($1 + middle(s)):(rate_text($1, s)):(text_color($1, s, 0)) \
        with labels left offset character 0.6, 0 font plain(bar_font(s)) textcolor rgb variable, \
    for [s = RUN:REFERENCE] [r = 1:rows:1] '+' using (long(shown_rate($1, s), rate_end) ? shown_rate($1, s) : NaN):($1 + middle(s)):(rate_text($1, s)):(text_color($1, s, 1)) \
        with labels right offset character -0.6, 0 font plain(bar_font(s)) textcolor rgb variable
unset arrow
unset label
unset multiplot
unset output
