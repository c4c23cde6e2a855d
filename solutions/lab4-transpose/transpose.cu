/*
 * Lab 4: transpose. Turn the rows of a matrix into columns, as fast as a plain copy of it.
 *
 * No kernel computes anything: a word is read at one place and written at another. All that differs
 * is which thread touches which word when. Steps 1 and 2 only copy: as fast and as slow as it gets.
 *
 * A matrix lies row after row. Element (y, x), row y and column x, of `in` belongs at (x, y) of
 * `out`:
 *
 *     in    rows x cols:   in[y * cols + x]
 *     out   cols x rows:   out[x * rows + y]
 *
 * Steps 1 to 4 take blocks of --block threads, each row of a block a warp. The others take blocks
 * that suit their tile.
 *
 * To run it: make lab4. By hand:
 *     nvcc -Icommon labs/lab4-transpose/transpose.cu -o transpose && ./transpose --help
 */
#include "common.h"
#include "harness/lab.h"

/* Side of the square tile that a block turns, in words. */
constexpr unsigned int TILE = 32;
/* Words that a thread of steps 7 to 9 moves, and the rows of threads
 * that its block has for that. */
constexpr unsigned int WORDS = 4;
constexpr unsigned int TILE_ROWS = TILE / WORDS;

/* Step 10: words that one instruction moves, and the side of its tile, in
 * fours and in words. */
constexpr unsigned int FOUR = 4, FOURS = 16, SIDE = FOUR * FOURS;

static_assert(TILE == 32,
              "a row of the tile is read by one warp, and a column has a word in each of 32 banks");
static_assert(TILE * TILE <= 1024,
              "steps 5 and 6 have a thread for each word of the tile, and a block at most 1024");
static_assert(TILE % WORDS == 0, "the threads of steps 7 to 9 share the rows of the tile evenly");

/* ---- On the CPU ---- */

/* out, cols x rows, becomes in, rows x cols, turned. In pieces of TILE by TILE, because a CPU's
 * cache suffers from walking down columns as a GPU does. */
static void transposeOnHost(float *out, const float *in, size_t rows, size_t cols) {
    for (size_t top = 0; top < rows; top += TILE) {
        for (size_t left = 0; left < cols; left += TILE) {
            for (size_t y = top; y < top + TILE && y < rows; y++) {
                for (size_t x = left; x < left + TILE && x < cols; x++)
                    out[x * rows + y] = in[y * cols + x];
            }
        }
    }
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     thread   0 1 2 3 ...       reads 0 1 2 3 ... of a row, and writes there
 *
 * Question: the 32 words of a warp lie side by side. In how many sectors of 32 bytes? How
 * many would be the fewest?
 * Metric: gst_efficiency
 */
__global__ void copyRow(float *out, const float *in, unsigned int rows, unsigned int cols) {
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < cols && y < rows) out[y * cols + x] = in[y * cols + x];
}

/* ---- Step 2 ----
 *
 *     thread   0     reads a word of row 0, and writes there
 *              1                     row 1
 *              2                     row 2
 *
 * Question: the words of a warp lie a whole row apart. How many bytes move for each that is wanted?
 * Metric: gst_efficiency
 */
__global__ void copyCol(float *out, const float *in, unsigned int rows, unsigned int cols) {
    /* Neighbouring threads take neighbouring rows. */
    unsigned int y = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int x = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < cols && y < rows) out[y * cols + x] = in[y * cols + x];
}

/* ---- Step 3 ----
 *
 *     in  row y      0 1 2 3 ...         read by threads 0 1 2 3 ...
 *     out column y   0                   written by them
 *                    1
 *                    2
 *
 * Question: the reads are those of copyRow, the writes those of copyCol. Which of the
 * two is the time nearer to?
 * Metric: gst_efficiency
 */
__global__ void naiveRow(float *out, const float *in, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION naiveRow
    // TODO("Read as copyRow does; write the word at row x, column y of out, whose rows are `rows` "
    //      "words long.",
    //      "handouts/lab4.md#naiverow");
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 *     in  column x   0                   read by threads 0 1 2 ...
 *                    1
 *                    2
 *     out row x      0 1 2 3 ...         written by them
 *
 * Question: now the reads are scattered, and the writes are not. What may the caches do for one
 * that they cannot do for the other?
 * Metric: gld_efficiency
 */
__global__ void naiveCol(float *out, const float *in, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION naiveCol
    // TODO("Choose x and y as copyCol does; then read and write as naiveRow does.",
    //      "handouts/lab4.md#naivecol");
    unsigned int y = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int x = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];
    // END SOLUTION
}

