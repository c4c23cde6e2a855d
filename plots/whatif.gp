# whatif.gp: what each step's time goes into: a bar for the step as it is, under it a thinner one
# for its time without one thing, and on the step's bar the next step's time. Draw it with
# plots/draw-whatif.sh, which writes points: kind, words, us, next.

load "plots/style.gp"
set datafile separator ","
set datafile missing "NA"

stats points using (number("us")) nooutput
rows = STATS_records
most = STATS_max * 1.12
LEFT = 0.25
RIGHT = 0.96
TOP = 0.86
BOTTOM = 0.09

eval OPEN
set label 1 sprintf("Lab %s: what the time goes into (modelled)", lab) at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK
set label 2 "Below each kernel the same run without one thing. Diamond: the next step's time. Kernels alone: a run also waits for the launch and for earlier writes." at screen 0.02, screen 0.905 \
    left font plain(24) textcolor rgb C_QUIET
set lmargin at screen LEFT
set rmargin at screen RIGHT
set tmargin at screen TOP
set bmargin at screen BOTTOM
set xrange [0:most]
set yrange [rows + 0.5:0.5]
TIC_FONT = plain(20)
set xtics font TIC_FONT
set xlabel "µs" font plain(22) textcolor rgb C_INK
unset ytics
set border 1

size = rows > 30 ? 17 : 22 # of letters
# A figure stands after its bar, or after a diamond in its place.
after(us, next) = have(next) && next > us - 0.02 * most && next < us + 0.06 * most ? larger(us, next) + 0.005 * most : us
is(kind) = strcol("kind") eq kind
plot points using (0):($0 + 1):(0):(is("step") ? number("us") : NaN):($0 + 0.62):($0 + 1.38) with boxxyerror linecolor rgb C_RUN notitle, \
    points using (0):($0 + 1):(0):(is("without") ? number("us") : NaN):($0 + 0.75):($0 + 1.25) with boxxyerror linecolor rgb "#9CC3DC" notitle, \
    points using (number("next")):($0 + 1) with points pointtype 13 pointsize dot(9) linecolor rgb "white" notitle, \
    points using (number("next")):($0 + 1) with points pointtype 13 pointsize dot(7) linecolor rgb C_REFERENCE notitle, \
    points using (after(number("us"), number("next"))):($0 + 1):(sprintf("  %s", figure(number("us")))) with labels left font plain(size) textcolor rgb C_INK notitle, \
    points using (0):($0 + 1):(is("step") ? strcol("words") . "  " : "") with labels right font bold(size) textcolor rgb C_INK notitle, \
    points using (0):($0 + 1):(is("without") ? strcol("words") . "  " : "") with labels right font plain(size) textcolor rgb C_QUIET notitle
