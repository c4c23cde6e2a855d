# truth.gp: modelled times against those of a GPU: a point for each launch, its measured time
# across, its modelled time up. Draw it with
#   gnuplot -e "points='build/model/points.csv'; title='...'; output_file='truth.svg'; term='svg'" plots/truth.gp
# points is written by `compare truth --points`: suite (default, sizes or others), half (tuned or
# held), and both times in ms.

load "plots/style.gp"
set datafile separator ","
set datafile missing "NA"

stats points using (number("gpu_ms")) name "GPU" nooutput
stats points using (number("simt_ms")) name "MODEL" nooutput
# Whole decades around all points, in microseconds.
least = 1000 * (GPU_min < MODEL_min ? GPU_min : MODEL_min)
most = 1000 * (GPU_max > MODEL_max ? GPU_max : MODEL_max)
low = 10 ** floor(log10(least))
high = 10 ** ceil(log10(most))

# The suites, their titles and colours.
SUITES = "default sizes others"
TITLES = "'labs, default sizes' 'labs, three sizes' 'programs by others'"
COLOURS = sprintf("%s %s %s", C_RUN, C_REFERENCE, C_GOOD)

eval OPEN
set multiplot
set label 1 title at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK
set label 2 "A point for each launch. On the diagonal the model says what the GPU takes." at screen 0.02, screen 0.895 \
    left font plain(24) textcolor rgb C_QUIET
set logscale xy
set xrange [low:high]
set yrange [low:high]
set format xy "%g"
set grid ytics
TIC_FONT = plain(22) # set tics takes no expression
set xtics font TIC_FONT
set ytics nomirror font TIC_FONT
set xlabel "measured, µs" font plain(24) textcolor rgb C_INK
set ylabel "modelled, µs" font plain(24) textcolor rgb C_INK
set lmargin at screen 0.08
set rmargin at screen 0.70
set tmargin at screen 0.85
set bmargin at screen 0.11

# The bands: within 1.6 times, and within 1.25.
set samples 2
band(f, c, n) = sprintf("set object %d polygon from %g,%g to %g,%g to %g,%g to %g,%g to %g,%g to %g,%g to %g,%g fillcolor rgb '%s' fillstyle solid noborder behind", \
    n, low, low, low, low * f, high / f, high, high, high, high, high / f, low * f, low, low, low, c)
eval band(1.6, "#EEF2F5", 1)
eval band(1.25, "#D8E3EC", 2)

# The legend, to the right of the plot.
legend_y(i) = 0.80 - 0.05 * i
set label 10 "band: within 1.25 and 1.6 times" at screen 0.72, screen legend_y(0) left font plain(24) textcolor rgb C_INK
set label 11 "●  tuned with" at screen 0.72, screen legend_y(1) left font plain(24) textcolor rgb C_INK
set label 12 "○  held back: one in three" at screen 0.72, screen legend_y(2) left font plain(24) textcolor rgb C_INK
do for [i = 1:words(SUITES)] {
    set label 20 + i sprintf("●  %s", word(TITLES, i)) at screen 0.72, screen legend_y(2 + i) left font plain(24) textcolor rgb word(COLOURS, i)
}

of(suite, half) = strcol("suite") eq suite && strcol("half") eq half
plot x with lines linecolor rgb C_QUIET linewidth 2 notitle, \
    for [i = 1:words(SUITES)] points using (of(word(SUITES, i), "tuned") ? 1000 * number("gpu_ms") : NaN):(1000 * number("simt_ms")) \
        with points pointtype 7 pointsize dot(7) linecolor rgb word(COLOURS, i) notitle, \
    for [i = 1:words(SUITES)] points using (of(word(SUITES, i), "held") ? 1000 * number("gpu_ms") : NaN):(1000 * number("simt_ms")) \
        with points pointtype 6 pointsize dot(8) linewidth 2 linecolor rgb word(COLOURS, i) notitle
unset multiplot
