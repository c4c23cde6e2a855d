# What make course writes for the platforms that grade by themselves. Platforms run it in tests/platforms.

load ../helpers

setup_file() {
    for platform in gradescope autolab classroom50; do own_make course FOR=$platform LAB=3; done
    export course="$BATS_FILE_TMPDIR/build/course"
}

# make in the project, which builds in a folder of this file's.
own_make() {
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make --no-print-directory BUILD="$BATS_FILE_TMPDIR/build" "$@"
}

# same_as MEMBER: the packed file is the project's; FOLDER has the package.
same_as() {
    diff "$BATS_TEST_TMPDIR/package/$1" "$1"
}

# unpack ARCHIVE: the package, into $BATS_TEST_TMPDIR/package.
unpack() {
    mkdir "$BATS_TEST_TMPDIR/package"
    bsdtar -C "$BATS_TEST_TMPDIR/package" -xf "$1"
}

@test "Gradescope: an archive with setup.sh and run_autograder at its root" {
    unpack "$course/gradescope-lab3/autograder.zip"
    for program in setup.sh run_autograder common/course/platform.sh; do assert [ -x "$BATS_TEST_TMPDIR/package/$program" ]; done
    assert_grep -x setup.sh < <(bsdtar -tf "$course/gradescope-lab3/autograder.zip")
}

@test "Autolab: an assessment of one folder, with its settings, its Makefile and autograde.tar" {
    run tar -tf "$course/autolab-lab3/lab.tar"
    assert_output $'lab3/\nlab3/autograde-Makefile\nlab3/autograde.tar\nlab3/lab3.yml'
    unpack "$course/autolab-lab3/lab/autograde.tar"
    same_as common/course/platform.sh
    tar -xOf "$course/autolab-lab3/lab.tar" lab3/lab3.yml >"$BATS_TEST_TMPDIR/lab3.yml"
    # As many points as the rubric, in the same steps.
    assert_equal "$(awk '/max_score/ { sum += $2 } END { print sum }' "$BATS_TEST_TMPDIR/lab3.yml")" \
        "$(awk -F'\t' '!/^#/ && $1 != "step" { sum += $2 } END { print sum }' solutions/lab3-reduction/rubric.tsv)"
    assert_equal "$(sed -n 's/^- name: //p' "$BATS_TEST_TMPDIR/lab3.yml")" "$(awk -F'\t' '!/^#/ && $1 != "step" && !seen[$1]++ { print $1 }' solutions/lab3-reduction/rubric.tsv)"
    assert_grep 'PWD/reduction.cu' < <(tar -xOf "$course/autolab-lab3/lab.tar" lab3/autograde-Makefile)
}

@test "classroom50: autograder.py and its archive make result.json by the contract" {
    folder=$course/classroom50-lab3/lab3
    assert [ "$(du -sk "$folder" | cut -f1)" -lt 10240 ]
    unpack "$folder/cuda-labs.tar.gz"
    same_as Makefile
    python3 -m json.tool "$course/classroom50-lab3/runtime.json" >/dev/null
    # With a platform.sh that grades nothing: what is made of its results.
    mkdir -p "$BATS_TEST_TMPDIR"/{bin,fake/common/course,checkout,grader}
    cp "$folder/autograder.py" "$BATS_TEST_TMPDIR/grader/"
    cat >"$BATS_TEST_TMPDIR/fake/common/course/platform.sh" <<'FAKE'
#!/bin/sh
cd "$(dirname "$0")/../.." && mkdir -p build/results && echo "the report" >build/results/report.txt
echo '{"score": 10, "tests": [{"name": "a", "score": 10, "max_score": 10}, {"name": "b", "score": 0, "max_score": 8}]}' >build/results/results.json
FAKE
    chmod +x "$BATS_TEST_TMPDIR/fake/common/course/platform.sh"
    tar -C "$BATS_TEST_TMPDIR/fake" -czf "$BATS_TEST_TMPDIR/grader/cuda-labs.tar.gz" .
    printf '#!/bin/sh\n[ "$1" != -n ] || shift\nexec "$@"\n' >"$BATS_TEST_TMPDIR/bin/sudo"
    chmod +x "$BATS_TEST_TMPDIR/bin/sudo"
    cd "$BATS_TEST_TMPDIR/checkout"
    run env PATH="$BATS_TEST_TMPDIR/bin:$PATH" CLASSROOM=cs ASSIGNMENT=lab3 SUBMISSION_TAG=submit/1 COMMIT_URL=c RELEASE_URL=r python3 ../grader/autograder.py
    assert_success
    run python3 -c 'import json
result = json.load(open("result.json"))
print(result["schema"], result["classroom"], result["assignment"], result["score"], result["max-score"])
print([(test["test-name"], test["passed"], test["score"], test["max-score"]) for test in result["tests"]])'
    assert_output $'classroom50/result/v1 cs lab3 10 18\n[(\'a\', True, 10, 10), (\'b\', False, 0, 8)]'
    assert_grep "the report" <release-body.md
}

