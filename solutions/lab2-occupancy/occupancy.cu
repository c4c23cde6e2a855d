/*
 * Lab 2: occupancy. How many warps a multiprocessor holds at once, what limits their number, and when more of them
 * help.
 *
 *   C = A + B, two square matrices, in fifteen shapes of block
 *     1 sumMatrix         threads along x walk down a column, as the textbook's index has it
 *     2 sumMatrixRow      threads along x walk along a row
 *   what limits the warps on a multiprocessor
 *     3 sumVector         too few threads in a block: block slots
 *     4 sumShared         a block that asks for much shared memory
 *     5 registersFree     a thread that needs many registers
 *     6 registersBounded  the same, held to fewer registers by __launch_bounds__
 *     7 registersCapped   held to 32, as the flag -maxrregcount=32 does for all kernels of a file
 *   time against the number of blocks
 *     8 wave              whole waves and a tail
 *
 *     matrix    element (row, col) is at row * num_x + col: neighbours in a row are neighbours in memory
 *
 * To run it: make lab2. By hand: nvcc -O3 -Icommon labs/lab2-occupancy/occupancy.cu -o occupancy && ./occupancy --help
 */
#include "common.h"
#include "harness/old_lab.h"

#include <algorithm>

/* ---- Step 1 ----
 *
 *     thread (x, y) of the grid takes the element of row x and column y:
 *     a warp's 32 words lie num_x words apart, each in a sector of its own
 *
 * Question: eight words of four bytes make a sector of 32. How many bytes of each sector does this warp want?
 * Metric: gld_efficiency
 */
__global__ void sumMatrix(const float *MatA, const float *MatB, float *MatC, unsigned int num_x, unsigned int num_y) {
    // BEGIN SOLUTION sumMatrix
    // TODO("Add the elements at idx = col * num_x + row; row counts along the block's y, col along its x.",
    //      "handouts/lab2.md#summatrix");
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int idx = col * num_x + row;

    if (row < num_x && col < num_y) MatC[idx] = MatA[idx] + MatB[idx];
    // END SOLUTION
}

/* ---- Step 2 ----
 *
 *     thread (x, y) of the grid takes the element of row y and column x:
 *     a warp's words are neighbours, if the block is at least 32 threads wide
 *
 * Question: which of the fifteen shapes have the highest achieved_occupancy? Are they the fastest?
 * Metric: gld_efficiency
 */
