# sweep.gp: read a run.csv and metrics.csv in which a kernel has several rows, one for each shape of
# its launch. Load it after inputs.gp and style.gp.
#
# Series are RUN and REFERENCE. The launches of a series are numbered as in run.csv, from 1;
# launches[s+1] is their number. Launch l of series s is at at(s, l):
#   kernel state                text: name, status
#   grid_x block_x block_y      numbers
#   time rate                   ms and GB/s; NaN if it was not timed or is wrong
#   value[value_at(s, l, m)]    the lab's m-th metric, in its units (page[])
# device, clock as in read.gp. find(s, kernel, x, y) is the number of the kernel's launch with that
# block, find_name(s, kernel) that of the launch by name, as in strideLoad(4); 0: none. shown is the
# drawn series; modelled tells whether its times are modelled.
#
# The lab's script sets problem_kernel, a kernel whose grids follow from the problem's size. HEAD
# writes page_title, the legend and page_note on a page, and counts label_n and object_n from 10 on;
# FOOT removes them.
#
# timed(s, l): has launch l of series s a time? measured(s, l): has it a time or a metric? A page
# without any is not drawn. VALUES_FROM_ZERO sets the range of a panel's y axis. gnuplot finds none
# if no point has a value; then the panel tells that nothing was measured. panel_value(s, l) is the
# figure of a launch, NaN for launches of other panels.

RUN = 0
REFERENCE = 1
SERIES = 2
LAUNCHES = 128
METRICS = 8
at(s, l) = s * LAUNCHES + l
value_at(s, l, m) = (s * METRICS + m - 1) * LAUNCHES + l

array kernel[SERIES * LAUNCHES]
array state[SERIES * LAUNCHES]
array grid_text[SERIES * LAUNCHES]
array grid_x[SERIES * LAUNCHES]
array block_text[SERIES * LAUNCHES]
array block_x[SERIES * LAUNCHES]
array block_y[SERIES * LAUNCHES]
array time[SERIES * LAUNCHES]
array rate[SERIES * LAUNCHES]
array value[SERIES * METRICS * LAUNCHES]
array launches[SERIES]
array device[SERIES]
array clock[SERIES]
do for [i = 1:SERIES * LAUNCHES] {
    kernel[i] = ""; state[i] = ""; grid_text[i] = ""; grid_x[i] = 0; block_text[i] = ""; block_x[i] = 0; block_y[i] = 0; time[i] = NaN; rate[i] = NaN
}
do for [i = 1:SERIES * METRICS * LAUNCHES] { value[i] = NaN }
do for [s = 1:SERIES] { launches[s] = 0; device[s] = ""; clock[s] = "" }

# The n-th side of a shape such as (32 16 1).
side(shape, n) = int(word(shape[2:strlen(shape) - 1], n))

set datafile separator ","
READ_LAUNCHES = 'stats file using (strcol("step") eq "step" || launches[s + 1] == LAUNCHES ? 0 : (launches[s + 1] = launches[s + 1] + 1, \
    i = at(s, launches[s + 1]), kernel[i] = strcol("kernel"), state[i] = strcol("status"), grid_text[i] = strcol("grid"), \
    grid_x[i] = side(grid_text[i], 1), block_text[i] = strcol("block"), block_x[i] = side(block_text[i], 1), \
    block_y[i] = side(block_text[i], 2), time[i] = state[i] eq "ok" ? number("time_ms") : NaN, \
    rate[i] = state[i] eq "ok" ? number("bandwidth_gbs") : NaN, \
    clock[s + 1] = strcol("clock") eq "unmodelled" ? clock[s + 1] : strcol("clock"), device[s + 1] = strcol("device"), 1)) nooutput'
s = RUN;       file = run;       if (file ne "") { eval READ_LAUNCHES }
s = REFERENCE; file = reference; if (file ne "") { eval READ_LAUNCHES }

# Drop a recording of another problem; the page tells so.
reference_note = other_problem ? "The recorded figures are for another size, so they are not shown." : ""
do for [l = 1:launches[1]] {
    if (l <= launches[2] && kernel[at(RUN, l)] eq problem_kernel && grid_text[at(RUN, l)] ne grid_text[at(REFERENCE, l)]) {
        reference_note = "The recorded figures are for another size, so they are not shown."
    }
}
if (reference_note ne "") { launches[REFERENCE + 1] = 0; device[REFERENCE + 1] = "" }

