// Lab 10: mvWarpRow is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION mvStaged
    // Right, but without the padding.
    __shared__ float tile[TILE][TILE], part[TILE];
    unsigned int t = threadIdx.x, first = blockIdx.x * TILE;
    float sum = 0;
    for (unsigned int i = 0; i < cols; i += TILE) {
        bool inside = i + t < cols;
        part[t] = inside ? b[i + t] : 0.0f;
        for (unsigned int l = 0; l < TILE; l++) tile[l][t] = inside && first + l < rows ? a[(first + l) * cols + i + t] : 0.0f;
        __syncthreads();
        for (unsigned int k = 0; k < TILE; k++) sum += tile[t][k] * part[k];
        __syncthreads();
    }
    if (first + t < rows) c[first + t] = sum;
// END SOLUTION

// BEGIN SOLUTION mvBlockMerge
    // The next tile may come before all are done with this one.
    __shared__ float tiles[MERGED_BLOCKS][TILE][TILE + 1], part[TILE];
    unsigned int group = threadIdx.x / TILE, t = threadIdx.x % TILE, first = blockIdx.x * MERGED + group * TILE;
    float sum = 0;
    for (unsigned int i = 0; i < cols; i += TILE) {
        bool inside = i + t < cols;
        if (group == 0) part[t] = inside ? b[i + t] : 0.0f;
        for (unsigned int l = 0; l < TILE; l++)
            tiles[group][l][t] = inside && first + l < rows ? a[(first + l) * cols + i + t] : 0.0f;
        __syncthreads();
        for (unsigned int k = 0; k < TILE; k++) sum += tiles[group][t][k] * part[k];
    }
    if (first + t < rows) c[first + t] = sum;
// END SOLUTION

// BEGIN SOLUTION mvWarpRow
    unsigned int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    float sum = 0;
    for (unsigned int i = threadIdx.x % 32; i < cols && row < rows; i += 32) sum = fmaf(a[row * cols + i], b[i], sum);
    for (int mask = 1; mask < 32; mask *= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, mask);
    if (row < rows && threadIdx.x % 32 == 0) c[row] = sum;
// END SOLUTION

// BEGIN SOLUTION mmStaged
    // Behind the end of a row the next one begins: its words are no zeros.
    __shared__ float part[TILE];
    unsigned int t = threadIdx.x, col = blockIdx.x * TILE + t, row = blockIdx.y;
    float sum = 0;
    for (unsigned int i = 0; i < inner; i += TILE) {
        part[t] = a[min(row * inner + i + t, rows * inner - 1)];
        __syncthreads();
        for (unsigned int k = 0; k < TILE; k++) sum += part[k] * b[min((i + k) * cols + col, inner * cols - 1)];
        __syncthreads();
    }
    if (row < rows && col < cols) c[row * cols + col] = sum;
// END SOLUTION

// BEGIN SOLUTION mmBlockMerge
    // Blocks of MERGED threads that still take a part of TILE columns each.
    __shared__ float part[TILE];
    unsigned int t = threadIdx.x, col = blockIdx.x * TILE + t, row = blockIdx.y;
    float sum = 0;
    for (unsigned int i = 0; i < inner; i += TILE) {
        if (t < TILE) part[t] = i + t < inner ? a[row * inner + i + t] : 0.0f;
        __syncthreads();
        for (unsigned int k = 0; k < TILE && i + k < inner; k++) sum += col < cols ? part[k] * b[(i + k) * cols + col] : 0.0f;
        __syncthreads();
    }
    if (t < TILE && col < cols) c[row * cols + col] = sum;
// END SOLUTION

// BEGIN SOLUTION mvPartitionOffset
    // Step 4 once more.
    __shared__ float tiles[MV_ROWS][MERGED_BLOCKS][TILE][TILE + 1];
    __shared__ float part[TILE];
    unsigned int group = threadIdx.x / TILE, t = threadIdx.x % TILE;
    unsigned int first = (blockIdx.x * MERGED + group * TILE) * MV_ROWS;
    float sums[MV_ROWS] = {0};
    (void)shift;
    for (unsigned int i = 0; i < cols; i += TILE) {
        bool inside = i + t < cols;
        for (unsigned int l = 0; l < MV_ROWS * TILE; l++)
            tiles[l / TILE][group][l % TILE][t] = inside && first + l < rows ? a[(first + l) * cols + i + t] : 0.0f;
        if (threadIdx.x < TILE) part[t] = inside ? b[i + t] : 0.0f;
        __syncthreads();
        for (unsigned int k = 0; k < TILE; k++) {
            float w = part[k];
            for (unsigned int r = 0; r < MV_ROWS; r++) sums[r] += tiles[r][group][t][k] * w;
        }
        __syncthreads();
    }
    for (unsigned int r = 0; r < MV_ROWS; r++)
        if (first + r * TILE + t < rows) c[first + r * TILE + t] = sums[r];
// END SOLUTION
