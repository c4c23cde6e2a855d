/*
 * Lab 5: nested launches. A kernel may launch kernels: who launches whom, what it costs, and where it pays.
 *
 * First the tree of launches itself:
 *
 *     1 nestedHelloWorld         every block launches a grid half as wide as before: 32 chains
 *     2 nestedTree               every thread launches a grid of two threads: the tree doubles with each level
 *     3 nestedChain              every grid launches one more: how deep may it go?
 *
 * then its price, for 64 small grids:
 *
 *     4 work                     launched by a loop on the host
 *     5 launchWork               launched by a loop in one thread
 *     6 launchWorkEach           launched by 64 threads, one each
 *
 * and then a sum, as in lab 3, one number for each chunk of the input:
 *
 *     7 reduceChunks             no nested launch: the mark to reach
 *     8 gpuRecursiveReduce       every block launches a smaller one for its next round
 *     9 gpuRecursiveReduceTail   one launch for the next round of all blocks
 *    10 reducePerThread          a launch per thread: each thread has one chunk added up
 *    11 reduceOneChild           one launch for all chunks
 *
 * Device code that launches kernels needs nvcc -rdc=true, which links the device's runtime library. To run it: make
 * lab5. By hand: nvcc -rdc=true -Icommon labs/lab5-nested/nested.cu -o nested && ./nested --help
 */
#include "common.h"
#include "harness/old_lab.h"

/* Before, device code had no streams for a launch that nobody waits for, nor for one that comes last. */
#if CUDART_VERSION < 12000
#error "this lab needs nvcc of CUDA 12 or newer"
#endif

/* Who launched a thread is written down as a number: 0 is the host, others are threads, as each tree numbers them. */
static const int HOST = 0;

/* ---- Step 1 ----
 *
 * Given. The seed of many textbooks: 64 threads are asked for, in blocks of 2, so 32 blocks; and then each block
 * launches a grid of 32 threads, that one a grid of 16, and so on:
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
static const int HELLO_SIZE = 64, HELLO_BLOCK = 2;
static const int CHAINS = HELLO_SIZE / HELLO_BLOCK; /* blocks at depth 0; each begins a chain */
static const int HELLO_LEVELS = 7;                  /* 64 32 16 8 4 2 1 */
static const int HELLO_SLOTS = HELLO_LEVELS * CHAINS * HELLO_SIZE;

/* A thread's number: level, chain and place in its block, from 1. */
static __host__ __device__ int helloNumber(int depth, int chain, int tid) {
    return (depth * CHAINS + chain) * HELLO_SIZE + tid + 1;
}

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
 * Question: how many grids are there at depth d, and how many launches wait at the same time at most?
 * Metric: inst_executed
 */
static const int TREE_LEVELS = 7;
static const int TREE_SLOTS = (2 << TREE_LEVELS) - 1; /* numbers 0 to 2^(levels + 1) - 2 */

