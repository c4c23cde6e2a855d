// The given step in each step, for the part of the result that a block has.
// clang-format off
// BEGIN SOLUTION MatMulTiled
    const unsigned int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned int i = tid; i < TILE * TILE; i += threads) {
        int Row = blockIdx.y * TILE + i / TILE, Col = blockIdx.x * TILE + i % TILE;
        if (Row >= Width || Col >= Width) continue;
        float Pvalue = 0;
        for (int k = 0; k < Width; k++) Pvalue += Md[Row * Width + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
// END SOLUTION

// BEGIN SOLUTION MatMulUnrolled
    const unsigned int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned int i = tid; i < TILE * TILE; i += threads) {
        int Row = blockIdx.y * TILE + i / TILE, Col = blockIdx.x * TILE + i % TILE;
        if (Row >= Width || Col >= Width) continue;
        float Pvalue = 0;
        for (int k = 0; k < Width; k++) Pvalue += Md[Row * Width + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
// END SOLUTION

// BEGIN SOLUTION MatMulAnyWidth
    const unsigned int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned int i = tid; i < TILE * TILE; i += threads) {
        int Row = blockIdx.y * TILE + i / TILE, Col = blockIdx.x * TILE + i % TILE;
        if (Row >= Width || Col >= Width) continue;
        float Pvalue = 0;
        for (int k = 0; k < Width; k++) Pvalue += Md[Row * Width + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
// END SOLUTION

// BEGIN SOLUTION MatMulBlockMerge
    const unsigned int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned int i = tid; i < TILE * WIDE; i += threads) {
        int Row = blockIdx.y * TILE + i / WIDE, Col = blockIdx.x * WIDE + i % WIDE;
        if (Row >= Width || Col >= Width) continue;
        float Pvalue = 0;
        for (int k = 0; k < Width; k++) Pvalue += Md[Row * Width + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
// END SOLUTION

// BEGIN SOLUTION MatMulThreadMerge
    const unsigned int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned int i = tid; i < TALL * WIDE; i += threads) {
        int Row = blockIdx.y * TALL + i / WIDE, Col = blockIdx.x * WIDE + i % WIDE;
        if (Row >= Width || Col >= Width) continue;
        float Pvalue = 0;
        for (int k = 0; k < Width; k++) Pvalue += Md[Row * Width + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
// END SOLUTION

// BEGIN SOLUTION MatMulPrefetch
    const unsigned int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned int i = tid; i < TALL * WIDE; i += threads) {
        int Row = blockIdx.y * TALL + i / WIDE, Col = blockIdx.x * WIDE + i % WIDE;
        if (Row >= Width || Col >= Width) continue;
        float Pvalue = 0;
        for (int k = 0; k < Width; k++) Pvalue += Md[Row * Width + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
// END SOLUTION

// BEGIN SOLUTION MatMulWarpTiles
    const unsigned int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned int i = tid; i < BLOCK_ROWS * BLOCK_COLS; i += threads) {
        int Row = blockIdx.y * BLOCK_ROWS + i / BLOCK_COLS, Col = blockIdx.x * BLOCK_COLS + i % BLOCK_COLS;
        if (Row >= Width || Col >= Width) continue;
        float Pvalue = 0;
        for (int k = 0; k < Width; k++) Pvalue += Md[Row * Width + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
// END SOLUTION
