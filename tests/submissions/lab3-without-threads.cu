// One thread of a block adds all.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess(1) reduceInterleaved(1) reduceUnroll2(2) reduceUnroll4(4) reduceUnroll8(8) reduceUnrollWarp8(8) reduceCompleteUnrollWarp8(8) reduceCompleteUnroll(8)
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x * $1; i < (blockIdx.x + 1) * blockDim.x * $1 && i < n; i++) sum += g_idata[i];
    g_odata[blockIdx.x] = sum;
// END SOLUTION
