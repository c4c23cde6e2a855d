// Mistakes of lab 7, one a step; the first step is right.
// clang-format off
// BEGIN SOLUTION offsetLoad
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[offset + i];
// END SOLUTION

// BEGIN SOLUTION offsetStore
    // Every launch but the first is wrong.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
    (void)offset;
// END SOLUTION

// BEGIN SOLUTION strideLoad
    // Right, but the threads of a warp lie far apart.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x % 32 * (blockDim.x / 32) + threadIdx.x / 32;
    if (i * stride < n) out[i] = in[i * stride];
// END SOLUTION

// BEGIN SOLUTION copyFloat4
    // The words that are left over.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) ((float4 *)out)[i] = ((const float4 *)in)[i];
// END SOLUTION

// BEGIN SOLUTION histogramShared
    // No barrier after counting.
    __shared__ unsigned int counters[BINS];
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x) counters[bin] = 0;
    __syncthreads();
    for (unsigned int k = 0; k < WORDS; k++) {
        unsigned int i = (blockIdx.x * WORDS + k) * blockDim.x + threadIdx.x;
        if (i < n) atomicAdd(&counters[binOf(in[i])], 1);
    }
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x) atomicAdd(&bins[bin], counters[bin]);
// END SOLUTION

// BEGIN SOLUTION lookupReadOnly
    // Step 12 once more.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned int word = firstLookup(i, spread);
    float sum = 0;
    for (unsigned int k = 0; k < LOOKUPS; k++) sum += table[(word + k) % TABLE];
    out[i] = sum;
// END SOLUTION
