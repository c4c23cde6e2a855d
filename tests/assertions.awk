# Lines of bats tests that look like an assertion and can never fail, and those that show nothing when they fail, each with its place.
#
#   ! command       bash does not end a test for a command with a ! before it, unless it is the last of its function: write `run ! command`, or
#                   `! command || { echo why; return 1; }`
#   A && B          nor when A fails: write two lines
#   run A | B       the pipe takes what `run` prints, which is nothing, and `run` itself is in another process
#
#   [ A = B ]       fails, but shows neither A nor B: write `assert_equal A B`, or another of bats-assert's words
#   grep -q A B     nor what B holds: write `assert_grep A <B`
#
# Text in quotes and tests in [[ ]] are passed over.
function bare(line) {
    gsub(/'[^']*'|"[^"]*"/, "Q", line)
    gsub(/['"].*| #.*/, "", line)
    gsub(/[<$]\([^()]*\)/, "P", line)
    gsub(/\[\[ [^]]*(\][^]]+)*\]\]/, "T", line)
    return line
}

/[^ ]/ {
    if (pending != "" && !/^}/) print pending
    pending = ""
}

/^ +[^ #]/ {
    line = bare($0)
    place = FILENAME ":" FNR ": " $0
    if (line ~ /^ +run [^|]*\|[^|]/) print place
    if (line ~ / \|\| /) next
    if (line ~ /(^ +|(then|do|else) )! /) pending = place
    else if (line ~ /(^ +|(then|do|else) )(T|\[ .*\]|(.*\| *)?grep -[A-Za-z]*q[^;]*)( *;.*)?$/) print place
    if (line ~ /^    [^ (].* && / && line !~ /&& (continue|return|skip|break|exit)/ && line !~ /^ +(if|while|until|for) /) pending = place
}
