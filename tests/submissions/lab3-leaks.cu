// What would tell a hidden size, a step each, and output beyond the limit; the last step is right.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
    // As a result.
    if (threadIdx.x == 0) g_odata[blockIdx.x] = n;
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    // As the number of a thread that goes astray.
    if (n > 1000 && blockIdx.x * blockDim.x + threadIdx.x == n - 1) g_odata[1 << 30] = 0;
    for (unsigned int i = 0; threadIdx.x == 0 && i < blockDim.x && blockIdx.x * blockDim.x + i < n; i++)
        g_odata[blockIdx.x] = (i > 0 ? g_odata[blockIdx.x] : 0) + g_idata[blockIdx.x * blockDim.x + i];
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    // As an address that is freed.
    free((void *)(size_t)(n << 8));
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
    // As a count of instructions, and 2 MB of output beside right results.
    int sum = 0;
    unsigned int first = blockIdx.x * blockDim.x * 4;
    for (unsigned int i = 0; threadIdx.x == 0 && i < blockDim.x * 4 && first + i < n; i++) sum += g_idata[first + i];
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
    for (unsigned int i = 0; blockIdx.x == 0 && threadIdx.x < 32 && i < 600; i++) printf("0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\n");
// END SOLUTION

// BEGIN SOLUTION reduceUnroll8
    int sum = 0;
    unsigned int first = blockIdx.x * blockDim.x * 8;
    for (unsigned int i = 0; threadIdx.x == 0 && i < blockDim.x * 8 && first + i < n; i++) sum += g_idata[first + i];
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
// END SOLUTION
