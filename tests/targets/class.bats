# Grading a class: every kind of submission, independent results, the same bytes again, an interruption that costs nothing.
# needs nvcc

load ../helpers

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
alice,3,30,80,10,10,0,0,10,0,0,0,MISSING
bob,3,30,80,10,10,0,0,10,0,0,0,MISSING
carl,3,0,80,0,0,0,0,0,0,0,0,
empty,3,0,80,0,0,0,0,0,0,0,0,there is no reduction.cu
eve & co,3,0,80,0,0,0,0,0,0,0,0,
frank,3,0,80,0,0,0,0,0,0,0,0,the file is a symbolic link
greta,3,0,80,0,0,0,0,0,0,0,0,GRETA
hanna,3,30,80,10,10,0,0,10,0,0,0,MISSING"
}

grade_class() {
    to_run user_make grade SUBMISSIONS="$class" LAB=3 -- "$@"
}

@test "a class: folders, files and archives, right and hostile" {
    grade_class -0 JOBS=2
    assert_output --partial "8 submissions, 8 graded. Points of 80: lowest 0, median 0, mean 11.2, highest 30"
    assert_equal "$(sed -E 's/the file is not a text.*/GRETA/; s/"?marks missing or damaged: .*/MISSING/' "$grades/grades.csv")" "$expected"
    assert_line --regexp '^greta: the file is not a text: byte [0-9]+ is 0x..$'
    assert_grep "right results in all cases" <"$grades/students/bob/report.txt"
    python3 -m json.tool "$grades/students/eve & co/results.json" >/dev/null
    for picture in steps.svg steps.png; do assert [ -s "$grades/$picture" ]; done
}

@test "who has copied from whom: places to look" {
    assert_equal "$(<"$grades/similar.txt")" $'Text that at most 10 submissions share: tokens, and who (= the same text)\n  439  alice = bob = hanna'
}

@test "again: the same bytes, and nothing is graded twice; what is missing is graded alone" {
    cp "$grades/grades.csv" "$BATS_TEST_TMPDIR/before"
    touch -d '2001-01-01' "$grades"/students/*/row.csv
    rm -r "$grades/students/hanna"
    grade_class -0 JOBS=1
    diff "$BATS_TEST_TMPDIR/before" "$grades/grades.csv"
    assert_equal "$(find "$grades/students" -name row.csv -newermt '2002-01-01')" "$grades/students/hanna/row.csv"
}

@test "a changed submission is graded again, and no other" {
    touch -d '2001-01-01' "$grades"/students/*/row.csv
    cp labs/lab3-reduction/reduction.cu "$class/hanna.cu"
    grade_class -0
    assert_grep '^hanna,3,0,80' <"$grades/grades.csv"
    assert_equal "$(find "$grades/students" -name row.csv -newermt '2002-01-01')" "$grades/students/hanna/row.csv"
}

