# lab5.gp: lab 5's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 5: kernels that launch kernels"
why_title = "Lab 5: what explains the times"
ladder_note = "Speed-up: of steps 5 and 6 over 4, of 8 to 11 over 7."

array page[3]
page[1] = "inst_executed              1000        0   |thousand instructions|of warps, all grids"
page[2] = "warp_execution_efficiency  1           100 |% of a warp's lanes|at work"
page[3] = "achieved_occupancy         1           1   |share of the warp|slots in use"
page_note = "n/a: not counted there.  Under simt the first two are estimated; occupancy is modelled. A kernel counts with all its launches."

load "plots/lab.gp"
