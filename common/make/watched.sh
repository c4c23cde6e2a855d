#!/usr/bin/env bash
# watched.sh RAN PROGRAM SIMULATOR COMMAND...: run a lab for `make watch-labN`, unless its last run
# there was of the same code and found nothing wrong: then only comments have changed since. The
# file RAN keeps what that run was of. SIMULATOR: the simulator's files, in one word.
set -euo pipefail
ran=$1 program=$2 simulator=$3
shift 3

# Print the name that compile.sh gave the program's code, another one each time if it gave none; and
# which files the simulator's are.
code() {
    head -n 1 "$program.code" 2>/dev/null || date +"%s %N"
    # shellcheck disable=SC2086 # several files
    [ -z "$simulator" ] || stat -Lc '%i %y' $simulator
}

now=$(code)
if [ "$now" = "$(cat "$ran" 2>/dev/null)" ]; then
    echo "No code has changed: the table above still holds."
    exit
fi
"$@"
echo "$now" >"$ran"
