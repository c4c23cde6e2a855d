/*
 * Lab 11: the CPU's side. What the order of accesses, the lines of a cache and a chain of additions
 * do to a program, on the processor that you know; and how to time a kernel from there.
 *
 * Each pair or group of steps does the same work in another way; after it stands how it is run.
 * Steps 1 to 11 are timed by cpuSecond, on this machine, also where the GPU is a simulated one.
 *
 * To run it: make lab11. By hand:
 *     nvcc -O3 -Icommon labs/lab11-host/host.cu -o host && ./host --help
 */
#include "common.h"
#include "harness/host.h"
#include "harness/lab.h"

/* A function that is still to do uses none of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What CPUs of today move between memory and caches, in bytes. */
constexpr size_t CACHE_LINE = 64;

/* How much of everything there is, from the size that was asked for. */
struct Amounts {
    size_t side;        /* rows and columns of the matrix that is added up */
    size_t width;       /* of the matrices that are multiplied */
    size_t records;     /* to gather */
    size_t numbers;     /* added up `side` times, few enough for the first-level cache */
    unsigned int words; /* that the kernel fills */
};

static Amounts amountsFor(size_t side) {
    Amounts amounts = {side, (side + 9) / 10, (side * side + 11) / 12, side / 2,
                       (unsigned int)side * 1024};
    return amounts;
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     row 0   0 1 2 3 4 5 6 7 ...        the words of a line, one after the other
 *     row 1   ...
 *
 * Question: a line has 64 bytes. How many words of it are used each time it is fetched?
 */
static long long sumRows(const int *matrix, size_t rows, size_t cols) {
    long long sum = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) sum += matrix[i * cols + j];
    }
    return sum;
}

/* ---- Step 2 ----
 *
 *     row 0   0 . . .                    one word of a line, then one of another:
 *     row 1   1 . . .                    until the first line comes round again
 *     row 2   2 . . .
 *
 * Question: how many other lines are fetched before the second word of a line is
 * wanted? Is it still there?
 */
static long long sumCols(const int *matrix, size_t rows, size_t cols) {
    long long sum = 0;
    // BEGIN SOLUTION sumCols
    // TODO("The same sum, column after column.", "handouts/lab11.md#sumcols");
    for (size_t j = 0; j < cols; j++) {
        for (size_t i = 0; i < rows; i++) sum += matrix[i * cols + j];
    }
    // END SOLUTION
    return sum;
}

static void runSums(Lab *lab, const LabStep *steps, size_t side) {
    const size_t n = side * side, bytes = n * sizeof(int);
    int *matrix = (int *)inputPages(bytes);
    initialData(matrix, n, lab->seed);
    long long want = 0, got;
    for (size_t i = 0; i < n; i++) want += matrix[i];
    const auto poison = [&] { got = -1; };
    const auto judge = [&] { return judgeResults(&want, &got, 1); };
    /* A walk down the columns changes the page at least 16 times as often as one along the rows. */
    const Watch along = {matrix, bytes, 16 * pagesOf(bytes), false},
                down = {matrix, bytes, 16 * pagesOf(bytes), true};
    labGroup(lab, "sum of %zu x %zu ints", side, side);
    runOnHost(
        lab, steps[0].name, bytes, &along, poison, [&] { got = sumRows(matrix, side, side); },
        judge);
    runOnHost(
        lab, steps[1].name, bytes, &down, poison, [&] { got = sumCols(matrix, side, side); },
        judge);
    freePages(matrix);
}

/* ---- Step 3 ----
 *
 *     for each i, j:    C[i][j]  =  row i of A  times  column j of B
 *
 * Question: of the two words that each product takes, which one has its neighbours used next?
 */
static void multiplyIJK(double *C, const double *A, const double *B, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += A[i * n + k] * B[k * n + j];
            C[i * n + j] = sum;
        }
    }
}

/* ---- Step 4 ----
 *
 *     for each i, k:    row i of C  +=  A[i][k]  times  row k of B
 *
 * Question: more words are written than before. Why is it faster, and twice so: which loop can do
 * several products at once?
 */
static void multiplyIKJ(double *C, const double *A, const double *B, size_t n) {
    // BEGIN SOLUTION multiplyIKJ
    // TODO("Set C to 0; then, with the loop over j innermost, add A[i][k] * B[k][j] to C[i][j].",
    //      "handouts/lab11.md#multiplyikj");
    for (size_t i = 0; i < n * n; i++) C[i] = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const double a = A[i * n + k];
            for (size_t j = 0; j < n; j++) C[i * n + j] += a * B[k * n + j];
        }
    }
    // END SOLUTION
}

