// The given copy, turned, in each step that has a tile.
// clang-format off
// BEGIN SOLUTION smem
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    for (unsigned int row = threadIdx.y; row < TILE; row += blockDim.y) {
        unsigned int y = blockIdx.y * TILE + row;
        if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    }
// END SOLUTION

// BEGIN SOLUTION smemPad
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    for (unsigned int row = threadIdx.y; row < TILE; row += blockDim.y) {
        unsigned int y = blockIdx.y * TILE + row;
        if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    }
// END SOLUTION

// BEGIN SOLUTION smemUnroll
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    for (unsigned int row = threadIdx.y; row < TILE; row += blockDim.y) {
        unsigned int y = blockIdx.y * TILE + row;
        if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    }
// END SOLUTION

// BEGIN SOLUTION smemUnrollPad
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    for (unsigned int row = threadIdx.y; row < TILE; row += blockDim.y) {
        unsigned int y = blockIdx.y * TILE + row;
        if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    }
// END SOLUTION

// BEGIN SOLUTION diagonal
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    for (unsigned int row = threadIdx.y; row < TILE; row += blockDim.y) {
        unsigned int y = blockIdx.y * TILE + row;
        if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    }
// END SOLUTION
