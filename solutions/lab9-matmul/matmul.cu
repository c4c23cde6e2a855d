/*
 * Lab 9: matrix product. Multiply two matrices, as fast as the GPU's arithmetic allows.
 *
 * Md has Width rows of Inner words, Nd has Inner rows of Width words, and each word of theirs is
 * used Width times. A kernel that fetches it so often waits for the memory. A kernel that keeps it
 * near computes.
 *
 *     Pd[Row][Col] = sum over k of Md[Row][k] * Nd[k][Col]      Width rows and columns
 *
 * cuBLAS, NVIDIA's library, is timed beside them where the machine has it.
 *
 * To run it: make lab9. By hand:
 *     nvcc -Icommon labs/lab9-matmul/matmul.cu -o matmul && ./matmul --help
 */
#include <cuda_pipeline.h>

#include "common.h"
#include "harness/cublas.h"
#include "harness/lab.h"
#include "harness/product.h"

/* Side of the tiles of steps 1 to 5, in words, as in the textbooks; a block of
 * theirs has a thread for each word. */
constexpr int TILE = 16;
/* Blocks that step 5 merges, side by side, and the width of what they compute together. */
constexpr int MERGED = 4;
constexpr int WIDE = MERGED * TILE;
/* Elements, one below the other, that a thread of steps 6 and 7 computes; the rows of threads in a
 * block; and the height of what it computes. */
constexpr int COLUMN = 16;
constexpr int THREAD_ROWS = 4;
constexpr int TALL = COLUMN * THREAD_ROWS;
constexpr int BLOCK = WIDE * THREAD_ROWS;
/* Words of each tile that one of these threads fetches. */
constexpr int FETCHES = TALL * TILE / BLOCK;

static_assert(WIDE * TILE <= 1024, "a block of step 5 has a thread for each of its elements");
static_assert(BLOCK % TILE == 0 && FETCHES * BLOCK == TALL * TILE && FETCHES * BLOCK == TILE * WIDE,
              "the threads of steps 6 and 7 share both tiles evenly");

/* ---- On the CPU ---- */

/* The first `rows` rows of P = M N, as the textbooks begin; the sums in double precision. */
static void matMulOnHost(const float *M, const float *N, double *P, size_t rows, size_t Width,
                         size_t Inner) {
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < Width; j++) {
            double sum = 0;
            for (size_t k = 0; k < Inner; k++) sum += (double)M[i * Inner + k] * N[k * Width + j];
            P[i * Width + j] = sum;
        }
    }
}

