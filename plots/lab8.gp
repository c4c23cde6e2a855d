# lab8.gp: lab 8's plots: passes over the banks and the time of a load, by stride and by the width
# of the words. plots/lab.gp explains the call and the variables.

array page[3]
page[1] = "shared_load_transactions_per_request   1 0 |passes over the|banks a load takes"
page[2] = "shared_store_transactions_per_request  1 0 |passes over the|banks a store takes"
page[3] = "shared_ld_bank_conflict                1 0 |passes too many,|loads"

load "plots/inputs.gp"
load "plots/style.gp"
problem_kernel = "read32(1)"
load "plots/sweep.gp"
sweep_title = "Lab 8: time of each launch"
load "plots/sweeptext.gp"
if (term eq "dumb") { exit }

model_note = modelled ? "Under simt passes are counted, times modelled.  " : ""
drawn(s) = s == shown || both

# The stride in the brackets of a launch's name, if it is of this kernel.
stride(s, l, name) = drawn(s) && l <= launches[s + 1] && starts(kernel[at(s, l)], name . "(") ? \
    real(kernel[at(s, l)][strlen(name) + 2:strlen(kernel[at(s, l)]) - 1]) : NaN
# Nanoseconds for one load of a warp, of words this wide: 32 of them, over the bandwidth.
ns(s, l, bytes) = 32 * bytes / rate[at(s, l)]
hue(s) = s == shown ? C_RUN : C_REFERENCE
TIC_FONT = plain(20)

# Launches with values for the first page, and for the second, which has wider words, too.
words_measured = 0
wider_measured = 0
do for [s = RUN:REFERENCE] {
    do for [l = 1:launches[s + 1]] {
        if (drawn(s) && measured(s, l)) {
            words_measured = words_measured + (have(stride(s, l, "read32")) || have(stride(s, l, "chase32")))
            wider_measured = wider_measured + (starts(kernel[at(s, l)], "read") || starts(kernel[at(s, l)], "chase"))
        }
    }
}

# ---- Words of 4 bytes, all strides ------------------------------------------------------------

output_file = out . "-stride." . term
if (words_measured > 0) {
eval OPEN
page_title = "Lab 8: 32 lanes, by stride"
page_note = model_note . "A load alone: each waits for the one before it.  Loads in parallel: 32 warps keep the banks busy."
eval HEAD
eval LEGEND_MARKS
set multiplot
set border 3
set grid xtics ytics
set xrange [0:34]
set xtics nomirror 0, 4, 32 font TIC_FONT
set lmargin at screen 0.06
set rmargin at screen 0.97
set tmargin at screen 0.80
set bmargin at screen 0.52
set yrange [0:36]
set ytics nomirror 8 font TIC_FONT
set label 6 "passes a load (shared_load_transactions_per_request)" at graph 0, graph 1.09 left font bold(24) textcolor rgb C_INK
plot sample [l = 1:2:1] '+' using (NaN):(NaN) with points notitle, \
    [l = 1:LAUNCHES:1] '+' using (stride(shown, int($1), "read32")):(value[value_at(shown, int($1), 1)]) \
        with impulses linewidth 12 linecolor rgb C_RUN notitle, \
    [l = 1:LAUNCHES:1] '+' using (both ? stride(REFERENCE, int($1), "read32") : NaN):(value[value_at(REFERENCE, int($1), 1)]) \
        with points pointtype 7 pointsize dot(5) linecolor rgb C_REFERENCE notitle
unset label
set tmargin at screen 0.41
set bmargin at screen 0.13
panel_value(s, l) = have(stride(s, l, "chase32")) || have(stride(s, l, "read32")) ? ns(s, l, 4) : NaN
eval VALUES_FROM_ZERO
if (have(panel_most)) { set yrange [0.3:*] } else { set yrange [0.3:100] }
set logscale y
set ytics nomirror autofreq font TIC_FONT
set label 6 "ns a load: circles alone, squares in parallel" at graph 0, graph 1.09 left font bold(24) textcolor rgb C_INK
set label 7 "stride, words" at graph 1, graph -0.22 right font plain(22) textcolor rgb C_INK
plot sample [l = 1:2:1] '+' using (NaN):(NaN) with points notitle, \
    for [k = 0:1] [l = 1:LAUNCHES:1] '+' using (stride(1 - k, int($1), "chase32")):(ns(1 - k, int($1), 4)) \
        with points pointtype 7 pointsize dot(5) linecolor rgb hue(1 - k) notitle, \
    for [k = 0:1] [l = 1:LAUNCHES:1] '+' using (stride(1 - k, int($1), "read32")):(ns(1 - k, int($1), 4)) \
        with points pointtype 5 pointsize dot(5) linecolor rgb hue(1 - k) notitle
unset logscale y
unset label
unset multiplot
unset output
eval FOOT
}

# ---- Wider words, some strides ----------------------------------------------------------------

output_file = out . "-width." . term
if (wider_measured > 0) {
eval OPEN
page_title = "Lab 8: words of 4, 8 and 16 bytes"
page_note = model_note . "Stride in words of that width."
eval HEAD
eval LEGEND_MARKS
set multiplot
set logscale x 2
set xrange [0.9:36]
set xtics nomirror (1, 2, 3, 4, 8, 16, 32) font TIC_FONT
array BYTES[3] = [4, 8, 16]
do for [w = 1:3] {
    read_name = sprintf("read%d", 8 * BYTES[w])
    chase_name = sprintf("chase%d", 8 * BYTES[w])
    set lmargin at screen 0.06 + (w - 1) * 0.32
    set rmargin at screen 0.31 + (w - 1) * 0.32
    do for [line = 1:3] {
        set tmargin at screen (line == 1 ? 0.80 : line == 2 ? 0.555 : 0.31)
        set bmargin at screen (line == 1 ? 0.63 : line == 2 ? 0.385 : 0.13)
        set label 6 (line == 1 ? sprintf("%d bytes: passes a load", BYTES[w]) : line == 2 ? "ns a load, in parallel" : "ns a load, alone") \
            at graph 0, graph 1.11 left font bold(22) textcolor rgb C_INK
        of(s, l) = line == 1 ? value[value_at(s, l, 1)] : ns(s, l, BYTES[w])
        name = line == 3 ? chase_name : read_name
        panel_value(s, l) = have(stride(s, l, name)) ? of(s, l) : NaN
        eval VALUES_FROM_ZERO
        set ytics nomirror autofreq font TIC_FONT
        if (line == 1) { set yrange [0:36] }
        if (line == 1) { set ytics nomirror 8 font TIC_FONT }
        plot sample [l = 1:2:1] '+' using (NaN):(NaN) with points notitle, \
            for [k = 0:1] [l = 1:LAUNCHES:1] '+' using (stride(1 - k, int($1), name)):(of(1 - k, int($1))) \
                with points pointtype 7 pointsize dot(6) linecolor rgb hue(1 - k) notitle
        unset label
    }
}
unset logscale x
unset multiplot
unset output
}