@test "answers: points where the rubric gives some, and a table for the instructor; nothing shown to others has them" {
    small="$BATS_TEST_TMPDIR/small" rubric="$tree/solutions/lab3-reduction/rubric.tsv" out="$BATS_TEST_TMPDIR/grades"
    cp "$rubric" "$BATS_TEST_TMPDIR/"
    sed -i '/^reduceInterleaved\t2\tidea gld/a reduceInterleaved\t1\tpredicted\t\tPredict.\nreduceInterleaved\t2\tanswered\t\tAnswer.' "$rubric"
    mkdir -p "$small/anna" "$small/desk/labs/lab3-reduction" "$small/desk/labs/lab4-transpose"
    printf '%s\n' '## reduceInterleaved' '- x before: 2' 'Answer: =a secret, of "anna"' | tee "$small/anna/answers.md" "$small/desk/labs/lab3-reduction/answers.md" >"$small/answers.md"
    sed 's/ 2$/ two/; s/=a.*/of ben/' "$small/anna/answers.md" >"$small/desk/labs/lab3-reduction/answers.md"
    echo "## other" >"$small/desk/labs/lab4-transpose/answers.md"
    cp labs/lab3-reduction/reduction.cu "$small/anna/"
    cp labs/lab3-reduction/reduction.cu "$small/desk/labs/lab3-reduction/"
    cp labs/lab3-reduction/reduction.cu "$small/cleo.cu"
    tar -czf "$small/ben.tar.gz" -C "$small/desk" labs
    rm -r "$small/desk"
    run user_make grade SUBMISSIONS="$small" LAB=3 GRADES="$out"
    cp "$BATS_TEST_TMPDIR/rubric.tsv" "$rubric"
    assert_success
    assert_equal "$(cut -d, -f 1,3,4 "$out/grades.csv")" $'student,points,of\nanna,3,83\nanswers.md,0,83\nben,2,83\ncleo,0,83'
    assert_equal "$(<"$out/answers.csv")" $'student,step,what,text\nanna,reduceInterleaved,x before,2\nanna,reduceInterleaved,answer,"\'=a secret, of ""anna"""\nben,reduceInterleaved,x before,two\nben,reduceInterleaved,answer,of ben'
    assert_equal "$(cd "$out" && grep -rl 'secret' . | LC_ALL=C sort)" $'./answers.csv\n./students/anna/answers.md'
    assert_grep "predicted: nothing in answers.md" <"$out/students/cleo/report.txt"
}

@test "say which submissions, of which lab" {
    run -2 user_make grade
    assert_output --partial "SUBMISSIONS=folder"
    run -2 user_make grade SUBMISSIONS="$class" LAB=99
    assert_output --partial "LAB=99"
    run -2 user_make grade SUBMISSIONS=/nowhere LAB=3
    assert_output --partial "/nowhere: No such file or directory"
}