__global__ void sumMatrixRow(const float *MatA, const float *MatB, float *MatC, unsigned int num_x,
                             unsigned int num_y) {
    // BEGIN SOLUTION sumMatrixRow
    // TODO("Step 1 with x along the rows: idx = row * num_x + col.", "handouts/lab2.md#summatrixrow");
    unsigned int row = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int col = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int idx = row * num_x + col;

    if (row < num_y && col < num_x) MatC[idx] = MatA[idx] + MatB[idx];
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     block of 32     |w| |w| |w| ...   one warp a block, and no more blocks than there are slots for
 *     block of 1024   |wwww ... w| |wwww ... w|
 *
 * Question: a multiprocessor has room for 64 warps and 32 blocks (H200). How many warps are there in blocks of 32?
 * Metric: achieved_occupancy
 */
__global__ void sumVector(const float *a, const float *b, float *c, unsigned int n) {
    // BEGIN SOLUTION sumVector
    // TODO("c[i] = a[i] + b[i], a thread for each i below n.", "handouts/lab2.md#sumvector");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 * Question: the same sum. Each block asks for 48 KB of shared memory and uses a little. How many blocks fit?
 * Metric: achieved_occupancy
 */
__global__ void sumShared(const float *a, const float *b, float *c, unsigned int n) {
    // BEGIN SOLUTION sumShared
    // TODO("Step 3 by way of shared memory: keep a[i] in tile[threadIdx.x], then c[i] = tile[threadIdx.x] + b[i].",
    //      "handouts/lab2.md#sumshared");
    extern __shared__ float tile[];
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = a[i];
    c[i] = tile[threadIdx.x] + b[i];
    // END SOLUTION
}

/* ---- A thread with many registers, given to you ---- */

enum { TERMS = 96, TERM_ROUNDS = 4 };

/* Works on TERMS numbers at once, which all want to be in registers. Each comes nearer to a solution of x = s + x*x/4
 * with its own s, so rounding errors die out. */
template <class Real> __host__ __device__ Real sumOfTerms(Real s) {
    Real x[TERMS], sum = 0;
    UNROLL
    for (int t = 0; t < TERMS; t++) x[t] = s * Real(t) / TERMS;
    UNROLL
    for (int round = 0; round < TERM_ROUNDS; round++) {
        UNROLL
        for (int t = 0; t < TERMS; t++) x[t] = x[(t + 1) % TERMS] * x[t] * Real(0.25) + s;
    }
    UNROLL
    for (int t = 0; t < TERMS; t++) sum += x[t];
    return sum;
}

enum { TERM_BLOCK = 256, LEAST_BLOCKS = 4 };

/* ---- Step 5 ----
 *
 * Question: a multiprocessor has 65536 registers. With 120 a thread, how many blocks of 256 threads fit?
 * Metric: achieved_occupancy
 */
__global__ __launch_bounds__(TERM_BLOCK) void registersFree(const float *a, float *c, unsigned int n) {
    // BEGIN SOLUTION registersFree
    // TODO("c[i] = sumOfTerms(a[i]), a thread for each i below n.", "handouts/lab2.md#registersfree");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = sumOfTerms(a[i]);
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 * Question: the bound asks for four blocks on a multiprocessor at once. Where do the numbers go that find no register?
 * Metric: achieved_occupancy
 */
__global__ __launch_bounds__(TERM_BLOCK, LEAST_BLOCKS) void registersBounded(const float *a, float *c, unsigned int n) {
    // BEGIN SOLUTION registersBounded
    // TODO("As step 5. What differs is the launch bound, which is already there.", "handouts/lab2.md#registersbounded");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = sumOfTerms(a[i]);
    // END SOLUTION
}

/* Older compilers have only the flag. */
#ifndef __maxnreg__
#define __maxnreg__(n)
#endif

/* ---- Step 7 ----
 *
 * Question: half of step 6's registers, twice the warps. Which step will be the fastest of the three?
 * Metric: achieved_occupancy
 */
__global__ __maxnreg__(32) void registersCapped(const float *a, float *c, unsigned int n) {
    // BEGIN SOLUTION registersCapped
    // TODO("As step 5 once more; __maxnreg__(32) is already there.", "handouts/lab2.md#registerscapped");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = sumOfTerms(a[i]);
    // END SOLUTION
}

enum { WAVE_BLOCK = 1024, WAVE_ROUNDS = 256 };

/* One round towards x*x = s, for s from 1/4 to 1, given to you. */
template <class Real> __host__ __device__ Real rootRound(Real x, Real s) {
    return x - Real(0.4) * (x * x - s);
}

/* ---- Step 8 ----
 *
 *     time |            ______
 *          |     ______|            a wave: as many blocks as the device holds at once
 *          |____|
 *          +-----------------  blocks
 *
 * Question: one block more than a whole wave. How much longer does it take?
 * Metric: achieved_occupancy
 */
__global__ __launch_bounds__(WAVE_BLOCK) void wave(const float *a, float *c, unsigned int n) {
    // BEGIN SOLUTION wave
    // TODO("Thread i: begin with x = 1, do WAVE_ROUNDS rounds of x = rootRound(x, a[i % n]), and leave x in c[i].",
    //      "handouts/lab2.md#wave");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float goal = a[i % n], x = 1.0f;
    for (int round = 0; round < WAVE_ROUNDS; round++) x = rootRound(x, goal);
    c[i] = x;
    // END SOLUTION
}

/* ---- What is run ---- */

struct Shape {
    unsigned int x, y;
};

/* The fifteen shapes of the textbook; the last has more threads than a block may have. */
static const Shape SHAPES[] = {{32, 32}, {32, 16}, {16, 32}, {16, 16}, {16, 8},  {8, 16},  {64, 2}, {64, 4},
                               {64, 8},  {128, 2}, {128, 4}, {128, 8}, {256, 2}, {256, 4}, {256, 8}};

struct OccupancyStep {
    const char *name, *idea;
};

static const OccupancyStep STEPS[] = {
    {"sumMatrix", "threads along x walk down a column"},
    {"sumMatrixRow", "threads along x walk along a row"},
    {"sumVector", "blocks of few threads: too few block slots"},
    {"sumShared", "blocks that ask for much shared memory"},
    {"registersFree", "threads that need many registers"},
    {"registersBounded", "held to fewer registers: numbers go to memory"},
    {"registersCapped", "held to 32 registers"},
    {"wave", "whole waves of blocks, and a tail"},
};

static const char *blockRefusal(unsigned int) {
    return NULL;
}

/* The textbook's program has 1 << 12, and says that its runs were with 1 << 14; --size 16384 gives those. */
static const LabInfo INFO = {
    2, "occupancy", __FILE__, "rows and columns of the matrices", 1 << 12, 1 << 14, 0, 256, blockRefusal, false, 0};

/* Double precision on the CPU, so that a difference is the kernel's rounding: some units in the last place of a sum of
 * TERMS numbers of about 1. */
static const double TOLERANCE = 1e-4;

enum { SHARED_BYTES = 48 * 1024 };

struct Data {
    size_t n; /* elements of a matrix */
    float *a, *b, *sum, *terms, *roots, *got;
};

/* What A's elements are: 1/4 to 1, which the kernels with roots need. */
static Data makeData(size_t n, size_t waveThreads, uint64_t seed) {
    size_t most = n > waveThreads ? n : waveThreads;
    Data data = {n,
                 hostArray<float>(n),
                 hostArray<float>(n),
                 hostArray<float>(n),
                 hostArray<float>(n),
                 hostArray<float>(n),
                 hostArray<float>(most)};
    for (size_t i = 0; i < n; i++) {
        data.a[i] = 0.25f + 0.75f * (float)(nextRandom(&seed) >> 48) / 65536.0f;
        data.b[i] = (float)(nextRandom(&seed) >> 56) / 10.0f;
        data.sum[i] = data.a[i] + data.b[i];
    }
    return data;
}

static void freeData(Data *data) {
    for (float *array : {data->a, data->b, data->sum, data->terms, data->roots, data->got}) free(array);
}

/* The device's memory. */
struct DeviceData {
    float *a, *b, *c;
};

/* Fetch n results and compare. */
static Verdict checkOutput(Data *data, const float *d_c, const float *want, size_t n, double tolerance) {
    CHECK(cudaMemcpy(data->got, d_c, n * sizeof(float), cudaMemcpyDeviceToHost));
    return judgeResults(want, data->got, n, tolerance);
}

/* ---- Sweeps ---- */

typedef void (*MatrixKernel)(const float *, const float *, float *, unsigned int, unsigned int);

/* One kernel in all shapes. Says which was the fastest, and what CUDA's own advice comes to. */
static void sweepShapes(Lab *lab, Data *data, const DeviceData &d, MatrixKernel kernel, unsigned int side) {
    bool wanted = lab->wantsNext();
    Shape best = {0, 0};
    double bestTime = 0, advisedTime = 0;
    int advisedGrid = 0, advised = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&advisedGrid, &advised, kernel, 0, 0));
    for (const Shape &shape : SHAPES) {
        dim3 block(shape.x, shape.y), grid(blocksFor(side, shape.x), blocksFor(side, shape.y));
        auto launch = [&] { kernel<<<grid, block>>>(d.a, d.b, d.c, side, side); };
        auto check = [&] { return checkOutput(data, d.c, data->sum, data->n, 0); };
        double bytes = 3.0 * sizeof(float) * (double)data->n;
        std::string remark = occupancyText(theoreticalOccupancy(kernel, (int)(shape.x * shape.y), 0));
        double time = &shape == SHAPES ? lab->step(grid, block, bytes, launch, check, remark)
                                       : lab->again(grid, block, bytes, launch, check, remark);
        bool better = time > 0 && (bestTime == 0 || time < bestTime);
        if (better) best = shape;
        if (better) bestTime = time;
        bool asAdvised = time > 0 && (int)(shape.x * shape.y) == advised;
        if (asAdvised && (advisedTime == 0 || time < advisedTime)) advisedTime = time;
    }
    if (!wanted || bestTime == 0) return;
    std::string found = advisedTime > 0 ? format("%.4f ms at best", advisedTime) : "not among the shapes";
    lab->note(format("    fastest: (%u,%u), %.4f ms. cudaOccupancyMaxPotentialBlockSize advises %d threads: %s", best.x,
                     best.y, bestTime, advised, found.c_str()));
}

/* sumVector in blocks of different size. */
static void sweepBlocks(Lab *lab, Data *data, const DeviceData &d) {
    const unsigned int n = (unsigned int)data->n;
    static const unsigned int BLOCKS[] = {32, 64, 128, 256, 768, 1024};
    for (const unsigned int &block : BLOCKS) {
        unsigned int grid = blocksFor(n, block);
        auto launch = [&] { sumVector<<<grid, block>>>(d.a, d.b, d.c, n); };
        auto check = [&] { return checkOutput(data, d.c, data->sum, n, 0); };
        std::string remark = occupancyText(theoreticalOccupancy(sumVector, (int)block, 0));
        double bytes = 3.0 * sizeof(float) * n;
        &block == BLOCKS ? lab->step(grid, block, bytes, launch, check, remark)
                         : lab->again(grid, block, bytes, launch, check, remark);
    }
}

/* sumShared: the smaller the block, the fewer warps share the shared memory of a multiprocessor. */
static void sweepShared(Lab *lab, Data *data, const DeviceData &d) {
    const unsigned int n = (unsigned int)data->n;
    static const unsigned int BLOCKS[] = {256, 512, 1024};
    for (const unsigned int &block : BLOCKS) {
        unsigned int grid = blocksFor(n, block);
        auto launch = [&] { sumShared<<<grid, block, SHARED_BYTES>>>(d.a, d.b, d.c, n); };
        auto check = [&] { return checkOutput(data, d.c, data->sum, n, 0); };
        std::string remark = occupancyText(theoreticalOccupancy(sumShared, (int)block, SHARED_BYTES));
        double bytes = 3.0 * sizeof(float) * n;
        &block == BLOCKS ? lab->step(grid, block, bytes, launch, check, remark)
                         : lab->again(grid, block, bytes, launch, check, remark);
    }
}

typedef void (*VectorKernel)(const float *, float *, unsigned int);

/* Enough elements for several waves of blocks on any device. */
static const size_t TERM_ELEMENTS = 1 << 20;

static void runRegisters(Lab *lab, Data *data, const DeviceData &d, VectorKernel kernel) {
    const unsigned int n = (unsigned int)std::min(data->n, TERM_ELEMENTS), grid = blocksFor(n, TERM_BLOCK);
    for (size_t i = 0; lab->wantsNext() && i < n; i++) data->terms[i] = (float)sumOfTerms<double>(data->a[i]);
    lab->step(
        grid, TERM_BLOCK, 2.0 * sizeof(float) * n, [&] { kernel<<<grid, TERM_BLOCK>>>(d.a, d.c, n); },
        [&] { return checkOutput(data, d.c, data->terms, n, TOLERANCE); },
        occupancyText(theoreticalOccupancy(kernel, TERM_BLOCK, 0)));
}

enum { QUARTERS = 4, MOST_WAVES = 3 };

/* The blocks that the device holds at once. */
static unsigned int waveSize() {
    int blocks = theoreticalOccupancy(wave, WAVE_BLOCK, 0).blocks;
    return (unsigned int)(blocks * deviceAttribute(cudaDevAttrMultiProcessorCount));
}

static float rootOnCpu(float s) {
    double x = 1;
    for (int round = 0; round < WAVE_ROUNDS; round++) x = rootRound<double>(x, s);
    return (float)x;
}

/* Quarter waves up to MOST_WAVES, and one block more than each whole one. */
static void sweepWaves(Lab *lab, Data *data, const DeviceData &d, unsigned int perWave) {
    const unsigned int n = data->n < WAVE_BLOCK ? (unsigned int)data->n : (unsigned int)WAVE_BLOCK;
    for (unsigned int i = 0; i < n; i++) data->roots[i] = rootOnCpu(data->a[i]);
    bool first = true;
    for (unsigned int quarter = 1; quarter <= QUARTERS * MOST_WAVES; quarter++) {
        for (unsigned int more = 0; more <= (quarter % QUARTERS == 0 && quarter < QUARTERS * MOST_WAVES); more++) {
            unsigned int grid = n == 0 ? 0 : quarter * perWave / QUARTERS + more;
            auto launch = [&] { wave<<<grid, WAVE_BLOCK>>>(d.a, d.c, n); };
            auto check = [&] {
                CHECK(cudaMemcpy(data->got, d.c, (size_t)grid * WAVE_BLOCK * sizeof(float), cudaMemcpyDeviceToHost));
                Verdict verdict = ALL_RIGHT;
                for (size_t block = 0; block < (size_t)grid * WAVE_BLOCK; block += n) {
                    size_t left = (size_t)grid * WAVE_BLOCK - block;
                    judgeElements(&verdict, data->roots, data->got + block, left < n ? left : n, TOLERANCE);
                }
                return verdict;
            };
            double bytes = 2.0 * sizeof(float) * grid * WAVE_BLOCK;
            std::string remark = format("%.2f waves", (double)grid / perWave);
            first ? lab->step(grid, WAVE_BLOCK, bytes, launch, check, remark)
                  : lab->again(grid, WAVE_BLOCK, bytes, launch, check, remark);
            first = false;
        }
    }
}

int main(int argc, char **argv) {
    Lab lab(INFO, STEPS, argc, argv);
    const unsigned int side = (unsigned int)lab.size(), perWave = waveSize();
    const size_t n = (size_t)side * side, waveThreads = (size_t)perWave * MOST_WAVES * WAVE_BLOCK;

    Data data = makeData(n, waveThreads, lab.seed());
    DeviceData device = {lab.input(data.a, n), lab.input(data.b, n),
                         lab.output<float>(n > waveThreads ? n : waveThreads)};
    lab.printHeader(format("occupancy, matrices of %u x %u floats; the device holds %u blocks of %d at once", side,
                           side, perWave, (int)WAVE_BLOCK));

    lab.expectIllegalBlocks(); /* (256, 8) */
    lab.group("x down the columns");
    sweepShapes(&lab, &data, device, sumMatrix, side);
    lab.group("x along the rows");
    sweepShapes(&lab, &data, device, sumMatrixRow, side);
    lab.group("what limits the warps");
    sweepBlocks(&lab, &data, device);
    sweepShared(&lab, &data, device);
    lab.group("registers");
    runRegisters(&lab, &data, device, registersFree);
    runRegisters(&lab, &data, device, registersBounded);
    runRegisters(&lab, &data, device, registersCapped);
    lab.group("waves and tails");
    sweepWaves(&lab, &data, device, perWave);
    freeData(&data);
    return lab.finish();
}
