// Right counts without the ideas: one thread of a block counts, or all in global memory.
// clang-format off
// BEGIN SOLUTION countShared countCopies countMatch
    const unsigned int first = blockIdx.x * blockDim.x * EACH;
    if (threadIdx.x > 0) return;
    for (unsigned int i = first; i < first + blockDim.x * EACH && i < n; i++) atomicAdd(&counts[in[i]], 1);
// END SOLUTION

// BEGIN SOLUTION countManyEach
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[in[i]], 1);
// END SOLUTION
