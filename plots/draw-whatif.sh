#!/bin/sh
# draw-whatif.sh LAB METRICS OUT: draw what each step's time goes into (plots/whatif.gp) as OUT.svg
# and OUT.png, both or neither. METRICS is the metrics.csv of a profile on the simulator.
set -eu
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/drawing.sh"
lab=$1 metrics=$(realpath -m "$2") out=$(realpath -m "$3")
cd "$plots/.."
open_work "$out"

# A line for each step's first row, or of variants the slowest, and one for each of the three things that cost it most (with
# many steps the one), at least 3 %: kind (step, without), words, us, and in a step's the us of the next one.
awk -F '\t' 'FNR == NR { if ($1 ~ /^time_without_/ && $1 != "time_without_all") words[$1] = $4; next }
    FNR == 1 { FS = ","; next }
    $6 == "time_as_it_is" && !($2 in row) { step[++steps] = $2 }
    $6 == "time_as_it_is" && (!($2 in row) || (name[$2] ~ /[(]/ && ($3 !~ /[(]/ || $7 > taken[$2]))) {
        taken[$2] = $7; row[$2] = $3 $4 $5; name[$2] = $3
    }
    $6 in words { time[$2, $3 $4 $5, $6] = $7 }
    END {
        print "kind,words,us,next"
        for (s = 1; s <= steps; s++) {
            k = step[s]
            printf "step,%s,%.6g,%s\n", name[k], taken[k] / 1000, s < steps ? taken[step[s + 1]] / 1000 : "NA"
            for (n = 1; n <= (steps > 10 ? 1 : 3); n++) {
                best = ""
                for (w in words) if ((k, row[k], w) in time && time[k, row[k], w] < 0.97 * taken[k] &&
                    (best == "" || time[k, row[k], w] < time[k, row[k], best])) best = w
                if (best == "") break
                printf "without,without %s,%.6g,NA\n", words[best], time[k, row[k], best] / 1000
                delete time[k, row[k], best]
            }
        }
    }' common/labprof/metrics.tsv "$metrics" >"$work/points.csv"
[ "$(wc -l <"$work/points.csv")" -ge 2 ] || fail "$2 has no times without anything: \`make profile-lab$lab DEVICE=sim\` makes them"
draw plots/whatif.gp "points='$work/points.csv'; lab='$lab'" "$out"