__global__ void nestedTree(int depth, int launcher, int *launchedBy) {
    // BEGIN SOLUTION nestedTree
    // TODO("Note your launcher under your number; unless at the last level, launch two threads.",
    //      "handouts/lab5.md#nestedtree");
    int me = 2 * launcher + 1 + threadIdx.x;
    launchedBy[me] = launcher;
    if (depth + 1 < TREE_LEVELS) nestedTree<<<1, 2>>>(depth + 1, me, launchedBy);
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 * Question: with --links 3000 in place of 64, what does the launch that CUDA refuses do to the kernel that made it, and
 * to the host's program?
 * Metric: inst_executed
 */

/* chain: a place for each link, and one more for the error that ended it, should one do so. */
__global__ void nestedChain(int depth, int links, int *chain) {
    // BEGIN SOLUTION nestedChain
    // TODO("Note the depth; launch the next link, if there is one; note cudaGetLastError(), if it is one.",
    //      "handouts/lab5.md#nestedchain");
    chain[depth] = depth;
    if (depth + 1 < links) nestedChain<<<1, 1>>>(depth + 1, links, chain);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) chain[links] = (int)error;
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
 * Question: no host is involved any more, and still the launches take time. Who makes them, and in which order do they
 * run? Metric: inst_executed
 */
__global__ void launchWork(int *out) {
    // BEGIN SOLUTION launchWork
    // TODO("The host's loop of step 4, in this one thread: launch work for each of the PIECES pieces.",
    //      "handouts/lab5.md#launchwork");
    for (int piece = 0; piece < PIECES; piece++) work<<<1, PIECE_THREADS>>>(out, piece);
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 * Question: the threads of a block share its default stream. What does that mean for the order of their launches?
 * Metric: inst_executed
 */
__global__ void launchWorkEach(int *out) {
    // BEGIN SOLUTION launchWorkEach
    // TODO("Each thread launches one piece, in the stream cudaStreamFireAndForget: nothing waits there.",
    //      "handouts/lab5.md#launchworkeach");
    work<<<1, PIECE_THREADS, 0, cudaStreamFireAndForget>>>(out, threadIdx.x);
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 * Given: reduceInterleaved of lab 3, without a nested launch. Block b adds up chunk b of blockDim.x numbers, in place.
 *
 * Question: steps 8 to 11 give the same sums. Which of them can be as fast as this?
 * Metric: inst_executed
 */
__global__ void reduceChunks(int *g_idata, int *g_odata, unsigned int n) {
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockIdx.x * blockDim.x + tid;
    int *idata = g_idata + blockIdx.x * blockDim.x;

    for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride && idx + stride < n) {
            idata[tid] += idata[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = idata[0];
}

/* ---- Step 8 ----
 *
 *     chunk    | 0 1 2 3 4 5 6 7 |     one round: the upper half onto the lower half, then thread 0 launches
 *     child    | 0 1 2 3 |             the same kernel for what is left
 *     its own  | 0 1 |
 *
 * Question: a child sees what its parent had written before the launch. Who else has written to the chunk, and what
 * makes sure that they are done? Metric: inst_executed
 */
__global__ void gpuRecursiveReduce(int *g_idata, int *g_odata, unsigned int isize, unsigned int n) {
    // BEGIN SOLUTION gpuRecursiveReduce
    // TODO("Do one round on isize numbers; then one thread launches half as many threads, or stores the sum.",
    //      "handouts/lab5.md#gpurecursivereduce");
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * isize;
    unsigned int left = n - first; /* from the chunk's beginning to the end of the data */
    int *idata = g_idata + first, *odata = g_odata + blockIdx.x;
    unsigned int stride = isize / 2;

    if (tid < stride && tid + stride < left) idata[tid] += idata[tid + stride];
    __syncthreads(); /* the child must find all sums of this round */
    if (tid == 0 && stride > 1) {
        gpuRecursiveReduce<<<1, stride>>>(idata, odata, stride, left < stride ? left : stride);
    } else if (tid == 0) {
        *odata = idata[0];
    }
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 *     depth 0   round 1 of all blocks             chunks lie `chunk` numbers apart in every round
 *     depth 1   round 2 of all blocks             thread 0 of block 0 launches, for all
 *
 * Question: block 0 may be done with its round long before block 1 begins. Why must the launch be a tail launch?
 * Metric: inst_executed
 */
__global__ void gpuRecursiveReduceTail(int *g_idata, int *g_odata, unsigned int isize, unsigned int chunk,
                                       unsigned int n) {
    // BEGIN SOLUTION gpuRecursiveReduceTail
    // TODO("One round as in step 8; then one thread of the grid launches the next, in cudaStreamTailLaunch.",
    //      "handouts/lab5.md#gpurecursivereducetail");
    unsigned int tid = threadIdx.x;
    unsigned int first = blockIdx.x * chunk;
    unsigned int left = n - first;
    int *idata = g_idata + first;
    unsigned int stride = isize / 2;

    if (tid < stride && tid + stride < left) idata[tid] += idata[tid + stride];
    if (tid == 0 && stride == 1) g_odata[blockIdx.x] = idata[0];
    if (tid == 0 && blockIdx.x == 0 && stride > 1) {
        gpuRecursiveReduceTail<<<gridDim.x, stride, 0, cudaStreamTailLaunch>>>(g_idata, g_odata, stride, chunk, n);
    }
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 * Question: as many launches as there are chunks. How long would the host take for them, at the price of step 4?
 * Metric: inst_executed
 */
__global__ void reducePerThread(int *g_idata, int *g_odata, unsigned int chunk, unsigned int n) {
    // BEGIN SOLUTION reducePerThread
    // TODO("Thread i launches reduceChunks, one block of chunk threads, for chunk i, if there is one.",
    //      "handouts/lab5.md#reduceperthread");
    unsigned int first = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
    if (first < n) {
        reduceChunks<<<1, chunk, 0, cudaStreamFireAndForget>>>(g_idata + first, g_odata + first / chunk, n - first);
    }
    // END SOLUTION
}

/* ---- Step 11 ----
 *
 * Question: what does this take longer than step 7, and would you notice if the sum took a millisecond?
 * Metric: inst_executed
 */
__global__ void reduceOneChild(int *g_idata, int *g_odata, unsigned int chunk, unsigned int n) {
    // BEGIN SOLUTION reduceOneChild
    // TODO("This one thread launches reduceChunks for all chunks at once.", "handouts/lab5.md#reduceonechild");
    unsigned int chunks = (n + chunk - 1) / chunk;
    reduceChunks<<<chunks, chunk>>>(g_idata, g_odata, n);
    // END SOLUTION
}

/* ---- Running them ---- */

struct NestedStep {
    const char *name, *idea;
};

static const NestedStep STEPS[] = {
    {"nestedHelloWorld", "every block launches a grid half as wide"},
    {"nestedTree", "every thread launches two threads"},
    {"nestedChain", "every grid launches one more: how deep may it go?"},
    {"work", "64 launches by a loop on the host"},
    {"launchWork", "64 launches by a loop in one thread"},
    {"launchWorkEach", "64 launches by 64 threads"},
    {"reduceChunks", "sums without a nested launch"},
    {"gpuRecursiveReduce", "every block launches its next round"},
    {"gpuRecursiveReduceTail", "one launch for the next round of all blocks"},
    {"reducePerThread", "each thread launches the sum of one chunk"},
    {"reduceOneChild", "one launch for all chunks"},
};

/* The rounds halve the chunk until one number is left; each takes one level of the depth that CUDA allows. */
static const char *blockRefusal(unsigned int block) {
    bool powerOfTwo = (block & (block - 1)) == 0;
    return powerOfTwo && block >= 2 ? NULL : "a reduction by halves needs a power of two from 2 to 1024";
}

static const LabInfo INFO = {5,     "nested", __FILE__, "integers to add up", 1 << 18, 1 << 20, 0, 512, blockRefusal,
                             false, 0};

enum { FLAG_LINKS };

static OwnFlag FLAGS[] = {
    {"--links", "N", "of nestedChain, should nothing end it before (default 64)", NULL, 1, 3000, 64, NULL},
};

static const int NOBODY = -1;             /* in an output that no thread has written to: the poison, as an integer */
static const unsigned int LAUNCHERS = 64; /* threads a block of reducePerThread */

/* ---- What the trees must be ---- */

static std::vector<int> expectHello() {
    std::vector<int> want(HELLO_SLOTS, NOBODY);
    for (int chain = 0; chain < CHAINS; chain++) {
        for (int tid = 0; tid < HELLO_BLOCK; tid++) want[helloNumber(0, chain, tid) - 1] = HOST;
        for (int depth = 1; depth < HELLO_LEVELS; depth++) {
            for (int tid = 0; tid < HELLO_SIZE >> depth; tid++) {
                want[helloNumber(depth, chain, tid) - 1] = helloNumber(depth - 1, chain, 0);
            }
        }
    }
    return want;
}

static std::vector<int> expectTree() {
    std::vector<int> want(TREE_SLOTS, NOBODY);
    for (int i = 1; i < TREE_SLOTS; i++) want[i] = (i - 1) / 2;
    return want;
}

static std::vector<int> expectPieces() {
    std::vector<int> want(PIECES * PIECE_THREADS);
    for (size_t i = 0; i < want.size(); i++) want[i] = (int)i / PIECE_THREADS;
    return want;
}

static std::vector<int> fetch(const int *device, size_t n) {
    std::vector<int> host(n);
    CHECK(cudaMemcpy(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    return host;
}

static Verdict checkAgainst(const std::vector<int> &want, const int *device) {
    std::vector<int> got = fetch(device, want.size());
    return judgeResults(want.data(), got.data(), want.size());
}

/* How long a chain was to be, how long it is, and what ended it. */
struct Chain {
    int asked, links;
    cudaError_t error;
};

/* Does CUDA refuse one launch more with this error? */
static bool refusesLaunch(int error) {
    return error == cudaErrorLaunchPendingCountExceeded || error == cudaErrorLaunchMaxDepthExceeded ||
           error == cudaErrorMemoryAllocation;
}

static const int SURE_DEPTH = 24; /* so deep may launches go on every GPU, NVIDIA's guide says */

/* Its links must be there without a gap, and CUDA must have ended it, if it is not as long as it was to be. */
static Verdict checkChain(const int *device, Chain *chain) {
    const int most = chain->asked;
    std::vector<int> got = fetch(device, most + 1), want(most + 1, NOBODY);
    chain->links = 0;
    while (chain->links < most && got[chain->links] == chain->links) chain->links++;
    bool ended = refusesLaunch(got[most]) && chain->links >= SURE_DEPTH;
    chain->error = ended ? (cudaError_t)got[most] : cudaSuccess;
    for (int i = 0; i < chain->links; i++) want[i] = i;
    want[most] = got[most];
    if (chain->links == 0) want[0] = 0;
    if (chain->links == most) want[most] = NOBODY;
    if (chain->links < most && !ended) want[most] = cudaErrorLaunchPendingCountExceeded;
    return judgeResults(want.data(), got.data(), want.size());
}

/* ---- What is printed about them ---- */

/* Depth by depth, from what the threads of step 1 wrote down: a grid has one launching thread, or is the host's. */
static void printHello(const std::vector<int> &launchedBy) {
    int grids = 0, threads = 0;
    printf("The tree of nestedHelloWorld<<<%d, %d>>>, as its threads noted it:\n", CHAINS, HELLO_BLOCK);
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

static void printChain(const Chain &chain) {
    printf("nestedChain: %d grids, each launched by the one before; then %s\n", chain.links,
           chain.error == cudaSuccess ? "it was long enough" : cudaGetErrorName(chain.error));
}

/* ---- Sums ---- */

struct Data {
    size_t n;
    int *input;
    std::vector<int> want; /* one sum per chunk */
};

static Data makeData(size_t n, size_t chunk, uint64_t seed) {
    Data data = {n, hostArray<int>(n), std::vector<int>((n + chunk - 1) / chunk, 0)};
    initialData(data.input, n, seed);
    for (size_t i = 0; i < n; i++) data.want[i / chunk] += data.input[i];
    return data;
}

/* Launches that wait need memory, which is set aside before the first kernel: for as many as there are chunks. */
static void makeRoomForLaunches(size_t chunks) {
    const size_t byDefault = 2048;
    if (2 * chunks > byDefault) CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 2 * chunks));
}

/* ---- The steps, group by group ---- */

static void runTrees(Lab &lab, int asked) {
    int *hello = lab.output<int>(HELLO_SLOTS), *tree = lab.output<int>(TREE_SLOTS), *links = lab.output<int>(asked + 1);
    std::vector<int> noted;
    Chain chain = {asked, 0, cudaSuccess};
    lab.step(
        CHAINS, HELLO_BLOCK, 0, [&] { nestedHelloWorld<<<CHAINS, HELLO_BLOCK>>>(HELLO_SIZE, 0, 0, HOST, hello); },
        [&] {
            noted = fetch(hello, HELLO_SLOTS);
            return checkAgainst(expectHello(), hello);
        });
    lab.step(
        1, 2, 0, [&] { nestedTree<<<1, 2>>>(0, HOST, tree); }, [&] { return checkAgainst(expectTree(), tree); });
    lab.step(
        1, 1, 0, [&] { nestedChain<<<1, 1>>>(0, asked, links); }, [&] { return checkChain(links, &chain); });
    lab.note("");
    if (!noted.empty()) printHello(noted);
    if (chain.error != cudaSuccess || chain.links == asked) printChain(chain);
    printf("\n");
}

static void runLaunches(Lab &lab) {
    std::vector<int> want = expectPieces();
    int *out = lab.output<int>(want.size());
    auto check = [&] { return checkAgainst(want, out); };
    auto fromHost = [&] {
        for (int piece = 0; piece < PIECES; piece++) work<<<1, PIECE_THREADS>>>(out, piece);
    };
    lab.step(1, PIECE_THREADS, 0, fromHost, check);
    lab.step(
        1, 1, 0, [&] { launchWork<<<1, 1>>>(out); }, check);
    lab.step(
        1, PIECES, 0, [&] { launchWorkEach<<<1, PIECES>>>(out); }, check);
}

static void runSums(Lab &lab, const Data &data, unsigned int block) {
    const unsigned int n = (unsigned int)data.n, chunks = (unsigned int)data.want.size();
    const unsigned int launchers = (chunks + LAUNCHERS - 1) / LAUNCHERS, one = chunks > 0 ? 1 : 0;
    const double bytes = sizeof(int) * ((double)n + chunks); /* read each number once, write each chunk's sum */
    int *in = lab.input(data.input, n), *out = lab.output<int>(chunks);
    auto check = [&] { return checkAgainst(data.want, out); };
    lab.step(
        chunks, block, bytes, [&] { reduceChunks<<<chunks, block>>>(in, out, n); }, check);
    lab.step(
        chunks, block, bytes, [&] { gpuRecursiveReduce<<<chunks, block>>>(in, out, block, n); }, check);
    lab.step(
        chunks, block, bytes, [&] { gpuRecursiveReduceTail<<<chunks, block>>>(in, out, block, block, n); }, check);
    lab.step(
        launchers, LAUNCHERS, bytes, [&] { reducePerThread<<<launchers, LAUNCHERS>>>(in, out, block, n); }, check);
    lab.step(
        one, 1, bytes, [&] { reduceOneChild<<<one, 1>>>(in, out, block, n); }, check);
}

int main(int argc, char **argv) {
    Lab lab(INFO, STEPS, argc, argv, FLAGS);
    Data data = makeData(lab.size(), lab.block(), lab.seed());
    makeRoomForLaunches(data.want.size());
    lab.printHeader(format("nested launches, and sums of %zu integers in %zu chunks", data.n, data.want.size()));
    runTrees(lab, (int)FLAGS[FLAG_LINKS].number);
    runLaunches(lab);
    runSums(lab, data, lab.block());
    free(data.input);
    return lab.finish();
}
