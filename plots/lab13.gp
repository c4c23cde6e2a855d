# lab13.gp: lab 13's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 13: faults"
why_title = "Lab 13: what the mended steps do"
ladder_note = "No ladder: the steps compute different things. A step that is wrong has no time."

array page[4]
page[1] = "gld_requests                    1000  0 |thousand loads from|global memory"
page[2] = "shared_load                     1000  0 |thousand loads from|shared memory"
page[3] = "inst_per_warp                   1     0 |instructions|a warp executes"
page[4] = "warp_execution_efficiency       1   100 |% of the lanes|that work"
page_note = "n/a: not counted there.  Under simt loads are counted; inst_per_warp is estimated."

load "plots/lab.gp"
