#!/usr/bin/env bash
# unpack.sh ARCHIVE [PATTERN BYTES]...: print all files of a zip or tar archive: a line with the
# size and the name, then the bytes. Runs in the sandbox (unpack.c).
#
# Prints at most BYTES bytes of a file whose name, in small letters, matches the regular expression
# PATTERN; of other files only the name. Of a path that leads out of the archive, and of a link or a
# device, it prints a line "! NAME" and the reason in the next. Exit code 3: no archive, the reason
# is on stderr; 4: bsdtar is missing.
set -uo pipefail
archive=$1
shift
export LC_ALL=C.UTF-8 # names are not ASCII everywhere

if ! command -v bsdtar >/dev/null; then
    echo "bsdtar is missing, which opens archives: \`make setup GRADING=1\` installs it" >&2
    exit 4
fi

# The names as bsdtar lists them, one a line: for a backslash, and for bytes that cannot be printed,
# stand codes as printf has them. Before each what it is: - a file, else a link or a device. Without
# folders, hidden files and those of an operating system.
names=$(bsdtar --list --file "$archive" 2>/dev/null) || {
    echo "it is damaged, or no archive" >&2
    exit 3
}
kinds=$(bsdtar --list --verbose --file "$archive" 2>/dev/null | cut -c 1)
members=$(paste -d '' <(echo "$kinds") - <<<"$names" |
    awk '!seen[$0]++' | grep -vE '(^.|/)(__MACOSX/|\.([^./]|\.[^/]))|/$|^.?$')

# why_not MEMBER: why it must not be taken, in $reason; "": it may.
why_not() {
    reason=
    [[ $1 == [-d]* ]] || reason="a link or a device"
    [[ ! /${1:1}/ =~ /\.\./|^// ]] || reason="a path that leads out of it"
}

# decode LISTED: the name itself, in $name.
decode() {
    # shellcheck disable=SC2059 # the codes are printf's
    printf -v name -- "${1//%/%%}"
}

# extract LISTED: print the file. A pattern's special characters in the name stand for themselves.
extract() {
    local name pattern
    decode "$1"
    # shellcheck disable=SC2001 # the shell cannot put a backslash before what it finds
    pattern=$(sed 's/[][*?^$\]/\\&/g' <<<"$name")
    bsdtar --extract --to-stdout --fast-read --no-recursion --passphrase none --file "$archive" -- \
        "$pattern" 2>/dev/null
}

# bytes_of NAME [PATTERN BYTES]...
bytes_of() {
    local name=${1,,}
    while [ $# -gt 1 ]; do
        [[ $name =~ $2 ]] && echo "$3" && return
        shift 2
    done
    echo 0
}

while IFS= read -r member; do
    [ -n "$member" ] || continue
    why_not "$member"
    decode "${member:1}"
    name=${name#./} name=${name//[[:cntrl:]]/_}
    bytes=$(bytes_of "$name" "$@")
    : >file
    [ -n "$reason" ] || [ "$bytes" = 0 ] || extract "${member:1}" | head -c "$bytes" >file ||
        [ -s file ] ||
        reason="a file that cannot be taken out"
    if [ -n "$reason" ]; then
        printf '! %s\n%s\n' "$name" "$reason"
    else
        printf '%s %s\n' "$(stat -c %s file)" "$name"
        cat file
    fi
done <<<"$members"
