# lab12.gp: lab 12's plots: the time of each step, and the steps with streams against their number.
# plots/lab.gp explains the call and the variables; plots/timeline.gp draws what happens at the same
# time.

array page[2]
page[1] = "gld_efficiency        1 100 |% of loaded bytes|that are requested"
page[2] = "achieved_occupancy    1 1   |share of the warps|that fit"

load "plots/inputs.gp"
load "plots/style.gp"
problem_kernel = "vectorAdd"
load "plots/sweep.gp"
sweep_title = "Lab 12: time of each launch"
load "plots/sweeptext.gp"
if (term eq "dumb") { exit }

model_note = modelled ? "Under simt GPU times are modelled; addOnHost and timeByClock read this computer's clock.  " : ""
drawn(s) = s == shown || both
TIC_FONT = plain(20)
hue(s) = s == shown ? C_RUN : C_REFERENCE
in_streams(name) = starts(name, "depthFirst") || starts(name, "breadthFirst")

# ---- A row for each step ----------------------------------------------------------------------

array row_of[LAUNCHES]
row_count = 0
rows_measured = 0
do for [l = 1:launches[shown + 1]] {
    name = kernel[at(shown, l)]
    if (!in_streams(name) || name eq "depthFirst(4)" || name eq "breadthFirst(4)") {
        row_count = row_count + 1
        row_of[row_count] = l
        rows_measured = rows_measured + timed(shown, l)
    }
}
# The recorded launch of the same name.
twin(r) = both ? find_name(REFERENCE, kernel[at(shown, row_of[r])]) : 0
of(s, l, p) = l < 1 ? NaN : p == 1 ? time[at(s, l)] : rate[at(s, l)]

if (rows_measured > 0) {
    output_file = out . "-time." . term
    eval OPEN
    page_title = "Lab 12: the same sum, and what is around it"
    page_note = model_note . (both ? "Dots: recorded.  " : "") . \
        "Bandwidth: bytes of a, b, c over the time.  Logarithmic axes."
    eval HEAD
    eval LEGEND_MARKS
    ROW_TOP = 0.80
    ROW_BOTTOM = 0.11
    set multiplot
    set border 2
    unset ytics
    set grid xtics
    set yrange [row_count + 0.5:0.5]
    set tmargin at screen ROW_TOP
    set bmargin at screen ROW_BOTTOM
    do for [r = 1:row_count] {
        set label label_n kernel[at(shown, row_of[r])] at screen 0.185, screen ROW_TOP - (r - 0.5) * (ROW_TOP - ROW_BOTTOM) / row_count \
            right font plain(22) textcolor rgb C_INK
        label_n = label_n + 1
    }
    bar_log = 1
    do for [p = 1:2] {
        bar_title = p == 1 ? "time, ms (shorter is better)" : "bandwidth, GB/s (longer is better)"
        BAR_L = 0.195 + (p - 1) * 0.40; BAR_R = BAR_L + 0.37
        bar(r) = of(shown, row_of[r], p)
        dot_at(r) = of(REFERENCE, twin(r), p)
        bar_word(r) = "n/a"
        load "plots/bars.gp"
    }
    unset multiplot
    unset output
    eval FOOT
}

# ---- Streams ----------------------------------------------------------------------------------

streams(s, l, name) = drawn(s) && l <= launches[s + 1] && starts(kernel[at(s, l)], name . "(") ? \
    real(kernel[at(s, l)][strlen(name) + 2:strlen(kernel[at(s, l)]) - 1]) : NaN
streams_measured = 0
do for [l = 1:launches[shown + 1]] { streams_measured = streams_measured + (in_streams(kernel[at(shown, l)]) && timed(shown, l)) }
if (streams_measured > 0) {
    output_file = out . "-streams." . term
    eval OPEN
    page_title = "Lab 12: copies and kernels at the same time"
    page_note = "Circles: depth first.  Squares: breadth first.  Dashes: step 7, the same without streams."
    eval HEAD
    eval LEGEND_MARKS
    set border 3
    set grid xtics ytics
    set lmargin at screen 0.08
    set rmargin at screen 0.97
    set tmargin at screen 0.80
    set bmargin at screen 0.14
    set logscale x 2
    set xrange [0.9:18]
    set xtics nomirror (1, 2, 4, 8, 16) font TIC_FONT
    set ytics nomirror font TIC_FONT
    set label 8 "time, ms" at graph 0, graph 1.05 left font bold(24) textcolor rgb C_INK
    set label 7 "streams" at graph 1, graph -0.09 right font bold(24) textcolor rgb C_INK
    panel_value(s, l) = drawn(s) && in_streams(kernel[at(s, l)]) ? time[at(s, l)] : NaN
    eval VALUES_FROM_ZERO
    in_turn(s) = drawn(s) && find_name(s, "pinnedArray") > 0 ? time[at(s, find_name(s, "pinnedArray"))] : NaN
    plot sample [l = 1:2:1] '+' using (NaN):(NaN) with points notitle, \
        for [k = 0:1] [x = 1:16:1] '+' using (x):(in_turn(1 - k)) with lines linewidth 2 dashtype 2 linecolor rgb hue(1 - k) notitle, \
        for [k = 0:1] [l = 1:LAUNCHES:1] '+' using (streams(1 - k, int($1), "depthFirst")):(time[at(1 - k, int($1))]) \
            with linespoints pointtype 7 pointsize dot(9) linewidth 3 linecolor rgb hue(1 - k) notitle, \
        for [k = 0:1] [l = 1:LAUNCHES:1] '+' using (streams(1 - k, int($1), "breadthFirst")):(time[at(1 - k, int($1))]) \
            with linespoints pointtype 4 pointsize dot(13) linewidth 2 linecolor rgb hue(1 - k) notitle
    unset logscale x
    unset output
    eval FOOT
}
