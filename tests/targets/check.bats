# `simt --check`: every planted mistake is found, told once, with its line, and right programs are
# not accused.

load ../helpers

setup_file() {
    BUILD=$(realpath "${BUILD:-build}")
    source="$PWD/tests/planted/checked.cu"
    debug="$BATS_FILE_TMPDIR/debug"
    checked="$BATS_FILE_TMPDIR/checked"
    compile_cuda -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 "$source" -o \
        "$checked"
    reduction="$BATS_FILE_TMPDIR/reduction"
    # As a student compiles a lab without make, with the harness in it: as C++11, and with a warning
    # as an error.
    local strict=(-O3)
    ! with_nvcc || strict=(-O0 -std=c++11 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Werror)
    compile_cuda "${strict[@]}" -lineinfo -Icommon -cudart shared -gencode \
        'arch=compute_75,code=[compute_75,sm_75]' solutions/lab3-reduction/reduction.cu -o \
        "$reduction"
    export BUILD source checked reduction debug
}

# Run one planted program under the checker.
check() {
    to_run env SIMT_TIMEOUT=5 "$BUILD/bin/simt" --check "$checked" -- "$@"
}

# The line of the program that is marked "<- WHAT".
marked() {
    grep -n "// <- $1\$" "$source" | cut -d: -f1
}

# The only message is this one.
one_error() {
    assert_failure 1
    assert_line "========= ERROR SUMMARY: 1 error"
    assert_lines "${1:-2}" '^========= [A-Z]'
}

# race NAME FIRST SECOND: one race, between accesses of these kinds, at the marked lines.
race() {
    local other
    check "$1"
    other=$(marked "$1 read")
    one_error
    assert_output --partial "Error: Race reported between $2 access at "
    assert_output --partial "in $source:$(marked "$1 write")"$'\n'
    assert_output --partial "and $3 access at "
    assert_grep "in $source:${other:-$(marked "$1 write")} \[[0-9]* hazard" <<<"$output"
}

@test "races in shared memory: a missing barrier, one missing in a loop, many writers" {
    race shared-race Write Read
    assert_output --partial "Hint: threads of a block run in any order: put __syncthreads()"
    assert_output --partial \
        "by thread (0,0,0) in block (0,0,0) and then thread (32,0,0) in block (0,0,0), in __shared__ memory"
    assert_output --partial "[192 hazards]"
    race shared-loop-race Write Read
    race shared-write-race Write Write
    assert_output --partial "[1 hazard]"
}

@test "races within a warp, in shared and in global memory, volatile or not" {
    race shared-warp-race Write Read
    assert_output --partial "put __syncwarp() between"
    race called-race Write Read
    ! with_nvcc || assert_line \
        "=========     called from $source:$(marked "called-race first call")"
    ! with_nvcc || assert_line \
        "=========     called from $source:$(marked "called-race second call")"
    race volatile-warp-race Write Read
    assert_output --partial "volatile does not change that: put __syncwarp() between"
    race global-race Write Read
}

@test "a missing barrier is told with its own remedy, though lanes of one warp race first" {
    for name in rounds-race neighbours-race; do
        race "$name" Write Read
        assert_output --partial "Hint: threads of a block run in any order: put __syncthreads()"
        refute_output --partial "__syncwarp"
    done
}

@test "races between blocks, and with atomics" {
    race block-race Write Read
    assert_output --partial "Hint: blocks run in any order"
    race ticket-race Write Read
    race atomic-race Atomic Read
}

@test "a plain read beside atomicMax, atomicMin and atomicCAS races" {
    race max-race Atomic Read
    race min-race Atomic Read
    race cas-race Atomic Read
}

@test "a look at another flag, lock or count orders nothing, nor does another mask" {
    for name in halves readers flags counts locks; do
        race "$name" Write Read
    done
}

@test "a missing barrier is found where every store repeats the value already there" {
    race constant-race Write Read
}

# uninitialised NAME SPACE [BYTES]
uninitialised() {
    check "$1"
    one_error
    assert_output --partial "Uninitialized $2 memory read of size ${3:-4} bytes"
    assert_output --partial "in $source:$(marked "$1") ["
}

