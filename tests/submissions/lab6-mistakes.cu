// Lab 6: reduce4 is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION reduce1
    // The index leaves the block.
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        sdata[2 * s * tid] += sdata[2 * s * tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
// END SOLUTION

// BEGIN SOLUTION reduce2
    // A barrier only before the loop.
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sdata[tid] += sdata[tid + s];
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
// END SOLUTION

// BEGIN SOLUTION reduce3
    // The second number may not be there.
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + tid;
    sdata[tid] = i < n ? g_idata[i] + g_idata[i + blockDim.x] : 0;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
// END SOLUTION

// BEGIN SOLUTION reduce4
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + tid;
    T sum = 0;
    for (unsigned int k = 0; k < 2; k++)
        if (i + k * blockDim.x < n) sum += g_idata[i + k * blockDim.x];
    sdata[tid] = sum;
    for (unsigned int s = blockDim.x / 2; s >= 32; s /= 2) {
        __syncthreads();
        if (tid < s) sdata[tid] = sum = sum + sdata[tid + s];
    }
    if (tid >= 32) return;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, offset);
    if (tid == 0) g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceShuffle
    // Sums of warps that the block does not have are added, too.
    __shared__ T warpSums[32];
    unsigned int tid = threadIdx.x;
    T sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + tid; i < n; i += blockDim.x * gridDim.x) sum += g_idata[i];
    for (unsigned int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL_WARP, sum, offset);
    if (tid % 32 == 0) warpSums[tid / 32] = sum;
    __syncthreads();
    if (tid < 32) {
        sum = warpSums[tid];
        for (unsigned int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL_WARP, sum, offset);
    }
    if (tid == 0) g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceOneAtomic
    // The sum is added to what happens to be in *result.
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += g_idata[i];
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) atomicAdd(result, sum);
// END SOLUTION
