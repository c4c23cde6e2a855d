#!/usr/bin/env bash
# model-runs.sh TABLE FOLDER METRICS LAB...: measure each kernel's time and these metrics in the
# solutions of these labs, at their model sizes (labs/labs.tsv), and write them to TABLE. Rows of
# other labs and sizes stay. Other files go to FOLDER.
#
# Environment: RUN starts a program; LABPROF profiles one; PROGRAMS is the folder with labN/PROGRAM;
# COMPARE is the program compare; SIMULATED is not empty if times are modelled: then the profiled
# run has them, and there is no other run.
#
# A lab that fails is named and left out. The script measures the others, and exits with 1.
set -uo pipefail
table=$1 folder=$2 metrics=$3
shift 3
read -ra start <<<"${RUN:-}"
read -ra profile <<<"$LABPROF"
readonly REPEAT=10 # timed runs of each kernel: their median is recorded
names=(small medium large)

# shellcheck source=common/tools/labs.bash
. "$(dirname "$0")/../tools/labs.bash"

failures=0
# attempt WHAT COMMAND...: run the command. If it fails, print the end of its output.
attempt() {
    local what=$1
    shift
    "$@" >"$folder/log" 2>&1 && return 0
    tail -n 5 "$folder/log" >&2
    echo "model: $what failed; see above" >&2
    failures=$((failures + 1))
    return 1
}

# measure LAB NAME SIZE: write a row of the table for each launch.
measure() {
    local lab=$1 name=$2 size=$3 program flags began=$SECONDS out
    program=$PROGRAMS/lab$lab/$(lab_field "$lab" program)
    out=$folder/lab$lab-$name
    read -ra flags <<<"$(size_flags "$size")"
    rm -f "$out"-*.csv
    if [ -z "${SIMULATED:-}" ]; then
        attempt "lab $lab, size $size" "${start[@]}" "$program" --repeat "$REPEAT" "${flags[@]}" \
            --csv "$out-run.csv" || return
    fi
    attempt "the profile of lab $lab, size $size" "${profile[@]}" --lab-table \
        --log-file "$out-profile.txt" --lab-metrics "$out-metrics.csv" \
        --lab "$lab" --steps "$out-profiled.csv" --metrics "$metrics" "$program" \
            --profile "${flags[@]}" --csv "$out-profiled.csv"
    [ -z "${SIMULATED:-}" ] || cp "$out-profiled.csv" "$out-run.csv" 2>/dev/null || return
    attempt "the table of lab $lab, size $size" "$COMPARE" collect --into "$table" --size "$name" \
        --problem "$size" --columns "$metrics" \
        "$out-run.csv" "$out-metrics.csv" &&
            echo "  model   lab$lab $name ($size), $((SECONDS - began)) s"
}

mkdir -p "$folder" "$(dirname "$table")" || exit 1
for lab in "$@"; do
    read -ra sizes <<<"$(lab_field "$lab" 'model sizes')"
    # A lab without three model sizes is measured at its default size.
    [ ${#sizes[@]} = 3 ] || sizes=("" "" default)
    for i in 0 1 2; do
        [ -z "${sizes[i]}" ] || measure "$lab" "${names[i]}" "${sizes[i]}"
    done
done
[ "$failures" = 0 ]
