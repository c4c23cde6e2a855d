# lab2.gp: lab 2's plots: heat maps over the shapes of the block, what limits the occupancy, time
# against the number of blocks, and bandwidth against warps. plots/lab.gp explains the call and the
# variables.

array page[3]
page[1] = "achieved_occupancy  1          1 |share of the warp|slots in use"
page[2] = "gld_throughput      1000000000 0 |GB/s loaded,|used or not"
page[3] = "gld_efficiency      1          0 |% of loaded bytes|that are requested"

load "plots/inputs.gp"
load "plots/style.gp"
problem_kernel = "sumMatrix"
load "plots/sweep.gp"
model_note = modelled ? "Under simt times, occupancies and throughputs are modelled, efficiencies counted.  " : ""

sweep_title = "Lab 2: time of each launch"
load "plots/sweeptext.gp"
if (term eq "dumb") { exit }

# ---- Shapes -----------------------------------------------------------------------------------

in_maps(s, l) = kernel[at(s, l)] eq "sumMatrix" || kernel[at(s, l)] eq "sumMatrixRow"
mapped = 0
do for [s = RUN:REFERENCE] { do for [l = 1:launches[s + 1]] { if (in_maps(s, l) && measured(s, l)) { mapped = mapped + 1 } } }
if (mapped > 0) {
output_file = out . "-shapes." . term
eval OPEN
page_title = "Lab 2: the same sum in fifteen shapes of block"
page_note = model_note . "Darker: shorter times, larger figures, in both rows alike."
eval HEAD
BOX_W = 0.0345
BOX_H = 0.052
map_across = "block.x"
map_up = "block.y"
array MAP_X[6] = [8, 16, 32, 64, 128, 256]
array MAP_Y[5] = [2, 4, 8, 16, 32]
map_find(s, x, y) = find(s, map_kernel, x, y)
map_has(s, l) = in_maps(s, l)
array MAP_TITLES[4] = ["time, µs", "achieved_occupancy", "gld_throughput, GB/s", "gld_efficiency, %"]
do for [k = 1:2] {
    TOP_Y = k == 1 ? 0.785 : 0.395
    map_kernel = k == 1 ? "sumMatrix" : "sumMatrixRow"
    set label label_n map_kernel . (k == 1 ? ": block.x walks down the columns" : ": block.x walks along the rows") \
        at screen 0.02, screen TOP_Y + 0.058 left font bold(24) textcolor rgb C_INK
    label_n = label_n + 1
    do for [m = 0:3] {
        LEFT_X = 0.042 + m * 0.25
        map_title = MAP_TITLES[m + 1]
        map_dark_is_low = m == 0
        map_value(s, l) = m == 0 ? 1000 * time[at(s, l)] : value[value_at(s, l, m)]
        load "plots/heatmap.gp"
    }
}
unset border
unset tics
unset grid
set xrange [0:1]
set yrange [0:1]
plot NaN notitle
unset output
eval FOOT
}

# ---- Limits -----------------------------------------------------------------------------------

# The launches of the steps about limits, one a row.
array limit_row[LAUNCHES]
limits = 0
limits_measured = 0
do for [l = 1:launches[shown + 1]] {
    name = kernel[at(shown, l)]
    if (name eq "sumVector" || name eq "sumShared" || starts(name, "registers")) {
        limits = limits + 1
        limit_row[limits] = l
        limits_measured = limits_measured + (measured(shown, l) || (shown == RUN && measured(REFERENCE, l)) ? 1 : 0)
    }
}
if (limits_measured > 0) {
    output_file = out . "-limits." . term
    eval OPEN
    page_title = "Lab 2: warps that a multiprocessor holds, and the time"
    page_note = model_note . (both ? "Dots: recorded." : "")
    eval HEAD
    eval LEGEND_MARKS
    row_count = limits
    # The recorded launch in the same place; recordings of other problems are dropped.
    twin(r) = both && limit_row[r] <= launches[REFERENCE + 1] ? limit_row[r] : 0
    ROW_TOP = 0.80
    ROW_BOTTOM = 0.12
    set multiplot
    set yrange [limits + 0.5:0.5]
    set border 2
    unset ytics
    set grid xtics
    set tmargin at screen ROW_TOP
    set bmargin at screen ROW_BOTTOM
    do for [r = 1:limits] {
        l = at(shown, limit_row[r])
        set label label_n sprintf("%s, blocks of %d", kernel[l], block_x[l]) at screen 0.245, \
            screen ROW_TOP - (r - 0.5) * (ROW_TOP - ROW_BOTTOM) / limits right font plain(22) textcolor rgb C_INK
        label_n = label_n + 1
    }
    TIC_FONT = plain(20)
    bar_log = 0
    bar_title = "achieved_occupancy"
    BAR_L = 0.255; BAR_R = 0.59
    bar(r) = value[value_at(shown, limit_row[r], 1)]
    dot_at(r) = twin(r) > 0 ? value[value_at(REFERENCE, twin(r), 1)] : NaN
    bar_word(r) = "n/a"
    load "plots/bars.gp"
    bar_title = "time, ms (shorter is better)"
    BAR_L = 0.63; BAR_R = 0.97
    bar(r) = time[at(shown, limit_row[r])]
    dot_at(r) = twin(r) > 0 ? time[at(REFERENCE, twin(r))] : NaN
    bar_word(r) = state[at(shown, limit_row[r])] eq "ok" ? "n/a" : short(state[at(shown, limit_row[r])], 20)
    load "plots/bars.gp"
    unset multiplot
    unset output
    eval FOOT
}

# ---- Waves ------------------------------------------------------------------------------------

