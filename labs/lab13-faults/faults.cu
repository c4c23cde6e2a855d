/*
 * Lab 13: faults. Each of twelve steps has one fault that real programs have. Find it and mend it.
 *
 * Step 1 is an example, mended. The others are complete, too, and some results are right: by luck,
 * or at this size. For each step write into answers.md (make answers-lab13) what is wrong, on which
 * line, and what shows it: the result, another size, or a checker. Then change as little as you
 * can.
 *
 *     steps 1 to 7     a kernel by itself
 *     steps 8 to 10    blocks or threads that add together
 *     steps 11, 13     the host
 *     step 12          four numbers a load
 *
 * Steps 12 and 13 stand last because an error there may end the program.
 *
 * To run it: make lab13; make lab13 SIZE=1003; make check-lab13.
 */
#include "common.h"
#include "harness/host.h"
#include "harness/lab.h"

enum : unsigned int { BLOCK = 256, WARP = 32, ROWS = BLOCK / WARP, ALL_LANES = 0xffffffff };

/* Words of the results of step 7's blocks, and of the table of step 13. */
enum : unsigned int { DIGITS = 10, SQUARES = 256 };

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1: given, an example ----
 *
 *     in    | 3 | 1 | 7 | 0 |
 *     out   | 6 | 2 | 14| 0 |
 *
 * `if (i < n)` was missing. Results were right at any size: the last block's threads beyond n wrote
 * where nobody looked. `make check-lab13` said: Invalid __global__ read of size 4 bytes, with this
 * line.
 *
 * Question: which threads of which block did it, and why not with SIZE=1024?
 * Metric: gld_requests
 */
__global__ void doubleAll(const int *in, int *out, unsigned int n) {
    const unsigned int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = 2 * in[i];
}

/* What it must give. */
static void wantDouble(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < n; i++) want[i] = 2 * in[i];
}

constexpr int ROUNDS = 4;

/* ---- Step 2 ----
 *
 *     round 0   | 3 | 1 | 7 | 0 | ...     of the block's numbers
 *     round 1   | 4 | 8 | 7 | ...         each and its right neighbour; the last one's is the first
 *
 * Question: a thread reads two words and writes one. Which line is wrong, and what shows it?
 * Metric: shared_load
 */
__global__ void sumNeighbours(const int *in, int *out, unsigned int n) {
    // BEGIN SOLUTION sumNeighbours
    __shared__ int tile[BLOCK];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    tile[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        const int sum = tile[tid] + tile[(tid + 1) % BLOCK];
        tile[tid] = sum;
        __syncthreads();
    }
    if (i < n) out[i] = tile[tid];
    // END SOLUTION
}

/* What it must give. */
static void wantNeighbours(const int *in, int *want, size_t n) {
    for (size_t first = 0; first < n; first += BLOCK) {
        int tile[BLOCK];
        for (size_t i = 0; i < BLOCK; i++) tile[i] = first + i < n ? in[first + i] : 0;
        for (int round = 0; round < ROUNDS; round++) {
            const int left = tile[0];
            for (size_t i = 0; i < BLOCK; i++) tile[i] += i + 1 < BLOCK ? tile[i + 1] : left;
        }
        for (size_t i = 0; i < BLOCK && first + i < n; i++) want[first + i] = tile[i];
    }
}

/* ---- Step 3 ----
 *
 *     width 128, 64, 32    | 3 | 1 | 7 | ... | 5 | 2 | 6 | ...     the larger one of each pair
 *     then                 one warp finds the largest of its numbers by shuffles
 *
 * Question: which warps reach which lines? Which line is wrong, and what shows it?
 * Metric: shared_load
 */
__global__ void maxOfBlocks(const int *in, int *out, unsigned int n) {
    // BEGIN SOLUTION maxOfBlocks
    __shared__ int tile[BLOCK];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    tile[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int width = BLOCK / 2; width >= WARP; width /= 2) {
        if (tid < width) {
            tile[tid] = max(tile[tid], tile[tid + width]);
            __syncthreads();
        }
    }
    if (tid >= WARP) return;
    int most = tile[tid];
    for (unsigned int distance = WARP / 2; distance > 0; distance /= 2)
        most = max(most, __shfl_down_sync(ALL_LANES, most, distance));
    if (tid == 0) out[blockIdx.x] = most;
    // END SOLUTION
}

/* What it must give. */
static void wantMaxima(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (i % BLOCK == 0 || in[i] > want[i / BLOCK]) want[i / BLOCK] = in[i];
}

