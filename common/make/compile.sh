#!/usr/bin/env bash
# compile.sh REASON WORD SOURCE PROGRAM COMMAND...: compile a CUDA program from a copy of its
# source, so that all of it is of one version, whatever is saved meanwhile. The macro LAB_VERSION is
# that version's name, which a lab's program holds: a program of the source's present version stays
# as it is, unless there is another REASON to compile it. COMMAND is the compiler with its flags;
# WORD names it in a line of output, and is empty for none. GUARD in the environment begins a
# command that judges the copy as the grader will, while the compiler works. PROGRAM.code holds the
# program's code: watched.sh asks whether that has changed.
set -euo pipefail
reason=$1 word=$2 source=$3 program=$4
shift 4
copy=$program.compiled.cu

# Print the name of the version that is standard input: its checksum and its length.
version() {
    cksum | sed 's/\(.*\) \(.*\)/version_\1_\2_/'
}

# The copy without its first line.
text() {
    tail -n +2 "$copy"
}

# Print each of the compiler's messages once, though it reads the file for the GPU and for the CPU,
# and name the source in them.
messages_once() {
    copy=$copy text=$source awk '
        BEGIN { copy = ENVIRON["copy"]; source = ENVIRON["text"] }
        function say() { if (!said[message]++) printf "%s", message; message = "" }
        {
            while ((at = index($0, copy)) > 0)
                $0 = substr($0, 1, at - 1) source substr($0, at + length(copy))
        }
        /^[^ ].*[(:][0-9]+[):].*(error|warning|note)/ { say() }
        { message = message $0 "\n" }
        END { say() }
    '
}

# Print what the program's code comes from: when its headers were saved, which make may not have seen
# yet, and the copy's text without comments. A comment may end in a line that goes on in the next:
# then all the text.
code() {
    [ ! -e "$program.d" ] || sed -n 's/:$//p' "$program.d" | sort -u | xargs -r stat -c '%y %n'
    if grep -qE '(\\|\?\?/)[[:space:]]*$' "$copy"; then
        text
    else
        text | gcc -x c++ -fpreprocessed -dD -E -w - || text
    fi
}

# What the grader would refuse of the copy, and what it would not take.
judge() {
    # shellcheck disable=SC2086 # a command and its first argument
    [ -z "${GUARD:-}" ] || text | $GUARD "$source" "$program.guard" "$@"
}

# One compiles; others wait, and then find the program.
exec 9>>"$copy"
flock 9
if [ -z "$reason" ] && grep -qaF "$(version <"$source")" "$program" 2>/dev/null; then exit; fi
[ -z "$word" ] || printf '  %-8s%s\n' "$word" "$source"
# Headers beside the source are found by the environment: nvcc takes no -I of a folder with a space
# in its name.
CPATH=$(dirname "$source")${CPATH:+:$CPATH}
export CPATH
named=${source//\\/\\\\}
printf '#line 1 "%s"\n' "${named//\"/\\\"}" | cat - "$source" >"$copy"
judge "$@" &
# A student who has changed the source waits.
if [ -z "$reason" ] && [ "${1##*/}" = nvcc ]; then set -- "${0%/*}/halves.sh" "$@"; fi
status=0
messages=$(env "$@" "-DLAB_VERSION=$(text | version)" -o "$program.new" "$copy" 2>&1 |
    messages_once) || status=$?
wait $! || exit 1
[ -z "$messages" ] || echo "$messages" >&2
if [ "$status" != 0 ]; then
    echo "$source: does not compile; the compiler's messages above say where" >&2
    exit 1
fi
# A header that was saved meanwhile is newer than the program. Neither the copy nor the source is a
# header.
touch -r "$copy" "$program.new"
[ ! -e "$program.d" ] || sed -i -e "\\|^$source:$|d" -e "s| $source||" -e "s| $copy||" "$program.d"
# The code stands below a name, which it keeps while nothing else is a reason to compile.
code=$(code)
if [ -n "$reason" ] || [ "$code" != "$(tail -n +2 "$program.code" 2>/dev/null)" ]; then
    rm -f "$program.code"
    mv "$program.new" "$program"
    printf '%s\n' "$(date +"%s %N $$")" "$code" >"$program.code"
else
    mv "$program.new" "$program"
fi
