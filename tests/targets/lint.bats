# Style: formatting, shell scripts, and what must not be in the project.

load ../helpers

@test "C and CUDA are formatted" {
    run -0 clang-format --dry-run -Werror $(git ls-files '*.c' '*.h' '*.cu')
}

# The shell scripts: those with a name that says it, and programs without an extension.
scripts() {
    git ls-files '*.sh' .ci/run common/front/cudac
    git ls-files tests/stand-ins tests/programs/run | grep -v '[.]'
}

@test "shell scripts are clean" {
    run -0 shellcheck -x $(scripts)
}

# unfailing LINE...: what the check says of a test of these lines.
unfailing() {
    printf '%s\n' '@test "planted" {' "$@" '}' >"$BATS_TEST_TMPDIR/planted.bats"
    run awk -f tests/assertions.awk "$BATS_TEST_TMPDIR/planted.bats"
}

@test "no line of a test looks like an assertion that can never fail or shows nothing" {
    run awk -f tests/assertions.awk tests/*/*.bats tests/helpers.bash
    refute_output # what cannot fail or shows nothing: see tests/assertions.awk
    for line in '! grep a b' 'for x in 1 2; do ! [ $x ]; done' '[ 1 = 2 ] && [ 3 = 3 ]' \
        'run grep a b | grep c' '[ 1 = 2 ]' '[[ $a == b ]]' 'for x in 1 2; do [ $x = 3 ]; done' \
        'grep -qx "$a" b' 'cat a | grep -q b'; do
        unfailing "    $line" '    true'
        assert_output --partial "planted.bats:2:     $line"
    done
    unfailing '    for x in 1; do' '        ! grep a b' '    done'
    assert_output --partial "planted.bats:3:         ! grep a b"
    unfailing '    run ! grep a b' '    ! grep a b || { echo why; return 1; }' \
        '    [[ $a == b && $c == d ]] || fail' '    [ "$a" ] || continue' \
        '    if grep -q a b; then true; fi' '    [ "$a" ] && skip "no a"' '    (cd a && ls)' \
        '    ! grep a b'
    refute_output
}

@test "nothing generated is committed, and every script can be run" {
    run git ls-files build
    refute_output
    for script in $(scripts); do assert [ -x "$script" ]; done
}

@test "no merge was left half done" {
    run git grep -nE '^(<<<<<<< |>>>>>>> |\|\|\|\|\|\|\| )' -- .
    refute_output
}

@test "every lab of the table has its files" {
    while IFS=$'\t' read -r number folder program _; do
        [ "$number" = number ] && continue
        for file in {solutions,labs}/"$folder/$program.cu" "solutions/$folder"/{rubric,cases}.tsv \
            "plots/lab$number.gp" "handouts/lab$number".{md,numbers.tsv} \
            "tests/labs/lab$number.bats"; do assert [ -f "$file" ]; done
    done <labs/labs.tsv
}

@test "a room of the simulator includes only itself and the rooms above it in its README" {
    mapfile -t files < \
        <(git ls-files 'common/simt/*/*.[ch]' ':!common/simt/include/*' ':!common/simt/measure/*')
    run awk '
        FILENAME ~ /README/ { if (match($0, /^\| `[a-z]+\/` /)) { split($0, part, "[`/]"); rank[part[2]] = ++n }; next }
        FNR == 1 { split(FILENAME, folder, "/"); room = folder[3]; if (!(room in rank)) print FILENAME ": a room that README does not list" }
        /^#include "[^"]*\// {
            split($2, to, "[\"/]")
            if (to[2] != "lib" && (to[2] != "simt" || !(to[3] in rank) || rank[to[3]] > rank[room])) print FILENAME ": " $2
        }' common/simt/README.md "${files[@]}"
    refute_output
    assert [ "${#files[@]}" -gt 100 ]
}
