#!/usr/bin/env bash
# browser.sh: format and lint the JavaScript, record pages, and open them in Chromium and in
# Firefox. All is written to BUILD/browser. TOUR=1: only the pictures of the handout for teachers,
# which are put into handouts/img.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}")
here=$build/browser
export PAGES=$here/pages CHROMIUM FIREFOX

# need NAME COMMAND...: the first of the commands that is there.
need() {
    command -v "${@:2}" | grep . -m 1 || { echo \
        "there is no $1: install it, or run make test-browser without NO_INSTALL" >&2; exit 1; }
}

CHROMIUM=$(need chromium chromium google-chrome)
FIREFOX=$(need firefox firefox-esr firefox)
need npm npm >/dev/null

# npm's packages as package-lock.json has them, fetched once.
install() {
    if ! cmp -s tests/see/package-lock.json "$here/node_modules/.lock"; then
        (cd "$here" && npm ci --no-audit --no-fund --loglevel=error)
        cp tests/see/package-lock.json "$here/node_modules/.lock"
    fi
}

lint() {
    local tools=$here/node_modules/.bin
    "$tools/prettier" --check --tab-width 4 --print-width 120 common/see/*.js common/slides/*.js \
        common/explore/*.js tests/see/*.js
    "$tools/eslint" --config "$here/eslint.config.js" common/see common/slides \
        common/explore tests/see
}

# page NAME SOURCE PROGRAM FLAGS...: record a page with what STEP, STEPS say. What cannot be
# recorded ends this.
page() {
    common/tools/see.sh "$build/bin/simt ${CSV:+--profile $CSV}" "$2" "$3" "$PAGES/$1.html" \
        "${@:4}" >/dev/null
}

# all_steps LAB SOURCE FLAGS...: each step of a lab with its profile.
all_steps() {
    local source=$2 program step
    program=$build/solutions/lab$1/$(basename "$source" .cu)
    for step in $("$build/bin/simt" --quiet "$program" --list | awk '{ print $2 }'); do
        STEP=$step CSV=$PAGES/lab$1-$step.csv page "lab$1-$step" "$source" "$program" "${@:3}" ||
            { echo "lab $1, $step: no page"; rm -f "$PAGES/lab$1-$step.csv"; }
    done
}

explorers() {
    local lab
    for lab in 2 3 4 8; do
        make --no-print-directory DEVICE=sim FROM=solutions explore-lab$lab &&
            cp "$build/solutions/explore/lab$lab.html" "$PAGES/explore-lab$lab.html"
    done
}

pages() {
    all_steps 1 solutions/lab1-divergence/divergence.cu --size 64
    all_steps 3 solutions/lab3-reduction/reduction.cu --size 1024
    all_steps 4 solutions/lab4-transpose/transpose.cu --size 8
    all_steps 6 solutions/lab6-shared-reduction/shared_reduction.cu --size 100
    all_steps 7 solutions/lab7-memory/memory.cu --size 128
    all_steps 8 solutions/lab8-banks/banks.cu --size 32
    local reduction="$build/solutions/lab3/reduction" source=solutions/lab3-reduction/reduction.cu
    STEP=1 page default $source "$reduction" --block 256
    STEP=1 page warps32 $source "$reduction" --block 1024
    STEP=1 GPUS=h200,gtx1060 page gpus $source "$reduction" --size 100000 --block 256
    STEPS=reduceNeighbored,reduceInterleaved page pair $source "$reduction" --block 256
    STEP=2 page memory solutions/lab4-transpose/transpose.cu "$build/solutions/lab4/transpose"
    STEP=smem page banks solutions/lab4-transpose/transpose.cu "$build/solutions/lab4/transpose"
    STEP=gpuRecursiveReduce page nested solutions/lab5-nested/nested.cu \
        "$build/solutions/lab5/nested"
    make --no-print-directory DEVICE=sim slides-lab3 && cp "$build/slides/lab3.html" \
        "$PAGES/slides.html"
    explorers
    # A handout with the explorer where make explore-lab4 leaves it.
    make --no-print-directory "${BUILD:-build}/handouts/lab4.html"
    mkdir "$PAGES/handouts" "$PAGES/explore"
    cp "$build/handouts/lab4.html" "$PAGES/handouts/"
    cp "$PAGES/explore-lab4.html" "$PAGES/explore/lab4.html"
    SIMT_EXPLORE_RUN="size 64, block 256" "$build/bin/simt" --quiet --explore \
        "$PAGES/explore-shapes.html" "$build/solutions/lab2/occupancy" --size 64 --step sumMatrix \
        >/dev/null
    "$build/bin/simt" --quiet --explore "$PAGES/explore-wrong.html" "$build/browser/wrong" 2>/dev/null
    "$build/bin/simt" --quiet --see "$PAGES/hostile.html" "$build/browser/hostile" >/dev/null
    local kernel
    for kernel in $("$build/bin/simt" --quiet "$build/browser/kinds"); do
        "$build/bin/simt" --quiet --see "$PAGES/kinds-$kernel.html" --see-kernel "$kernel" \
            "$build/browser/kinds" "$kernel" >/dev/null
    done
}

mkdir -p "$here"
rm -rf "$PAGES"
mkdir "$PAGES"
cp tests/see/*.js tests/see/*.json "$here/"
install
if [ -n "${TOUR:-}" ]; then
    explorers
    (cd "$here" && node_modules/.bin/playwright test tour.spec.js --project chromium)
    for picture in "$PAGES"/tour-*.png; do
        cp "$picture" "handouts/img/explore-${picture##*/tour-}"
    done
    exit
fi
lint
pages
cd "$here"
# Times first, one at a time. A busy machine may miss a bound: the other tests run all the same.
status=0
node_modules/.bin/playwright test --project fast --workers 1 || status=$?
node_modules/.bin/playwright test --project chromium --project 'firefox*' || status=$?
exit $status
