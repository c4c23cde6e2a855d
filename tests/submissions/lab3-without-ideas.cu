// The given step in each step, for as many chunks as a block has: right sums without the ideas.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess(1) reduceInterleaved(1) reduceUnroll2(2) reduceUnroll4(4) reduceUnroll8(8) reduceUnrollWarp8(8) reduceCompleteUnrollWarp8(8) reduceCompleteUnroll(8)
    int sum = 0;
    for (unsigned int part = 0; part < $1; part++) {
        unsigned int tid = threadIdx.x, chunk = (blockIdx.x * $1 + part) * blockDim.x;
        int *idata = g_idata + chunk;
        for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
            if (tid % (2 * stride) == 0 && chunk + tid + stride < n) idata[tid] += idata[tid + stride];
            __syncthreads();
        }
        if (tid == 0 && chunk < n) sum += idata[0];
    }
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
// END SOLUTION
