#!/usr/bin/env bash
# run.sh: the README's two commands on a bare system: a minimal Debian made with debootstrap in a temporary folder, which
# has apt, make, git and sudo, and nothing else that the project needs. Needs root, debootstrap and a Debian mirror; the
# system inside reaches nothing but that mirror's packages. Everything is unmounted and removed afterwards, whatever
# happens.
#
#   tests/bare/run.sh            the lab in every way below, and the tests once
#   TESTS=0 tests/bare/run.sh    without the tests
#
# The lab is run: as root without a terminal with LANG=C; as an ordinary user with sudo in a terminal with a Chinese
# locale, from a path with spaces; and as that user without a terminal.
set -euo pipefail

SUITE=${SUITE:-bookworm}
MIRROR=${MIRROR:-http://deb.debian.org/debian}
MOUNTS=(proc sys dev dev/pts) # in the order in which they are mounted
PROJECT="home/student/cuda labs"

project=$(cd "$(dirname "$0")/../.." && pwd)
fail() {
    echo "bare: $1" >&2
    exit 1
}
[ "$(id -u)" = 0 ] || fail "must be root: debootstrap and chroot ask for it"
command -v debootstrap >/dev/null || fail "there is no debootstrap: apt-get install debootstrap"

root=$(mktemp -d "${TMPDIR:-/tmp}/bare.XXXXXX")
chmod 755 "$root" # an ordinary user must be able to enter it

# Unmount in reverse order; only then is it safe to remove.
remove() {
    local i
    trap - EXIT INT TERM
    for ((i = ${#MOUNTS[@]} - 1; i >= 0; i--)); do
        if mountpoint -q "$root/${MOUNTS[i]}"; then umount "$root/${MOUNTS[i]}" || umount -l "$root/${MOUNTS[i]}"; fi
    done
    if grep -qF " $root/" /proc/mounts; then
        echo "bare: something is still mounted in $root; it is left there" >&2
    else
        rm -rf --one-file-system "$root"
    fi
}
trap remove EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() {
    printf '==== %s\n' "$1"
}

# The system, and in it a user who may use sudo, and the project as git has it.
make_system() {
    say "debootstrap $SUITE"
    debootstrap --variant=minbase --include=make,sudo,git,ca-certificates,locales,util-linux "$SUITE" "$root" "$MIRROR" >"$root.log" 2>&1 ||
        { tail -n 5 "$root.log" >&2; rm -f "$root.log"; fail "debootstrap failed"; }
    rm -f "$root.log"
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount --bind /dev "$root/dev"
    mount -t devpts devpts "$root/dev/pts"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    if [ -e /etc/apt/apt.conf.d ]; then cat /etc/apt/apt.conf.d/*proxy* >"$root/etc/apt/apt.conf.d/99proxy" 2>/dev/null || true; fi
    echo 'zh_CN.UTF-8 UTF-8' >"$root/etc/locale.gen"
    inside locale-gen >/dev/null
    inside useradd --create-home --shell /bin/bash student
    echo 'student ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/student"
    chmod 440 "$root/etc/sudoers.d/student"
    mkdir -p "$root/$PROJECT"
    git -C "$project" archive HEAD | tar -x -C "$root/$PROJECT"
    inside git -C "/$PROJECT" init -q
    inside git -C "/$PROJECT" add -A
    inside chown -R student:student /home/student
}

# A command in the system with nothing of this one's environment.
inside() {
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb chroot "$root" "$@"
}

# as USER LOCALE COMMAND: in the project, as README's reader would type it.
as() {
    inside runuser -u "$1" -- env "HOME=/home/$1" "LANG=$2" "LC_ALL=$2" bash -c "cd '/$PROJECT' && $3"
}

# The same in a terminal of its own.
in_terminal() {
    inside runuser -u "$1" -- env "HOME=/home/$1" "LANG=$2" "LC_ALL=$2" script -qec "bash -c \"cd '/$PROJECT' && $3\"" /dev/null
}

# One of the README's commands, by its place there.
readme() {
    awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside' "$project/README.md" | sed -n "$1p"
}

make_system
lab=$(readme 1) tests=$(readme 2)

say "$lab: as an ordinary user with sudo, in a terminal, in Chinese; nothing is installed yet"
in_terminal student zh_CN.UTF-8 "$lab" | tee "$root/tmp/terminal"
grep -q 'next: labs/lab3-reduction/reduction.cu' "$root/tmp/terminal" || fail "the run did not end with the first task"

say "$lab: as an ordinary user, no terminal, LANG=C"
as student C "make clean && $lab" | tail -n 4

say "$lab: as root, no terminal, LANG=C"
inside chown -R root:root "/$PROJECT"
inside git config --global --add safe.directory "/$PROJECT"
as root C "make clean && $lab" | tail -n 4

say "make doctor"
as root C "make doctor"

if [ "${TESTS:-1}" != 0 ]; then
    say "$tests: as an ordinary user with sudo"
    inside chown -R student:student "/$PROJECT"
    as student C "$tests"
fi
say "all is well on a bare system"