static void runProducts(Lab *lab, const LabStep *steps, size_t width) {
    const size_t n = width * width, bytes = n * sizeof(double);
    double *A = (double *)inputPages(bytes), *B = (double *)inputPages(bytes),
           *C = (double *)outputPages(bytes);
    uint64_t random = lab->seed;
    for (size_t i = 0; i < n; i++) {
        A[i] = (double)(nextRandom(&random) >> 56); /* integers, so that all sums are exact */
        B[i] = (double)(nextRandom(&random) >> 56);
    }
    const auto poison = [&] { memset(C, POISON_BYTE, bytes); };
    const auto judge = [&] {
        const long long want = true, got = isExactProduct(C, A, B, width, lab->seed + 1);
        return judgeResults(&want, &got, 1);
    };
    /* Along the rows of B, once for each row of A. */
    const Watch along = {B, bytes, 2 * (width + 1) * pagesOf(bytes), false};
    labGroup(lab, "product of two %zu x %zu matrices of doubles", width, width);
    runOnHost(
        lab, steps[0].name, 3.0 * bytes, NULL, poison, [&] { multiplyIJK(C, A, B, width); }, judge);
    runOnHost(
        lab, steps[1].name, 3.0 * bytes, &along, poison, [&] { multiplyIKJ(C, A, B, width); },
        judge);
    freePages(A);
    freePages(B);
    freePages(C);
}

/* Words of a record. */
constexpr size_t FIELDS = 15;

/* As the compiler lays it out, and at the beginning of a line each. */
struct Packed {
    int field[FIELDS];
};
struct alignas(CACHE_LINE) Aligned {
    int field[FIELDS];
};

static_assert(sizeof(Packed) == 60 && sizeof(Aligned) == CACHE_LINE,
              "one is a little shorter than a line, one is a line");

/* ---- Step 5 ----
 *
 *     lines     |               |               |               |
 *     records   |0             |1             |2             |3
 *
 * Question: record i begins at byte 60 i. Of sixteen records in a row, how
 * many lie in a single line?
 */
static long long gatherPacked(const Packed *records, const unsigned int *order, size_t n) {
    long long sum = 0;
    for (size_t i = 0; i < n; i++) {
        const Packed &record = records[order[i]];
        sum += record.field[0] + record.field[FIELDS - 1];
    }
    return sum;
}

/* ---- Step 6 ----
 *
 *     lines     |               |               |               |
 *     records   |0              |1              |2              |3
 *
 * Question: it takes 4 bytes more a record. When would that be the wrong bargain?
 */
static long long gatherAligned(const Aligned *records, const unsigned int *order, size_t n) {
    long long sum = 0;
    // BEGIN SOLUTION gatherAligned
    // TODO("The same sum of the same fields.", "handouts/lab11.md#gatheraligned");
    for (size_t i = 0; i < n; i++) {
        const Aligned &record = records[order[i]];
        sum += record.field[0] + record.field[FIELDS - 1];
    }
    // END SOLUTION
    return sum;
}

static void runRecords(Lab *lab, const LabStep *steps, size_t n) {
    const double bytes = (double)n * sizeof(Packed);
    Packed *packed = (Packed *)inputPages(n * sizeof(Packed));
    Aligned *aligned = (Aligned *)inputPages(n * sizeof(Aligned));
    unsigned int *order = (unsigned int *)inputPages(n * sizeof(unsigned int));
    initialData((int *)packed, n * FIELDS, lab->seed);
    shuffle(order, n, lab->seed + 2);
    long long want = 0, got;
    for (size_t i = 0; i < n; i++) {
        memcpy(aligned[i].field, packed[i].field, sizeof aligned[i].field);
        want += packed[i].field[0] + packed[i].field[FIELDS - 1];
    }
    const auto poison = [&] { got = -1; };
    const auto judge = [&] { return judgeResults(&want, &got, 1); };
    labGroup(lab, "%zu records in random order", n);
    runOnHost(
        lab, steps[0].name, bytes, NULL, poison, [&] { got = gatherPacked(packed, order, n); },
        judge);
    runOnHost(
        lab, steps[1].name, bytes, NULL, poison, [&] { got = gatherAligned(aligned, order, n); },
        judge);
    freePages(packed);
    freePages(aligned);
    freePages(order);
}

/* ---- Step 7 ----
 *
 *     sum   + x0   + x1   + x2   + x3        each arrow is an addition's latency
 *         ---> ---> ---> --->
 *
 * Question: a processor begins two additions of floats a cycle, and one takes about
 * four. How many wait here?
 */
static float sumOneByOne(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* ---- Step 8 ----
 *
 * Question: three of four comparisons and jumps are gone. What was the loop waiting for?
 */
static float sumUnrolled(const float *x, size_t n) {
    float sum = 0;
    // BEGIN SOLUTION sumUnrolled
    // TODO("Four additions to the same sum a round, in the same order; then the numbers that are "
    //      "left.",
    //      "handouts/lab11.md#sumunrolled");
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        sum += x[i];
        sum += x[i + 1];
        sum += x[i + 2];
        sum += x[i + 3];
    }
    for (; i < n; i++) sum += x[i];
    // END SOLUTION
    return sum;
}

