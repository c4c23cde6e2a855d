# lab14.gp: lab 14's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 14: scan"
why_title = "Lab 14: what explains the times"
ladder_note = "Bandwidth: each number read and written once.  Speed-up: over its group's first step."

array page[6]
page[1] = "shared_load             1000       0 |thousand loads from|shared memory"
page[2] = "shared_ld_bank_conflict 1000       0 |thousand passes|too many, loads"
page[3] = "inst_per_warp           1          0 |instructions|a warp executes"
page[4] = "gld_requests            1000       0 |thousand loads from|global memory"
page[5] = "dram_read_throughput    1000000000 0 |GB/s read from|the GPU's memory"
page[6] = "achieved_occupancy      1          1 |share of the warp|slots in use"
page_note = "Of step 6 its last kernel.  n/a: not counted there.  Under simt loads and passes are counted, inst_per_warp is " . \
    "estimated; throughput and occupancy are modelled."

load "plots/lab.gp"
