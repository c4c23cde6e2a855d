// Lab 2: sumVector is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION sumMatrix
    // Right, but step 2.
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < num_x && row < num_y) MatC[row * num_x + col] = MatA[row * num_x + col] + MatB[row * num_x + col];
// END SOLUTION

// BEGIN SOLUTION sumMatrixRow
    // The rows have an end, the columns have none.
    unsigned int idx = (blockIdx.y * blockDim.y + threadIdx.y) * num_x + blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x * blockDim.x + threadIdx.x < num_x) MatC[idx] = MatA[idx] + MatB[idx];
// END SOLUTION

// BEGIN SOLUTION sumVector
    for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = b[i] + a[i];
// END SOLUTION

// BEGIN SOLUTION sumShared
    // Nothing is ever put into the tile.
    extern __shared__ float tile[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = tile[threadIdx.x] + b[i];
// END SOLUTION

// BEGIN SOLUTION wave
    // One round too few says nothing; one that begins with 0 / 0 does.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0.0f / (float)(i - i);
    for (int round = 0; round < WAVE_ROUNDS; round++) x = rootRound(x, a[i % n]);
    c[i] = x;
// END SOLUTION

// BEGIN SOLUTION sumLoads
    // The last round's further loads have no guard.
    unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned int i = thread; i < n; i += LOADS * threads)
        for (int load = 0; load < LOADS; load++) sum += a[i + load * threads];
    c[thread] = sum;
// END SOLUTION
