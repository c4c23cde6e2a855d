#!/usr/bin/env bash
# found.sh NAME PROGRAM [SIMULATOR...]: what finds which fault of lab 13's program as it is handed
# out: print a table with a row for each step, and 1 or 0 in columns that begin with NAME, for
# plots/reference/lab13-found.tsv. At three sizes: 1 is a wrong result, or an error. Then the
# checkers' findings at size 1003: of the simulator, or of the tools of compute-sanitizer.
set -euo pipefail
name=$1 program=$2
simulator=("${@:3}")
readonly CHECKED_SIZE=1003
sizes="1003 1000003 1048576"

if [ ${#simulator[@]} -gt 0 ]; then tools="check"; else tools="memcheck racecheck initcheck synccheck"; fi
found=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
libraries=$(dirname "$found")/../lib/nvidia-cuda-toolkit/compute-sanitizer
sanitizer=("$found")
[ ! -d "$libraries" ] || sanitizer+=(--injection-path "$libraries")

# wrong STEP SIZE: is the result at this size wrong?
wrong() {
    if "${simulator[@]}" "$program" --step "$1" --size "$2" >/dev/null 2>&1; then echo 0; else echo 1; fi
}

# finds TOOL STEP: does it say more than that the program has failed?
finds() {
    local command=("${simulator[@]}" --check) said
    [ "$1" = check ] || command=("${sanitizer[@]}" --tool "$1")
    [ "$1" != memcheck ] || command+=(--report-api-errors no)
    said=$(LABS_CHECKING=1 "${command[@]}" "$program" --profile --size "$CHECKED_SIZE" --step "$2" 2>&1 || true)
    grep -cm 1 -E '^=========.* (reported|detected|read of size|write of size|exited)' <<<"$said" || true
}

# row STEP: its line of the table.
row() {
    printf '%s' "$1"
    for size in $sizes; do printf '\t%s' "$(wrong "$1" "$size")"; done
    for tool in $tools; do printf '\t%s' "$(finds "$tool" "$1")"; done
    echo
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'constant'
for column in $sizes $tools; do printf '\t%s_%s' "$name" "$column"; done
echo
steps=$("${simulator[@]}" "$program" --list | awk '{ print $2 }')
for step in $steps; do
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
    row "$step" >"$work/$step" &
done
wait
for step in $steps; do cat "$work/$step"; done
