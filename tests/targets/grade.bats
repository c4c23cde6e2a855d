# Grading: planted submissions earn what they must, for the reason that they must; nothing leaves the sandbox; the guard lets
# nothing out of a region.

load ../helpers

setup_file() {
    copy_project
    export reports="$BATS_FILE_TMPDIR/reports" results="$BATS_FILE_TMPDIR/results" planted="$BATS_FILE_TMPDIR/planted"
    mkdir "$reports" "$results" "$planted"
    # Lab 3's rubric and programs without ideas: `make rubric-lab3` in readme.bats tries them.
    for file in $(ls tests/submissions/*.cu | grep -v lab3-without); do awk -f common/grade/rubric/regions.awk "$file" >"$planted/$(basename "$file")"; done
    learn_commands
    {
        for file in "$planted"/*.cu; do printf '%s\0%s\0' "$(basename "$file" .cu)" "$file"; done
        for lab in solutions/lab*/; do
            number=$(number_of "$lab")
            printf '%s\0%s\0' "lab$number-solution" "$lab" "lab$number-skeleton" "labs/$(basename "$lab")"
        done
    } | xargs -0 -n 2 -P "$(nproc)" "$BATS_FILE_TMPDIR/grade"
}

# number_of FOLDER: of a lab's folder.
number_of() {
    local name
    name=$(basename "$1")
    name=${name#lab}
    echo "${name%%-*}"
}

# make builds what grading needs, and says how it grades: once for all labs, because it takes a second to start. The program
# grade NAME PATH does the same then. It keeps the report under the name, which begins with labN, and the other results.
learn_commands() {
    local goals=()
    for lab in solutions/lab*/; do goals+=("grade-lab$(number_of "$lab")"); done
    mkdir "$BATS_FILE_TMPDIR/empty"
    user_make "${goals[@]}" SUBMISSION="$BATS_FILE_TMPDIR/empty" >"$BATS_FILE_TMPDIR/make.log" || { cat "$BATS_FILE_TMPDIR/make.log"; return 1; }
    user_make -n "${goals[@]}" SUBMISSION=PLACE | sed -n 's|--out [^ ]* .*PLACE.*|--out "$out" "$path"|p' >"$BATS_FILE_TMPDIR/commands"
    cat >"$BATS_FILE_TMPDIR/grade" <<'PROGRAM'
#!/bin/bash
name=$1 path=$(realpath -s "$2") out=$results/$1
lab=${name#lab}
mkdir -p "$out"
cd "$tree" && eval "$(grep -- "--lab ${lab%%-*} " "${results%/*}/commands")" >"$reports/$name" 2>&1 || echo "the grader failed" >>"$reports/$name"
PROGRAM
    chmod +x "$BATS_FILE_TMPDIR/grade"
}

grade() {
    "$BATS_FILE_TMPDIR/grade" "$@"
}

# report NAME [STEP]: what the student reads, of all steps or of one.
report() {
    awk -v step="${2:-}" 'step == "" { print; next } /^[^ ]/ { on = $1 == step ":" } on' "$reports/$1"
}

# earned NAME STEP: points, from the line for Autolab.
earned() {
    sed -n "\$s/.*\"$2\":\([0-9.]*\).*/\1/p" "$reports/$1"
}

# steps_of FILE: those that have marks in it.
steps_of() {
    grep -oP '(?<=BEGIN SOLUTION )\w+' "$1"
}

sandbox() {
    to_run "$tree/build/bin/sandbox" -- "$@"
}

@test "planted submissions earn what they must, for the reason that they must" {
    while IFS=$'\t' read -r name _ step points reason with_clang; do
        [[ $name != \#* && $name != submission ]] || continue
        with_nvcc || reason=${with_clang:-$reason}
        [ "$step" != '*' ] || step=$(steps_of "$planted/$name.cu")
        for step in $step; do
            assert_equal "$name, $step: $(earned "$name" "$step")" "$name, $step: $points"
            output=$(report "$name" "$step") assert_output --partial -- "$reason"
        done
    done <tests/submissions/expected.tsv
}

@test "every step of a planted submission is expected to come to something, or has no marks" {
    expected=$(<tests/submissions/expected.tsv)
    for file in "$planted"/*.cu; do
        name=$(basename "$file" .cu)
        for step in $(steps_of "$file"); do
            assert_regex "$expected" $'\n'"$name"$'\t[0-9]+\t'"($step|\*)"$'\t'
        done
    done
}

@test "solutions earn all points" {
    for lab in solutions/lab*/; do
        assert_grep -E '^Lab .*: ([0-9]+) of \1 points' < <(report "lab$(number_of "$lab")-solution")
    done
}

@test "a submission that was handed out and not touched earns nothing, and nothing is compiled for it" {
    for lab in solutions/lab*/; do
        number=$(number_of "$lab")
        assert_grep '^Lab .*: 0 of [1-9][0-9]* points' < <(report "lab$number-skeleton")
        steps=$(grep -c 'BEGIN SOLUTION' "$lab"/*.cu)
        output=$(report "lab$number-skeleton") assert_lines "$steps" 'correct: still to do'
    done
}

@test "a rubric is tried: rows that the complete program loses, and steps without an idea, are told" {
    rubric="$tree/solutions/lab4-transpose/rubric.tsv"
    cp "$rubric" "$BATS_TEST_TMPDIR/"
    sed -i '/^smemPad\t/s/\tidea /\t/' "$rubric"
    printf 'patches\t3\tgst_efficiency\t> 100\tNo warp stores so well.\n' >>"$rubric"
    run user_make rubric-lab4
    cp "$BATS_TEST_TMPDIR/rubric.tsv" "$rubric"
    assert_failure 2
    assert_line --regexp '^patches +complete +10 of 13  the complete program loses points$'
    assert_lines 1 'loses points$'
    assert_line --regexp '^smemUnrollPad +complete +10 of 10$'
    assert_line --regexp '^smemUnrollPad +copied smemUnroll +2 of 10$'
    assert_line --regexp '^smemUnroll +copied copyCol +0 of 10$'
    assert_line --regexp '^all +handed out +0 of 83$'
    for what in 'copied smem' 'copied naiveRow' without-ideas; do
        assert_line --regexp "^smemPad +$what +8 of 10  points without the idea$"
    done
    assert_lines 3 'points without the idea$'
    assert_line --regexp '^all +without-ideas +18\.6 of 83$'
    assert_line 'rubric: no row of smemPad shows its idea: begin one with `idea`'
    assert_output --partial "rubric: see "
}

@test "every step with more than results has a row that shows its idea" {
    for rubric in solutions/*/rubric.tsv; do
        steps() { awk -F'\t' -v rows="$1" '!/^#/ && $1 != "step" && $3 ~ rows { print $1 }' "$rubric" | sort -u; }
        [[ $rubric != *lab12* ]] || continue
        assert_equal "$rubric: $(comm -23 <(steps '^(clean|order|.*[<>_@].*)$') <(steps '^(idea .*|launches|must)$'))" "$rubric: "
    done
}

@test "every lab has a rubric" {
    for lab in solutions/lab*/; do
        assert [ -s "$lab/rubric.tsv" ]
        assert [ -s "$lab/cases.tsv" ]
    done
}

@test "every case with random input has a seed of its own, and none is the one that students run with" {
    for cases in solutions/*/cases.tsv; do
        seeds=$(grep -oP '(?<=--seed )\d+' "$cases" || true)
        assert_equal "$cases, twice: $(sort <<<"$seeds" | uniq -d)" "$cases, twice: "
        refute_grep -x 1 <<<"$seeds" # --seed 1 is the default
    done
}

@test "a report shows no seed, and no line of the solution" {
    # A hash may have any digits; `graded` is nothing but one.
    for file in $(find "$results" -name graded); do assert_regex "$(<"$file")" '^[0-9a-f]{16}$'; done
    assert [ -n "$file" ]
    for seed in $(grep -ohP '(?<=--seed )\d+' solutions/*/cases.tsv); do
        refute_grep -rP --exclude=graded "(?<![\d.])$seed(?![\d.])" "$reports" "$results"
    done
    awk '/BEGIN SOLUTION/ { on = 1; next } /END SOLUTION/ { on = 0 } on && length > 40' solutions/*/*.cu >"$BATS_TEST_TMPDIR/lines"
    assert [ -s "$BATS_TEST_TMPDIR/lines" ]
    # regions.c is what the student has written, which is the solution here.
    refute_grep -rFf "$BATS_TEST_TMPDIR/lines" --exclude=regions.c "$reports" "$results"
}

@test "a report says for which kind of size a step is wrong, and nothing that would tell the size" {
    assert_grep "wrong with a size that is no multiple of the block$" <"$reports/lab3-mistakes"
    # The instructor's lines in lab 11 say what they want; numbers of threads, blocks and elements are in no report.
    run grep -rnE '\(index |: got |thread \(|block \(|0x[0-9a-f]' "$reports" "$results" --include='lab*' --include=report.txt --include=results.json
    assert_failure 1
}

@test "results as Gradescope and Autolab read them, and a row" {
    folder="$results/lab4-solution"
    run -0 python3 -c 'import json, sys
results = json.load(open(sys.argv[1]))
print(results["score"], sum(t["score"] for t in results["tests"]), sum(t["max_score"] for t in results["tests"]))
print([(entry["name"], entry["value"]) for entry in results["leaderboard"]])
line = json.load(open(sys.argv[2]))
print(line["scores"]["smemPad"], line["scoreboard"])' "$folder/results.json" "$folder/autolab.json"
    assert_output $'80 80 80\n[(\'Points\', 80), (\'Steps solved\', 8)]\n10 [80, 8]'
    assert_equal "$(cat "$folder/row.csv")" $'student,lab,points,of,naiveRow,naiveCol,smem,smemPad,smemUnroll,smemUnrollPad,diagonal,patches,note\nyou,4,80,80,10,10,10,10,10,10,10,10,'
}

@test "results.json is UTF-8: a hint keeps its letters, a byte that is no letter is escaped" {
    cp "$tree/solutions/lab4-transpose/rubric.tsv" "$BATS_TEST_TMPDIR/"
    printf 'naiveRow\t1\tclean\t\tmit größerem \xe9 ✓\n' >>"$tree/solutions/lab4-transpose/rubric.tsv"
    run user_make grade-lab4 SUBMISSION="$PWD/labs/lab4-transpose"
    cp "$BATS_TEST_TMPDIR/rubric.tsv" "$tree/solutions/lab4-transpose/"
    assert_success
    run python3 -c 'import json, sys; print(json.load(open(sys.argv[1], encoding="UTF-8"))["tests"][-1]["output"])' "$tree/build/grade/lab4/one/results.json"
    assert_success
    assert_output --partial "mit größerem %E9 ✓"
}

# as_nobody COMMAND...: as a user who is not root.
as_nobody() {
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

@test "an ordinary user's grader keeps students' code apart as root's does" {
    [ "$(id -u)" = 0 ] || skip "an ordinary user has graded all submissions above"
    command -v setpriv || skip "setpriv, which starts programs as another user, is not here"
    as_nobody bwrap --unshare-all --ro-bind / / true || skip "only root can start bubblewrap here"
    # Other users may not enter the folder of a bats run.
    chmod o+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/*
    chmod -R o+rX "$BATS_FILE_TMPDIR"
    out="$BATS_FILE_TMPDIR/nobody"
    mkdir "$out"
    chown 65534 "$out"
    cd "$tree"
    for name in lab11-attacks lab11-system; do
        path="tests/submissions/$name.cu"
        eval "as_nobody $(grep -- '--lab 11 ' "$BATS_FILE_TMPDIR/commands")" >"$BATS_TEST_TMPDIR/report"
        diff "$reports/$name" "$BATS_TEST_TMPDIR/report"
    done
}

# refuses FILE WORDS: nothing is graded, and the report says why.
refuses() {
    grade lab3-refuses "$1"
    assert_grep -F "Nothing was graded: $2" < <(report lab3-refuses)
    assert_grep ': 0 of 80 points' < <(report lab3-refuses)
}

@test "what is no program is refused: rubbish, a huge file, a link, nothing" {
    cd "$BATS_TEST_TMPDIR"
    head -c 10000 /dev/urandom >rubbish.cu
    refuses rubbish.cu "the file is not a text: byte"
    head -c 50000000 /dev/zero | tr '\0' 'x' >large.cu
    refuses large.cu "the file is larger than the limit of 1024 KiB"
    ln -s "$tree/solutions/lab3-reduction/reduction.cu" link.cu
    refuses link.cu "the file is a symbolic link"
    mkdir linked empty
    ln -s "$tree/solutions/lab3-reduction/reduction.cu" linked/reduction.cu
    refuses linked "the file is a symbolic link"
    refuses empty "there is no reduction.cu"
    touch empty/{a,b}.cu
    refuses empty "there is no reduction.cu, but 2 other .cu files: hand in one"
    refuses missing "nothing was handed in"
}

# braked LAB PATH SETTING...: what the submission is told with these settings, in
# $reports/labN-braked; the other results in $one.
braked() {
    one="$tree/build/grade/lab$1/one"
    run -0 user_make "grade-lab$1" SUBMISSION="$PWD/$2" "${@:3}"
    printf '%s\n' "$output" >"$reports/lab$1-braked"
}

@test "HINTS_PER_DAY: hints with the first submissions of a day only" {
    # Two before it that day; another the day before.
    cat >"$BATS_TEST_TMPDIR/metadata.json" <<'END'
{"id": 1, "created_at": "2026-12-01T09:30:00.123456-08:00", "previous_submissions": [
    {"submission_time": "2026-11-30T23:59:59.000000-08:00", "score": 1, "results": {}},
    {"submission_time": "2026-12-01T00:00:00.000000-08:00", "score": 2, "results": {}},
    {"submission_time": "2026-12-01T09:00:00.000000-08:00", "score": 3, "results": {}}]}
END
    braked 4 labs/lab4-transpose HINTS_PER_DAY=3 METADATA="$BATS_TEST_TMPDIR/metadata.json"
    assert_grep 'hint: ' < <(report lab4-braked)
    refute_output --partial "No hints"
    braked 4 labs/lab4-transpose HINTS_PER_DAY=2 METADATA="$BATS_TEST_TMPDIR/metadata.json"
    no_hints="No hints: the first 2 submissions of a day have them, and this is number 3."
    assert_line "$no_hints"
    refute_output --partial "hint: "
    assert_grep "\"output\":.*$no_hints" <"$one/results.json"
    refute_grep 'hint: ' "$one/results.json"
    # Without a platform that tells of earlier submissions each is the first.
    braked 4 labs/lab4-transpose HINTS_PER_DAY=1
    assert_grep 'hint: ' < <(report lab4-braked)
    braked 4 labs/lab4-transpose HINTS_PER_DAY=0
    refute_output --partial "hint: "
    run -2 user_make grade-lab3 SUBMISSION=x HINTS_PER_DAY=few
    assert_output --partial "HINTS_PER_DAY=few: give a whole number"
}

@test "DUE: until then nothing is said of hidden cases, and the points are the same" {
    hidden="not in all hidden cases; which, is said after the due date"
    told='with a single element|reduceUnroll2\(int|Race reported'
    braked 3 tests/submissions/lab3-mistakes.cu DUE=2001-01-01
    cp "$one/row.csv" "$BATS_TEST_TMPDIR/"
    assert_grep -E "$told" < <(report lab3-braked)
    refute_output --partial "$hidden"
    refute_grep after_due_date "$one/results.json"
    braked 3 tests/submissions/lab3-mistakes.cu DUE=2999-12-01T23:59
    cmp "$one/row.csv" "$BATS_TEST_TMPDIR/row.csv"
    refute_grep -E "$told" "$one/report.txt"
    assert_grep "correct: $hidden" <"$one/report.txt"
    assert_grep "clean: $hidden" <"$one/report.txt"
    assert_grep "correct: does not compile: " <"$one/report.txt"
    # Gradescope shows a test by itself when it is due.
    run python3 -c 'import json, sys
for test in json.load(open(sys.argv[1]))["tests"]: print(test.get("visibility", "visible"), "with a single element" in test["output"])' "$one/results.json"
    assert_equal "$(sort -u <<<"$output")" $'after_due_date True\nvisible False'
    run -2 user_make grade-lab3 SUBMISSION=x DUE=soon
    assert_output --partial "DUE=soon: give a time, such as"
}

@test "missing marks leave a note: of all steps, and of some" {
    grep -v SOLUTION solutions/lab3-reduction/reduction.cu >"$BATS_TEST_TMPDIR/none.cu"
    sed '0,/END SOLUTION/s//the end/' solutions/lab3-reduction/reduction.cu >"$BATS_TEST_TMPDIR/some.cu"
    grade lab3-none "$BATS_TEST_TMPDIR/none.cu"
    note="no step's marks, BEGIN SOLUTION and END SOLUTION, are in the file: hand in the lab's reduction.cu"
    assert_grep "^Note: $note" < <(report lab3-none)
    assert_grep "$note" <"$results/lab3-none/row.csv"
    assert_grep "$note" <"$results/lab3-none/results.json"
    grade lab3-some "$BATS_TEST_TMPDIR/some.cu"
    assert_grep '^Note: marks missing or damaged: reduceNeighboredLess$' < <(report lab3-some)
    assert_grep ',marks missing or damaged: reduceNeighboredLess$' <"$results/lab3-some/row.csv"
    # So does a header that there is not: steps that need none of it are judged.
    assert_grep '^Note: .*the lines above the regions are left out: .*nothing.h' < <(report lab3-includes)
    assert_equal "$(earned lab3-includes reduceInterleaved)" 10
}

@test "archives: zip and tar are opened, ../ and links are refused" {
    mkdir -p "$BATS_TEST_TMPDIR/a/my lab"
    cp labs/lab3-reduction/reduction.cu "$BATS_TEST_TMPDIR/a/my lab/"
    cd "$BATS_TEST_TMPDIR/a"
    zip -qr good.zip "my lab"
    tar -czf good.tar.gz "my lab"
    for archive in good.zip good.tar.gz; do
        grade lab3-archive "$archive"
        output=$(report lab3-archive) assert_lines 8 'correct: still to do'
    done
    echo x >../reduction.cu
    tar -cPf up.tar ../reduction.cu
    refuses up.tar "the archive: it holds a path that leads out of it"
    zip -q up.zip ../reduction.cu
    refuses up.zip "the archive: it holds a path that leads out of it"
    mkdir l
    ln -s /etc/passwd l/reduction.cu
    tar -cf link.tar l
    refuses link.tar "the archive: it holds a link"
    zip -qry link.zip l
    refuses link.zip "the archive: it holds a link"
    touch '[a]*^b?$.cu'
    tar -cjf strange.tar.bz2 '[a]*^b?$.cu'
    cd "$BATS_TEST_TMPDIR" # where it works
    echo y >'a/[a]*^b?$.cu'
    tar -C a -cjf strange.tar.bz2 '[a]*^b?$.cu'
    run bash "$tree/common/grade/submission/unpack.sh" strange.tar.bz2 '\.cu$' 100
    assert_output $'2 [a]*^b?$.cu\ny'
    run env PATH=/nowhere "$BASH" "$tree/common/grade/submission/unpack.sh" strange.tar.bz2 '\.cu$' 100
    assert_failure 4
    assert_output --partial "bsdtar is missing"
    cd a
    # Letters of another system in a name that nobody asks for are no reason; an archive in the archive is not opened.
    touch $'\xfcbung\n.txt'
    tar -cf letters.tar $'\xfcbung\n.txt' "my lab"
    grade lab3-archive letters.tar
    output=$(report lab3-archive) assert_lines 8 'correct: still to do'
    zip -q outer.zip good.zip
    refuses outer.zip "the archive: there is no reduction.cu in it, but another archive, good.zip, which is not opened: hand in reduction.cu, or"
    echo rubbish >rubbish.zip
    refuses rubbish.zip "the archive: it is damaged"
}

@test "the sandbox: no files of ours, no network, nothing can be written but the working folder" {
    sandbox -0 -- bash -c 'for path in /root /home /work /etc/passwd "$0"; do [ ! -e "$path" ] || echo "sees $path"; done
        for place in / /usr /dev /dev/shm/x/ /grade /etc; do (echo x >"$place/x") 2>/dev/null && echo "writes $place"; done
        echo x >here && rm here; [ $(ls /proc | grep -c "^[0-9]") -lt 8 ] || echo "sees other processes"
        (exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && echo "has a network"; unshare -Ur true 2>/dev/null && echo "nests"
        rm -rf ~ /usr/bin/env 2>/dev/null; echo done' "$tree"
    assert_output done
    assert [ -x /usr/bin/env ]
}

@test "the sandbox: time, processes, memory, output and disk are limited" {
    sandbox --seconds 2 -- bash -c ':(){ :|:& };:; sleep 100'
    assert_failure 124
    sandbox -124 --memory 100 -- python3 -c 'import os, time
os.fork(); os.fork(); x = bytearray(b"1") * (50 << 20); time.sleep(60)'
    assert_output --partial "used too much memory"
    sandbox -124 --output 100000 -- bash -c 'yes >&2'
    assert_output --partial "printed too much"
    sandbox -0 --output 1000 --rows -- bash -c 'read -r word <&3; yes | head -c 1000000; echo "$word ok after it" >&3'
    assert_output --partial "row: ok after it"
    assert [ "${#output}" -lt 1100 ]
    sandbox --disk 1 -- bash -c 'for i in 1 2 3; do head -c 900000 /dev/zero >$i || echo full; done'
    assert_output --partial full
}

@test "the sandbox: results come by a way that printing cannot reach, after a word that nobody can guess" {
    sandbox -0 --rows -- bash -c 'read -r word <&3; echo "$word ok true" >&3; echo "0123456789abcdef ok forged" >&3; echo "ok printed"'
    assert_output --partial "row: ok true"
    refute_output --partial "row: ok forged"
    refute_output --partial "row: ok printed"
}

# without_bubblewrap UNSAFE COMMAND...: in a sandbox of $BATS_TEST_TMPDIR/project, which only its owner can enter, on a system without
# bubblewrap.
without_bubblewrap() {
    mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/project"
    ln -sf "$(command -v rm)" "$BATS_TEST_TMPDIR/bin/"
    cp "$tree"/build/bin/sandbox "$BATS_TEST_TMPDIR/project/"
    run env -C "$BATS_TEST_TMPDIR/project" PATH="$BATS_TEST_TMPDIR/bin" UNSAFE="$1" ./sandbox "${@:2}"
}

@test "without bubblewrap nothing is graded where others can read the grader, or by an ordinary user, unless UNSAFE=1" {
    chmod o+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$BATS_TEST_TMPDIR"
    without_bubblewrap "" -- sh -c 'echo ran'
    assert_failure 125
    assert_output --regexp 'bubblewrap is missing or cannot run here, and (only root can run submissions without it|without it submissions run as another user, who could read .*/project)'
    refute_output --partial ran
    [ "$(id -u)" = 0 ] || return 0
    run setpriv --reuid=65534 --regid=65534 --clear-groups env PATH="$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/project/sandbox" -- sh -c 'echo ran'
    assert_failure 125
    assert_output --partial "only root can run submissions without it"
    without_bubblewrap 1 -- sh -c 'echo ran'
    assert_success
    assert_output --partial ran
}

@test "without bubblewrap root runs submissions as another user, who reaches neither the grader nor the network, and leaves nothing" {
    [ "$(id -u)" = 0 ] || skip "only root can become another user"
    mkdir -m 700 "$BATS_TEST_TMPDIR/project"
    without_bubblewrap "" --processes 20 -- bash -c 'ls "$0" 2>/dev/null && echo "sees the grader"; [ "$(id -u)" -ge 61184 ] || echo "is $(id -u)"
        for place in / /usr /etc ../grade ..; do (echo x >"$place/x") 2>/dev/null && echo "writes $place"; done
        (exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && echo "has a network"; unshare -Ur true 2>/dev/null && echo "nests"
        kill -0 1 2>/dev/null && echo "sends signals"; setsid sleep 987 & pwd >here && pwd' "$BATS_TEST_TMPDIR/project"
    assert_success
    assert_output --regexp '^/tmp/grade-[0-9]+/tmp$'
    assert [ ! -e "$output" ]
    refute_grep -x 'sleep 987' < <(ps -e -o args)
    without_bubblewrap "" --memory 100 -- python3 -c 'import time; x = bytearray(b"1") * (150 << 20); time.sleep(60)'
    assert_failure 124
    assert_output --partial "used too much memory"
    without_bubblewrap "" --seconds 1 -- sh -c 'trap "" TERM; setsid sleep 986 & sleep 100'
    assert_failure 124
    refute_grep -x 'sleep 986' < <(ps -e -o args)
}

@test "diff: a line for each step, and changes outside apart, as tampering or as harmless" {
    mkdir "$BATS_TEST_TMPDIR/student"
    sed -e 's/Step 2 ----/Step two ----/; s/= lab.size, bytes/= 1000, bytes/' labs/lab3-reduction/reduction.cu >"$BATS_TEST_TMPDIR/student/reduction.cu"
    run -0 user_make diff-lab3 SUBMISSION="$BATS_TEST_TMPDIR/student"
    assert_output --partial "harmless (comments or white space)"
    assert_output --partial "tampering (not graded)"
    assert_output --partial "0 same, 0 changed, 8 todo, 0 missing; outside of the regions: 1 tampering, 1 harmless"
    run user_make diff-lab3 SUBMISSION="$PWD/tests/submissions/lab3-right.cu"
    assert_output --partial "0 same, 3 changed, 1 todo, 4 missing"
    run user_make diff-lab3 SUBMISSION="$PWD/solutions/lab3-reduction"
    assert_output --partial "8 same, 0 changed, 0 todo, 0 missing; outside of the regions: 0 tampering, 0 harmless"
    mkdir "$BATS_TEST_TMPDIR/it's zipped"
    zip -qj "$BATS_TEST_TMPDIR/it's zipped/all.zip" solutions/lab3-reduction/reduction.cu
    run user_make diff-lab3 SUBMISSION="$BATS_TEST_TMPDIR/it's zipped/all.zip"
    assert_output --partial "8 same, 0 changed, 0 todo, 0 missing; outside of the regions: 0 tampering, 0 harmless"
}

@test "a submission has a limit as a whole, and the report says which was reached" {
    # A kernel that never ends: no machine is fast enough for it.
    sed '/BEGIN SOLUTION reduceNeighboredLess$/a while (*(volatile int *)g_idata | 1) continue;' \
        solutions/lab3-reduction/reduction.cu >"$BATS_TEST_TMPDIR/reduction.cu"
    run -0 user_make grade-lab3 SUBMISSION="$BATS_TEST_TMPDIR" CPU_LIMIT=1
    assert_output --partial "Lab 3, you: 0 of 80 points"
    assert_output --partial "correct: not judged: the submission as a whole took more than 1 s of processor time, compilation included, and was stopped"
    run user_make grade-lab3 SUBMISSION="$BATS_TEST_TMPDIR" TIME_LIMIT=1
    assert_output --partial "not judged: the submission as a whole took more than 1 s by the clock"
    run -2 user_make grade-lab3 SUBMISSION="$PWD/solutions/lab3-reduction" CPU_LIMIT=-3
    assert_output --partial "CPU_LIMIT -3: give a number of seconds"
}

@test "say what to grade" {
    run -2 user_make grade-lab3
    assert_output --partial "SUBMISSION=path"
}
