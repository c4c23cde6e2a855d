// One thread of a block adds all.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * 1; i < (blockIdx.x + 1) * blockDim.x * 1 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * 1; i < (blockIdx.x + 1) * blockDim.x * 1 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * 2; i < (blockIdx.x + 1) * blockDim.x * 2 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * 4; i < (blockIdx.x + 1) * blockDim.x * 4 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll8
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * 8; i < (blockIdx.x + 1) * blockDim.x * 8 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceUnrollWarp8
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * 8; i < (blockIdx.x + 1) * blockDim.x * 8 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnrollWarp8
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * 8; i < (blockIdx.x + 1) * blockDim.x * 8 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnroll
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * 8; i < (blockIdx.x + 1) * blockDim.x * 8 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION
