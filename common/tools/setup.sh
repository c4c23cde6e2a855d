#!/usr/bin/env bash
# setup.sh GROUP...: install the Debian packages of these groups (common/packages.tsv) that are missing.
# With NO_INSTALL=1 it only names them. Says nothing and does nothing where all are there.
set -euo pipefail
table=$(dirname "$0")/../packages.tsv

# The packages of a group, one a line.
packages_of() {
    awk -F'\t' -v group="$1" 'NR > 1 && $3 == group { print $1 }' "$table"
}

is_installed() {
    dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

# As root directly, else through sudo.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "setup: not root, and there is no sudo; ask an administrator to run: apt-get install ${missing[*]}" >&2
        return 1
    fi
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: this system has no apt, so install by its own means what common/packages.tsv names (as Debian calls it)" >&2
    exit 0
fi

# Several targets may each want their group at the same time, and apt serves one at a time.
exec 9<"$table"
flock 9

missing=()
for group in "$@"; do
    for package in $(packages_of "$group"); do
        is_installed "$package" || missing+=("$package")
    done
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "${NO_INSTALL:-0}" != 0 ]; then
    echo "setup: missing, and not installed because of NO_INSTALL: ${missing[*]}"
    exit 0
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}")
if ! as_root apt-get update >"$log" 2>&1 || ! as_root "${install[@]}" >>"$log" 2>&1; then
    tail -n 15 "$log" >&2
    echo "setup: could not install them; install them yourself, or go on without with NO_INSTALL=1" >&2
    exit 1
fi
