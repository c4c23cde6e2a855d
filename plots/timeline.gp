# timeline.gp: draw what copies and kernels do at the same time: a panel for each timeline that has
# work in streams, with a row for the copies to the device, the kernels, and the copies to the host.
# Only work in streams that the program has made is drawn; colours and numbers tell the streams
# apart. Called by plots/draw-timeline.sh, which gives
#   folder      with the timelines 1.csv, 2.csv ..., as common/lib/timeline.h has them
#   titles      of the panels, separated by |
#   page_title, page_note, term, output_file
# The titles of the others are printed. Exit status 3: no timeline has work in streams.

load "plots/style.gp"

PANELS = 1 + sum [bar_i = 1:strlen(titles)] (titles[bar_i:bar_i] eq "|" ? 1 : 0)
ACTIVITIES = 512 # drawn of a file
DEFAULT_STREAM = 7
at(p, i) = (p - 1) * ACTIVITIES + i
array from[PANELS * ACTIVITIES]
array to[PANELS * ACTIVITIES]
array row[PANELS * ACTIVITIES]
array stream[PANELS * ACTIVITIES] # by the order of its first work, from 1
array count[PANELS]
array streams[PANELS] # their numbers, separated by spaces
array first[PANELS]
array last[PANELS]

row_of(record, name) = record eq "kernel" ? 2 : record eq "memcpy" && name eq "HtoD" ? 1 : record eq "memcpy" && name eq "DtoH" ? 3 : 0
place(list, number) = sum [place_i = 1:words(list)] (word(list, place_i) eq number ? place_i : 0)

set datafile separator ","
READ = 'stats file using (work = row_of(strcol("record"), strcol("name")), work == 0 || number("stream") == DEFAULT_STREAM || count[p] == ACTIVITIES ? 0 : \
    (count[p] = count[p] + 1, i = at(p, count[p]), row[i] = work, from[i] = number("start_ns"), to[i] = number("end_ns"), \
    streams[p] = place(streams[p], strcol("stream")) > 0 ? streams[p] : streams[p] . " " . strcol("stream"), \
    stream[i] = place(streams[p], strcol("stream")), first[p] = -larger(-first[p], -from[i]), last[p] = larger(last[p], to[i]), 1)) nooutput'
longest = NaN
do for [p = 1:PANELS] {
    count[p] = 0
    streams[p] = ""
    first[p] = NaN
    last[p] = NaN
    file = sprintf("%s/%d.csv", folder, p)
    eval READ
    longest = larger(longest, last[p] - first[p])
}
TITLES = titles . "|"
title_at(p) = p == 1 ? TITLES : rest_of(title_at(p - 1))
rest_of(list) = list[strstrt(list, "|") + 1:*]
title(p) = title_at(p)[1:strstrt(title_at(p), "|") - 1]
drawn = sum [p = 1:PANELS] (count[p] > 0 ? 1 : 0)
set print "-"
do for [p = 1:PANELS] { if (count[p] == 0) { print title(p) } }
set print
if (drawn == 0) { exit status 3 }

array COLORS[6] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"]
color(s) = int("0x" . COLORS[(int(s) - 1) % 6 + 1][2:7])
on_color(s) = (int(s) - 1) % 6 == 0 ? 0xFFFFFF : 0x202428 # letters that can be read on it
us(ns) = ns / 1e3
left_of(p, i) = us(from[at(p, i)] - first[p])
right_of(p, i) = us(to[at(p, i)] - first[p])
# Kernels run side by side: each stream has a part of their row.
part(p) = words(streams[p])
middle(p, i) = row[at(p, i)] != 2 ? row[at(p, i)] : 1.6 + 0.8 * (stream[at(p, i)] - 0.5) / part(p)
half(p, i) = row[at(p, i)] != 2 ? 0.36 : 0.36 / part(p)
wide(p, i) = right_of(p, i) - left_of(p, i) > us(longest) / 60

eval OPEN
set multiplot
set label 1 page_title at screen 0.02, screen 0.955 left font bold(40) textcolor rgb C_INK
set label 3 page_note at screen 0.02, screen 0.03 left font plain(20) textcolor rgb C_QUIET
set border 1
set grid xtics
set lmargin at screen 0.14
set rmargin at screen 0.97
set xrange [0:1.04 * us(longest)]
set yrange [3.5:0.5]
unset ytics
array ENGINES[3] = ["to the device", "kernels", "to the host"]
height = 0.74 / drawn
TIC_FONT = plain(20)
panel = 0
do for [p = 1:PANELS] { if (count[p] > 0) {
    panel = panel + 1
    top = 0.86 - (panel - 1) * height
    set tmargin at screen top - 0.04
    set bmargin at screen top - height + 0.07
    set xtics nomirror font TIC_FONT
    set label 10 sprintf("%s: %s µs", title(p), figure(us(last[p] - first[p]))) at screen 0.14, screen top left font bold(26) textcolor rgb C_INK
    do for [e = 1:3] {
        set label 10 + e ENGINES[e] at screen 0.13, graph 1 - (e - 0.5) / 3.0 right font plain(22) textcolor rgb C_INK
    }
    set label 14 (panel == drawn ? "µs" : "") at graph 1, graph -0.16 right font plain(22) textcolor rgb C_INK
    n = count[p] < 2 ? 2 : count[p]
    exists_at(i) = int(i) <= count[p]
    plot sample [i = 1:n:1] '+' using (exists_at($1) ? left_of(p, int($1)) : NaN):(middle(p, int($1))):(left_of(p, int($1))):(right_of(p, int($1))): \
            (middle(p, int($1)) - half(p, int($1))):(middle(p, int($1)) + half(p, int($1))):(color(stream[at(p, int($1))])) \
            with boxxyerror linecolor rgb variable notitle, \
        [i = 1:n:1] '+' using (exists_at($1) && row[at(p, int($1))] != 2 && wide(p, int($1)) ? (left_of(p, int($1)) + right_of(p, int($1))) / 2 : NaN): \
            (middle(p, int($1))):(sprintf("%d", stream[at(p, int($1))])):(on_color(stream[at(p, int($1))])) with labels font bold(22) textcolor rgb variable notitle
    unset label
} }
unset multiplot
unset output
