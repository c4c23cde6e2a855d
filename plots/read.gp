# read.gp: reads a lab's run.csv and metrics.csv, the recorded reference and the solution's figures
# into arrays. Loaded by a lab's script after style.gp, with run, metrics, reference,
# reference_metrics, goal and gpus set ("" for none).
#
# There are three series, RUN, REFERENCE and GOAL. Row r of series s is at cell(s, r); r is the step
# number:
#   name grid state               text: kernel, grid and block, status ("" if the series lacks the step)
#   time least most rate gain     ms (median, least, most), rate_unit, speed-up over the first; NaN if there is none
#   device[s+1] clock[s+1]        text: the device's name; measured or modelled
#   peak[s+1]                     highest rate: GB/s of the device's memory or GFLOP/s of its arithmetic; NaN if gpus.tsv lacks the device
#   value[metric_cell(s, m, r)]   the lab's m-th metric
# Of a step that also runs with arguments, as reduce6(64x32), the row without one counts. If a lab
# runs its steps at several sizes, the run's last rows count, and in the other series those of the
# same name, which has the size. steps is the number of rows; metric_values is the number of values
# in the run, or in a recording alone; reference_note tells why a reference was left out, "" if it
# was not.

RUN = 0
REFERENCE = 1
GOAL = 2
SERIES = 3
LIMIT = 32   # steps of one lab
METRICS = 16 # metrics of one lab

cell(s, r) = s * LIMIT + r
metric_cell(s, m, r) = (s * METRICS + m - 1) * LIMIT + r

array name[SERIES * LIMIT]
array grid[SERIES * LIMIT]
array state[SERIES * LIMIT]
array time[SERIES * LIMIT]
array least[SERIES * LIMIT]
array most[SERIES * LIMIT]
array rate[SERIES * LIMIT]
array gain[SERIES * LIMIT]
array device[SERIES]
array clock[SERIES]
array peak[SERIES]
array value[SERIES * METRICS * LIMIT]

do for [i = 1:SERIES * LIMIT] {
    name[i] = ""; grid[i] = ""; state[i] = ""
    time[i] = NaN; least[i] = NaN; most[i] = NaN; rate[i] = NaN; gain[i] = NaN
}
do for [i = 1:SERIES] { device[i] = ""; clock[i] = ""; peak[i] = NaN }
do for [i = 1:SERIES * METRICS * LIMIT] { value[i] = NaN }

# ---- run.csv ----------------------------------------------------------------------------------

set datafile separator ","

# The step of the present row; 0 for the header and for other rows than steps.
step_of(s) = (s eq "" || s eq "step" || s eq "NA") ? 0 : int(real(s)) > LIMIT ? 0 : int(real(s))

# Use a row of another series if the run has that kernel at that step, or if the run lacks the step
# and all its steps have this size.
run_name(s, at) = name[at - cell(s, 0) + cell(RUN, 0)]
brackets(kernel) = strstrt(kernel, "(") > 0 ? kernel[strstrt(kernel, "("):*] : ""
run_size = "none"
note_size(kernel) = (run_size = run_size eq "none" || run_size eq brackets(kernel) ? brackets(kernel) : "several", 1)
wanted(s, at, kernel) = s == RUN ? note_size(kernel) : run_name(s, at) ne "" ? run_name(s, at) eq kernel : \
    run_size eq "none" || run_size eq "several" || run_size eq brackets(kernel)
unwanted = 0
once_more(at, kernel) = name[at] ne "" && strstrt(kernel, name[at] . "(") == 1

READ_RUN = 'stats file using (at = cell(s, step_of(strcol("step"))), at == cell(s, 0) || (on_host && strcol("grid") ne "(0 0 0)") || once_more(at, strcol("kernel")) ? 0 : !wanted(s, at, strcol("kernel")) ? (unwanted = 1, 0) : (name[at] = strcol("kernel"), \
    grid[at] = strcol("grid") . strcol("block"), state[at] = strcol("status"), time[at] = number("time_ms"), \
    least[at] = number("time_min_ms"), most[at] = number("time_max_ms"), \
    rate[at] = number(rate_unit eq "GB/s" ? "bandwidth_gbs" : "gflops"), gain[at] = number("speedup"), \
    clock[s + 1] = strcol("clock") eq "unmodelled" ? clock[s + 1] : strcol("clock"), device[s + 1] = strcol("device"), 1)) nooutput'

s = RUN;       file = run;       if (file ne "") { eval READ_RUN }
s = REFERENCE; file = reference; if (file ne "") { eval READ_RUN }
other_size = unwanted && device[REFERENCE + 1] eq ""
s = GOAL;      file = goal;      if (file ne "") { eval READ_RUN }

