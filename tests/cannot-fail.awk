# Lines of bats tests that look like an assertion and can never fail, each with its place.
#
#   ! command       bash does not end a test for a command with a ! before it, unless it is the last of its function: write `run ! command`, or
#                   `! command || { echo why; return 1; }`
#   A && B          nor when A fails: write two lines
#   run A | B       the pipe takes what `run` prints, which is nothing, and `run` itself is in another process
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
    if (line ~ /(^ +|(then|do) )! /) pending = place
    if (line ~ /^    [^ (].* && / && line !~ /&& (continue|return|skip|break|exit)/ && line !~ /^ +(if|while|until|for) /) pending = place
}
