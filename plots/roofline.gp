# roofline.gp: each step's operations a second against its operations for each loaded byte, on
# logarithmic axes, with the device's roofs: the flat one is its arithmetic, the slanted ones are
# the memories that serve loads. Needs style.gp, read.gp and rows.gp with rate_unit GFLOP/s, the
# metrics flop_count_sp and gld_transactions, page_title and output_file.

SECTOR = 32 # bytes that gld_transactions counts by
L1_BYTES = 128 # that a multiprocessor's first-level cache delivers in a clock cycle

# The run if it was profiled, else the recording.
flops = which("flop_count_sp")
loads = which("gld_transactions")
intensity(s, r) = value[metric_cell(s, flops, r)] / (SECTOR * value[metric_cell(s, loads, r)])
placed_text(s, r) = have(intensity(s, r)) ? figure(intensity(s, r)) : ""
# A number that would cover those of earlier steps is to the right of its point; a line leads to it.
covers(s, q, r) = q < r && intensity(s, q) == intensity(s, r) && abs(log(rate[cell(s, q)] / rate[cell(s, r)])) < 0.26
array moved[LIMIT]
place(s, r) = intensity(s, r) * 1.2 ** moved[int(r)]
placed(s) = sum [placed_r = 1:steps] (have(intensity(s, placed_r)) && have(rate[cell(s, placed_r)]) ? 1 : 0)
s = placed(RUN) > 0 ? RUN : REFERENCE
do for [r = 1:LIMIT] {
    moved[r] = 0
    do for [q = 1:steps] { if (r <= steps && covers(s, q, r)) { moved[r] = larger(moved[r], moved[q] + 1) } }
}

# Roofs, from gpus.tsv.
array roof[3]
array roof_name[3]
roof_name[1] = "GPU memory"; roof_name[2] = "L2 cache"; roof_name[3] = "L1 caches"
do for [b = 1:3] { roof[b] = NaN }
set xrange [*:*]
set yrange [*:*]
eval READ_GPU
roof[1] = memory_peak(gpu("memory_clock_mhz"), gpu("memory_bus_bits"))
roof[2] = 1e-3 * gpu("l2_bytes_per_cycle") * gpu("clock_mhz")
roof[3] = 1e-3 * L1_BYTES * gpu("sms") * gpu("clock_mhz")
top = peak[s + 1]

ROOF_L = 0.075; ROOF_R = 0.645; ROOF_B = 0.13; ROOF_T = 0.83
LIST_X = 0.675
LEFT_END = 0.1; RIGHT_END = 100

