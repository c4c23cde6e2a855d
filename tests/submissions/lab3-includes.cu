// A part of cooperative groups that there is not: the step fails, and not the grader.
#include <cooperative_groups/nothing.h>
namespace groups = cooperative_groups;

// BEGIN SOLUTION reduceNeighboredLess
g_odata[blockIdx.x] = groups::this_thread_block().thread_rank();
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
unsigned int first = blockIdx.x * blockDim.x, tid = threadIdx.x;
for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride && first + tid + stride < n)
        g_idata[first + tid] += g_idata[first + tid + stride];
    __syncthreads();
}
if (tid == 0) g_odata[blockIdx.x] = g_idata[first];
// END SOLUTION
