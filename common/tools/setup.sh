#!/usr/bin/env bash
# setup.sh GROUP...: install the missing Debian packages of these groups (common/packages.tsv). With
# NO_INSTALL=1, only name them. If none is missing, print nothing. Without apt, install nothing and
# print this system's names of the packages.
#
#   OS_RELEASE=/etc/os-release    the file that names this system
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
. "$(dirname "$0")/apt.bash"
table=$(dirname "$0")/../packages.tsv

# packages_of GROUP COLUMN: the group's packages, one a line, by the names in this column; - stands
# for no package.
packages_of() {
    awk -F'\t' -v group="$1" -v name="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
        $3 == group && $column != "-" { print $column }' "$table"
}

is_installed() {
    dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

# Print the command that installs the packages on another system.
name_for_other_system() {
    local system command column
    # shellcheck disable=SC1090
    system=$(. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "$ID ${ID_LIKE:-}") || system=
    case " $system " in
    *" fedora "* | *" rhel "*) column=fedora command=": sudo dnf install" ;;
    *" arch "*) column=arch command=": sudo pacman -S --needed" ;;
    *suse*) column=suse command=": sudo zypper install" ;;
    *) column=package command=", install what Debian calls" ;;
    esac
    packages=$(for group; do packages_of "$group" $column; done | awk '!seen[$0]++' | paste -sd ' ')
    echo "setup: there is no apt here; if something is missing$command $packages" >&2
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    name_for_other_system "$@"
    exit 0
fi

# Several targets may install at the same time, but apt runs once at a time.
exec 9<"$table"
flock 9

missing=()
for group in "$@"; do
    for package in $(packages_of "$group" package); do
        is_installed "$package" || missing+=("$package")
    done
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "${NO_INSTALL:-0}" != 0 ]; then
    echo "setup: missing, and not installed because of NO_INSTALL: ${missing[*]}"
    exit 0
fi
if ! may_install; then
    echo "setup: not root, and there is no sudo;" \
        "ask an administrator to run: apt-get install ${missing[*]}" >&2
    exit 1
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! apt_install "$log" "${missing[@]}"; then
    tail -n 15 "$log" >&2
    echo "setup: could not install them; without network, or where sudo is refused," \
        "ask an administrator to run: apt-get install ${missing[*]}" >&2
    echo "setup: or go on without them: NO_INSTALL=1 make ..." >&2
    exit 1
fi
