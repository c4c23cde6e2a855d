#!/usr/bin/env bash
# programs.sh: the conformance programs of tests/programs that clang can compile, built with common/front/cudac and run on
# the simulator. The others use what the front end does not have, and say so when they are compiled.
#
#   BUILD=build/front CLANG=clang++ tests/front/programs.sh      BUILD: where simt has been built, with clang's headers
set -euo pipefail
cd "$(dirname "$0")/../.."

# Half precision, CUB, Thrust, cooperative groups, cuRAND, cuComplex; objects linked together; new and delete; managed
# variables; single functions and instructions that newer GPUs or rarer programs use.
without='asm_forms|debug_build|fp_special|nested_plain|per_thread_stream|use_fast_math'
without+='|atomics|atomics_half|bfloat16|cache_hints|cooperative_groups|copies_2d_3d|cub_algorithms|device_globals'
without+='|device_heap|double_math|float_math|fourier|ftz|function_attributes|grid_sync|half|int128_carry|int_intrinsics'
without+='|launch_calls|libcuxx|local_memory|malloc_async|nested_launches|nested_refused|part_separate|random_numbers'
without+='|separate|shared_memory|simd_video|static_runtime|thrust_algorithms|unsupported|unsupported_sm90|vectors|virtuals'
without+='|warp_reduce'

mapfile -t names < <(basename -s .cu tests/programs/*.cu | grep -vxE "$without")
# Its words are split, so it is named from that folder: this one's path may have a space.
NVCC="../../common/front/cudac -std=c++17" tests/programs/run "${names[@]}"
