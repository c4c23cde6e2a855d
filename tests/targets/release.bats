# The students' edition: nothing of the solutions is in it, and what students do works in it.

load ../helpers

setup_file() {
    export edition="$BATS_FILE_TMPDIR/cuda-labs" archive="$BATS_FILE_TMPDIR/cuda-labs.tar.gz"
    common/grade/release.sh "$archive"
    tar -xzf "$archive" -C "$BATS_FILE_TMPDIR"
    find "$edition" -type f -exec touch -d 2001-01-01 {} + # older than what is built of it
    # What has been built already need not be built again, but lab 3; the grader stays behind.
    mkdir "$edition/build"
    (cd "${BUILD:-build}" && find bin simt labprof obj setup lib.a {nvcc,host}-flags lab12/host_device{,.d} -type f ! -path '*/grade/*' ! -name 'grade*' \
        -print0 2>/dev/null | cp_list "$edition/build")
    rm -f "$edition"/build/bin/{grade,grade-class,diff-lab,sandbox}
}

# lines_of FILE...: without white space around them, those that say something.
lines_of() {
    sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' "$@" | grep -aE '.{16,}' | LC_ALL=C sort -u
}

edition_make() {
    to_run env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD \
        make -C "$edition" --no-print-directory DEVICE=sim -- "$@"
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
    run -1 grep "make grade\|solutions" "$edition/README.md" "$edition/common/packages.tsv"
    run -1 grep "grade-lab\|GRADING" "$edition/common/tools/doctor.sh"
    run -1 grep -E "make (diff|demo|grade|reset)-lab" "$edition"/handouts/lab*.md
    edition_make help
    refute_output --partial grade
}

@test "the same commit gives the same bytes" {
    common/grade/release.sh "$BATS_TEST_TMPDIR/again.tar.gz"
    cmp "$archive" "$BATS_TEST_TMPDIR/again.tar.gz"
}

# targets_of TREE: the targets that its help names, one a line.
targets_of() {
    sed -E ':more; N; s/\n {16,}/ /; t more; P; D' "$1/common/make/help.txt" |
        awk '/^Settings/ { on = 0 } /^(Targets|For)/ { on = 1 } on && sub(/^  /, "") && /^[a-z]/ {
        text = $0
        sub(/  .*/, "")
        gsub(/, /, "\n")
        print
        while (match(text, /; [a-z]+(-[a-z]+N?)?(:| removes)/)) {
            name = substr(text, RSTART + 2, RLENGTH - 2)
            text = substr(text, RSTART + RLENGTH)
            sub(/:| removes/, "", name)
            print name
        }
    }' | sort -u
}

# What each target of the students' edition is called with, and what it then prints. -n: it takes long or needs a network, and make
# says what it would do. watch-labN does not end: in entr's place stands a program that runs the lab once.
works() {
    cat <<'END'
labN            lab3 SIZE=1000                          next: labs/lab3-reduction/reduction.cu:
profile-labN    profile-lab3 SIZE=1000 PLOT=0           reduceNeighbored
whatif-labN     whatif-lab3 SIZE=1000                   reduceNeighbored
plot-labN       plot-lab3                               lab3-
timeline-labN   timeline-lab12 SIZE=4096                lab12-timeline
check-labN      check-lab3 SIZE=1                       clean   simt --check, size 1
run             run FILE=own.cu                         2 times 21 is 42
profile         profile FILE=own.cu METRICS=inst_per_warp    inst_per_warp
watch-labN       watch-lab3 SIZE=1000                    next: labs/lab3-reduction/reduction.cu:
hint-labN       hint-lab3                               1. Read handouts/lab3.md#reduceneighboredless
progress        progress                                to do: addOnDevice
answers-labN    answers-lab3                            answers.md
report          report LAB=3                            hand in build/report/lab3.tar.gz
see-labN        see-lab3 STEP=reduceNeighbored SIZE=256 BLOCK=32    see/lab3-reduceNeighbored.html
explore-labN    -n explore-lab3                         explore/lab3.html
slides-labN     -n slides-lab3                          slides/lab3.html
labs            -n labs                                 lab12/host_device
check           -n check                                lab12/host_device
occupancy       occupancy REGS=33 THREADS=512          33 registers a thread
install         install PREFIX=build/installed          build/installed
uninstall       uninstall PREFIX=build/installed        build/installed
list            list                                    lab12
setup           -n setup                                setup.sh
doctor          doctor NO_INSTALL=1                     labs' compiler
handouts        -n handouts                             lab12.html
compile-commands    compile-commands                    compile_commands.json
test            -n test                                 tests/run.sh
clean           -n clean                                rm -rf build
END
}

