#!/usr/bin/env bash
# run.sh SUITE...: build what the tests need, run these suites, one more at a time than there are
# processors, for tests of time limits wait, and end with "N passed, N failed". Without a suite: all
# of SUITES. tests/rules.mk has a rule for each suite, and sets what is read here.
set -uo pipefail
unset MAKEFLAGS MAKELEVEL MFLAGS # tests call make as users do, not as parts of this one
export CMOCKA_MESSAGE_OUTPUT=TAP
# What nvcc has compiled, gold links in a quarter of the time.
! command -v ld.gold >/dev/null || export NVCC_APPEND_FLAGS='-Xcompiler -fuse-ld=gold'
before=$(git status --porcelain 2>/dev/null)

all=()
if [ $# = 0 ]; then
    read -ra SUITES <<<"$SUITES"
    set -- "${SUITES[@]}"
    all=(LAB_BUILD=strict programs handed-out)
fi
make -s --no-print-directory DEVICE=sim all unit-tests "${all[@]}" ||
    { echo "0 passed, 1 failed" && exit 1; }
results=("${@/#/$BUILD/tests/}")
rm -f "${results[@]/%/.tap}"
make --no-print-directory -k -O -j$(($(nproc) + 1)) "${results[@]/%/.tap}"
awk -v all=1 -f tests/count.awk "${results[@]/%/.tap}"
failed=$?
if [ "$(git status --porcelain 2>/dev/null)" != "$before" ]; then
    echo "the tests have left something behind:"
    git status --short
    failed=1
fi
exit "$failed"
