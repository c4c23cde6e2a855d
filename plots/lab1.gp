# lab1.gp: lab 1's plots. plots/lab.gp draws them and explains the variables.

array page[5]
page[1] = "branch_efficiency          1    100 |% of branches that|go one way"
page[2] = "warp_execution_efficiency  1    100 |% of a warp's threads|that take part"
page[3] = "inst_per_warp              1    0   |instructions|a warp executes"
page[4] = "branch                     1000 0   |thousand branches|that warps execute"
page[5] = "divergent_branch           1000 0   |thousand of them|go both ways"

lab_title = "Lab 1: one way or both ways"
why_title = "Lab 1: what explains the times"
ladder_note = "Bandwidth: bytes a step has to read and write, over the time.  Speed-up: within its group."
page_note = "n/a: not counted there.  Under simt branches are counted in PTX, of which machine code keeps fewer; inst_per_warp is estimated."
load "plots/lab.gp"
