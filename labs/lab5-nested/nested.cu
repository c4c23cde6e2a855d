/*
 * Lab 5: nested launches. A kernel may launch kernels: who launches whom, what it costs, and where
 * it pays.
 *
 *     steps 1 to 3    the tree of launches itself
 *     steps 4 to 6    its price, for 64 small grids
 *     steps 7 to 11   a sum, as in lab 3, one number for each chunk of the input
 *
 * Device code that launches kernels needs nvcc -rdc=true, which links the device's runtime library.
 *
 * To run it: make lab5. By hand:
 *     nvcc -rdc=true -Icommon labs/lab5-nested/nested.cu -o nested && ./nested --help
 */
#include "common.h"
#include "harness/lab.h"

/* Before, device code had no streams for a launch that nobody waits for,
 * nor for one that comes last. */
#if CUDART_VERSION < 12000
#error "this lab needs nvcc of CUDA 12 or newer"
#endif

/* Who launched a thread is written down as a number: 0 is the host, others are threads, as each
 * tree numbers them. */
static const int HOST = 0;

/* In an output that no thread has written to: the poison, as an integer. */
static const int NOBODY = -1;

static const int HELLO_SIZE = 64, HELLO_BLOCK = 2;
static const int CHAINS = HELLO_SIZE / HELLO_BLOCK; /* blocks at depth 0; each begins a chain */
static const int HELLO_LEVELS = 7;                  /* 64 32 16 8 4 2 1 */
static const int HELLO_SLOTS = HELLO_LEVELS * CHAINS * HELLO_SIZE;

/* A thread's number: level, chain and place in its block, from 1. */
static __host__ __device__ int helloNumber(int depth, int chain, int tid) {
    return (depth * CHAINS + chain) * HELLO_SIZE + tid + 1;
}

static const int TREE_LEVELS = 7;
static const int TREE_SLOTS = (2 << TREE_LEVELS) - 1; /* numbers 0 to 2^(levels + 1) - 2 */

enum { MOST_LINKS = 3000, LAUNCHERS = 64 }; /* LAUNCHERS: threads a block of step 10 */

static LabFlag FLAGS[] = {
    numberFlag("--links", "N", "of nestedChain, should nothing end it before (default 64)", 1,
               MOST_LINKS, 64),
};

/* ---- On the CPU: what the trees must be, and what is printed about them ---- */

/* want: HELLO_SLOTS elements. */
static void expectHello(int *want) {
    for (int i = 0; i < HELLO_SLOTS; i++) want[i] = NOBODY;
    for (int chain = 0; chain < CHAINS; chain++) {
        for (int tid = 0; tid < HELLO_BLOCK; tid++) want[helloNumber(0, chain, tid) - 1] = HOST;
        for (int depth = 1; depth < HELLO_LEVELS; depth++) {
            for (int tid = 0; tid < HELLO_SIZE >> depth; tid++) {
                want[helloNumber(depth, chain, tid) - 1] = helloNumber(depth - 1, chain, 0);
            }
        }
    }
}

/* want: TREE_SLOTS elements. */
static void expectTree(int *want) {
    want[0] = NOBODY;
    for (int i = 1; i < TREE_SLOTS; i++) want[i] = (i - 1) / 2;
}

/* How long a chain was to be, how long it is, and what ended it. */
struct Chain {
    int asked, links;
    cudaError_t error;
};

/* Does CUDA refuse one launch more with this error? */
static bool refusesLaunch(int error) {
    return error == cudaErrorLaunchPendingCountExceeded ||
           error == cudaErrorLaunchMaxDepthExceeded || error == cudaErrorMemoryAllocation;
}

static const int SURE_DEPTH = 24; /* so deep may launches go on every GPU, NVIDIA's guide says */

/* What it must have noted: links without a gap, and CUDA must have ended it, if it is not as long
 * as it was to be. want and got: an element for each link, and one for the error. */
