// Lab 9: MatMulTiled is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION MatMulTiled
    __shared__ float left[TILE * TILE], right[TILE * TILE];
    const int place = threadIdx.y * TILE + threadIdx.x;
    const float *M = Md + (blockIdx.y * TILE + threadIdx.y) * Width + threadIdx.x;
    const float *N = Nd + threadIdx.y * Width + blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int round = 0; round < Width / TILE; round++, M += TILE, N += TILE * Width) {
        __syncthreads();
        left[place] = *M;
        right[place] = *N;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum = fmaf(left[threadIdx.y * TILE + k], right[k * TILE + threadIdx.x], sum);
    }
    Pd[(blockIdx.y * TILE + threadIdx.y) * Width + blockIdx.x * TILE + threadIdx.x] = sum;
// END SOLUTION

// BEGIN SOLUTION MatMulUnrolled
    // The tiles may be overwritten before all have read them: a race that costs no right result here.
    __shared__ float Mds[TILE][TILE], Nds[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, Row = blockIdx.y * TILE + ty, Col = blockIdx.x * TILE + tx;
    float Pvalue = 0;
    for (int m = 0; m < Width; m += TILE) {
        Mds[ty][tx] = Md[Row * Width + m + tx];
        Nds[ty][tx] = Nd[(m + ty) * Width + Col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) Pvalue += Mds[ty][k] * Nds[k][tx];
    }
    Pd[Row * Width + Col] = Pvalue;
// END SOLUTION

// BEGIN SOLUTION MatMulAnyWidth
    // Threads outside leave before the barriers, and take the words with them that others need.
    __shared__ float Mds[TILE][TILE], Nds[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, Row = blockIdx.y * TILE + ty, Col = blockIdx.x * TILE + tx;
    if (Row >= Width || Col >= Width) return;
    float Pvalue = 0;
    for (int m = 0; m < Width; m += TILE) {
        Mds[ty][tx] = wordOf(Md, Row, m + tx, Width);
        Nds[ty][tx] = wordOf(Nd, m + ty, Col, Width);
        __syncthreads();
        for (int k = 0; k < TILE; k++) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row * Width + Col] = Pvalue;
// END SOLUTION

// BEGIN SOLUTION MatMulBlockMerge
    // Whatever is computed is stored, outside of the matrix, too.
    __shared__ float Mds[TILE][TILE], Nds[TILE][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y, Row = blockIdx.y * TILE + ty, Col = blockIdx.x * WIDE + tx;
    float Pvalue = 0;
    for (int m = 0; m < Width; m += TILE) {
        if (tx < TILE) Mds[ty][tx] = wordOf(Md, Row, m + tx, Width);
        Nds[ty][tx] = wordOf(Nd, m + ty, Col, Width);
        __syncthreads();
        for (int k = 0; k < TILE; k++) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row * Width + Col] = Pvalue;
// END SOLUTION
