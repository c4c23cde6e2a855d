# `simt --check`: every planted mistake is found, told once, with its line, and right programs are not accused.

load ../helpers

setup_file() {
    BUILD=$(realpath "${BUILD:-build}")
    source="$PWD/tests/planted/checked.cu"
    debug="$BATS_FILE_TMPDIR/debug"
    checked="$BATS_FILE_TMPDIR/checked"
    compile_cuda -O3 -lineinfo -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' "$source" -o "$checked"
    reduction="$BATS_FILE_TMPDIR/reduction"
    compile_cuda -O3 -lineinfo -Icommon -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' \
        solutions/lab3-reduction/reduction.cu -o "$reduction"
    export BUILD source checked reduction debug
}

# Run one planted program under the checker.
check() {
    run env SIMT_TIMEOUT=5 "$BUILD/bin/simt" --check "$checked" "$@"
}

# The line of the program that is marked "<- WHAT".
marked() {
    grep -n "// <- $1\$" "$source" | cut -d: -f1
}

# The only message is this one.
one_error() {
    ended_with 1
    printed "========= ERROR SUMMARY: 1 error"$'\n'
    [ "$(grep -c '^========= [A-Z]' <<<"$output")" -eq "${1:-2}" ]
}

# race NAME FIRST SECOND: one race, between accesses of these kinds, at the marked lines.
race() {
    local other
    check "$1"
    other=$(marked "$1 read")
    one_error
    printed "Error: Race reported between $2 access at "
    printed "in $source:$(marked "$1 write")"$'\n'
    printed "and $3 access at "
    [[ $output =~ "in $source:${other:-$(marked "$1 write")} ["[0-9]+" hazard" ]]
}

@test "races in shared memory: a missing barrier, one missing in a loop, many writers" {
    race shared-race Write Read
    printed "Hint: threads of a block run in any order: put __syncthreads()"
    printed "by thread (0,0,0) in block (0,0,0) and then thread (32,0,0) in block (0,0,0), in __shared__ memory"
    printed "[192 hazards]"
    race shared-loop-race Write Read
    race shared-write-race Write Write
    printed "[1 hazard]"
}

@test "races within a warp, in shared and in global memory, volatile or not" {
    race shared-warp-race Write Read
    printed "put __syncwarp() between"
    race volatile-warp-race Write Read
    printed "volatile does not change that: put __syncwarp() between"
    race global-race Write Read
}

@test "a missing barrier is told with its own remedy, though lanes of one warp race first" {
    for name in rounds-race neighbours-race; do
        race "$name" Write Read
        printed "Hint: threads of a block run in any order: put __syncthreads()"
        not_printed "__syncwarp"
    done
}

@test "races between blocks, and with atomics" {
    race block-race Write Read
    printed "Hint: blocks run in any order"
    race ticket-race Write Read
    race atomic-race Atomic Read
}

@test "a plain read beside atomicMax, atomicMin and atomicCAS races" {
    race max-race Atomic Read
    race min-race Atomic Read
    race cas-race Atomic Read
}

@test "a missing barrier is found where every store repeats the value already there" {
    race constant-race Write Read
}

# uninitialised NAME SPACE [BYTES]
uninitialised() {
    check "$1"
    one_error
    printed "Uninitialized $2 memory read of size ${3:-4} bytes"
    printed "in $source:$(marked "$1") ["
}

@test "reads of memory that nobody wrote" {
    uninitialised global-uninitialised __global__
    printed "[1 occurrence]"
    printed "byte 0 of the allocation at"
    uninitialised shared-uninitialised __shared__
    printed "[32 occurrences]"
    printed "by thread (32,0,0) in block (0,0,0)"
    uninitialised local-uninitialised __local__
}

@test "values that nobody wrote decide a branch, an address or a sum, also after they were copied" {
    uninitialised branch-uninitialised __global__
    uninitialised index-uninitialised __global__
    uninitialised member-uninitialised __shared__
    uninitialised sum-uninitialised __global__ 16
}

# misused NAME SENTENCE
misused() {
    check "$1"
    one_error
    printed "========= Barrier error detected. $2"
    printed "in $source:$(marked "$1")"
}

