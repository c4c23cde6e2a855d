# lab10.gp: lab 10's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 10: a compiler's transformations by hand"
why_title = "Lab 10: what explains the times"
ladder_note = "Bandwidth: all operands and results once.  Speed-up: within mv, and within mm."

array page[6]
page[1] = "gld_transactions_per_request  1       32  |sectors that a|load touches"
page[2] = "gld_transactions              1000000 0   |million sectors|for all loads"
page[3] = "gld_efficiency                1       0   |% of loaded bytes|that are requested"
page[4] = "gst_transactions_per_request  1       32  |sectors that a|store touches"
page[5] = "warp_execution_efficiency     1       100 |% of a warp's threads|that take part"
page[6] = "achieved_occupancy            1       1   |share of the warp|slots in use"

page_note = "n/a: not counted there.  Under simt sectors and efficiencies are counted; times and occupancy are modelled."

load "plots/lab.gp"
