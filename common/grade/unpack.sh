#!/usr/bin/env bash
# unpack.sh ARCHIVE WANTED OUT: take one file out of a zip or tar archive: the one called WANTED, or the only .cu file. Runs in
# the sandbox. An archive with a path that leads out of it, or with a link, is refused; the reason is on stderr.
set -uo pipefail
archive=$1 wanted=$2 out=$3

refuse() {
    echo "$*" >&2
    exit 3
}

if [ "$(head -c 2 "$archive")" = PK ]; then
    names=$(unzip -Z1 "$archive" 2>/dev/null) || refuse "it is damaged"
    kinds=$(unzip -Z "$archive" | grep -E '^[a-zA-Z?-][rwxsStT-]{9} ' | cut -c1)
    extract() { unzip -p "$archive" "${1//[/[[]}"; }
else
    names=$(tar --list --file "$archive" --quoting-style=literal 2>/dev/null) || refuse "it is damaged, or no archive"
    kinds=$(tar --list --verbose --file "$archive" 2>/dev/null | cut -c1)
    extract() { tar --extract --to-stdout --file "$archive" -- "$1"; }
fi

! grep -qE '(^|/)\.\.(/|$)|^/|[\]' <<<"$names" || refuse "it holds a path that leads out of it"
! grep -q '[^-d?]' <<<"$kinds" || refuse "it holds a link or a device"

names=$(grep -vE '(^|/)(__MACOSX/|\.)' <<<"$names" || true)
chosen=$(grep -E "(^|/)${wanted//./\\.}\$" <<<"$names" || grep -E '\.cu$' <<<"$names" || true)
[ -n "$chosen" ] || refuse "there is no $wanted in it"
[ "$(wc -l <<<"$chosen")" = 1 ] || refuse "there are several files that could be $wanted in it"
extract "$chosen" >"$out" 2>/dev/null || refuse "$wanted cannot be taken out of it"
