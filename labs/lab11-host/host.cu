/*
 * Lab 11: the CPU's side. What the order of accesses, the lines of a cache and a chain of additions
 * do to a program, on the processor that you know; and how to time a kernel from there.
 *
 * Each pair or group of steps does the same work in another way. Steps 1 to 11 are timed by
 * cpuSecond, on this machine, also where the GPU is a simulated one.
 *
 * To run it: make lab11. By hand:
 *     nvcc -O3 -Icommon labs/lab11-host/host.cu -o host && ./host --help
 */
#include "common.h"
#include "harness/lab.h"
#include "harness/pages.h"

/* A function that is still to do uses none of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What CPUs of today move between memory and caches, in bytes. */
constexpr size_t CACHE_LINE = 64;

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
    TODO("The same sum, column after column.", "handouts/lab11.md#sumcols");
    // END SOLUTION
    return sum;
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
    TODO("Set C to 0; then, with the loop over j innermost, add A[i][k] * B[k][j] to C[i][j].",
         "handouts/lab11.md#multiplyikj");
    // END SOLUTION
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
    TODO("The same sum of the same fields.", "handouts/lab11.md#gatheraligned");
    // END SOLUTION
    return sum;
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
    TODO("Four additions to the same sum a round, in the same order; then the numbers that are "
         "left.",
         "handouts/lab11.md#sumunrolled");
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
    TODO("Four sums, each of every fourth number; add them up at the end.",
         "handouts/lab11.md#sumfoursums");
    // END SOLUTION
    return sum;
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
    TODO("Launch fillWords as step 10 does, and wait until the device has done it.",
         "handouts/lab11.md#launchandwait");
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

/* What is checked: results, or in which order steps 1, 2 and 4 go through memory. */
static const char *const WATCHES[] = {"time", "pages", NULL};
static LabFlag FLAGS[] = {
    wordFlag("--watch", "WHAT",
             "what is checked: results (time, default), or whether steps 1 to 4 jump (pages)",
             WATCHES),
};

static bool watchesPages() {
    return FLAGS[0].number == 1;
}

/* How much of everything there is, from the size that was asked for. */
struct Amounts {
    size_t
        side; /* rows and columns of the matrix that is added up; the times that the numbers are */
    size_t width;   /* of the matrices that are multiplied */
    size_t records; /* to gather */
    size_t numbers; /* that are added up again and again, few enough for the first-level cache */
    unsigned int words; /* that the kernel fills */
};

static Amounts amountsFor(size_t side) {
    Amounts amounts = {side, (side + 9) / 10, (side * side + 11) / 12, side / 2,
                       (unsigned int)side * 1024};
    return amounts;
}

/* Bytes of main memory that are free for programs (MemAvailable of /proc/meminfo); 0: not known. */
static double availableMemory() {
    double kilobytes = 0;
    char line[256];
    FILE *info = fopen("/proc/meminfo", "r");
    while (info != NULL && kilobytes == 0 && fgets(line, sizeof line, info) != NULL)
        sscanf(line, "MemAvailable: %lf", &kilobytes);
    if (info != NULL) fclose(info);
    return kilobytes * 1024;
}

/* With more than half of the free memory the system might swap, which would spoil the times. */
static void refuseTooLarge(const Lab *lab, const Amounts *amounts) {
    const double available = availableMemory();
    const double bytes =
        sizeof(int) * (double)amounts->side * amounts->side +
        3.0 * sizeof(double) * amounts->width * amounts->width +
        (double)amounts->records * (sizeof(Packed) + sizeof(Aligned) + sizeof(unsigned int)) +
        sizeof(unsigned int) * (double)amounts->words;
    if (available == 0 || bytes <= available / 2) return;
    refuse(
        lab->info.name,
        "--size %zu: takes %.0f MB, and this machine has %.0f MB free, half of which may be used",
        amounts->side, bytes / 1e6, available / 1e6);
}

/* The value of a result before each run: a step that does nothing cannot pass. */
static const long long POISON = -1;

static Verdict checkSum(long long want, long long got) {
    return judgeResults(&want, &got, 1);
}

/* Is C the product of A and B? Freivalds' test: C x = A (B x) for a random x. All numbers are
 * integers, so the sides are equal or not. A wrong C passes with a chance of at most one in a
 * thousand for each of its wrong rows. */
