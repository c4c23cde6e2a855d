# lab3.gp: lab 3's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 3: the same sum, nine times"
why_title = "Lab 3: what explains the times"

array page[8]
page[1] = "inst_per_warp         1           0   |instructions|a warp executes"
page[2] = "branch_efficiency     1           100 |% of branches that|go one way"
page[3] = "gld_efficiency        1           100 |% of loaded bytes|that are requested"
page[4] = "gst_efficiency        1           100 |% of stored bytes|that are requested"
page[5] = "gld_throughput        1000000000  0   |GB/s loaded,|used or not"
page[6] = "dram_read_throughput  1000000000  0   |GB/s read from|the GPU's memory"
page[7] = "stall_sync            1           0   |% of time a warp|waits at a barrier"
page[8] = "achieved_occupancy    1           1   |share of the warp|slots in use"

page_note = "n/a: not counted there.  Under simt efficiencies are counted, inst_per_warp is estimated; throughputs and " . \
    "occupancy are modelled."

load "plots/lab.gp"
