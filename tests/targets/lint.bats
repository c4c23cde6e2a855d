# Style: formatting, shell scripts, and what must not be in the project.

load ../helpers

@test "C and CUDA are formatted" {
    run clang-format --dry-run -Werror $(git ls-files '*.c' '*.h' '*.cu')
    ended_with 0
}

@test "shell scripts are clean" {
    run shellcheck -x $(git ls-files '*.sh' '.ci/run' common/front/cudac)
    ended_with 0
}

# unfailing LINE...: what the check says of a test of these lines.
unfailing() {
    printf '%s\n' '@test "planted" {' "$@" '}' >"$BATS_TEST_TMPDIR/planted.bats"
    run awk -f tests/cannot-fail.awk "$BATS_TEST_TMPDIR/planted.bats"
}

@test "no line of a test looks like an assertion that can never fail" {
    run awk -f tests/cannot-fail.awk tests/*/*.bats tests/helpers.bash
    [ -z "$output" ] || { printf '%s\n' "these can never fail, see tests/cannot-fail.awk:" "$output"; return 1; }
    for line in '! grep a b' 'for x in 1 2; do ! [ $x ]; done' '[ 1 = 2 ] && [ 3 = 3 ]' 'run grep a b | grep c'; do
        unfailing "    $line" '    true'
        printed "planted.bats:2:     $line"
    done
    unfailing '    for x in 1; do' '        ! grep a b' '    done'
    printed "planted.bats:3:         ! grep a b"
    unfailing '    run ! grep a b' '    ! grep a b || { echo why; return 1; }' '    [[ $a == b && $c == d ]]' '    [ "$a" ] && skip "no a"' \
        '    (cd a && ls)' '    ! grep a b'
    [ -z "$output" ] || { echo "$output"; return 1; }
}

@test "nothing generated is committed, and every script can be run" {
    run git ls-files build
    [ -z "$output" ]
    for script in $(git ls-files '*.sh' '.ci/run' common/front/cudac); do [ -x "$script" ]; done
}

@test "no merge was left half done" {
    run git grep -nE '^(<<<<<<< |>>>>>>> |\|\|\|\|\|\|\| )' -- .
    [ -z "$output" ] || { echo "$output"; return 1; }
}

@test "every lab of the table has its files" {
    while IFS=$'\t' read -r number folder program _; do
        [ "$number" = number ] && continue
        [ -f "solutions/$folder/$program.cu" ]
        [ -f "labs/$folder/$program.cu" ]
        [ -f "plots/lab$number.gp" ]
    done <labs/labs.tsv
}

# rdc FILE: what nvcc must be told where kernels launch kernels, as the labs' table says.
rdc() {
    grep -P "\t$(basename "$(dirname "$1")")\t.*-rdc=true" labs/labs.tsv | grep -o -e -rdc=true || true
}

@test "labs compile with nothing but -Icommon, as C++11 and as today's C++, without a warning" {
    needs_nvcc
    strict="-Icommon -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror"
    for file in solutions/*/*.cu; do nvcc $strict $(rdc "$file") -std=c++11 -o "$BATS_TEST_TMPDIR/solution" "$file"; done
    for file in labs/*/*.cu; do nvcc $strict $(rdc "$file") -o "$BATS_TEST_TMPDIR/lab" "$file"; done
}

@test "a room of the simulator includes only itself and the rooms above it in its README" {
    mapfile -t files < <(git ls-files 'common/simt/*/*.[ch]' ':!common/simt/include/*' ':!common/simt/measure/*')
    run awk '
        FILENAME ~ /README/ { if (match($0, /^\| `[a-z]+\/` /)) { split($0, part, "[`/]"); rank[part[2]] = ++n }; next }
        FNR == 1 { split(FILENAME, folder, "/"); room = folder[3]; if (!(room in rank)) print FILENAME ": a room that README does not list" }
        /^#include "[^"]*\// {
            split($2, to, "[\"/]")
            if (to[2] != "lib" && (to[2] != "simt" || !(to[3] in rank) || rank[to[3]] > rank[room])) print FILENAME ": " $2
        }' common/simt/README.md "${files[@]}"
    [ -z "$output" ] || { echo "$output"; return 1; }
    [ "${#files[@]}" -gt 100 ]
}
