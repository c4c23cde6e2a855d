#!/usr/bin/env bash
# bench.sh BUILD 'NAME PROGRAM FLAGS'...: measure simt's speed: million PTX warp instructions per
# processor second of the launches, counting on, without the time model; the median of RUNS (3)
# runs.
#
#   model   processor time of the whole program with the time model over that without (one run)
#   base    the speed of another build, whose folder BASE names; its runs alternate with these
#   ratio   this speed over base: the median of the runs' ratios
#
# THREADS (1): the host's. SIMT_ISA: avx512, avx2 or base; without it the best that the host has.
set -euo pipefail
builds=("$1" ${BASE:+"$BASE"})
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%U %S'

# run BUILD FLAG...: processor seconds of the program; its launches go to the file log.
run() {
    : >"$work/log"
    { time SIMT_RERUN=1 SIMT_BENCH=$work/log "$1/bin/simt" --quiet --threads "${THREADS:-1}" \
        --profile "$work/counters" "${@:2}" --profile &>"$work/output"; } 2>&1 |
        awk '{ print $1 + $2 }' || { cat "$work/output" >&2 && exit 1; }
}

# A line of the log: kernel, threads, instructions, seconds, processor seconds.
speed() {
    awk -F, '{ n += $3; s += $5 } END { print n / 1e6 / (s + 1e-9) }' "$work/log"
}

for program in "$@"; do
    read -ra words <<<"$program"
    with=$(run "${builds[0]}" "${words[@]:1}")
    for ((i = 0; i < ${RUNS:-3}; i++)); do
        line=${words[0]}
        for build in "${builds[@]}"; do
            without=$(run "$build" --no-timing "${words[@]:1}")
            line+=" $(speed)"
            [ "$build" != "${builds[0]}" ] || line+=" $(awk "BEGIN { print $with / $without }")"
        done
        echo "$line"
    done
done | awk -v base="${BASE:-}" '
    function median(of, row, n, i, j, held) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && of[row, j] < of[row, j - 1]; j--) {
                held = of[row, j]; of[row, j] = of[row, j - 1]; of[row, j - 1] = held
            }
        return (of[row, int((n + 1) / 2)] + of[row, int(n / 2) + 1]) / 2
    }
    function show(row, speed, model, was, ratio) {
        printf "%-14s %9.1f %6.2f", row, speed, model
        if (base) printf " %9.1f %6.2f", was, ratio
        print ""
        fflush()
    }
    function finish(speed, was, ratio) {
        if (!runs) return
        speed = median(speeds, last, runs); was = median(bases, last, runs)
        ratio = median(ratios, last, runs)
        show(last, speed, median(models, last, runs), was, ratio)
        if (last !~ /^lab/) return
        labs++; logs += log(speed); base_logs += base ? log(was) : 0
    }
    BEGIN { printf "%-14s %9s %6s%s\n", "program", "M/s", "model", base ? "      base  ratio" : "" }
    $1 != last { finish(); runs = 0; last = $1 }
    {
        speeds[$1, ++runs] = $2; models[$1, runs] = $3
        bases[$1, runs] = $4; ratios[$1, runs] = $4 ? $2 / $4 : 0
    }
    END {
        finish()
        printf "%-14s %9.1f", "labs, geom.", exp(logs / labs)
        if (base) printf "        %9.1f %6.2f", exp(base_logs / labs), exp((logs - base_logs) / labs)
        print ""
    }'
