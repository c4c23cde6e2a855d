// The given step in each step, for the part of the result that a block has.
// clang-format off
// BEGIN SOLUTION MatMulTiled(TILE,TILE) MatMulUnrolled(TILE,TILE) MatMulAnyWidth(TILE,TILE) MatMulBlockMerge(TILE,WIDE) MatMulThreadMerge(TALL,WIDE) MatMulPrefetch(TALL,WIDE) MatMulWarpTiles(BLOCK_ROWS,BLOCK_COLS) MatMulAhead(BLOCK_ROWS,BLOCK_COLS)
    const unsigned int tid = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    for (unsigned int i = tid; i < $1 * $2; i += threads) {
        int Row = blockIdx.y * $1 + i / $2, Col = blockIdx.x * $2 + i % $2;
        if (Row >= Width || Col >= Width) continue;
        float Pvalue = 0;
        for (int k = 0; k < Inner; k++) Pvalue += Md[Row * Inner + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
// END SOLUTION
