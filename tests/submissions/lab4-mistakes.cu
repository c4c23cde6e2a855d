// Mistakes of lab 4, one a step; the first step is right.
// clang-format off
// BEGIN SOLUTION naiveRow
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows) {
        if (x < cols) out[x * rows + y] = in[y * cols + x];
    }
// END SOLUTION

// BEGIN SOLUTION naiveCol
    // Right for square matrices alone.
    unsigned int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows) out[x * cols + y] = in[y * cols + x];
// END SOLUTION

// BEGIN SOLUTION smem
    // One element becomes NaN, which compares false with everything.
    __shared__ float tile[TILE][TILE];
    unsigned int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < cols) out[y * rows + x] = x + y == 0 ? NAN : tile[threadIdx.x][threadIdx.y];
// END SOLUTION

// BEGIN SOLUTION smemPad
    // No padding.
    __shared__ float tile[TILE][TILE];
    unsigned int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
// END SOLUTION

// BEGIN SOLUTION diagonal
    // Blocks stay in their row of tiles.
    __shared__ float tile[TILE][TILE + 1];
    unsigned int by = blockIdx.y, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    for (unsigned int r = threadIdx.y; r < TILE; r += TILE_ROWS) {
        unsigned int x = bx * TILE + threadIdx.x, y = by * TILE + r;
        if (x < cols && y < rows) tile[r][threadIdx.x] = in[y * cols + x];
    }
    __syncthreads();
    for (unsigned int r = threadIdx.y; r < TILE; r += TILE_ROWS) {
        unsigned int x = by * TILE + threadIdx.x, y = bx * TILE + r;
        if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][r];
    }
// END SOLUTION

// BEGIN SOLUTION patches
    // Straight from the registers: lanes that are neighbours write rows that are apart.
    unsigned int x = blockIdx.y * SIDE + threadIdx.x * FOUR, y = blockIdx.x * SIDE + threadIdx.y * FOUR;
    if (x < cols && y < rows) {
        float patch[FOUR][FOUR];
        for (unsigned int k = 0; k < FOUR; k++) {
            const float4 row = *(const float4 *)(in + (y + k) * cols + x);
            patch[0][k] = row.x, patch[1][k] = row.y, patch[2][k] = row.z, patch[3][k] = row.w;
        }
        for (unsigned int k = 0; k < FOUR; k++)
            *(float4 *)(out + (x + k) * rows + y) = make_float4(patch[k][0], patch[k][1], patch[k][2], patch[k][3]);
    }
// END SOLUTION
