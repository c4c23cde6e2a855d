/*
 * Lab 15: histogram. How often does each of 256 values occur?
 *
 *     in      | 3 | 1 | 3 | 0 | 3 | 1 | ...
 *     counts  | 1 | 2 | 0 | 3 | ...           of the values 0, 1, 2, 3, ...
 *
 *     1 countGlobal     an atomic addition in global memory for each number
 *     2 countShared     one histogram a block, in shared memory
 *     3 countCopies     several a block, so that lanes meet less often
 *     4 countMatch      lanes with the same number add once, together
 *     5 countManyEach   few blocks, and four numbers a load
 *
 * Each step counts three kinds of data: uniform, skewed (small numbers are frequent), and one
 * number only. How often lanes meet in one word depends on the data, and so does what a step is
 * worth.
 *
 * To run it: make lab15.
 */
#include "common.h"
#include "harness/cub.h"
#include "harness/lab.h"

enum : unsigned int { WARP = 32, ALL_LANES = 0xffffffff, BINS = 256 };

/* Numbers that a thread counts in steps 1 to 4, a block's width apart. */
enum : unsigned int { EACH = 16 };

/* Histograms of a block in steps 3 and 5. Each has one word more than bins, so that the same bin of
 * two copies lies in two banks. */
enum : unsigned int { COPIES = 8, COPY_WORDS = BINS + 1 };

/* ---- The data, and what each step must give ---- */

enum Kind { UNIFORM, SKEWED, ONE, KINDS };
static const char *const KIND_NAMES[KINDS] = {"uniform", "skewed", "one"};

/* Numbers from 0 to 255. Skewed: the square of a random part of 1, so that one in 16 is 0. */
static void makeData(unsigned int *in, size_t n, Kind kind, uint64_t seed) {
    for (size_t i = 0; i < n; i++) {
        const unsigned int random = (unsigned int)(nextRandom(&seed) >> 56);
        in[i] = kind == UNIFORM ? random : kind == SKEWED ? random * random / 256 : 7;
    }
}

static void countOnHost(const unsigned int *in, unsigned int *counts, size_t n) {
    for (size_t i = 0; i < n; i++) counts[in[i]]++;
}

