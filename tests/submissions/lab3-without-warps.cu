// One warp of a block adds all.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
    unsigned int end = (blockIdx.x + 1) * blockDim.x * 1, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * 1 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    unsigned int end = (blockIdx.x + 1) * blockDim.x * 1, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * 1 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    unsigned int end = (blockIdx.x + 1) * blockDim.x * 2, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * 2 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
    unsigned int end = (blockIdx.x + 1) * blockDim.x * 4, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * 4 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll8
    unsigned int end = (blockIdx.x + 1) * blockDim.x * 8, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnrollWarp8
    unsigned int end = (blockIdx.x + 1) * blockDim.x * 8, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnrollWarp8
    unsigned int end = (blockIdx.x + 1) * blockDim.x * 8, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnroll
    unsigned int end = (blockIdx.x + 1) * blockDim.x * 8, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * 8 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION
