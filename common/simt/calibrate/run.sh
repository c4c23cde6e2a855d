#!/usr/bin/env bash
# run.sh TABLE PROGRAM...: run the calibration programs, and make one table of their figures: name, value, unit, spread, how.
#
# In the environment: RUN, what starts a program; LABPROF, what profiles one; EMPTY, the program that launches an empty kernel when
# told `empty`, so that a profiler can time it; ABOUT, a line on where this was measured. A program that fails is named, and what
# the others measured is kept; the exit code is then 1.
set -uo pipefail
table=$1
shift
read -ra start <<<"${RUN:-}"
read -ra profile <<<"$LABPROF"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

failed() {
    echo "calibrate: $1 failed; see above" >&2
    failures=$((failures + 1))
}

readonly EMPTY_CODE=256 # bytes of code of an empty kernel, in the units in which code is read
# empty_kernel: the rows of kernel_ns and kernel_read_bytes, from the smallest, largest and mean that the profiler saw.
empty_kernel() {
    "${profile[@]}" --csv --kernels empty --metrics gpu_time,dram_read_bytes --log-file "$work/profile.csv" "$EMPTY" empty >"$work/log" || return
    awk -F, -v code="$EMPTY_CODE" '
        /"gpu_time"/ { printf "kernel_ns\t%g\tns\t%g\tan empty kernel, as the profiler times it; the spread is the range\n", $NF, $(NF - 1) - $(NF - 2) }
        /"dram_read_bytes"/ { printf "kernel_read_bytes\t%g\tbytes\t%g\twhat an empty kernel reads from DRAM beside its code; the spread is the range\n", $NF - code, $(NF - 1) - $(NF - 2) }' \
        "$work/profile.csv"
}

{
    echo "# Made by \`make calibrate\` (common/simt/calibrate); do not edit. $ABOUT"
    printf 'name\tvalue\tunit\tspread\thow\n'
    for program in "$@"; do "${start[@]}" "$program" || failed "$(basename "$program")"; done
    empty_kernel || failed "profiling the empty kernel"
} >"$work/table"
if [ "$(grep -vc "^#" "$work/table")" -lt 2 ]; then
    echo "calibrate: nothing was measured; $table is as it was" >&2
    exit 1
fi
mkdir -p "$(dirname "$table")" && cp "$work/table" "$table.tmp" && mv "$table.tmp" "$table" || exit 1
echo "  kept    $table"
[ "$failures" = 0 ]
