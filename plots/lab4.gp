# lab4.gp: lab 4's plots. plots/lab.gp draws them and explains the variables.

lab_title = "Lab 4: a transpose as fast as a copy"
why_title = "Lab 4: what explains the times"

bounds = "1 2"
bounds_note = "Dashes: the two copies."

array page[7]
page[1] = "gld_efficiency                         1           100 |% of loaded bytes|that are requested"
page[2] = "gst_efficiency                         1           100 |% of stored bytes|that are requested"
page[3] = "shared_load_transactions_per_request   1           33  |passes over the|banks a load takes"
page[4] = "shared_store_transactions_per_request  1           33  |passes over the|banks a store takes"
page[5] = "shared_ld_bank_conflict                1000000     0   |million passes too|many, loads"
page[6] = "dram_read_throughput                   1000000000  0   |GB/s read from|the GPU's memory"
page[7] = "dram_write_throughput                  1000000000  0   |GB/s written to|the GPU's memory"
page_note = "n/a: not counted there.  Under simt efficiencies, passes and conflicts are counted; throughputs are modelled."

load "plots/lab.gp"
