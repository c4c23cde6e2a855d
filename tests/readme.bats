# The README: its commands work as they are written, its run is what a run looks like, and what it names is there.

bats_require_minimum_version 1.5.0
load helpers

setup_file() {
    copy_project
}

# The lines of the fenced blocks of one language.
blocks() {
    awk -v language="$1" '$0 == "```" language { inside = 1; next } /^```/ { inside = 0 } inside' README.md
}

# A command as it is written, in the copy, on a small problem where it does not name one.
as_written() {
    (cd "$tree" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD NO_INSTALL=1 SIZE=5000 bash -c "$1" </dev/null)
}

@test "every command works as it is written" {
    mapfile -t commands < <(blocks sh)
    [ "${#commands[@]}" -ge 15 ]
    for command in "${commands[@]}"; do
        # Not the tests within the tests, and no name of a file that this run cannot have a size for.
        [ "$command" != "make test" ] || command="make --dry-run test >/dev/null"
        run as_written "$command"
        [ "$status" -eq 0 ] || { echo "$command: exit code $status: $output"; return 1; }
    done
}

@test "the run shown is what a run looks like" {
    run as_written "make lab3 FROM=solutions DEVICE=sim"
    ended_with 0
    # Numbers differ with the size and the machine; kernels, columns and verdicts do not.
    shape() { grep -E '^( *[0-9#] )' | sed -E 's/<<<[^>]*>>>/<<<>>>/; s/[0-9.]+/0/g; s/ +/ /g'; }
    diff <(blocks text | shape) <(printf '%s\n' "$output" | shape)
    [ "$(blocks text | shape | wc -l)" -eq 10 ]
}

@test "every folder, file and target that it names is there" {
    for path in $(grep -oE '`(labs|solutions|handouts|common|plots|tests)/[A-Za-z0-9_./-]*`' README.md | tr -d '`'); do
        [ -e "$path" ] || { echo "$path is not there"; return 1; }
    done
    for picture in $(grep -oE '\]\([^)]*\)' README.md | sed 's/](\(.*\))/\1/'); do [ -e "$picture" ]; done
    run user_make help
    for target in profile check diff reset demo grade; do grep -q "$target-labN" <<<"$output" || [ $target = grade ]; done
    for package in $(awk -F'\t' 'NR > 1 && $3 == "front" { print $1 }' common/packages.tsv); do grep -q "$package" README.md; done
}
