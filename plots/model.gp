# model.gp: the time model against a GPU: a point for each launch, its measured time across, its modelled time up. Draw it with
#   gnuplot -e "points='build/model/points.csv'; title='...'; output_file='model.svg'; term='svg'" plots/model.gp
# points is written by `compare model --points`: lab, size, half (tuned or held), and both times in ms.

load "plots/style.gp"
set datafile separator ","
set datafile missing "NA"

stats points using (number("gpu_ms")) name "GPU" nooutput
stats points using (number("model_ms")) name "MODEL" nooutput
# Whole decades around all points, in microseconds.
least = 1000 * (GPU_min < MODEL_min ? GPU_min : MODEL_min)
most = 1000 * (GPU_max > MODEL_max ? GPU_max : MODEL_max)
low = 10 ** floor(log10(least))
high = 10 ** ceil(log10(most))

# A colour for each lab by number, in the order of the palette, then again from its start.
stats points using (number("lab")) name "LAB" nooutput
COLOURS = "#0072B2 #E69F00 #009E73 #D55E00 #CC79A7 #56B4E9 #202428"
colour(lab) = word(COLOURS, (lab - 1) % words(COLOURS) + 1)

eval OPEN
set multiplot
set label 1 title at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK
set label 2 "Every launch of the labs at three sizes. On the diagonal the model says what the GPU takes." at screen 0.02, screen 0.895 \
    left font plain(24) textcolor rgb C_QUIET
set logscale xy
set xrange [low:high]
set yrange [low:high]
set format xy "%.0f"
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
set label 11 "●  odd steps: seen while the model was built" at screen 0.72, screen legend_y(1) left font plain(22) textcolor rgb C_INK
set label 12 "○  even steps: held back" at screen 0.72, screen legend_y(2) left font plain(22) textcolor rgb C_INK
do for [lab = LAB_min:LAB_max] {
    set label 20 + lab sprintf("●  lab %d", lab) at screen 0.72, screen legend_y(3 + lab - LAB_min) left font plain(24) textcolor rgb colour(lab)
}

of(lab, half) = number("lab") == lab && strcol("half") eq half
plot x with lines linecolor rgb C_QUIET linewidth 2 notitle, \
    for [lab = LAB_min:LAB_max] points using (of(lab, "tuned") ? 1000 * number("gpu_ms") : NaN):(1000 * number("model_ms")) \
        with points pointtype 7 pointsize 1.3 linecolor rgb colour(lab) notitle, \
    for [lab = LAB_min:LAB_max] points using (of(lab, "held") ? 1000 * number("gpu_ms") : NaN):(1000 * number("model_ms")) \
        with points pointtype 6 pointsize 1.5 linewidth 2 linecolor rgb colour(lab) notitle
unset multiplot
