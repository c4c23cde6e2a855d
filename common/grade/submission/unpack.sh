#!/usr/bin/env bash
# unpack.sh: take files out of a zip or tar archive. Runs in the sandbox (unpack.c).
#
#     unpack.sh one ARCHIVE NAME PATTERN OUT INNER    write one file to OUT: the one called NAME, else the only one like PATTERN; if there is
#                                                     none, say whether there is an archive, whose name is like INNER
#     unpack.sh all ARCHIVE [PATTERN BYTES]...        print all files: a line with the size and the name, then the bytes
#
# `all` prints at most BYTES bytes of a file whose name, in small letters, matches the regular expression PATTERN; of other files only
# the name. Of a path that leads out of the archive, and of a link or a device, it prints a line "! NAME" and the reason in the next.
# `one` refuses an archive with such a thing: exit code 3, the reason is on stderr. Exit code 4: bsdtar is missing.
set -uo pipefail
command=$1 archive=$2
shift 2
export LC_ALL=C.UTF-8 # names are not ASCII everywhere

refuse() {
    echo "$*" >&2
    exit 3
}

if ! command -v bsdtar >/dev/null; then
    echo "bsdtar is missing, which opens archives: \`make setup GRADING=1\` installs it" >&2
    exit 4
fi

# The names as bsdtar lists them, one a line: for a backslash, and for bytes that cannot be printed, stand codes as printf has them.
# Before each what it is: - a file, else a link or a device. Without folders, hidden files and those of an operating system.
names=$(bsdtar --list --file "$archive" 2>/dev/null) || refuse "it is damaged, or no archive"
members=$(paste -d '' <(bsdtar --list --verbose --file "$archive" 2>/dev/null | cut -c 1) - <<<"$names" |
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
    bsdtar --extract --to-stdout --fast-read --no-recursion --passphrase none --file "$archive" -- "$pattern" 2>/dev/null
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

case $command in
one)
    wanted=$1 out=$3 reason=
    while IFS= read -r member; do
        [ -z "$member" ] || why_not "$member"
        [ -z "$reason" ] || refuse "it holds $reason: ${member:1}"
    done <<<"$members"
    names=$(cut -c 2- <<<"$members")
    chosen=$(grep -E "(^|/)${wanted//./\\.}\$" <<<"$names" || grep -E -- "$2" <<<"$names" || true)
    inner=$(grep -iEm 1 -- "$4" <<<"$names" || true)
    [ -n "$chosen$inner" ] || refuse "there is no $wanted in it"
    [ -n "$chosen" ] || refuse "there is no $wanted in it, but another archive, $inner, which is not opened: hand in $wanted, or one archive with it"
    [ "$(wc -l <<<"$chosen")" = 1 ] || refuse "there are several files that could be $wanted in it: hand in one"
    extract "$chosen" >"$out" || refuse "$wanted cannot be taken out of it"
    ;;
all)
    while IFS= read -r member; do
        [ -n "$member" ] || continue
        why_not "$member"
        decode "${member:1}"
        name=${name#./} name=${name//[[:cntrl:]]/_}
        if [ -n "$reason" ]; then
            printf '! %s\n%s\n' "$name" "$reason"
        else
            bytes=$(bytes_of "$name" "$@")
            : >file
            [ "$bytes" = 0 ] || extract "${member:1}" | head -c "$bytes" >file
            printf '%s %s\n' "$(stat -c %s file)" "$name"
            cat file
        fi
    done <<<"$members"
    ;;
esac