/* ---- Step 9 ----
 *
 *     sum0  + x0   + x4   + x8
 *     sum1  + x1   + x5   + x9               four arrows at the same time
 *     sum2  + x2   + x6   + x10
 *     sum3  + x3   + x7   + x11
 *
 * Question: the compiler may not do this by itself. Why not?
 */
static float sumFourSums(const float *x, size_t n) {
    float sum = 0;
    // BEGIN SOLUTION sumFourSums
    // TODO("Four sums, each of every fourth number; add them up at the end.",
    //      "handouts/lab11.md#sumfoursums");
    float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        sum0 += x[i];
        sum1 += x[i + 1];
        sum2 += x[i + 2];
        sum3 += x[i + 3];
    }
    for (; i < n; i++) sum0 += x[i];
    sum = (sum0 + sum1) + (sum2 + sum3);
    // END SOLUTION
    return sum;
}

/* Windows of numbers, each of which begins a word after the one before. */
constexpr size_t WINDOWS = 64;

typedef float (*SumFunction)(const float *x, size_t n);

/* Adds up the windows, one a pass. Each sum rounds as its function does; the
 * total is in double precision. */
static double sumWindows(SumFunction sum, const float *x, size_t n, size_t passes) {
    double total = 0;
    for (size_t pass = 0; pass < passes; pass++) total += sum(x + pass % WINDOWS, n);
    return total;
}

/* The same with sums in double precision. */
static double exactWindows(const float *x, size_t n, size_t passes) {
    double total = 0;
    for (size_t pass = 0; pass < passes; pass++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += x[pass % WINDOWS + i];
        total += sum;
    }
    return total;
}

/* The verdict on the order of additions: one sum rounds as sumOneByOne's does, four do not. */
static Verdict roundsAs(SumFunction sum, double got, double oneByOne) {
    return judgeNumber((got == oneByOne) == (sum != sumFourSums), got, oneByOne);
}

static void runChains(Lab *lab, const LabStep *steps, size_t n, size_t passes) {
    const SumFunction sums[] = {sumOneByOne, sumUnrolled, sumFourSums};
    float *x = (float *)inputPages((n + WINDOWS) * sizeof(float));
    initialData(x, n + WINDOWS, lab->seed);
    const double want = exactWindows(x, n, passes),
                 oneByOne = sumWindows(sumOneByOne, x, n, passes);
    /* Each addition rounds once, by at most 2^-24 of a sum that has only positive terms. */
    const double tolerance = want * n / (1 << 24);
    double got;
    labGroup(lab, "sum of %zu floats, %zu times", n, passes);
    for (size_t i = 0; i < COUNT(sums); i++)
        runOnHost(
            lab, steps[i].name, sizeof(float) * (double)n * passes, NULL, [&] { got = -1; },
            [&] { got = sumWindows(sums[i], x, n, passes); },
            [&] {
                return watchesPages() ? roundsAs(sums[i], got, oneByOne)
                                      : judgeResults(&want, &got, 1, tolerance);
            });
    freePages(x);
}

/* ---- Step 12: given; steps 10 and 11 launch it ----
 *
 * Question: steps 10 to 12 time the same kernel. Which of the three times is the kernel's?
 * Metric: gst_transactions
 */
__global__ void fillWords(unsigned int *words, unsigned int n) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) words[i] = i;
}

constexpr unsigned int FILL_BLOCK = 256;

static unsigned int fillGrid(unsigned int n) {
    return blocksFor(n, FILL_BLOCK);
}

/* ---- Step 10 ----
 *
 *     CPU   launch |                              the time taken here ...
 *     GPU          | . . fillWords . . . . |      ... and what it says nothing about
 *
 * Question: this returns as soon as the kernel is in the queue. What has been timed?
 */
static void launchOnly(unsigned int *d_words, unsigned int n) {
    fillWords<<<fillGrid(n), FILL_BLOCK>>>(d_words, n);
}

/* ---- Step 11 ----
 *
 *     CPU   launch | . . . wait . . . . . | awake
 *     GPU          | . . fillWords . . . . |
 *
 * Question: now the kernel has ended when the clock is read. What else is in the time?
 */
static void launchAndWait(unsigned int *d_words, unsigned int n) {
    // BEGIN SOLUTION launchAndWait
    // TODO("Launch fillWords as step 10 does, and wait until the device has done it.",
    //      "handouts/lab11.md#launchandwait");
    fillWords<<<fillGrid(n), FILL_BLOCK>>>(d_words, n);
    CHECK(cudaDeviceSynchronize());
    // END SOLUTION
}