static bool isProduct(const double *C, const double *A, const double *B, size_t n, uint64_t seed) {
    double *x = hostArray<double>(n), *Bx = hostArray<double>(n);
    bool right = true;
    for (size_t i = 0; i < n; i++) x[i] = (double)(nextRandom(&seed) >> 54);
    for (size_t i = 0; i < n; i++) {
        Bx[i] = 0;
        for (size_t j = 0; j < n; j++) Bx[i] += B[i * n + j] * x[j];
    }
    for (size_t i = 0; i < n; i++) {
        double Cx = 0, ABx = 0;
        for (size_t j = 0; j < n; j++) {
            Cx += C[i * n + j] * x[j];
            ABx += A[i * n + j] * Bx[j];
        }
        right = right && Cx == ABx;
    }
    free(x);
    free(Bx);
    return right;
}

/* ---- The order of accesses ---- */

/* Smaller matrices lie in so few pages that no order jumps. */
constexpr size_t LEAST_WATCHED = 64;
/* A walk down the columns changes the page this many times as often as
 * one along the rows, at least. */
constexpr size_t JUMPS = 16;

/* Before and after a step's work: count the changes of page in this array
 * of inputPages, up to `bound`. */
static void beginWatch(void *array, size_t bytes, size_t bound) {
    if (watchesPages()) watchPages(array, bytes, bound);
}

static size_t endWatch() {
    return watchesPages() ? countedPageChanges() : 0;
}

/* The verdict on an order, from the changes of page: fewer than the bound, or at least as many. */
static Verdict goesAlong(size_t changes, size_t bound) {
    return judgeNumber(changes < bound, (double)changes, (double)bound);
}

static Verdict jumps(size_t changes, size_t bound) {
    return judgeNumber(changes >= bound, (double)changes, (double)bound);
}

/* ---- The steps, group by group ---- */

static void runSums(Lab *lab, const Amounts *amounts) {
    const size_t side = amounts->side, n = side * side, bytes = n * sizeof(int),
                 bound = JUMPS * pagesOf(bytes);
    size_t changes = 0;
    int *matrix = (int *)inputPages(bytes);
    initialData(matrix, n, lab->seed);
    long long want = 0, got = POISON;
    for (size_t i = 0; i < n; i++) want += matrix[i];
    labGroup(lab, "sum of %zu x %zu ints", side, side);

    labHostStep(lab, "sumRows");
    labBytes(lab, (double)bytes);
    while (labRuns(lab)) {
        got = POISON;
        beginWatch(matrix, bytes, bound);
        labStart(lab);
        got = sumRows(matrix, side, side);
        labStop(lab);
        changes = endWatch();
        if (labChecks(lab))
            labVerdict(lab, watchesPages() ? goesAlong(changes, bound) : checkSum(want, got));
    }

    labHostStep(lab, "sumCols");
    labBytes(lab, (double)bytes);
    while (labRuns(lab)) {
        got = POISON;
        beginWatch(matrix, bytes, bound);
        labStart(lab);
        got = sumCols(matrix, side, side);
        labStop(lab);
        changes = endWatch();
        if (labChecks(lab))
            labVerdict(lab, watchesPages() ? jumps(changes, bound) : checkSum(want, got));
    }
    freePages(matrix);
}

static void runProducts(Lab *lab, const Amounts *amounts) {
    const size_t width = amounts->width, n = width * width, bytes = n * sizeof(double);
    /* Along the rows of B, once for each row of A. */
    const size_t bound = 2 * (width + 1) * pagesOf(bytes);
    size_t changes = 0;
    double *A = (double *)inputPages(bytes), *B = (double *)inputPages(bytes),
           *C = (double *)outputPages(bytes);
    uint64_t random = lab->seed;
    for (size_t i = 0; i < n; i++) {
        A[i] = (double)(nextRandom(&random) >> 56); /* integers, so that all sums are exact */
        B[i] = (double)(nextRandom(&random) >> 56);
    }
    labGroup(lab, "product of two %zu x %zu matrices of doubles", width, width);

    labHostStep(lab, "multiplyIJK");
    labBytes(lab, 3.0 * bytes);
    while (labRuns(lab)) {
        memset(C, POISON_BYTE, bytes);
        labStart(lab);
        multiplyIJK(C, A, B, width);
        labStop(lab);
        if (labChecks(lab))
            labVerdict(lab, checkSum(true, isProduct(C, A, B, width, lab->seed + 1)));
    }

    labHostStep(lab, "multiplyIKJ");
    labBytes(lab, 3.0 * bytes);
    while (labRuns(lab)) {
        memset(C, POISON_BYTE, bytes);
        beginWatch(B, bytes, bound);
        labStart(lab);
        multiplyIKJ(C, A, B, width);
        labStop(lab);
        changes = endWatch();
        if (labChecks(lab))
            labVerdict(lab, watchesPages()
                                ? goesAlong(changes, bound)
                                : checkSum(true, isProduct(C, A, B, width, lab->seed + 1)));
    }
    freePages(A);
    freePages(B);
    freePages(C);
}