# Of the launches that have this shape of block and of grid.
same(i, name, shape, blocks) = kernel[i] eq name && block_text[i] eq shape && grid_text[i] eq blocks
which_launch(s, name, shape, blocks) = sum [which_l = 1:launches[s + 1]] (same(at(s, which_l), name, shape, blocks) ? which_l : 0)
which(m) = sum [which_i = 1:words(metric_list)] (word(metric_list, which_i) eq m ? which_i : 0)
READ_VALUES = 'stats file using (m = which(strcol("metric")), l = m > 0 ? which_launch(s, strcol("kernel"), strcol("block"), strcol("grid")) : 0, \
    l > 0 && m > 0 ? (value[value_at(s, l, m)] = number("value") / metric_scale(m), 1) : 0) nooutput'
s = RUN;       file = metrics;           if (file ne "" && launches[s + 1] > 0) { eval READ_VALUES }
s = REFERENCE; file = reference_metrics; if (file ne "" && launches[s + 1] > 0) { eval READ_VALUES }

run_words = variant eq "" ? "this run" : "build '" . variant . "'"
reference_words = variant eq "" ? "recorded" : "main build"
find(s, name, x, y) = sum [find_l = 1:launches[s + 1]] \
    (kernel[at(s, find_l)] eq name && block_x[at(s, find_l)] == x && block_y[at(s, find_l)] == y ? find_l : 0)
legend(s) = sprintf("%s: %s, %s", s == RUN ? run_words : reference_words, device[s + 1], clock[s + 1]) . (s == RUN ? of_problem : "")
find_name(s, name) = sum [find_l = 1:launches[s + 1]] (kernel[at(s, find_l)] eq name ? find_l : 0)
# The run, or the recording if there is no run.
shown = launches[RUN + 1] > 0 ? RUN : REFERENCE
if (launches[shown + 1] == 0) { exit status 0 }
modelled = clock[shown + 1] eq "modelled"

timed(s, l) = l > 0 && l <= launches[s + 1] && have(time[at(s, l)])
measured(s, l) = timed(s, l) || l > 0 && l <= launches[s + 1] && (sum [m = 1:words(metric_list)] (have(value[value_at(s, l, m)]) ? 1 : 0)) > 0
VALUES_FROM_ZERO = 'panel_most = NaN; \
    do for [s = RUN:REFERENCE] { do for [l = 1:launches[s + 1]] { panel_most = larger(panel_most, panel_value(s, l)) } }; \
    if (have(panel_most) && panel_most > 0) { set yrange [0:*] } else { set yrange [0:1] }; \
    set label 9 (have(panel_most) ? "" : "nothing measured") at graph 0.5, graph 0.5 center font plain(22) textcolor rgb C_QUIET'

HEAD = 'set label 1 page_title at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK; \
    set label 2 legend(shown) . (shown == RUN && launches[2] > 0 ? "     small, below: " . legend(REFERENCE) : "") \
        at screen 0.02, screen 0.896 left font plain(24) textcolor rgb C_INK; \
    set label 3 page_note at screen 0.02, screen 0.03 left font plain(20) textcolor rgb C_QUIET; \
    set label 4 reference_note at screen 0.98, screen 0.896 right font plain(20) textcolor rgb C_BAD; label_n = 10; object_n = 10'
# HEAD's legend with a mark of each colour, if colours tell run and recording apart.
both = shown == RUN && launches[REFERENCE + 1] > 0
MARK = 'rectangle from screen mark_x, screen 0.884 to screen mark_x + 0.014, screen 0.908 fillstyle solid noborder'
LEGEND_MARKS = 'mark_x = 0.02; set object 1 @MARK fillcolor rgb C_RUN; set label 2 legend(shown) at screen 0.04, screen 0.896; \
    if (both) { mark_x = 0.07 + 0.0068 * strlen(legend(shown)); set object 2 @MARK fillcolor rgb C_REFERENCE; \
        set label 4 legend(REFERENCE) at screen mark_x + 0.02, screen 0.896 left font plain(24) textcolor rgb C_INK }'
FOOT = 'unset label; unset object; unset arrow'