static void expectChain(Chain *chain, int *want, const int *got) {
    const int most = chain->asked;
    chain->links = 0;
    while (chain->links < most && got[chain->links] == chain->links) chain->links++;
    const bool ended = refusesLaunch(got[most]) && chain->links >= SURE_DEPTH;
    chain->error = ended ? (cudaError_t)got[most] : cudaSuccess;
    for (int i = 0; i < most; i++) want[i] = i < chain->links ? i : NOBODY;
    want[most] = got[most];
    if (chain->links == 0) want[0] = 0;
    if (chain->links == most) want[most] = NOBODY;
    if (chain->links < most && !ended) want[most] = cudaErrorLaunchPendingCountExceeded;
}

/* Depth by depth, from what the threads of step 1 wrote down: a grid has one
 * launching thread, or is the host's. */
static void printHello(const int *launchedBy) {
    int grids = 0, threads = 0;
    printf("The tree of nestedHelloWorld<<<%d, %d>>>, as its threads noted it:\n", CHAINS,
           HELLO_BLOCK);
    for (int depth = 0; depth < HELLO_LEVELS; depth++) {
        int here = 0, launchers = 0;
        for (int i = 0; i < CHAINS * HELLO_SIZE; i++) {
            int launcher = launchedBy[depth * CHAINS * HELLO_SIZE + i];
            if (launcher == NOBODY) continue;
            here++;
            if (i % HELLO_SIZE == 0 && launcher != HOST) launchers++;
        }
        int made = depth == 0 ? 1 : launchers;
        printf("  depth %d: %4d grid%-2s %5d threads\n", depth, made, made == 1 ? "," : "s,", here);
        grids += made;
        threads += here;
    }
    printf("  in all:  %4d grids, %5d threads\n", grids, threads);
}

static void printChain(const Chain *chain) {
    printf("nestedChain: %d grids, each launched by the one before; then %s\n", chain->links,
           chain->error == cudaSuccess ? "it was long enough" : cudaGetErrorName(chain->error));
}

/* Launches that wait need memory, which is set aside before the first kernel: for
 * as many as there are chunks. */
static void makeRoomForLaunches(size_t chunks) {
    const size_t byDefault = 2048;
    if (2 * chunks > byDefault)
        CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 2 * chunks));
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 * Given. The seed of many textbooks: 64 threads are asked for, in blocks of 2, so 32 blocks; and
 * then each block launches a grid of 32 threads, that one a grid of 16, and so on:
 *
 *     depth 0   block 0   block 1   ...  block 31       one grid, 2 threads a block
 *                  |         |              |           thread 0 of each block launches
 *     depth 1   32 thr.   32 thr.   ...  32 thr.        32 grids of one block
 *     depth 2   16 thr.   16 thr.   ...  16 thr.
 *      ...
 *     depth 6    1 thr.    1 thr.   ...   1 thr.
 *
 * Question: how many grids and how many threads are that? (The program prints what it counted.)
 * Metric: inst_executed
 */
__global__ void nestedHelloWorld(int iSize, int iDepth, int chain, int launcher, int *launchedBy) {
    int tid = threadIdx.x;
    if (iDepth == 0) chain = blockIdx.x;
    int me = helloNumber(iDepth, chain, tid);
    launchedBy[me - 1] = launcher;

    int nthreads = iSize / 2;
    if (tid == 0 && nthreads > 0) {
        nestedHelloWorld<<<1, nthreads>>>(nthreads, iDepth + 1, chain, me, launchedBy);
    }
}

/* ---- Step 2 ----
 *
 *     host                    0
 *     depth 0            1         2            one grid of two threads
 *     depth 1         3    4    5    6          two grids
 *     depth 2        7 8  9 10 ...              four
 *
 * Question: how many grids are there at depth d, and how many launches wait
 * at the same time at most?
 * Metric: inst_executed
 */