/* Write the numbers 0 to n - 1 there in random order (Fisher and Yates). */
static void shuffle(unsigned int *order, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) order[i] = (unsigned int)i;
    for (size_t i = n; i > 1; i--) {
        const size_t other = nextRandom(&seed) % i;
        const unsigned int last = order[i - 1];
        order[i - 1] = order[other];
        order[other] = last;
    }
}

static void runRecords(Lab *lab, const Amounts *amounts) {
    const size_t n = amounts->records;
    Packed *packed = (Packed *)inputPages(n * sizeof(Packed));
    Aligned *aligned = (Aligned *)inputPages(n * sizeof(Aligned));
    unsigned int *order = (unsigned int *)inputPages(n * sizeof(unsigned int));
    initialData((int *)packed, n * FIELDS, lab->seed);
    long long want = 0, got = POISON;
    for (size_t i = 0; i < n; i++) {
        memcpy(aligned[i].field, packed[i].field, sizeof aligned[i].field);
        want += packed[i].field[0] + packed[i].field[FIELDS - 1];
    }
    shuffle(order, n, lab->seed + 2);
    labGroup(lab, "%zu records in random order", n);

    labHostStep(lab, "gatherPacked");
    labBytes(lab, (double)n * sizeof(Packed));
    while (labRuns(lab)) {
        got = POISON;
        labStart(lab);
        got = gatherPacked(packed, order, n);
        labStop(lab);
        if (labChecks(lab)) labVerdict(lab, checkSum(want, got));
    }

    labHostStep(lab, "gatherAligned");
    labBytes(lab, (double)n * sizeof(Packed));
    while (labRuns(lab)) {
        got = POISON;
        labStart(lab);
        got = gatherAligned(aligned, order, n);
        labStop(lab);
        if (labChecks(lab)) labVerdict(lab, checkSum(want, got));
    }
    freePages(packed);
    freePages(aligned);
    freePages(order);
}

/* Windows of numbers, each of which begins a word behind the one before. */
constexpr size_t WINDOWS = 64;

typedef float (*SumFunction)(const float *x, size_t n);

/* Add up the windows, one a pass. Each sum rounds as its function does; the
 * total is in double precision. */
static double sumWindows(SumFunction sum, const float *x, const Amounts *amounts) {
    double total = 0;
    for (size_t pass = 0; pass < amounts->side; pass++)
        total += sum(x + pass % WINDOWS, amounts->numbers);
    return total;
}

/* The same with sums in double precision. */
static double exactWindows(const float *x, const Amounts *amounts) {
    double total = 0;
    for (size_t pass = 0; pass < amounts->side; pass++) {
        double sum = 0;
        for (size_t i = 0; i < amounts->numbers; i++) sum += x[pass % WINDOWS + i];
        total += sum;
    }
    return total;
}

static void runChains(Lab *lab, const Amounts *amounts) {
    static const struct {
        const char *step;
        SumFunction sum;
    } CHAINS[] = {
        {"sumOneByOne", sumOneByOne}, {"sumUnrolled", sumUnrolled}, {"sumFourSums", sumFourSums}};
    float *x = (float *)inputPages((amounts->numbers + WINDOWS) * sizeof(float));
    initialData(x, amounts->numbers + WINDOWS, lab->seed);
    const double want = exactWindows(x, amounts);
    /* One rounding for each addition, each by at most 2^-24 of a sum
     * that has only positive terms. */
    const double tolerance = want * amounts->numbers / (1 << 24);
    labGroup(lab, "sum of %zu floats, %zu times", amounts->numbers, amounts->side);
    for (size_t i = 0; i < COUNT(CHAINS); i++) {
        double got = POISON;
        labHostStep(lab, CHAINS[i].step);
        labBytes(lab, sizeof(float) * (double)amounts->numbers * amounts->side);
        while (labRuns(lab)) {
            got = POISON;
            labStart(lab);
            got = sumWindows(CHAINS[i].sum, x, amounts);
            labStop(lab);
            if (labChecks(lab)) labVerdict(lab, judgeResults(&want, &got, 1, tolerance));
        }
    }
    freePages(x);
}

