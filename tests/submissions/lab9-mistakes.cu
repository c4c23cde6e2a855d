// Lab 9: MatMulTiled is right in another way; the others have one mistake each.
// clang-format off
// BEGIN SOLUTION MatMulTiled
    __shared__ float left[TILE * TILE], right[TILE * TILE];
    const int place = threadIdx.y * TILE + threadIdx.x;
    const float *M = Md + (blockIdx.y * TILE + threadIdx.y) * Inner + threadIdx.x;
    const float *N = Nd + threadIdx.y * Width + blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int round = 0; round < Inner / TILE; round++, M += TILE, N += TILE * Width) {
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
    for (int m = 0; m < Inner; m += TILE) {
        Mds[ty][tx] = Md[Row * Inner + m + tx];
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
    for (int m = 0; m < Inner; m += TILE) {
        Mds[ty][tx] = wordOf(Md, Row, m + tx, Width, Inner);
        Nds[ty][tx] = wordOf(Nd, m + ty, Col, Inner, Width);
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
    for (int m = 0; m < Inner; m += TILE) {
        if (tx < TILE) Mds[ty][tx] = wordOf(Md, Row, m + tx, Width, Inner);
        Nds[ty][tx] = wordOf(Nd, m + ty, Col, Inner, Width);
        __syncthreads();
        for (int k = 0; k < TILE; k++) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row * Width + Col] = Pvalue;
// END SOLUTION

// BEGIN SOLUTION MatMulAhead
    // The block waits for each copy as soon as it has begun.
    __shared__ Tiles tiles;
    const int top = blockIdx.y * BLOCK_ROWS, left = blockIdx.x * BLOCK_COLS;
    float Pvalue[MY_ROWS][MY_COLS] = {};
    float4 words[M_FETCHES];
    copyN(&tiles, 0, Nd, left, 0, Width);
    fetchM<true>(words, Md, top, 0, Width, Inner);
    storeM(&tiles, 0, words);
    for (int k = 0, now = 0; k < Inner; k += DEPTH, now ^= 1) {
        const bool more = k + DEPTH < Inner;
        __pipeline_wait_prior(0);
        __syncthreads();
        if (more) {
            copyN(&tiles, 1 - now, Nd, left, k + DEPTH, Width);
            __pipeline_wait_prior(0);
            fetchM<true>(words, Md, top, k + DEPTH, Width, Inner);
        }
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            Factors factors;
            loadFactors(&factors, &tiles, now, d);
#pragma unroll
            for (int i = 0; i < MY_ROWS; i++) {
#pragma unroll
                for (int j = 0; j < MY_COLS; j++)
                    Pvalue[i][j] += factors.m[i] * factors.n[j];
            }
        }
        if (more) storeM(&tiles, 1 - now, words);
    }
    storeSums<true>(Pd, top, left, Pvalue, Width);
// END SOLUTION
