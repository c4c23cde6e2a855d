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
#include "common.h"
#include "harness/lab.h"

constexpr unsigned int WARP = 32;

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
    // TODO("Thread i, below n, copies word i + offset of in to word i of out.",
    //      "handouts/lab7.md#offsetload");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i + offset];
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
    // TODO("Thread i, below n, copies word i of in to word i + offset of out.",
    //      "handouts/lab7.md#offsetstore");
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
 * Question: n words of memory, and every stride-th of them is read. With which stride are
 * the fewest sectors moved?
 * Metric: gld_transactions_per_request
 */
__global__ void strideLoad(const float *in, float *out, unsigned int n, unsigned int stride) {
    // BEGIN SOLUTION strideLoad
    // TODO("Thread i copies word i * stride of in, below n, to word i of out.",
    //      "handouts/lab7.md#strideload");
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
    // TODO("Thread i copies word i of in to word i * stride of out, below n.",
    //      "handouts/lab7.md#stridestore");
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
 *     first load    ^     ^     ^     ^         all x of a warp; then all y, then all z
 *
 * Question: a warp's points fill 12 sectors. How many does each of the three loads touch,
 * and how many do all three?
 * Metric: gld_efficiency
 */
__global__ void structPacked(const PackedPoint *points, float *sums, unsigned int count) {
    // BEGIN SOLUTION structPacked
    // TODO("Thread i, below count, leaves x + y + z of point i in sums[i].",
    //      "handouts/lab7.md#structpacked");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sums[i] = points[i].x + points[i].y + points[i].z;
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
    // TODO("The same as step 5: only the type of the points differs.",
    //      "handouts/lab7.md#structpadded");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sums[i] = points[i].x + points[i].y + points[i].z;
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
__global__ void fieldArrays(const float *x, const float *y, const float *z, float *sums,
                            unsigned int count) {
    // BEGIN SOLUTION fieldArrays
    // TODO("Thread i, below count, leaves x[i] + y[i] + z[i] in sums[i].",
    //      "handouts/lab7.md#fieldarrays");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sums[i] = x[i] + y[i] + z[i];
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
 * Question: eight bytes a thread: how many requests now for the same n words?
 * How many sectors in all?
 * Metric: gld_transactions_per_request
 */
__global__ void copyFloat2(const float *in, float *out, unsigned int n) {
    // BEGIN SOLUTION copyFloat2
    // TODO("Thread i, below n / 2, copies pair i as a float2; thread n / 2 copies the last word of "
    //      "an odd n.",
    //      "handouts/lab7.md#copyfloat2");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) ((float2 *)out)[i] = ((const float2 *)in)[i];
    if (i == n / 2 && n % 2 == 1) out[n - 1] = in[n - 1];
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
    // TODO("As step 10, with float4: thread n / 4 copies the words left over.",
    //      "handouts/lab7.md#copyfloat4");
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

/* The first word of the table that thread i reads: warps begin one after another, and the threads
 * of a warp lie `spread` words apart. Given to you. */
__host__ __device__ unsigned int firstLookup(unsigned int i, unsigned int spread) {
    return i / WARP + i % WARP * spread;
}

static_assert(8 * WARP == TABLE,
              "with a spread of 8 a warp's threads read a word of each sector of the table");

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
    // TODO("Thread i, below count, adds up LOOKUPS words from firstLookup(i, spread) on; behind "
    //      "word TABLE - 1 is 0.",
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
 * Question: __ldg promises that nobody writes to the table. What can a GPU of
 * today do with that promise?
 * Metric: gld_transactions_per_request
 */
__global__ void lookupReadOnly(const float *table, float *out, unsigned int count,
                               unsigned int spread) {
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

/* The input has 256 different values, multiples of 0.1 from 0 to 25.5; this is which of
 * them a word is. Given to you. */
constexpr unsigned int BINS = 256;

__host__ __device__ inline unsigned int binOf(float value) {
    return (unsigned int)(value * 10.0f + 0.5f);
}

/* ---- Step 15 ----
 *
 * Question: all multiprocessors count in the same 256 words. Where are these words, and
 * how far is the way there?
 * Metric: inst_executed_global_reductions
 */
__global__ void histogramGlobal(const float *in, unsigned int *bins, unsigned int n) {
    // BEGIN SOLUTION histogramGlobal
    // TODO("Thread i, below n, adds 1 to the bin of in[i] with atomicAdd.",
    //      "handouts/lab7.md#histogramglobal");
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[binOf(in[i])], 1);
    // END SOLUTION
}

/* Words that a thread of step 16 counts. */
constexpr unsigned int WORDS = 64;

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
    // TODO("Count the block's WORDS * blockDim.x words in shared memory; after a barrier, add each "
    //      "counter to its bin.",
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
    for (unsigned int bin = threadIdx.x; bin < BINS; bin += blockDim.x)
        atomicAdd(&bins[bin], counters[bin]);
    // END SOLUTION
}

/* ---- Running them ---- */

static const LabStep STEPS[] = {
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

static LabInfo labInfo() {
    LabInfo info = {};
    info.number = 7;
    info.name = "memory";
    info.source = __FILE__;
    info.sizeMeaning = "words of four bytes to work on";
    /* 64 MiB in and as much out, more than the caches of most GPUs hold. */
    info.defaultSize = 1 << 24;
    info.maxSize = 1 << 28; /* an index fits in 32 bits, with room for a stride beyond the end */
    info.defaultBlock = 256;
    info.blockRefusal = refuseSplitWarps;
    return info;
}

/* What the sweeps go through. */
static const unsigned int OFFSETS[] = {0, 1, 4, 7, 8, 9, 16, 31, 32};
static const unsigned int STRIDES[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32};
static const unsigned int SPREADS[] = {0, 1, 8};

/* Words beyond n, in and out: the largest offset, and room for three arrays of points that each
 * begin at a warp's words. */
constexpr unsigned int MARGIN = 4 * WARP;

/* Threads of the lookups, and points, for n words. */
constexpr unsigned int WORDS_PER_LOOKER = 16, WORDS_PER_POINT = 4;

/* Words of the output that the CPU fetches at a time. */
constexpr unsigned int CHUNK = 1 << 16;

struct Data {
    unsigned int n, length;    /* words to work on; words of the arrays: n + MARGIN */
    float *words, *want, *got; /* input, right output, CHUNK words of the output */
    float table[TABLE];
    unsigned int bins[BINS]; /* how often each value is among the first n words */
};

struct DeviceData {
    float *in, *table, *out;
    unsigned int *bins;
};

static Data makeData(unsigned int n, uint64_t seed) {
    Data data = {};
    data.n = n;
    data.length = n + MARGIN;
    data.words = hostArray<float>(data.length);
    data.want = hostArray<float>(data.length);
    data.got = hostArray<float>(CHUNK);
    initialData(data.words, data.length, seed);
    initialData(data.table, TABLE, seed + 1);
    for (unsigned int i = 0; i < n; i++) data.bins[binOf(data.words[i])]++;
    return data;
}

static void freeData(Data *data) {
    free(data->words);
    free(data->want);
    free(data->got);
}

static DeviceData makeDeviceData(Lab *lab, const Data *data) {
    static const unsigned int NONE[BINS] = {0};
    const size_t bytes = data->length * sizeof(float);
    DeviceData d;
    labNeeds(lab, 2 * bytes + sizeof data->table + sizeof NONE);
    CHECK(cudaMemcpyToSymbol(constantTable, data->table, sizeof data->table));
    CHECK(cudaMalloc(&d.in, bytes));
    CHECK(cudaMemcpy(d.in, data->words, bytes, cudaMemcpyHostToDevice));
    labInput(lab, d.in, bytes);
    CHECK(cudaMalloc(&d.table, sizeof data->table));
    CHECK(cudaMemcpy(d.table, data->table, sizeof data->table, cudaMemcpyHostToDevice));
    labInput(lab, d.table, sizeof data->table);
    CHECK(cudaMalloc(&d.out, bytes));
    labOutput(lab, d.out, bytes);
    CHECK(cudaMalloc(&d.bins, sizeof NONE));
    CHECK(cudaMemcpy(d.bins, NONE, sizeof NONE, cudaMemcpyHostToDevice));
    labInput(lab, d.bins, sizeof NONE);
    return d;
}

static void freeDeviceData(DeviceData *d) {
    cudaFree(d->in);
    cudaFree(d->table);
    cudaFree(d->out);
    cudaFree(d->bins);
}

/* Words that a kernel must not write have to hold the poison, which is printed as nan. */
static void expectPoison(Data *data) {
    memset(data->want, POISON_BYTE, data->length * sizeof(float));
}

/* Compare the whole output bit by bit: only additions round here, and the CPU
 * does them in the same order. */
static Verdict checkWords(const Data *data, const float *d_out) {
    Verdict verdict = ALL_RIGHT;
    for (unsigned int begin = 0; begin < data->length; begin += CHUNK) {
        const unsigned int rest = data->length - begin, n = rest < CHUNK ? rest : CHUNK;
        CHECK(cudaMemcpy(data->got, d_out + begin, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (unsigned int i = 0; i < n; i++) {
            const float got = data->got[i], want = data->want[begin + i];
            judgeElement(&verdict, memcmp(&got, &want, sizeof(float)) == 0, got, want);
        }
    }
    return verdict;
}

static Verdict checkBins(const Data *data, const unsigned int *d_bins) {
    unsigned int got[BINS];
    CHECK(cudaMemcpy(got, d_bins, sizeof got, cudaMemcpyDeviceToHost));
    return judgeResults(data->bins, got, BINS);
}

/* ---- Words anywhere, and every stride-th word ---- */

typedef void (*WordKernel)(const float *in, float *out, unsigned int n, unsigned int parameter);

/* A launch of a kernel that copies `words` words. */
static void runWords(Lab *lab, const Data *data, const DeviceData *d, const char *step,
                     WordKernel kernel, unsigned int words, unsigned int parameter) {
    const unsigned int block = lab->block, grid = blocksFor(words, block);
    labStep(lab, step, grid, block);
    labArgument(lab, "%u", parameter);
    labBytes(lab, 2.0 * sizeof(float) * words);
    while (labRuns(lab)) {
        kernel<<<grid, block>>>(d->in, d->out, data->n, parameter);
        if (labChecks(lab)) labVerdict(lab, checkWords(data, d->out));
    }
}

static void runOffsets(Lab *lab, Data *data, const DeviceData *d) {
    labGroup(lab, "words that begin anywhere (offset in words)");
    for (size_t k = 0; k < COUNT(OFFSETS); k++) {
        expectPoison(data);
        for (unsigned int i = 0; i < data->n; i++) data->want[i] = data->words[i + OFFSETS[k]];
        runWords(lab, data, d, "offsetLoad", offsetLoad, data->n, OFFSETS[k]);
    }
    for (size_t k = 0; k < COUNT(OFFSETS); k++) {
        expectPoison(data);
        for (unsigned int i = 0; i < data->n; i++) data->want[i + OFFSETS[k]] = data->words[i];
        runWords(lab, data, d, "offsetStore", offsetStore, data->n, OFFSETS[k]);
    }
}

static void runStrides(Lab *lab, Data *data, const DeviceData *d) {
    labGroup(lab, "every stride-th word (stride in words)");
    for (size_t k = 0; k < COUNT(STRIDES); k++) {
        const unsigned int stride = STRIDES[k], words = blocksFor(data->n, stride);
        expectPoison(data);
        for (unsigned int i = 0; i < words; i++) data->want[i] = data->words[i * stride];
        runWords(lab, data, d, "strideLoad", strideLoad, words, stride);
    }
    for (size_t k = 0; k < COUNT(STRIDES); k++) {
        const unsigned int stride = STRIDES[k], words = blocksFor(data->n, stride);
        expectPoison(data);
        for (unsigned int i = 0; i < words; i++) data->want[i * stride] = data->words[i];
        runWords(lab, data, d, "strideStore", strideStore, words, stride);
    }
}

/* ---- Points ---- */

/* A launch over `count` points, whose coordinate c of point i is word i * pointStep + c *
 * coordinateStep. */
static void runPoints(Lab *lab, Data *data, const DeviceData *d, const char *step,
                      unsigned int count, unsigned int pointStep, unsigned int coordinateStep) {
    const unsigned int block = lab->block, grid = blocksFor(count, block);
    const float *x = d->in, *y = x + coordinateStep, *z = y + coordinateStep;
    expectPoison(data);
    for (unsigned int i = 0; i < count; i++) {
        const float *point = data->words + i * pointStep;
        data->want[i] = point[0] + point[coordinateStep] + point[2 * coordinateStep];
    }
    labStep(lab, step, grid, block);
    labBytes(lab, 4.0 * sizeof(float) * count);
    while (labRuns(lab)) {
        if (strcmp(step, "structPacked") == 0)
            structPacked<<<grid, block>>>((const PackedPoint *)x, d->out, count);
        if (strcmp(step, "structPadded") == 0)
            structPadded<<<grid, block>>>((const PaddedPoint *)x, d->out, count);
        if (strcmp(step, "structAligned") == 0)
            structAligned<<<grid, block>>>((const AlignedPoint *)x, d->out, count);
        if (strcmp(step, "fieldArrays") == 0) fieldArrays<<<grid, block>>>(x, y, z, d->out, count);
        if (labChecks(lab)) labVerdict(lab, checkWords(data, d->out));
    }
}

static void runStructures(Lab *lab, Data *data, const DeviceData *d) {
    const unsigned int count = data->n / WORDS_PER_POINT;
    /* Each array begins where a warp's words do. */
    const unsigned int pitch = blocksFor(count, WARP) * WARP;
    labGroup(lab, "points of three coordinates");
    runPoints(lab, data, d, "structPacked", count, 3, 1);
    runPoints(lab, data, d, "structPadded", count, 4, 1);
    runPoints(lab, data, d, "structAligned", count, 4, 1);
    runPoints(lab, data, d, "fieldArrays", count, 1, pitch);
}

/* ---- A copy ---- */

/* A copy by threads of `width` words. */
static void runCopy(Lab *lab, const Data *data, const DeviceData *d, const char *step,
                    void (*kernel)(const float *in, float *out, unsigned int n),
                    unsigned int width) {
    const unsigned int block = lab->block, grid = blocksFor(blocksFor(data->n, width), block);
    labStep(lab, step, grid, block);
    labBytes(lab, 2.0 * sizeof(float) * data->n);
    while (labRuns(lab)) {
        kernel<<<grid, block>>>(d->in, d->out, data->n);
        if (labChecks(lab)) labVerdict(lab, checkWords(data, d->out));
    }
}

static void runCopies(Lab *lab, Data *data, const DeviceData *d) {
    labGroup(lab, "a copy");
    expectPoison(data);
    memcpy(data->want, data->words, data->n * sizeof(float));
    runCopy(lab, data, d, "copyFloat", copyFloat, 1);
    runCopy(lab, data, d, "copyFloat2", copyFloat2, 2);
    runCopy(lab, data, d, "copyFloat4", copyFloat4, 4);
}

/* ---- A table ---- */

/* A lookup kernel with each of the spreads. */
static void runLookups(Lab *lab, Data *data, const DeviceData *d, const char *step) {
    const unsigned int count = data->n / WORDS_PER_LOOKER, block = lab->block,
                       grid = blocksFor(count, block);
    for (size_t s = 0; s < COUNT(SPREADS); s++) {
        const unsigned int spread = SPREADS[s];
        expectPoison(data);
        for (unsigned int i = 0; i < count; i++) {
            data->want[i] = 0;
            for (unsigned int k = 0; k < LOOKUPS; k++)
                data->want[i] += data->table[(firstLookup(i, spread) + k) % TABLE];
        }
        labStep(lab, step, grid, block);
        labArgument(lab, "%u", spread);
        labBytes(lab, sizeof(float) * (LOOKUPS + 1.0) * count);
        while (labRuns(lab)) {
            if (strcmp(step, "lookupGlobal") == 0)
                lookupGlobal<<<grid, block>>>(d->table, d->out, count, spread);
            if (strcmp(step, "lookupReadOnly") == 0)
                lookupReadOnly<<<grid, block>>>(d->table, d->out, count, spread);
            if (strcmp(step, "lookupConstant") == 0)
                lookupConstant<<<grid, block>>>(d->out, count, spread);
            if (labChecks(lab)) labVerdict(lab, checkWords(data, d->out));
        }
    }
}

static void runTables(Lab *lab, Data *data, const DeviceData *d) {
    labGroup(lab, "a small table (spread of a warp's threads in words)");
    runLookups(lab, data, d, "lookupGlobal");
    runLookups(lab, data, d, "lookupReadOnly");
    runLookups(lab, data, d, "lookupConstant");
}

/* ---- Histograms ---- */

/* A histogram by blocks that count `words` words a thread. */
static void runHistogram(Lab *lab, const Data *data, const DeviceData *d, const char *step,
                         void (*kernel)(const float *in, unsigned int *bins, unsigned int n),
                         unsigned int words) {
    const unsigned int block = lab->block, grid = blocksFor(data->n, block * words);
    labStep(lab, step, grid, block);
    labBytes(lab, sizeof(float) * (data->n + 2.0 * BINS));
    while (labRuns(lab)) {
        kernel<<<grid, block>>>(d->in, d->bins, data->n);
        if (labChecks(lab)) labVerdict(lab, checkBins(data, d->bins));
    }
}

int main(int argc, char **argv) {
    Lab lab = labOpen(argc, argv, labInfo(), STEPS);
    Data data = makeData((unsigned int)lab.size, lab.seed);
    DeviceData d = makeDeviceData(&lab, &data);
    labHeader(&lab, "memory, %u words; GB/s: bytes that threads ask for", data.n);

    runOffsets(&lab, &data, &d);
    runStrides(&lab, &data, &d);
    runStructures(&lab, &data, &d);
    runCopies(&lab, &data, &d);
    runTables(&lab, &data, &d);
    labGroup(&lab, "how often each value occurs");
    runHistogram(&lab, &data, &d, "histogramGlobal", histogramGlobal, 1);
    runHistogram(&lab, &data, &d, "histogramShared", histogramShared, WORDS);
    freeDeviceData(&d);
    freeData(&data);
    return labClose(&lab);
}
