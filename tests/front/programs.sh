#!/usr/bin/env bash
# programs.sh: the conformance programs of tests/programs that clang can compile, built with
# common/front/cudac and run on the simulator. The others are in without.txt.
#
#   BUILD=build/front CLANG=clang++ tests/front/programs.sh      BUILD: where simt has been built, with clang's headers
set -euo pipefail
cd "$(dirname "$0")/../.."

mapfile -t names < \
    <(basename -s .cu tests/programs/*.cu | grep -vxFf <(cut -d ' ' -f 1 tests/front/without.txt))
# Its words are split, so it is named from that folder: this one's path may have a space.
# Each alone, as that compiler rewrites one source.
TOGETHER=1 NVCC="../../common/front/cudac -O0 -std=c++17" tests/programs/run "${names[@]}"
