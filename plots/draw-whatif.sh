#!/bin/sh
# draw-whatif.sh LAB METRICS OUT: draw what each step's time goes into (plots/whatif.gp) as OUT.svg
# and OUT.png, both or neither. METRICS is the metrics.csv of a profile on the simulator.
set -eu
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/drawing.sh"
lab=$1 metrics=$(realpath -m "$2") out=$(realpath -m "$3")
cd "$plots/.."
open_work "$out"

# A line for each step, and one for each thing that costs it most, with many steps for the one.
awk -f common/tools/what-if.awk common/labprof/metrics.tsv "$metrics" | awk -F '\t' '
    { line[NR] = $0; us[NR] = $2 }
    END {
        print "kind,words,us,next"
        for (s = 1; s <= NR; s++) {
            n = split(line[s], field)
            printf "step,%s,%s,%s\n", field[1], field[2], s < NR ? us[s + 1] : "NA"
            for (i = 3; i < n && (NR <= 10 || i < 5); i += 2)
                printf "without,without %s,%s,NA\n", field[i], field[i + 1]
        }
    }' >"$work/points.csv"
[ "$(wc -l <"$work/points.csv")" -ge 2 ] || fail "$2 has no times without anything: \`make profile-lab$lab DEVICE=sim\` makes them"
draw plots/whatif.gp "points='$work/points.csv'; lab='$lab'" "$out"