/* ---- A kernel by two clocks ---- */

static Verdict checkWords(const unsigned int *d_words, unsigned int n) {
    unsigned int *words = hostArray<unsigned int>(n);
    CHECK(cudaMemcpy(words, d_words, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    Verdict verdict = ALL_RIGHT;
    for (unsigned int i = 0; i < n; i++) judgeElement(&verdict, words[i] == i, words[i], i);
    free(words);
    return verdict;
}

static void poisonWords(unsigned int *d_words, unsigned int n) {
    CHECK(cudaMemset(d_words, POISON_BYTE, n * sizeof(unsigned int)));
    CHECK(cudaDeviceSynchronize());
}

static const char *const NO_CLOCK = "no time: the clock would time the simulator at work";

/* Where there are no words, nothing is launched. */
static void runClocks(Lab *lab, const Amounts *amounts) {
    const unsigned int n = amounts->words;
    const double bytes = sizeof(unsigned int) * (double)n;
    bool idle = true; /* had the device finished when the clock was read? */
    unsigned int *d_words;
    labNeeds(lab, n * sizeof(unsigned int));
    CHECK(cudaMalloc(&d_words, n * sizeof(unsigned int)));
    labOutput(lab, d_words, n * sizeof(unsigned int));
    labGroup(lab, "a kernel that fills %u words, by the CPU's clock", n);

    labHostStep(lab, "launchOnly");
    labBytes(lab, bytes);
    if (n > 0) labRemark(lab, "launching, not the kernel");
    labUnmodelled(lab, NO_CLOCK);
    while (labRuns(lab)) {
        poisonWords(d_words, n);
        labStart(lab);
        if (n > 0) launchOnly(d_words, n);
        labStop(lab);
        if (labChecks(lab)) labVerdict(lab, checkWords(d_words, n));
    }

    labHostStep(lab, "launchAndWait");
    labBytes(lab, bytes);
    if (n > 0) labRemark(lab, "the kernel, launching it, and waiting for it");
    labUnmodelled(lab, NO_CLOCK);
    while (labRuns(lab)) {
        poisonWords(d_words, n);
        labStart(lab);
        if (n > 0) launchAndWait(d_words, n);
        labStop(lab);
        idle = cudaStreamQuery(0) == cudaSuccess;
        cudaGetLastError(); /* an answer, no error */
        if (labChecks(lab))
            labVerdict(lab, idle
                                ? checkWords(d_words, n)
                                : judgeCondition(false, "it ended before the kernel: wait for it"));
    }

    labGroup(lab, "the same kernel by CUDA's events");
    labStep(lab, "fillWords", fillGrid(n), FILL_BLOCK);
    labBytes(lab, bytes);
    labRemark(lab, lab->modelled ? "modelled" : "the kernel");
    while (labRuns(lab)) {
        fillWords<<<fillGrid(n), FILL_BLOCK>>>(d_words, n);
        if (labChecks(lab)) labVerdict(lab, checkWords(d_words, n));
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
    info.flags = FLAGS;
    info.flagsN = COUNT(FLAGS);
    info.countsMisses = true;
    Lab lab = labOpen(argc, argv, info, STEPS);
    if (watchesPages() && lab.size < LEAST_WATCHED)
        refuse(lab.info.name, "--watch pages: give --size %zu or more", LEAST_WATCHED);
    const Amounts amounts = amountsFor(lab.size);
    refuseTooLarge(&lab, &amounts);
    labHeader(&lab, "on %s, timed by cpuSecond, median of %d", processorName(),
              labHostRepeat(&lab));
    runSums(&lab, &amounts);
    runProducts(&lab, &amounts);
    runRecords(&lab, &amounts);
    runChains(&lab, &amounts);
    runClocks(&lab, &amounts);
    if (whyNoMisses() != NULL) labNote(&lab, "(cache misses were not counted: %s)", whyNoMisses());
    return labClose(&lab);
}
// Handed out as 550bd3eb3e5eef5e; keep this line: make tells by it what was edited
