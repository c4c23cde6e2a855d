# style.gp: the common style of all plots, and helpers that read the labs' tables. Load it first.
#
# The palette of Okabe and Ito suits colour-blind readers. Position and labels carry the meaning,
# colour only helps. Sizes suit the back row of a lecture hall: 1920x1080, text at least 20 pixels
# high. Works without a display (svg and pngcairo) and never touches the network.
#
# Variables that a caller may set:
#   term   svg | png | dumb (text for the terminal)     default svg
#   color  1: colour in the terminal's text             default 1
#   width  columns of the terminal                      default 100
#   ascii  1: no letters outside ASCII in the text      default 0

if (!exists("term")) term = "svg"
if (!exists("color")) color = 1
if (!exists("width")) width = 100
if (!exists("ascii")) ascii = 0

set encoding utf8

# ---- Colours and line types -------------------------------------------------------------------

C_RUN       = "#0072B2" # the reader's run
C_REFERENCE = "#E69F00" # the recorded measurement beside it
C_TODO      = "#C4C8CC" # the solution's figure for a step still to do
C_BAD       = "#D55E00" # a wrong result, an error
C_GOOD      = "#009E73"
C_INK       = "#202428"
C_QUIET     = "#6A7178"
C_RULE      = "#D9DCDF"

set linetype 1 lc rgb C_RUN       lw 2
set linetype 2 lc rgb C_REFERENCE lw 2
set linetype 3 lc rgb C_GOOD      lw 2
set linetype 4 lc rgb C_BAD       lw 2
set linetype 5 lc rgb "#CC79A7"   lw 2
set linetype 6 lc rgb "#56B4E9"   lw 2

# The two drivers measure a font differently; px turns a height in pixels of a 1920x1080 picture
# into either's size. The svg driver takes one family only: plots/draw.sh adds others to it for
# machines that lack this one.
px(n) = term eq "png" ? 0.75 * n : n
plain(n) = sprintf("DejaVu Sans,%g", px(n))
bold(n) = sprintf("DejaVu Sans:Bold,%g", px(n))

# The size of a point whose circle has a radius of n pixels of a 1920x1080 picture: the drivers' own
# unit is 3 pixels or 7.5.
dot(n) = term eq "png" ? n / 3.0 : n / 7.5

# Opens the output file of a 1920 pixels wide picture; noenhanced keeps underscores underscores.
if (term eq "png") {
    OPEN = 'set terminal pngcairo noenhanced size 1920,1080 background "white" font "DejaVu Sans,15"; set output output_file'
} else {
    OPEN = 'set terminal svg noenhanced size 1920,1080 dynamic background "white" font "DejaVu Sans,20"; set output output_file'
}

set border 3 back lc rgb C_QUIET lw 1
set tics nomirror scale 0.5 textcolor rgb C_QUIET
set grid xtics back lc rgb C_RULE lw 1 dashtype solid
set style fill solid 1.0 noborder
set title ""
unset key

# ---- Reading run.csv and metrics.csv ----------------------------------------------------------

# A column of the row being read. NA is "not available", never 0: as a number it is NaN, which draws
# no bar, and its label says n/a. (gnuplot's real() refuses "1e9"; column() reads it.)
number(c) = (strcol(c) eq "" || strcol(c) eq "NA") ? NaN : column(c)
have(x) = x == x
# A memory's peak in GB/s from its clock and the bits of its bus, with two transfers a clock, as the
# labs print it.
memory_peak(mhz, bits) = 2e-3 * mhz * bits / 8
larger(a, b) = !have(b) ? a : (!have(a) || b > a) ? b : a
starts(s, prefix) = strlen(s) >= strlen(prefix) && s[1:strlen(prefix)] eq prefix
simulated(device) = strstrt(device, " (simt)") > 0
product(device) = simulated(device) ? device[1:strstrt(device, " (simt)") - 1] : device

# Three significant digits without an exponent: 0.0452, 4.52, 45.2, 452, 4520.
digits(x) = abs(x) >= 99.95 ? 0 : abs(x) >= 9.995 ? 1 : abs(x) >= 0.9995 ? 2 : abs(x) >= 0.09995 ? 3 : 4
figure(x) = !have(x) ? "n/a" : x == 0 ? "0" : sprintf(sprintf("%%.%df", digits(x)), x)

# The next of 1, 2, 5 times a power of ten: a step for tics.
power(x) = 10 ** floor(log10(x))
nice(x) = x <= 1 * power(x) ? power(x) : x <= 2 * power(x) ? 2 * power(x) : x <= 5 * power(x) ? 5 * power(x) : 10 * power(x)
# A step for about n tics on an axis from 0 to end.
tic_step(end, n) = nice(real(end) / n)

repeat(s, n) = n < 1 ? "" : s . repeat(s, n - 1)
left(s, n) = s . repeat(" ", n - strlen(s))
right(s, n) = repeat(" ", n - strlen(s)) . s
short(s, n) = strlen(s) <= n ? s : s[1:n - 1] . "…"
