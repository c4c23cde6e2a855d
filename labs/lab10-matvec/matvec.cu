/*
 * Lab 10: matrix and vector. What an optimising compiler for GPUs did in 2010, done by hand, one
 * transformation a step.
 *
 *     steps 1 to 6    c = A b    A: rows x cols, row after row
 *     steps 7 to 10   C = A B    the first rows and columns of A, and a matrix B
 *
 * The paper is Y. Yang, P. Xiang, J. Kong, H. Zhou, "A GPGPU Compiler for Memory Optimization and
 * Parallelism Management", PLDI 2010. Its GPU looked at 16 threads at a time, half a warp; that is
 * where the 16 comes from.
 *
 * To run it: make lab10. By hand:
 *     nvcc -O3 -Icommon labs/lab10-matvec/matvec.cu -o matvec && ./matvec --help
 */
#include "common.h"
#include "harness/lab.h"
#include "harness/sums.h"

/* Half a warp, and the side of a tile. A row of a tile is 64 bytes: two sectors. */
constexpr unsigned int TILE = 16;
/* Blocks of TILE threads that are merged into one, and the threads that makes. */
constexpr unsigned int MERGED_BLOCKS = 8;
constexpr unsigned int MERGED = MERGED_BLOCKS * TILE;
/* Rows of a merged thread: in steps 4 and 5, and in step 10. */
constexpr unsigned int MV_ROWS = 2, MM_ROWS = 16;
/* Words of step 10's tile of A that a thread brings. */
constexpr unsigned int SHARES = MM_ROWS * TILE / MERGED;
constexpr unsigned int WARP = 32;

static_assert(MERGED % WARP == 0, "merged blocks are whole warps");
static_assert(SHARES * MERGED == MM_ROWS * TILE,
              "the threads of a block share step 10's tile of A evenly");

/* ---- On the CPU ---- */

/* sum = A b in double precision, and what the magnitudes of each row's products add up to. */
static void mvOnHost(const float *a, const float *b, double *sum, double *magnitude, size_t rows,
                     size_t cols) {
    for (size_t row = 0; row < rows; row++) {
        double s = 0, m = 0;
        for (size_t i = 0; i < cols; i++) {
            const double product = (double)a[row * cols + i] * b[i];
            s += product;
            m += std::fabs(product);
        }
        sum[row] = s;
        magnitude[row] = m;
    }
}

/* The same for A B: A is rows x inner, B inner x cols. Along the rows of B, as a
 * CPU's cache wants it (lab 11). */
static void mmOnHost(const float *a, const float *b, double *sum, double *magnitude, size_t rows,
                     size_t inner, size_t cols) {
    for (size_t row = 0; row < rows; row++) {
        for (size_t col = 0; col < cols; col++)
            sum[row * cols + col] = magnitude[row * cols + col] = 0;
        for (size_t i = 0; i < inner; i++) {
            for (size_t col = 0; col < cols; col++) {
                const double product = (double)a[row * inner + i] * b[i * cols + col];
                sum[row * cols + col] += product;
                magnitude[row * cols + col] += std::fabs(product);
            }
        }
    }
}

/* The matrix product takes no more rows and columns of A than this: it does
 * so much more than the other. */
constexpr size_t MOST_MM = 512;

/* One problem: the operands, and the result, exact, with the magnitudes that
 * its rounding is measured by. */
struct Problem {
    size_t rows, inner, cols; /* A is rows x inner, the result rows x cols; cols is 1 for mv */
    size_t results;           /* elements of the result */
    float *a, *b;
    double *want, *magnitude;
    float *got;
    float *d_a, *d_b, *d_c; /* on the device */
};

/* From -1 to 1, so that sums do not only grow. */
static float *randomMatrix(size_t n, uint64_t *state) {
    float *matrix = hostArray<float>(n);
    for (size_t i = 0; i < n; i++)
        matrix[i] = (float)(nextRandom(state) >> 40) / (float)(1 << 23) - 1.0f;
    return matrix;
}

