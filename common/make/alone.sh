#!/usr/bin/env bash
# alone.sh LOCK [NAME=VALUE...] COMMAND...: run the command with these variables while no other
# holds the lock: two programs at a time would spoil each other's times. Where it has to wait, say
# for what.
set -euo pipefail
lock=$1
shift
exec 9>>"$lock"
if ! flock -n 9; then
    echo "waiting, as two programs at a time would spoil each other's times, for $(cat "$lock")" >&2
    flock 9
fi
command=1
while [[ ${!command} == [A-Z]*=* ]]; do command=$((command + 1)); done
echo "process $$: ${*:command}" >"$lock"
exec env "$@"
