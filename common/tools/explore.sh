#!/usr/bin/env bash
# explore.sh LAB SIMULATOR PROGRAM PAGE [ARGUMENTS]: a page on which a lab's launches can be changed
# and run again, recorded at several sizes and block sizes: those of SIZE and BLOCK, words, or of
# common/explore/labs.tsv. What the program refuses is left out.
set -euo pipefail
lab=$1 simulator=$2 program=$3 page=$4
shift 4
IFS=$'\t' read -r _ sizes blocks why_not < <(
    awk -F'\t' -v OFS='\t' -v lab="$lab" '$1 == lab { $2 = $2 == "" ? "-" : $2
        $3 = $3 == "" ? "-" : $3; print }' common/explore/labs.tsv)
[ -z "$why_not" ] || { echo "explore-lab$lab: lab $lab has no such page: $why_not" >&2; exit 2; }
[ -z "$BLOCK" ] || blocks=$BLOCK
[ -z "$SIZE" ] || sizes=$SIZE
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

for size in $sizes; do
    for block in $blocks; do
        # A step that is wrong ends the program with 1, and is on the page.
        # shellcheck disable=SC2086 # a command and its flags
        SIMT_EXPLORE_RUN="size $size, block $block" $simulator --quiet --no-timing \
            --explore "$parts/$size-$block.html" "$program" --profile --size "$size" \
            --block "$block" "$@" >"$parts/log" 2>&1 || true
    done
done
found=$(find "$parts" -name '*.html' | sort -V)
[ -n "$found" ] || { cat "$parts/log" >&2; exit 1; }
# A page holds an object a line between [ and ]; the joined one has each once.
# shellcheck disable=SC2086 # names without spaces
awk 'FNR == 1 { file++; within = 0 }
    $0 == "]" { within = 0 }
    file == 1 && !within { before[++n] = $0 }
    within && $0 != "{}" && !seen[$0]++ { line[++lines] = $0 }
    $0 == "[" { within = 1; if (file == 1) at = n }
    END {
        for (i = 1; i <= n; i++) {
            print before[i]
            if (i == at) { for (k = 1; k <= lines; k++) print line[k]; print "{}" }
        }
    }' $found >"$page"
echo "Open $page in a browser."
