#!/usr/bin/env bash
# unpack.sh: take files out of a zip or tar archive. Runs in the sandbox (unpack.c).
#
#     unpack.sh one ARCHIVE NAME PATTERN OUT        write one file to OUT: the one called NAME, else the only one like PATTERN
#     unpack.sh all ARCHIVE [PATTERN BYTES]...      print all files: a line with the size and the name, then the bytes
#
# `all` prints at most BYTES bytes of a file whose name, in small letters, matches the regular expression PATTERN; of other files only
# the name. An archive with a path that leads out of it, or with a link, is refused: exit code 3, the reason is on stderr. Exit code
# 4: bsdtar is missing.
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

# extract NAME: print the file. A pattern's special characters in the name stand for themselves.
extract() {
    local pattern
    # shellcheck disable=SC2001 # the shell cannot put a backslash before what it finds
    pattern=$(sed 's/[][*?^$]/\\&/g' <<<"$1")
    bsdtar --extract --to-stdout --fast-read --no-recursion --passphrase none --file "$archive" -- "$pattern" 2>/dev/null
}

# A backslash in a listed name is there or stands for a character that cannot be printed, such as a line end.
names=$(bsdtar --list --file "$archive" 2>/dev/null) || refuse "it is damaged, or no archive"
bad=$(grep -m 1 -E '(^|/)\.\.(/|$)|^/|[\]' <<<"$names") && refuse "it holds a path that leads out of it, or a strange name: $bad"
! bsdtar --list --verbose --file "$archive" | grep -q '^[^-d]' || refuse "it holds a link or a device"
names=$(grep -vE '(^|/)(__MACOSX/|\.[^/])|/$|^$' <<<"$names" || true)

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
    name=$1 out=$3
    chosen=$(grep -E "(^|/)${name//./\\.}\$" <<<"$names" || grep -E -- "$2" <<<"$names" || true)
    [ -n "$chosen" ] || refuse "there is no $name in it"
    [ "$(wc -l <<<"$chosen")" = 1 ] || refuse "there are several files that could be $name in it"
    extract "$chosen" >"$out" || refuse "$name cannot be taken out of it"
    ;;
all)
    while IFS= read -r name; do
        [ -n "$name" ] || continue
        extract "$name" | head -c "$(bytes_of "$name" "$@")" >file
        printf '%s %s\n' "$(stat -c %s file)" "${name#./}"
        cat file
    done <<<"$names"
    ;;
esac