/* A random problem of this shape, and what its result must be. */
static Problem makeProblem(size_t rows, size_t inner, size_t cols, uint64_t seed) {
    Problem p = {};
    p.rows = rows;
    p.inner = inner;
    p.cols = cols;
    p.results = rows * cols;
    p.a = randomMatrix(rows * inner, &seed);
    p.b = randomMatrix(inner * cols, &seed);
    p.want = hostArray<double>(p.results);
    p.magnitude = hostArray<double>(p.results);
    p.got = hostArray<float>(p.results);
    return p;
}

static size_t bytesOf(const Problem *p) {
    return sizeof(float) * (p->rows * p->inner + p->inner * p->cols + p->results);
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     thread 0     row 0   0 1 2 3 ...      each thread reads along its row: in the same
 *            1     row 1   0 1 2 3 ...      moment, the 32 of a warp are in 32 rows
 *            2     row 2   0 1 2 3 ...
 *
 * Question: a warp's load of A touches how many sectors, and its load of b? How many
 * is that for each product?
 * Metric: gld_transactions_per_request
 */
__global__ void mvNaive(const float *a, const float *b, float *c, unsigned int rows,
                        unsigned int cols) {
    unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (unsigned int i = 0; i < cols; i++) sum += a[row * cols + i] * b[i];
    c[row] = sum;
}

/* From here on threads first load all that they need for a tile, and then use it: loads that follow
 * one another are under way together. A thread whose word lies beyond the end loads word 0, and
 * uses 0 in place of it. Given to you. */
__device__ unsigned int wordOrFirst(unsigned int word, bool isThere) {
    return isThere ? word : 0;
}

/* ---- Step 2 ----
 *
 *     in      16 threads read 16 neighbouring words of row 0, then of row 1, ...
 *             0 1 2 ... 15 |pad|
 *             0 1 2 ... 15 |pad|        tile, [16][17]
 *     out     thread t takes row t of the tile, word after word: the padding puts the 16 threads'
 *             words in 16 different banks
 *
 * Question: a tile is 256 words, 1024 bytes. In how many sectors is it read
 * here, in how many by step 1?
 * Metric: gld_efficiency
 */
__global__ void mvStaged(const float *a, const float *b, float *c, unsigned int rows,
                         unsigned int cols) {
    // BEGIN SOLUTION mvStaged
    TODO("For each 16 columns: 16 threads bring a tile of A and 16 words of b into shared "
         "memory, then use them.",
         "handouts/lab10.md#mvstaged");
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     block of 128     |16 threads|16 threads| ... |16 threads|      a tile for each 16 threads,
 *                      part of b: read once, by the first 16         and one part of b for all
 *
 * Question: a block of step 2 fills half a warp. What do the idle halves cost? What does
 * merging change for A, for b?
 * Metric: warp_execution_efficiency
 */
__global__ void mvBlockMerge(const float *a, const float *b, float *c, unsigned int rows,
                             unsigned int cols) {
    // BEGIN SOLUTION mvBlockMerge
    TODO("Step 2 in blocks of MERGED threads: each 16 have a tile; only the first 16 read b.",
         "handouts/lab10.md#mvblockmerge");
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 *     thread t     row t of this tile, and of the next       part[k] is fetched once for both
 *
 * Question: half the blocks, each with twice the work. What is saved? What is lost on a GPU
 * with 132 multiprocessors?
 * Metric: achieved_occupancy
 */
__global__ void mvThreadMerge(const float *a, const float *b, float *c, unsigned int rows,
                              unsigned int cols) {
    // BEGIN SOLUTION mvThreadMerge
    TODO("Step 3 with MV_ROWS tiles for each 16 threads: each thread adds up a row of every one "
         "of them.",
         "handouts/lab10.md#mvthreadmerge");
    // END SOLUTION
}

/* Words that a GPU of 2010 had in one partition of its memory before the next one came:
 * 256 bytes. Step 5 is run with this offset, and with 0: the same code, so that only the
 * offset can make a difference. */
constexpr unsigned int PARTITION = 64;

static_assert(PARTITION % TILE == 0, "a partition begins where a tile does");

/* ---- Step 5 ----
 *
 *     block 0     columns  0 ...                           all around
 *           1             64 ...              0 ... 63
 *           2            128 ...        0 ... 127
 *
 * Question: if the rows are a multiple of all partitions long, where do all blocks read
 * first without the offset?
 * Metric: dram_read_throughput
 */
__global__ void mvPartitionOffset(const float *a, const float *b, float *c, unsigned int rows,
                                  unsigned int cols, unsigned int shift) {
    // BEGIN SOLUTION mvPartitionOffset
    TODO("Step 4, where block x begins at column x * shift, goes to the end, and then from "
         "column 0 to there.",
         "handouts/lab10.md#mvpartitionoffset");
    // END SOLUTION
}

/* The sum of all 32 lanes' values, in lane 0. Given to you; all 32 call it together. */
__device__ float sumOfWarp(float value) {
    for (unsigned int distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_down_sync(0xFFFFFFFF, value, distance);
    }
    return value;
}

/* ---- Step 6 ----
 *
 *     warp 0     row 0    lanes 0 1 2 ... 31 0 1 2 ... 31 ...    at the end the lanes' sums
 *          1     row 1    lanes 0 1 2 ... 31 0 1 2 ... 31 ...    are added
 *
 * Question: no tile, no barrier. Each row now reads all of b. Count the sectors against step
 * 4's; then look at the time.
 * Metric: gld_transactions
 */
__global__ void mvWarpRow(const float *a, const float *b, float *c, unsigned int rows,
                          unsigned int cols) {
    // BEGIN SOLUTION mvWarpRow
    TODO("Each warp takes a row: lane l adds up columns l, l + 32, ...; then sumOfWarp, and lane "
         "0 writes.",
         "handouts/lab10.md#mvwarprow");
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 *     warp     two rows of 16 elements of C       of A: one word of each of two rows
 *                                                 of B: 16 neighbouring words of one row
 *
 * Question: how many sectors does a warp touch for each of the `inner` rounds?
 * How many products is that?
 * Metric: gld_transactions_per_request
 */
__global__ void mmNaive(const float *a, const float *b, float *c, unsigned int rows,
                        unsigned int inner, unsigned int cols) {
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    float sum = 0;
    for (unsigned int i = 0; i < inner; i++) sum += a[row * inner + i] * b[i * cols + col];
    c[row * cols + col] = sum;
}

/* ---- Step 8 ----
 *
 *     A    16 words of one row, read together, into shared memory         used by all 16 threads
 *     B    row after row, 16 neighbouring words, straight from memory
 *
 * Question: which of step 7's loads was the bad one, and what is it now?
 * Metric: gld_transactions
 */
__global__ void mmStaged(const float *a, const float *b, float *c, unsigned int rows,
                         unsigned int inner, unsigned int cols) {
    // BEGIN SOLUTION mmStaged
    TODO("Blocks of 16 threads, one row each: for each 16 words of A's row, bring them into "
         "shared memory; use them.",
         "handouts/lab10.md#mmstaged");
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 *     A    16 words of one row, read by the first 16 threads              used by all 128
 *     B    128 neighbouring words of each row
 *
 * Question: how many times is each word of A read now, and each word of B?
 * Metric: warp_execution_efficiency
 */
__global__ void mmBlockMerge(const float *a, const float *b, float *c, unsigned int rows,
                             unsigned int inner, unsigned int cols) {
    // BEGIN SOLUTION mmBlockMerge
    TODO("Step 8 in blocks of MERGED threads: the first 16 read A.",
         "handouts/lab10.md#mmblockmerge");
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 *     A    16 words of each of 16 rows, a tile                            used by all 128
 *     B    128 neighbouring words of each row: each in a register, and used for 16 rows of C
 *
 * Question: 16 products for each word that comes from B. What is left to be the bottleneck?
 * Metric: gld_transactions
 */
__global__ void mmThreadMerge(const float *a, const float *b, float *c, unsigned int rows,
                              unsigned int inner, unsigned int cols) {
    // BEGIN SOLUTION mmThreadMerge
    TODO("Step 9 with MM_ROWS rows a thread: a tile of A, MM_ROWS sums, and each word of B read "
         "once for all of them.",
         "handouts/lab10.md#mmthreadmerge");
    // END SOLUTION
}

/* ---- Running them ---- */

typedef void (*VectorKernel)(const float *a, const float *b, float *c, unsigned int rows,
                             unsigned int cols);
typedef void (*MatrixKernel)(const float *a, const float *b, float *c, unsigned int rows,
                             unsigned int inner, unsigned int cols);

/* A step of either kind: the threads of a block (0: as --block says), and the rows and columns of
 * the result that a block computes. For mv, cols is 0 and `rows` is for each thread, or for each
 * `threads` as step 6 has it. */
struct MatvecStep {
    const char *name, *idea;
    VectorKernel mv; /* or NULL; without mm, either, it is step 5, which has one parameter more */
    MatrixKernel mm;
    dim3 block;
    unsigned int blockRows, blockCols;
};

/* Threads of a block of step 6. */
constexpr unsigned int ROW_BLOCK = 256;

static const MatvecStep STEPS[] = {
    {"mvNaive", "a thread for each row", mvNaive, NULL, dim3(0), 0, 0},
    {"mvStaged", "tiles through shared memory", mvStaged, NULL, dim3(TILE), TILE, 0},
    {"mvBlockMerge", "larger blocks share b", mvBlockMerge, NULL, dim3(MERGED), MERGED, 0},
    {"mvThreadMerge", "two rows a thread", mvThreadMerge, NULL, dim3(MERGED), MV_ROWS *MERGED, 0},
    {"mvPartitionOffset", "blocks begin at different columns", NULL, NULL, dim3(MERGED),
     MV_ROWS *MERGED, 0},
    {"mvWarpRow", "a warp for each row", mvWarpRow, NULL, dim3(ROW_BLOCK), ROW_BLOCK / WARP, 0},
    {"mmNaive", "a thread for each element", NULL, mmNaive, dim3(TILE, TILE), TILE, TILE},
    {"mmStaged", "words of A through shared memory", NULL, mmStaged, dim3(TILE), 1, TILE},
    {"mmBlockMerge", "larger blocks share them", NULL, mmBlockMerge, dim3(MERGED), 1, MERGED},
    {"mmThreadMerge", "16 rows a thread", NULL, mmThreadMerge, dim3(MERGED), MM_ROWS, MERGED},
};

static void allocateOnGpu(Lab *lab, Problem *p) {
    const size_t aBytes = p->rows * p->inner * sizeof(float),
                 bBytes = p->inner * p->cols * sizeof(float);
    const size_t cBytes = p->results * sizeof(float);
    CHECK(cudaMalloc(&p->d_a, aBytes));
    CHECK(cudaMemcpy(p->d_a, p->a, aBytes, cudaMemcpyHostToDevice));
    labInput(lab, p->d_a, aBytes);
    CHECK(cudaMalloc(&p->d_b, bBytes));
    CHECK(cudaMemcpy(p->d_b, p->b, bBytes, cudaMemcpyHostToDevice));
    labInput(lab, p->d_b, bBytes);
    CHECK(cudaMalloc(&p->d_c, cBytes));
    labOutput(lab, p->d_c, cBytes);
}

static Verdict checkProduct(Lab *lab, const Problem *p) {
    CHECK(cudaMemcpy(p->got, p->d_c, p->results * sizeof(float), cudaMemcpyDeviceToHost));
    return checkSums(lab, p->want, p->magnitude, p->got, p->results, p->inner);
}

static void freeProblem(Problem *p) {
    free(p->a);
    free(p->b);
    free(p->want);
    free(p->magnitude);
    free(p->got);
    cudaFree(p->d_a);
    cudaFree(p->d_b);
    cudaFree(p->d_c);
}

/* Matrix times vector. Step 5 runs twice: without its shift it is step 4. */
static void runVector(Lab *lab, const MatvecStep *step, const Problem *p) {
    const unsigned int rows = (unsigned int)p->rows, inner = (unsigned int)p->inner;
    const dim3 block = step->block.x > 0 ? step->block : dim3(lab->block);
    const dim3 grid = blocksFor(p->rows, step->blockRows > 0 ? step->blockRows : block.x);
    const bool shifts = step->mv == NULL;
    for (int launch = 0; launch < (shifts ? 2 : 1); launch++) {
        labStep(lab, step->name, grid, block);
        if (launch > 0) labArgument(lab, "0");
        labBytes(lab, (double)bytesOf(p));
        labOperations(lab, 2.0 * (double)p->inner * (double)p->results);
        while (labRuns(lab)) {
            if (shifts)
                mvPartitionOffset<<<grid, block>>>(p->d_a, p->d_b, p->d_c, rows, inner,
                                                   launch == 0 ? PARTITION : 0);
            else
                step->mv<<<grid, block>>>(p->d_a, p->d_b, p->d_c, rows, inner);
            if (labChecks(lab)) labVerdict(lab, checkProduct(lab, p));
        }
    }
}

/* Matrix times matrix. */
static void runMatrix(Lab *lab, const MatvecStep *step, const Problem *p) {
    const unsigned int rows = (unsigned int)p->rows, inner = (unsigned int)p->inner,
                       cols = (unsigned int)p->cols;
    const dim3 grid(blocksFor(p->cols, step->blockCols), blocksFor(p->rows, step->blockRows));
    labStep(lab, step->name, grid, step->block);
    labBytes(lab, (double)bytesOf(p));
    labOperations(lab, 2.0 * (double)p->inner * (double)p->results);
    while (labRuns(lab)) {
        step->mm<<<grid, step->block>>>(p->d_a, p->d_b, p->d_c, rows, inner, cols);
        if (labChecks(lab)) labVerdict(lab, checkProduct(lab, p));
    }
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(10, "matvec", __FILE__, "rows and columns of the matrix");
    info.defaultRows = 32768; /* of 512 columns: 64 MiB */
    info.defaultSize = 512;
    info.maxSize = 1 << 14; /* 2^28 elements: an index fits in 32 bits */
    info.defaultBlock = 256;
    info.blockRefusal = refuseSplitWarps;
    info.isMatrix = true;
    info.countsOperations = true;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const size_t rows = lab.rows, cols = lab.cols;
    const size_t mmRows = rows < MOST_MM ? rows : MOST_MM, mmCols = cols < MOST_MM ? cols : MOST_MM;

    Problem mv = makeProblem(rows, cols, 1, lab.seed);
    Problem mm = makeProblem(mmRows, mmCols, mmRows, lab.seed);
    mvOnHost(mv.a, mv.b, mv.want, mv.magnitude, rows, cols);
    mmOnHost(mm.a, mm.b, mm.want, mm.magnitude, mmRows, mmCols, mmRows);
    labNeeds(&lab, bytesOf(&mv) + bytesOf(&mm));
    allocateOnGpu(&lab, &mv);
    allocateOnGpu(&lab, &mm);
    labHeader(&lab, "%zu x %zu floats times a vector, and %zu x %zu times %zu x %zu", rows, cols,
              mmRows, mmCols, mmCols, mmRows);
    for (size_t i = 0; i < COUNT(STEPS); i++) {
        if (STEPS[i].mv == mvNaive) labGroup(&lab, "matrix times vector");
        if (STEPS[i].mm == mmNaive) labGroup(&lab, "matrix times matrix");
        if (STEPS[i].mm == NULL)
            runVector(&lab, &STEPS[i], &mv);
        else
            runMatrix(&lab, &STEPS[i], &mm);
    }
    freeProblem(&mv);
    freeProblem(&mm);
    return labClose(&lab);
}