/* ---- Step 4 ----
 *
 *     out[i] = in[i] + 1, by four numbers a thread; the last ones, up to three, one by one
 *
 * Question: who adds to which numbers? Which line is wrong, and what shows it?
 * Metric: gld_requests
 */
__global__ void addByFours(const int *in, int *out, unsigned int n) {
    // BEGIN SOLUTION addByFours
    const unsigned int t = blockIdx.x * BLOCK + threadIdx.x, quads = n / 4, last = n - 1;
    if (t < quads) {
        const int4 q = ((const int4 *)in)[t];
        ((int4 *)out)[t] = make_int4(q.x + 1, q.y + 1, q.z + 1, q.w + 1);
    }
    const unsigned int i = 4 * quads + t;
    if (i < last) out[i] = in[i] + 1;
    // END SOLUTION
}

/* What it must give. */
static void wantMore(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < n; i++) want[i] = in[i] + 1;
}

/* Distances of step 5: from one number to the next, and of the first from 0. */
constexpr int STRIDE = 4099, SHIFT = 7;

/* ---- Step 5 ----
 *
 *     out[i] = in[STRIDE * i - SHIFT], where the array begins again after its end, and ends before
 *     its beginning
 *
 * Question: how large do the numbers become that it computes? Which line is wrong, and what shows
 * it?
 * Metric: gld_requests
 */
__global__ void gatherStrided(const int *in, int *out, unsigned int n) {
    // BEGIN SOLUTION gatherStrided
    const int i = blockIdx.x * BLOCK + threadIdx.x, size = n;
    if (i < size) {
        int from = (STRIDE * i - SHIFT) % size;
        if (from < 0) from += size;
        out[i] = in[from];
    }
    // END SOLUTION
}

/* What it must give. */
static void wantStrided(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < n; i++) want[i] = in[(STRIDE * i + n - SHIFT % n) % n];
}

/* ---- Step 6 ----
 *
 *     row 0   | ........ 32 numbers ........ |     out = own number + weight * number below
 *     row 1   | ............................ |     weights of the 32 columns: 1, 2, 3, 1, 2, 3, ...
 *
 * A block has ROWS rows, a warp each. After the last row of all come zeros. The launch gives each
 * block shared memory for the weights.
 *
 * Question: which words of shared memory does each warp write? Which line is wrong, and what shows
 * it?
 * Metric: shared_load
 */
__global__ void addRowBelow(const int *in, int *out, unsigned int n) {
    // BEGIN SOLUTION addRowBelow
    __shared__ int tile[ROWS][WARP];
    extern __shared__ int weights[];
    const unsigned int tid = threadIdx.x, row = tid / WARP, lane = tid % WARP;
    const unsigned int i = blockIdx.x * BLOCK + tid, below = i + BLOCK;
    if (row == 0) weights[lane] = lane % 3 + 1;
    tile[row][lane] = i < n ? in[i] : 0;
    if (row == 0) tile[row + ROWS][lane] = below < n ? in[below] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[row][lane] + weights[lane] * tile[row + 1][lane];
    // END SOLUTION
}

/* What it must give. */
static void wantRows(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < n; i++)
        want[i] = in[i] + (int)(i % WARP % 3 + 1) * (i + WARP < n ? in[i + WARP] : 0);
}

/* ---- Step 7 ----
 *
 *     block 0   how many of its numbers end with digit 0, with 1, ... with 9
 *     block 1   the same                                                      out[block][digit]
 *
 * Question: what does a block begin with? Which line is wrong, and what shows it?
 * Metric: inst_executed_shared_atomics
 */
__global__ void countDigits(const int *in, int *out, unsigned int n) {
    // BEGIN SOLUTION countDigits
    __shared__ int counts[DIGITS];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    if (i < n) atomicAdd(&counts[in[i] % DIGITS], 1);
    __syncthreads();
    if (tid < DIGITS) out[blockIdx.x * DIGITS + tid] = counts[tid];
    // END SOLUTION
}

/* What it must give. */
static void wantDigits(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < blocksFor(n, BLOCK) * DIGITS; i++) want[i] = 0;
    for (size_t i = 0; i < n; i++) want[i / BLOCK * DIGITS + in[i] % DIGITS]++;
}

/* The sum of a number of each thread of the block. All threads call it. */
__device__ int sumOfBlock(int number) {
    __shared__ int sum;
    __syncthreads(); /* nobody reads an earlier sum any more */
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, number);
    __syncthreads();
    return sum;
}

