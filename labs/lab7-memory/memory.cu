/*
 * Lab 7: memory. What one load or store of a warp costs, depending on where its 32 threads look.
 *
 * Memory moves in sectors of 32 bytes, eight words of four. A request is one load or store of a
 * whole warp; it costs as many sectors as its threads' words lie in. Every kernel here computes
 * next to nothing, so that this can be seen.
 *
 *     steps 1, 2      words that lie side by side, but begin anywhere
 *     steps 3, 4      every stride-th word
 *     steps 5 to 8    points of three coordinates, and the sum of each point's
 *     steps 9 to 11   a copy, by threads that take 4, 8 or 16 bytes at once
 *     steps 12 to 14  a small table that all threads read again and again
 *     steps 15, 16    how often each value occurs
 *
 * GB/s are the bytes that threads ask for over the time. The bytes moved may be many more.
 *
 * To run it: make lab7. By hand:
 *     nvcc -O3 -Icommon labs/lab7-memory/memory.cu -o memory && ./memory --help
 */
#include <vector>

#include "common.h"
#include "harness/lab.h"

constexpr unsigned int WARP = 32;

/* Words of the table, and how many of them each thread reads. */
constexpr unsigned int TABLE = 256;
constexpr unsigned int LOOKUPS = 32;

/* The first word of the table that thread i reads: warps begin one after another, and the threads
 * of a warp lie `spread` words apart. Given to you. */
__host__ __device__ unsigned int firstLookup(unsigned int i, unsigned int spread) {
    return i / WARP + i % WARP * spread;
}

static_assert(8 * WARP == TABLE,
              "with a spread of 8 a warp's threads read a word of each sector of the table");

/* The input has 256 different values, multiples of 0.1 from 0 to 25.5; this is which of
 * them a word is. Given to you. */
constexpr unsigned int BINS = 256;

__host__ __device__ inline unsigned int binOf(float value) {
    return (unsigned int)(value * 10.0f + 0.5f);
}

/* Words that a thread of step 16 counts. */
constexpr unsigned int WORDS = 64;

/* A launch, and what a kernel may get. */
struct Launch {
    dim3 grid, block;
    const float *in, *table;
    float *out;
    unsigned int *bins;
    unsigned int n, count; /* words to work on; threads that have something to do */
    unsigned int parameter;
    unsigned int pitch; /* words from all x to all y: each array begins where a warp's words do */
};

/* ---- On the CPU: what the steps have to do ---- */

/* Word i * fromStep + from of the input goes to word i * toStep + to. */
static void moveWords(float *want, const float *words, unsigned int count, unsigned int fromStep,
                      unsigned int from, unsigned int toStep, unsigned int to) {
    for (unsigned int i = 0; i < count; i++) want[i * toStep + to] = words[i * fromStep + from];
}

/* Sums of points: coordinate c of point i is word i * pointStep + c * coordinateStep. */
static void sumPoints(float *want, const float *words, unsigned int count, unsigned int pointStep,
                      unsigned int coordinateStep) {
    for (unsigned int i = 0; i < count; i++) {
        const float *point = words + i * pointStep;
        want[i] = point[0] + point[coordinateStep] + point[2 * coordinateStep];
    }
}

/* What each thread reads of the table, added up. */
static void sumLookups(float *want, const float *table, unsigned int count, unsigned int spread) {
    for (unsigned int i = 0; i < count; i++) {
        want[i] = 0;
        for (unsigned int k = 0; k < LOOKUPS; k++)
            want[i] += table[(firstLookup(i, spread) + k) % TABLE];
    }
}

/* Words beyond n, in and out: the largest offset, and room for three arrays of points that each
 * begin at a warp's words. */
constexpr unsigned int MARGIN = 4 * WARP;

/* What a step's threads do. */
enum Work {
    READ_OFFSET,
    WRITE_OFFSET,
    READ_STRIDE,
    WRITE_STRIDE,
    SUM_POINTS,
    COPY,
    LOOK_UP,
    TALLY
};

