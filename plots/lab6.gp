# lab6.gp: lab 6's plots. plots/lab.gp draws times and metrics and explains the variables. This file
# adds a heat map of reduce6 over the numbers of blocks and of threads.

lab_title = "Lab 6: a sum in shared memory, and past the library"
why_title = "Lab 6: what explains the times"
ladder_note = "Bandwidth: bytes of the numbers, over the time of all passes.  Speed-up: over step 1."

array page[8]
page[1] = "inst_per_warp                        1          0   |instructions|a warp executes"
page[2] = "branch_efficiency                    1          100 |% of branches that|go one way"
page[3] = "shared_load_transactions_per_request 1          0   |passes over the|banks a load takes"
page[4] = "shared_ld_bank_conflict              1000       0   |thousand passes|too many, loads"
page[5] = "gld_throughput                       1000000000 0   |GB/s loaded,|used or not"
page[6] = "dram_read_throughput                 1000000000 0   |GB/s read from|the GPU's memory"
page[7] = "stall_sync                           1          0   |% of time a warp|waits at a barrier"
page[8] = "achieved_occupancy                   1          1   |share of the warp|slots in use"

page_note = "Of the first pass.  n/a: not counted there.  Under simt branches, passes and conflicts are counted, inst_per_warp is " . \
    "estimated; throughputs and occupancy are modelled."

load "plots/lab.gp"
if (term eq "dumb") { exit }

# ---- Blocks x threads -------------------------------------------------------------------------

# The map's launches are named by their shape: reduce6(64x256).
set xrange [*:*]
set yrange [*:*]
problem_kernel = "reduce0"
load "plots/sweep.gp"
map_has(s, l) = starts(kernel[at(s, l)], "reduce6(")
map_find(s, x, y) = find_name(s, sprintf("reduce6(%dx%d)", x, y))
mapped = sum [l = 1:launches[shown + 1]] (map_has(shown, l) && have(time[at(shown, l)]) ? 1 : 0)
if (mapped == 0) { exit }

output_file = out . "-shapes." . term
eval OPEN
page_title = "Lab 6: reduce6 in many shapes"
page_note = (modelled ? "Under simt all figures are modelled.  " : "") . \
    "Darker: shorter times, larger figures."
eval HEAD
array MAP_X[7] = [64, 128, 256, 512, 1024, 2048, 4096]
array MAP_Y[6] = [32, 64, 128, 256, 512, 1024]
array MAP_TITLES[3] = ["time, µs", "achieved_occupancy", "dram_read_throughput, GB/s"]
array MAP_METRIC[3] = [0, 8, 6]
map_across = "blocks"
map_up = "threads of a block"
BOX_W = 0.040
BOX_H = 0.105
TOP_Y = 0.80
do for [m = 1:3] {
    LEFT_X = 0.048 + (m - 1) * 0.332
    map_title = MAP_TITLES[m]
    map_dark_is_low = m == 1
    map_value(s, l) = m == 1 ? 1000 * time[at(s, l)] : value[value_at(s, l, MAP_METRIC[m])]
    load "plots/heatmap.gp"
}
unset border
unset tics
unset grid
set xrange [0:1]
set yrange [0:1]
plot NaN notitle
unset output