if (placed(s) > 0 && have(top)) {
    # From below the memory's roof and the slowest step to above the arithmetic.
    LOW_END = 0.6 * LEFT_END * roof[1]
    do for [r = 1:steps] {
        if (have(rate[cell(s, r)]) && 0.7 * rate[cell(s, r)] < LOW_END) { LOW_END = 0.7 * rate[cell(s, r)] }
    }
    HIGH_END = 3 * top
    # A roof rises by a decade in each decade: its angle on the page, in degrees.
    decades(from, to) = log10(to / from)
    slope = atan((ROOF_T - ROOF_B) * 1080 / decades(LOW_END, HIGH_END) * decades(LEFT_END, RIGHT_END) / ((ROOF_R - ROOF_L) * 1920)) * 180 / pi
    eval OPEN
    set label 1 page_title at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK
    set label 2 legend(s) at screen 0.02, screen 0.896 left font plain(24) textcolor rgb C_INK
    set label 3 "operations for each byte loaded from global memory: flop_count_sp / (32 × gld_transactions)" at screen ROOF_L, screen 0.062 \
        left font bold(20) textcolor rgb C_INK
    set label 4 "GFLOP/s" at screen ROOF_L, screen ROOF_T + 0.022 left font bold(20) textcolor rgb C_INK
    set label 5 (clock[s + 1] eq "modelled" ? "Under simt rates are modelled, operations and loads counted.  " : "") . \
        "A number beside its point: a line leads to it.  Caches may lift a step above the memory's roof." at screen 0.02, screen 0.022 left font plain(20) textcolor rgb C_QUIET
    set label 6 sprintf("arithmetic: %s GFLOP/s", figure(top)) at first RIGHT_END, first 1.18 * top right font bold(20) textcolor rgb C_INK offset character -0.5, 0
    set label 7 "operations" at screen 0.895, screen 0.852 right font bold(20) textcolor rgb C_INK
    set label 8 "a byte" at screen 0.895, screen 0.826 right font bold(20) textcolor rgb C_INK
    set label 9 "GFLOP/s" at screen 0.985, screen 0.826 right font bold(20) textcolor rgb C_INK
    do for [b = 1:3] {
        # Along its roof, which has the same slope everywhere on logarithmic axes.
        at_x = LEFT_END * 3 ** (4 - b)
        set label 10 + b sprintf("%s: %s GB/s", roof_name[b], figure(roof[b])) at first at_x, first 1.25 * roof[b] * at_x left \
            rotate by slope font plain(20) textcolor rgb C_QUIET
    }
    shown = 0
    do for [r = 1:steps] {
        if (have(rate[cell(s, r)])) {
            line_y = 0.785 - 0.05 * shown
            shown = shown + 1
            set label 100 + r sprintf("%d  %s", r, label[r]) at screen LIST_X, screen line_y left font plain(22) textcolor rgb C_INK
            set label 200 + r placed_text(s, r) at screen 0.895, screen line_y right font plain(22) textcolor rgb C_INK
            set label 300 + r figure(rate[cell(s, r)]) at screen 0.985, screen line_y right font plain(22) textcolor rgb C_RUN
        }
    }
    set lmargin at screen ROOF_L
    set rmargin at screen ROOF_R
    set bmargin at screen ROOF_B
    set tmargin at screen ROOF_T
    set border 3
    set logscale xy
    set xrange [LEFT_END:RIGHT_END]
    set yrange [LOW_END:HIGH_END]
    TIC_FONT = plain(20)
    set xtics nomirror autofreq font TIC_FONT format "%g"
    set ytics nomirror autofreq font TIC_FONT format "%.0f"
    set grid xtics ytics
    # A step that was not profiled has only a height: a line.
    free_rate(r) = have(rate[cell(s, r)]) && !have(intensity(s, r)) ? rate[cell(s, r)] : NaN
    do for [r = 1:steps] {
        if (have(free_rate(r))) {
            set arrow r from first LEFT_END, first free_rate(r) to first RIGHT_END, first free_rate(r) nohead front dashtype (3, 5) \
                linecolor rgb C_GOOD linewidth 2
            set label 400 + r sprintf("%d", r) at first 1.15 * LEFT_END, first 1.13 * free_rate(r) left font bold(22) textcolor rgb C_GOOD
        }
    }
    do for [b = 1:3] {
        set arrow 50 + b from first LEFT_END, first roof[b] * LEFT_END to first top / roof[b], first top nohead back linewidth 3 \
            linecolor rgb (b == 1 ? C_INK : C_TODO)
    }
    set arrow 54 from first top / roof[3], first top to first RIGHT_END, first top nohead back linewidth 3 linecolor rgb C_INK
    plot sample [r = 1:rows:1] '+' using (intensity(s, $1)):(have(intensity(s, $1)) ? rate[cell(s, $1)] : NaN):(place(s, $1) - intensity(s, $1)):(0) \
            with vectors nohead linewidth 2 linecolor rgb C_RUN, \
        [r = 1:rows:1] '+' using (intensity(s, $1)):(have(intensity(s, $1)) ? rate[cell(s, $1)] : NaN) with points pointtype 7 pointsize dot(6) \
            linecolor rgb C_RUN, \
        [r = 1:rows:1] '+' using (place(s, $1)):(have(intensity(s, $1)) ? rate[cell(s, $1)] : NaN) with points pointtype 7 pointsize dot(14) \
            linecolor rgb C_RUN, \
        [r = 1:rows:1] '+' using (place(s, $1)):(have(intensity(s, $1)) ? rate[cell(s, $1)] : NaN):(sprintf("%d", $1)) with labels center \
            font bold(20) textcolor rgb "#FFFFFF"
    unset logscale
    unset label
    unset arrow
    unset output
}