@test "reads of memory that nobody wrote" {
    uninitialised global-uninitialised __global__
    assert_output --partial "[1 occurrence]"
    assert_output --partial "byte 0 of the allocation at"
    uninitialised shared-uninitialised __shared__
    assert_output --partial "[32 occurrences]"
    assert_output --partial "by thread (32,0,0) in block (0,0,0)"
    uninitialised local-uninitialised __local__
}

@test "values that nobody wrote decide a branch, an address or a sum, also after they were copied" {
    uninitialised branch-uninitialised __global__
    uninitialised index-uninitialised __global__
    uninitialised member-uninitialised __shared__
    uninitialised sum-uninitialised __global__ 16
    uninitialised flags-uninitialised __global__
}

# misused NAME SENTENCE
misused() {
    check "$1"
    one_error
    assert_output --partial "========= Barrier error detected. $2"
    assert_output --partial "in $source:$(marked "$1")"
}

@test "barriers and warp-wide operations that not all threads reach" {
    misused divergent-barrier "Divergent thread(s) in block."
    assert_output --partial \
        "Hint: all threads of the block must come to __syncthreads(): move it out of the if"
    misused early-return "Divergent thread(s) in block."
    assert_output --partial "14 of the block's 64 threads exited without coming here"
    misused shuffle-exited "Divergent thread(s) in warp."
    assert_output --partial "names lanes that have exited: 0xfff00000"
    assert_output --partial "Hint: all lanes that the mask names must come here"
    misused vote-unnamed "Invalid arguments."
    misused warp-branch "Divergent thread(s) in warp."
    assert_output --partial \
        "its mask, 0xffffffff, names lanes that went another way and exited without coming here: 0xffff0000"
}

@test "a barrier in a loop that never ends is no divergent one" {
    run env SIMT_TIMEOUT=0.5 "$BUILD/bin/simt" --check "$checked" endless-barrier
    one_error
    assert_output --regexp "it seems to loop forever, and its threads met at a barrier [0-9]+ times"
    refute_output --partial "Barrier error"
}

@test "a variable that was never set" {
    check unset-variable
    one_error
    assert_output --partial "========= Uninitialized variable: its value is used, and was never set"
    assert_output --partial "in $source:$(marked unset-variable) [1 occurrence]"
}

@test "values of lanes that do not take part in a shuffle" {
    misused shuffle-gone "Shuffle from a lane that does not take part."
    assert_output --partial \
        "lane 9 has exited or is elsewhere in the program; the value that it would give is used"
    assert_output --partial "[4 occurrences]"
    misused shuffle-elsewhere "Shuffle from a lane that does not take part."
    assert_output --partial "lane 8 has exited or is elsewhere"
    misused shuffle-nobody "Shuffle from a lane that does not take part."
    assert_output --partial "is no thread of the block"
}

# overrun NAME KIND ARRAY COUNT THREAD
overrun() {
    check "$1"
    one_error
    assert_output --partial "========= Invalid __shared__ $2 of size 4 bytes"
    assert_output --partial \
        "in $source:$(marked "$1") [$4 occurrences]"$'\n'"=========     by thread ($5,0,0) in block (0,0,0)"
    assert_output --partial "is out of bounds of $3"
}

@test "accesses beyond a shared array, where other shared memory lies" {
    overrun dynamic-overrun write "dynamicOverrun(int const*, int*)::tile, " 32 32
    overrun neighbour-overrun read "neighbourOverrun(int const*, int*)::first, " 3 63
}

@test "accesses beyond a function's local variables" {
    check local-overrun
    one_error
    assert_output --partial "========= Invalid __local__ read of size 4 bytes"
    assert_output --partial "in $source:$(marked local-overrun) [1 occurrence]"
}

# stray NAME HEAD DETAIL
stray() {
    check "$1"
    one_error
    assert_output --partial "========= Invalid $2 write of size 4 bytes"
    assert_output --partial \
        "in $source:$(marked "$1")"$'\n'"=========     by thread (0,0,0) in block (0,0,0)"
    assert_output --partial "$3"
}

