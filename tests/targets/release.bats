# The students' edition: nothing of the solutions is in it, and what students do works in it.

load ../helpers

setup_file() {
    export edition="$BATS_FILE_TMPDIR/cuda-labs" archive="$BATS_FILE_TMPDIR/cuda-labs.tar.gz"
    common/grade/release.sh "$archive"
    tar -xzf "$archive" -C "$BATS_FILE_TMPDIR"
    find "$edition" -type f -exec touch -d 2001-01-01 {} + # older than what is built of it
    # What has been built already need not be built again; the grader stays behind.
    mkdir "$edition/build"
    (cd "${BUILD:-build}" && find bin simt labprof obj setup lib.a -type f ! -path '*/grade/*' ! -name 'grade*' -print0 | cp_list "$edition/build")
    rm -f "$edition"/build/bin/{grade,grade-class,diff-lab,sandbox,inside}
}

# lines_of FILE...: without white space around them, those that say something.
lines_of() {
    sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' "$@" | grep -aE '.{16,}' | LC_ALL=C sort -u
}

edition_make() {
    run env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD make -C "$edition" --no-print-directory DEVICE=sim "$@"
}

@test "no line of a solution region is in it, but those that students are given" {
    cat solutions/*/*.cu | awk '/BEGIN SOLUTION/ { on = 1; next } /END SOLUTION/ { on = 0 } on && !/^ *\/\/ /' >"$BATS_TEST_TMPDIR/regions"
    lines_of "$BATS_TEST_TMPDIR/regions" >"$BATS_TEST_TMPDIR/theirs"
    lines_of labs/*/*.cu common/common.h common/harness/*.h >"$BATS_TEST_TMPDIR/given"
    LC_ALL=C comm -23 "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/given" >"$BATS_TEST_TMPDIR/secret"
    assert [ "$(wc -l <"$BATS_TEST_TMPDIR/secret")" -gt 100 ]
    find "$edition" -path "$edition/build" -prune -o -type f -print0 | xargs -0 cat >"$BATS_TEST_TMPDIR/everything"
    lines_of "$BATS_TEST_TMPDIR/everything" | LC_ALL=C comm -12 - "$BATS_TEST_TMPDIR/secret" >"$BATS_TEST_TMPDIR/found"
    assert_equal "$(<"$BATS_TEST_TMPDIR/found")" ""
}

@test "no rubric, case, grader or history is in it, and nothing points to them" {
    run tar -tzf "$archive"
    for part in solutions rubric.tsv cases.tsv common/grade/ submissions/ .git; do refute_output --partial "$part"; done
    assert_output --partial "cuda-labs/labs/lab3-reduction/reduction.cu"
    run grep "make grade\|solutions" "$edition/README.md" "$edition/common/packages.tsv"
    assert_failure 1
    run grep "grade-lab\|GRADING" "$edition/common/tools/doctor.sh"
    assert_failure 1
    run grep -E "make (diff|demo|grade|reset)-lab" "$edition"/handouts/lab*.md
    assert_failure 1
    edition_make help
    refute_output --partial grade
}

@test "the same commit gives the same bytes" {
    common/grade/release.sh "$BATS_TEST_TMPDIR/again.tar.gz"
    cmp "$archive" "$BATS_TEST_TMPDIR/again.tar.gz"
}

@test "in it labs run, are profiled and checked, and handouts are made" {
    edition_make lab3 SIZE=1000
    assert_success
    assert_output --partial "next: labs/lab3-reduction/reduction.cu:"
    edition_make profile-lab3 SIZE=1000 PLOT=0
    assert_success
    edition_make check-lab3 SIZE=1
    assert_success
    edition_make hint-lab3
    assert_success
    assert_line --partial "1. Read handouts/lab3.md#reduceneighboredless"
    edition_make progress
    assert_success
    assert_line --regexp '^lab12 +host-device .* to do: addOnDevice'
    refute_output --partial points
    edition_make answers-lab3
    assert_success
    edition_make report LAB=3
    assert_success
    assert_output --partial "hand in build/report/lab3.tar.gz"
    edition_make build/handouts/lab3.html
    assert_success
    assert [ -s "$edition/build/handouts/lab3.html" ]
}

@test "in it there are tests, and make knows them" {
    edition_make -n test
    assert_success
    assert [ "$(ls "$edition"/tests/*/*.bats | wc -l)" -ge 4 ]
    assert [ "$(ls "$edition"/tests/programs/*.cu | wc -l)" -ge 50 ]
    cd "$edition"
    run bats --count tests/*/*.bats
    assert_success
    assert [ "$output" -ge 30 ]
}

# `make test` takes minutes there, so a small part of what it runs is run by its own script, in a folder with nothing else.
@test "its tests end with the numbers, without solutions and without a repository" {
    small="$BATS_TEST_TMPDIR/a small edition"
    mkdir -p "$small/tests" "$small/build/tests"
    cp "$edition"/tests/{run.sh,helpers.bash} "$small/tests/"
    echo 'all unit-tests:' >"$small/Makefile" # all is built
    printf '#!/bin/sh\necho "ok one"\n' >"$small/build/tests/test_one"
    chmod +x "$small/build/tests/test_one"
    mkdir "$small/tests/programs" "$small/tests/targets"
    cp "$small/build/tests/test_one" "$small/tests/programs/run"
    printf 'load ../helpers\n@test "two" { [ -n "$(project_files | head -c 1)" ]; }\n' >"$small/tests/targets/two.bats"
    cd "$small"
    run env GIT_CEILING_DIRECTORIES="$BATS_TEST_TMPDIR" BUILD=build FRONT=nvcc tests/run.sh
    assert_success
    assert_line --index -1 "4 passed, 0 failed"
    refute_output --partial "fatal"
    run git -C "$edition" log
    assert_failure 128
}

# Each test that is left was left because it needs nothing that only instructors have.
@test "every test in it finds the files that it names" {
    cd "$edition"
    for part in $(grep -ohE '(common|tests|plots|labs|handouts)/[a-z0-9_/-]+\.(sh|tsv|awk|cu|gp|def|bash|md)' tests/*/*.bats tests/*.sh tests/*/*.sh tests/rules.mk | grep -v lab99 | sort -u); do
        [ -e "$part" ] || { echo "$part: named by $(grep -lF "$part" tests/*/*.bats tests/*.sh tests/*/*.sh tests/rules.mk)"; return 1; }
    done
}

@test "what needs the solutions says that they are not there" {
    for goal in demo-lab3 diff-lab3 "lab3 FROM=solutions"; do
        edition_make $goal
        assert_failure 2
        assert_output --partial "needs the solutions, which are not in the students' edition"
    done
}
