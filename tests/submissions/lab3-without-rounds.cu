// Each thread adds its words to the block's sum by an atomic.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess(1) reduceInterleaved(1) reduceUnroll2(2) reduceUnroll4(4) reduceUnroll8(8) reduceUnrollWarp8(8) reduceCompleteUnrollWarp8(8) reduceCompleteUnroll(8)
    unsigned int first = blockIdx.x * blockDim.x * $1 + threadIdx.x;
    int sum = 0;
    for (unsigned int k = 0; k < $1; k++)
        if (first + k * blockDim.x < n) sum += g_idata[first + k * blockDim.x];
    if (threadIdx.x == 0) g_odata[blockIdx.x] = 0;
    __syncthreads();
    atomicAdd(&g_odata[blockIdx.x], sum);
// END SOLUTION
