#!/usr/bin/env bash
# bench-edit.sh BUILD FRONT...: how long does a student wait after a change? For each lab, with each
# of these compilers: every step is solved and has run, one step's text is changed, and `make labN`
# builds and runs the lab. In a copy of the project.
set -euo pipefail
build=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files -z | xargs -0 cp --parents -t "$work"
. common/tools/labs.bash

# lab FRONT NUMBER: make, in the copy.
lab() {
    env -u MAKEFLAGS -u MAKELEVEL make -C "$work" --no-print-directory BUILD="$work/$1" FRONT="$1" \
        DEVICE=sim "lab$2" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}

TIMEFORMAT='%R %U %S'
printf '%-5s %-6s %8s %14s\n' lab front 'wall s' 'processors s'
for front; do
    mkdir -p "$work/$front"
    cp -a "$build"/{bin,simt,setup,obj,lib.a} "$work/$front/"
    rm -rf "$work/$front/obj/common/harness" # the other compiler's
    find "$work/$front" -name '*.d' -exec sed -i "s|^$build/|$work/$front/|" {} +
    for number in ${LABS:-$(tail -n +2 labs/labs.tsv | cut -f 1)}; do
        file=$work/labs/$(lab_field "$number" folder)/$(lab_field "$number" program).cu
        cp "solutions/${file#"$work/labs/"}" "$file"
        lab "$front" "$number"
        sed -i \
            "$(grep -n '// BEGIN SOLUTION' "$file" | tail -n 1 | cut -d : -f 1)a\\    ; // changed" \
            "$file"
        { time lab "$front" "$number"; } 2>"$work/time"
        awk -v lab="$number" -v front="$front" \
            '{ printf "%-5s %-6s %8.1f %14.1f\n", lab, front, $1, $2 + $3 }' "$work/time"
    done
done
