# lab16.gp: lab 16's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 16: attention"
why_title = "Lab 16: what explains the times"
rate_unit = "GFLOP/s"
ladder_note = "Operations: 5 for each score of softmax; of attention those of its two products.  Speed-up: over its group's first step."

array page[6]
page[1] = "gld_requests            1000       0 |thousand loads from|global memory"
page[2] = "shared_store            1000       0 |thousand stores to|shared memory"
page[3] = "gst_transactions        1000       0 |thousand sectors|stored"
page[4] = "inst_executed_tensor    1000       0 |thousand instructions|of tensor cores"
page[5] = "inst_per_warp           1          0 |instructions|a warp executes"
page[6] = "achieved_occupancy      1          1 |share of the warp|slots in use"
page_note = "Of step 7 its softmax.  n/a: not counted there.  Under simt inst_per_warp is estimated; occupancy is modelled."

load "plots/lab.gp"
