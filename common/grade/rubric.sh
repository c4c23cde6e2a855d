#!/usr/bin/env bash
# rubric.sh OUT SOLUTION PROGRAM SKELETON -- GRADER...: try a rubric before a class sees it. Prints what the complete program
# and the students' version earn for each step. Fails if the complete program loses a point, or if the students' version, in
# which nothing is written yet, has more than a tenth of a step's points. The reports are in OUT.
set -euo pipefail
out=$1 solution=$2 program=$3 skeleton=$4
shift 5

mkdir -p "$out/handed-out"
rm -f "$out/handed-out/$program"
"$skeleton" write "$solution" "$out/handed-out/$program" >/dev/null

# The complete program comes with an answer to each question.
rm -rf "$out/answered"
mkdir "$out/answered"
cp "$solution" "$out/answered/$program"
sed -n 's/.*BEGIN SOLUTION \([A-Za-z0-9_]*\).*/## \1\n- x before: 1\nAnswer: an answer\n/p' "$solution" >"$out/answered/answers.md"

# earned NAME SUBMISSION: the points for all and for each step, a line each: name, points.
earned() {
    mkdir -p "$out/$1"
    "${grader[@]}" --out "$out/$1" "$2" >"$out/$1/log" || { cat "$out/$1/log" >&2; return 1; }
    awk -F, 'NR == 1 { split($0, name) } NR == 2 { for (i = 3; i < NF; i++) if (i != 4) print name[i], $i; print "of", $4 }' "$out/$1/row.csv"
}
grader=("$@")
earned complete "$out/answered" >"$out/complete.points"
earned handed-out "$out/handed-out/$program" >"$out/handed-out.points"

# The report names what each step is worth.
sed -n 's/^\([A-Za-z0-9_]*\): [0-9.]* of \([0-9.]*\)$/\1 \2/p' "$out/complete/report.txt" |
    awk 'FNR == 1 { file++ } file == 1 { got[$1] = $2; next } file == 2 { skeleton[$1] = $2; next }
        !printed++ { printf "%-28s %8s %9s %11s\n", "step", "points", "complete", "handed out" }
        { worth = $2; printf "%-28s %8g %9g %11g", $1, worth, got[$1], skeleton[$1]
          if (got[$1] < worth) { printf "  the complete program loses points"; bad = 1 }
          if (skeleton[$1] > worth / 10) { printf "  points for nothing"; bad = 1 }
          print "" }
        END { printf "%-28s %8g %9g %11g\n", "all", got["of"], got["points"], skeleton["points"]; exit bad }' \
        "$out/complete.points" "$out/handed-out.points" - || {
    echo "rubric: see $out/complete/report.txt and $out/handed-out/report.txt" >&2
    exit 1
}
