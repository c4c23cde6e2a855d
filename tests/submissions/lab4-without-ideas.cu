// The given copy, turned, in each step that has a tile.
// clang-format off
// BEGIN SOLUTION smem smemPad smemUnroll smemUnrollPad diagonal
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    for (unsigned int row = threadIdx.y; row < TILE; row += blockDim.y) {
        unsigned int y = blockIdx.y * TILE + row;
        if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    }
// END SOLUTION
