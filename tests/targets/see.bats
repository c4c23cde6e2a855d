# simt --see and make see-labN: the page that shows what the warps of a block do. What needs a
# browser is in tests/see.
load ../helpers

setup_file() {
    export PAGES="$BATS_FILE_TMPDIR" BUILD=${BUILD:-build}
    make --no-print-directory DEVICE=sim programs
}

# step LAB PROGRAM NAME FLAGS...: record a step's kernel, $page, and its profile, $page.csv.
step() {
    page=$PAGES/lab$1-$3.html
    "$BUILD/bin/simt" --quiet --see "$page" --see-kernel "$3" --profile "$page.csv" \
        "$BUILD/solutions/lab$1/$2" --profile --step "$3" "${@:4}" >"$PAGES/log"
}

# first_page LAB [SETTING...]: the page of its first step, $page, as `make see-labN` makes it.
first_page() {
    page=$BUILD/solutions/see/lab$1-1.html
    run -0 make "see-lab$1" FROM=solutions "${@:2}"
}

# same_totals LAB PROGRAM FLAGS -- STEP...: each step's page counts what its profile counts.
same_totals() {
    local lab=$1 program=$2 flags=() pages=()
    shift 2
    while [ "$1" != -- ]; do flags+=("$1") && shift; done
    for name in "${@:2}"; do
        step "$lab" "$program" "$name" "${flags[@]}"
        pages+=("$page")
    done
    run -0 tests/see/totals.py "${pages[@]}"
    assert_lines $(($# - 1)) ' events$'
}

@test "see: a page's events count what the profile of the same block counts, in labs 1, 3 and 4" {
    same_totals 1 divergence --size 64 -- mathKernel1 mathKernel2 mathKernel3 quadBranch \
        quadHoisted tripsAsGiven tripsSorted
    same_totals 3 reduction --size 1024 -- reduceNeighbored reduceNeighboredLess reduceInterleaved \
        reduceUnroll2 reduceUnroll4 reduceUnroll8 reduceUnrollWarp8 reduceCompleteUnrollWarp8 \
        reduceCompleteUnroll
    same_totals 4 transpose --size 16 --block 256 -- smem smemPad smemUnroll smemUnrollPad diagonal
}

@test "see: the same in labs 6 to 9" {
    same_totals 6 shared_reduction --size 100 -- reduce0 reduce1 reduce2 reduce3 reduce4 reduce5 \
        reduce6 reduceShuffle reduceVector
    same_totals 7 memory --size 128 -- copyFloat copyFloat2 copyFloat4 histogramGlobal \
        histogramShared
    same_totals 9 matmul --size 16 -- MatMulKernel MatMulTiled MatMulUnrolled MatMulBlockMerge \
        MatMulThreadMerge MatMulPrefetch
}

@test "see: the pages of a launch's blocks count what its profile counts, for every kind of operation" {
    needs_nvcc
    make --no-print-directory "$BUILD/browser/kinds"
    kinds=$(realpath "$BUILD/browser/kinds")
    for kernel in $("$BUILD/bin/simt" --quiet "$kinds"); do
        for block in 0 1; do
            page=$PAGES/$kernel-$block.html
            "$BUILD/bin/simt" --quiet --see "$page" --see-kernel "$kernel" --see-block $block \
                --profile "$page.csv" "$kinds" "$kernel"
        done
        launches+=("$PAGES/$kernel-0.html,$PAGES/$kernel-1.html")
    done
    run -0 tests/see/totals.py "${launches[@]}"
    assert_lines 15 ' events$'
}

@test "see: a page loads nothing, is at most 5 MB, and says what it left out" {
    run -0 make see-lab3 FROM=solutions SIZE=100000 BLOCK=256
    page=$BUILD/solutions/see/lab3-1.html
    assert_output --partial "lab3-1.html#to=divergence in a browser"
    assert [ "$(stat -c %s "$page")" -lt 5000000 ]
    run grep -cE '(src|href)=|https?://[^w]|@import|url\(' "$page"
    assert_output 0
    assert_grep -F "default-src 'none'" <"$page"
    assert_grep -F '"at":[0,0,0]' <"$page"
    assert_grep -F '"warps":[0,7,8]' <"$page"
}

@test "see: a block and warps can be chosen, two kernels stand side by side" {
    run -0 make see-lab3 FROM=solutions STEPS=reduceNeighbored,reduceInterleaved BLOCK_INDEX=2 \
        WARPS=1-3 SIZE=100000 BLOCK=256
    page=$BUILD/solutions/see/lab3-reduceNeighbored-reduceInterleaved.html
    run grep -cF '"at":[2,0,0]' "$page"
    assert_output 2
    run grep -cF '"warps":[1,3,8]' "$page"
    assert_output 2
}

@test "see: two GPUs stand in one page, each with the cycles that it has alone" {
    run -0 make see-lab3 FROM=solutions SIZE=100000 BLOCK=256 GPUS=h200,gtx1060
    for gpu in h200 gtx1060; do # not by make SIM_GPU=: it would build all labs again for that GPU
        common/tools/see.sh "$BUILD/bin/simt --gpu $gpu" solutions/lab3-reduction/reduction.cu \
            "$BUILD/solutions/lab3/reduction" "$PAGES/$gpu.html" --size 100000 --block 256
    done
    run tests/see/two_gpus.py "$BUILD/solutions/see/lab3-1-h200-gtx1060.html" "$PAGES/h200.html" \
        "$PAGES/gtx1060.html"
    assert_success
    assert_output --regexp \
        '^NVIDIA H200: [1-9][0-9]* cycles, NVIDIA GeForce GTX 1060.*: [1-9][0-9]* cycles$'
}

@test "see: two GPUs that make no sense give a sentence" {
    run ! make see-lab3 FROM=solutions GPUS=h200
    assert_output --partial "GPUS=h200: give two of: "
    run ! make see-lab3 FROM=solutions GPUS=h200,none
    assert_output --partial "GPUS=h200,none: give two of: "
    echo '{"format":4,"<' >"$PAGES/hostile.json"
    for file in "$PAGES/hostile.json" "$PAGES/missing.json"; do
        refused "$file: not a file that --see-trace wrote with --trace-format page" --see-beside \
            "$file"
    done
    run ! make see-lab3 FROM=solutions STEPS=reduceNeighbored,reduceInterleaved GPUS=h200,gtx1060 \
        SIZE=5000
    assert_output --partial "--see-beside is for one kernel"
}

# What takes long is smaller: of all its blocks the page shows the first.
@test "see: the page of every lab's first step is at most 5 MB; one that would be too long has fewer warps, and only rows that they use" {
    declare -A settings=([2]=SIZE=1024 [3]=SIZE=1048576 [7]=SIZE=4194304)
    for lab in 1 2 3 4 5 6 7 8 9 10 12; do
        first_page $lab "${settings[$lab]:-ARGS=--repeat 1}" # not the usual settings, which make it small
        assert [ "$(stat -c %s "$page")" -lt 5000000 ]
        [ $lab = 8 ] || continue
        run -0 tests/see/shortened.py "$page"
        assert_output --regexp '^(8|16) of 32 warps, no idle row$'
    done
}

@test "see: what steps.tsv names is in the step's recording, and has words in the page" {
    for lab in $(awk -F'\t' 'NR > 1 && $1 != "" { print $1 }' labs/labs.tsv); do
        program=$(lab_field "$lab" program)
        source=solutions/$(lab_field "$lab" folder)/$program.cu
        [ -f "$source" ] || skip "the students' edition has no $source"
        program=$BUILD/solutions/lab$lab/$program
        read -r small _ < <(lab_field "$lab" "small sizes")
        read -ra small_flags < <(size_flags "$small")
        moments "$lab" >"$PAGES/moments"
        for step in $("$BUILD/bin/simt" --quiet "$program" --list | awk '{ print $2 }'); do
            page=$PAGES/lab$lab-$step.html
            moment=$(sed -nE "s/^$step\t([a-z]+)\t[a-z].*/\1/p" "$PAGES/moments")
            if [ -n "$moment" ]; then
                STEP=$step common/tools/see.sh "$BUILD/bin/simt" "$source" "$program" "$page"
                printf '%s\t%s\n' "$page" "$moment" >>"$PAGES/list"
            elif STEP=$step common/tools/see.sh "$BUILD/bin/simt" "$source" "$program" "$page" \
                "${small_flags[@]}"; then
                printf '%s\tno load store\n' "$page" >>"$PAGES/list" # nothing to see
            fi
        done
    done
    assert_equal "$(grep -cv 'no load store$' "$PAGES/list") steps" \
        "$(sed 1,2d common/see/steps.tsv | wc -l) steps"
    run -0 tests/see/moment.py <"$PAGES/list"
}

# refused SENTENCE FLAGS...: no page, this sentence, a status that is not 0.
refused() {
    run ! "$BUILD/bin/simt" --quiet --see "$PAGES/none.html" "${@:2}" \
        "$BUILD/solutions/lab3/reduction" --profile --step 1 --size 5000 --block 256
    assert_output --partial "$1"
    assert [ -z "$(find "$PAGES" -name 'none.html*')" ]
}

@test "see: a recording that cannot be made gives a sentence and no file" {
    refused "no kernel named 'reduce' was launched" --see-kernel reduce
    refused "a kernel named 'reduceNeighbored' was launched 1 times" --see-kernel reduceNeighbored \
        --see-launch 7
    refused "there is no block 20,0,0" --see-block 20
    refused "there is no block 0,1,0" --see-block 0,1
    refused "--see-block must be a block's index" --see-block 1,
    refused "--see-warps must be a warp or a range" --see-warps 3-1
    refused "--see-launch must be a number from 1 on" --see-launch 0
    refused "takes one name or two" --see-kernel a,b,c
    run ! make see-lab3 FROM=solutions STEP=none SIZE=5000
    assert_output --partial "STEP=none: no such step"
    run ! make see-lab11 FROM=solutions
    assert_output --partial "of lab 11 runs on the host"
    assert_output --partial "those with a page: launchOnly launchAndWait fillWords"
    run ! make see-lab9 FROM=solutions STEP=MatMulAhead SIZE=128
    assert_output --partial "MatMulAhead of lab 9 has no page: its smallest problem is too long"
}

@test "see: a page that cannot be written is an error, and a file that is there stays as it was" {
    run ! "$BUILD/bin/simt" --quiet --see /no/such/folder/page.html \
        "$BUILD/solutions/lab3/reduction" --profile --step 1 --size 5000
    assert_output --partial "/no/such/folder/page.html: No such file or directory"
    run ! "$BUILD/bin/simt" --quiet --see /dev/full "$BUILD/solutions/lab3/reduction" --profile \
        --step 1 --size 5000
    assert_output --partial "No space left on device"
}

# odd_program: cd to a folder with a program whose source has hostile text and whose second kernel,
# with an argument, faults.
odd_program() {
    needs_nvcc
    BUILD=$(realpath "$BUILD")
    cd "$PAGES"
    [ ! -e ./odd ] || return 0
    cat >'<b>.cu' <<'CODE'
// </script><script>alert(1)</script> <!-- ]]> &amp;
#include <cstdio>
__global__ void mark(int *to) { to[threadIdx.x] = 1; } // </script>
__global__ void outside(int *to) { to[threadIdx.x * 1000000] = 1; }
int main(int argc, char **) {
    int *to;
    cudaMalloc(&to, 128);
    (argc > 1 ? outside : mark)<<<1, 32>>>(to);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
CODE
    compile_cuda -lineinfo -cudart shared -gencode arch=compute_75,code=compute_75 -o odd '<b>.cu'
}

@test "see: hostile text in a source ends no script" {
    odd_program
    run -0 "$BUILD/bin/simt" --quiet --see page.html ./odd
    run grep -o '</script' page.html
    assert_lines 2
    run grep -o '<script' page.html
    assert_lines 2
}

@test "see: a kernel that faults is recorded up to the fault, with its report" {
    odd_program
    run -0 "$BUILD/bin/simt" --quiet --see page.html ./odd fault
    assert_line "an illegal memory access was encountered"
    assert_grep -F '"failure":"========= Invalid __global__ write' <page.html
    assert_grep -F '"kind":"store"' <page.html
}

# lines LAB PROGRAM FLAGS...: the sums over the lines of every launch are the rows of the profile.
lines() {
    "$BUILD/bin/simt" --quiet --source "$PAGES/lines.csv" --profile "$PAGES/profile.csv" \
        "$BUILD/solutions/lab$1/$2" "${@:3}" >"$PAGES/log"
    run -0 tests/see/lines.py "$PAGES/lines.csv" "$PAGES/profile.csv"
}

@test "source: the lines' counts and shares add up to the profile, for every step of labs 1, 3, 4 and 6" {
    lines 1 divergence --size 5000
    lines 3 reduction --size 100000
    lines 4 transpose --size 100
    lines 6 shared_reduction --size 100000
}

@test "source: the counts do not depend on the host's threads" {
    for threads in 1 3; do
        "$BUILD/bin/simt" --quiet --threads "$threads" --source "$PAGES/lines$threads.csv" \
            "$BUILD/solutions/lab6/shared_reduction" --size 1000000 --step reduce0 >"$PAGES/log"
    done
    diff "$PAGES/lines1.csv" "$PAGES/lines3.csv"
}

@test "source: beside --check it is refused, and a file that cannot be written too" {
    run ! "$BUILD/bin/simt" --check --source "$PAGES/no.csv" "$BUILD/solutions/lab3/reduction" \
        --size 64
    assert_output "simt: --source and --check: one at a time"
    run "$BUILD/bin/simt" --source "$PAGES/none/no.csv" "$BUILD/solutions/lab3/reduction" --size 64
    assert_failure
    assert_output --partial "$PAGES/none/no.csv"
}

@test "see: what warps wait for is the same in the page, in both traces and in the profile" {
    for name in reduceNeighbored reduceUnrollWarp8; do
        step 3 reduction "$name" --size 1024
        for format in chrome kanata; do
            run -0 "$BUILD/bin/simt" --quiet --see-trace "$PAGES/$format" --trace-format "$format" \
                --see-kernel "$name" "$BUILD/solutions/lab3/reduction" --profile --step "$name" \
                --size 1024
        done
        run -0 tests/see/time.py "$page" "$page.csv" "$PAGES/chrome" "$PAGES/kanata"
        assert_output --regexp '^[1-9][0-9]* cycles of warps$'
    done
}

@test "see: a trace of another format, or one that cannot be written, is refused" {
    refused "--trace-format must be chrome, kanata or page, not 'svg'" --see-trace \
        "$PAGES/none.html.trace" --trace-format svg
    run ! "$BUILD/bin/simt" --quiet --see-trace /dev/full "$BUILD/solutions/lab3/reduction" \
        --profile --step 1 --size 5000
    assert_output --partial "No space left on device"
}
