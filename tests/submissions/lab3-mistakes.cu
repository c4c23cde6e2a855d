// Typical mistakes, one a step. Only regions count, so only they are here. What each must come to:
// expected.tsv.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
    // No barrier between the rounds.
    unsigned int tid = threadIdx.x, chunk = blockIdx.x * blockDim.x;
    int *idata = g_idata + chunk;
    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned int index = 2 * stride * tid;
        if (index < blockDim.x && chunk + index + stride < n) idata[index] += idata[index + stride];
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    // The bound of another index: the last chunk's tail is left out.
    unsigned int tid = threadIdx.x, idx = blockIdx.x * blockDim.x + tid;
    int *idata = g_idata + blockIdx.x * blockDim.x;
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride && idx + 2 * stride < n) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    // Reads beyond the end of the data.
    unsigned int tid = threadIdx.x, idx = blockIdx.x * blockDim.x * 2 + tid;
    int *idata = g_idata + blockIdx.x * blockDim.x * 2;
    g_idata[idx] += g_idata[idx + blockDim.x];
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
    // Writes nothing: whatever an earlier step has left must not count.
    unsigned int tid = threadIdx.x;
    if (tid > blockDim.x) g_odata[blockIdx.x] = g_idata[tid] + (int)n;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll8
    // Right sums by step 3's way: eight loops over the same chunk, none of the loads at the same time.
    unsigned int tid = threadIdx.x, first = blockIdx.x * blockDim.x * 8;
    int sum = 0;
    for (unsigned int chunk = first; chunk < first + 8 * blockDim.x && chunk < n; chunk += blockDim.x) {
        int *idata = g_idata + chunk;
        for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
            if (tid < stride && chunk + tid + stride < n) idata[tid] += idata[tid + stride];
            __syncthreads();
        }
        sum += idata[0];
    }
    if (tid == 0) g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnrollWarp8
    // A race that happens to pass: the last warp's rounds without __syncwarp().
    unsigned int tid = threadIdx.x, idx = blockIdx.x * blockDim.x * 8 + tid;
    volatile int *idata = g_idata + blockIdx.x * blockDim.x * 8;
    for (unsigned int k = 1; k < 8; k++) {
        if (idx + k * blockDim.x < n) g_idata[idx] += g_idata[idx + k * blockDim.x];
    }
    __syncthreads();
    for (unsigned int stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (tid < stride && idx + stride < n) idata[tid] += idata[tid + stride];
        __syncthreads();
    }
    if (tid < 32) {
        for (unsigned int stride = min(blockDim.x / 2, 32); stride > 0; stride /= 2) {
            if (tid < stride && idx + stride < n) idata[tid] += idata[tid + stride];
        }
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnrollWarp8
    // Does not compile.
    unsigned int tid = threadIdx.x
    g_odata[blockIdx.x] = tid;
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnroll
    // Never ends.
    while (threadIdx.x < blockSize) {
        if (n == 0xFFFFFFFF) break;
    }
    g_odata[blockIdx.x] = 0;
// END SOLUTION
