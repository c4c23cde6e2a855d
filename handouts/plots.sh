#!/usr/bin/env bash
# plots.sh FOLDER LAB...: draw the recorded measurements of these labs (lab3, ...) in FOLDER, as the texts show them, and copy those
# that a text shows to handouts/img: labN-*.svg as the simulator plays the lab's GPU, by default an H200; for a text that shows
# img/labN-gpu-*.svg also the H200's own recording, which may go on to larger sizes. Until there is one, that is the simulator's.
set -euo pipefail
. common/tools/labs.bash
folder=$1
shift

# draw LAB NAME ARGUMENT...: pictures FOLDER/NAME-*.svg.
draw() {
    FORMATS=svg plots/draw.sh --lab "${1#lab}" --text never --out "$folder/$2" "${@:3}"
}

# draw_timelines LAB FOLDER NOTE OUT: the timelines of the lab's steps, if they have been recorded.
draw_timelines() {
    local timelines=() file step
    for step in $(lab_field "${1#lab}" timelines); do
        file=$2/timeline-$1-${step%%=*}.csv
        [ ! -f "$file" ] || timelines+=("${step%%=*}=$file")
    done
    [ ${#timelines[@]} = 0 ] ||
        plots/draw-timeline.sh "$4" "Lab ${1#lab}: $(lab_field "${1#lab}" title)" "$3  Colours and numbers: streams." "${timelines[@]}" >/dev/null
}

for lab; do
    recorded=plots/reference/h200-simt/$lab
    simulated=(--run "$recorded.csv" --metrics "$recorded-metrics.csv")
    draw "$lab" "$lab" "${simulated[@]}"
    if grep -q "img/$lab-gpu-" "handouts/$lab.md"; then
        if [ -e "plots/reference/h200/$lab.csv" ]; then simulated=(); else simulated=(--recorded '' "${simulated[@]}"); fi
        draw "$lab" "$lab-gpu" "${simulated[@]}"
    fi
    draw_timelines "$lab" "${recorded%/*}" "Times are modelled." "$folder/$lab-timeline"
    draw_timelines "$lab" plots/reference/h200 "Times are measured, on an H200." "$folder/$lab-h200-timeline"
    for picture in "$folder/$lab"-*.svg; do
        if grep -qF "img/${picture##*/}" README.md handouts/*.md; then cp "$picture" handouts/img/; fi
    done
done
