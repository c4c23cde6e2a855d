/*
 * Lab 3: reduction. Add up n integers, as fast as the GPU's memory allows.
 *
 * Nine kernels add the same numbers. Each removes one bottleneck of the one before it. Every kernel
 * works in place: it destroys g_idata, and leaves in g_odata one sum per block. The CPU adds those
 * few sums up.
 *
 *     g_idata   | chunk of block 0 | chunk of block 1 | ... | last chunk, maybe shorter |
 *     g_odata   | sum 0            | sum 1            | ... | last sum                  |
 *
 * To run it: make lab3. By hand:
 *     nvcc -Icommon labs/lab3-reduction/reduction.cu -o reduction && ./reduction --help
 */
#include "common.h"
#include "harness/lab.h"

/* ---- On the CPU ---- */

/* The sum of the first size elements, which it destroys: fold the upper half onto the lower one
 * until one element is left. Unsigned, because a sum that needs more than 32 bits then wraps
 * around, while for int that would be undefined. */
static unsigned int recursiveReduce(unsigned int *data, size_t size) {
    if (size == 0) return 0;
    if (size == 1) return data[0];
    size_t half = size / 2;
    for (size_t i = 0; i < half; i++) data[i] += data[i + half];
    if (size % 2 == 1) data[0] += data[size - 1];
    return recursiveReduce(data, half);
}

/* How long recursiveReduce takes, in seconds; its sum is checked too. */
static double timeOnCpu(const int *input, size_t n, long long total) {
    unsigned int *copy = hostArray<unsigned int>(n);
    for (size_t i = 0; i < n; i++) copy[i] = (unsigned int)input[i];
    double start = cpuSecond();
    unsigned int sum = recursiveReduce(copy, n);
    double seconds = cpuSecond() - start;
    free(copy);
    if (sum != (unsigned int)total) {
        fprintf(stderr, "reduction: recursiveReduce gives %u, not %u\n", sum, (unsigned int)total);
        exit(EXIT_WRONG);
    }
    return seconds;
}

/* The sum of n elements; 64 bits, because 2^28 numbers of up to 255 need more than 32. */
static long long sumOf(const int *data, size_t n) {
    long long sum = 0;
    for (size_t i = 0; i < n; i++) sum += data[i];
    return sum;
}

