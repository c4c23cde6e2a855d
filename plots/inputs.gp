# inputs.gp: what a lab's script may be given (plots/lab.gp says what it means), and the lab's page[] taken apart.

if (!exists("metrics")) metrics = ""
if (!exists("reference")) reference = ""
if (!exists("reference_metrics")) reference_metrics = ""
if (!exists("variant")) variant = ""
if (!exists("goal")) goal = ""
if (!exists("problem")) problem = ""
if (!exists("reference_problem")) reference_problem = ""
# What a caption says of the problem, behind the device. A reference that names another problem is no comparison.
of_problem = problem eq "" ? "" : ", " . problem
other_problem = problem ne "" && reference_problem ne "" && problem ne reference_problem
if (!exists("gpus")) gpus = "common/simt/gpus.tsv"
if (!exists("on_host")) on_host = 0
if (!exists("rate_unit")) rate_unit = "GB/s"

metric_list = ""
do for [m = 1:|page|] { metric_list = metric_list . word(page[m], 1) . " " }
bar1(m) = strstrt(page[m], "|")
bar2(m) = bar1(m) + strstrt(page[m][bar1(m) + 1:*], "|")
metric_scale(m) = real(word(page[m], 2))
metric_full(m) = real(word(page[m], 3)) > 0 ? real(word(page[m], 3)) : NaN
metric_words1(m) = page[m][bar1(m) + 1:bar2(m) - 1]
metric_words2(m) = page[m][bar2(m) + 1:*]