/* ---- Step 5 ----
 *
 *     in     a row of the tile       ->  a row of shared memory          by one warp
 *     out    a row of the new tile   <-  a column of shared memory       by one warp
 *
 * Question: a row of the tile is 32 words, and there are 32 banks. In which banks are
 * the words of one column?
 * Metric: shared_load_transactions_per_request
 */
__global__ void smem(float *out, const float *in, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION smem
    // TODO("Copy a tile into shared memory along its rows; after a barrier, write its columns as "
    //      "rows of out.",
    //      "handouts/lab4.md#smem");
    __shared__ float tile[TILE][TILE];
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    unsigned int y = blockIdx.y * TILE + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    /* All threads, also those outside the matrix: others read what this one has stored. */
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x; /* now a column of out: the tile lies mirrored there */
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 *     bank          0    1    2  ...  31
 *     tile row 0    0,0  0,1  0,2     0,31
 *              1    pad  1,0  1,1     1,30          the words of a column have moved apart,
 *              2    1,31 pad  2,0     2,29          one bank a row
 *
 * Question: how much more shared memory does a block take? Which accesses conflict
 * now: rows, columns, none?
 * Metric: shared_load_transactions_per_request
 */
__global__ void smemPad(float *out, const float *in, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION smemPad
    // TODO("Do as step 5, with a tile whose rows are one word longer than needed.",
    //      "handouts/lab4.md#smempad");
    __shared__ float tile[TILE][TILE + 1];
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    unsigned int y = blockIdx.y * TILE + threadIdx.y;
    if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 *     thread row 0    takes tile rows 0  8  16  24
 *                1                    1  9  17  25
 *                7                    7 15  23  31
 *
 * Question: a block has 256 threads now in place of 1024. How many blocks fit on a multiprocessor,
 * and who waits for a barrier of how many?
 * Metric: dram_read_throughput
 */
__global__ void smemUnroll(float *out, const float *in, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION smemUnroll
    // TODO("Do as step 5 with TILE_ROWS rows of threads: each takes every TILE_ROWS-th row of the "
    //      "tile.",
    //      "handouts/lab4.md#smemunroll");
    __shared__ float tile[TILE][TILE];
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    unsigned int y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned int row = 0; row < TILE; row += TILE_ROWS)
        if (x < cols && y + row < rows)
            tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * cols + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned int row = 0; row < TILE; row += TILE_ROWS)
        if (x < rows && y + row < cols)
            out[(y + row) * rows + x] = tile[threadIdx.x][threadIdx.y + row];
    // END SOLUTION
}

/* ---- Step 8 ----
 *
 * Question: which of the two changes brings more, the padding or the four words a thread? Why does
 * it matter which one comes first?
 * Metric: shared_load_transactions_per_request
 */
__global__ void smemUnrollPad(float *out, const float *in, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION smemUnrollPad
    // TODO("Do as step 7, with the tile of step 6.", "handouts/lab4.md#smemunrollpad");
    __shared__ float tile[TILE][TILE + 1];
    unsigned int x = blockIdx.x * TILE + threadIdx.x;
    unsigned int y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned int row = 0; row < TILE; row += TILE_ROWS)
        if (x < cols && y + row < rows)
            tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * cols + x];
    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned int row = 0; row < TILE; row += TILE_ROWS)
        if (x < rows && y + row < cols)
            out[(y + row) * rows + x] = tile[threadIdx.x][threadIdx.y + row];
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 *     tiles in the order of their blocks          and here, for 4 by 4 tiles
 *          0  1  2  3                                  0  4  8 12
 *          4  5  6  7                                 13  1  5  9
 *          8  9 10 11                                 10 14  2  6
 *         12 13 14 15                                  7 11 15  3
 *
 * Question: blocks that start together wrote one column of tiles of out. Where do they
 * write here? Does it matter?
 * Metric: dram_write_throughput
 */
