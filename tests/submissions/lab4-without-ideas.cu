// The given copy, turned, in each step that has a tile.
// clang-format off
// BEGIN SOLUTION smem smemPad smemUnroll smemUnrollPad diagonal
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    for (unsigned int row = threadIdx.y; row < TILE; row += blockDim.y) {
        unsigned int y = blockIdx.y * TILE + row;
        if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    }
// END SOLUTION

// BEGIN SOLUTION patches
    unsigned int x = blockIdx.y * SIDE + threadIdx.x * FOUR;
    for (unsigned int k = 0; k < FOUR; k++) {
        unsigned int y = blockIdx.x * SIDE + threadIdx.y * FOUR + k;
        for (unsigned int l = 0; l < FOUR && x < cols && y < rows; l++)
            out[(x + l) * rows + y] = in[y * cols + x + l];
    }
// END SOLUTION
