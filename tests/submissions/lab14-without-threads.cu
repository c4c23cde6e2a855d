// One thread of a block does the sums of its tile; in steps 7 and 8 one thread does all tiles.
// clang-format off
// BEGIN SOLUTION scanTree scanPadded
    if (threadIdx.x > 0) return;
    unsigned int sum = 0;
    for (unsigned int i = blockIdx.x * 2 * blockDim.x; i < (blockIdx.x + 1) * 2 * blockDim.x && i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION scanShuffle
    if (threadIdx.x > 0) return;
    unsigned int sum = 0;
    for (unsigned int i = blockIdx.x * blockDim.x; i < (blockIdx.x + 1) * blockDim.x && i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION scanManyEach
    if (threadIdx.x > 0) return;
    unsigned int sum = 0;
    for (unsigned int i = blockIdx.x * EACH * blockDim.x; i < (blockIdx.x + 1) * EACH * blockDim.x && i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION scanInThree
    if (threadIdx.x > 0) return;
    unsigned int sum = sums[blockIdx.x];
    for (unsigned int i = blockIdx.x * EACH * blockDim.x; i < (blockIdx.x + 1) * EACH * blockDim.x && i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION scanOnePass
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    unsigned int sum = 0;
    for (unsigned int i = 0; i < n; i++) {
        sum += in[i];
        out[i] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION keepLarge
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    unsigned int kept = 0;
    for (unsigned int i = 0; i < n; i++)
        if (in[i] >= LIMIT) out[kept++] = in[i];
    *count = kept;
// END SOLUTION
