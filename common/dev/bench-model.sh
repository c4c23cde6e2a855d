#!/usr/bin/env bash
# bench-model.sh: measure what the time model costs: a program's run with modelled times over one
# without, on 1, 2, 4 ... 16 host threads, as many as the machine has. Runs alternate, so that other
# programs disturb both alike. Medians count.
#
#   common/dev/bench-model.sh SIMT 'PROGRAM FLAGS'...     RUNS (1) runs of each
set -euo pipefail
simt=$1
shift
runs=${RUNS:-1}

# seconds FLAG...: elapsed and processor time of a run.
seconds() {
    local TIMEFORMAT='%R %U %S' times
    times=$({ time "$simt" --quiet "$@" --profile >/dev/null 2>&1; } 2>&1) || {
        echo "bench-model: \`$simt $* --profile\` fails" >&2
        return 1
    }
    awk '{ print $1, $2 + $3 }' <<<"$times"
}

# column N LINE...: the median of the lines' column N.
column() {
    printf '%s\n' "${@:2}" | sort -n -k"$1,$1" |
        awk -v n="$1" '{ value[NR] = $n } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'
}

printf '%-16s %7s  %s\n' 'time model' threads 'seconds with and without, ratio; of processor time with and without, ratio'
for program in "$@"; do
    for ((threads = 1; threads <= 16 && threads <= $(nproc); threads *= 2)); do
        with=() without=()
        read -ra words <<<"$program"
        for ((run = 0; run < runs; run++)); do
            with+=("$(seconds --threads "$threads" "${words[@]}")")
            without+=("$(seconds --threads "$threads" --no-timing "${words[@]}")")
        done
        awk -v program="$(basename "${words[0]}")" -v threads="$threads" '{
            printf "%-16s %7d  %6.2f %6.2f %5.2f   %6.2f %6.2f %5.2f\n", program, threads, $1, $2, $1 / $2, $3, $4, $3 / $4
        }' <<<"$(column 1 "${with[@]}") $(column 1 "${without[@]}") $(column 2 "${with[@]}") $(column 2 "${without[@]}")"
    done
done
