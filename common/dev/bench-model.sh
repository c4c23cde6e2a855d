#!/usr/bin/env bash
# bench-model.sh: measure the cost of the time model: a program's processor time with and without it, on one host thread. Runs
# alternate, so that other programs disturb both alike. Medians count.
#
#   common/dev/bench-model.sh SIMT PROGRAM [ARGS...]     RUNS (5) runs of each
set -euo pipefail
simt=$1
shift
runs=${RUNS:-5}

# cpu FLAG...: seconds of user and system time of a run.
cpu() {
    local TIMEFORMAT='%U %S' seconds
    seconds=$({ time "$simt" --threads 1 "$@" >/dev/null 2>&1; } 2>&1) || { echo "bench-model: \`$simt $*\` fails" >&2 && return 1; }
    awk '{ print $1 + $2 }' <<<"$seconds"
}

median() { printf '%s\n' "$@" | sort -n | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'; }

with=() without=()
for ((run = 0; run < runs; run++)); do
    with+=("$(cpu "$@")")
    without+=("$(cpu --no-timing "$@")")
done
awk -v a="$(median "${with[@]}")" -v b="$(median "${without[@]}")" -v runs="$runs" 'BEGIN {
    printf "time model: %.2f s of processor time with it, %.2f s without (medians of %d): %.2f times\n", a, b, runs, a / b
}'
