#!/usr/bin/env bash
# left.sh NOTES ALL PART: how long a build of ALL parts still takes, if the parts left take as long as those so far did. Call it when PART of
# them begin; NOTES is a file that the build does not have when it begins. In a terminal the estimate stands in the last line until
# something else is printed there. Elsewhere it is printed once.
set -eu
all=$2 now=${EPOCHREALTIME/[.,]/}
exec 9>>"$1"
flock 9
read -r began begun told <"$1" || began=$now begun=0
left=$((begun == 0 ? 0 : (now - began) * (all - begun) / begun / 1000000))
if [ $((begun * 20)) -ge "$all" ] && [ "$left" -ge 3 ]; then
    if [ -t 1 ]; then
        printf '  about %d s left\r' "$left"
    elif [ -z "$told" ]; then
        told=told
        printf '  %-8s%s\n' LEFT "of the simulator's first build: about $left s"
    fi
fi
echo "$began $((begun + $3)) $told" >"$1"
