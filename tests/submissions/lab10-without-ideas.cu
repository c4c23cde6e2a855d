// The given steps in each step, for the rows that a block has.
// clang-format off
// BEGIN SOLUTION mvStaged(1) mvBlockMerge(1) mvThreadMerge(MV_ROWS) mvPartitionOffset(MV_ROWS)
    for (unsigned int r = 0; r < $1; r++) {
        unsigned int row = (blockIdx.x * $1 + r) * blockDim.x + threadIdx.x;
        if (row >= rows) continue;
        float sum = 0;
        for (unsigned int i = 0; i < cols; i++) sum += a[row * cols + i] * b[i];
        c[row] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION mvWarpRow
    unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
    if (row >= rows || threadIdx.x % WARP > 0) return;
    float sum = 0;
    for (unsigned int i = 0; i < cols; i++) sum += a[row * cols + i] * b[i];
    c[row] = sum;
// END SOLUTION

// BEGIN SOLUTION mmStaged(1) mmBlockMerge(1) mmThreadMerge(MM_ROWS)
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int r = 0; r < $1; r++) {
        unsigned int row = blockIdx.y * $1 + r;
        if (row >= rows || col >= cols) continue;
        float sum = 0;
        for (unsigned int i = 0; i < inner; i++) sum += a[row * inner + i] * b[i * cols + col];
        c[row * cols + col] = sum;
    }
// END SOLUTION
