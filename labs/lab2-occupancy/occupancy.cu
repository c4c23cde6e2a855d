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

/* ---- On the CPU ---- */

/* Dynamic shared memory of step 4. */
enum { SHARED_BYTES = 48 * 1024 };

/* Enough elements for several waves of blocks on any device, in steps 5 to 7. */
static const unsigned int TERM_ELEMENTS = 1 << 20;

/* Double precision on the CPU, so that a difference is the kernel's rounding: some units in the
 * last place of a sum of TERMS numbers of about 1. */
static const double TOLERANCE = 1e-4;

/* Random matrices A, from 1/4 to 1, which the kernels with roots need, and B; and their sum. */
static void makeMatrices(float *a, float *b, float *sum, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        a[i] = 0.25f + 0.75f * (float)(nextRandom(&seed) >> 48) / 65536.0f;
        b[i] = (float)(nextRandom(&seed) >> 56) / 10.0f;
        sum[i] = a[i] + b[i];
    }
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

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
    TODO("Add the elements at idx = col * num_x + row; row counts along the block's y, col along "
         "its x.",
         "handouts/lab2.md#summatrix");
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
    TODO("Step 1 with x along the rows: idx = row * num_x + col.", "handouts/lab2.md#summatrixrow");
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
    TODO("c[i] = a[i] + b[i], a thread for each i below n.", "handouts/lab2.md#sumvector");
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
    TODO("Step 3 by way of shared memory: keep a[i] in tile[threadIdx.x], then c[i] = "
         "tile[threadIdx.x] + b[i].",
         "handouts/lab2.md#sumshared");
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
    TODO("c[i] = sumOfTerms(a[i]), a thread for each i below n.", "handouts/lab2.md#registersfree");
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
    TODO("As step 5. What differs is the launch bound, which is already there.",
         "handouts/lab2.md#registersbounded");
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
    TODO("As step 5 once more; __maxnreg__(32) is already there.",
         "handouts/lab2.md#registerscapped");
    // END SOLUTION
}

enum { WAVE_BLOCK = 1024, WAVE_ROUNDS = 256 };

/* One round towards x*x = s, for s from 1/4 to 1, given to you. */
template <class Real> __host__ __device__ Real rootRound(Real x, Real s) {
    return x - Real(0.4) * (x * x - s);
}

/* The same on the CPU, in double precision. */
static float rootOnCpu(float s) {
    double x = 1;
    for (int round = 0; round < WAVE_ROUNDS; round++) x = rootRound<double>(x, s);
    return (float)x;
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
    TODO("Thread i: begin with x = 1, do WAVE_ROUNDS rounds of x = rootRound(x, a[i % n]), and "
         "leave x in c[i].",
         "handouts/lab2.md#wave");
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
    TODO("Thread i adds all elements i + k * threads below n into c[i]: LOADS loads, then LOADS "
         "additions.",
         "handouts/lab2.md#sumloads");
    // END SOLUTION
}

/* ---- Running them ---- */

static const OccupancyStep STEPS[] = {
    {"sumMatrix", "threads along x walk down a column",
     KERNEL(sumMatrix, l.d_a, l.d_b, l.d_c, l.side, l.side)},
    {"sumMatrixRow", "threads along x walk along a row",
     KERNEL(sumMatrixRow, l.d_a, l.d_b, l.d_c, l.side, l.side)},
    {"sumVector", "blocks of few threads: too few block slots",
     KERNEL(sumVector, l.d_a, l.d_b, l.d_c, l.n)},
    {"sumShared", "blocks that ask for much shared memory",
     KERNEL(sumShared, l.d_a, l.d_b, l.d_c, l.n)},
    {"registersFree", "threads that need many registers", KERNEL(registersFree, l.d_a, l.d_c, l.n)},
    {"registersBounded", "held to fewer registers: numbers go to memory",
     KERNEL(registersBounded, l.d_a, l.d_c, l.n)},
    {"registersCapped", "held to 32 registers", KERNEL(registersCapped, l.d_a, l.d_c, l.n)},
    {"wave", "whole waves of blocks, and a tail", KERNEL(wave, l.d_a, l.d_c, l.n)},
    {"sumLoads", "few warps with many loads, many warps with few", NULL,
     [](const Launch &l) {
         const auto kernel = l.loads == 1 ? sumLoads<1> : l.loads == 2 ? sumLoads<2> : sumLoads<4>;
         kernel<<<l.grid, l.block>>>(l.d_a, l.d_c, l.n);
     }},
};