# The last launch is three whole waves.
WAVES = 3
wave_of(s, l) = kernel[at(s, l)] eq "wave"
wave_time(s, l) = l <= launches[s + 1] && wave_of(s, l) ? 1000 * time[at(s, l)] : NaN
per_block(s, l) = wave_time(s, l) * 1000 / grid_x[at(s, l)]
wave_blocks(s, l) = wave_of(s, l) ? grid_x[at(s, l)] : NaN
last = 0
waves_timed = 0
do for [s = RUN:REFERENCE] {
    do for [l = 1:launches[s + 1]] {
        if (wave_of(s, l)) { last = larger(last, grid_x[at(s, l)]); waves_timed = waves_timed + timed(s, l) }
    }
}
WAVE_LINES = 'plot sample [l = 1:2:1] "+" using (NaN):(NaN) with points notitle, \
    for [k = 0:1] [l = 1:LAUNCHES:1] "+" using (wave_blocks(1 - k, int($1))):(panel_value(1 - k, int($1))) \
        with linespoints pointtype 7 pointsize dot(5) linewidth 3 linecolor rgb (k == 0 ? C_REFERENCE : C_RUN) notitle'
if (waves_timed > 0) {
    output_file = out . "-waves." . term
    eval OPEN
    page_title = "Lab 2: waves of blocks, and their tails"
    page_note = (modelled ? "Modelled times come from simt's time model.  " : "") . "A wave: as many blocks as the device holds at once."
    eval HEAD
    eval LEGEND_MARKS
    set multiplot
    set border 3
    set tmargin at screen 0.80
    set lmargin at screen 0.09
    set rmargin at screen 0.97
    set grid ytics xtics
    TIC_FONT = plain(20)
    set xtics nomirror last / WAVES font TIC_FONT
    set ytics nomirror font TIC_FONT
    set format x "%.0f"
    set xrange [0:last * 1.03]
    panel_value(s, l) = wave_time(s, l)
    eval VALUES_FROM_ZERO
    set bmargin at screen 0.50
    set label 5 "time, µs" at screen 0.09, screen 0.825 left font bold(24) textcolor rgb C_INK
    eval WAVE_LINES
    eval FOOT
    set tmargin at screen 0.39
    set bmargin at screen 0.15
    panel_value(s, l) = per_block(s, l)
    eval VALUES_FROM_ZERO
    set label 5 "time over the number of blocks, ns" at screen 0.09, screen 0.415 left font bold(24) textcolor rgb C_INK
    set label 7 "blocks of the launch (a line at each whole wave)" at screen 0.97, screen 0.085 right font plain(22) textcolor rgb C_INK
    eval WAVE_LINES
    unset multiplot
    unset output
    eval FOOT
}

# ---- Loads in flight --------------------------------------------------------------------------

# The step's launches: at each of LEVELS numbers of warps one, two and four words a thread. The
# smallest grid has 4 warps on each multiprocessor.
LEVELS = 5
WORDS = 3
is_load(s, l) = l > 0 && l <= launches[s + 1] && starts(kernel[at(s, l)], "sumLoads(")
first_load(s) = sum [l = 1:LAUNCHES] (is_load(s, l) && !is_load(s, l - 1) ? l : 0)
load_launch(s, words, level) = first_load(s) + WORDS * (level - 1) + words - 1
load_rate(s, words, level) = is_load(s, load_launch(s, words, level)) ? rate[at(s, load_launch(s, words, level))] : NaN
load_warps(s, words, level) = is_load(s, load_launch(s, words, level)) ? \
    4.0 * grid_x[at(s, load_launch(s, words, level))] / grid_x[at(s, first_load(s))] : NaN
loads_timed = 0
do for [s = RUN:REFERENCE] { do for [l = 1:launches[s + 1]] { loads_timed = loads_timed + (is_load(s, l) ? timed(s, l) : 0) } }
if (loads_timed > 0) {
    output_file = out . "-loads." . term
    eval OPEN
    page_title = "Lab 2: bandwidth, by warps and by words that each thread waits for"
    page_note = (modelled ? "Modelled times come from simt's time model.  " : "") . "Bandwidth: the bytes of the array, over the time."
    eval HEAD
    eval LEGEND_MARKS
    set border 3
    set tmargin at screen 0.80
    set bmargin at screen 0.15
    set lmargin at screen 0.09
    set rmargin at screen 0.90
    set grid ytics xtics
    TIC_FONT = plain(20)
    set logscale x 2
    set xrange [3.5:74]
    set xtics nomirror 2 font TIC_FONT
    set ytics nomirror autofreq font TIC_FONT
    set format x "%.0f"
    set format y "%.0f"
    set yrange [0:*]
    set label 5 "GB/s (higher is better)" at screen 0.09, screen 0.825 left font bold(24) textcolor rgb C_INK
    set label 7 "active warps on each multiprocessor" at screen 0.90, screen 0.085 right font plain(22) textcolor rgb C_INK
    plot sample [level = 1:2:1] "+" using (NaN):(NaN) with points notitle, for [c = 0:2 * WORDS - 1] [level = 1:LEVELS:1] "+" using (load_warps(1 - c / WORDS, c % WORDS + 1, int($1))): \
        (load_rate(1 - c / WORDS, c % WORDS + 1, int($1))) with linespoints pointtype 7 pointsize dot(5) linewidth 3 \
        linecolor rgb (c < WORDS ? C_REFERENCE : C_RUN) notitle, \
        for [w = 1:WORDS] [level = LEVELS:LEVELS + 1:1] "+" using (int($1) > LEVELS ? NaN : load_warps(shown, w, LEVELS)): \
        (load_rate(shown, w, LEVELS)):(word("1 2 4", w) . (w == 1 ? " word" : " words")) with labels left offset character 1, 0 \
        font plain(20) textcolor rgb C_INK notitle
    unset logscale
    unset output
    eval FOOT
}
