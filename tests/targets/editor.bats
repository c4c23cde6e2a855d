# What an editor reads works at once: .vscode, .clangd, and the completion of make's targets.

load ../helpers

setup_file() {
    copy_project
}

# matched: which problem matchers fit a line of standard input, and the file, line and message that
# they find.
matched() {
    python3 -c '
import json, re, sys
lines = sys.stdin.read().splitlines()
for matcher in json.load(open(".vscode/tasks.json"))["tasks"][0]["problemMatcher"]:
    pattern = matcher["pattern"]
    for found in filter(None, (re.match(pattern["regexp"], line) for line in lines)):
        print(matcher["owner"], *(found[pattern[part]] for part in ("file", "line", "message")))
'
}

@test "each task is a target of make, for every lab" {
    # What each task asks of make, one a line; those with no setting among them in one make.
    python3 - <<'END' | bash -c 'make() { echo "$*"; }; . /dev/stdin' | sort -u \
        >"$BATS_TEST_TMPDIR/goals"
import json, glob, os
for task in json.load(open(".vscode/tasks.json"))["tasks"]:
    if task.get("isBackground"): continue # it does not end
    for file in glob.glob("labs/*/*.cu"):
        print(task["command"].replace("${relativeFileDirname}", os.path.dirname(file)))
END
    assert [ "$(wc -l <"$BATS_TEST_TMPDIR/goals")" -gt 80 ]
    # shellcheck disable=SC2046 # words
    user_make -n DEVICE=sim $(grep -v = "$BATS_TEST_TMPDIR/goals") >"$BATS_TEST_TMPDIR/log" 2>&1 \
        || fail "$(tail -n 3 "$BATS_TEST_TMPDIR/log")"
    while read -r goal setting; do
        user_make -n DEVICE=sim "$goal" "$setting" >"$BATS_TEST_TMPDIR/log" 2>&1 || fail \
            "$(tail -n 3 "$BATS_TEST_TMPDIR/log")"
    done < <(grep = "$BATS_TEST_TMPDIR/goals")
}

@test "the messages of the compiler, of the checker and of a lab lead to their lines" {
    local student=$tree/labs/lab3-reduction/reduction.cu
    run matched < <(user_make lab3 DEVICE=sim SIZE=1000 2>&1)
    local line
    line=$(grep -n -m 1 'TODO(' "$student" | cut -d: -f1)
    assert_line --partial \
        "lab labs/lab3-reduction/reduction.cu $line reduceNeighboredLess: Do the sums of step 1"
    # A race: step 1's barrier is gone.
    sed -i '0,/__syncthreads();.*/s///' "$student"
    run matched < <(user_make check-lab3 DEVICE=sim SIZE=1000 2>&1)
    assert_line --regexp \
        "^simt .*/labs/lab3-reduction/reduction.cu [0-9]+ Race reported between Write access at reduceNeighbored"
    cp -p "$student" "$BATS_TEST_TMPDIR/kept.cu"
    sed -i "${line}s/.*/{/; $((line + 1)),$((line + 2))s/.*//" "$student"
    run matched < <(user_make lab3 DEVICE=sim 2>&1)
    assert_line --regexp \
        "^(nvcc|clang) labs/lab3-reduction/reduction.cu $((line + 3)) reduceNeighboredLess: not allowed: "
    cp "$BATS_TEST_TMPDIR/kept.cu" "$student"
    sed -i "${line}s/.*/undeclared = 1;/; $((line + 1)),$((line + 2))s/.*//" "$student"
    run matched < <(user_make lab3 DEVICE=sim 2>&1)
    assert_line --regexp "^(nvcc|clang) labs/lab3-reduction/reduction.cu $line .*undeclared"
}

@test "bash completes make's targets" {
    # As bash-completion asks for them.
    user_make -npq __BASH_MAKE_COMPLETION__=1 .DEFAULT >"$BATS_TEST_TMPDIR/rules" || true
    for target in lab3 profile-lab11 hint-lab0 see-lab12 progress; do assert [ \
        "$(grep -c "^$target:" "$BATS_TEST_TMPDIR/rules")" -gt 0 ]; done
}

@test "clangd reads a student's file before there is a database" {
    command -v clang++ >/dev/null || skip "clang is not here"
    local flags
    flags=$(tr -d '\n' <.clangd | sed -n 's/.*Add: \[\([^]]*\)\].*/\1/p' | tr -d ',')
    # One file, one with launches in device code, one with functions for the CPU. That clang
    # compiles every lab: front.bats.
    for file in labs/lab{3,5,11}-*/*.cu; do
        # shellcheck disable=SC2086 # words
        (cd "$(dirname "$file")" && clang++ -x cuda $flags -fsyntax-only "$(basename "$file")") ||
            fail "$file"
    done
}
