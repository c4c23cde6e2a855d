// A variable among the helpers, which would keep a sum from one launch to the next.
// clang-format off
// BEGIN HELPERS
__device__ int kept;
// END HELPERS

// BEGIN SOLUTION reduceNeighboredLess
    if (threadIdx.x == 0) g_odata[blockIdx.x] = kept;
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockIdx.x * blockDim.x + tid;
    int *idata = g_idata + blockIdx.x * blockDim.x;

    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride && idx + stride < n) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
// END SOLUTION