/* ---- Step 8 ----
 *
 *     block 0   a sum  \
 *     block 1   a sum   >  *total, which is 0 at first
 *     block 2   a sum  /
 *
 * Question: in which order do blocks reach the last line? Which line is wrong, and what shows it?
 * Metric: inst_executed_global_reductions
 */
__global__ void sumAll(const int *in, int *total, unsigned int n) {
    // BEGIN SOLUTION sumAll
    const unsigned int i = blockIdx.x * BLOCK + threadIdx.x;
    const int sum = sumOfBlock(i < n ? in[i] : 0);
    if (threadIdx.x == 0) *total += sum;
    // END SOLUTION
}

/* What it must give, and step 9. */
static void wantSum(const int *in, int *want, size_t n) {
    *want = 0;
    for (size_t i = 0; i < n; i++) *want += in[i];
}

/* ---- Step 9 ----
 *
 *     block 0   sums[0] = its sum   ticket 0
 *     block 2   sums[2] = its sum   ticket 1
 *     block 1   sums[1] = its sum   ticket 2, the last: adds sums[0], [1], [2] to *total
 *
 * Question: a block that sees a ticket taken, what else does it see? Which line is wrong, and what
 * shows it?
 * Metric: gld_requests
 */
__global__ void sumInOnePass(const int *in, int *sums, int *total, int *tickets, unsigned int n) {
    // BEGIN SOLUTION sumInOnePass
    __shared__ bool isLast;
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    int sum = sumOfBlock(i < n ? in[i] : 0);
    if (tid == 0) {
        sums[blockIdx.x] = sum;
        isLast = atomicAdd(tickets, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!isLast) return;
    sum = 0;
    for (unsigned int b = tid; b < gridDim.x; b += BLOCK) sum += sums[b];
    sum = sumOfBlock(sum);
    if (tid == 0) *total = sum;
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 *     width 128, 64, 32    warps add pairs, with a barrier after each round
 *     width 16, 8, 4, 2, 1 one warp is left
 *
 * Question: what makes lanes of the last warp wait for each other? Which line is wrong, and what
 * shows it?
 * Metric: shared_load
 */
__global__ void sumOfBlocks(const int *in, int *out, unsigned int n) {
    // BEGIN SOLUTION sumOfBlocks
    __shared__ int tile[BLOCK];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;
    unsigned int width = BLOCK / 2;
    tile[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (; width >= WARP; width /= 2) {
        if (tid < width) tile[tid] += tile[tid + width];
        __syncthreads();
    }
    if (tid < WARP) {
        volatile int *words = tile;
        for (; width > 0; width /= 2) {
            if (tid < width) words[tid] += words[tid + width];
        }
    }
    if (tid == 0) out[blockIdx.x] = tile[0];
    // END SOLUTION
}

/* What it must give. */
static void wantSums(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < n; i++) want[i / BLOCK] = in[i] + (i % BLOCK > 0 ? want[i / BLOCK] : 0);
}

/* ---- Step 11 ----
 *
 *     stream   | doubleAll | copy to the host |
 *     host                                     adds the doubled numbers up
 *
 * Question: when is each line of the host done, and when the work that it asks for? Which line is
 * wrong, and what shows it?
 */
static double sumOnHost(const int *d_in, int *d_out, int *doubled, unsigned int n) {
    double sum = 0;
    // BEGIN SOLUTION sumOnHost
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    doubleAll<<<blocksFor(n, BLOCK), BLOCK, 0, stream>>>(d_in, d_out, n);
    CHECK(cudaMemcpyAsync(doubled, d_out, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    for (unsigned int i = 0; i < n; i++) sum += doubled[i];
    CHECK(cudaStreamDestroy(stream));
    // END SOLUTION
    return sum;
}

/* ---- Step 12 ----
 *
 *     in    |       first half       |       second half      |
 *     out   | first + second half    |
 *
 * Four numbers a thread; the last ones, up to three, one by one. Of an odd number of numbers the
 * last one does not count.
 *
 * Question: where does each thread load from? Which line is wrong, and what shows it?
 * Metric: gld_requests
 */
__global__ void addHalves(const int *in, int *out, unsigned int n) {
    // BEGIN SOLUTION addHalves
    const unsigned int t = blockIdx.x * BLOCK + threadIdx.x, half = n / 2, quads = half / 4;
    const int *second = in + half;
    if (t < quads) {
        const int4 a = ((const int4 *)in)[t];
        const int4 b = ((const int4 *)second)[t];
        ((int4 *)out)[t] = make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
    const unsigned int i = 4 * quads + t;
    if (i < half) out[i] = in[i] + second[i];
    // END SOLUTION
}

/* What it must give. */
static void wantHalves(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < n / 2; i++) want[i] = in[i] + in[n / 2 + i];
}

/* The squares of 0, 1, ... */
__global__ void fillSquares(int *squares) {
    squares[threadIdx.x] = (int)(threadIdx.x * threadIdx.x);
}

/* Of each number its square. */
__global__ void takeSquares(const int *in, const int *squares, int *out, unsigned int n) {
    const unsigned int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = squares[in[i]];
}

/* ---- Step 13 ----
 *
 *     fillSquares   makes a table
 *     takeSquares   takes a square for each number of in
 *
 * Question: how long does each kernel need the table? Which line is wrong, and what shows it?
 */
static void lookUp(const int *d_in, int *d_out, unsigned int n) {
    // BEGIN SOLUTION lookUp
    int *d_squares;
    CHECK(cudaMalloc(&d_squares, SQUARES * sizeof(int)));
    fillSquares<<<1, SQUARES>>>(d_squares);
    CHECK(cudaFree(d_squares));
    takeSquares<<<blocksFor(n, BLOCK), BLOCK>>>(d_in, d_squares, d_out, n);
    // END SOLUTION
}

/* What it must give. */
static void wantSquares(const int *in, int *want, size_t n) {
    for (size_t i = 0; i < n; i++) want[i] = in[i] * in[i];
}

/* ---- Running them ---- */

static const LabStep STEPS[] = {
    {"doubleAll", "an example, mended"},
    {"sumNeighbours", "sums of neighbours in a block"},
    {"maxOfBlocks", "each block's largest number"},
    {"addByFours", "four numbers a thread"},
    {"gatherStrided", "numbers far from each other"},
    {"addRowBelow", "each row and the one below"},
    {"countDigits", "last digits of each block"},
    {"sumAll", "blocks add to one sum"},
    {"sumInOnePass", "the last block adds the sums"},
    {"sumOfBlocks", "each block's sum"},
    {"sumOnHost", "a copy to the host, and a sum there"},
    {"addHalves", "the first half and the second"},
    {"lookUp", "a table of squares"},
};

/* The arrays, on the host and on the device. out and want have room for any step's results, one
 * word or DIGITS a block. zeros: *total and *tickets, 0 before every run. */
struct Data {
    size_t n;
    unsigned int grid;
    int *in, *want, *got, *doubled;
    int *d_in, *d_out, *d_zeros;
};

static Data makeData(Lab *lab) {
    Data d = {};
    const size_t n = lab->size, bytes = n * sizeof(int);
    const int zeros[2] = {0, 0};
    d.n = n;
    d.grid = blocksFor(n, BLOCK);
    const size_t results = n + d.grid * DIGITS;
    d.in = hostArray<int>(n);
    d.want = hostArray<int>(results);
    d.got = hostArray<int>(results);
    d.doubled = (int *)outputPages(bytes);
    CHECK(cudaHostRegister(d.doubled, bytes > 0 ? bytes : 1, cudaHostRegisterDefault));
    initialData(d.in, n, lab->seed);
    labNeeds(lab, bytes + results * sizeof(int));
    CHECK(cudaMalloc(&d.d_in, bytes));
    CHECK(cudaMemcpy(d.d_in, d.in, bytes, cudaMemcpyHostToDevice));
    labInput(lab, d.d_in, bytes);
    CHECK(cudaMalloc(&d.d_zeros, sizeof zeros));
    CHECK(cudaMemcpy(d.d_zeros, zeros, sizeof zeros, cudaMemcpyHostToDevice));
    labInput(lab, d.d_zeros, sizeof zeros);
    CHECK(cudaMalloc(&d.d_out, results * sizeof(int)));
    labOutput(lab, d.d_out, results * sizeof(int));
    return d;
}

static void freeData(Data *d) {
    cudaFree(d->d_in);
    cudaFree(d->d_zeros);
    cudaFree(d->d_out);
    cudaHostUnregister(d->doubled);
    freePages(d->doubled);
    free(d->in);
    free(d->want);
    free(d->got);
}

static Verdict judge(const Data *d, const int *device, size_t words) {
    CHECK(cudaMemcpy(d->got, device, words * sizeof(int), cudaMemcpyDeviceToHost));
    return judgeResults(d->want, d->got, words);
}

/* Runs a step: launch() is its work, of which `words` words at `device` are judged. untimed: what
 * the simulator's model leaves out of its time; NULL: nothing. */
template <class Launch>
static void runStep(Lab *lab, const char *step, const Data *d,
                    void (*want)(const int *, int *, size_t), const int *device, size_t words,
                    Launch launch, const char *untimed = NULL) {
    labStep(lab, step, d->grid, BLOCK);
    labBytes(lab, (double)(d->n + words) * sizeof(int));
    if (untimed != NULL) labUnmodelled(lab, untimed);
    want(d->in, d->want, d->n);
    while (labRuns(lab)) {
        launch();
        if (labChecks(lab)) labVerdict(lab, judge(d, device, words));
    }
}

static const char *blockRefusal(unsigned int block) {
    return block == BLOCK ? NULL : "no step here is about blocks: leave it at 256";
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(13, "faults", __FILE__, "numbers");
    info.defaultSize = 1 << 20;
    info.maxSize = 1 << 23; /* sums of numbers below 256 stay below 2^31 */
    info.defaultBlock = BLOCK;
    info.blockRefusal = blockRefusal;
    Lab lab = labOpen(argc, argv, info, STEPS);
    Data d = makeData(&lab);
    const unsigned int n = (unsigned int)d.n, grid = d.grid, weights = WARP * sizeof(int);
    int *total = d.d_zeros, *tickets = d.d_zeros + 1;
    labHeader(&lab, "twelve programs for %u numbers, each with a fault", n);

    runStep(&lab, "doubleAll", &d, wantDouble, d.d_out, n,
            [&] { doubleAll<<<grid, BLOCK>>>(d.d_in, d.d_out, n); });
    runStep(&lab, "sumNeighbours", &d, wantNeighbours, d.d_out, n,
            [&] { sumNeighbours<<<grid, BLOCK>>>(d.d_in, d.d_out, n); });
    runStep(&lab, "maxOfBlocks", &d, wantMaxima, d.d_out, grid,
            [&] { maxOfBlocks<<<grid, BLOCK>>>(d.d_in, d.d_out, n); });
    runStep(&lab, "addByFours", &d, wantMore, d.d_out, n,
            [&] { addByFours<<<grid, BLOCK>>>(d.d_in, d.d_out, n); });
    runStep(&lab, "gatherStrided", &d, wantStrided, d.d_out, n,
            [&] { gatherStrided<<<grid, BLOCK>>>(d.d_in, d.d_out, n); });
    runStep(&lab, "addRowBelow", &d, wantRows, d.d_out, n,
            [&] { addRowBelow<<<grid, BLOCK, weights>>>(d.d_in, d.d_out, n); });
    runStep(&lab, "countDigits", &d, wantDigits, d.d_out, grid * DIGITS,
            [&] { countDigits<<<grid, BLOCK>>>(d.d_in, d.d_out, n); });
    runStep(&lab, "sumAll", &d, wantSum, total, 1,
            [&] { sumAll<<<grid, BLOCK>>>(d.d_in, total, n); });
    runStep(&lab, "sumInOnePass", &d, wantSum, total, 1,
            [&] { sumInOnePass<<<grid, BLOCK>>>(d.d_in, d.d_out, total, tickets, n); });
    runStep(&lab, "sumOfBlocks", &d, wantSums, d.d_out, grid,
            [&] { sumOfBlocks<<<grid, BLOCK>>>(d.d_in, d.d_out, n); });

    double sum = 0;
    wantSum(d.in, d.want, d.n);
    labStep(&lab, "sumOnHost", grid, BLOCK);
    labBytes(&lab, 2.0 * d.n * sizeof(int));
    labUnmodelled(&lab, "no time: the sum on the CPU is not modelled");
    while (labRuns(&lab)) {
        memset(d.doubled, POISON_BYTE, d.n * sizeof(int));
        sum = sumOnHost(d.d_in, d.d_out, d.doubled, n);
        if (labChecks(&lab))
            labVerdict(&lab, judgeNumber(sum == 2.0 * *d.want, sum, 2.0 * *d.want));
    }
    runStep(&lab, "addHalves", &d, wantHalves, d.d_out, n / 2,
            [&] { addHalves<<<grid, BLOCK>>>(d.d_in, d.d_out, n); });
    runStep(
        &lab, "lookUp", &d, wantSquares, d.d_out, n, [&] { lookUp(d.d_in, d.d_out, n); },
        "no time: cudaMalloc and cudaFree are not modelled");
    freeData(&d);
    return labClose(&lab);
}
