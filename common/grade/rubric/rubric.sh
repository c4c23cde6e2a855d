#!/usr/bin/env bash
# rubric.sh OUT LAB SOLUTION PROGRAM SKELETON -- GRADER...: try a rubric before a class sees it.
# Prints what each step earns in the complete program, in the students' version, with the text of
# each earlier step (copies.awk), and in the programs without ideas,
# tests/submissions/labN-without-*.cu, such as those in which one thread does all. Fails if the
# complete program loses a point, if the students' version has more than a tenth of a step's points,
# any other more than a fifth, or if no row of a step's shows its idea. The reports are in OUT.
set -euo pipefail
out=$1 lab=$2 solution=$3 program=$4 skeleton=$5
shift 6
grader=("$@")
rubric=$(dirname "$solution")/rubric.tsv

rm -rf "$out"
mkdir -p "$out/answered" "$out/handed"
"$skeleton" write "$solution" "$out/handed/$program" >/dev/null

# The complete program comes with an answer to each question.
cp "$solution" "$out/answered/$program"
sed -n 's/.*BEGIN SOLUTION \([A-Za-z0-9_]*\).*/## \1\n- x before: 1\nAnswer: an answer\n/p' \
    "$solution" >"$out/answered/answers.md"

# earned NAME SUBMISSION: print a line for each step of the report: name, earned, points.
earned() {
    mkdir -p "$out/$1"
    "${grader[@]}" --out "$out/$1" "$2" >"$out/$1/log" || { cat "$out/$1/log" >&2; return 1; }
    sed -n 's/^\([A-Za-z0-9_]*\): \([0-9.]*\) of \([0-9.]*\)$/\1 \2 \3/p' "$out/$1/report.txt"
}

bad=0
# judge WHAT BOUND REMARK, lines of `earned`: print them with the remark where a step has more than
# that part of its points.
judge() {
    awk -v what="$1" -v bound="$2" -v remark="$3" '
        { over = $2 > $3 * bound + 1e-9; bad += over
          printf "%-28s %-34s %6g of %g%s\n", $1, what, $2, $3, over ? "  " remark : "" }
        { got += $2; worth += $3 }
        END { if (what !~ /^copied /) printf "%-28s %-34s %6g of %g\n", "all", what, got, worth
              exit bad > 0 }' || bad=1
}

complete=$(earned complete "$out/answered")
awk '{ lost = $2 < $3; bad += lost
    printf "%-28s %-34s %6g of %g%s\n", $1, "complete", $2, $3,
        lost ? "  the complete program loses points" : "" }
    { got += $2; worth += $3 }
    END { printf "%-28s %-34s %6g of %g\n", "all", "complete", got, worth; exit bad > 0 }' \
        <<<"$complete" || bad=1
points=$(earned handed-out "$out/handed/$program")
judge "handed out" 0.1 "points for nothing" <<<"$points"

# The k-th program of copies has in each step the text of the step k before it.
for ((k = 1; ; k++)); do
    mkdir "$out/copied-$k"
    awk -v back="$k" -v pairs="$out/copied-$k/pairs" -f common/grade/rubric/copies.awk "$solution" \
        "$solution" >"$out/copied-$k.cu"
    [ -s "$out/copied-$k/pairs" ] || break
    points=$(earned "copied-$k" "$out/copied-$k.cu")
    while IFS=$'\t' read -r step from what; do
        case $what in
            copied)
                judge "copied $from" 0.2 "points without the idea" < <(grep "^$step " <<<"$points")
                ;;
            same) printf '%-28s %-34s   %s\n' "$step" "copied $from" "$what" ;;
        esac
    done <"$out/copied-$k/pairs"
done

for path in tests/submissions/lab"$lab"-without-*.cu; do
    [ -e "$path" ] || continue
    name=$(basename "$path" .cu)
    awk -f common/grade/rubric/regions.awk "$path" >"$out/$name.cu"
    points=$(earned "$name" "$out/$name.cu")
    judge "${name#lab*-}" 0.2 "points without the idea" <<<"$points"
done

# What shows the idea: a row that says so, or the launches, or what the step must do. Or nothing but
# results counts.
awk -F'\t' '/^#/ || $1 == "step" { next }
    { steps[$1] = 1 }
    $3 ~ /^(idea .*|launches|must)$/ { idea[$1] = 1 }
    $3 !~ /^(correct|predicted|answered)$/ { more[$1] = 1 }
    END { for (s in steps) if (more[s] && !idea[s]) {
              print "rubric: no row of " s " shows its idea: begin one with `idea`"; bad = 1 }
          exit bad }' "$rubric" >&2 || bad=1
[ "$bad" = 0 ] || { echo "rubric: see $out/*/report.txt" >&2; exit 1; }