__global__ void diagonal(float *out, const float *in, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION diagonal
    // TODO("Do as step 8, but let the block number, counted row by row, walk through the tiles "
    //      "along diagonals.",
    //      "handouts/lab4.md#diagonal");
    __shared__ float tile[TILE][TILE + 1];
    unsigned int number = blockIdx.y * gridDim.x + blockIdx.x;
    unsigned int tileY = number % gridDim.y;
    unsigned int tileX = (number / gridDim.y + tileY) % gridDim.x;

    unsigned int x = tileX * TILE + threadIdx.x;
    unsigned int y = tileY * TILE + threadIdx.y;
#pragma unroll
    for (unsigned int row = 0; row < TILE; row += TILE_ROWS) {
        if (x < cols && y + row < rows)
            tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * cols + x];
    }
    __syncthreads();

    x = tileY * TILE + threadIdx.x;
    y = tileX * TILE + threadIdx.y;
#pragma unroll
    for (unsigned int row = 0; row < TILE; row += TILE_ROWS) {
        if (x < rows && y + row < cols)
            out[(y + row) * rows + x] = tile[threadIdx.x][threadIdx.y + row];
    }
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 *     a thread        reads 4 rows of float4      and writes 4 rows of float4
 *                     a0 a1 a2 a3                 a0 b0 c0 d0
 *                     b0 b1 b2 b3                 a1 b1 c1 d1
 *                     c0 c1 c2 c3                 a2 b2 c2 d2
 *                     d0 d1 d2 d3                 a3 b3 c3 d3    to where the patch lies in out
 *
 * The block turns 64 x 64 words, as 16 x 16 such patches. x of the grid counts tiles down the
 * input: blocks that start together write one stretch of each row of out. Both sides of the matrix
 * are multiples of four, so a float4 is inside or outside as a whole.
 *
 * Question: a patch could be written straight from the registers. What do lanes that are
 * neighbours write then? What does the detour through shared memory give?
 * Metric: dram_write_throughput
 */
__global__ void patches(float *out, const float *in, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION patches
    // TODO("Read a patch of four float4, turn it in registers, exchange patches through a padded "
    //      "tile, write four float4.",
    //      "handouts/lab4.md#patches");
    __shared__ float4 tile[FOUR][FOURS][FOURS + 1]; /* row k of the turned patch of (x, y) */
    const unsigned int top = blockIdx.x * SIDE, left = blockIdx.y * SIDE;
    unsigned int x = left + threadIdx.x * FOUR;
    unsigned int y = top + threadIdx.y * FOUR;
    if (x < cols && y < rows) {
        float4 row[FOUR];
#pragma unroll
        for (unsigned int k = 0; k < FOUR; k++) row[k] = *(const float4 *)(in + (y + k) * cols + x);
        tile[0][threadIdx.x][threadIdx.y] = make_float4(row[0].x, row[1].x, row[2].x, row[3].x);
        tile[1][threadIdx.x][threadIdx.y] = make_float4(row[0].y, row[1].y, row[2].y, row[3].y);
        tile[2][threadIdx.x][threadIdx.y] = make_float4(row[0].z, row[1].z, row[2].z, row[3].z);
        tile[3][threadIdx.x][threadIdx.y] = make_float4(row[0].w, row[1].w, row[2].w, row[3].w);
    }
    __syncthreads();

    x = top + threadIdx.x * FOUR;
    y = left + threadIdx.y * FOUR;
    if (x < rows && y < cols) {
#pragma unroll
        for (unsigned int k = 0; k < FOUR; k++)
            *(float4 *)(out + (y + k) * rows + x) = tile[k][threadIdx.y][threadIdx.x];
    }
    // END SOLUTION
}

/* ---- Running them ---- */

typedef void (*Kernel)(float *out, const float *in, unsigned int rows, unsigned int cols);

struct TransposeStep {
    const char *name, *idea;
    Kernel kernel;
    bool transposes;   /* or only copies */
    bool downColumns;  /* x of the grid goes down the columns of the input */
    unsigned int side; /* of the tile; 0: none, a word a thread in blocks of --block threads */
    dim3 block;        /* of a tile */
};

