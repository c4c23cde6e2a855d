# The pitfalls that the handouts name, planted into the complete programs: a check that a student can run finds each, at the sizes that
# it chooses itself.

bats_require_minimum_version 1.5.0
load helpers

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
    [ "$(cksum <"$file")" != "$before" ] || { echo "lab $1, $2: nothing to plant at"; return 1; }
}

# complete LAB: the student's file becomes the complete program.
complete() {
    cp solutions/lab"$1"-*/*.cu "$(source_of "$1")"
}

# finds LAB STEP TEXT...: check-labN finds the step wrong and says one of the texts.
finds() {
    run user_make "check-lab$1" DEVICE=sim ARGS="--step $2"
    [ "$status" -ne 0 ] || { echo "lab $1, $2: check-lab$1 finds nothing: $output"; return 1; }
    local text said=${output,,}
    for text in "${@:3}"; do [[ $said != *"${text,,}"* ]] || return 0; done
    echo "lab $1, $2: none of '${*:3}' in: $output"
    return 1
}

@test "lab 3: tails without an else or a guard, a thread that leaves early, volatile in place of __syncwarp" {
    complete 3
    plant 3 reduceInterleaved 's/unsigned int tid = threadIdx.x;/& if (blockIdx.x * blockDim.x + tid >= n) return;/'
    plant 3 reduceUnroll2 's/if (idx + blockDim.x < n) //'
    plant 3 reduceUnroll4 '/for (unsigned int i = idx + blockDim.x/d'
    plant 3 reduceUnrollWarp8 's/addInWarp(g_idata, idx, \([0-9]*\), n)/{ volatile int *v = g_idata; if (idx + \1 < n) v[idx] += v[idx + \1]; }/'
    finds 3 reduceInterleaved barrier
    finds 3 reduceUnroll2 "invalid __global__ read"
    finds 3 reduceUnroll4 WRONG
    finds 3 reduceUnrollWarp8 race
    run user_make check-lab3 DEVICE=sim ARGS="--step reduceUnroll8"
    ended_with 0
}

@test "lab 4: a transpose for squares only, no guard, a thread that leaves before the barrier, the other width" {
    complete 4
    plant 4 naiveRow 's/out\[x \* rows + y\]/out[x * cols + y]/'
    plant 4 naiveCol 's/if (x < cols && y < rows) //'
    plant 4 smem 's/if (x < cols && y < rows) tile/if (x >= cols || y >= rows) return;\n    tile/'
    plant 4 smemPad 's/out\[y \* rows + x\]/out[y * cols + x]/'
    finds 4 naiveRow WRONG "invalid __global__ write"
    finds 4 naiveCol WRONG "invalid __global__"
    finds 4 smem barrier
    finds 4 smemPad WRONG "invalid __global__ write"
}

@test "lab 9: one barrier where two are needed" {
    complete 9
    plant 9 MatMulTiled '/Pvalue +=/{n;s/__syncthreads();//}'
    finds 9 MatMulTiled race
}
