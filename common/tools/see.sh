#!/usr/bin/env bash
# see.sh SIMULATOR SOURCE PROGRAM PAGE [ARGUMENTS]: record a step of a lab's program for a browser.
# STEP: its name or number; or STEPS: two steps, to stand side by side. BLOCK_INDEX, WARPS: what to
# record of the kernel; LAUNCH: of which of its launches. GPUS: two, whose cycles to show. The
# arguments are the program's. steps.tsv has the moment of the page that shows the step's point, and
# arguments and settings for a step that has none.
#
# A step's kernel has the step's name, as a rule; else it is what the step launches last.
set -euo pipefail
. common/tools/labs.bash
simulator=$1 source=$2 program=$3 page=$4
shift 4
arguments=("$@") flags=(--quiet) what=(--profile) moment=
# usual_settings SETTING...: those of a step whose caller gave none.
usual_settings() {
    [ -z "${arguments[*]}${BLOCK_INDEX:-}${WARPS:-}${LAUNCH:-}" ] || return 0
    local setting
    for setting in "$@"; do
        case $setting in
        SIZE=*) read -ra arguments < <(size_flags "${setting#SIZE=}") ;;
        BLOCK=*) arguments+=(--block "${setting#BLOCK=}") ;;
        *) declare -g "$setting" ;;
        esac
    done
}
# name_of STEP: the name of the step of that name or number; nothing if there is none.
name_of() {
    # shellcheck disable=SC2086 # a command and its flags
    $simulator --quiet "$program" --list |
        awk -v step="$1" '$1 == step || $2 == step { print $2; exit }'
}

if [ -n "${STEPS:-}" ]; then
    IFS=, read -r one two <<<"$STEPS"
    first=$(name_of "$one") second=$(name_of "$two")
    flags+=(--see-kernel "${first:-$one},${second:-$two}") # a kernel may be none of the steps
else
    name=$(name_of "${STEP:-1}")
    [ -n "$name" ] || { echo "STEP=$STEP: no such step; $program --list names all" >&2; exit 2; }
    what+=(--step "$name")
    if grep -Eq "__global__.*[ *]$name\(" "$source"; then
        flags+=(--see-kernel "$name")
    else
        flags+=(--see-launch last)
    fi
    lab=${source#*/lab}
    while IFS=$'\t' read -r step to _ settings; do
        [ "$step" = "$name" ] || continue
        moment="#to=$to"
        # shellcheck disable=SC2086 # settings with blanks between them
        usual_settings $settings
    done < <(moments "${lab%%-*}")
fi
flags+=(${BLOCK_INDEX:+--see-block "$BLOCK_INDEX"} ${WARPS:+--see-warps "$WARPS"}
    ${LAUNCH:+--see-launch "$LAUNCH"})
log=${page%.html}.txt
IFS=, read -r gpu other <<<"${GPUS:-}"

# why: what may help where there is no page.
why() {
    echo "what the program printed is in $log"
    [ -z "$moment${STEPS:-}" ] || return 0
    local reason="runs on the host, without a warp to see"
    [[ ${flags[*]} != *--see-kernel* ]] || reason="has no page: its smallest problem is too long for one"
    echo "step $name of lab ${lab%%-*} $reason; STEP= takes those with a page:" \
        "$(moments "${lab%%-*}" | cut -f 1 | paste -sd ' ')"
}

# simulate FLAGS...: run the program with these flags of simt's.
simulate() {
    # shellcheck disable=SC2086 # a command and its flags
    $simulator "$@" "${flags[@]}" "$program" "${what[@]}" "${arguments[@]}" >"$log" ||
        { why >&2; exit 1; }
}
if [ -n "$other" ]; then
    beside=$(mktemp)
    trap 'rm -f "$beside"' EXIT
    simulate --gpu "$other" --see-trace "$beside" --trace-format page
fi
simulate ${gpu:+--gpu "$gpu"} ${beside:+--see-beside "$beside"} --see "$page"
echo "open $page$moment in a browser"
