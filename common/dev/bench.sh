#!/usr/bin/env bash
# bench.sh: measure simt's speed: PTX warp instructions per second for each kernel of the programs,
# on 1, 2, 4 ... 16 host threads, as many as the machine has; counting on, without the time model.
#
#   common/dev/bench.sh SIMT 'PROGRAM FLAGS'...     RUNS (2) runs of each on one thread; medians count
#
# BASE names the simt of another build, whose runs alternate with these. The last columns are then
# its processor time over this build's on one thread: the median of the runs' ratios, and the least
# and the greatest. On more threads each program runs once.
set -euo pipefail
simt=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

threads=(1)
for ((n = 2; n <= 16 && n <= $(nproc); n *= 2)); do threads+=("$n"); done

# note BUILD RUN THREADS PROGRAM SIMT: run the program with its flags, and log its launches.
note() {
    local words
    read -ra words <<<"$4"
    : >"$work/run"
    if ! SIMT_RERUN=1 SIMT_BENCH="$work/run" "$5" --quiet --threads "$3" --no-timing --profile "$work/counters" "${words[@]}" \
        --profile >/dev/null; then
        echo "bench: \`$5 $4 --profile\` fails" >&2 && return 1
    fi
    sed "s/^/$1,$2,$3,$(basename "${words[0]}"),/" "$work/run" >>"$work/log"
}

for ((run = 1; run <= ${RUNS:-2}; run++)); do
    for program in "$@"; do
        note this "$run" 1 "$program" "$simt"
        [ -z "${BASE:-}" ] || note base "$run" 1 "$program" "$BASE"
        [ "$run" != 1 ] || for n in "${threads[@]:1}"; do note this 1 "$n" "$program" "$simt"; done
    done
done

# A line of the log: build, run, threads, program, kernel, threads used, instructions, seconds,
# processor seconds. The launches of a run are added up, for each kernel and for all.
# shellcheck disable=SC2016 # awk's $
awk -F, -v threads="${threads[*]}" -v base="${BASE:-}" '
    function median(list, n, values, i, j, held) {
        n = split(list, values, " ")
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && values[j] + 0 < values[j - 1] + 0; j--) {
                held = values[j]; values[j] = values[j - 1]; values[j - 1] = held
            }
        least = values[1]; greatest = values[n]
        return (values[int((n + 1) / 2)] + values[int(n / 2) + 1]) / 2
    }
    function add(row) {
        instructions[row, $1, $2, $3] += $7
        seconds[row, $1, $2, $3] += $8
        processor[row, $1, $2, $3] += $9
    }
    function show(program, kernel, row, t, run, rates, ratios) {
        row = program SUBSEP kernel
        printf "%-16s %12.0f", program, instructions[row, "this", 1, 1]
        for (t = 1; t <= n; t++) {
            rates = ""
            for (run = 1; run <= (t == 1 ? runs : 1); run++)
                rates = rates " " instructions[row, "this", run, counts[t]] / \
                    (1e6 * seconds[row, "this", run, counts[t]] + 1e-9)
            printf " %9.1f", median(rates)
        }
        if (base) {
            for (run = 1; run <= runs; run++)
                ratios = ratios " " processor[row, "base", run, 1] / (processor[row, "this", run, 1] + 1e-9)
            printf " %7.2f", median(ratios)
            printf " %7.2f %7.2f", least, greatest
        }
        print "  " kernel
    }
    {
        if (!(($4, $5) in seen)) { seen[$4, $5] = 1; order[++rows] = $4 SUBSEP $5 }
        add($4 SUBSEP $5); add($4 SUBSEP "all"); add("all" SUBSEP "all")
        if ($2 > runs) runs = $2
    }
    END {
        n = split(threads, counts, " ")
        printf "%-16s %12s", "program", "instructions"
        for (t = 1; t <= n; t++) printf " %9s", "M/s on " counts[t]
        if (base) printf " %7s %7s %7s", "faster", "least", "most"
        print "  kernel"
        for (i = 1; i <= rows; i++) {
            split(order[i], name, SUBSEP)
            if (i > 1 && name[1] != last) show(last, "all")
            last = name[1]
            show(name[1], name[2])
        }
        show(last, "all")
        show("all", "all")
    }' "$work/log" | if command -v c++filt >/dev/null; then c++filt; else cat; fi | sed 's/  void /  /; s/(.*//'
