# Complete programs in the labs' texts: each compiles and runs as the command beside it says, and
# prints what the text shows.

load ../helpers

setup_file() {
    copy_project
}

# block PAGE LANGUAGE PATTERN: the fenced block of this language in which a line matches, or the
# first after it that has another language: block PAGE sh after PATTERN.
block() {
    awk -v language="$2" -v pattern="$3" -v after="${4:-}" '
        /^```[a-z]/ { kind = substr($0, 4); text = ""; next }
        /^```$/ { if (after && found && kind == language) { printf "%s", text; exit }
            if (kind == "cuda" && text ~ pattern) { found = 1; if (!after) { printf "%s", text; exit } }
            else if (kind == "cuda" && found) { exit }
            kind = ""; next }
        kind { text = text $0 "\n" }' "handouts/$1"
}

# The output of a command as it stands in a text, run in the copy; without make's lines, such as `
# NVCC    first.cu`.
as_written() {
    (cd "$tree" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD NO_INSTALL=1 DEVICE=sim bash -o pipefail -c "$1" </dev/null 2>"$tree/errors") \
        |
        grep -vE '^( *[0-9]+ )?  [A-Z]+ +' | sed 's/ *$//'
}

@test "listings: each complete program in a text runs, and prints what stands below it" {
    programs=0
    for page in $(cd handouts && grep -l '^/\* [a-z]*\.cu: ' ./*.md); do
        for program in $(sed -nE 's#^/\* ([a-z]+\.cu): .*#\1#p' "handouts/$page"); do
            programs=$((programs + 1))
            block "$page" cuda "^/. $program: " >"$tree/$program"
            command=$(block "$page" sh "^/. $program: " after | sed 's/ *#.*//')
            assert_regex "$command" "FILE=$program"
            # A size may be given: a small one will do.
            [[ $(<"$tree/$program") != *'argv[1]'* ]] || command="${command%$'\n'} ARGS=128"
            run as_written "$command"
            assert_success # of this command, with the errors:
            assert_equal "$(grep -v '^simt: ' "$tree/errors")" ""
            shown=$(block "$page" text "^/. $program: " after | sed 's/ *$//')
            if [ -n "$shown" ]; then assert_equal "$output" "$shown"; fi
        done
    done
    assert [ "$programs" -ge 6 ]
}

@test "listings: a condition with one ampersand and no parentheses around it does not compile" {
    block lab0.md cuda '^/. picture.cu: ' | sed \
        's/if (Row < m && Col < n)/if (Row < m) \& (Col < n)/' >"$tree/ampersand.cu"
    assert_grep '(Row < m) & (Col < n)' <"$tree/ampersand.cu"
    run ! user_make run FILE=ampersand.cu DEVICE=sim
    assert_output --partial "does not compile"
    sed -i 's/if (Row < m) & (Col < n)/if ((Row < m) \& (Col < n))/' "$tree/ampersand.cu"
    run -0 user_make run FILE=ampersand.cu DEVICE=sim
    assert_output --partial "4712 pixels are doubled"
}

@test "listings: the first launch takes longer than the others" {
    block lab11.md cuda '^/. first.cu: ' >"$tree/first.cu"
    # the test of all programs built it
    [ -x "$tree/build/own/first" ] || user_make run FILE=first.cu DEVICE=sim
    # A busy machine may hold a launch up: of each, the shortest of three runs counts.
    run -0 bash -c 'for i in 1 2 3; do "$1" "$2" || exit; done' - "$tree/build/bin/simt" \
        "$tree/build/own/first"
    assert_lines 15 '^launch [1-5]: '
    awk \
        '/^launch/ { if (!($2 in ms) || $3 < ms[$2]) ms[$2] = $3 } END { for (launch in ms) if (launch != "1:" && ms[launch] >= ms["1:"]) exit 1 }' \
        <<<"$output"
}
