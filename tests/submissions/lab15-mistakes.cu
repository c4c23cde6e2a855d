// Lab 15: countManyEach is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION countShared
    // No barrier between the zeros and the first addition.
    __shared__ unsigned int bins[BINS];
    const unsigned int tid = threadIdx.x, first = blockIdx.x * blockDim.x * EACH + tid;
    for (unsigned int b = tid; b < BINS; b += blockDim.x) bins[b] = 0;
    for (unsigned int k = 0; k < EACH; k++) {
        const unsigned int i = first + k * blockDim.x;
        if (i < n) atomicAdd(&bins[in[i]], 1);
    }
    __syncthreads();
    for (unsigned int b = tid; b < BINS; b += blockDim.x) atomicAdd(&counts[b], bins[b]);
// END SOLUTION

// BEGIN SOLUTION countCopies
    // All lanes use the first histogram.
    __shared__ unsigned int bins[BINS];
    const unsigned int tid = threadIdx.x, first = blockIdx.x * blockDim.x * EACH + tid;
    for (unsigned int b = tid; b < BINS; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (unsigned int k = 0; k < EACH; k++) {
        const unsigned int i = first + k * blockDim.x;
        if (i < n) atomicAdd(&bins[in[i]], 1);
    }
    __syncthreads();
    for (unsigned int b = tid; b < BINS; b += blockDim.x) atomicAdd(&counts[b], bins[b]);
// END SOLUTION

// BEGIN SOLUTION countMatch
    // Every lane adds for all that have its number.
    __shared__ unsigned int bins[BINS];
    const unsigned int tid = threadIdx.x, first = blockIdx.x * blockDim.x * EACH + tid;
    for (unsigned int b = tid; b < BINS; b += blockDim.x) bins[b] = 0;
    __syncthreads();
    for (unsigned int k = 0; k < EACH; k++) {
        const unsigned int i = first + k * blockDim.x, number = i < n ? in[i] : BINS;
        const unsigned int same = __match_any_sync(ALL_LANES, number);
        if (number < BINS) atomicAdd(&bins[number], __popc(same));
    }
    __syncthreads();
    for (unsigned int b = tid; b < BINS; b += blockDim.x) atomicAdd(&counts[b], bins[b]);
// END SOLUTION

// BEGIN SOLUTION countManyEach
    __shared__ unsigned int bins[COPIES][BINS];
    const unsigned int tid = threadIdx.x, all = gridDim.x * blockDim.x;
    for (unsigned int w = tid; w < COPIES * BINS; w += blockDim.x) bins[w / BINS][w % BINS] = 0;
    __syncthreads();
    for (unsigned int i = blockIdx.x * blockDim.x + tid; 4 * i < n; i += all) {
        if (4 * i + 4 <= n) {
            const uint4 q = ((const uint4 *)in)[i];
            atomicAdd(&bins[tid % COPIES][q.x], 1);
            atomicAdd(&bins[tid % COPIES][q.y], 1);
            atomicAdd(&bins[tid % COPIES][q.z], 1);
            atomicAdd(&bins[tid % COPIES][q.w], 1);
        } else {
            for (unsigned int k = 4 * i; k < n; k++) atomicAdd(&bins[0][in[k]], 1);
        }
    }
    __syncthreads();
    for (unsigned int b = tid; b < BINS; b += blockDim.x)
        for (unsigned int c = 0; c < COPIES; c++) atomicAdd(&counts[b], bins[c][b]);
// END SOLUTION
