# lab.gp: draw a lab's plots, the same way for all labs. plots/labN.gp sets lab N's variables and
# loads this file. Call it by plots/draw.sh, or in the project's folder as
#   gnuplot -e "run='build/lab3/run.csv'; out='build/plots/lab3'; term='svg'" plots/lab3.gp
#
# Variables, all text; those without a default must be given:
#   run                run.csv of the run to show, '' for none: the reference alone
#   metrics            metrics.csv of the same run                                  default '': no metrics page
#   reference          run.csv recorded on a real GPU, drawn beside the run          default ''
#   reference_metrics  metrics.csv recorded with it                                 default ''
#   variant            the run's build; the reference is then the main build's run      default '': the main build
#   goal               run.csv of the solution on the run's device: grey bars        default ''
#   problem            the run's problem, as in "size 3000"; reference_problem the reference's    default '': unknown
#   gpus               table of GPUs, for the peak bandwidth                         default common/simt/gpus.tsv
#   out                the pictures' path up to -time.svg, -metrics.svg, -metrics-2.svg          (not used by term='dumb')
#   term               svg, png, or dumb: the ladder as text on standard output      default svg
#   color width ascii  of the text, see style.gp
# Files are written in place: plots/draw.sh gives a temporary path, checks the inputs and renames
# the results.
#
# What the lab's script sets:
#   lab_title, why_title  titles of the chart of times and of the metrics page
#   rate_unit             GFLOP/s for a lab that counts operations, with the column gflops in its run.csv           default GB/s: bandwidth
#   no_rate               steps, by name, whose bandwidth is not drawn                                                       default ''
#   on_host               1: only the steps on the CPU are drawn                                                     default 0
#   page[1 .. n]          the metrics page: name, divisor, end of the axis (0: as needed), and a description in two lines of at most
#                         20 letters, as in "gld_efficiency 1 100 |% of loaded bytes|that are requested"
#   page_note             below the metrics page: which metrics simt counts and which it models
#   ladder_note           below the chart of times: what its bandwidth and speed-up are                                 default: for one series of steps
#   bounds                steps, by number, whose bandwidth is drawn as a line through the steps below them          default ''
#   bounds_note           what those lines are, in a sentence                                                       default ''

load "plots/inputs.gp"
if (!exists("bounds")) bounds = ""
if (!exists("bounds_note")) bounds_note = ""
if (!exists("ladder_note")) ladder_note = "Bandwidth: bytes the kernel has to read and write, over the time.  Speed-up: over step 1."

load "plots/style.gp"
load "plots/read.gp"
if (steps == 0) { exit status 0 }

load "plots/rows.gp"

page_title = lab_title
if (term eq "dumb") {
    load "plots/text.gp"
} else {
    output_file = out . "-time." . term
    if (rows_to_show > 0) { load "plots/ladder.gp" }
    page_title = why_title
    if (metric_values > 0) { load "plots/panels.gp" }
}
