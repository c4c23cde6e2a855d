# lab0.gp: lab 0's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 0: five small launches"
why_title = "Lab 0: what explains the times"

array page[5]
page[1] = "warp_execution_efficiency     1  100 |% of the warps'|lanes at work"
page[2] = "inst_per_warp                 1  0   |instructions|a warp executes"
page[3] = "gst_efficiency                1  100 |% of stored bytes|that are requested"
page[4] = "gst_transactions_per_request  1  0   |sectors a store|of a warp touches"
page[5] = "achieved_occupancy            1  1   |share of the warp|slots in use"
page_note = "n/a: not counted there.  Under simt efficiencies and sectors are counted, inst_per_warp is estimated; " . \
    "occupancy is modelled."

load "plots/lab.gp"
