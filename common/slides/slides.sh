#!/usr/bin/env bash
# slides.sh LAB SOURCE REVEAL OUT.html [RUN.csv]...: one page for a lecture on a lab, which needs no other file: source and handout
# of each step, and its results from the RUN.csv that has most steps measured, the first of several. REVEAL: the folder of reveal.js. Arrow keys
# go on and back, G and a number go to a slide, S shows the speaker's notes.
set -euo pipefail
lab=$1 source=$2 reveal=$3 out=$4
shift 4

# The steps that have a time in a table.
measured() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_ms") time = i; next }
        $2 ~ /^[0-9]+$/ && $time + 0 > 0 { print $2 }' "$1" | sort -u | wc -l
}

most=0 table=
for candidate; do
    if [ -s "$candidate" ] && [ "$(measured "$candidate")" -gt "$most" ]; then most=$(measured "$candidate") table=$candidate; fi
done
[ -n "$table" ] || { echo "slides-lab$lab: no results; \`make lab$lab\` measures some" >&2; exit 1; }
text=$(mktemp) && trap 'rm -f "$text" "$out.tmp"' EXIT
awk -v lab="$lab" -f common/slides/slides.awk "$table" "$source" "handouts/lab$lab.md" >"$text"
pandoc --from markdown --to revealjs --standalone --self-contained --slide-level 2 --resource-path handouts \
    --variable revealjs-url="$reveal" --variable theme=white --variable hash=true --variable history=false \
    --include-in-header common/slides/style.html --output "$out.tmp" "$text"
mv "$out.tmp" "$out"
echo "open $out in a browser: arrows go on and back, G to a slide, S shows the notes; figures from $table"
