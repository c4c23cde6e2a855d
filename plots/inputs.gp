# inputs.gp: defaults of the variables that plots/lab.gp explains, and the lab's page[] split into
# its parts.

if (!exists("metrics")) metrics = ""
if (!exists("reference")) reference = ""
if (!exists("reference_metrics")) reference_metrics = ""
if (!exists("variant")) variant = ""
if (!exists("goal")) goal = ""
if (!exists("problem")) problem = ""
if (!exists("reference_problem")) reference_problem = ""
# A caption names the problem after the device. A reference of another problem is not drawn.
of_problem = problem eq "" ? "" : ", " . problem
other_problem = problem ne "" && reference_problem ne "" && problem ne reference_problem
if (!exists("gpus")) gpus = "common/simt/gpus.tsv"
if (!exists("on_host")) on_host = 0
if (!exists("no_rate")) no_rate = ""
if (!exists("rate_unit")) rate_unit = "GB/s"

metric_list = ""
do for [m = 1:|page|] { metric_list = metric_list . word(page[m], 1) . " " }
bar1(m) = strstrt(page[m], "|")
bar2(m) = bar1(m) + strstrt(page[m][bar1(m) + 1:*], "|")
metric_scale(m) = real(word(page[m], 2))
metric_full(m) = real(word(page[m], 3)) > 0 ? real(word(page[m], 3)) : NaN
metric_words1(m) = page[m][bar1(m) + 1:bar2(m) - 1]
metric_words2(m) = page[m][bar2(m) + 1:*]
