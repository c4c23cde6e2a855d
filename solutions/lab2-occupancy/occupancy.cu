/*
 * Lab 2: occupancy. How many warps a multiprocessor holds at once, what limits their number, and
 * when more of them help.
 *
 *     steps 1, 2     C = A + B, two square matrices, in fifteen shapes of block
 *     steps 3 to 7   what limits the warps on a multiprocessor: blocks, shared memory, registers
 *     step 8         time against the number of blocks
 *     step 9         what hides the memory's latency
 *
 * Element (row, col) of a matrix is at row * num_x + col: neighbours in a row lie together.
 *
 * To run it: make lab2. By hand:
 *     nvcc -O3 -Icommon labs/lab2-occupancy/occupancy.cu -o occupancy && ./occupancy --help
 */
#include <algorithm>

#include "common.h"
#include "harness/lab.h"
#include "harness/occupancy.h"

/* ---- Step 1 ----
 *
 *     thread (x, y) of the grid takes the element of row x and column y:
 *     a warp's 32 words lie num_x words apart, each in a sector of its own
 *
 * Question: eight words of four bytes make a sector of 32. How many bytes of each
 * sector does this warp want?
 * Metric: gld_efficiency
 */
__global__ void sumMatrix(const float *MatA, const float *MatB, float *MatC, unsigned int num_x,
                          unsigned int num_y) {
    // BEGIN SOLUTION sumMatrix
    // TODO("Add the elements at idx = col * num_x + row; row counts along the block's y, col along "
    //      "its x.",
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
 *     block of 32     |w| |w| |w| ...           one warp a block; the block slots run out first
 *     block of 1024   |wwww ... w| |wwww ... w|
 *
 * Question: a multiprocessor has room for 64 warps and 32 blocks (H200). How many warps
 * are there in blocks of 32?
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
 * Question: the same sum. Each block asks for 48 KB of shared memory and uses a
 * little. How many blocks fit?
 * Metric: achieved_occupancy
 */
__global__ void sumShared(const float *a, const float *b, float *c, unsigned int n) {
    // BEGIN SOLUTION sumShared
    // TODO("Step 3 by way of shared memory: keep a[i] in tile[threadIdx.x], then c[i] = "
    //      "tile[threadIdx.x] + b[i].",
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

/* Works on TERMS numbers at once, which all want to be in registers. Each comes nearer to a
 * solution of x = s + x*x/4 with its own s, so rounding errors die out. */
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
 * Question: a multiprocessor has 65536 registers. With 120 a thread, how many
 * blocks of 256 threads fit?
 * Metric: achieved_occupancy
 */
__global__ __launch_bounds__(TERM_BLOCK) void registersFree(const float *a, float *c,
                                                            unsigned int n) {
    // BEGIN SOLUTION registersFree
    // TODO("c[i] = sumOfTerms(a[i]), a thread for each i below n.", "handouts/lab2.md#registersfree");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = sumOfTerms(a[i]);
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 * Question: the bound asks for four blocks on a multiprocessor at once. Where do the numbers
 * go that find no register?
 * Metric: achieved_occupancy
 */
__global__ __launch_bounds__(TERM_BLOCK, LEAST_BLOCKS) void registersBounded(const float *a,
                                                                             float *c,
                                                                             unsigned int n) {
    // BEGIN SOLUTION registersBounded
    // TODO("As step 5. What differs is the launch bound, which is already there.",
    //      "handouts/lab2.md#registersbounded");
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
 * Question: half of step 6's registers, twice the warps. Which step will be
 * the fastest of the three?
 * Metric: achieved_occupancy
 */
__global__ __maxnreg__(32) void registersCapped(const float *a, float *c, unsigned int n) {
    // BEGIN SOLUTION registersCapped
    // TODO("As step 5 once more; __maxnreg__(32) is already there.",
    //      "handouts/lab2.md#registerscapped");
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
    // TODO("Thread i: begin with x = 1, do WAVE_ROUNDS rounds of x = rootRound(x, a[i % n]), and "
    //      "leave x in c[i].",
    //      "handouts/lab2.md#wave");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    float goal = a[i % n], x = 1.0f;
    for (int round = 0; round < WAVE_ROUNDS; round++) x = rootRound(x, goal);
    c[i] = x;
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 *     sumLoads<1>   load, wait ........ add, load, wait ........ add
 *     sumLoads<4>   load, load, load, load, wait ........ add, add, add, add
 *
 * Question: 64 warps whose threads wait for one word, 16 whose threads wait for four. Which
 * get more bytes a second?
 * Metric: achieved_occupancy
 */
template <int LOADS> __global__ void sumLoads(const float *a, float *c, unsigned int n) {
    // BEGIN SOLUTION sumLoads
    // TODO("Thread i adds all elements i + k * threads below n into c[i]: LOADS loads, then LOADS "
    //      "additions.",
    //      "handouts/lab2.md#sumloads");
    unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

#pragma unroll 1 /* the loads of a round are all that a thread has under way */
    for (unsigned int i = thread; i < n; i += LOADS * threads) {
        float word[LOADS];
        UNROLL
        for (int load = 0; load < LOADS; load++)
            word[load] = i + load * threads < n ? a[i + load * threads] : 0.0f;
        UNROLL
        for (int load = 0; load < LOADS; load++) sum += word[load];
    }
    c[thread] = sum;
    // END SOLUTION
}

/* ---- What is run ---- */

struct Shape {
    unsigned int x, y;
};

/* The fifteen shapes of the textbook; the last has more threads than a block may have. */
static const Shape SHAPES[] = {{32, 32}, {32, 16}, {16, 32}, {16, 16}, {16, 8},
                               {8, 16},  {64, 2},  {64, 4},  {64, 8},  {128, 2},
                               {128, 4}, {128, 8}, {256, 2}, {256, 4}, {256, 8}};

static const LabStep STEPS[] = {
    {"sumMatrix", "threads along x walk down a column"},
    {"sumMatrixRow", "threads along x walk along a row"},
    {"sumVector", "blocks of few threads: too few block slots"},
    {"sumShared", "blocks that ask for much shared memory"},
    {"registersFree", "threads that need many registers"},
    {"registersBounded", "held to fewer registers: numbers go to memory"},
    {"registersCapped", "held to 32 registers"},
    {"wave", "whole waves of blocks, and a tail"},
    {"sumLoads", "few warps with many loads, many warps with few"},
};

/* Double precision on the CPU, so that a difference is the kernel's rounding: some units in the
 * last place of a sum of TERMS numbers of about 1. */
static const double TOLERANCE = 1e-4;

enum { SHARED_BYTES = 48 * 1024 };

struct Data {
    size_t n; /* elements of a matrix */
    float *a, *b, *sum, *terms, *roots, *got;
    size_t termsKnown; /* elements of `terms` computed so far, for all three steps with terms */
};

/* What A's elements are: 1/4 to 1, which the kernels with roots need. */
static Data makeData(size_t n, size_t waveThreads, uint64_t seed) {
    size_t most = n > waveThreads ? n : waveThreads;
    Data data = {n,
                 hostArray<float>(n),
                 hostArray<float>(n),
                 hostArray<float>(n),
                 hostArray<float>(n),
                 hostArray<float>(most),
                 hostArray<float>(most),
                 0};
    for (size_t i = 0; i < n; i++) {
        data.a[i] = 0.25f + 0.75f * (float)(nextRandom(&seed) >> 48) / 65536.0f;
        data.b[i] = (float)(nextRandom(&seed) >> 56) / 10.0f;
        data.sum[i] = data.a[i] + data.b[i];
    }
    return data;
}

static void freeData(Data *data) {
    free(data->a);
    free(data->b);
    free(data->sum);
    free(data->terms);
    free(data->roots);
    free(data->got);
}

/* The device's memory. */
struct DeviceData {
    float *a, *b, *c;
};

/* Fetch n results and compare. */
static Verdict checkOutput(Data *data, const float *d_c, const float *want, size_t n,
                           double tolerance) {
    CHECK(cudaMemcpy(data->got, d_c, n * sizeof(float), cudaMemcpyDeviceToHost));
    return judgeResults(want, data->got, n, tolerance);
}

/* ---- Sweeps ---- */

typedef void (*MatrixKernel)(const float *, const float *, float *, unsigned int, unsigned int);

/* One kernel in all shapes. A note below names the fastest, and the number
 * of threads that CUDA advises. */
static void sweepShapes(Lab *lab, Data *data, const DeviceData *d, const char *step,
                        MatrixKernel kernel, unsigned int side) {
    Shape best = {0, 0};
    double bestTime = 0, advisedTime = 0;
    int advisedGrid = 0, advised = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&advisedGrid, &advised, kernel, 0, 0));
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        const Shape shape = SHAPES[i];
        const int threads = (int)(shape.x * shape.y);
        const dim3 block(shape.x, shape.y),
            grid(blocksFor(side, shape.x), blocksFor(side, shape.y));
        labStep(lab, step, grid, block);
        labBytes(lab, 3.0 * sizeof(float) * (double)data->n);
        labOccupancy(lab, (const void *)kernel, threads, 0);
        while (labRuns(lab)) {
            kernel<<<grid, block>>>(d->a, d->b, d->c, side, side);
            if (labChecks(lab)) labVerdict(lab, checkOutput(data, d->c, data->sum, data->n, 0));
        }
        const double time = labTime(lab);
        const bool better = time > 0 && (bestTime == 0 || time < bestTime);
        if (better) best = shape;
        if (better) bestTime = time;
        if (time > 0 && threads == advised && (advisedTime == 0 || time < advisedTime))
            advisedTime = time;
    }
    if (!labSelected(lab, step) || bestTime == 0) return;
    char found[64] = "not among the shapes";
    if (advisedTime > 0) snprintf(found, sizeof found, "%.4f ms at best", advisedTime);
    labNote(
        lab,
        "    fastest: (%u,%u), %.4f ms. cudaOccupancyMaxPotentialBlockSize advises %d threads: %s",
        best.x, best.y, bestTime, advised, found);
}

/* sumVector in blocks of different size. */
static void sweepBlocks(Lab *lab, Data *data, const DeviceData *d) {
    static const unsigned int BLOCKS[] = {32, 64, 128, 256, 768, 1024};
    const unsigned int n = (unsigned int)data->n;
    for (size_t i = 0; i < COUNT(BLOCKS); i++) {
        const unsigned int block = BLOCKS[i], grid = blocksFor(n, block);
        labStep(lab, "sumVector", grid, block);
        labBytes(lab, 3.0 * sizeof(float) * n);
        labOccupancy(lab, (const void *)sumVector, (int)block, 0);
        while (labRuns(lab)) {
            sumVector<<<grid, block>>>(d->a, d->b, d->c, n);
            if (labChecks(lab)) labVerdict(lab, checkOutput(data, d->c, data->sum, n, 0));
        }
    }
}

/* sumShared: the smaller the block, the fewer warps share the shared memory of a multiprocessor. */
static void sweepShared(Lab *lab, Data *data, const DeviceData *d) {
    static const unsigned int BLOCKS[] = {256, 512, 1024};
    const unsigned int n = (unsigned int)data->n;
    for (size_t i = 0; i < COUNT(BLOCKS); i++) {
        const unsigned int block = BLOCKS[i], grid = blocksFor(n, block);
        labStep(lab, "sumShared", grid, block);
        labBytes(lab, 3.0 * sizeof(float) * n);
        labOccupancy(lab, (const void *)sumShared, (int)block, SHARED_BYTES);
        while (labRuns(lab)) {
            sumShared<<<grid, block, SHARED_BYTES>>>(d->a, d->b, d->c, n);
            if (labChecks(lab)) labVerdict(lab, checkOutput(data, d->c, data->sum, n, 0));
        }
    }
}

typedef void (*VectorKernel)(const float *, float *, unsigned int);

/* Enough elements for several waves of blocks on any device. */
static const size_t TERM_ELEMENTS = 1 << 20;

static void runRegisters(Lab *lab, Data *data, const DeviceData *d, const char *step,
                         VectorKernel kernel) {
    const unsigned int n = (unsigned int)(data->n < TERM_ELEMENTS ? data->n : TERM_ELEMENTS);
    const unsigned int grid = blocksFor(n, TERM_BLOCK);
    for (size_t *i = &data->termsKnown; labSelected(lab, step) && *i < n; ++*i)
        data->terms[*i] = (float)sumOfTerms<double>(data->a[*i]);
    labStep(lab, step, grid, TERM_BLOCK);
    labBytes(lab, 2.0 * sizeof(float) * n);
    labOccupancy(lab, (const void *)kernel, TERM_BLOCK, 0);
    while (labRuns(lab)) {
        kernel<<<grid, TERM_BLOCK>>>(d->a, d->c, n);
        if (labChecks(lab)) labVerdict(lab, checkOutput(data, d->c, data->terms, n, TOLERANCE));
    }
}

enum { QUARTERS = 4, MOST_WAVES = 3 };

/* The blocks that the device holds at once. */
static unsigned int waveSize() {
    int blocks = theoreticalOccupancy((const void *)wave, WAVE_BLOCK, 0).blocks;
    return (unsigned int)(blocks * deviceAttribute(cudaDevAttrMultiProcessorCount));
}

static float rootOnCpu(float s) {
    double x = 1;
    for (int round = 0; round < WAVE_ROUNDS; round++) x = rootRound<double>(x, s);
    return (float)x;
}

/* Every thread's root: thread i works on element i % n. */
static Verdict checkWaves(Data *data, const float *d_c, size_t threads, size_t n) {
    CHECK(cudaMemcpy(data->got, d_c, threads * sizeof(float), cudaMemcpyDeviceToHost));
    Verdict verdict = ALL_RIGHT;
    for (size_t begin = 0; begin < threads; begin += n) {
        const size_t left = threads - begin;
        judgeElements(&verdict, data->roots, data->got + begin, left < n ? left : n, TOLERANCE);
    }
    return verdict;
}

static void runWave(Lab *lab, Data *data, const DeviceData *d, unsigned int grid,
                    unsigned int perWave, unsigned int n) {
    labStep(lab, "wave", grid, WAVE_BLOCK);
    labBytes(lab, 2.0 * sizeof(float) * grid * WAVE_BLOCK);
    labRemark(lab, "%.2f waves", (double)grid / perWave);
    while (labRuns(lab)) {
        wave<<<grid, WAVE_BLOCK>>>(d->a, d->c, n);
        if (labChecks(lab)) labVerdict(lab, checkWaves(data, d->c, (size_t)grid * WAVE_BLOCK, n));
    }
}

/* Quarter waves up to MOST_WAVES, and one block more than each whole one. */
static void sweepWaves(Lab *lab, Data *data, const DeviceData *d, unsigned int perWave) {
    const unsigned int n = data->n < WAVE_BLOCK ? (unsigned int)data->n : (unsigned int)WAVE_BLOCK;
    for (unsigned int i = 0; i < n; i++) data->roots[i] = rootOnCpu(data->a[i]);
    for (unsigned int quarter = 1; quarter <= QUARTERS * MOST_WAVES; quarter++) {
        const unsigned int grid = n == 0 ? 0 : quarter * perWave / QUARTERS;
        runWave(lab, data, d, grid, perWave, n);
        if (quarter % QUARTERS == 0 && quarter < QUARTERS * MOST_WAVES)
            runWave(lab, data, d, n == 0 ? 0 : grid + 1, perWave, n);
    }
}

enum { LOADS_BLOCK = 128, LOADS_LEVELS = 5 };

/* What thread i adds up: elements i, i + threads, i + 2 * threads, ... */
static void addByThread(const Data *data, size_t threads) {
    double *sums = hostArray<double>(threads);
    for (size_t i = 0; i < threads; i++) sums[i] = 0;
    for (size_t first = 0; first < data->n; first += threads)
        for (size_t i = 0; i < threads && first + i < data->n; i++) sums[i] += data->a[first + i];
    for (size_t i = 0; i < threads; i++) data->roots[i] = (float)sums[i];
    free(sums);
}

/* One launch, of so many loads at a time. Elements are below 1, and so the
 * tolerance is a share of their number. */
static void runLoads(Lab *lab, Data *data, const DeviceData *d, VectorKernel kernel, int loads,
                     unsigned int grid, unsigned int warps) {
    const size_t threads = (size_t)grid * LOADS_BLOCK;
    const double tolerance = 1e-5 * (double)(data->n / (threads + 1) + 1);
    labStep(lab, "sumLoads", grid, LOADS_BLOCK);
    labArgument(lab, "%d", loads);
    labBytes(lab, sizeof(float) * (double)data->n);
    labRemark(lab, "%u warps a multiprocessor, %d words for each thread at a time", warps, loads);
    while (labRuns(lab)) {
        kernel<<<grid, LOADS_BLOCK>>>(d->a, d->c, (unsigned int)data->n);
        if (labChecks(lab))
            labVerdict(lab, checkOutput(data, d->c, data->roots, threads, tolerance));
    }
}

/* 4, 8, 16, 32 and 64 warps on each multiprocessor, or as many as fit, with one,
 * two and four loads a thread. */
static void sweepLoads(Lab *lab, Data *data, const DeviceData *d) {
    const VectorKernel kernels[] = {sumLoads<1>, sumLoads<2>, sumLoads<4>};
    const unsigned int sms = (unsigned int)deviceAttribute(cudaDevAttrMultiProcessorCount);
    const unsigned int most =
        (unsigned int)deviceAttribute(cudaDevAttrMaxThreadsPerMultiProcessor) / LOADS_BLOCK;
    for (int level = 0; level < LOADS_LEVELS && labSelected(lab, "sumLoads"); level++) {
        const unsigned int blocks = std::min(1u << level, most),
                           grid = data->n == 0 ? 0 : sms * blocks;
        if (grid > 0) addByThread(data, (size_t)grid * LOADS_BLOCK);
        for (size_t i = 0; i < COUNT(kernels); i++)
            runLoads(lab, data, d, kernels[i], 1 << i, grid, blocks * LOADS_BLOCK / 32);
    }
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(2, "occupancy", __FILE__, "rows and columns of the matrices");
    info.defaultSize = 1 << 12; /* as the textbook's program has it; its runs were with 1 << 14 */
    info.maxSize = 1 << 14;
    info.defaultBlock = 256;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const unsigned int side = (unsigned int)lab.size, perWave = waveSize();
    const size_t n = (size_t)side * side, waveThreads = (size_t)perWave * MOST_WAVES * WAVE_BLOCK;
    const size_t bytes = n * sizeof(float),
                 outBytes = (n > waveThreads ? n : waveThreads) * sizeof(float);

    Data data = makeData(n, waveThreads, lab.seed);
    DeviceData d;
    labNeeds(&lab, 2 * bytes + outBytes);
    CHECK(cudaMalloc(&d.a, bytes));
    CHECK(cudaMemcpy(d.a, data.a, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, d.a, bytes);
    CHECK(cudaMalloc(&d.b, bytes));
    CHECK(cudaMemcpy(d.b, data.b, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, d.b, bytes);
    CHECK(cudaMalloc(&d.c, outBytes));
    labOutput(&lab, d.c, outBytes);
    labHeader(&lab,
              "occupancy, matrices of %u x %u floats; the device holds %u blocks of %d at once",
              side, side, perWave, (int)WAVE_BLOCK);

    labExpectRefusals(&lab); /* (256, 8) */
    labGroup(&lab, "x down the columns");
    sweepShapes(&lab, &data, &d, "sumMatrix", sumMatrix, side);
    labGroup(&lab, "x along the rows");
    sweepShapes(&lab, &data, &d, "sumMatrixRow", sumMatrixRow, side);
    labGroup(&lab, "what limits the warps");
    sweepBlocks(&lab, &data, &d);
    sweepShared(&lab, &data, &d);
    labGroup(&lab, "registers");
    runRegisters(&lab, &data, &d, "registersFree", registersFree);
    runRegisters(&lab, &data, &d, "registersBounded", registersBounded);
    runRegisters(&lab, &data, &d, "registersCapped", registersCapped);
    labGroup(&lab, "waves and tails");
    sweepWaves(&lab, &data, &d, perWave);
    labGroup(&lab, "loads in flight");
    sweepLoads(&lab, &data, &d);
    cudaFree(d.a);
    cudaFree(d.b);
    cudaFree(d.c);
    freeData(&data);
    return labClose(&lab);
}