@test "stray accesses" {
    stray out-of-bounds __global__ "and is 1 byte after the nearest allocation at"
    assert_output --partial "of size 4 bytes (allocation 4)"
    stray shared-out-of-bounds __shared__ "out of bounds in the block's 256 bytes of shared memory"
    stray misaligned __global__ "is misaligned"
    stray null __global__ "Access to 0x0 is out of bounds: a null pointer"
    stray use-after-free __global__ "(allocation 3, which was freed)"
}

@test "waits of cp.async, cuda::barrier and cuda::atomic that are left out" {
    needs_nvcc
    source="$PWD/tests/planted/async.cu"
    checked="$BATS_TEST_TMPDIR/async"
    nvcc -lineinfo -cudart shared -gencode arch=compute_80,code=compute_80 "$source" -o "$checked"
    for name in unwaited early; do
        run "$BUILD/bin/simt" "$checked" "$name"
        assert_output --partial "sum 0"
        race "$name" Write Read
        assert_output --partial "Hint: cp.async has not been waited for"
    done
    race apart Write Read
    assert_output --partial "Hint: threads of a block run in any order"
    race overwritten Write Write
    race changed Write Read
    check unreleased
    assert_output --partial "Race reported between Write access at"
    assert_output --partial "and Read access at unreleased(int const*, int*, bool) in \
$source:$(marked "unreleased read")"
    check -0 right
    check early-barrier
    one_error
    assert_output --partial "Error: Race reported between Write access at earlyBarrier(int*, bool)"
    race relaxed Write Read
    assert_output --partial "Hint: a flag was read by a relaxed load"
}

# unordered NAME ONE OTHER: what these two do is a race, both named.
unordered() {
    check -1 "$1"
    assert_line "========= Error: Race reported between $2"
    assert_line "=========     and $3: nothing orders them"
}

@test "work of streams, of devices and of the host that nothing orders is named, and ordered work is right" {
    export SIMT_DEVICES=2
    local kernel="kernel twice(int const*, int*) in stream"
    checked="$BATS_TEST_TMPDIR/streams"
    compile_cuda -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
        tests/planted/streams.cu -o "$checked"
    unordered kernel-copy "$kernel 14 of device 0" "a copy to the device in stream 13 of device 0"
    unordered kernel-kernel "$kernel 13 of device 0" "$kernel 14 of device 0"
    unordered fill-default "$kernel 13 of device 0" "a fill in the default stream of device 0"
    unordered host-source "the host, which changed what it copies," \
        "a copy to the device in stream 13 of device 0"
    unordered host-target "the host, which wrote to where it copies," \
        "a copy to the host in stream 13 of device 0"
    unordered freed "$kernel 13 of device 0" "cudaFreeAsync in stream 14 of device 0"
    unordered devices "a copy to the device in stream 13 of device 0" \
        "a copy between devices in the default stream of device 1"
    check -0 right
    assert_line "========= ERROR SUMMARY: 0 errors"
}

@test "ten styles of working together are right, and a race where one synchronisation is left out" {
    checked="$BATS_TEST_TMPDIR/styles"
    compile_cuda -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 \
        tests/planted/styles.cu -o "$checked"
    for name in specialised lastBlock doubleBuffered smallTiles locked histogram scanned chained \
        twoLevels stencil; do
        check -0 "$name"
        assert_output --partial "$name: as expected"
        assert_output --partial "ERROR SUMMARY: 0 errors"
        check -1 "$name" broken
        assert_output --partial "Error: Race reported between "
        assert_output --partial "$name<"
        [ "$name" = smallTiles ] || refute_output --partial "put __syncwarp()"
    done
}

@test "a copy of a wrong kind, once for each place" {
    check -1 copy-kind
    assert_line \
        "========= Error: a copy in main says cudaMemcpyHostToHost, but its target is the device's"
    assert_line \
        "========= Note: a copy in main says cudaMemcpyDeviceToDevice, but its target is the host's"
    one_error 3
}