@test "in it every target of its help works" {
    cp tests/data/own.cu "$edition/own.cu"
    mkdir "$BATS_TEST_TMPDIR/once"
    printf '#!/bin/sh\nshift\nexec "$@"\n' >"$BATS_TEST_TMPDIR/once/entr"
    chmod +x "$BATS_TEST_TMPDIR/once/entr"
    while read -r target call; do
        read -ra words <<<"${call%%   *}"
        PATH="$BATS_TEST_TMPDIR/once:$PATH" edition_make -0 "${words[@]}" </dev/null
        assert_output --partial "$(sed 's/.*   *//' <<<"   ${call#"${call%%   *}"}")"
        echo "$target" >>"$BATS_TEST_TMPDIR/tried"
    done < <(works)
    diff <(targets_of "$edition") <(sort -u "$BATS_TEST_TMPDIR/tried")
}

# calls_in FILE...: the words after `make` in the commands of Markdown and of messages.
calls_in() {
    {
        grep -hoE '`make [^`]+`' "$@" | tr -d '`'
        awk 'FNR == 1 { on = 0 } FILENAME !~ /[.]md$/ { nextfile } /^ *```/ { on = !on; next } on' "$@" |
            sed 's/ #.*//' | grep -oE '\bmake( +[^ ;|&)]+)+'
    } | sed -E 's/^make +//; s/"[^"]*"//g' | tr -s ' ' '\n' | sort -u
}

@test "in it texts and messages name no target and no setting that it lacks" {
    cd "$edition"
    mapfile -t files < <(find README.md handouts/*.md labs common/common.h common/{tools,harness,labprof,front,slides} common/simt/{api,check,image,run} -type f \
        \( -name '*.md' -o -name '*.cu' -o -name '*.[ch]' -o -name '*.sh' \))
    calls_in "${files[@]}" >"$BATS_TEST_TMPDIR/words"
    assert [ "$(wc -l <"$BATS_TEST_TMPDIR/words")" -gt 50 ]
    sed -nE 's/^([A-Z_]+)=.*/\1/p' "$BATS_TEST_TMPDIR/words" | sort -u >"$BATS_TEST_TMPDIR/settings"
    sed -nE 's/^(([a-z]+-)*lab)([0-9N%$].*)?$/\1N/p; /lab/!s/^([a-z][a-z-]*)$/\1/p' "$BATS_TEST_TMPDIR/words" | sort -u >"$BATS_TEST_TMPDIR/targets"
    assert_grep -x see-labN <"$BATS_TEST_TMPDIR/targets"
    assert_equal "$(comm -23 "$BATS_TEST_TMPDIR/targets" <({ targets_of .; echo help; } | sort))" ""
    assert_equal "$(comm -23 "$BATS_TEST_TMPDIR/settings" <(grep -oE '[A-Z_]+=' common/make/help.txt | tr -d = | sort -u))" ""
}

@test "in it the targets for instructors and developers say that they are not for it" {
    refused=0
    while read -r target; do
        edition_make -2 "${target/labN/lab3}"
        assert_output --partial "is for instructors and developers: the students' edition has no solutions"
        refused=$((refused + 1))
    done < <(comm -23 <(targets_of .) <(targets_of "$edition"))
    assert [ "$refused" -ge 20 ]
    edition_make -2 lab3 FROM=solutions
}

@test "in it handouts are made" {
    edition_make -0 build/handouts/lab3.html
    assert [ -s "$edition/build/handouts/lab3.html" ]
}

@test "in it there are tests, and make knows them" {
    edition_make -0 -n test
    assert [ "$(ls "$edition"/tests/*/*.bats | wc -l)" -ge 4 ]
    assert [ "$(ls "$edition"/tests/programs/*.cu | wc -l)" -ge 50 ]
    cd "$edition"
    run -0 bats --count tests/*/*.bats
    assert [ "$output" -ge 30 ]
}

# `make test` takes minutes there, so its script is tried in a folder with two suites of one test.
@test "its tests end with the numbers, without solutions and without a repository" {
    small="$BATS_TEST_TMPDIR/a small edition"
    mkdir -p "$small/tests" "$small/build/tests"
    cp "$edition"/tests/{run.sh,count.awk} "$small/tests/"
    printf '%s\n' 'all unit-tests: ;' 'build/tests/%.tap: ; @echo "ok one" >$@' >"$small/Makefile"
    cd "$small"
    run -0 env GIT_CEILING_DIRECTORIES="$BATS_TEST_TMPDIR" BUILD=build tests/run.sh unit lab3
    assert_line --index -1 "2 passed, 0 failed"
    refute_output --partial "fatal"
    run -128 git -C "$edition" log
}

# Each test that is left was left because it needs nothing that only instructors have.
@test "every test in it finds the files that it names" {
    cd "$edition"
    for part in $(grep -ohE '(common|tests|plots|labs|handouts)/[a-z0-9_/-]+\.(sh|tsv|awk|cu|gp|def|bash|md)' tests/*/*.bats tests/*.sh tests/*/*.sh tests/rules.mk | grep -v lab99 | sort -u); do
        [ -e "$part" ] || { echo "$part: named by $(grep -lF "$part" tests/*/*.bats tests/*.sh tests/*/*.sh tests/rules.mk)"; return 1; }
    done
}

@test "a lab that is not committed comes whole, or not at all" {
    copy_project
    git -C "$tree" init -q
    git -C "$tree" add -A
    git -C "$tree" -c user.name=x -c user.email=x@y commit -qm all
    user_make new-lab NAME=two_words >/dev/null
    echo "private" >"$tree/labs/mine.txt"
    run -0 env -C "$tree" common/grade/release.sh "$BATS_TEST_TMPDIR/new.tar.gz"
    parts="labs/lab17-two-words/two_words.cu handouts/lab17.md handouts/lab17.numbers.tsv plots/lab17.gp"
    for part in $parts; do
        assert_line --regexp "^  packed  lab 17, not committed: .*$part"
        tar -xzOf "$BATS_TEST_TMPDIR/new.tar.gz" "cuda-labs/$part" >/dev/null
    done
    refute_grep -E 'mine.txt|solutions' < <(tar -tzf "$BATS_TEST_TMPDIR/new.tar.gz")
    rm "$tree/handouts/lab17.md"
    run -1 env -C "$tree" common/grade/release.sh "$BATS_TEST_TMPDIR/less.tar.gz"
    assert_output "release: lab 17 has no handouts/lab17.md: write it, or take the lab's row out of labs/labs.tsv"
    assert [ ! -e "$BATS_TEST_TMPDIR/less.tar.gz" ]
}
