#!/usr/bin/env bash
# halves.sh NVCC FLAG...: compile as nvcc would, but its half for the CPU beside the one for the GPU.
# nvcc says what its steps are, as lines for a shell. Where they are not those that are known here, or
# one fails, nvcc itself does it all.
set -uo pipefail
work=$(mktemp -d) || exec "$@"
trap 'rm -rf "$work"' EXIT

plain() {
    rm -rf "$work"
    exec "$@"
}

# The preprocessor writes the lists of headers, which nvcc would take from its output.
lists='' headers=/dev/null
for ((i = 2; i <= $#; i++)); do
    next=$((i + 1))
    case ${!i} in
    -MMD | -MP) lists+=" ${!i}" ;;
    -MT) lists+=" -MT '${!next}'" ;;
    -MF) headers=${!next} ;;
    esac
done

"$@" --dryrun --keep --keep-dir "$work" 2>"$work/plan"
awk -v work="$work" -v lists="$lists" '
    !sub(/^#\$ /, "") { print >(work "/messages"); next }
    /^(PATH|LD_LIBRARY_PATH|CICC_PATH)=/ { sub(/=/, "=\047"); print "export " $0 "\047"; next }
    /^[A-Z_]+=/ || /^-- Filter Dependencies/ { next }
    { half = "unknown" }
    / -E -x c\+\+ / {
        half = / -D__CUDA_ARCH__=/ ? "device" : "host"
        if (lists != "") $0 = $0 lists " -MF \047" work "/" half ".d\047"
    }
    /^cudafe\+\+ / && sub(/ --gen_module_id_file /, " ") { half = "host" }
    /^("\$CICC_PATH\/cicc"|ptxas|fatbinary) / { half = "device" }
    / -c -x c\+\+ / || / -Wl,--start-group / { half = "both" }
    { print >(work "/" half); n[half]++ }
    END { exit n["unknown"] || n["host"] != 2 || !n["device"] || n["both"] != 2 }
' "$work/plan" >"$work/environment" || plain "$@"
# shellcheck disable=SC1091
. "$work/environment"
bash -n "$work/host" || plain "$@"

# cudafe++ would make up this name, and cicc wait for it.
printf _00000000_3_lab_00000000 \
    >"$(sed -n 's/.* --module_id_file_name "\([^"]*\)".*/\1/p' "$work/host")"
bash -e "$work/device" 2>>"$work/messages" &
status=0
bash -e "$work/host" || status=$?
[ "$status" != 2 ] || { wait && exit 2; } # cudafe++ found a mistake in the source
{ wait $! && [ "$status" = 0 ]; } || plain "$@"
cat "$work/messages" >&2
bash -e "$work/both" || plain "$@"
[ -z "$lists" ] || cat "$work"/*.d >"$headers"