@test "a copy whose ranges overlap, once for each place" {
    check -1 copy-overlap
    assert_line "========= Error: a copy in main of 40 bytes has its target 8 bytes after its source"
    one_error 2
}

@test "a copy to the host of what nobody wrote, once for each place" {
    check -1 copy-unwritten
    assert_line "========= Error: a copy in main of 4 bytes to the host reads what nobody wrote"
    one_error 2
}

@test "arrays for which the checker may need more memory than the machine has" {
    check -0 much-memory
    assert_output --regexp "--check takes about 9 bytes .* all [0-9]+ MB .* this machine's [0-9]+ MB"
    check -0 right
    refute_output --partial "takes about"
}

@test "an array never freed" {
    check -1 leak-array
    assert_output --regexp "Leaked [0-9]+ bytes at .*: cudaFreeArray\(\) gives them back"
}

@test "memory of the device's heap never freed" {
    check -1 leak-heap
    assert_line --partial \
        "Leaked 160 bytes of the device's heap, in 4 allocations by kernels: free() in a kernel"
    one_error 2
}

@test "memory never freed" {
    check leak
    one_error 3
    assert_output --partial "========= Leaked 1000 bytes at"
}

@test "tickets, locks, flags, bytes side by side, padding and half warps, structures and groups are right" {
    check -0 right
    assert_output --partial "========= ERROR SUMMARY: 0 errors"
}

@test "the same without optimisation" {
    needs_nvcc
    compile_cuda -G -cudart shared -gencode arch=compute_75,code=compute_75 "$source" -o "$debug"
    run -0 "$BUILD/bin/simt" --check "$debug" right
    assert_output --partial "========= ERROR SUMMARY: 0 errors"
    run "$BUILD/bin/simt" --check "$debug" branch-uninitialised
    one_error
    assert_output --partial "in $source:$(marked branch-uninitialised) ["
}

@test "lab 3's solution is clean at awkward sizes and all block sizes" {
    for size in 0 1 100003; do
        for block in 32 64 128 256 512 1024; do
            run -0 "$BUILD/bin/simt" --check "$reduction" --profile --size "$size" --block "$block"
            assert_output --partial "ERROR SUMMARY: 0 errors"
        done
    done
    run -0 "$BUILD/bin/simt" --check "$reduction" --profile --size 300007
}

# annotated STATUS COMMAND...: run it with both files, and list what they have.
annotated() {
    (cd "${source%/*}" && run "-$1" "$BUILD/bin/simt" --check --junit "$work/tests.xml" --sarif \
        "$work/tests.sarif" "${@:2}")
    run -0 python3 tests/data/annotations.py "$work/tests.xml" "$work/tests.sarif"
}

@test "--junit and --sarif have each report with its rule, file and line" {
    work=$BATS_TEST_TMPDIR
    annotated 0 "$checked" right
    assert_output "passed $checked program"
    annotated 1 sh -c 'for name; do "$0" "$name"; done' "$checked" shared-race global-uninitialised \
        leak
    assert_line "passed sh program"
    assert_line "race checked.cu:$(marked "shared-race write") checked.cu:$(marked \
        "shared-race read"): 192 hazards"
    assert_line "uninitialised-read checked.cu:$(marked global-uninitialised): 1 occurrence"
    assert_line "leak sh:1"
    assert_lines 4
    annotated 3 sh -c 'exit 3'
    assert_output "failed sh program: ended with status 3"
    annotated 134 sh -c 'kill -ABRT $$'
    assert_output "failed sh program: ended by signal 6"
    assert_equal "$(ls "$work")" $'tests.sarif\ntests.xml'
}

@test "a file that cannot be written is told before the program runs" {
    for option in --junit --sarif; do
        run -2 "$BUILD/bin/simt" "$option" "$BATS_TEST_TMPDIR/none/file" echo ran
        assert_output --partial "none/file: cannot write it: No such file or directory"
        refute_output --partial ran
    done
}

@test "without --check nothing is looked for" {
    run -0 "$BUILD/bin/simt" "$checked" shared-race
    refute_output --partial "========="
}
