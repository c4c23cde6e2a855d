// Counts without atomic additions to what all blocks share.
// clang-format off
// BEGIN SOLUTION histogramGlobal
    if (threadIdx.x > 0) return;
    for (unsigned int i = blockIdx.x * blockDim.x; i < (blockIdx.x + 1) * blockDim.x && i < n; i++) bins[binOf(in[i])] += 1;
// END SOLUTION

// BEGIN SOLUTION histogramShared
    __shared__ unsigned int counters[BINS];
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x) counters[bin] = 0;
    __syncthreads();
    unsigned int begin = blockIdx.x * blockDim.x * WORDS + threadIdx.x;
    for (unsigned int i = begin; i < begin + WORDS * blockDim.x && i < n; i += blockDim.x) atomicAdd(&counters[binOf(in[i])], 1);
    __syncthreads();
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x) bins[bin] += counters[bin];
// END SOLUTION
