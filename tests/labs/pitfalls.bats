# The pitfalls that the handouts name, planted into the complete programs: a check that a student can run finds each, at a size that it
# chooses itself.

load ../helpers

setup_file() {
    copy_project
}

# source_of LAB: the student's file in the copy.
source_of() {
    ls "$tree"/labs/lab"$1"-*/*.cu
}

# plant LAB STEP SED-SCRIPT: change the region of a step. Fails if that changes nothing.
plant() {
    local file before
    file=$(source_of "$1")
    before=$(cksum <"$file")
    sed -i "/BEGIN SOLUTION $2\$/,/END SOLUTION/{$3}" "$file"
    assert_not_equal "$(cksum <"$file")" "$before" # nothing to plant at
}

# plant_given LAB SED-SCRIPT: change what is given to the student.
plant_given() {
    local file before
    file=$(source_of "$1")
    before=$(cksum <"$file")
    sed -i "$2" "$file"
    assert_not_equal "$(cksum <"$file")" "$before" # nothing to plant at
}

# complete LAB: the student's file becomes the complete program.
complete() {
    cp solutions/lab"$1"-*/*.cu "$(source_of "$1")"
}

# sizes_of LAB: those that its check chooses.
sizes_of() {
    local sizes
    sizes=$(lab_field "$1" "check sizes")
    echo "${sizes:-$(sed -n 's/^readonly SIM_SIZES="\(.*\)"$/\1/p' common/tools/check.sh)}"
}

# finds LAB STEP SIZE TEXT...: check-labN finds the step wrong at this size, which is one of its own, and says one of the texts.
finds() {
    assert_grep -wF -e "$3" < <(sizes_of "$1")
    run user_make "check-lab$1" DEVICE=sim ARGS="--step $2" SIZE="$3"
    [ "$status" -ne 0 ] || { echo "lab $1, $2: check-lab$1 finds nothing: $output"; return 1; }
    local text said=${output,,}
    for text in "${@:4}"; do [[ $said != *"${text,,}"* ]] || return 0; done
    echo "lab $1, $2: none of '${*:4}' in: $output"
    return 1
}

@test "lab 0: a grid rounded down, x and y swapped, a block deeper than it may be, no test of x, none of y" {
    complete 0
    plant 0 threads2D 's/ && y < rows//'
    plant 0 threads3D 's/threadIdx.y) \* blockDim.x + threadIdx.x/threadIdx.x) * blockDim.y + threadIdx.y/'
    plant 0 picture 's/x < cols && //'
    plant_given 0 's/blocksFor(rows \* cols, block.x)/ceil(rows * cols \/ block.x)/'
    plant_given 0 's/ lanes, dim3(0, 1)/ lanes, dim3(1, 1, 128)/'
    finds 0 threads1D 31x33 WRONG
    finds 0 threads2D 31x33 WRONG
    finds 0 threads3D 31x33 WRONG
    finds 0 lanes 31x33 "invalid argument"
    finds 0 picture 31x33 WRONG
}

@test "lab 1: bodies by warp where parity was asked for, a triangle whose corners go round the other way" {
    complete 1
    plant 1 mathKernel4Parity 's/tid % 2/(tid \/ warpSize) % 2/'
    plant 1 quadHoisted 's/(p, q.p2, q.p3)/(q.p2, p, q.p3)/'
    finds 1 mathKernel4Parity 1000 WRONG
    finds 1 quadHoisted 1000 WRONG
}