__global__ void nestedTree(int depth, int launcher, int *launchedBy) {
    // BEGIN SOLUTION nestedTree
    TODO("Note your launcher under your number; unless at the last level, launch two threads.",
         "handouts/lab5.md#nestedtree");
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 * Question: with --links 3000 in place of 64, what does the launch that CUDA refuses do to the
 * kernel that made it, and to the host's program?
 * Metric: inst_executed
 */

/* chain: a place for each link, and one more for the error that ended it, should one do so. */
__global__ void nestedChain(int depth, int links, int *chain) {
    // BEGIN SOLUTION nestedChain
    TODO("Note the depth; launch the next link, if there is one; note cudaGetLastError(), if it "
         "is one.",
         "handouts/lab5.md#nestedchain");
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 * Given. One small piece of work; the host launches it 64 times.
 *
 * Question: which part of this step's time is the work, and which is launching?
 * Metric: inst_executed
 */
static const int PIECES = 64, PIECE_THREADS = 32;

__global__ void work(int *out, int piece) {
    out[piece * PIECE_THREADS + threadIdx.x] = piece;
}

/* ---- Step 5 ----
 *
 * Question: no host is involved any more, and still the launches take time. Who makes them, and in
 * which order do they run?
 * Metric: inst_executed
 */
__global__ void launchWork(int *out) {
    // BEGIN SOLUTION launchWork
    TODO("The host's loop of step 4, in this one thread: launch work for each of the PIECES "
         "pieces.",
         "handouts/lab5.md#launchwork");
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 * Question: the threads of a block share its default stream. What does that mean for the
 * order of their launches?
 * Metric: inst_executed
 */
__global__ void launchWorkEach(int *out) {
    // BEGIN SOLUTION launchWorkEach
    TODO("Each thread launches one piece, in the stream cudaStreamFireAndForget: nothing waits "
         "there.",
         "handouts/lab5.md#launchworkeach");
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 * Given: reduceNeighbored of lab 3, without a nested launch. Block b adds up chunk b of blockDim.x
 * numbers, in place.
 *
 * Question: steps 8 to 11 give the same sums. Which of them can be as fast as this?
 * Metric: inst_executed
 */
__global__ void reduceChunks(int *g_idata, int *g_odata, unsigned int n) {
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockIdx.x * blockDim.x + tid;
    int *idata = g_idata + blockIdx.x * blockDim.x;

    for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0 && idx + stride < n) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

/* ---- Step 8 ----
 *
 *     chunk    | 0 1 2 3 4 5 6 7 |     one round: the upper half onto the lower half, then thread
 *     child    | 0 1 2 3 |             0 launches the same kernel for what is left
 *     its own  | 0 1 |
 *
 * Question: a child sees what its parent had written before the launch. Who else has written to the
 * chunk, and what makes sure that they are done?
 * Metric: inst_executed
 */
__global__ void gpuRecursiveReduce(int *g_idata, int *g_odata, unsigned int isize, unsigned int n) {
    // BEGIN SOLUTION gpuRecursiveReduce
    TODO("Do one round on isize numbers; then one thread launches half as many threads, or "
         "stores the sum.",
         "handouts/lab5.md#gpurecursivereduce");
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 *     depth 0   round 1 of all blocks             chunks lie `chunk` numbers apart in every round
 *     depth 1   round 2 of all blocks             thread 0 of block 0 launches, for all
 *
 * Question: block 0 may be done with its round long before block 1 begins. Why must the
 * launch be a tail launch?
 * Metric: inst_executed
 */
__global__ void gpuRecursiveReduceTail(int *g_idata, int *g_odata, unsigned int isize,
                                       unsigned int chunk, unsigned int n) {
    // BEGIN SOLUTION gpuRecursiveReduceTail
    TODO("One round as in step 8; then one thread of the grid launches the next, in "
         "cudaStreamTailLaunch.",
         "handouts/lab5.md#gpurecursivereducetail");
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 * Question: as many launches as there are chunks. How long would the host take for
 * them, at the price of step 4?
 * Metric: inst_executed
 */
__global__ void reducePerThread(int *g_idata, int *g_odata, unsigned int chunk, unsigned int n) {
    // BEGIN SOLUTION reducePerThread
    TODO("Thread i launches reduceChunks, one block of chunk threads, for chunk i, if there is "
         "one.",
         "handouts/lab5.md#reduceperthread");
    // END SOLUTION
}

/* ---- Step 11 ----
 *
 * Question: what does this take longer than step 7, and would you notice if
 * the sum took a millisecond?
 * Metric: inst_executed
 */
__global__ void reduceOneChild(int *g_idata, int *g_odata, unsigned int chunk, unsigned int n) {
    // BEGIN SOLUTION reduceOneChild
    TODO("This one thread launches reduceChunks for all chunks at once.",
         "handouts/lab5.md#reduceonechild");
    // END SOLUTION
}

/* ---- Running them ---- */

/* A launch, and what a kernel may get. */
struct Launch {
    dim3 grid, block;
    int *in, *out;
    unsigned int chunk, n; /* of a sum */
    int links;             /* of a chain */
};

/* A step's launch, as a function. */
#define LAUNCH(kernel, ...) [](const Launch &l) { kernel<<<l.grid, l.block>>>(__VA_ARGS__); }

struct NestedStep {
    const char *name, *idea;
    void (*launch)(const Launch &l);
};

static const NestedStep STEPS[] = {
    {"nestedHelloWorld", "every block launches a grid half as wide",
     LAUNCH(nestedHelloWorld, HELLO_SIZE, 0, 0, HOST, l.out)},
    {"nestedTree", "every thread launches two threads", LAUNCH(nestedTree, 0, HOST, l.out)},
    {"nestedChain", "every grid launches one more: how deep may it go?",
     LAUNCH(nestedChain, 0, l.links, l.out)},
    {"work", "64 launches by a loop on the host",
     [](const Launch &l) {
         for (int piece = 0; piece < PIECES; piece++) work<<<1, PIECE_THREADS>>>(l.out, piece);
     }},
    {"launchWork", "64 launches by a loop in one thread", LAUNCH(launchWork, l.out)},
    {"launchWorkEach", "64 launches by 64 threads", LAUNCH(launchWorkEach, l.out)},
    {"reduceChunks", "sums without a nested launch", LAUNCH(reduceChunks, l.in, l.out, l.n)},
    {"gpuRecursiveReduce", "every block launches its next round",
     LAUNCH(gpuRecursiveReduce, l.in, l.out, l.chunk, l.n)},
    {"gpuRecursiveReduceTail", "one launch for the next round of all blocks",
     LAUNCH(gpuRecursiveReduceTail, l.in, l.out, l.chunk, l.chunk, l.n)},
    {"reducePerThread", "each thread launches the sum of one chunk",
     LAUNCH(reducePerThread, l.in, l.out, l.chunk, l.n)},
    {"reduceOneChild", "one launch for all chunks",
     LAUNCH(reduceOneChild, l.in, l.out, l.chunk, l.n)},
};

/* The rounds halve the chunk until one number is left; each takes one level
 * of the depth that CUDA allows. */
static const char *blockRefusal(unsigned int block) {
    bool powerOfTwo = (block & (block - 1)) == 0;
    return powerOfTwo && block >= 2 ? NULL
                                    : "a reduction by halves needs a power of two from 2 to 1024";
}

/* Runs a step, whose n results must be as wanted; a chain has its own wants. Returns whether `got`
 * has its results. */
static bool run(Lab *lab, const NestedStep *step, const Launch &l, int *want, int *got, size_t n,
                Chain *chain) {
    bool judged = false;
    labStep(lab, step->name, l.grid, l.block);
    labBytes(lab, l.in != NULL ? (l.n + (double)n) * sizeof(int) : 0); /* numbers, and sums */
    while (labRuns(lab)) {
        step->launch(l);
        if (!labChecks(lab)) continue;
        CHECK(cudaMemcpy(got, l.out, n * sizeof(int), cudaMemcpyDeviceToHost));
        if (chain != NULL) expectChain(chain, want, got);
        labVerdict(lab, judgeResults(want, got, n));
        judged = true;
    }
    return judged;
}

/* An output of n integers on the device: poisoned before every run. */
static int *makeOutput(Lab *lab, size_t n) {
    int *array;
    CHECK(cudaMalloc(&array, n * sizeof(int)));
    labOutput(lab, array, n * sizeof(int));
    return array;
}

static_assert(TREE_SLOTS <= HELLO_SLOTS && MOST_LINKS < HELLO_SLOTS &&
                  PIECES * PIECE_THREADS <= HELLO_SLOTS,
              "the host's arrays have room for each tree");

int main(int argc, char **argv) {
    LabInfo info = labInfo(5, "nested", __FILE__, "integers to add up");
    info.defaultSize = 1 << 18;
    info.maxSize = 1 << 20;
    info.defaultBlock = 512;
    info.blockRefusal = blockRefusal;
    info.flags = FLAGS;
    info.flagsN = COUNT(FLAGS);
    Lab lab = labOpen(argc, argv, info, STEPS);
    const unsigned int n = (unsigned int)lab.size, chunk = lab.block, chunks = blocksFor(n, chunk);
    const size_t most = chunks > HELLO_SLOTS ? chunks : HELLO_SLOTS;
    const size_t inBytes = n * sizeof(int);

    int *h_in = hostArray<int>(n), *got = hostArray<int>(most), *want = hostArray<int>(most), *d_in;
    initialData(h_in, n, lab.seed);
    makeRoomForLaunches(chunks);
    labNeeds(&lab, inBytes + most * sizeof(int));
    CHECK(cudaMalloc(&d_in, inBytes));
    CHECK(cudaMemcpy(d_in, h_in, inBytes, cudaMemcpyHostToDevice));
    labInput(&lab, d_in, inBytes); /* restored before every run */
    Chain chain = {(int)FLAGS[0].number, 0, cudaSuccess};
    int *d_hello = makeOutput(&lab, HELLO_SLOTS), *d_tree = makeOutput(&lab, TREE_SLOTS);
    int *d_chain = makeOutput(&lab, chain.asked + 1), *d_sums = makeOutput(&lab, chunks);
    int *d_pieces = makeOutput(&lab, PIECES * PIECE_THREADS);
    labHeader(&lab, "nested launches, and sums of %u integers in %u chunks", n, chunks);

    /* The trees. An empty title: other launches, so there are no times to compare. */
    static int launchedBy[HELLO_SLOTS];
    Launch l = {CHAINS, HELLO_BLOCK, NULL, d_hello, chunk, n, chain.asked};
    expectHello(want);
    const bool noted = run(&lab, &STEPS[0], l, want, launchedBy, HELLO_SLOTS, NULL);
    labGroup(&lab, "%s", "");
    expectTree(want);
    l.grid = 1;
    l.block = 2;
    l.out = d_tree;
    run(&lab, &STEPS[1], l, want, got, TREE_SLOTS, NULL);
    labGroup(&lab, "%s", "");
    l.block = 1;
    l.out = d_chain;
    run(&lab, &STEPS[2], l, want, got, chain.asked + 1, &chain);
    labNote(&lab, "%s", ""); /* an empty line */
    if (noted) printHello(launchedBy);
    if (chain.error != cudaSuccess || chain.links == chain.asked) printChain(&chain);
    printf("\n");

    labGroup(&lab, "%d launches of %d threads", PIECES, PIECE_THREADS);
    for (int i = 0; i < PIECES * PIECE_THREADS; i++) want[i] = i / PIECE_THREADS;
    l.block = PIECE_THREADS;
    l.out = d_pieces;
    run(&lab, &STEPS[3], l, want, got, PIECES * PIECE_THREADS, NULL);
    l.block = 1;
    run(&lab, &STEPS[4], l, want, got, PIECES * PIECE_THREADS, NULL);
    l.block = PIECES;
    run(&lab, &STEPS[5], l, want, got, PIECES * PIECE_THREADS, NULL);

    labGroup(&lab, "sums of %u chunks", chunks);
    for (size_t i = 0; i < chunks; i++) want[i] = 0;
    for (size_t i = 0; i < n; i++) want[i / chunk] += h_in[i];
    l.in = d_in;
    l.out = d_sums;
    l.grid = chunks;
    l.block = chunk;
    for (size_t i = 6; i < 9; i++) run(&lab, &STEPS[i], l, want, got, chunks, NULL);
    l.grid = blocksFor(chunks, LAUNCHERS);
    l.block = LAUNCHERS;
    run(&lab, &STEPS[9], l, want, got, chunks, NULL);
    l.grid = chunks > 0;
    l.block = 1;
    run(&lab, &STEPS[10], l, want, got, chunks, NULL);
    for (int *array : {d_in, d_hello, d_tree, d_chain, d_sums, d_pieces}) cudaFree(array);
    free(h_in);
    free(got);
    free(want);
    return labClose(&lab);
}