/* Store the right sum of every block of `chunk` elements in want. */
static void expectBlockSums(int *want, const int *input, size_t n, size_t chunk) {
    for (size_t begin = 0; begin < n; begin += chunk)
        want[begin / chunk] = (int)sumOf(input + begin, n - begin < chunk ? n - begin : chunk);
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     tid       0   1   2   3   4   5   6   7
 *     stride 1  0+1     2+3     4+5     6+7          every second thread works
 *     stride 2  0+2             4+6                  every fourth
 *     stride 4  0+4                                  every eighth
 *
 * Question: of the 32 threads of a warp, how many work in each round, and what do
 * the others do meanwhile?
 * Metric: branch_efficiency
 */
__global__ void reduceNeighbored(int *g_idata, int *g_odata, unsigned int n) {
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockIdx.x * blockDim.x + tid;
    /* This block's chunk: idata[tid] is g_idata[idx]. */
    int *idata = g_idata + blockIdx.x * blockDim.x;

    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        /* The last chunk may be shorter than the block: add only what exists. No thread may leave
         * early, though: all threads of a block must reach each barrier. */
        if (tid % (2 * stride) == 0 && idx + stride < n) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads(); /* a round needs all sums of the round before */
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

/* ---- Step 2 ----
 *
 *     index     0   1   2   3   4   5   6   7
 *     stride 1  0+1     2+3     4+5     6+7          by threads 0, 1, 2, 3
 *     stride 2  0+2             4+6                  by threads 0, 1
 *     stride 4  0+4                                  by thread 0
 *
 * Question: a block has 32 warps. How many of them still have a working thread in the
 * first round? In the second?
 * Metric: inst_per_warp
 */
__global__ void reduceNeighboredLess(int *g_idata, int *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceNeighboredLess
    TODO("Do the sums of step 1 with the first threads: thread tid adds at index 2 * stride * "
         "tid.",
         "handouts/lab3.md#reduceneighboredless");
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     tid       0   1   2   3   4   5   6   7
 *     stride 4  0+4 1+5 2+6 3+7                      the upper half onto the lower one
 *     stride 2  0+2 1+3
 *     stride 1  0+1
 *
 * Question: a warp loads 32 words. In how many 32-byte sectors do they lie, 2 * stride
 * apart? And side by side?
 * Metric: gld_efficiency
 */
__global__ void reduceInterleaved(int *g_idata, int *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceInterleaved
    TODO("Begin with stride blockDim.x / 2 and halve it: thread tid < stride adds idata[tid + "
         "stride].",
         "handouts/lab3.md#reduceinterleaved");
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 *     g_idata   | chunk 0 | chunk 1 | chunk 2 | chunk 3 |
 *                 block 0:  0 += 1    block 1:  2 += 3          then step 3 within chunks 0 and 2
 *
 * Question: in step 3 half of the threads never add anything. What do they do here?
 * How many blocks are left?
 * Metric: dram_read_throughput
 */
__global__ void reduceUnroll2(int *g_idata, int *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceUnroll2
    TODO("Give each block two chunks: every thread first adds the word one chunk further on, "
         "then do step 3.",
         "handouts/lab3.md#reduceunroll2");
    // END SOLUTION
}

/* ---- Step 5 ----
 *
 * Question: the four loads do not wait for one another. What does the memory do with
 * that, and what did step 4 do?
 * Metric: dram_read_throughput
 */
__global__ void reduceUnroll4(int *g_idata, int *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceUnroll4
    TODO("Give each block four chunks: load four words into variables, add them, then do step 3.",
         "handouts/lab3.md#reduceunroll4");
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 * Question: how near is this to the peak bandwidth that the headline names? What would
 * sixteen chunks bring, and cost?
 * Metric: dram_read_throughput
 */
__global__ void reduceUnroll8(int *g_idata, int *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceUnroll8
    TODO("Give each block eight chunks, as step 5 does with four.",
         "handouts/lab3.md#reduceunroll8");
    // END SOLUTION
}

/* One round of the last warp, given to you: g_idata[idx] += g_idata[idx + stride]. All 32 threads
 * call it together.
 *
 * Old textbooks leave out __syncwarp() and declare the data volatile, trusting that a warp's
 * threads run in step. Since the Volta generation they need not. One thread's target is another's
 * source, so: all read, then all write, then the next round. */
__device__ void addInWarp(int *g_idata, unsigned int idx, unsigned int stride, unsigned int n) {
    int sum = 0;
    if (idx + stride < n) sum = g_idata[idx] + g_idata[idx + stride];
    __syncwarp();
    if (idx + stride < n) g_idata[idx] = sum;
    __syncwarp();
}

/* ---- Step 7 ----
 *
 * Question: with 32 or fewer threads at work, what does a barrier for the whole block still
 * cost, and who pays for it?
 * Metric: stall_sync
 */
__global__ void reduceUnrollWarp8(int *g_idata, int *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceUnrollWarp8
    TODO("End step 6's loop at stride 64; then warp 0 alone does the rounds 32, 16, 8, 4, 2, 1 "
         "with addInWarp.",
         "handouts/lab3.md#reduceunrollwarp8");
    // END SOLUTION
}

/* ---- Step 8 ----
 *
 * Question: which instructions of step 7's loop add no numbers? How many are
 * they, per round and warp?
 * Metric: inst_per_warp
 */
__global__ void reduceCompleteUnrollWarp8(int *g_idata, int *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceCompleteUnrollWarp8
    TODO("Write step 7's loop out: a line and a barrier for each stride 512, 256, 128, 64 below "
         "the block size.",
         "handouts/lab3.md#reducecompleteunrollwarp8");
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 * Question: which comparisons does the compiler decide now, once for all threads, and what
 * becomes of `* blockSize`?
 * Metric: inst_per_warp
 */
template <unsigned int blockSize>
__global__ void reduceCompleteUnroll(int *g_idata, int *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceCompleteUnroll
    TODO("Write step 8 with blockSize, which the compiler knows, in place of blockDim.x, which "
         "it does not.",
         "handouts/lab3.md#reducecompleteunroll");
    // END SOLUTION
}

/* ---- Running them ---- */

typedef void (*Kernel)(int *g_idata, int *g_odata, unsigned int n);

/* A template needs its block size when it is compiled: one copy for each that is allowed. */
static Kernel completeUnrollFor(unsigned int block) {
    switch (block) {
    case 1024: return reduceCompleteUnroll<1024>;
    case 512: return reduceCompleteUnroll<512>;
    case 256: return reduceCompleteUnroll<256>;
    case 128: return reduceCompleteUnroll<128>;
    case 64: return reduceCompleteUnroll<64>;
    default: return reduceCompleteUnroll<32>;
    }
}

struct ReductionStep {
    const char *name, *idea;
    Kernel kernel;       /* NULL: the template above */
    unsigned int chunks; /* of blockDim.x elements that one block adds up */
};

static const ReductionStep STEPS[] = {
    {"reduceNeighbored", "each thread adds its right neighbour", reduceNeighbored, 1},
    {"reduceNeighboredLess", "the same sums by threads that lie together", reduceNeighboredLess, 1},
    {"reduceInterleaved", "neighbouring threads touch neighbouring words", reduceInterleaved, 1},
    {"reduceUnroll2", "each block takes two chunks", reduceUnroll2, 2},
    {"reduceUnroll4", "four chunks: more loads under way", reduceUnroll4, 4},
    {"reduceUnroll8", "eight chunks", reduceUnroll8, 8},
    {"reduceUnrollWarp8", "no block barriers in the last warp", reduceUnrollWarp8, 8},
    {"reduceCompleteUnrollWarp8", "no loop", reduceCompleteUnrollWarp8, 8},
    {"reduceCompleteUnroll", "a block size that the compiler knows", NULL, 8},
};

/* Judge every block's sum, then the total. */
static Verdict checkSums(const int *want, const int *got, size_t blocks, long long total) {
    Verdict verdict = judgeResults(want, got, blocks);
    if (!verdict.ok) return verdict;
    long long sum = sumOf(got, blocks);
    return judgeResults(&total, &sum, 1);
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(3, "reduction", __FILE__, "integers to add up");
    info.defaultSize = 1 << 24; /* as the textbook has it */
    info.maxSize = 1 << 28;     /* an index beyond the end still fits in 32 bits */
    info.defaultBlock = 1024;
    info.blockRefusal = refuseUnevenHalves;
    Lab lab = labOpen(argc, argv, info, STEPS);
    size_t n = lab.size, bytes = n * sizeof(int);
    unsigned int block = lab.block, most = blocksFor(n, block);

    int *h_idata = hostArray<int>(n), *h_odata = hostArray<int>(most), *want = hostArray<int>(most);
    initialData(h_idata, n, lab.seed);
    long long total = sumOf(h_idata, n);

    int *d_idata, *d_odata;
    labNeeds(&lab, bytes + most * sizeof(int)); /* too large: a message, and exit code 2 */
    CHECK(cudaMalloc(&d_idata, bytes));
    CHECK(cudaMemcpy(d_idata, h_idata, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, d_idata, bytes); /* restored before every run */
    CHECK(cudaMalloc(&d_odata, most * sizeof(int)));
    labOutput(&lab, d_odata, most * sizeof(int)); /* poisoned before every run */
    labHeader(&lab, "reduction of %zu integers to %lld; recursiveReduce on the CPU takes %.3f ms",
              n, total, timeOnCpu(h_idata, n, total) * 1000);

    for (size_t i = 0; i < COUNT(STEPS); i++) {
        unsigned int chunk = block * STEPS[i].chunks, grid = blocksFor(n, chunk);
        Kernel kernel = STEPS[i].kernel != NULL ? STEPS[i].kernel : completeUnrollFor(block);
        expectBlockSums(want, h_idata, n, chunk);
        labStep(&lab, STEPS[i].name, grid, block); /* a row of the table; --step may leave it out */
        labBytes(&lab, (double)bytes + grid * sizeof(int)); /* each number once, each block's sum */
        while (labRuns(&lab)) { /* until all runs are done, or one fails */
            kernel<<<grid, block>>>(d_idata, d_odata, (unsigned int)n);
            if (!labChecks(&lab)) continue; /* stops the clock; true in the first and last run */
            CHECK(cudaMemcpy(h_odata, d_odata, grid * sizeof(int), cudaMemcpyDeviceToHost));
            labVerdict(&lab, checkSums(want, h_odata, grid, total));
        }
    }
    /* Without CHECK: it fails after a kernel that failed, but the table prints. */
    cudaFree(d_idata);
    cudaFree(d_odata);
    free(h_idata);
    free(h_odata);
    free(want);
    return labClose(&lab);
}
