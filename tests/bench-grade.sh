#!/usr/bin/env bash
# bench-grade.sh BUILD [STUDENTS]: how long does a class take? A class of made-up students for lab
# 3: most steps as in the solution, some wrong as in tests/submissions, some still to do, in a mix
# that is the same every time. Graded twice from nothing: the time of each, and whether the bytes of
# grades.csv are the same.
set -euo pipefail
build=$1 students=${2:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/class"

# The regions of FILE, each into FOLDER/its name.
cut_regions() {
    mkdir -p "$2"
    awk -v folder="$2" \
        '/\/\/ BEGIN SOLUTION/ { file = folder "/" $NF; next } /\/\/ END SOLUTION/ { file = "" } file { print >file }' \
        "$1"
}
cut_regions solutions/lab3-reduction/reduction.cu "$work/right"
cut_regions tests/submissions/lab3-mistakes.cu "$work/wrong"
cut_regions labs/lab3-reduction/reduction.cu "$work/todo"

# Of ten regions eight are right, one is wrong, one to do.
number=0
for student in $(seq -w "$students"); do
    for step in "$work"/right/*; do
        number=$((number * 1103515245 + 12345 & 0x7fffffff))
        kinds=(right right right right right right right right wrong todo)
        printf '// BEGIN SOLUTION %s\n' "${step##*/}"
        cat "$work/${kinds[number / 65536 % 10]}/${step##*/}"
        printf '    // student %s\n// END SOLUTION\n' "$student"
    done >"$work/class/student$student.cu"
done

# grade FOLDER: from nothing; prints seconds.
grade() {
    local start=$SECONDS
    make --no-print-directory BUILD="$build" grade SUBMISSIONS="$work/class" LAB=3 \
        GRADES="$work/$1" >"$work/$1.log" || { cat "$work/$1.log"; return 1; }
    echo "$students submissions of lab 3 with $(nproc) processors: $((SECONDS - start)) s"
}
grade first
grade second
cmp "$work/first/grades.csv" "$work/second/grades.csv" && echo \
    "grades.csv is the same, byte for byte"
sed -n '1p' "$work/first/summary.txt"