/* What a launch has to write. Words that it must leave alone hold the poison, printed as nan. */
static void expect(float *want, Work work, const Launch &l, const float *words,
                   const float *table) {
    memset(want, POISON_BYTE, (l.n + MARGIN) * sizeof(float));
    switch (work) {
    case READ_OFFSET: moveWords(want, words, l.n, 1, l.parameter, 1, 0); break;
    case WRITE_OFFSET: moveWords(want, words, l.n, 1, 0, 1, l.parameter); break;
    case READ_STRIDE: moveWords(want, words, l.count, l.parameter, 0, 1, 0); break;
    case WRITE_STRIDE: moveWords(want, words, l.count, 1, 0, l.parameter, 0); break;
    case SUM_POINTS:
        sumPoints(want, words, l.count, l.parameter, l.parameter > 1 ? 1 : l.pitch);
        break;
    case LOOK_UP: sumLookups(want, table, l.count, l.parameter); break;
    default: moveWords(want, words, l.n, 1, 0, 1, 0);
    }
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     sector       |0 1 2 3 4 5 6 7|8 9 ...             |24 ...       31|32 ...
 *     offset 0      ^ ^ ^ ^ ^ ^ ^ ^ ^ ^                                 ^       4 sectors
 *     offset 1        ^ ^ ^ ^ ^ ^ ^ ^ ^                                 ^ ^     5 sectors
 *
 * Question: for which offsets are there four sectors a request, for which five? Are there any
 * for which there are more?
 * Metric: gld_transactions_per_request
 */
__global__ void offsetLoad(const float *in, float *out, unsigned int n, unsigned int offset) {
    // BEGIN SOLUTION offsetLoad
    TODO("Thread i, below n, copies word i + offset of in to word i of out.",
         "handouts/lab7.md#offsetload");
    // END SOLUTION
}

/* ---- Step 2 ----
 *
 * Question: a fifth sector is now written in part. Who else writes to it? What
 * does that do to the time?
 * Metric: gst_transactions_per_request
 */
__global__ void offsetStore(const float *in, float *out, unsigned int n, unsigned int offset) {
    // BEGIN SOLUTION offsetStore
    TODO("Thread i, below n, copies word i of in to word i + offset of out.",
         "handouts/lab7.md#offsetstore");
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     sector       |0 1 2 3 4 5 6 7|8 9 ...
 *     stride 2      ^   ^   ^   ^   ^                         32 words in 8 sectors
 *     stride 8      ^               ^                         in 32: each in its own
 *
 * Question: n words of memory, and every stride-th of them is read. With which stride are
 * the fewest sectors moved?
 * Metric: gld_transactions_per_request
 */
__global__ void strideLoad(const float *in, float *out, unsigned int n, unsigned int stride) {
    // BEGIN SOLUTION strideLoad
    TODO("Thread i copies word i * stride of in, below n, to word i of out.",
         "handouts/lab7.md#strideload");
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 * Question: a sector of which a warp writes one word: do the other seven have to be read first?
 * Metric: gst_transactions_per_request
 */
__global__ void strideStore(const float *in, float *out, unsigned int n, unsigned int stride) {
    // BEGIN SOLUTION strideStore
    TODO("Thread i copies word i of in to word i * stride of out, below n.",
         "handouts/lab7.md#stridestore");
    // END SOLUTION
}

/* ---- Points ---- */

struct PackedPoint {
    float x, y, z;
};

struct PaddedPoint {
    float x, y, z, unused;
};

struct __align__(16) AlignedPoint {
    float x, y, z, unused;
};

static_assert(sizeof(PackedPoint) == 12, "the handout's arithmetic has points of three words");
static_assert(sizeof(PaddedPoint) == 16 && sizeof(AlignedPoint) == 16, "and of four");

/* ---- Step 5 ----
 *
 *     word          0 1 2 3 4 5 6 7 8 9 ...
 *     is            x y z x y z x y z x
 *     first load    ^     ^     ^     ^         all x of a warp; then all y, then all z
 *
 * Question: a warp's points fill 12 sectors. How many does each of the three loads touch,
 * and how many do all three?
 * Metric: gld_efficiency
 */
__global__ void structPacked(const PackedPoint *points, float *sums, unsigned int count) {
    // BEGIN SOLUTION structPacked
    TODO("Thread i, below count, leaves x + y + z of point i in sums[i].",
         "handouts/lab7.md#structpacked");
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 *     word          0 1 2 3 4 5 6 7 8 9 ...
 *     is            x y z . x y z . x y         no point crosses a sector's end any more
 *
 * Question: is that better or worse than step 5? By how much?
 * Metric: gld_efficiency
 */
__global__ void structPadded(const PaddedPoint *points, float *sums, unsigned int count) {
    // BEGIN SOLUTION structPadded
    TODO("The same as step 5: only the type of the points differs.",
         "handouts/lab7.md#structpadded");
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 * Question: the same words in memory, the same lines of code, and __align__(16) on the type. What
 * has the compiler made of the three loads?
 * Metric: gld_transactions_per_request
 */
__global__ void structAligned(const AlignedPoint *points, float *sums, unsigned int count) {
    // BEGIN SOLUTION structAligned
    TODO("The same as step 5 once more.", "handouts/lab7.md#structaligned");
    // END SOLUTION
}

/* ---- Step 8 ----
 *
 *     x x x x x ...    y y y y y ...    z z z z z ...
 *
 * Question: three loads again. How many sectors are they together?
 * Metric: gld_efficiency
 */
__global__ void fieldArrays(const float *x, const float *y, const float *z, float *sums,
                            unsigned int count) {
    // BEGIN SOLUTION fieldArrays
    TODO("Thread i, below count, leaves x[i] + y[i] + z[i] in sums[i].",
         "handouts/lab7.md#fieldarrays");
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 * Question: each thread takes one word. How many requests does a warp make,
 * how many sectors is each?
 * Metric: gld_transactions_per_request
 */
__global__ void copyFloat(const float *in, float *out, unsigned int n) {
    // BEGIN SOLUTION copyFloat
    TODO("Thread i, below n, copies word i.", "handouts/lab7.md#copyfloat");
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 *     thread 0  1  2 ...                        thread n/2, if n is odd
 *     words  01 23 45 ...                              n-1
 *
 * Question: eight bytes a thread: how many requests now for the same n words?
 * How many sectors in all?
 * Metric: gld_transactions_per_request
 */
__global__ void copyFloat2(const float *in, float *out, unsigned int n) {
    // BEGIN SOLUTION copyFloat2
    TODO("Thread i, below n / 2, copies pair i as a float2; thread n / 2 copies the last word of "
         "an odd n.",
         "handouts/lab7.md#copyfloat2");
    // END SOLUTION
}

/* ---- Step 11 ----
 *
 * Question: sixteen bytes a thread. Which of the metrics change against step 9, and which
 * do not? What of the time?
 * Metric: gld_transactions_per_request
 */
__global__ void copyFloat4(const float *in, float *out, unsigned int n) {
    // BEGIN SOLUTION copyFloat4
    TODO("As step 10, with float4: thread n / 4 copies the words left over.",
         "handouts/lab7.md#copyfloat4");
    // END SOLUTION
}

/* ---- Step 12 ----
 *
 *     spread 0     all threads of a warp read the same word
 *            1     neighbouring words
 *            8     words 32 bytes apart, each in another sector
 *
 * Question: how many sectors is a request with each of them? (Warps begin at every word, not
 * only where sectors begin.)
 * Metric: gld_transactions_per_request
 */
__global__ void lookupGlobal(const float *table, float *out, unsigned int count,
                             unsigned int spread) {
    // BEGIN SOLUTION lookupGlobal
    TODO("Thread i, below count, adds up LOOKUPS words from firstLookup(i, spread) on; after "
         "word TABLE - 1 comes word 0.",
         "handouts/lab7.md#lookupglobal");
    // END SOLUTION
}

/* ---- Step 13 ----
 *
 * Question: __ldg promises that nobody writes to the table. What can a GPU of
 * today do with that promise?
 * Metric: gld_transactions_per_request
 */
__global__ void lookupReadOnly(const float *table, float *out, unsigned int count,
                               unsigned int spread) {
    // BEGIN SOLUTION lookupReadOnly
    TODO("Step 12, reading with __ldg(&table[...]).", "handouts/lab7.md#lookupreadonly");
    // END SOLUTION
}

/* The same table in constant memory, which has its own cache. */
__constant__ float constantTable[TABLE];

/* ---- Step 14 ----
 *
 * Question: the constant cache hands one word at a time to a warp, and to all threads that want it.
 * Which spread suits it, and which does not?
 * Metric: gld_transactions
 */
__global__ void lookupConstant(float *out, unsigned int count, unsigned int spread) {
    // BEGIN SOLUTION lookupConstant
    TODO("Step 12, reading from constantTable.", "handouts/lab7.md#lookupconstant");
    // END SOLUTION
}

/* ---- Step 15 ----
 *
 * Question: all multiprocessors count in the same 256 words. Where are these words, and
 * how far is the way there?
 * Metric: inst_executed_global_reductions
 */
__global__ void histogramGlobal(const float *in, unsigned int *bins, unsigned int n) {
    // BEGIN SOLUTION histogramGlobal
    TODO("Thread i, below n, adds 1 to the bin of in[i] with atomicAdd.",
         "handouts/lab7.md#histogramglobal");
    // END SOLUTION
}

/* ---- Step 16 ----
 *
 *     words of block 0      words of block 1      ...
 *         |  |  |               |  |  |           one atomic addition for each word, shared memory
 *       256 counters          256 counters
 *               \              /                  one for each counter, global memory
 *                 256 counters
 *
 * Question: a block counts WORDS * blockDim.x words. How many additions to global
 * memory are left for each word?
 * Metric: inst_executed_global_reductions
 */
__global__ void histogramShared(const float *in, unsigned int *bins, unsigned int n) {
    // BEGIN SOLUTION histogramShared
    TODO("Count the block's WORDS * blockDim.x words in shared memory; after a barrier, add each "
         "counter to its bin.",
         "handouts/lab7.md#histogramshared");
    // END SOLUTION
}

/* ---- Running them ---- */

/* A step's launch, as a function. */
#define LAUNCH(kernel, ...) [](const Launch &l) { kernel<<<l.grid, l.block>>>(__VA_ARGS__); }

struct MemoryStep {
    const char *name, *idea;
    void (*launch)(const Launch &l);
    Work work;
    /* The offset, the stride, the words from one point to the next or that a thread copies or
     * counts, or the spread; a sweep shows it as the kernel's argument. */
    std::vector<unsigned int> parameters;
    const char *group; /* the title above the row; NULL: as before */
};

static const std::vector<unsigned int> OFFSETS = {0, 1, 4, 7, 8, 9, 16, 31, 32},
                                       STRIDES = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32},
                                       SPREADS = {0, 1, 8};

static const MemoryStep STEPS[] = {
    {"offsetLoad", "read words that begin anywhere",
     LAUNCH(offsetLoad, l.in, l.out, l.n, l.parameter), READ_OFFSET, OFFSETS,
     "words that begin anywhere (offset in words)"},
    {"offsetStore", "write words that begin anywhere",
     LAUNCH(offsetStore, l.in, l.out, l.n, l.parameter), WRITE_OFFSET, OFFSETS, NULL},
    {"strideLoad", "read every stride-th word", LAUNCH(strideLoad, l.in, l.out, l.n, l.parameter),
     READ_STRIDE, STRIDES, "every stride-th word (stride in words)"},
    {"strideStore", "write every stride-th word",
     LAUNCH(strideStore, l.in, l.out, l.n, l.parameter), WRITE_STRIDE, STRIDES, NULL},
    {"structPacked",
     "an array of structures of 12 bytes",
     LAUNCH(structPacked, (const PackedPoint *)l.in, l.out, l.count),
     SUM_POINTS,
     {3},
     "points of three coordinates"},
    {"structPadded",
     "of 16 bytes",
     LAUNCH(structPadded, (const PaddedPoint *)l.in, l.out, l.count),
     SUM_POINTS,
     {4},
     NULL},
    {"structAligned",
     "of 16 bytes, and the compiler knows",
     LAUNCH(structAligned, (const AlignedPoint *)l.in, l.out, l.count),
     SUM_POINTS,
     {4},
     NULL},
    {"fieldArrays",
     "a structure of arrays",
     LAUNCH(fieldArrays, l.in, l.in + l.pitch, l.in + 2 * l.pitch, l.out, l.count),
     SUM_POINTS,
     {1},
     NULL},
    {"copyFloat", "4 bytes a thread", LAUNCH(copyFloat, l.in, l.out, l.n), COPY, {1}, "a copy"},
    {"copyFloat2", "8 bytes a thread", LAUNCH(copyFloat2, l.in, l.out, l.n), COPY, {2}, NULL},
    {"copyFloat4", "16 bytes a thread", LAUNCH(copyFloat4, l.in, l.out, l.n), COPY, {4}, NULL},
    {"lookupGlobal", "a small table in global memory",
     LAUNCH(lookupGlobal, l.table, l.out, l.count, l.parameter), LOOK_UP, SPREADS,
     "a small table (spread of a warp's threads in words)"},
    {"lookupReadOnly", "read with __ldg",
     LAUNCH(lookupReadOnly, l.table, l.out, l.count, l.parameter), LOOK_UP, SPREADS, NULL},
    {"lookupConstant", "in constant memory", LAUNCH(lookupConstant, l.out, l.count, l.parameter),
     LOOK_UP, SPREADS, NULL},
    {"histogramGlobal",
     "count in global memory",
     LAUNCH(histogramGlobal, l.in, l.bins, l.n),
     TALLY,
     {1},
     "how often each value occurs"},
    {"histogramShared",
     "count in shared memory first",
     LAUNCH(histogramShared, l.in, l.bins, l.n),
     TALLY,
     {WORDS},
     NULL},
};

/* Threads that a launch needs. */
static unsigned int threadsFor(Work work, unsigned int n, unsigned int parameter) {
    switch (work) {
    case READ_OFFSET:
    case WRITE_OFFSET: return n;
    case SUM_POINTS: return n / 4;
    case LOOK_UP: return n / 16;
    default: return blocksFor(n, parameter);
    }
}

/* Bytes that its threads ask for. */
static double bytesFor(Work work, const Launch &l) {
    switch (work) {
    case SUM_POINTS: return 4.0 * sizeof(float) * l.count;
    case COPY: return 2.0 * sizeof(float) * l.n;
    case LOOK_UP: return (LOOKUPS + 1.0) * sizeof(float) * l.count;
    case TALLY: return (l.n + 2.0 * BINS) * sizeof(float);
    default: return 2.0 * sizeof(float) * l.count;
    }
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(7, "memory", __FILE__, "words of four bytes to work on");
    /* 64 MiB in and as much out, more than the caches of most GPUs hold. */
    info.defaultSize = 1 << 24;
    info.maxSize = 1 << 28; /* an index fits in 32 bits, with room for a stride beyond the end */
    info.defaultBlock = 256;
    info.blockRefusal = refuseSplitWarps;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const unsigned int n = (unsigned int)lab.size, length = n + MARGIN;
    const size_t bytes = length * sizeof(float);
    float *h_in = hostArray<float>(length), *h_out = hostArray<float>(length);
    float *want = hostArray<float>(length), table[TABLE];
    unsigned int none[BINS] = {0}, bins[BINS] = {0}, h_bins[BINS];
    initialData(h_in, length, lab.seed);
    initialData(table, TABLE, lab.seed + 1);
    for (unsigned int i = 0; i < n; i++) bins[binOf(h_in[i])]++;

    float *d_in, *d_table, *d_out;
    unsigned int *d_bins;
    labNeeds(&lab, 2 * bytes + sizeof table + sizeof bins);
    CHECK(cudaMemcpyToSymbol(constantTable, table, sizeof table));
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, d_in, bytes); /* restored before every run */
    CHECK(cudaMalloc(&d_table, sizeof table));
    CHECK(cudaMemcpy(d_table, table, sizeof table, cudaMemcpyHostToDevice));
    labInput(&lab, d_table, sizeof table);
    CHECK(cudaMalloc(&d_out, bytes));
    labOutput(&lab, d_out, bytes); /* poisoned before every run */
    CHECK(cudaMalloc(&d_bins, sizeof none));
    CHECK(cudaMemcpy(d_bins, none, sizeof none, cudaMemcpyHostToDevice));
    labInput(&lab, d_bins, sizeof none);
    labHeader(&lab, "memory, %u words; GB/s: bytes that threads ask for", n);

    for (const MemoryStep &step : STEPS) {
        if (step.group != NULL) labGroup(&lab, "%s", step.group);
        for (unsigned int parameter : step.parameters) {
            const unsigned int count = threadsFor(step.work, n, parameter),
                               grid = blocksFor(count, lab.block);
            const Launch launch = {
                grid,   lab.block, d_in,  d_table,   d_out,
                d_bins, n,         count, parameter, blocksFor(n / 4, WARP) * WARP};
            expect(want, step.work, launch, h_in, table);
            labStep(&lab, step.name, grid, lab.block);
            if (step.parameters.size() > 1) labArgument(&lab, "%u", parameter);
            labBytes(&lab, bytesFor(step.work, launch));
            while (labRuns(&lab)) {
                step.launch(launch);
                if (!labChecks(&lab)) continue;
                CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
                CHECK(cudaMemcpy(h_bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost));
                labVerdict(&lab, step.work == TALLY ? judgeResults(bins, h_bins, BINS)
                                                    : judgeBits(want, h_out, length));
            }
        }
    }
    cudaFree(d_in);
    cudaFree(d_table);
    cudaFree(d_out);
    cudaFree(d_bins);
    free(h_in);
    free(h_out);
    free(want);
    return labClose(&lab);
}