static Verdict judge(const unsigned int *want, const unsigned int *d_counts) {
    unsigned int got[BINS];
    CHECK(cudaMemcpy(got, d_counts, sizeof got, cudaMemcpyDeviceToHost));
    return judgeResults(want, got, BINS);
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1: given ----
 *
 *     block b    | blockDim.x numbers | the next blockDim.x | ... EACH of them
 *     a thread   one number of each
 *
 * Question: at most how many lanes of a warp add to the same word, for each kind of data?
 * Metric: inst_executed_global_reductions
 */
__global__ void countGlobal(const unsigned int *in, unsigned int *counts, unsigned int n) {
    const unsigned int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
    for (unsigned int k = 0; k < EACH; k++) {
        const unsigned int i = first + k * blockDim.x;
        if (i < n) atomicAdd(&counts[in[i]], 1);
    }
}

/* ---- Step 2 ----
 *
 *     block 0    bins[256] in shared memory  \
 *     block 1    bins[256]                    > counts[256] in global memory, at the end
 *     block 2    bins[256]                   /
 *
 * Question: how many additions to global memory are left for each block? Which barriers does it need?
 * Metric: inst_executed_global_reductions
 */
__global__ void countShared(const unsigned int *in, unsigned int *counts, unsigned int n) {
    // BEGIN SOLUTION countShared
    TODO("Count in shared memory, and add the block's counts to global memory at the end.",
         "handouts/lab15.md#countshared");
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     lane     0  1  2 ... 7   8  9 ... 15   ...
 *     copy     0  1  2 ... 7   0  1 ... 7    ...     lane % COPIES
 *
 * Question: with one number only, how many lanes of a warp add to the same word now?
 * Metric: shared_ld_bank_conflict
 */
__global__ void countCopies(const unsigned int *in, unsigned int *counts, unsigned int n) {
    // BEGIN SOLUTION countCopies
    TODO("Step 2 with COPIES histograms; a lane uses number lane % COPIES.",
         "handouts/lab15.md#countcopies");
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 *     lane       0   1   2   3   4   5 ...
 *     number     3   1   3   0   3   1 ...
 *     same as    lanes 0 2 4     lane 3
 *     adds       3   2   -   1   -   - ...     the first lane of each kind adds for all
 *
 * Question: for which data does this gain most, and for which does it lose?
 * Metric: inst_per_warp
 */
__global__ void countMatch(const unsigned int *in, unsigned int *counts, unsigned int n) {
    // BEGIN SOLUTION countMatch
    TODO("Step 2, but __match_any_sync tells which lanes have the same number; the first of them "
         "adds how many they are.",
         "handouts/lab15.md#countmatch");
    // END SOLUTION
}

/* ---- Step 5 ----
 *
 *     quads     | block 0 | block 1 | block 2 | block 0 | block 1 | ...     of four numbers
 *
 * Question: how many blocks are there now, and what does each save by being one of few?
 * Metric: gld_requests
 */
__global__ void countManyEach(const unsigned int *in, unsigned int *counts, unsigned int n) {
    // BEGIN SOLUTION countManyEach
    TODO("Step 3, but each block goes through the array in steps of the whole grid, by loads of "
         "a uint4.",
         "handouts/lab15.md#countmanyeach");
    // END SOLUTION
}

/* ---- Running them ---- */

static const struct HistogramStep {
    const char *name, *idea;
    void (*kernel)(const unsigned int *in, unsigned int *counts, unsigned int n);
    bool few; /* blocks */
} STEPS[] = {
    {"countGlobal", "additions in global memory", countGlobal, false},
    {"countShared", "one histogram a block", countShared, false},
    {"countCopies", "several a block", countCopies, false},
    {"countMatch", "equal numbers of a warp together", countMatch, false},
    {"countManyEach", "few blocks, four numbers a load", countManyEach, true},
};

int main(int argc, char **argv) {
    LabInfo info = labInfo(15, "histogram", __FILE__, "numbers to count");
    info.defaultSize = 1 << 22;
    info.maxSize = 1 << 30; /* an index beyond the end still fits in 32 bits */
    info.defaultBlock = 256;
    info.blockRefusal = refuseSplitWarps;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const size_t n = lab.size, bytes = n * sizeof(int), countBytes = BINS * sizeof(int);
    const unsigned int all = blocksFor(n, (size_t)lab.block * EACH);
    const unsigned int few = 4 * (unsigned int)deviceAttribute(cudaDevAttrMultiProcessorCount);
    labNeeds(&lab, bytes + countBytes);
    unsigned int *in = hostArray<unsigned int>(n), *d_in, *d_counts;
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_counts, countBytes));
    labHeader(&lab, "histogram of %zu numbers", n);

    for (int kind = 0; kind < KINDS; kind++) {
        unsigned int want[BINS] = {0};
        makeData(in, n, (Kind)kind, lab.seed);
        countOnHost(in, want, n);
        cudaMemset(d_counts, 0, countBytes); /* the copy reports its error, too */
        if (cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice) != cudaSuccess) break;
        labDropArrays(&lab);
        labInput(&lab, d_in, bytes);
        labInput(&lab, d_counts, countBytes); /* zeros before every run */
        labGroup(&lab, "data: %s", KIND_NAMES[kind]);
        for (size_t i = 0; i < COUNT(STEPS); i++) {
            const unsigned int grid = STEPS[i].few && all > few ? few : all;
            labStep(&lab, STEPS[i].name, grid, lab.block);
            labArgument(&lab, "%s", KIND_NAMES[kind]);
            labBytes(&lab, (double)bytes); /* each number is read */
            while (labRuns(&lab)) {
                STEPS[i].kernel<<<grid, lab.block>>>(d_in, d_counts, (unsigned int)n);
                if (labChecks(&lab)) labVerdict(&lab, judge(want, d_counts));
            }
        }
        const auto cub = [&](void *temporary, size_t *size) {
            return cubHistogram(temporary, size, d_in, d_counts, BINS, (int)n);
        };
        runCub(&lab, "cubDeviceHistogram", KIND_NAMES[kind], cubHistogram != NULL, (double)bytes,
               cub, [&] { return judge(want, d_counts); });
    }
    cudaFree(d_in);
    cudaFree(d_counts);
    free(in);
    return labClose(&lab);
}
