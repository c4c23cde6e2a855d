// One warp of a block adds all.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess(1) reduceInterleaved(1) reduceUnroll2(2) reduceUnroll4(4) reduceUnroll8(8) reduceUnrollWarp8(8) reduceCompleteUnrollWarp8(8) reduceCompleteUnroll(8)
    unsigned int end = (blockIdx.x + 1) * blockDim.x * $1, sum = 0;
    if (threadIdx.x >= 32) return;
    if (end > n) end = n;
    for (unsigned int i = blockIdx.x * blockDim.x * $1 + threadIdx.x; i < end; i += 32) sum += g_idata[i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = (int)sum;
// END SOLUTION
