# lab11.gp: lab 11's plot. plots/lab.gp draws it and explains the variables.

lab_title = "Lab 11: the same work in another order, on the CPU"
why_title = "Lab 11: what explains the times"
on_host = 1
no_rate = "launchOnly launchAndWait" # their clock times launching
ladder_note = "All times are measured, on the CPU.  Speed-up: over the first of each group: steps 1, 3, 5, 7 and 10."

array page[2]
page[1] = "gst_transactions  1 0   |sectors|stored"
page[2] = "gst_efficiency    1 100 |% of stored bytes|that are requested"
page_note = ""

load "plots/lab.gp"