@test "without a sandbox it says so before it begins" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    ln -s /usr/bin/* "$BATS_TEST_TMPDIR/bin/"
    rm "$BATS_TEST_TMPDIR/bin/bwrap"
    # Others can enter the folder: then root has no sandbox either.
    chmod o+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$BATS_FILE_TMPDIR"
    PATH="$BATS_TEST_TMPDIR/bin" grade_class -2 GRADES="$BATS_TEST_TMPDIR/none" NVCC="$(command -v nvcc)"
    assert_output --partial "sandbox: bubblewrap is missing or cannot run here, and "
    assert [ ! -e "$BATS_TEST_TMPDIR/none" ]
}

# ---- One archive of a whole class ----

# unpack ARCHIVE: into $BATS_TEST_TMPDIR/out; `run` has what was said.
unpack() {
    rm -rf "$BATS_TEST_TMPDIR/out"
    mkdir "$BATS_TEST_TMPDIR/out"
    run "$tree/build/bin/grade-class" unpack --out "$BATS_TEST_TMPDIR/out" "$1"
}

# put PATH...: the lab as it was handed out, under each of these names.
put() {
    for path; do mkdir -p "$(dirname "./$path")" && cp "$tree/labs/lab3-reduction/reduction.cu" "./$path"; done
}

# students: as the tables would name them, one a line.
students() {
    "$tree/build/bin/grade-class" grade --out "$BATS_TEST_TMPDIR/names" "$BATS_TEST_TMPDIR/out" -- true >/dev/null
    ls "$BATS_TEST_TMPDIR/names/students"
    rm -r "$BATS_TEST_TMPDIR/names"
}

@test "one archive of a class, as Moodle, Canvas and Gradescope export it" {
    root=$PWD
    mkdir "$BATS_TEST_TMPDIR/moodle" "$BATS_TEST_TMPDIR/canvas" "$BATS_TEST_TMPDIR/gradescope"
    cd "$BATS_TEST_TMPDIR/moodle"
    put "Doe Jane_123_assignsubmission_file_/reduction.cu" "O'Neil [Ann] *_124_assignsubmission_file_/my lab.cu" \
        "王小明_125_assignsubmission_file_/reduction.cu" "-rf_126_assignsubmission_file_reduction.cu"
    mkdir "Doe Jane_123_assignsubmission_onlinetext_" "Poe Ed_127_assignsubmission_file_"
    echo text | tee "Doe Jane_123_assignsubmission_onlinetext_/onlinetext.html" >"Poe Ed_127_assignsubmission_file_/report.pdf"
    zip -qr ../moodle.zip .
    cd ../canvas
    put doejane_123_4567_reduction.cu oneilann_LATE_124_4568_reduction-1.cu
    (cd ../moodle/Doe*_file_ && zip -q ../../canvas/poeed_127_4569_work.zip reduction.cu)
    echo text >poeed_127_4570_report.pdf
    tar -czf ../canvas.tar.gz .
    cd ../gradescope
    put assignment_77_export/submission_1/reduction.cu assignment_77_export/submission_2/a/reduction.cu
    echo :a >assignment_77_export/submission_metadata.yml
    zip -qr ../gradescope.zip .
    cd "$root"

    unpack "$BATS_TEST_TMPDIR/moodle.zip"
    assert_success
    assert_equal "$(students)" $'-rf_126\nDoe Jane_123\nO\'Neil [Ann] *_124\nPoe Ed_127\n王小明_125'
    diff "$BATS_TEST_TMPDIR/out/O'Neil [Ann] *_124_assignsubmission_file_/my lab.cu" labs/lab3-reduction/reduction.cu
    unpack "$BATS_TEST_TMPDIR/canvas.tar.gz"
    assert_success
    assert_output --partial "left out, neither a program nor an archive: poeed_127_4570_report.pdf"
    assert_equal "$(students)" $'doejane_123\noneilann_124\npoeed_127'
    unpack "$BATS_TEST_TMPDIR/gradescope.zip"
    assert_success
    assert_equal "$(students)" $'submission_1\nsubmission_2'
}

@test "an archive of a class: what leads out of it, a link, an odd name is one student's matter; a burst is not" {
    mkdir -p "$BATS_TEST_TMPDIR/bad"
    root=$PWD long=$(printf 'n%.0s' {1..300})
    cd "$BATS_TEST_TMPDIR/bad"
    put alice/reduction.cu bob/reduction.cu $'carl/a\nb.cu' $'dora/\xfc.cu' $'e\e[31m/reduction.cu' fred/reduction.cu
    cp alice/reduction.cu ../outside.cu
    ln -s /etc/passwd alice/link.cu
    ln -s /etc/passwd gina.cu
    mkfifo bob/pipe.cu
    tar -cPf ../odd.tar -- * ../outside.cu "$BATS_TEST_TMPDIR/outside.cu"
    tar -rf ../odd.tar --transform="s|fred|harry/$long|" fred/reduction.cu
    tar -rf ../odd.tar --transform="s|fred/reduction.cu|fred/reduction.cu/below.cu|" fred/reduction.cu
    echo newer >fred/reduction.cu
    tar -rf ../odd.tar fred/reduction.cu
    rm -r bob/pipe.cu
    zip -qry ../odd.zip alice gina.cu ../outside.cu bob
    cd "$root"
    unpack "$BATS_TEST_TMPDIR/odd.tar"
    assert_success
    for said in "a link or a device: alice/link.cu" "a link or a device: bob/pipe.cu" "a link or a device: gina.cu" \
        "a path that leads out of it: ../outside.cu" "a path that leads out of it: $BATS_TEST_TMPDIR/outside.cu" \
        "File name too long: harry/$long/reduction.cu" "Not a directory: fred/reduction.cu/below.cu"; do
        assert_line "grade: left out, $said"
    done
    assert_equal "$(students)" "$(printf '%s\n' alice bob carl dora 'e_[31m' fred gina harry)"
    assert_equal "$(cd "$BATS_TEST_TMPDIR/out" && find . -name '*.cu' -type f | LC_ALL=C sort)" "$(printf '%s\n' ./alice/reduction.cu \
        ./bob/reduction.cu ./carl/a_b.cu $'./dora/\xfc.cu' './e_[31m/reduction.cu' ./fred/reduction.cu)"
    for name in alice/reduction.cu carl/a_b.cu $'dora/\xfc.cu' fred/reduction.cu; do diff "$BATS_TEST_TMPDIR/out/$name" labs/lab3-reduction/reduction.cu; done
    assert_equal "$(<"$BATS_TEST_TMPDIR/out/alice/.left-out")" "link.cu: a link or a device"
    assert_equal "$(<"$BATS_TEST_TMPDIR/out/gina.cu/.left-out")" "gina.cu: a link or a device"
    # What is said of a student is in that student's note.
    run user_make grade SUBMISSIONS="$BATS_TEST_TMPDIR/odd.zip" LAB=3 GRADES="$BATS_TEST_TMPDIR/grades"
    assert_success
    assert_equal "$(tail -n +2 "$BATS_TEST_TMPDIR/grades/grades.csv" | cut -d, -f1,3,13)" "alice,0,left out: link.cu: a link or a device
bob,0,
gina,0,there is no reduction.cu; left out: gina.cu: a link or a device"
    assert_grep '^Note: left out: link.cu: a link or a device' <"$BATS_TEST_TMPDIR/grades/students/alice/report.txt"
    # One student's file that is too large costs nobody else anything; an archive that is too large costs all.
    cd "$BATS_TEST_TMPDIR/bad"
    head -c 20M /dev/zero >bob/reduction.cu
    zip -qr -1 ../large.zip alice bob
    truncate -s 600M ../huge.zip
    cd "$root"
    unpack "$BATS_TEST_TMPDIR/huge.zip"
    assert_failure 1
    assert_output --partial "is larger than 512 MiB: unpack it, and give the folder"
    unpack "$BATS_TEST_TMPDIR/large.zip"
    assert_success
    diff "$BATS_TEST_TMPDIR/out/alice/reduction.cu" labs/lab3-reduction/reduction.cu
    assert_equal "$(stat -c %s "$BATS_TEST_TMPDIR/out/bob/reduction.cu")" 1048577
}

@test "a class is graded from one archive, with names that are none for a shell, and a student twice" {
    mkdir "$BATS_TEST_TMPDIR/odd"
    cd "$BATS_TEST_TMPDIR/odd"
    put "王 小明.cu" "O'Neil \$(touch x).cu" "-rf.cu" "=1+1.cu" "twice.cu" "twice/reduction.cu"
    zip -qr "../it's a class.zip" .
    run user_make grade SUBMISSIONS="$BATS_TEST_TMPDIR/it's a class.zip" LAB=3 GRADES="$BATS_TEST_TMPDIR/odd grades"
    assert_success
    zeros=0,80,0,0,0,0,0,0,0,0,
    assert_equal "$(tail -n +2 "$BATS_TEST_TMPDIR/odd grades/grades.csv" | cut -d, -f1 | paste -sd/)" "'-rf/'=1+1/O'Neil \$(touch x)/twice/twice.cu/王 小明"
    assert_equal "$(grep -c ",3,$zeros" "$BATS_TEST_TMPDIR/odd grades/grades.csv")" 6
    # From a folder even a line end in a name does no harm, nor do letters that are not UTF-8.
    put $'new\nline.cu' $'M\xfcller.cu' $'M\xf6ller.cu'
    run -0 user_make grade SUBMISSIONS="$PWD" LAB=3 GRADES="$BATS_TEST_TMPDIR/odd grades"
    assert_grep "^new_line,3,$zeros" <"$BATS_TEST_TMPDIR/odd grades/grades.csv"
    iconv -f UTF-8 -t UTF-8 "$BATS_TEST_TMPDIR/odd grades/grades.csv" >/dev/null
    assert_grep "^M%FCller,3,$zeros" <"$BATS_TEST_TMPDIR/odd grades/grades.csv"
    assert_grep "^M%F6ller,3,$zeros" <"$BATS_TEST_TMPDIR/odd grades/grades.csv"
}

# ---- Moodle and Canvas ----

@test "one submission that cannot be graded leaves the table of grades to all others" {
    mkdir -p "$BATS_TEST_TMPDIR/moodle" "$BATS_TEST_TMPDIR/grades/students"
    for name in Ann_1 Bob_2; do
        mkdir "$BATS_TEST_TMPDIR/moodle/${name}_assignsubmission_file_"
        cp "$tree/labs/lab3-reduction/reduction.cu" "$BATS_TEST_TMPDIR/moodle/${name}_assignsubmission_file_/"
    done
    touch "$BATS_TEST_TMPDIR/grades/students/Bob_2" # where the grader needs a folder
    run user_make course FOR=moodle LAB=3 SUBMISSIONS="$BATS_TEST_TMPDIR/moodle" GRADES="$BATS_TEST_TMPDIR/grades"
    assert_success
    assert_output --partial "Bob_2: could not be graded"
    assert_grep -x "Participant 1,Ann,0,-" <"$tree/build/course/moodle-lab3/grades.csv"
    assert_grep -x "Participant 2,Bob,,-" <"$tree/build/course/moodle-lab3/grades.csv"
}

@test "Moodle and Canvas: the class's archive in, their tables of grades and their archives of reports out" {
    mkdir "$BATS_TEST_TMPDIR/moodle" "$BATS_TEST_TMPDIR/canvas"
    cd "$BATS_TEST_TMPDIR/moodle"
    put "O'Neil [Ann] *_124_assignsubmission_file/reduction.cu" "=Poe_125_assignsubmission_file_mine.cu" other.cu
    mkdir "Doe Jane_123_assignsubmission_file_"
    cp "$class/alice.cu" "Doe Jane_123_assignsubmission_file_/reduction.cu"
    zip -qr ../moodle.zip .
    run user_make course FOR=moodle LAB=3 SUBMISSIONS="$BATS_TEST_TMPDIR/moodle.zip" GRADES="$BATS_TEST_TMPDIR/grades"
    assert_success
    assert_output --partial "grade: other.cu: left out, because moodle does not name submissions so"
    assert_equal "$(cat "$tree/build/course/moodle-lab3/grades.csv")" "Identifier,Full name,Grade,Last modified (grade)
Participant 125,\"'=Poe\",0,-
Participant 123,Doe Jane,30,-
Participant 124,O'Neil [Ann] *,0,-"
    mkdir out
    bsdtar -C out -xf "$tree/build/course/moodle-lab3/feedback.zip"
    assert_grep '^Lab 3, Doe Jane_123: 30 of 80 points' <"out/Doe Jane_123_assignsubmission_file_/report.txt"
    assert_equal "$(cd out && find . -type f | LC_ALL=C sort | paste -sd' ')" "./=Poe_125_assignsubmission_file_report.txt ./Doe Jane_123_assignsubmission_file_/report.txt ./O'Neil [Ann] *_124_assignsubmission_file/report.txt"

    cd "$BATS_TEST_TMPDIR/canvas"
    put doejane_123_4567_reduction.cu oneilann_LATE_124_4568_reduction-1.cu oneilann_LATE_124_4569_more.cu
    zip -qr ../canvas.zip .
    run user_make course FOR=canvas LAB=3 TITLE="Sums, fast" SUBMISSIONS="$BATS_TEST_TMPDIR/canvas.zip" GRADES="$BATS_TEST_TMPDIR/grades"
    assert_success
    assert_output --partial "oneilann_LATE_124_4569_more.cu: left out, a better one of the student is there"
    assert_equal "$(cat "$tree/build/course/canvas-lab3/grades.csv")" 'Student,ID,SIS User ID,SIS Login ID,Section,"Sums, fast"
    Points Possible,,,,,80
doejane,123,,,,0
oneilann,124,,,,0'
    assert_equal "$(bsdtar -tf "$tree/build/course/canvas-lab3/feedback.zip" | grep -v '/$' | LC_ALL=C sort | paste -sd' ')" "./doejane_123_4567_reduction.cu ./oneilann_LATE_124_4568_reduction-1.cu"
}
