/*
 * Lab 7: memory. What one load or store of a warp costs, depending on where its 32 threads look.
 *
 * Memory moves in sectors of 32 bytes, eight words of four. A request is one load or store of a whole warp; it costs as
 * many sectors as its threads' words lie in. Every kernel here computes next to nothing, so that this can be seen.
 *
 *   words that lie side by side, but begin anywhere
 *     1 offsetLoad       read from word `offset` on
 *     2 offsetStore      write from word `offset` on
 *   every stride-th word
 *     3 strideLoad       read them
 *     4 strideStore      write them
 *   points of three coordinates, and the sum of each point's
 *     5 structPacked     an array of structures of 12 bytes
 *     6 structPadded     of 16 bytes
 *     7 structAligned    of 16 bytes, and the compiler is told so
 *     8 fieldArrays      a structure of arrays: all x, then all y, then all z
 *   a copy, by threads that take 4, 8 or 16 bytes at once
 *     9 copyFloat
 *    10 copyFloat2
 *    11 copyFloat4
 *   a small table that all threads read again and again
 *    12 lookupGlobal     with ordinary loads
 *    13 lookupReadOnly   with __ldg
 *    14 lookupConstant   from constant memory
 *   how often each value occurs
 *    15 histogramGlobal  all threads count in the same memory
 *    16 histogramShared  each block counts for itself first: two levels
 *
 * GB/s are the bytes that threads ask for, wanted ones, over the time. Bytes moved may be many more.
 *
 * To run it: make lab7. By hand: nvcc -O3 -Icommon labs/lab7-memory/memory.cu -o memory && ./memory --help
 */
#include "common.h"
#include "harness/old_lab.h"

constexpr unsigned int WARP = 32;

/* ---- Step 1 ----
 *
 *     sector       |0 1 2 3 4 5 6 7|8 9 ...                  |24 ...       31|32 ...
 *     offset 0      ^ ^ ^ ^ ^ ^ ^ ^ ^ ^                                      ^          32 words in 4 sectors
 *     offset 1        ^ ^ ^ ^ ^ ^ ^ ^ ^                                      ^ ^        in 5
 *
 * Question: for which offsets are there four sectors a request, for which five? Are there any for which there are more?
 * Metric: gld_transactions_per_request
 */
__global__ void offsetLoad(const float *in, float *out, unsigned int n, unsigned int offset) {
    // BEGIN SOLUTION offsetLoad
    // TODO("Thread i, below n, copies word i + offset of in to word i of out.", "handouts/lab7.md#offsetload");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + offset];
    // END SOLUTION
}

/* ---- Step 2 ----
 *
 * Question: a fifth sector is now written in part. Who else writes to it? What does that do to the time?
 * Metric: gst_transactions_per_request
 */