/* The rows that the CPU has time for: 2^26 products, but one at least. */
static size_t hostRowsOf(size_t width, size_t inner) {
    const size_t rows = (1 << 26) / (width * inner + 1);
    return rows < 1 && width > 0 ? 1 : rows < width ? rows : width;
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     thread (Row, Col)    Md   row Row, word after word        Nd   column Col, word after word
 *
 * Question: two words are loaded for each multiplication and addition. How many
 * operations is that for each byte?
 * Metric: gld_transactions
 */
__global__ void MatMulKernel(const float *Md, const float *Nd, float *Pd, int Width, int Inner) {
    int Row = blockIdx.y * TILE + threadIdx.y;
    int Col = blockIdx.x * TILE + threadIdx.x;

    if (Row < Width && Col < Width) {
        float Pvalue = 0;
        for (int k = 0; k < Inner; k++) Pvalue += Md[Row * Inner + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Pvalue;
    }
}

/* ---- Step 2 ----
 *
 *                      +----+
 *                   Nd |tile|  k          for m = 0, 16, 32, ...
 *                      +----+               all threads bring in the two tiles, a word each
 *     +----+----+      +----+               barrier
 *     |tile| -> |      | Pd |               each thread multiplies its row by its column
 *     +----+----+      +----+               barrier: the next tiles may come
 *       Md   k
 *
 * Question: each word in shared memory is used by 16 threads. What becomes of the
 * loads from global memory?
 * Metric: gld_transactions
 */
__global__ void MatMulTiled(const float *Md, const float *Nd, float *Pd, int Width, int Inner) {
    // BEGIN SOLUTION MatMulTiled
    // TODO("Two TILE x TILE tiles in shared memory, a word of each by each thread; keep the loop "
    //      "over k a loop.",
    //      "handouts/lab9.md#matmultiled");
    __shared__ float Mds[TILE][TILE], Nds[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE + ty;
    int Col = blockIdx.x * TILE + tx;

    float Pvalue = 0;
    for (int m = 0; m < Inner; m += TILE) {
        Mds[ty][tx] = Md[Row * Inner + m + tx];
        Nds[ty][tx] = Nd[(m + ty) * Width + Col];
        __syncthreads();
#pragma unroll 1 /* today's compiler would unroll it unasked */
        for (int k = 0; k < TILE; k++) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row * Width + Col] = Pvalue;
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 * Question: one multiplication and addition needs two loads and one instruction. What else did
 * each round of step 2 do?
 * Metric: ipc
 */
__global__ void MatMulUnrolled(const float *Md, const float *Nd, float *Pd, int Width, int Inner) {
    // BEGIN SOLUTION MatMulUnrolled
    // TODO("Do as step 2, with the loop over k unrolled.", "handouts/lab9.md#matmulunrolled");
    __shared__ float Mds[TILE][TILE], Nds[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE + ty;
    int Col = blockIdx.x * TILE + tx;

    float Pvalue = 0;
    for (int m = 0; m < Inner; m += TILE) {
        Mds[ty][tx] = Md[Row * Inner + m + tx];
        Nds[ty][tx] = Nd[(m + ty) * Width + Col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    Pd[Row * Width + Col] = Pvalue;
    // END SOLUTION
}

/* A matrix's word, or 0 outside it, given to you. A factor of 0 changes no sum. */
__device__ inline float wordOf(const float *matrix, int row, int col, int rows, int cols) {
    return row < rows && col < cols ? matrix[row * cols + col] : 0.0f;
}

/* ---- Step 4 ----
 *
 *     Width 40, tiles of 16:    | tile | tile | til~ |     what lies outside counts as 0
 *
 * Question: a thread outside Pd has nothing to compute. Why must it not leave?
 * Metric: gld_transactions
 */
__global__ void MatMulAnyWidth(const float *Md, const float *Nd, float *Pd, int Width, int Inner) {
    // BEGIN SOLUTION MatMulAnyWidth
    // TODO("Do as step 3, with wordOf for the loads and a guard before the store.",
    //      "handouts/lab9.md#matmulanywidth");
    __shared__ float Mds[TILE][TILE], Nds[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE + ty;
    int Col = blockIdx.x * TILE + tx;

    float Pvalue = 0;
    for (int m = 0; m < Inner; m += TILE) {
        Mds[ty][tx] = wordOf(Md, Row, m + tx, Width, Inner);
        Nds[ty][tx] = wordOf(Nd, m + ty, Col, Inner, Width);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    if (Row < Width && Col < Width) Pd[Row * Width + Col] = Pvalue;
    // END SOLUTION
}

/* ---- Step 5 ----
 *
 *     Md  +----+      Nd  +----+----+----+----+         four blocks fetched the same tile of Md:
 *         |tile|          |        tile       |         merged, they fetch it once
 *         +----+          +----+----+----+----+
 *
 * Question: how many words does a block fetch now for 16 x 64 elements? How
 * many did four blocks fetch?
 * Metric: gld_transactions
 */
__global__ void MatMulBlockMerge(const float *Md, const float *Nd, float *Pd, int Width,
                                 int Inner) {
    // BEGIN SOLUTION MatMulBlockMerge
    // TODO("Do as step 4 with blocks WIDE threads wide; only the first TILE threads of a row fetch "
    //      "words of Md.",
    //      "handouts/lab9.md#matmulblockmerge");
    __shared__ float Mds[TILE][TILE], Nds[TILE][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int Row = blockIdx.y * TILE + ty;
    int Col = blockIdx.x * WIDE + tx;

    float Pvalue = 0;
    for (int m = 0; m < Inner; m += TILE) {
        if (tx < TILE) Mds[ty][tx] = wordOf(Md, Row, m + tx, Width, Inner);
        Nds[ty][tx] = wordOf(Nd, m + ty, Col, Inner, Width);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) Pvalue += Mds[ty][k] * Nds[k][tx];
        __syncthreads();
    }
    if (Row < Width && Col < Width) Pd[Row * Width + Col] = Pvalue;
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 *     thread (ty, tx)     Pd rows 16 ty to 16 ty + 15 of the block's part, column tx
 *     for each k          one word of Nd, in a register, times 16 words of Md
 *
 * Question: step 5 reads two words from shared memory for each product. How
 * many does this one read?
 * Metric: ipc
 */
__global__ void MatMulThreadMerge(const float *Md, const float *Nd, float *Pd, int Width,
                                  int Inner) {
    // BEGIN SOLUTION MatMulThreadMerge
    // TODO("Tiles of TALL x TILE and TILE x WIDE words, FETCHES of each a thread; COLUMN sums a "
    //      "thread.",
    //      "handouts/lab9.md#matmulthreadmerge");
    __shared__ float Mds[TALL][TILE], Nds[TILE][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int thread = ty * WIDE + tx;
    int top = blockIdx.y * TALL, Col = blockIdx.x * WIDE + tx;

    float Pvalue[COLUMN] = {};
    for (int m = 0; m < Inner; m += TILE) {
#pragma unroll
        for (int i = 0; i < FETCHES; i++) {
            int row = thread / TILE + i * (BLOCK / TILE), col = thread % TILE;
            Mds[row][col] = wordOf(Md, top + row, m + col, Width, Inner);
            Nds[ty + i * THREAD_ROWS][tx] = wordOf(Nd, m + ty + i * THREAD_ROWS, Col, Inner, Width);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            float n = Nds[k][tx];
#pragma unroll
            for (int i = 0; i < COLUMN; i++) Pvalue[i] += Mds[ty * COLUMN + i][k] * n;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < COLUMN; i++) {
        int Row = top + ty * COLUMN + i;
        if (Row < Width && Col < Width) Pd[Row * Width + Col] = Pvalue[i];
    }
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 *     registers        tiles 1            tiles 2            tiles 3          on their way
 *     shared memory    tiles 0 multiply   tiles 1 multiply   tiles 2 multiply
 *
 * Question: in step 6, what do the threads do between the first load of a round
 * and the barrier after it?
 * Metric: ipc
 */
__global__ void MatMulPrefetch(const float *Md, const float *Nd, float *Pd, int Width, int Inner) {
    // BEGIN SOLUTION MatMulPrefetch
    // TODO("Do as step 6, but fetch the words of the next tiles into registers before multiplying "
    //      "the present ones.",
    //      "handouts/lab9.md#matmulprefetch");
    __shared__ float Mds[TALL][TILE], Nds[TILE][WIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int thread = ty * WIDE + tx;
    /* The first word that this thread fetches of the tile of Md. */
    int row = thread / TILE, col = thread % TILE;
    int top = blockIdx.y * TALL, Col = blockIdx.x * WIDE + tx;

    float nextM[FETCHES], nextN[FETCHES], Pvalue[COLUMN] = {};
#pragma unroll
    for (int i = 0; i < FETCHES; i++) {
        nextM[i] = wordOf(Md, top + row + i * (BLOCK / TILE), col, Width, Inner);
        nextN[i] = wordOf(Nd, ty + i * THREAD_ROWS, Col, Inner, Width);
    }
    for (int m = TILE; m < Inner + TILE; m += TILE) {
#pragma unroll
        for (int i = 0; i < FETCHES; i++) {
            Mds[row + i * (BLOCK / TILE)][col] = nextM[i];
            Nds[ty + i * THREAD_ROWS][tx] = nextN[i];
        }
#pragma unroll
        for (int i = 0; i < FETCHES;
             i++) { /* after the last tiles there is nothing, and nothing is fetched */
            nextM[i] = wordOf(Md, top + row + i * (BLOCK / TILE), m + col, Width, Inner);
            nextN[i] = wordOf(Nd, m + ty + i * THREAD_ROWS, Col, Inner, Width);
        }
        /* Not before these loads: the compiler would move them after the multiplications. */
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            float n = Nds[k][tx];
#pragma unroll
            for (int i = 0; i < COLUMN; i++) Pvalue[i] += Mds[ty * COLUMN + i][k] * n;
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < COLUMN; i++) {
        int Row = top + ty * COLUMN + i;
        if (Row < Width && Col < Width) Pd[Row * Width + Col] = Pvalue[i];
    }
    // END SOLUTION
}

/* ---- Steps 8 and 9: their shapes, and how tiles are fetched, given to you ----
 *
 *     block   128 x 128 elements of Pd      4 warps, 2 below one another and 2 side by side
 *     warp     64 x  64                     32 lanes, 8 below one another and 4 side by side
 *     lane      8 x  16                     in pieces of 4 x 4: neighbouring lanes read neighbours
 *
 *         columns   0..3   4..7   8..11  12..15 | 16..19 ...
 *     rows 0..3    lane 0 lane 1 lane 2 lane 3  | lane 0
 *          4..7    lane 4 lane 5 lane 6 lane 7  | lane 4
 *          8..11   lane 8                         and so on; rows 32..35 begin with lane 0 again
 */
constexpr int LANE_ROWS = 8, LANE_COLS = 4;
constexpr int MY_ROWS = 8, MY_COLS = 16; /* elements of a thread */
constexpr int WARP_ROWS = LANE_ROWS * MY_ROWS, WARP_COLS = LANE_COLS * MY_COLS;
constexpr int BLOCK_ROWS = 128, BLOCK_COLS = 128;
constexpr int WARPS_ACROSS = BLOCK_COLS / WARP_COLS;
constexpr int THREADS = BLOCK_ROWS / WARP_ROWS * WARPS_ACROSS * 32;
constexpr int DEPTH = 16; /* of the tiles: words along k */
constexpr int FOUR = 4;   /* words that one instruction moves */
/* Unused words after a row of the tile of Md, so that a warp's stores into it, 8 words each into
 * four rows that are four apart, meet 16 banks and not 8. */
constexpr int PAD = 4;
/* Threads for a row of each tile, by fours; the rows that all threads fetch
 * at a time; and how often they do. */
constexpr int M_ACROSS = DEPTH / FOUR, N_ACROSS = BLOCK_COLS / FOUR;
constexpr int M_AT_ONCE = THREADS / M_ACROSS, N_AT_ONCE = THREADS / N_ACROSS;
constexpr int M_FETCHES = BLOCK_ROWS / M_AT_ONCE, N_FETCHES = DEPTH / N_AT_ONCE;

static_assert(LANE_ROWS * LANE_COLS == 32, "a warp has 32 lanes");
static_assert(M_FETCHES * M_AT_ONCE == BLOCK_ROWS, "the threads share the tile of Md evenly");
static_assert(N_FETCHES * N_AT_ONCE == DEPTH, "the threads share the tile of Nd evenly");
static_assert((BLOCK_ROWS + PAD) % FOUR == 0,
              "each row of the tile of Md begins where four words may be read at once");

/* Two tiles of each matrix: one to multiply, one to fill. That of Md lies turned, so that its
 * columns can be read by fours. */
struct __align__(16) Tiles {
    float Mds[2][DEPTH][BLOCK_ROWS + PAD], Nds[2][DEPTH][BLOCK_COLS];
};

/* What a thread fetches of a pair of tiles. */
struct Words {
    float4 m[M_FETCHES], n[N_FETCHES];
};

/* The words of both tiles that a thread multiplies for one k. */
struct Factors {
    float m[MY_ROWS], n[MY_COLS];
};

/* The first of this thread's elements, in the block's part. */
__device__ inline int myRow() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return warp / WARPS_ACROSS * WARP_ROWS + lane / LANE_COLS * FOUR;
}

__device__ inline int myCol() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return warp % WARPS_ACROSS * WARP_COLS + lane % LANE_COLS * FOUR;
}

/* Four words from here on, at a multiple of 16 bytes. clang takes the words of an array for aligned
 * to 4, whatever their address is cast to; what a function returns it believes. */
__device__ inline float4 *fours(const float *words) {
    return (float4 *)words;
}

/* Four words of a row; WHOLE: the matrix is a multiple of the block's part,
 * so all of them are inside it. */
template <bool WHOLE>
__device__ inline float4 foursOf(const float *matrix, int row, int col, int rows, int cols) {
    if (WHOLE) return *(const float4 *)(matrix + row * cols + col);
    return make_float4(
        wordOf(matrix, row, col, rows, cols), wordOf(matrix, row, col + 1, rows, cols),
        wordOf(matrix, row, col + 2, rows, cols), wordOf(matrix, row, col + 3, rows, cols));
}

/* This thread's words of the tile of Md at k, of the block whose part of Pd begins at row top. */
template <bool WHOLE>
__device__ inline void fetchM(float4 *words, const float *Md, int top, int k, int Width,
                              int Inner) {
#pragma unroll
    for (int i = 0; i < M_FETCHES; i++) {
        words[i] = foursOf<WHOLE>(Md, top + threadIdx.x / M_ACROSS + i * M_AT_ONCE,
                                  k + threadIdx.x % M_ACROSS * FOUR, Width, Inner);
    }
}

/* Put them into tile 0 or 1. */
__device__ inline void storeM(Tiles *tiles, int which, const float4 *words) {
    const int k = threadIdx.x % M_ACROSS * FOUR;
#pragma unroll
    for (int i = 0; i < M_FETCHES; i++) {
        const int row = threadIdx.x / M_ACROSS + i * M_AT_ONCE;
        tiles->Mds[which][k][row] = words[i].x;
        tiles->Mds[which][k + 1][row] = words[i].y;
        tiles->Mds[which][k + 2][row] = words[i].z;
        tiles->Mds[which][k + 3][row] = words[i].w;
    }
}

/* The same for both matrices; the block's part begins at row top and column left. */
template <bool WHOLE>
__device__ inline Words fetchWords(const float *Md, const float *Nd, int top, int left, int k,
                                   int Width, int Inner) {
    Words words;
    fetchM<WHOLE>(words.m, Md, top, k, Width, Inner);
#pragma unroll
    for (int i = 0; i < N_FETCHES; i++) {
        words.n[i] = foursOf<WHOLE>(Nd, k + threadIdx.x / N_ACROSS + i * N_AT_ONCE,
                                    left + threadIdx.x % N_ACROSS * FOUR, Inner, Width);
    }
    return words;
}

__device__ inline void storeWords(Tiles *tiles, int which, const Words &words) {
    storeM(tiles, which, words.m);
#pragma unroll
    for (int i = 0; i < N_FETCHES; i++) {
        float *row = tiles->Nds[which][threadIdx.x / N_ACROSS + i * N_AT_ONCE];
        *fours(row + threadIdx.x % N_ACROSS * FOUR) = words.n[i];
    }
}

/* This thread's factors in row d of tile 0 or 1. */
__device__ inline void loadFactors(Factors *factors, const Tiles *tiles, int which, int d) {
#pragma unroll
    for (int i = 0; i < MY_ROWS; i += FOUR)
        *fours(factors->m + i) = *fours(&tiles->Mds[which][d][myRow() + i * LANE_ROWS]);
#pragma unroll
    for (int j = 0; j < MY_COLS; j += FOUR)
        *fours(factors->n + j) = *fours(&tiles->Nds[which][d][myCol() + j * LANE_COLS]);
}

/* Store this thread's sums, as many as there are rows and columns for. */
template <bool WHOLE>
__device__ inline void storeSums(float *Pd, int top, int left, const float (*sums)[MY_COLS],
                                 int Width) {
#pragma unroll
    for (int i = 0; i < MY_ROWS; i++) {
        const int Row = top + myRow() + i / FOUR * FOUR * LANE_ROWS + i % FOUR;
#pragma unroll
        for (int j = 0; j < MY_COLS; j += FOUR) {
            const int Col = left + myCol() + j * LANE_COLS;
            const float *four = sums[i] + j;
            if (WHOLE)
                *(float4 *)(Pd + Row * Width + Col) =
                    make_float4(four[0], four[1], four[2], four[3]);
            else
                for (int l = 0; l < FOUR; l++)
                    if (Row < Width && Col + l < Width) Pd[Row * Width + Col + l] = four[l];
        }
    }
}

/* ---- Step 8 ----
 *
 *     for each k    6 loads of four words from shared memory: 8 words of Md, 16 of Nd
 *                   128 multiplications and additions, all from registers
 *
 * Question: 128 sums and more in registers: how many warps fit on a multiprocessor?
 * Why is that enough here?
 * Metric: flop_sp_efficiency
 */
template <bool WHOLE>
__global__ __launch_bounds__(THREADS, 2) void MatMulWarpTiles(const float *Md, const float *Nd,
                                                              float *Pd, int Width, int Inner) {
    // BEGIN SOLUTION MatMulWarpTiles
    // TODO("Fetch tiles 0; then in turn: fetch the next words, multiply the present tiles by "
    //      "fours, store the words.",
    //      "handouts/lab9.md#matmulwarptiles");
    __shared__ Tiles tiles;
    const int top = blockIdx.y * BLOCK_ROWS, left = blockIdx.x * BLOCK_COLS;

    float Pvalue[MY_ROWS][MY_COLS] = {};
    storeWords(&tiles, 0, fetchWords<WHOLE>(Md, Nd, top, left, 0, Width, Inner));
    for (int k = 0, now = 0; k < Inner; k += DEPTH, now ^= 1) {
        const bool more = k + DEPTH < Inner;
        Words words;
        if (more) words = fetchWords<WHOLE>(Md, Nd, top, left, k + DEPTH, Width, Inner);
        /* The only barrier of a round: the present tiles are full, and nobody reads the others any
         * more. It stands here because the compiler would move the loads after the
         * multiplications, but moves none over a barrier. */
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            Factors factors;
            loadFactors(&factors, &tiles, now, d);
#pragma unroll
            for (int i = 0; i < MY_ROWS; i++) {
#pragma unroll
                for (int j = 0; j < MY_COLS; j++) Pvalue[i][j] += factors.m[i] * factors.n[j];
            }
        }
        if (more) storeWords(&tiles, 1 - now, words);
    }
    storeSums<WHOLE>(Pd, top, left, Pvalue, Width);
    // END SOLUTION
}

/* Starts to copy this thread's words of the tile of Nd at k into tile 0 or 1: from global to shared
 * memory, without registers in between. They are there after __pipeline_wait_prior(0). */
__device__ inline void copyN(Tiles *tiles, int which, const float *Nd, int left, int k, int Width) {
#pragma unroll
    for (int i = 0; i < N_FETCHES; i++) {
        const int row = threadIdx.x / N_ACROSS + i * N_AT_ONCE;
        const int col = threadIdx.x % N_ACROSS * FOUR;
        __pipeline_memcpy_async(&tiles->Nds[which][row][col], Nd + (k + row) * Width + left + col,
                                sizeof(float4));
    }
    __pipeline_commit();
}

/* ---- Step 9 ----
 *
 *     d                0                1                  ...   DEPTH - 1
 *     multiply         factors of 0     factors of 1             factors of DEPTH - 1
 *     meanwhile load   factors of 1     factors of 2             wait for the next tiles: their 0
 *     and              fetch the next tiles
 *
 * Question: what did all warps wait for after the barrier of step 8?
 * Metric: flop_sp_efficiency
 */
__global__ __launch_bounds__(THREADS, 2) void MatMulAhead(const float *Md, const float *Nd,
                                                          float *Pd, int Width, int Inner) {
    // BEGIN SOLUTION MatMulAhead
    // TODO("Do as step 8, but copy Nd by copyN, and load the factors of d + 1 before you multiply "
    //      "those of d.",
    //      "handouts/lab9.md#matmulahead");
    __shared__ Tiles tiles;
    const int top = blockIdx.y * BLOCK_ROWS, left = blockIdx.x * BLOCK_COLS;

    float Pvalue[MY_ROWS][MY_COLS] = {};
    float4 words[M_FETCHES];
    Factors factors[2];
    copyN(&tiles, 0, Nd, left, 0, Width);
    fetchM<true>(words, Md, top, 0, Width, Inner);
    storeM(&tiles, 0, words);
    __pipeline_wait_prior(0);
    __syncthreads();
    loadFactors(&factors[0], &tiles, 0, 0);
    const int last = Inner - DEPTH;
    for (int k = 0, now = 0; k <= last; k += DEPTH, now ^= 1) {
        const bool more = k < last;
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            if (d == DEPTH - 1) {
                if (more) storeM(&tiles, 1 - now, words);
                __pipeline_wait_prior(0);
                __syncthreads(); /* the next tiles are full, and nobody reads the present ones */
            }
            /* At the very end these are old factors, which nobody multiplies. */
            loadFactors(&factors[(d + 1) % 2], &tiles, d < DEPTH - 1 ? now : 1 - now,
                        (d + 1) % DEPTH);
            if (d == 0 && more) {
                copyN(&tiles, 1 - now, Nd, left, k + DEPTH, Width);
                fetchM<true>(words, Md, top, k + DEPTH, Width, Inner);
            }
#pragma unroll
            for (int i = 0; i < MY_ROWS; i++) {
#pragma unroll
                for (int j = 0; j < MY_COLS; j++)
                    Pvalue[i][j] += factors[d % 2].m[i] * factors[d % 2].n[j];
            }
        }
    }
    storeSums<true>(Pd, top, left, Pvalue, Width);
    // END SOLUTION
}

/* ---- Running them ---- */

typedef void (*Kernel)(const float *Md, const float *Nd, float *Pd, int Width, int Inner);

struct MatMulStep {
    const char *name, *idea;
    /* `whole`, if not NULL, where its tiles divide both matrices. */
    Kernel kernel, whole;
    int rows, cols; /* of the part of Pd that a block computes */
    dim3 block;
    bool onlyWhole; /* its tiles must divide both matrices */
};

static const MatMulStep STEPS[] = {
    {"MatMulKernel", "a thread for each element", MatMulKernel, NULL, TILE, TILE, dim3(TILE, TILE),
     false},
    {"MatMulTiled", "tiles in shared memory", MatMulTiled, NULL, TILE, TILE, dim3(TILE, TILE),
     true},
    {"MatMulUnrolled", "the inner loop written out", MatMulUnrolled, NULL, TILE, TILE,
     dim3(TILE, TILE), true},
    {"MatMulAnyWidth", "any width", MatMulAnyWidth, NULL, TILE, TILE, dim3(TILE, TILE), false},
    {"MatMulBlockMerge", "four blocks in one", MatMulBlockMerge, NULL, TILE, WIDE, dim3(WIDE, TILE),
     false},
    {"MatMulThreadMerge", "sixteen elements a thread", MatMulThreadMerge, NULL, TALL, WIDE,
     dim3(WIDE, THREAD_ROWS), false},
    {"MatMulPrefetch", "fetch the next tiles early", MatMulPrefetch, NULL, TALL, WIDE,
     dim3(WIDE, THREAD_ROWS), false},
    {"MatMulWarpTiles", "eight times sixteen elements a thread, by fours", MatMulWarpTiles<false>,
     MatMulWarpTiles<true>, BLOCK_ROWS, BLOCK_COLS, dim3(THREADS), false},
    {"MatMulAhead", "every load a step ahead", MatMulAhead, NULL, BLOCK_ROWS, BLOCK_COLS,
     dim3(THREADS), true},
};

/* The part of Pd that a block computes fixes its number of threads. */
static const char *blockRefusal(unsigned int block) {
    return block == TILE * TILE ? NULL
                                : "the tiles say how many threads a block has: leave it at 256";
}

/* Enough blocks of step 8 for 132 multiprocessors, and few enough operations for the simulator. A
 * GPU goes on to GPU_WIDTH. At most 8192: an index fits in 32 bits, and the CPU needs 24 bytes of
 * memory for each element. */
enum { DEFAULT_WIDTH = 1408, DEFAULT_INNER = 128, GPU_WIDTH = 4096, MOST_WIDTH = 8192 };

/* cuBLAS on the same matrices. */
static void runCublas(Lab *lab, const Cublas *cublas, const float *d_M, const float *d_N,
                      float *d_P, float *h_P, const double *want, int width, int inner) {
    const size_t n = (size_t)width * width, factor = (size_t)width * inner;
    labReference(lab, "cublasSgemm");
    labArgument(lab, "%d", width);
    labBytes(lab, (2.0 * factor + n) * sizeof(float));
    labOperations(lab, 2.0 * n * inner);
    while (labRuns(lab)) {
        multiplyByCublas(cublas, d_M, d_N, d_P, width, inner);
        if (!labChecks(lab)) continue;
        CHECK(cudaMemcpy(h_P, d_P, n * sizeof(float), cudaMemcpyDeviceToHost));
        labVerdict(lab, judgeProduct(lab, want, h_P, width, inner));
    }
}

/* All steps for one shape, and cuBLAS on the same matrices. */
static void runShape(Lab *lab, const Cublas *cublas, int width, int inner) {
    const size_t n = (size_t)width * width, bytes = n * sizeof(float);
    const size_t factor = (size_t)width * inner, factorBytes = factor * sizeof(float);
    float *h_M = hostArray<float>(factor), *h_N = hostArray<float>(factor);
    float *h_P = hostArray<float>(n);
    initialData(h_M, factor, lab->seed);
    initialData(h_N, factor, lab->seed + 1);

    const size_t rows = hostRowsOf(width, inner);
    double *hostRows = hostArray<double>(rows * width), *want = hostArray<double>(n);
    const double start = cpuSecond();
    matMulOnHost(h_M, h_N, hostRows, rows, width, inner);
    const double hostMs = (cpuSecond() - start) * 1000;

    float *d_M, *d_N, *d_P;
    labNeeds(lab, 2 * factorBytes + bytes + n * sizeof(double)); /* with makeProduct's */
    CHECK(cudaMalloc(&d_M, factorBytes));
    CHECK(cudaMemcpy(d_M, h_M, factorBytes, cudaMemcpyHostToDevice));
    labInput(lab, d_M, factorBytes); /* restored before every run */
    CHECK(cudaMalloc(&d_N, factorBytes));
    CHECK(cudaMemcpy(d_N, h_N, factorBytes, cudaMemcpyHostToDevice));
    labInput(lab, d_N, factorBytes);
    CHECK(cudaMalloc(&d_P, bytes));
    labOutput(lab, d_P, bytes); /* poisoned before every run */
    makeProduct(want, h_M, h_N, d_M, d_N, hostRows, rows, width, inner, lab->seed + 2);
    labGroup(lab, "%d x %d times %d x %d; matMulOnHost takes %.0f ms for %zu of the rows", width,
             inner, inner, width, hostMs, rows);

    for (size_t i = 0; i < COUNT(STEPS); i++) {
        const MatMulStep *step = &STEPS[i];
        const bool whole = width % step->rows == 0 && width % step->cols == 0 && inner % TILE == 0;
        const Kernel kernel = whole && step->whole != NULL ? step->whole : step->kernel;
        const dim3 grid(blocksFor(width, step->cols), blocksFor(width, step->rows));
        labStep(lab, step->name, grid, step->block);
        labArgument(lab, "%d", width);
        labBytes(lab,
                 2.0 * factorBytes + bytes); /* the factors read once, the product written once */
        labOperations(lab, 2.0 * n * inner); /* to multiply and to add */
        if (step->onlyWhole && !whole) labSkip(lab, "whole tiles only: step 4 takes any width");
        while (labRuns(lab)) {
            kernel<<<grid, step->block>>>(d_M, d_N, d_P, width, inner);
            if (!labChecks(lab)) continue;
            CHECK(cudaMemcpy(h_P, d_P, bytes, cudaMemcpyDeviceToHost));
            labVerdict(lab, judgeProduct(lab, want, h_P, width, inner));
        }
    }
    const double lastMs = labTime(lab);
    if (cublas->handle != NULL && width > 0) {
        runCublas(lab, cublas, d_M, d_N, d_P, h_P, want, width, inner);
        if (labTime(lab) > 0 && lastMs > 0)
            labNote(lab, "   the last step reaches %.1f %% of cuBLAS's speed",
                    100 * labTime(lab) / lastMs);
    }
    labDropArrays(lab);
    cudaFree(d_M);
    cudaFree(d_N);
    cudaFree(d_P);
    free(h_M);
    free(h_N);
    free(h_P);
    free(hostRows);
    free(want);
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(9, "matmul", __FILE__,
                           "rows and columns of the first matrix; a GPU also takes 4096");
    info.defaultRows = DEFAULT_WIDTH;
    info.defaultSize = DEFAULT_INNER;
    info.isMatrix = true;
    info.maxSize = MOST_WIDTH;
    info.defaultBlock = TILE * TILE;
    info.blockRefusal = blockRefusal;
    info.countsOperations = true;
    Lab lab = labOpen(argc, argv, info, STEPS);
    if (lab.rows > MOST_WIDTH)
        refuse(info.name, "--rows %zu: too large; the limit is %d", lab.rows, MOST_WIDTH);
    Cublas cublas = openCublas(lab.modelled);
    labHeader(&lab, "product of two matrices of floats");
    runShape(&lab, &cublas, (int)lab.rows, (int)lab.cols);
    if (!lab.sizeGiven && !lab.modelled) runShape(&lab, &cublas, GPU_WIDTH, GPU_WIDTH);
    if (cublas.handle == NULL) labNote(&lab, "(without cuBLAS beside them: %s)", cublas.absence);
    closeCublas(&cublas);
    return labClose(&lab);
}