/* ---- Running them ---- */

static const LabStep STEPS[] = {
    {"sumRows", "add up a matrix along its rows"},
    {"sumCols", "down its columns"},
    {"multiplyIJK", "a product of matrices, as one writes it"},
    {"multiplyIKJ", "the same products, along rows"},
    {"gatherPacked", "records across two cache lines, in random order"},
    {"gatherAligned", "the same, each in a line of its own"},
    {"sumOneByOne", "each addition waits for the one before"},
    {"sumUnrolled", "four additions a round, one sum"},
    {"sumFourSums", "four sums"},
    {"launchOnly", "time a kernel without waiting for it"},
    {"launchAndWait", "with waiting"},
    {"fillWords", "by events"},
};

static const char *blockRefusal(unsigned int block) {
    return block == FILL_BLOCK ? NULL : "no step here is about blocks: leave it at 256";
}

static double bytesOf(const Amounts *a) {
    return sizeof(int) * (double)a->side * a->side + 3.0 * sizeof(double) * a->width * a->width +
           (double)a->records * (sizeof(Packed) + sizeof(Aligned) + sizeof(unsigned int)) +
           sizeof(unsigned int) * (double)a->words;
}

/* A kernel by two clocks. Where there are no words, nothing is launched. */
static void runClocks(Lab *lab, const LabStep *steps, unsigned int n) {
    const char *const NO_CLOCK = "no time: the clock would time the simulator at work";
    const size_t bytes = n * sizeof(unsigned int);
    bool idle = true; /* had the device finished when the clock was read? */
    unsigned int *d_words;
    labNeeds(lab, bytes);
    CHECK(cudaMalloc(&d_words, bytes));
    labOutput(lab, d_words, bytes);

    labGroup(lab, "a kernel that fills %u words, by the CPU's clock", n);
    for (const bool waits : {false, true}) {
        labHostStep(lab, waits ? steps[1].name : steps[0].name);
        labBytes(lab, bytes);
        if (n > 0)
            labRemark(lab, "%s",
                      waits ? "the kernel, launching it, and waiting for it"
                            : "launching, not the kernel");
        labUnmodelled(lab, NO_CLOCK);
        while (labRuns(lab)) {
            CHECK(cudaMemset(d_words, POISON_BYTE, bytes));
            CHECK(cudaDeviceSynchronize());
            labStart(lab);
            if (n > 0) waits ? launchAndWait(d_words, n) : launchOnly(d_words, n);
            labStop(lab);
            idle = !waits || cudaStreamQuery(0) == cudaSuccess;
            cudaGetLastError(); /* an answer, no error */
            if (!labChecks(lab)) continue;
            labVerdict(lab, idle
                                ? judgeCounted(d_words, n)
                                : judgeCondition(false, "it ended before the kernel: wait for it"));
        }
    }

    labGroup(lab, "the same kernel by CUDA's events");
    labStep(lab, steps[2].name, fillGrid(n), FILL_BLOCK);
    labBytes(lab, bytes);
    labRemark(lab, lab->modelled ? "modelled" : "the kernel");
    while (labRuns(lab)) {
        fillWords<<<fillGrid(n), FILL_BLOCK>>>(d_words, n);
        if (labChecks(lab)) labVerdict(lab, judgeCounted(d_words, n));
    }
    cudaFree(d_words);
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(11, "host", __FILE__, "rows and columns of a matrix of ints");
    /* 100 MB, more than the caches of most processors hold. At a power of two a column's words
     * would also share a few places of the cache. */
    info.defaultSize = 5000;
    info.maxSize = 1 << 16;
    info.defaultBlock = FILL_BLOCK;
    info.blockRefusal = blockRefusal;
    info.flags = WATCH_FLAG;
    info.flagsN = COUNT(WATCH_FLAG);
    info.countsMisses = true;
    Lab lab = labOpen(argc, argv, info, STEPS);
    if (watchesPages() && lab.size < 64) /* so few pages that no order jumps */
        refuse(lab.info.name, "--watch pages: give --size 64 or more");
    const Amounts amounts = amountsFor(lab.size);
    refuseTooLarge(&lab, bytesOf(&amounts));
    labHeader(&lab, "on %s, timed by cpuSecond, median of %d", processorName(),
              labHostRepeat(&lab));
    runSums(&lab, STEPS + 0, amounts.side);
    runProducts(&lab, STEPS + 2, amounts.width);
    runRecords(&lab, STEPS + 4, amounts.records);
    runChains(&lab, STEPS + 6, amounts.numbers, amounts.side);
    runClocks(&lab, STEPS + 9, amounts.words);
    if (whyNoMisses() != NULL) labNote(&lab, "(cache misses were not counted: %s)", whyNoMisses());
    return labClose(&lab);
}