static const TransposeStep STEPS[] = {
    {"copyRow", "the upper bound: a copy along the rows", copyRow, false, false, 0, 0},
    {"copyCol", "the lower bound: a copy down the columns", copyCol, false, true, 0, 0},
    {"naiveRow", "read along the rows, write down the columns", naiveRow, true, false, 0, 0},
    {"naiveCol", "read down the columns, write along the rows", naiveCol, true, true, 0, 0},
    {"smem", "turn a tile in shared memory", smem, true, false, TILE, dim3(TILE, TILE)},
    {"smemPad", "a padded tile, without bank conflicts", smemPad, true, false, TILE,
     dim3(TILE, TILE)},
    {"smemUnroll", "four words a thread", smemUnroll, true, false, TILE, dim3(TILE, TILE_ROWS)},
    {"smemUnrollPad", "four words a thread and a padded tile", smemUnrollPad, true, false, TILE,
     dim3(TILE, TILE_ROWS)},
    {"diagonal", "the same, blocks along diagonals", diagonal, true, false, TILE,
     dim3(TILE, TILE_ROWS)},
    {"patches", "four times four words a thread", patches, true, true, SIDE, dim3(FOURS, FOURS)},
};

/* In steps 1 to 4 a row of the block is a warp, so that what the lab says of a warp is so. */
static const char *blockRefusal(unsigned int block) {
    return block % 32 == 0 ? NULL
                           : "a row of a block is one warp: give a multiple of 32 up to 1024";
}

/* The fewest blocks that cover the matrix, each `wide` words along x and `high` along y. */
static dim3 gridFor(const TransposeStep *step, size_t rows, size_t cols, unsigned int wide,
                    unsigned int high) {
    return step->downColumns ? dim3(blocksFor(rows, wide), blocksFor(cols, high))
                             : dim3(blocksFor(cols, wide), blocksFor(rows, high));
}

int main(int argc, char **argv) {
    LabInfo info =
        labInfo(4, "transpose", __FILE__, "rows and columns of a square matrix of floats");
    info.defaultSize = 1 << 12; /* 64 MiB in and as much out, more than the caches of GPUs hold */
    /* 2^28 elements: an index fits in 32 bits with room for a tile beyond the end. */
    info.maxSize = 1 << 14;
    info.defaultBlock = 256;
    info.blockRefusal = blockRefusal;
    info.isMatrix = true;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const size_t rows = lab.rows, cols = lab.cols, n = rows * cols, bytes = n * sizeof(float);

    float *h_in = hostArray<float>(n), *h_out = hostArray<float>(n), *turned = hostArray<float>(n);
    initialData(h_in, n, lab.seed);
    const double start = cpuSecond();
    transposeOnHost(turned, h_in, rows, cols);
    const double cpuMs = (cpuSecond() - start) * 1000;

    float *d_in, *d_out;
    labNeeds(&lab, 2 * bytes);
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, d_in, bytes); /* restored before every run */
    CHECK(cudaMalloc(&d_out, bytes));
    labOutput(&lab, d_out, bytes); /* poisoned before every run */
    labHeader(&lab, "transpose of %zu x %zu floats; the CPU takes %.3f ms", rows, cols, cpuMs);

    for (size_t i = 0; i < COUNT(STEPS); i++) {
        const unsigned int side = STEPS[i].side;
        const dim3 block = side > 0 ? STEPS[i].block : dim3(32, lab.block / 32);
        const dim3 grid =
            gridFor(&STEPS[i], rows, cols, side > 0 ? side : 32, side > 0 ? side : block.y);
        labStep(&lab, STEPS[i].name, grid, block);
        labBytes(&lab, 2.0 * bytes); /* each word is read once and written once */
        if (STEPS[i].kernel == patches && (rows % FOUR != 0 || cols % FOUR != 0))
            labSkip(&lab, "for rows and columns that are multiples of four");
        while (labRuns(&lab)) {
            STEPS[i].kernel<<<grid, block>>>(d_out, d_in, (unsigned int)rows, (unsigned int)cols);
            if (!labChecks(&lab)) continue;
            CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
            Verdict verdict = judgeResults(STEPS[i].transposes ? turned : h_in, h_out, n);
            verdict.columns = STEPS[i].transposes ? rows : cols;
            labVerdict(&lab, verdict);
        }
    }
    labReference(&lab, "cudaMemcpy");
    labBytes(&lab, 2.0 * bytes);
    while (labRuns(&lab)) {
        CHECK(cudaMemcpyAsync(d_out, d_in, bytes, cudaMemcpyDeviceToDevice));
        if (!labChecks(&lab)) continue;
        CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
        labVerdict(&lab, judgeResults(h_in, h_out, n));
    }
    cudaFree(d_in);
    cudaFree(d_out);
    free(h_in);
    free(h_out);
    free(turned);
    return labClose(&lab);
}
