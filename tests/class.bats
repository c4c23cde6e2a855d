# Grading a class: every kind of submission, independent results, the same bytes again, an interruption that costs nothing.
# needs nvcc

load helpers

setup_file() {
    copy_project
    export class="$BATS_FILE_TMPDIR/class" grades="$tree/build/grades/lab3"
    mkdir -p "$class/bob" "$class/empty"
    cp tests/submissions/lab3-right.cu "$class/alice.cu"
    cp tests/submissions/lab3-right.cu "$class/bob/reduction.cu"
    cp tests/submissions/lab3-refused.cu "$class/carl.cu"
    (cd labs && zip -qr "$class/eve & co.zip" lab3-reduction)
    ln -s bob/reduction.cu "$class/frank.cu"
    head -c 3000 /dev/urandom >"$class/greta.cu"
    sed 's/sums\[/parts[/g; s/sums\b/parts/g' tests/submissions/lab3-right.cu >"$class/hanna.cu" # a copy with other names
    export expected="student,lab,points,of,reduceNeighboredLess,reduceInterleaved,reduceUnroll2,reduceUnroll4,reduceUnroll8,reduceUnrollWarp8,reduceCompleteUnrollWarp8,reduceCompleteUnroll,note
alice,3,30,80,10,10,0,0,10,0,0,0,
bob,3,30,80,10,10,0,0,10,0,0,0,
carl,3,0,80,0,0,0,0,0,0,0,0,
empty,3,0,80,0,0,0,0,0,0,0,0,there is no reduction.cu
eve & co,3,0,80,0,0,0,0,0,0,0,0,
frank,3,0,80,0,0,0,0,0,0,0,0,the file is a symbolic link
greta,3,0,80,0,0,0,0,0,0,0,0,GRETA
hanna,3,30,80,10,10,0,0,10,0,0,0,"
}

grade_class() {
    run user_make grade SUBMISSIONS="$class" LAB=3 "$@"
}

@test "a class: folders, files and archives, right and hostile" {
    grade_class JOBS=2
    ended_with 0
    printed "8 submissions, 8 graded. Points of 80: lowest 0, median 0, mean 11.2, highest 30"
    [ "$(sed 's/the file is not a text.*/GRETA/' "$grades/grades.csv")" = "$expected" ] || { cat "$grades/grades.csv"; return 1; }
    grep -q "right results in all cases" "$grades/students/bob/report.txt"
    python3 -m json.tool "$grades/students/eve & co/results.json" >/dev/null
    for picture in steps.svg steps.png; do [ -s "$grades/$picture" ]; done
}

@test "who has copied from whom: places to look" {
    grep -q "of hanna is in alice\|of alice is in hanna" "$grades/similar.txt"
    not_similar=$(grep -c "carl" "$grades/similar.txt" || true)
    [ "$not_similar" = 0 ]
}

@test "again: the same bytes, and nothing is graded twice; what is missing is graded alone" {
    cp "$grades/grades.csv" "$BATS_TEST_TMPDIR/before"
    touch -d '2001-01-01' "$grades"/students/*/row.csv
    rm -r "$grades/students/hanna"
    grade_class JOBS=1
    ended_with 0
    cmp "$BATS_TEST_TMPDIR/before" "$grades/grades.csv"
    [ "$(find "$grades/students" -name row.csv -newermt '2002-01-01')" = "$grades/students/hanna/row.csv" ]
}

@test "a changed submission is graded again, and no other" {
    touch -d '2001-01-01' "$grades"/students/*/row.csv
    cp labs/lab3-reduction/reduction.cu "$class/hanna.cu"
    grade_class
    ended_with 0
    grep -q '^hanna,3,0,80' "$grades/grades.csv"
    [ "$(find "$grades/students" -name row.csv -newermt '2002-01-01')" = "$grades/students/hanna/row.csv" ]
}

@test "say which submissions, of which lab" {
    run user_make grade
    ended_with 2
    printed "SUBMISSIONS=folder"
    run user_make grade SUBMISSIONS="$class" LAB=99
    ended_with 2
    printed "LAB=99"
    run user_make grade SUBMISSIONS=/nowhere LAB=3
    ended_with 2
    printed "/nowhere: No such file or directory"
}