__global__ void offsetStore(const float *in, float *out, unsigned int n, unsigned int offset) {
    // BEGIN SOLUTION offsetStore
    // TODO("Thread i, below n, copies word i of in to word i + offset of out.", "handouts/lab7.md#offsetstore");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i + offset] = in[i];
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     sector       |0 1 2 3 4 5 6 7|8 9 ...
 *     stride 2      ^   ^   ^   ^   ^                         32 words in 8 sectors
 *     stride 8      ^               ^                         in 32: each in its own
 *
 * Question: n words of memory, and every stride-th of them is read. With which stride are the fewest sectors moved?
 * Metric: gld_transactions_per_request
 */
__global__ void strideLoad(const float *in, float *out, unsigned int n, unsigned int stride) {
    // BEGIN SOLUTION strideLoad
    // TODO("Thread i copies word i * stride of in, below n, to word i of out.", "handouts/lab7.md#strideload");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int word = i * stride;
    if (word < n) out[i] = in[word];
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 * Question: a sector of which a warp writes one word: do the other seven have to be read first?
 * Metric: gst_transactions_per_request
 */
__global__ void strideStore(const float *in, float *out, unsigned int n, unsigned int stride) {
    // BEGIN SOLUTION strideStore
    // TODO("Thread i copies word i of in to word i * stride of out, below n.", "handouts/lab7.md#stridestore");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int word = i * stride;
    if (word < n) out[word] = in[i];
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
 *     first load    ^     ^     ^     ^                       all x of a warp; then all y, then all z
 *
 * Question: a warp's points fill 12 sectors. How many does each of the three loads touch, and how many do all three?
 * Metric: gld_efficiency
 */
__global__ void structPacked(const PackedPoint *points, float *sums, unsigned int count) {
    // BEGIN SOLUTION structPacked
    // TODO("Thread i, below count, leaves x + y + z of point i in sums[i].", "handouts/lab7.md#structpacked");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sums[i] = points[i].x + points[i].y + points[i].z;
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 *     word          0 1 2 3 4 5 6 7 8 9 ...
 *     is            x y z . x y z . x y                       no point crosses a sector's end any more
 *
 * Question: is that better or worse than step 5? By how much?
 * Metric: gld_efficiency
 */
__global__ void structPadded(const PaddedPoint *points, float *sums, unsigned int count) {
    // BEGIN SOLUTION structPadded
    // TODO("The same as step 5: only the type of the points differs.", "handouts/lab7.md#structpadded");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sums[i] = points[i].x + points[i].y + points[i].z;
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 * Question: the same words in memory, the same lines of code, and __align__(16) on the type. What has the compiler made
 * of the three loads?
 * Metric: gld_transactions_per_request
 */
__global__ void structAligned(const AlignedPoint *points, float *sums, unsigned int count) {
    // BEGIN SOLUTION structAligned
    // TODO("The same as step 5 once more.", "handouts/lab7.md#structaligned");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sums[i] = points[i].x + points[i].y + points[i].z;
    // END SOLUTION
}

/* ---- Step 8 ----
 *
 *     x x x x x ...    y y y y y ...    z z z z z ...
 *
 * Question: three loads again. How many sectors are they together?
 * Metric: gld_efficiency
 */
__global__ void fieldArrays(const float *x, const float *y, const float *z, float *sums, unsigned int count) {
    // BEGIN SOLUTION fieldArrays
    // TODO("Thread i, below count, leaves x[i] + y[i] + z[i] in sums[i].", "handouts/lab7.md#fieldarrays");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sums[i] = x[i] + y[i] + z[i];
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 * Question: each thread takes one word. How many requests does a warp make, how many sectors is each?
 * Metric: gld_transactions_per_request
 */
__global__ void copyFloat(const float *in, float *out, unsigned int n) {
    // BEGIN SOLUTION copyFloat
    // TODO("Thread i, below n, copies word i.", "handouts/lab7.md#copyfloat");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 *     thread 0  1  2 ...                        thread n/2, if n is odd
 *     words  01 23 45 ...                              n-1
 *
 * Question: eight bytes a thread: how many requests now for the same n words? How many sectors in all?
 * Metric: gld_transactions_per_request
 */
__global__ void copyFloat2(const float *in, float *out, unsigned int n) {
    // BEGIN SOLUTION copyFloat2
    // TODO("Thread i, below n / 2, copies pair i as a float2; thread n / 2 copies the last word of an odd n.",
    //      "handouts/lab7.md#copyfloat2");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) ((float2 *)out)[i] = ((const float2 *)in)[i];
    if (i == n / 2 && n % 2 == 1) out[n - 1] = in[n - 1];
    // END SOLUTION
}

/* ---- Step 11 ----
 *
 * Question: sixteen bytes a thread. Which of the metrics change against step 9, and which do not? What of the time?
 * Metric: gld_transactions_per_request
 */
__global__ void copyFloat4(const float *in, float *out, unsigned int n) {
    // BEGIN SOLUTION copyFloat4
    // TODO("As step 10, with float4: thread n / 4 copies the words left over.", "handouts/lab7.md#copyfloat4");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) ((float4 *)out)[i] = ((const float4 *)in)[i];
    if (i == n / 4) {
        for (unsigned int word = n - n % 4; word < n; word++) out[word] = in[word];
    }
    // END SOLUTION
}

/* ---- A table ---- */

/* Words of the table, and how many of them each thread reads. */
constexpr unsigned int TABLE = 256;
constexpr unsigned int LOOKUPS = 32;

/* The first word of the table that thread i reads: warps begin one after another, and the threads of a warp lie
 * `spread` words apart. Given to you. */
__host__ __device__ unsigned int firstLookup(unsigned int i, unsigned int spread) {
    return i / WARP + i % WARP * spread;
}

static_assert(8 * WARP == TABLE, "with a spread of 8 a warp's threads read a word of each sector of the table");

/* ---- Step 12 ----
 *
 *     spread 0     all threads of a warp read the same word
 *            1     neighbouring words
 *            8     words 32 bytes apart, each in a sector of its own
 *
 * Question: how many sectors is a request with each of them? (Warps begin at every word, not only where sectors begin.)
 * Metric: gld_transactions_per_request
 */
__global__ void lookupGlobal(const float *table, float *out, unsigned int count, unsigned int spread) {
    // BEGIN SOLUTION lookupGlobal
    // TODO("Thread i, below count, adds up LOOKUPS words from firstLookup(i, spread) on; behind word TABLE - 1 is 0.",
    //      "handouts/lab7.md#lookupglobal");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned int word = firstLookup(i, spread);
    float sum = 0;
    for (unsigned int k = 0; k < LOOKUPS; k++) sum += table[(word + k) % TABLE];
    out[i] = sum;
    // END SOLUTION
}

/* ---- Step 13 ----
 *
 * Question: __ldg promises that nobody writes to the table. What can a GPU of today do with that promise?
 * Metric: gld_transactions_per_request
 */
__global__ void lookupReadOnly(const float *table, float *out, unsigned int count, unsigned int spread) {
    // BEGIN SOLUTION lookupReadOnly
    // TODO("Step 12, reading with __ldg(&table[...]).", "handouts/lab7.md#lookupreadonly");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned int word = firstLookup(i, spread);
    float sum = 0;
    for (unsigned int k = 0; k < LOOKUPS; k++) sum += __ldg(&table[(word + k) % TABLE]);
    out[i] = sum;
    // END SOLUTION
}

/* The same table in constant memory, which has a cache of its own. */
__constant__ float constantTable[TABLE];

/* ---- Step 14 ----
 *
 * Question: the constant cache hands one word at a time to a warp, and to all threads that want it. Which spread suits
 * it, and which does not?
 * Metric: gld_transactions
 */
__global__ void lookupConstant(float *out, unsigned int count, unsigned int spread) {
    // BEGIN SOLUTION lookupConstant
    // TODO("Step 12, reading from constantTable.", "handouts/lab7.md#lookupconstant");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned int word = firstLookup(i, spread);
    float sum = 0;
    for (unsigned int k = 0; k < LOOKUPS; k++) sum += constantTable[(word + k) % TABLE];
    out[i] = sum;
    // END SOLUTION
}

/* ---- Counting ---- */

/* The input has 256 different values, multiples of 0.1 from 0 to 25.5; this is which of them a word is. Given to you.
 */
constexpr unsigned int BINS = 256;

__host__ __device__ inline unsigned int binOf(float value) {
    return (unsigned int)(value * 10.0f + 0.5f);
}

/* ---- Step 15 ----
 *
 * Question: all multiprocessors count in the same 256 words. Where are these words, and how far is the way there?
 * Metric: inst_executed_global_reductions
 */
__global__ void histogramGlobal(const float *in, unsigned int *bins, unsigned int n) {
    // BEGIN SOLUTION histogramGlobal
    // TODO("Thread i, below n, adds 1 to the bin of in[i] with atomicAdd.", "handouts/lab7.md#histogramglobal");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[binOf(in[i])], 1);
    // END SOLUTION
}

/* Words that a thread of step 16 counts. */
constexpr unsigned int WORDS = 64;

/* ---- Step 16 ----
 *
 *     words of block 0      words of block 1      ...
 *         |  |  |               |  |  |                       one atomic addition for each word, in shared memory
 *       256 counters          256 counters
 *               \              /                              one for each counter, in global memory
 *                 256 counters
 *
 * Question: a block counts WORDS * blockDim.x words. How many additions to global memory are left for each word?
 * Metric: inst_executed_global_reductions
 */
__global__ void histogramShared(const float *in, unsigned int *bins, unsigned int n) {
    // BEGIN SOLUTION histogramShared
    // TODO("Count the block's WORDS * blockDim.x words in shared memory; after a barrier, add each counter to its bin.",
    //      "handouts/lab7.md#histogramshared");
    __shared__ unsigned int counters[BINS];
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x) counters[bin] = 0;
    __syncthreads();

    unsigned int begin = blockIdx.x * blockDim.x * WORDS + threadIdx.x;
    for (unsigned int k = 0; k < WORDS; k++) {
        unsigned int i = begin + k * blockDim.x;
        if (i < n) atomicAdd(&counters[binOf(in[i])], 1);
    }
    __syncthreads();
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x) atomicAdd(&bins[bin], counters[bin]);
    // END SOLUTION
}

/* ---- Running them ---- */

struct MemoryStep {
    const char *name, *idea;
};

static const MemoryStep STEPS[] = {
    {"offsetLoad", "read words that begin anywhere"},
    {"offsetStore", "write words that begin anywhere"},
    {"strideLoad", "read every stride-th word"},
    {"strideStore", "write every stride-th word"},
    {"structPacked", "an array of structures of 12 bytes"},
    {"structPadded", "of 16 bytes"},
    {"structAligned", "of 16 bytes, and the compiler knows"},
    {"fieldArrays", "a structure of arrays"},
    {"copyFloat", "4 bytes a thread"},
    {"copyFloat2", "8 bytes a thread"},
    {"copyFloat4", "16 bytes a thread"},
    {"lookupGlobal", "a small table in global memory"},
    {"lookupReadOnly", "read with __ldg"},
    {"lookupConstant", "in constant memory"},
    {"histogramGlobal", "count in global memory"},
    {"histogramShared", "count in shared memory first"},
};

static const char *blockRefusal(unsigned int block) {
    return block % WARP == 0 ? NULL : "the lab speaks of whole warps: give a multiple of 32 up to 1024";
}

/* 64 MiB in and as much out, more than the caches of most GPUs hold. 2^28 words at most, so that an index fits in 32
 * bits with room for a stride beyond the end. */
static const LabInfo INFO = {
    7, "memory", __FILE__, "words of four bytes to work on", 1 << 24, 1 << 28, 0, 256, blockRefusal, false, 0};

/* What the sweeps go through. */
static const unsigned int OFFSETS[] = {0, 1, 4, 7, 8, 9, 16, 31, 32};
static const unsigned int STRIDES[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32};
static const unsigned int SPREADS[] = {0, 1, 8};

/* Words beyond n, in and out: the largest offset, and room for three arrays of points that each begin at a warp's
 * words. */
constexpr unsigned int MARGIN = 4 * WARP;

/* Threads of the lookups, and points, for n words. */
constexpr unsigned int WORDS_PER_LOOKER = 16, WORDS_PER_POINT = 4;

struct Data {
    unsigned int n;
    float *words, *table, *got; /* n + MARGIN words, and TABLE */
    unsigned int bins[BINS];    /* how often each value is among the first n words */
    float untouched;            /* the poison that is still there where a kernel writes nothing */
};

/* The device's memory. */
struct DeviceData {
    float *in, *table, *out;
    unsigned int *bins;
};

static Data makeData(unsigned int n, uint64_t seed) {
    Data data = {n, hostArray<float>(n + MARGIN), hostArray<float>(TABLE), hostArray<float>(n + MARGIN), {0}, 0};
    initialData(data.words, n + MARGIN, seed);
    initialData(data.table, TABLE, seed + 1);
    for (unsigned int i = 0; i < n; i++) data.bins[binOf(data.words[i])]++;
    memset(&data.untouched, POISON_BYTE, sizeof data.untouched);
    return data;
}

static DeviceData makeDeviceData(Lab *lab, const Data &data) {
    const unsigned int none[BINS] = {0};
    CHECK(cudaMemcpyToSymbol(constantTable, data.table, sizeof constantTable));
    DeviceData device = {lab->input(data.words, data.n + MARGIN), lab->input(data.table, TABLE),
                         lab->output<float>(data.n + MARGIN), lab->input(none, BINS)};
    return device;
}

static void freeData(Data *data) {
    for (float *array : {data->words, data->table, data->got}) free(array);
}

static bool sameBits(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* All of out against want(i), bit by bit: nothing here rounds, other than additions in the same order. What a kernel
 * must not write has to be poison still, which shows as nan. */
template <class Want> Verdict checkWords(const Data &data, const float *d_out, Want want) {
    const unsigned int length = data.n + MARGIN;
    CHECK(cudaMemcpy(data.got, d_out, length * sizeof(float), cudaMemcpyDeviceToHost));
    Verdict verdict = ALL_RIGHT;
    for (unsigned int i = 0; i < length; i++) {
        judgeElement(&verdict, sameBits(data.got[i], want(i)), data.got[i], want(i));
    }
    return verdict;
}

static Verdict checkBins(const Data &data, const unsigned int *d_bins) {
    unsigned int got[BINS];
    CHECK(cudaMemcpy(got, d_bins, sizeof got, cudaMemcpyDeviceToHost));
    return judgeResults(data.bins, got, BINS);
}

static unsigned int groupsOf(unsigned int n, unsigned int size) {
    return (n + size - 1) / size;
}

/* What it takes to run kernels: the lab, and the data on both sides. */
struct Bench {
    Lab *lab;
    Data *data;
    DeviceData device;
};

typedef void (*WordKernel)(const float *in, float *out, unsigned int n, unsigned int parameter);

/* One kernel with each of the parameters. wanted(parameter) is how many words it copies; want(parameter, i) is what
 * has to be in word i of out. */
template <int N, class Wanted, class Want>
void sweep(const Bench &bench, const unsigned int (&parameters)[N], WordKernel kernel, Wanted wanted, Want want) {
    const unsigned int n = bench.data->n, block = bench.lab->block();
    for (const unsigned int &parameter : parameters) {
        const unsigned int words = wanted(parameter), grid = groupsOf(words, block);
        auto launch = [&] { kernel<<<grid, block>>>(bench.device.in, bench.device.out, n, parameter); };
        auto check = [&] {
            return checkWords(*bench.data, bench.device.out, [&](unsigned int i) { return want(parameter, i); });
        };
        const double bytes = 2.0 * sizeof(float) * words;
        const std::string argument = format("%u", parameter);
        &parameter == parameters ? bench.lab->step(grid, block, bytes, launch, check, "", argument)
                                 : bench.lab->again(grid, block, bytes, launch, check, "", argument);
    }
}

static void runOffsets(const Bench &bench) {
    const Data &data = *bench.data;
    auto all = [&](unsigned int) { return data.n; };
    bench.lab->group("words that begin anywhere (offset in words)");
    sweep(bench, OFFSETS, offsetLoad, all,
          [&](unsigned int offset, unsigned int i) { return i < data.n ? data.words[i + offset] : data.untouched; });
    sweep(bench, OFFSETS, offsetStore, all, [&](unsigned int offset, unsigned int i) {
        return i >= offset && i - offset < data.n ? data.words[i - offset] : data.untouched;
    });
}

static void runStrides(const Bench &bench) {
    const Data &data = *bench.data;
    auto some = [&](unsigned int stride) { return groupsOf(data.n, stride); };
    bench.lab->group("every stride-th word (stride in words)");
    sweep(bench, STRIDES, strideLoad, some, [&](unsigned int stride, unsigned int i) {
        return i < groupsOf(data.n, stride) ? data.words[i * stride] : data.untouched;
    });
    sweep(bench, STRIDES, strideStore, some, [&](unsigned int stride, unsigned int i) {
        return i < data.n && i % stride == 0 ? data.words[i / stride] : data.untouched;
    });
}

/* A kernel over the points, whose coordinate c of point i is word at(i, c). */
template <class Launch, class At> void runPoints(const Bench &bench, Launch launch, At at) {
    const Data &data = *bench.data;
    const unsigned int count = data.n / WORDS_PER_POINT, block = bench.lab->block(), grid = groupsOf(count, block);
    bench.lab->step(
        grid, block, 4.0 * sizeof(float) * count, [&] { launch(grid, block, count); },
        [&] {
            return checkWords(data, bench.device.out, [&](unsigned int i) {
                return i < count ? data.words[at(i, 0)] + data.words[at(i, 1)] + data.words[at(i, 2)] : data.untouched;
            });
        });
}

static void runStructures(const Bench &bench) {
    const float *in = bench.device.in;
    float *out = bench.device.out;
    /* From one array of coordinates to the next; each begins where a warp's words do. */
    const unsigned int pitch = groupsOf(bench.data->n / WORDS_PER_POINT, WARP) * WARP;
    typedef unsigned int U;
    bench.lab->group("points of three coordinates");
    runPoints(
        bench, [&](U grid, U block, U count) { structPacked<<<grid, block>>>((const PackedPoint *)in, out, count); },
        [](U i, U c) { return 3 * i + c; });
    runPoints(
        bench, [&](U grid, U block, U count) { structPadded<<<grid, block>>>((const PaddedPoint *)in, out, count); },
        [](U i, U c) { return 4 * i + c; });
    runPoints(
        bench, [&](U grid, U block, U count) { structAligned<<<grid, block>>>((const AlignedPoint *)in, out, count); },
        [](U i, U c) { return 4 * i + c; });
    runPoints(
        bench,
        [&](U grid, U block, U count) { fieldArrays<<<grid, block>>>(in, in + pitch, in + 2 * pitch, out, count); },
        [&](U i, U c) { return pitch * c + i; });
}

/* A copy by threads of `width` words. */
static void runCopy(const Bench &bench, void (*kernel)(const float *, float *, unsigned int), unsigned int width) {
    const Data &data = *bench.data;
    const unsigned int block = bench.lab->block(), grid = groupsOf(groupsOf(data.n, width), block);
    bench.lab->step(
        grid, block, 2.0 * sizeof(float) * data.n,
        [&] { kernel<<<grid, block>>>(bench.device.in, bench.device.out, data.n); },
        [&] {
            return checkWords(data, bench.device.out,
                              [&](unsigned int i) { return i < data.n ? data.words[i] : data.untouched; });
        });
}

/* What a lookup kernel has to come to. */
static float sumOfLookups(const float *table, unsigned int i, unsigned int spread) {
    float sum = 0;
    for (unsigned int k = 0; k < LOOKUPS; k++) sum += table[(firstLookup(i, spread) + k) % TABLE];
    return sum;
}

/* A lookup kernel, launched by launch(grid, block, count, spread), with each of the spreads. */
template <class Launch> void runLookups(const Bench &bench, Launch launch) {
    const Data &data = *bench.data;
    const unsigned int count = data.n / WORDS_PER_LOOKER, block = bench.lab->block(), grid = groupsOf(count, block);
    for (const unsigned int &spread : SPREADS) {
        auto check = [&] {
            return checkWords(data, bench.device.out, [&](unsigned int i) {
                return i < count ? sumOfLookups(data.table, i, spread) : data.untouched;
            });
        };
        const double bytes = sizeof(float) * (LOOKUPS + 1.0) * count;
        const std::string argument = format("%u", spread);
        auto start = [&] { launch(grid, block, count, spread); };
        &spread == SPREADS ? bench.lab->step(grid, block, bytes, start, check, "", argument)
                           : bench.lab->again(grid, block, bytes, start, check, "", argument);
    }
}

static void runTables(const Bench &bench) {
    const DeviceData &d = bench.device;
    typedef unsigned int U;
    bench.lab->group("a small table (spread of a warp's threads in words)");
    runLookups(bench, [&](U grid, U block, U count, U spread) {
        lookupGlobal<<<grid, block>>>(d.table, d.out, count, spread);
    });
    runLookups(bench, [&](U grid, U block, U count, U spread) {
        lookupReadOnly<<<grid, block>>>(d.table, d.out, count, spread);
    });
    runLookups(bench,
               [&](U grid, U block, U count, U spread) { lookupConstant<<<grid, block>>>(d.out, count, spread); });
}

/* A histogram by blocks that count `words` words a thread. */
static void runHistogram(const Bench &bench, void (*kernel)(const float *, unsigned int *, unsigned int),
                         unsigned int words) {
    const Data &data = *bench.data;
    const unsigned int block = bench.lab->block(), grid = groupsOf(data.n, block * words);
    bench.lab->step(
        grid, block, sizeof(float) * (data.n + 2.0 * BINS),
        [&] { kernel<<<grid, block>>>(bench.device.in, bench.device.bins, data.n); },
        [&] { return checkBins(data, bench.device.bins); });
}

int main(int argc, char **argv) {
    Lab lab(INFO, STEPS, argc, argv);
    Data data = makeData((unsigned int)lab.size(), lab.seed());
    Bench bench = {&lab, &data, makeDeviceData(&lab, data)};
    lab.printHeader(format("memory, %u words; GB/s: bytes that threads ask for", data.n));

    runOffsets(bench);
    runStrides(bench);
    runStructures(bench);
    lab.group("a copy");
    runCopy(bench, copyFloat, 1);
    runCopy(bench, copyFloat2, 2);
    runCopy(bench, copyFloat4, 4);
    runTables(bench);
    lab.group("how often each value occurs");
    runHistogram(bench, histogramGlobal, 1);
    runHistogram(bench, histogramShared, WORDS);
    freeData(&data);
    return lab.finish();
}
