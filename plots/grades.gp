# grades.gp: a class's points by step: the numbers of submissions with all, some and none of a
# step's points. Draw it with
#   gnuplot -e "steps='steps.csv'; title='...'; output_file='steps.svg'; term='svg'" plots/grades.gp
# steps is written by `grade-class collect`: step, all, some, none.

load "plots/style.gp"
set datafile separator ","

stats steps using (column("all") + column("some") + column("none")) name "CLASS" nooutput
students = CLASS_max

eval OPEN
set label 1 title at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK
set label 2 sprintf("%d submissions. Each bar: how many have all, some and none of the step's points.", students) \
    at screen 0.02, screen 0.895 left font plain(24) textcolor rgb C_QUIET

# Bars from the top down in the order of the steps; the legend is above them in the bars' colours.
set label 3 "all" at screen 0.28, screen 0.83 left font bold(24) textcolor rgb C_GOOD
set label 4 "some" at screen 0.34, screen 0.83 left font bold(24) textcolor rgb C_REFERENCE
set label 5 "none" at screen 0.41, screen 0.83 left font bold(24) textcolor rgb C_BAD
set lmargin at screen 0.27
set rmargin at screen 0.97
set tmargin at screen 0.80
set bmargin at screen 0.10
TIC_FONT = plain(22) # set tics takes no expression
set xtics font TIC_FONT
set ytics font TIC_FONT textcolor rgb C_INK
set xrange [0:students]
set yrange [CLASS_records - 0.4:-0.6]
set xlabel "submissions" font plain(24) textcolor rgb C_INK

HALF = 0.35 # of a bar's height
row(r) = r
plot steps using (column("all") / 2.0):(row($0)):(column("all") / 2.0):(HALF):ytic(strcol("step")) skip 0 with boxxyerror linecolor rgb C_GOOD notitle, \
    steps using (column("all") + column("some") / 2.0):(row($0)):(column("some") / 2.0):(HALF) with boxxyerror linecolor rgb C_REFERENCE notitle, \
    steps using (column("all") + column("some") + column("none") / 2.0):(row($0)):(column("none") / 2.0):(HALF) with boxxyerror linecolor rgb C_BAD notitle
