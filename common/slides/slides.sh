#!/usr/bin/env bash
# slides.sh LAB SOURCE PROGRAM SIMULATOR REVEAL RUN.csv OUT.html: one page for a lecture on a lab, which needs no other
# file: source and handout of each step, the stage of what PROGRAM does in it, and its results from RUN.csv. REVEAL: the
# folder of reveal.js.
set -euo pipefail
. common/tools/labs.bash
lab=$1 source=$2 program=$3 simulator=$4 reveal=$5 table=$6 out=$7
[ -s "$table" ] || { echo "slides-lab$lab: there is no $table: nothing recorded there" >&2; exit 1; }
work=$(mktemp -d) && trap 'rm -rf "$work" "$out.tmp"' EXIT

# The recordings of the steps that have a moment. A step that is still to do has no recording.
record() {
    local step to meaning
    while IFS=$'\t' read -r step to meaning _; do
        STRICT=1 STEP=$step common/tools/see.sh "$simulator" "$source" "$program" "$work/$step.html" >/dev/null 2>&1 || continue
        printf '%s\t%s\t%s\n' "$step" "$to" "$meaning" >>"$work/stages.tsv"
    done < <(moments "$lab")
}

# The recording in a page, as page.html encloses it.
recording() {
    sed -n '/<script id="recording"/,/<\/script>/p' "$1" | sed '1d;$d'
}

# What the page needs for its stages: the page of make see-labN once, each step's recording, and the script that joins them.
stages() {
    echo '<script type="text/plain" id="stage">'
    sed 's,</script,<\\/script,g' "$(dirname "${simulator%% *}")/../simt/see.html"
    echo '</script>'
    while IFS=$'\t' read -r step _; do
        echo "<script type=\"application/json\" id=\"recording-$step\">"
        recording "$work/$step.html"
        echo '</script>'
    done <"$work/stages.tsv"
    echo '<script type="module">'
    cat common/slides/stage.js
    echo '</script>'
}

touch "$work/stages.tsv" "$work/costs.tsv"
costs=plots/reference/h200-simt/lab$lab-metrics.csv # a lab that nobody recorded yet has none
[ ! -f "$costs" ] || awk -v sentence=1 -f common/tools/what-if.awk common/labprof/metrics.tsv "$costs" >"$work/costs.tsv"
record
awk -f common/slides/slides.awk "$table" "$source" "$work/stages.tsv" \
    "$work/costs.tsv" "handouts/lab$lab.md" >"$work/slides.md"
pandoc --from markdown --to revealjs --standalone --self-contained --slide-level 2 --resource-path handouts \
    --variable revealjs-url="$reveal" --variable theme=white --variable width=1280 --variable height=720 --variable margin=0.02 --variable hash=true --variable history=false \
    --include-in-header common/slides/style.html --output "$work/slides.html" "$work/slides.md"
stages >"$work/stages.html"
end=$(grep -n '</body>' "$work/slides.html" | tail -n 1 | cut -d: -f1)
{ head -n $((end - 1)) "$work/slides.html" && cat "$work/stages.html" && tail -n +"$end" "$work/slides.html"; } >"$out.tmp"
mv "$out.tmp" "$out"
echo "open $out in a browser: arrows go on and back, G to a slide, S shows the notes; figures from $table"