@test "barriers and warp-wide operations that not all threads reach" {
    misused divergent-barrier "Divergent thread(s) in block."
    misused early-return "Divergent thread(s) in block."
    printed "14 of the block's 64 threads exited without coming here"
    misused shuffle-exited "Divergent thread(s) in warp."
    printed "names lanes that have exited: 0xfff00000"
    misused vote-unnamed "Invalid arguments."
}

@test "values of lanes that do not take part in a shuffle" {
    misused shuffle-gone "Shuffle from a lane that does not take part."
    printed "lane 9 has exited or is elsewhere in the program; the value that it would give is used"
    printed "[4 occurrences]"
    misused shuffle-elsewhere "Shuffle from a lane that does not take part."
    printed "lane 8 has exited or is elsewhere"
    misused shuffle-nobody "Shuffle from a lane that does not take part."
    printed "is no thread of the block"
}

# stray NAME HEAD DETAIL
stray() {
    check "$1"
    one_error
    printed "========= Invalid $2 write of size 4 bytes"
    printed "in $source:$(marked "$1")"$'\n'"=========     by thread (0,0,0) in block (0,0,0)"
    printed "$3"
}

@test "stray accesses" {
    stray out-of-bounds __global__ "and is 1 byte after the nearest allocation at"
    printed "of size 4 bytes (allocation 4)"
    stray shared-out-of-bounds __shared__ "out of bounds in the block's 256 bytes of shared memory"
    stray misaligned __global__ "is misaligned"
    stray null __global__ "Access to 0x0 is out of bounds: a null pointer"
    stray use-after-free __global__ "(allocation 3, which was freed)"
}

@test "what cp.async copies is not there before it has been waited for" {
    needs_nvcc
    source="$PWD/tests/planted/async.cu"
    checked="$BATS_TEST_TMPDIR/async"
    nvcc -lineinfo -cudart shared -gencode arch=compute_80,code=compute_80 "$source" -o "$checked"
    for name in unwaited early; do
        run "$BUILD/bin/simt" "$checked" "$name"
        printed "sum 0"
        race "$name" Write Read
        printed "Hint: cp.async has not been waited for"
    done
    race apart Write Read
    printed "Hint: threads of a block run in any order"
}

@test "ten styles of working together are right, and a race where one synchronisation is left out" {
    checked="$BATS_TEST_TMPDIR/styles"
    compile_cuda -O3 -lineinfo -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' tests/planted/styles.cu -o "$checked"
    for name in specialised lastBlock doubleBuffered smallTiles locked histogram scanned chained twoLevels stencil; do
        check "$name"
        ended_with 0
        printed "$name: as expected"
        printed "ERROR SUMMARY: 0 errors"
        check "$name" broken
        ended_with 1
        printed "Error: Race reported between "
        printed "$name<"
        [ "$name" = smallTiles ] || not_printed "put __syncwarp()"
    done
}

@test "memory never freed" {
    check leak
    one_error 3
    printed "========= Leaked 1000 bytes at"
}

@test "tickets, locks, flags, bytes side by side, padding and half warps, structures and groups are right" {
    check right
    ended_with 0
    printed "========= ERROR SUMMARY: 0 errors"
}

@test "the same without optimisation" {
    needs_nvcc
    nvcc -G -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_75]' "$source" -o "$debug"
    run "$BUILD/bin/simt" --check "$debug" right
    ended_with 0
    printed "========= ERROR SUMMARY: 0 errors"
    run "$BUILD/bin/simt" --check "$debug" branch-uninitialised
    one_error
    printed "in $source:$(marked branch-uninitialised) ["
}

@test "lab 3's solution is clean at awkward sizes and all block sizes" {
    for size in 0 1 100003; do
        for block in 32 64 128 256 512 1024; do
            run "$BUILD/bin/simt" --check "$reduction" --profile --size "$size" --block "$block"
            ended_with 0
            printed "ERROR SUMMARY: 0 errors"
        done
    done
    run "$BUILD/bin/simt" --check "$reduction" --profile --size 1000003
    ended_with 0
}

@test "without --check nothing is looked for" {
    run "$BUILD/bin/simt" "$checked" shared-race
    ended_with 0
    not_printed "========="
}