@test "lab 3: tails without an else or a guard, a thread that leaves early, volatile in place of __syncwarp, a barrier in a branch, small blocks" {
    complete 3
    plant 3 reduceNeighboredLess 's/index + stride < n/index + stride <= n/'
    plant 3 reduceCompleteUnrollWarp8 '/>= 1024/{s/) idata/) { idata/;s/$/ __syncthreads(); }/;n;d}'
    plant 3 reduceCompleteUnroll 's/if (blockSize >= 64) //'
    plant 3 reduceInterleaved 's/unsigned int tid = threadIdx.x;/& if (blockIdx.x * blockDim.x + tid >= n) return;/'
    plant 3 reduceUnroll2 's/if (idx + blockDim.x < n) //'
    plant 3 reduceUnroll4 '/for (unsigned int i = idx + blockDim.x/d'
    plant 3 reduceUnrollWarp8 's/addInWarp(g_idata, idx, \([0-9]*\), n)/{ volatile int *v = g_idata; if (idx + \1 < n) v[idx] += v[idx + \1]; }/'
    finds 3 reduceInterleaved 1000 barrier
    finds 3 reduceUnroll2 1000 "invalid __global__ read"
    finds 3 reduceUnroll4 3000 WRONG
    finds 3 reduceUnrollWarp8 1000 race
    finds 3 reduceNeighboredLess 1000 "invalid __global__ read"
    finds 3 reduceCompleteUnrollWarp8 1000 barrier
    run user_make lab3 DEVICE=sim SIZE=1000 BLOCK=32 ARGS="--step reduceCompleteUnroll"
    assert_failure 2
    assert_output --partial WRONG
    run user_make check-lab3 DEVICE=sim ARGS="--step reduceUnroll8"
    assert_success
}

@test "lab 4: a transpose for squares only, no guard, a thread that leaves before the barrier, the other width" {
    complete 4
    plant 4 naiveRow 's/out\[x \* rows + y\]/out[x * cols + y]/'
    plant 4 naiveCol 's/if (x < cols && y < rows) //'
    plant 4 smem 's/if (x < cols && y < rows) tile/if (x >= cols || y >= rows) return;\n    tile/'
    plant 4 smemPad 's/out\[y \* rows + x\]/out[y * cols + x]/'
    finds 4 naiveRow 31x33 WRONG "invalid __global__ write"
    finds 4 naiveCol 31x33 WRONG "invalid __global__"
    finds 4 smem 31x33 barrier
    finds 4 smemPad 31x33 WRONG "invalid __global__ write"
}

@test "lab 9: one barrier where two are needed, a grid rounded down, the last column forgotten by two kernels" {
    complete 9
    plant 9 MatMulTiled '/Pvalue +=/{n;s/__syncthreads();//}'
    plant 9 MatMulAnyWidth 's/Col < Width)/Col < Width - 1)/'
    plant_given 9 '/void MatMulKernel/,/^}/s/Col < Width)/Col < Width - 1)/'
    plant_given 9 's/blocksFor(width, step->cols)/(step->cols == WIDE ? width \/ WIDE : &)/'
    finds 9 MatMulTiled 256 race
    finds 9 MatMulKernel 77 WRONG
    finds 9 MatMulAnyWidth 77 WRONG
    finds 9 MatMulBlockMerge 77 WRONG
}

@test "lab 5: a recursion without an end, an error that nobody asks for, a pointer to a local variable, a write after a launch" {
    complete 5
    plant 5 nestedTree 's/if (depth + 1 < TREE_LEVELS) //'
    plant 5 nestedChain 's/cudaGetLastError()/cudaSuccess/'
    plant 5 reducePerThread 's/g_odata + first.*/\&sum, n - first); g_odata[first \/ chunk] = sum;/;s/if (first < n) {/& int sum;/'
    plant 5 reduceOneChild 's/(g_idata, g_odata, n);/& g_odata[0] = 0; g_idata[0] = 0;/'
    finds 5 nestedTree 1 "invalid __global__ write"
    finds 5 reducePerThread 1 "__local__"
    finds 5 reduceOneChild 1 WRONG
    run user_make lab5 DEVICE=sim ARGS="--links 3000 --step nestedChain"
    assert_failure 2
    assert_output --partial WRONG
}

