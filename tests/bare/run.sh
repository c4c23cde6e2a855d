#!/usr/bin/env bash
# run.sh: the README's two commands on a bare system (system.bash), which has apt, make, git and
# sudo, and nothing else that the project needs.
#
#   tests/bare/run.sh            the lab in every way below, and the tests
#   TESTS=0 tests/bare/run.sh    without the tests
#   TESTS=1 tests/bare/run.sh    with the tests as the ordinary user only
#
# Two systems, so that each kind of user meets one on which nothing is installed: an ordinary user
# with sudo, in a terminal with a Chinese locale; and root, without a terminal and with LANG=C. Then
# each the other way round. The project's path has a space in it.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
. "$(dirname "$0")/system.bash"
PROJECT="home/student/cuda labs"
CHINESE=zh_CN.UTF-8

# ---- Systems ----

# A system with a user who may use sudo, and in it the project as git has it.
make_base() {
    make_system base make,sudo,git,ca-certificates,locales,util-linux
    echo "$CHINESE UTF-8" >"$root/etc/locale.gen"
    inside locale-gen >/dev/null
    inside useradd --create-home --shell /bin/bash student
    echo 'student ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/student"
    chmod 440 "$root/etc/sudoers.d/student"
    copy_project "/$PROJECT"
    inside chown -R student:student /home/student
}

# use NAME: from here on the commands below work in this system; it begins as a copy of the base.
use() {
    root=$base/$1
    [ ! -e "$root" ] || return 0
    cp -a "$base/base" "$root"
    mount_system
}

# ---- Users ----

# as USER LOCALE COMMAND: in the project, as README's reader would type it.
as() {
    inside runuser -u "$1" -- env "HOME=$(home "$1")" "LANG=$2" "LC_ALL=$2" bash -c \
        "cd '/$PROJECT' && $3" </dev/null
}

# The same in a terminal of its own.
in_terminal() {
    inside runuser -u "$1" -- env "HOME=$(home "$1")" "LANG=$2" "LC_ALL=$2" script -qec \
        "bash -c \"cd '/$PROJECT' && $3\"" /dev/null
}

home() {
    if [ "$1" = root ]; then echo /root; else echo "/home/$1"; fi
}

# belongs_to USER: whose the project's folder is.
belongs_to() {
    inside chown -R "$1:$1" "/$PROJECT"
}

# One of the README's commands, by its place there.
readme() {
    awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside' "$project/README.md" | sed -n \
        "$1p"
}

# A run of the lab, which ends with the first task.
lab_run() {
    "$@" | tee "$base/output"
    grep -q 'next: labs/lab3-reduction/reduction.cu' "$base/output" || fail \
        "the run did not end with the first task"
}

# A run of the tests, which ends with their numbers.
test_run() {
    "$@" | tee "$base/output"
    tail -n 1 "$base/output" | grep -q '^[1-9][0-9]* passed, 0 failed' || fail \
        "the tests did not pass"
}

# ---- Runs ----

say "debootstrap $SUITE"
make_base
lab=$(readme 1) tests=$(readme 2)

use students
say "$lab: as an ordinary user with sudo, in a terminal, in Chinese; nothing is installed yet"
lab_run in_terminal student $CHINESE "$lab"
say "$lab: as an ordinary user, no terminal, LANG=C"
lab_run as student C "make clean && $lab" | tail -n 4

use roots
belongs_to root
say "$lab: as root, no terminal, LANG=C; nothing is installed yet"
lab_run as root C "$lab"
say "$lab: as root, in a terminal, in Chinese"
lab_run in_terminal root $CHINESE "make clean && $lab" | tail -n 4

say "make doctor, make setup, make doctor"
as root C "make doctor && make setup && make doctor"

if [ "${TESTS:-2}" -ge 1 ]; then
    use students
    say "$tests: as an ordinary user with sudo, no terminal, LANG=C"
    test_run as student C "$tests"
fi
if [ "${TESTS:-2}" -ge 2 ]; then
    use roots
    say "$tests: as root, in a terminal, in Chinese"
    test_run in_terminal root $CHINESE "$tests"
fi
say "all is well on a bare system"