int main(int argc, char **argv) {
    LabInfo info = labInfo(2, "occupancy", __FILE__, "rows and columns of the matrices");
    info.defaultSize = 1 << 12; /* as the textbook's program has it; its runs were with 1 << 14 */
    info.maxSize = 1 << 14;
    info.defaultBlock = 256;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const unsigned int side = (unsigned int)lab.size, n = side * side;
    const unsigned int perWave = blocksAtOnce((const void *)wave, WAVE_BLOCK);
    const size_t most = std::max((size_t)n, (size_t)perWave * MOST_WAVES * WAVE_BLOCK);
    const size_t bytes = n * sizeof(float), outBytes = most * sizeof(float);

    float *h_a = hostArray<float>(n), *h_b = hostArray<float>(n), *h_c = hostArray<float>(most);
    float *sum = hostArray<float>(n), *want = hostArray<float>(most);
    makeMatrices(h_a, h_b, sum, n, lab.seed);
    float *d_a, *d_b, *d_c;
    labNeeds(&lab, 2 * bytes + outBytes);
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, d_a, bytes); /* restored before every run */
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMemcpy(d_b, h_b, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, d_b, bytes);
    CHECK(cudaMalloc(&d_c, outBytes));
    labOutput(&lab, d_c, outBytes); /* poisoned before every run */
    labHeader(&lab,
              "occupancy, matrices of %u x %u floats; the device holds %u blocks of %d at once",
              side, side, perWave, (int)WAVE_BLOCK);

    Launch l = {1, 1, 0, d_a, d_b, d_c, side, n, 0, sum, h_c, n, 0, 3.0 * bytes};
    labExpectRefusals(&lab); /* (256, 8) */
    labGroup(&lab, "x down the columns");
    sweepShapes(&lab, &STEPS[0], l);
    labGroup(&lab, "x along the rows");
    sweepShapes(&lab, &STEPS[1], l);

    labGroup(&lab, "what limits the warps");
    sweepBlocks(&lab, &STEPS[2], l, {32, 64, 128, 256, 768, 1024});
    l.shared = SHARED_BYTES;
    sweepBlocks(&lab, &STEPS[3], l, {256, 512, 1024});

    labGroup(&lab, "registers");
    l.n = std::min(n, TERM_ELEMENTS);
    l.grid = blocksFor(l.n, TERM_BLOCK);
    l.block = TERM_BLOCK;
    l.shared = 0;
    l.want = want;
    l.results = l.n;
    l.tolerance = TOLERANCE;
    l.bytes = 2.0 * l.n * sizeof(float);
    for (unsigned int i = 0, known = 0; i < 3; i++) {
        for (; labSelected(&lab, STEPS[4 + i].name) && known < l.n; known++)
            want[known] = (float)sumOfTerms<double>(h_a[known]);
        runLaunch(&lab, &STEPS[4 + i], l, NULL);
    }

    labGroup(&lab, "waves and tails");
    l.n = std::min(n, (unsigned int)WAVE_BLOCK);
    l.block = WAVE_BLOCK;
    for (unsigned int i = 0; i < l.n; i++) want[i] = rootOnCpu(h_a[i]);
    for (size_t i = l.n; i < most && l.n > 0; i++) want[i] = want[i - l.n];
    sweepWaves(&lab, &STEPS[7], l, perWave);

    labGroup(&lab, "loads in flight");
    l.n = n;
    l.block = 128;
    l.bytes = bytes;
    sweepLoads(&lab, &STEPS[8], l, h_a, want);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    free(h_a);
    free(h_b);
    free(h_c);
    free(sum);
    free(want);
    return labClose(&lab);
}