# Only right results count: a wrong kernel has no time here.
do for [i = 1:SERIES * LIMIT] {
    if (strstrt(" " . no_rate . " ", " " . name[i] . " ") > 0) { rate[i] = NaN }
    if (state[i] ne "ok") { time[i] = NaN; least[i] = NaN; most[i] = NaN; rate[i] = NaN; gain[i] = NaN }
}

# Drop a recorded series of another problem; the page tells so.
reference_note = ""
do for [r = 1:LIMIT] {
    if (state[cell(RUN, r)] ne "" && state[cell(REFERENCE, r)] ne "" && grid[cell(RUN, r)] ne grid[cell(REFERENCE, r)]) {
        reference_note = "The recorded figures are for another size or block, so they are not shown."
    }
    if (state[cell(RUN, r)] ne "" && state[cell(GOAL, r)] ne "" && grid[cell(RUN, r)] ne grid[cell(GOAL, r)]) {
        device[GOAL + 1] = ""
    }
}
if (other_size || (reference ne "" && other_problem)) { reference_note = "The recorded figures are for another size or block, so they are not shown." }
if (reference_note ne "") { device[REFERENCE + 1] = "" }
do for [s = REFERENCE:GOAL] {
    do for [r = 1:LIMIT] {
        i = cell(s, r)
        if (device[s + 1] eq "") { state[i] = ""; time[i] = NaN; least[i] = NaN; most[i] = NaN; rate[i] = NaN; gain[i] = NaN }
    }
}

steps = 0
array label[LIMIT]
do for [r = 1:LIMIT] {
    label[r] = name[cell(RUN, r)] ne "" ? name[cell(RUN, r)] : name[cell(REFERENCE, r)]
    if (label[r] ne "") { steps = r }
}

# ---- gpus.tsv ---------------------------------------------------------------------------------

# READ_GPU reads the column of series s's device; gpu(name) is then one of its figures, NaN if the
# table lacks the device.
GPU_ROWS = "sms clock_mhz memory_clock_mhz memory_bus_bits fp32_per_sm l2_bytes_per_cycle"
array gpu_figure[words(GPU_ROWS)]
gpu_row(name) = sum [gpu_i = 1:words(GPU_ROWS)] (word(GPU_ROWS, gpu_i) eq name ? gpu_i : 0)
gpu(name) = gpu_figure[gpu_row(name)]
gpu_of(product) = sum [gpu_c = 3:gpu_columns] (strcol(gpu_c) eq product ? gpu_c : 0)

READ_GPU = 'do for [i = 1:words(GPU_ROWS)] { gpu_figure[i] = NaN }; set datafile separator "\t"; gpu_column = 0; \
    stats gpus using 0 nooutput; gpu_columns = STATS_columns; \
    stats gpus using (strcol(1) eq "product" ? (gpu_column = gpu_of(product(device[s + 1])), 0) : \
        gpu_column && gpu_row(strcol(1)) ? (gpu_figure[gpu_row(strcol(1))] = column(gpu_column), 1) : 0) nooutput; set datafile separator ","'

if (gpus ne "") {
    do for [s = RUN:REFERENCE] {
        eval READ_GPU
        peak[s + 1] = rate_unit eq "GB/s" ? memory_peak(gpu("memory_clock_mhz"), gpu("memory_bus_bits")) : \
            2e-3 * gpu("sms") * gpu("clock_mhz") * gpu("fp32_per_sm")
    }
}

# ---- metrics.csv ------------------------------------------------------------------------------

# metric_list has the lab's metrics in the order of the page; which(m) is a name's place in it.
which(m) = sum [which_i = 1:words(metric_list)] (word(metric_list, which_i) eq m ? which_i : 0)

READ_METRICS = 'stats file using (m = which(strcol("metric")), r = step_of(strcol("step")), m > 0 && r > 0 && strcol("kernel") eq name[cell(s, r)] ? \
    (value[metric_cell(s, m, r)] = number("value"), 1) : 0) nooutput'

s = RUN;       file = metrics;           if (file ne "") { eval READ_METRICS }
s = REFERENCE; file = reference_metrics; if (file ne "" && device[REFERENCE + 1] ne "") { eval READ_METRICS }

# Values of the run, or of the recording if there is no run.
own_series = run ne "" ? RUN : REFERENCE
metric_values = sum [i = 1:METRICS * LIMIT] (have(value[own_series * METRICS * LIMIT + i]) ? 1 : 0)
