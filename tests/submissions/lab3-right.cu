// Right, but not the way of the solution: shared memory and shuffles in place of the input array,
// and a block that walks through its chunks in a loop. The marks of one step are damaged, and one
// step is still to do.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
    __shared__ int sums[1024];
    unsigned int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + tid;
    sums[tid] = idx < n ? g_idata[idx] : 0;
    __syncthreads();
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int index = 2 * stride * tid;
        if (index + stride < blockDim.x) sums[index] += sums[index + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sums[0];
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    unsigned int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + tid;
    __shared__ int sums[32];
    int sum = idx < n ? g_idata[idx] : 0;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, offset);
    if (tid % 32 == 0) sums[tid / 32] = sum;
    __syncthreads();
    if (tid < 32) {
        sum = tid < blockDim.x / 32 ? sums[tid] : 0;
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, offset);
        if (tid == 0) g_odata[blockIdx.x] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    TODO("Give each block two chunks.", "handouts/lab3.md#reduceunroll2");
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
// BEGIN SOLUTION reduceUnroll8
    __shared__ int sums[1024];
    unsigned int tid = threadIdx.x, first = blockIdx.x * blockDim.x * 8;
    int sum = 0;
#pragma unroll
    for (unsigned int k = 0; k < 8; k++) {
        unsigned int idx = first + k * blockDim.x + tid;
        if (idx < n) sum += g_idata[idx];
    }
    sums[tid] = sum;
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) sums[tid] += sums[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sums[0];
// END SOLUTION