@test "a package holds no line of a solution, and nothing of another lab" {
    unpack "$course/gradescope-lab3/autograder.zip"
    package=$BATS_TEST_TMPDIR/package
    assert_equal "$(cd "$package" && ls -d labs/*/ solutions/*/ | paste -sd' ')" "labs/lab3-reduction/ solutions/lab3-reduction/"
    awk '/BEGIN SOLUTION/ { on = 1; next } /END SOLUTION/ { on = 0 } on && !/^ *\/\/ / && length > 40' solutions/lab3-*/*.cu |
        while IFS= read -r line; do grep -qF -- "$line" labs/lab3-reduction/reduction.cu || printf '%s\n' "$line"; done >"$BATS_TEST_TMPDIR/lines"
    assert [ -s "$BATS_TEST_TMPDIR/lines" ]
    refute_grep -rFf "$BATS_TEST_TMPDIR/lines" "$package"
    assert_equal "$(awk '/BEGIN SOLUTION/ { on = 1; next } /END SOLUTION/ { on = 0 } on && !/^ *\/\/ /' "$package"/solutions/*/*.cu)" ""
}

@test "a package keeps the brakes on submissions, in any time zone" {
    TZ=Asia/Tokyo own_make course FOR=gradescope LAB=4 HINTS_PER_DAY=3 DUE=2026-12-01T23:59
    unpack "$course/gradescope-lab4/autograder.zip"
    run env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS TZ=America/New_York make -n -C "$BATS_TEST_TMPDIR/package" NO_INSTALL=1 grade-lab4 SUBMISSION=x METADATA=/m.json
    assert_success
    due="$(grep -oE 'date -d .@[0-9]+. ' <<<"$output")"
    assert_equal "$(eval "TZ=UTC $due +%FT%T")" "2026-12-01T14:59:00"
    assert_output --partial "--hints-per-day '3'"
    assert_output --partial "--metadata '/m.json'"
    assert_grep METADATA=/autograder/submission_metadata.json <"$BATS_TEST_TMPDIR/package/run_autograder"
    run -2 own_make course FOR=autolab HINTS_PER_DAY=3
    assert_output --partial "HINTS_PER_DAY=3: autolab does not tell a grader of earlier submissions, only gradescope does: leave it out"
}

@test "say for which platform, and which lab" {
    run -2 own_make course
    assert_output --partial "FOR=: give one of: gradescope autolab classroom50 moodle canvas"
    run -2 own_make course FOR=blackboard
    assert_output --partial "FOR=blackboard: give one of:"
    run -2 own_make course FOR=gradescope LAB=99
    assert_output --partial "LAB=99: give one of:"
    run -2 own_make course FOR=moodle LAB=3
    assert_output --partial "make course FOR=moodle LAB=3 SUBMISSIONS=class.zip"
}