@test "lab 6: a loop that never halves, ends of the input, volatile, small blocks, lanes that never come, misaligned loads, no fences" {
    complete 6
    plant 6 reduce2 's/s = blockDim.x \/ 2; s > 0; s \/= 2/s = blockDim.x; s > 0; s >> 1/'
    plant 6 reduce3 's/T sum = i < n .*/T sum = g_idata[i] + g_idata[i + blockDim.x];/;/if (i + blockDim.x < n) sum/d'
    plant 6 reduce4 's/addInWarp(sdata, tid, \([0-9]*\));/{ volatile T *v = sdata; v[tid] += v[tid + \1]; }/'
    plant 6 reduce6 's/if (blockSize >= 64) //'
    plant 6 reduceShuffle 's/if (tid < 32) {/if (tid < 16) {/'
    # The last three steps have one mistake at small sizes, or at larger ones, and another at the rest.
    plant 6 reduceVector 's/in + i + k/(const Wide *)(g_idata + (n > 1000)) + i + k/;s/blockIdx.x == 0 && threadIdx.x < n % width/n > 1000 \&\& &/'
    plant 6 reduceOnePass '/__threadfence(); .*a block that sees/d;s/__threadfence(); .*/if (n > 100003) __threadfence();/'
    plant 6 reduceOneAtomic 's/sum = sumOfBlock(sum);/if (n > 1000 \&\& threadIdx.x >= 32) return; &/;s/k < LOADS && i + k/k < (n > 1000 ? LOADS : 0) \&\& i + k/'
    finds 6 reduce2 1000 "invalid __shared__ read"
    finds 6 reduce3 1000 "invalid __global__ read"
    finds 6 reduce4 1000 race
    finds 6 reduce6 100003 "invalid __shared__ read"
    finds 6 reduceShuffle 1000 barrier
    finds 6 reduceVector 100003 misaligned
    finds 6 reduceVector 1 WRONG
    finds 6 reduceOnePass 100003 race
    finds 6 reduceOneAtomic 100003 barrier
    finds 6 reduceOneAtomic 1000 WRONG
    run user_make check-lab6 DEVICE=sim ARGS="--step reduceOnePass" SIZE=200003
    assert_failure 2
    assert_output --partial "Race reported"
}

@test "lab 7: a pointer that is not aligned as its type, either barrier forgotten" {
    complete 7
    plant 7 copyFloat4 's/(const float4 \*)in)/(const float4 *)(in + 1))/'
    # The first at one size, the second at another.
    plant 7 histogramShared '/atomicAdd(&counters/,$ s/__syncthreads();/if (n == 1000) &/;0,/__syncthreads();/{s/ __syncthreads();/ if (n != 1000)&/}'
    finds 7 copyFloat4 1000 misaligned
    for size in 1000 100003; do finds 7 histogramShared "$size" race; done
}

@test "lab 10: a thread that leaves because it has no row" {
    complete 10
    plant 10 mvStaged 's/float words.*/& if (first + t >= rows) return;/'
    plant 10 mvBlockMerge 's/float words.*/& if (first + t >= rows) return;/'
    finds 10 mvStaged 31x33 WRONG barrier
    finds 10 mvBlockMerge 31x33 WRONG barrier
}

@test "lab 12: bytes for elements, the wrong direction, memory not freed, a time or a result read too early" {
    complete 12
    plant 12 addOnDevice 's/cudaMemcpy(d_a, a, bytes/cudaMemcpy(d_a, a, n/;/cudaFree(d_b)/d'
    plant 12 timeByEvents '/cudaEventRecord(stop)/d'
    plant 12 addMapped '/cudaDeviceSynchronize/d'
    plant 12 stayOnDevice 's/cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost)/cudaMemcpy(c, d_c, bytes, cudaMemcpyHostToDevice)/'
    finds 12 addOnDevice 33 WRONG
    assert_output --partial Leaked
    finds 12 timeByEvents 33 'invalid resource handle'
    finds 12 addMapped 33 WRONG
    finds 12 stayOnDevice 33 'invalid argument'
}

@test "lab 11: sums added to what was there, a clock read before the kernel has ended" {
    complete 11
    plant 11 multiplyIKJ '/C\[i\] = 0/d'
    plant 11 launchAndWait '/cudaDeviceSynchronize/d'
    finds 11 multiplyIKJ 33 WRONG
    finds 11 launchAndWait 33 WRONG
}
