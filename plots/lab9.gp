# lab9.gp: lab 9's plots. plots/lab.gp and plots/roofline.gp draw them; plots/lab.gp explains the
# variables.

lab_title = "Lab 9: a matrix product near the speed of the arithmetic"
why_title = "Lab 9: what explains the times"
rate_unit = "GFLOP/s"
ladder_note = "GFLOP/s: the 2n³ operations of the product, over the time.  Speed-up: over step 1."

array page[5]
page[1] = "flop_count_sp       1000000     0   |million operations|on floats"
page[2] = "flop_sp_efficiency  1           100 |% of the arithmetic's|peak"
page[3] = "gld_transactions    1000000     0   |million sectors of|32 bytes loaded"
page[4] = "shared_efficiency   1           0   |% of the bytes of|each pass used"
page[5] = "ipc                 1           4   |instructions a cycle|and multiprocessor"
page_note = "n/a: not counted there.  Under simt operations, sectors and passes are counted; figures that depend on time are modelled."

load "plots/lab.gp"
if (term ne "dumb") {
    page_title = "Lab 9: the roofline"
    output_file = out . "-roofline." . term
    if (metric_values > 0) { load "plots/roofline.gp" }
}
