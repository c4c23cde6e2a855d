#!/usr/bin/env bash
# unpack.sh ARCHIVE WANTED OUT: take one file out of a zip or tar archive: the one called WANTED, or the only .cu file.
# unpack.sh ARCHIVE: print all files, for class_unpack.c: of each its size and its name in a line, and then its bytes. A program or an
# archive that is too large to be graded is cut behind the limit; of other files only the name is given.
# Runs in the sandbox. An archive with a path that leads out of it, or with a link, is refused; the reason is on stderr.
set -uo pipefail
archive=$1 wanted=${2:-} out=${3:-}
export LC_ALL=C.UTF-8 # names are not ASCII everywhere

readonly PROGRAM_BYTES=$(((1 << 20) + 1)) ARCHIVE_BYTES=$(((64 << 20) + 1)) # one more than limits.h allows

refuse() {
    echo "$*" >&2
    exit 3
}

# What unzip would take for a pattern or a flag is none.
as_pattern() {
    local name=${1//[/[[]}
    name=${name//\*/[*]}
    name=${name//\?/[?]}
    case $name in -*) name="[-]${name:1}" ;; esac
    printf '%s' "$name"
}

if [ "$(head -c 2 "$archive")" = PK ]; then
    names=$(unzip -Z1 "$archive" 2>/dev/null) || refuse "it is damaged"
    kinds=$(unzip -Z "$archive" | grep -E '^[a-zA-Z?-][rwxsStT-]{9} ' | cut -c1)
    extract() { unzip -p "$archive" "$(as_pattern "$1")"; }
else
    names=$(tar --list --file "$archive" --quoting-style=escape 2>/dev/null) || refuse "it is damaged, or no archive"
    kinds=$(tar --list --verbose --file "$archive" 2>/dev/null | cut -c1)
    extract() { tar --extract --to-stdout --file "$archive" -- "$1"; }
fi

bad=$(grep -m 1 -E '(^|/)\.\.(/|$)|^/|[\]' <<<"$names") && refuse "it holds a path that leads out of it, or a strange name: $bad"
! grep -q '[^-d?]' <<<"$kinds" || refuse "it holds a link or a device"
names=$(grep -vE '(^|/)(__MACOSX/|\.[^/])' <<<"$names" || true)

# bytes_of NAME: how many of a file's are of use.
bytes_of() {
    case ${1,,} in
    *.cu) echo "$PROGRAM_BYTES" ;;
    *.zip | *.tar | *.tar.* | *.tgz) echo "$ARCHIVE_BYTES" ;;
    *) echo 0 ;;
    esac
}

if [ -z "$wanted" ]; then
    while IFS= read -r name; do
        case $name in */ | . | "") continue ;; esac
        extract "$name" 2>/dev/null | head -c "$(bytes_of "$name")" >file
        printf '%s %s\n' "$(stat -c %s file)" "${name#./}"
        cat file
    done <<<"$names"
    exit 0
fi

chosen=$(grep -E "(^|/)${wanted//./\\.}\$" <<<"$names" || grep -E '\.cu$' <<<"$names" || true)
[ -n "$chosen" ] || refuse "there is no $wanted in it"
[ "$(wc -l <<<"$chosen")" = 1 ] || refuse "there are several files that could be $wanted in it"
extract "$chosen" >"$out" 2>/dev/null || refuse "$wanted cannot be taken out of it"
