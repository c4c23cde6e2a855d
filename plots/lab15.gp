# lab15.gp: lab 15's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 15: histogram"
why_title = "Lab 15: what explains the times"
ladder_note = "Bandwidth: each number read once.  Speed-up: over step 1 with the same data."

array page[5]
page[1] = "inst_executed_global_reductions 1000       0 |thousand additions of|warps, global memory"
page[2] = "inst_executed_shared_atomics    1000       0 |thousand additions of|warps, shared memory"
page[3] = "inst_per_warp                   1          0 |instructions|a warp executes"
page[4] = "gld_requests                    1000       0 |thousand loads from|global memory"
page[5] = "achieved_occupancy              1          1 |share of the warp|slots in use"
page_note = "n/a: not counted there.  Under simt additions and loads are counted, inst_per_warp is estimated; occupancy is modelled."

load "plots/lab.gp"
