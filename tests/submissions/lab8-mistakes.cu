// Mistakes of lab 8, one a step: most are right and measure something else.
// clang-format off
// BEGIN SOLUTION write32
    // Of many writes to a word that is not volatile, the compiler keeps the last.
    __shared__ unsigned int words[WRITERS][WORDS];
    unsigned int lane = threadIdx.x % WARP, *word = words[threadIdx.x / WARP] + lane * stride;
    *word = in[lane];
    for (unsigned int round = 1; round <= rounds; round++) {
        for (unsigned int i = 0; i < AT_ONCE; i++) *word = in[lane] + round;
    }
    out[threadIdx.x] = *word;
// END SOLUTION

// BEGIN SOLUTION broadcast
    // No barrier.
    __shared__ unsigned int words[WORDS];
    for (unsigned int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = in[i];
    unsigned int sum = 0;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; round++) {
        for (unsigned int i = 0; i < AT_ONCE; i++) sum += words[threadIdx.x % WARP / sharers + round % 2 * OTHERS + i * BANKS];
    }
    out[threadIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION column32
    // Padded, as it should be in the next step only.
    __shared__ unsigned int tile[WARP][WARP + 1];
    for (unsigned int i = threadIdx.x; i < WARP * WARP; i += blockDim.x) tile[i / WARP][i % WARP] = in[i];
    __syncthreads();
    unsigned int sum = 0;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; round++) {
        unsigned int column = (threadIdx.x / WARP + round) * AT_ONCE % WARP;
        for (unsigned int i = 0; i < AT_ONCE; i++) sum += tile[threadIdx.x % WARP][column + i];
    }
    out[threadIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION column33
    // All warps begin at the same column.
    __shared__ unsigned int tile[WARP][WARP + 1];
    for (unsigned int i = threadIdx.x; i < WARP * WARP; i += blockDim.x) tile[i / WARP][i % WARP] = in[i];
    __syncthreads();
    unsigned int sum = 0;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; round++) {
        for (unsigned int i = 0; i < AT_ONCE; i++) sum += tile[threadIdx.x % WARP][round * AT_ONCE % WARP + i];
    }
    out[threadIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION chase32
    // Where the way ends can be computed, but then nothing is measured.
    out[threadIdx.x] = (threadIdx.x * stride + loads * BANKS) % WORDS * 4;
// END SOLUTION

// BEGIN SOLUTION read64
    // Two loads of 4 bytes for each word.
    __shared__ unsigned int low[WORDS], high[WORDS];
    for (unsigned int i = threadIdx.x; i < WORDS; i += blockDim.x) {
        low[i] = in[2 * i];
        high[i] = in[2 * i + 1];
    }
    __syncthreads();
    unsigned int sum = 0;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; round++) {
        unsigned int first = threadIdx.x % WARP * stride + round % 2 * OTHERS;
        for (unsigned int i = 0; i < AT_ONCE; i++) sum += low[first + i * BANKS] + high[first + i * BANKS];
    }
    out[threadIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION chase64
    // The second part is not used, so the compiler loads the first alone.
    __shared__ uint2 next[WORDS];
    for (unsigned int i = threadIdx.x; i < WORDS; i += WARP) next[i] = make_uint2((i + BANKS) % WORDS * 8, 0);
    __syncwarp();
    unsigned int at = threadIdx.x * stride * 8;
    for (unsigned int i = 0; i < loads; i++) at = ((const uint2 *)((const char *)next + at))->x;
    out[threadIdx.x] = at;
// END SOLUTION
