// The given steps in each step, for the rows that a block has.
// clang-format off
// BEGIN SOLUTION mvStaged
    for (unsigned int r = 0; r < 1; r++) {
        unsigned int row = (blockIdx.x * 1 + r) * blockDim.x + threadIdx.x;
        if (row >= rows) continue;
        float sum = 0;
        for (unsigned int i = 0; i < cols; i++) sum += a[row * cols + i] * b[i];
        c[row] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION mvBlockMerge
    for (unsigned int r = 0; r < 1; r++) {
        unsigned int row = (blockIdx.x * 1 + r) * blockDim.x + threadIdx.x;
        if (row >= rows) continue;
        float sum = 0;
        for (unsigned int i = 0; i < cols; i++) sum += a[row * cols + i] * b[i];
        c[row] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION mvThreadMerge
    for (unsigned int r = 0; r < MV_ROWS; r++) {
        unsigned int row = (blockIdx.x * MV_ROWS + r) * blockDim.x + threadIdx.x;
        if (row >= rows) continue;
        float sum = 0;
        for (unsigned int i = 0; i < cols; i++) sum += a[row * cols + i] * b[i];
        c[row] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION mvPartitionOffset
    for (unsigned int r = 0; r < MV_ROWS; r++) {
        unsigned int row = (blockIdx.x * MV_ROWS + r) * blockDim.x + threadIdx.x;
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

// BEGIN SOLUTION mmStaged
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int r = 0; r < 1; r++) {
        unsigned int row = blockIdx.y * 1 + r;
        if (row >= rows || col >= cols) continue;
        float sum = 0;
        for (unsigned int i = 0; i < inner; i++) sum += a[row * inner + i] * b[i * cols + col];
        c[row * cols + col] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION mmBlockMerge
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int r = 0; r < 1; r++) {
        unsigned int row = blockIdx.y * 1 + r;
        if (row >= rows || col >= cols) continue;
        float sum = 0;
        for (unsigned int i = 0; i < inner; i++) sum += a[row * inner + i] * b[i * cols + col];
        c[row * cols + col] = sum;
    }
// END SOLUTION

// BEGIN SOLUTION mmThreadMerge
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned int r = 0; r < MM_ROWS; r++) {
        unsigned int row = blockIdx.y * MM_ROWS + r;
        if (row >= rows || col >= cols) continue;
        float sum = 0;
        for (unsigned int i = 0; i < inner; i++) sum += a[row * inner + i] * b[i * cols + col];
        c[row * cols + col] = sum;
    }
// END SOLUTION
