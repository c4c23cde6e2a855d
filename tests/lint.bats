# Style: formatting, shell scripts, and what must not be in the project.

load helpers

@test "C and CUDA are formatted" {
    run clang-format --dry-run -Werror $(git ls-files '*.c' '*.h' '*.cu')
    ended_with 0
}

@test "shell scripts are clean" {
    run shellcheck -x $(git ls-files '*.sh' '.ci/run' common/front/cudac)
    ended_with 0
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
