# lab7.gp: lab 7's plots: sectors and bandwidth against offset and stride, then sectors and times of
# the other launches. plots/lab.gp explains the call and the variables.

array page[4]
page[1] = "gld_transactions_per_request  1       0 |sectors that a|load touches"
page[2] = "gst_transactions_per_request  1       0 |sectors that a|store touches"
page[3] = "gld_transactions              1000000 0 |million sectors|for all loads"
page[4] = "inst_executed_global_reductions  1000 0 |thousand atomic|operations"

load "plots/inputs.gp"
load "plots/style.gp"
problem_kernel = "copyFloat"
load "plots/sweep.gp"
sweep_title = "Lab 7: time of each launch"
load "plots/sweeptext.gp"
if (term eq "dumb") { exit }

model_note = modelled ? "Under simt sectors are counted; times, and bandwidths from them, are modelled.  " : ""
hue(s) = s == shown ? C_RUN : C_REFERENCE

# ---- Offsets and strides ----------------------------------------------------------------------

# The number in the brackets of a launch's name, if it is of this kernel.
argument(s, l, name) = starts(kernel[at(s, l)], name . "(") ? real(kernel[at(s, l)][strlen(name) + 2:strlen(kernel[at(s, l)]) - 1]) : NaN
drawn(s) = s == shown || both
across(s, l, name) = drawn(s) && l <= launches[s + 1] ? argument(s, l, name) : NaN

in_sweep(s, l) = starts(kernel[at(s, l)], "offset") || starts(kernel[at(s, l)], "stride")
swept = 0
do for [s = RUN:REFERENCE] { do for [l = 1:launches[s + 1]] { if (drawn(s) && in_sweep(s, l) && measured(s, l)) { swept = swept + 1 } } }
if (swept > 0) {
output_file = out . "-sectors." . term
eval OPEN
page_title = "Lab 7: what a request costs, by offset and by stride"
page_note = model_note . "Dots: loads.  Squares: stores.  Bandwidth: bytes that threads request, over the time."
eval HEAD
eval LEGEND_MARKS
set multiplot
set border 3
set grid xtics ytics
TIC_FONT = plain(20)
set ytics nomirror font TIC_FONT
# Between two offsets lies nothing that a line could show: half steps, which are no launches,
# interrupt it.
whole(l) = l == int(l) ? int(l) : LAUNCHES + 1
array SWEEP[2] = ["offset", "stride"]
do for [column = 1:2] {
    load_kernel = SWEEP[column] . "Load"
    store_kernel = SWEEP[column] . "Store"
    pace = column == 1 ? 0.5 : 1
    set lmargin at screen (column == 1 ? 0.06 : 0.55)
    set rmargin at screen (column == 1 ? 0.48 : 0.97)
    if (column == 1) {
        unset logscale x
        set xrange [-0.5:32.5]
        set xtics nomirror 0, 4, 32 font TIC_FONT
    } else {
        set logscale x 2
        set xrange [0.95:34]
        set xtics nomirror (1, 2, 3, 4, 5, 6, 7, 8, 16, 32) font TIC_FONT
    }
    do for [line = 1:2] {
        set tmargin at screen (line == 1 ? 0.80 : 0.42)
        set bmargin at screen (line == 1 ? 0.53 : 0.13)
        set label 6 (line == 1 ? "sectors a request" : "GB/s that threads ask for") at graph 0, graph 1.09 left font bold(24) textcolor rgb C_INK
        set label 7 (line == 2 ? SWEEP[column] . ", words" : "") at graph 1, graph -0.22 right font plain(22) textcolor rgb C_INK
        of(s, l, m) = line == 1 ? value[value_at(s, l, m)] : rate[at(s, l)]
        panel_value(s, l) = !drawn(s) ? NaN : starts(kernel[at(s, l)], load_kernel . "(") ? of(s, l, 1) : \
            starts(kernel[at(s, l)], store_kernel . "(") ? of(s, l, 2) : NaN
        eval VALUES_FROM_ZERO
        if (line == 1) { set yrange [0:(column == 1 ? 6 : 36)] }
        # The recording below, the run on top of it.
        plot sample [l = 1:2:1] '+' using (NaN):(NaN) with points notitle, \
            for [k = 0:1] [l = 1:LAUNCHES:pace] '+' using (across(1 - k, whole($1), load_kernel)):(of(1 - k, int($1), 1)) \
                with linespoints pointtype 7 pointsize dot(5) linewidth 3 linecolor rgb hue(1 - k) notitle, \
            for [k = 0:1] [l = 1:LAUNCHES:pace] '+' using (across(1 - k, whole($1), store_kernel)):(of(1 - k, int($1), 2)) \
                with linespoints pointtype 4 pointsize dot(9) linewidth 2 linecolor rgb hue(1 - k) notitle
        unset label
    }
}
unset logscale x
unset multiplot
unset output
eval FOOT
}

# ---- The other launches, one a row ------------------------------------------------------------

array row_of[LAUNCHES]
row_count = 0
rows_measured = 0
do for [l = 1:launches[shown + 1]] {
    if (!in_sweep(shown, l)) {
        row_count = row_count + 1
        row_of[row_count] = l
        rows_measured = rows_measured + (measured(shown, l) || (both && measured(REFERENCE, find_name(REFERENCE, kernel[at(shown, l)]))) ? 1 : 0)
    }
}
if (rows_measured > 0) {
    output_file = out . "-time." . term
    eval OPEN
    page_title = "Lab 7: what the other kernels move, and how long they take"
    page_note = model_note . (both ? "Dots: recorded.  " : "") . "n/a: not counted there, or not used."
    eval HEAD
    eval LEGEND_MARKS
    ROW_TOP = 0.80
    ROW_BOTTOM = 0.12
    array PANEL_TITLE[3] = ["sectors a load", "million sectors, loads", "time, µs (logarithmic)"]
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
    # The recorded launch of the same name.
    twin(r) = both ? find_name(REFERENCE, kernel[at(shown, row_of[r])]) : 0
    quantity(s, l, p) = l < 1 ? NaN : p == 3 ? 1000 * time[at(s, l)] : value[value_at(s, l, p == 1 ? 1 : 3)]
    do for [p = 1:3] {
        bar_title = PANEL_TITLE[p]
        BAR_L = 0.195 + (p - 1) * 0.27; BAR_R = BAR_L + 0.235
        bar_log = p == 3 # atomics on a few words take a hundred times as long as the rest
        bar(r) = quantity(shown, row_of[r], p)
        dot_at(r) = quantity(REFERENCE, twin(r), p)
        bar_word(r) = "n/a"
        load "plots/bars.gp"
    }
    unset multiplot
    unset output
    eval FOOT
}
