/*
 * Lab 6: reduction in shared memory. Add up n numbers until one is left, and race against NVIDIA's library.
 *
 * Mark Harris's seven kernels of 2007, then what came after them:
 *
 *      1 reduce0           in shared memory: every 2nd, 4th, 8th ... thread adds its neighbour
 *      2 reduce1           the same sums by threads that lie together, whose words lie in the same banks
 *      3 reduce2           sequential addressing: neighbouring threads, neighbouring words
 *      4 reduce3           add once while loading: no thread is idle from the start
 *      5 reduce4           the last warp needs no block barriers
 *      6 reduce5           the block size is a template parameter: no loop is left
 *      7 reduce6           few blocks, and each thread adds many numbers before the tree begins
 *      8 reduceShuffle     within a warp, numbers go from register to register
 *      9 reduceVector      16 bytes a load, and four loads under way
 *     10 reduceOnePass     the block that ends last adds up the blocks' sums: one launch in place of two
 *     11 reduceOneAtomic   one atomic addition counts the blocks and adds up their sums
 *
 * Beside them, what CUB, NVIDIA's library, makes of it.
 *
 * Steps 1 to 9 leave one sum a block, so they take several passes:
 *
 *     g_idata     | block 0 | block 1 | block 2 | ...               n numbers
 *     1st pass    sum 0, sum 1, sum 2, ...                          a number a block
 *     2nd pass    the same kernel adds those up, in fewer blocks    ... and so on, until one number is left
 *
 * With --cpu-final-threshold T the CPU takes over as soon as no more than T are left.
 *
 * To run it: make lab6. By hand: nvcc -Icommon labs/lab6-shared-reduction/shared_reduction.cu -o sum && ./sum --help
 */
#include <functional>
#include <limits>

#include "common.h"
#include "harness/old_lab.h"
#include "harness/cub.h"
#include "harness/race.h"

/* All threads of a warp take part in a shuffle. */
enum : unsigned int { FULL_WARP = 0xFFFFFFFFu };

/* The shared memory that a launch asks for, as an array of T: a word for each thread of the block. (A template cannot
 * declare `extern __shared__ T sdata[]` itself: the name would stand for arrays of different types.) */
template <class T> __device__ T *sharedArray() {
    extern __shared__ __align__(16) unsigned char sharedBytes[];
    return (T *)sharedBytes;
}

/* ---- Step 1 ----
 *
 *     tid   0   1   2   3   4   5   6   7
 *     s 1   0+1     2+3     4+5     6+7          every second thread works
 *     s 2   0+2             4+6                  every fourth
 *     s 4   0+4                                  every eighth
 *
 * Question: lab 3 did this in the GPU's memory. What is different now for a word that is read in ten rounds?
 * Metric: inst_per_warp
 */
template <class T> __global__ void reduce0(const T *g_idata, T *g_odata, unsigned int n) {
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;

    sdata[tid] = i < n ? g_idata[i] : 0; /* threads beyond the end add nothing, but stay for the barriers */
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

/* ---- Step 2 ----
 *
 *     index  0   1   2   3   4   5   6   7
 *     s 1    0+1     2+3     4+5     6+7          by threads 0, 1, 2, 3
 *     s 2    0+2             4+6                  by threads 0, 1
 *     s 4    0+4                                  by thread 0
 *
 * Question: the words of neighbouring threads lie 2 * s apart. In which of the 32 banks are they for s = 1? For s = 16?
 * Metric: shared_load_transactions_per_request
 */
template <class T> __global__ void reduce1(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduce1
    // TODO("Do the sums of step 1 with the first threads: thread tid adds at index 2 * s * tid.",
    //      "handouts/lab6.md#reduce1");
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;

    sdata[tid] = i < n ? g_idata[i] : 0;
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        unsigned int index = 2 * s * tid;
        if (index < blockDim.x) sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     tid   0   1   2   3   4   5   6   7
 *     s 4   0+4 1+5 2+6 3+7                      the upper half onto the lower one
 *     s 2   0+2 1+3
 *     s 1   0+1
 *
 * Question: 32 neighbouring words, 32 banks. How many passes does a load of a full warp take now?
 * Metric: shared_load_transactions_per_request
 */
template <class T> __global__ void reduce2(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduce2
    // TODO("Begin with s = blockDim.x / 2 and halve it: thread tid < s adds sdata[tid + s].", "handouts/lab6.md#reduce2");
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;

    sdata[tid] = i < n ? g_idata[i] : 0;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 *     g_idata   | chunk 0 | chunk 1 | chunk 2 | chunk 3 |
 *                 block 0:  0 + 1     block 1:  2 + 3         into shared memory; then step 3
 *
 * Question: how many threads does a sum of n numbers take now? How many of them ever add something?
 * Metric: inst_per_warp
 */
template <class T> __global__ void reduce3(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduce3
    // TODO("Give each block two chunks: every thread puts the sum of two numbers, one chunk apart, into sdata.",
    //      "handouts/lab6.md#reduce3");
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + tid;

    T sum = i < n ? g_idata[i] : 0;
    if (i + blockDim.x < n) sum += g_idata[i + blockDim.x];
    sdata[tid] = sum;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 0; s /= 2) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
    // END SOLUTION
}

/* One round of the last warp, given to you. All 32 threads call it together; each round reads what the one before has
 * written, so they wait for one another. Older programs have no __syncwarp() here and declare sdata volatile: that
 * was right as long as the threads of a warp ran in step, up to the Pascal generation. */
template <class T> __device__ void addInWarp(T *sdata, unsigned int tid, unsigned int s) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncwarp();
}

/* ---- Step 5 ----
 *
 * Question: six of the rounds are one warp's business. What do the other warps of the block save?
 * Metric: inst_per_warp
 */
template <class T> __global__ void reduce4(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduce4
    // TODO("End step 4's loop at s = 64; then warp 0 alone does the rounds 32, 16, 8, 4, 2, 1 with addInWarp.",
    //      "handouts/lab6.md#reduce4");
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockDim.x * 2) + tid;

    T sum = i < n ? g_idata[i] : 0;
    if (i + blockDim.x < n) sum += g_idata[i + blockDim.x];
    sdata[tid] = sum;
    __syncthreads();

    for (unsigned int s = blockDim.x / 2; s > 32; s /= 2) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        if (blockDim.x >= 64) addInWarp(sdata, tid, 32); /* a block of 32 has no second warp's sums to add */
        addInWarp(sdata, tid, 16);
        addInWarp(sdata, tid, 8);
        addInWarp(sdata, tid, 4);
        addInWarp(sdata, tid, 2);
        addInWarp(sdata, tid, 1);
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 * Question: which of these lines does the compiler keep for a block of 128 threads?
 * Metric: inst_per_warp
 */
template <unsigned int blockSize, class T> __global__ void reduce5(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduce5
    // TODO("Write step 5's loop out, with blockSize, which the compiler knows, in place of blockDim.x.",
    //      "handouts/lab6.md#reduce5");
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;

    T sum = i < n ? g_idata[i] : 0;
    if (i + blockSize < n) sum += g_idata[i + blockSize];
    sdata[tid] = sum;
    __syncthreads();

    if (blockSize >= 1024 && tid < 512) sdata[tid] += sdata[tid + 512];
    if (blockSize >= 1024) __syncthreads();
    if (blockSize >= 512 && tid < 256) sdata[tid] += sdata[tid + 256];
    if (blockSize >= 512) __syncthreads();
    if (blockSize >= 256 && tid < 128) sdata[tid] += sdata[tid + 128];
    if (blockSize >= 256) __syncthreads();
    if (blockSize >= 128 && tid < 64) sdata[tid] += sdata[tid + 64];
    if (blockSize >= 128) __syncthreads();
    if (tid < 32) {
        if (blockSize >= 64) addInWarp(sdata, tid, 32);
        addInWarp(sdata, tid, 16);
        addInWarp(sdata, tid, 8);
        addInWarp(sdata, tid, 4);
        addInWarp(sdata, tid, 2);
        addInWarp(sdata, tid, 1);
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 *     g_idata    | block 0 | block 1 | block 2 | block 0 | block 1 | block 2 | block 0 | ...
 *                 round 0                       round 1                       round 2
 *
 * Question: Brent's theorem: with p processors a sum of n numbers costs n/p + log n steps. What does that say about the
 * number of threads?
 * Metric: dram_read_throughput
 */
template <unsigned int blockSize, class T> __global__ void reduce6(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduce6
    // TODO("As step 6, but a thread goes on through the input by the width of the whole grid, until its end.",
    //      "handouts/lab6.md#reduce6");
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x;
    unsigned int gridSize = blockSize * 2 * gridDim.x;

    T sum = 0;
    for (unsigned int i = blockIdx.x * (blockSize * 2) + tid; i < n; i += gridSize) {
        sum += g_idata[i];
        if (i + blockSize < n) sum += g_idata[i + blockSize];
    }
    sdata[tid] = sum;
    __syncthreads();

    if (blockSize >= 1024 && tid < 512) sdata[tid] += sdata[tid + 512];
    if (blockSize >= 1024) __syncthreads();
    if (blockSize >= 512 && tid < 256) sdata[tid] += sdata[tid + 256];
    if (blockSize >= 512) __syncthreads();
    if (blockSize >= 256 && tid < 128) sdata[tid] += sdata[tid + 128];
    if (blockSize >= 256) __syncthreads();
    if (blockSize >= 128 && tid < 64) sdata[tid] += sdata[tid + 64];
    if (blockSize >= 128) __syncthreads();
    if (tid < 32) {
        if (blockSize >= 64) addInWarp(sdata, tid, 32);
        addInWarp(sdata, tid, 16);
        addInWarp(sdata, tid, 8);
        addInWarp(sdata, tid, 4);
        addInWarp(sdata, tid, 2);
        addInWarp(sdata, tid, 1);
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
    // END SOLUTION
}

/* ---- Step 8 ----
 *
 *     lane        0   1   2   3  ...  31
 *     offset 16   0+16 1+17 2+18 ...              from register to register: no shared memory, no barrier
 *     ...
 *     offset 1    0+1                             lane 0 has the warp's sum
 *
 * Question: how many words of shared memory does a block of 128 threads need now, and how many barriers?
 * Metric: shared_load
 */
template <class T> __global__ void reduceShuffle(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceShuffle
    // TODO("Load as step 7; each warp adds with __shfl_down_sync, and warp 0 adds the warps' sums in the same way.",
    //      "handouts/lab6.md#reduceshuffle");
    __shared__ T warpSums[32];
    unsigned int tid = threadIdx.x;
    unsigned int gridSize = blockDim.x * 2 * gridDim.x;

    T sum = 0;
    for (unsigned int i = blockIdx.x * (blockDim.x * 2) + tid; i < n; i += gridSize) {
        sum += g_idata[i];
        if (i + blockDim.x < n) sum += g_idata[i + blockDim.x];
    }
    for (unsigned int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL_WARP, sum, offset);
    if (tid % 32 == 0) warpSums[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < blockDim.x / 32 ? warpSums[tid] : 0;
        for (unsigned int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL_WARP, sum, offset);
    }
    if (tid == 0) g_odata[blockIdx.x] = sum;
    // END SOLUTION
}

/* What step 8 does after its loop, given to you for the steps that follow: thread 0 gets the sum of the block's sums.
 * A block that calls it twice needs a barrier in between. */
template <class T> __device__ T sumOfBlock(T sum) {
    __shared__ T warpSums[32];
    for (unsigned int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL_WARP, sum, offset);
    if (threadIdx.x % 32 == 0) warpSums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? warpSums[threadIdx.x] : 0;
        for (unsigned int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(FULL_WARP, sum, offset);
    }
    return sum;
}

/* 16 bytes: what one load of a thread can bring at most. */
template <class T> struct Quad;
template <> struct Quad<int> { typedef int4 Type; };
template <> struct Quad<float> { typedef float4 Type; };
template <> struct Quad<double> { typedef double2 Type; };

__device__ int sumOf(int4 q) {
    return (q.x + q.y) + (q.z + q.w);
}

__device__ float sumOf(float4 q) {
    return (q.x + q.y) + (q.z + q.w);
}

__device__ double sumOf(double2 q) {
    return q.x + q.y;
}

/* Threads of a block of steps 9 to 11, and loads that each thread has under way: the best of those tried on an H200. */
enum : unsigned int { WIDE_BLOCK = 512, LOADS = 4 };

/* ---- Step 9 ----
 *
 *     a tile, LOADS * blockDim.x quads:   | 1st loads of all threads | 2nd loads | 3rd | 4th |
 *     tiles                               | block 0 | block 1 | block 2 | block 0 | block 1 | ...
 *
 * Question: the sectors are the same as in step 7. What is saved? And why issue four loads before the first addition?
 * Metric: gld_transactions_per_request
 */
template <class T>
__global__ __launch_bounds__(WIDE_BLOCK) void reduceVector(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceVector
    // TODO("Load quads with __ldcs, LOADS of them before you add; whole tiles first, then what is left.",
    //      "handouts/lab6.md#reducevector");
    typedef typename Quad<T>::Type Wide;
    const Wide *in = (const Wide *)g_idata;
    const unsigned int width = sizeof(Wide) / sizeof(T), quads = n / width, tile = LOADS * blockDim.x;

    T sum = 0;
    unsigned int i = blockIdx.x * tile + threadIdx.x;
    for (; i - threadIdx.x + tile <= quads; i += tile * gridDim.x) {
        Wide loaded[LOADS];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) loaded[k] = __ldcs(in + i + k * blockDim.x);
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) sum += sumOf(loaded[k]);
    }
    /* One block's next tile is a part of one; up to width - 1 numbers are not even a quad. */
    for (unsigned int k = 0; k < LOADS && i + k * blockDim.x < quads; k++) sum += sumOf(in[i + k * blockDim.x]);
    if (blockIdx.x == 0 && threadIdx.x < n % width) sum += g_idata[n - 1 - threadIdx.x];

    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
    // END SOLUTION
}

/* What step 9 does before it calls sumOfBlock, given to you for the steps that follow. */
template <class T> __device__ T sumOfTiles(const T *g_idata, unsigned int n) {
    typedef typename Quad<T>::Type Wide;
    const Wide *in = (const Wide *)g_idata;
    const unsigned int width = sizeof(Wide) / sizeof(T), quads = n / width, tile = LOADS * blockDim.x;

    T sum = 0;
    unsigned int i = blockIdx.x * tile + threadIdx.x;
    for (; i - threadIdx.x + tile <= quads; i += tile * gridDim.x) {
        Wide loaded[LOADS];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) loaded[k] = __ldcs(in + i + k * blockDim.x);
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) sum += sumOf(loaded[k]);
    }
    for (unsigned int k = 0; k < LOADS && i + k * blockDim.x < quads; k++) sum += sumOf(in[i + k * blockDim.x]);
    if (blockIdx.x == 0 && threadIdx.x < n % width) sum += g_idata[n - 1 - threadIdx.x];
    return sum;
}

/* Blocks of reduceOnePass that have left their sum. 0 before and after every launch. */
__device__ unsigned int blocksDone;

/* ---- Step 10 ----
 *
 *     block 0    ... g_odata[0] = sum   fence   ticket 1
 *     block 2    ... g_odata[2] = sum   fence   ticket 2
 *     block 1    ... g_odata[1] = sum   fence   ticket 3 of 3: the last; adds g_odata[0], [1], [2]
 *
 * Question: without the fence the last block may read an old g_odata[0]. How, if block 0 stored it before its ticket?
 * Metric: achieved_occupancy
 */
template <class T>
__global__ __launch_bounds__(WIDE_BLOCK) void reduceOnePass(const T *g_idata, T *g_odata, T *result, unsigned int n) {
    // BEGIN SOLUTION reduceOnePass
    // TODO("Leave sumOfBlock(sumOfTiles(...)) in g_odata, fence, take a ticket; the last block adds g_odata up.",
    //      "handouts/lab6.md#reduceonepass");
    __shared__ bool isLast;
    T sum = sumOfBlock(sumOfTiles(g_idata, n));
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
        __threadfence(); /* whoever sees the ticket taken sees the sum, too */
        /* Counts 0, 1, ... gridDim.x - 1 and then 0 again: ready for the next launch. */
        isLast = atomicInc(&blocksDone, gridDim.x - 1) == gridDim.x - 1;
        __threadfence(); /* and whoever has the last one reads no older sums */
    }
    __syncthreads();
    if (!isLast) return;

    sum = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += g_odata[b];
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) *result = sum;
    // END SOLUTION
}

/* The blocks of reduceOneAtomic that are done, in the upper 16 bits, and above 48 bits of the sum of their sums, taken
 * as unsigned. 0 before and after every launch.
 *
 *     bit 63        48 47                                     0
 *         | blocks    | up to 65535 sums of less than 2^32     |
 */
__device__ unsigned long long blocksAndSum;
enum : unsigned int { BLOCKS_SHIFT = 48, MOST_COUNTED_BLOCKS = 65535 };

/* ---- Step 11 ----
 *
 * Question: why does the order of additions not matter here, and why would it for float?
 * Metric: achieved_occupancy
 */
__global__ __launch_bounds__(WIDE_BLOCK) void reduceOneAtomic(const int *g_idata, int *result, unsigned int n) {
    // BEGIN SOLUTION reduceOneAtomic
    // TODO("Add (1 << BLOCKS_SHIFT) + the block's sum to blocksAndSum atomically; who counts last has the total.",
    //      "handouts/lab6.md#reduceoneatomic");
    int sum = sumOfBlock(sumOfTiles(g_idata, n));
    if (threadIdx.x != 0) return;
    unsigned long long mine = (1ull << BLOCKS_SHIFT) + (unsigned int)sum;
    unsigned long long before = atomicAdd(&blocksAndSum, mine);
    if (before >> BLOCKS_SHIFT < gridDim.x - 1) return;
    *result = (int)(unsigned int)(before + mine); /* modulo 2^32, which is right for negative sums, too */
    atomicExch(&blocksAndSum, 0ull);
    // END SOLUTION
}

/* ---- The steps ---- */

struct SumStep {
    const char *name, *idea;
};

static const SumStep STEPS[] = {
    {"reduce0", "interleaved addressing, divergent branches"},
    {"reduce1", "interleaved addressing, bank conflicts"},
    {"reduce2", "sequential addressing"},
    {"reduce3", "first addition during the load"},
    {"reduce4", "the last warp without block barriers"},
    {"reduce5", "completely unrolled"},
    {"reduce6", "many numbers a thread"},
    {"reduceShuffle", "from register to register"},
    {"reduceVector", "16-byte loads, four under way"},
    {"reduceOnePass", "the last block adds the blocks' sums"},
    {"reduceOneAtomic", "one atomic addition counts and adds"},
};

/* The trees halve the block until one thread is left, and their last rounds need a whole warp. */
static const char *blockRefusal(unsigned int block) {
    bool powerOfTwo = (block & (block - 1)) == 0;
    return powerOfTwo && block >= 32 ? NULL : "a reduction by halves needs a power of two from 32 to 1024";
}

/* 2^22 numbers and blocks of 128, as Harris has them. Up to 2^30, so that an index beyond the end fits in 32 bits. */
static const LabInfo INFO = {
    6, "shared_reduction", __FILE__, "numbers to add up", 1 << 22, 1 << 30, 0, 128, blockRefusal, false, 0};

static const char *const TYPES[] = {"int", "float", "double", NULL};
enum { FLAG_TYPE, FLAG_THRESHOLD, FLAG_RACE };

static OwnFlag FLAGS[] = {
    {"--type", "T", "of the numbers: int (default), float or double", TYPES, 0, 0, 0, NULL},
    {"--cpu-final-threshold", "T", "the CPU adds the last T sums (default 1: none)", NULL, 1, 1 << 30, 1, NULL},
    {"--race", "FILE", "instead: the last steps and CUB, 2^20 to 2^30 ints (or --size)", NULL, 0, 0, 0, NULL},
};

/* A template needs its block size when it is compiled: one copy for each that is allowed. */
template <class T> struct Kernels {
    typedef void (*Pass)(const T *g_idata, T *g_odata, unsigned int n);

    static Pass reduce5For(unsigned int block) {
        switch (block) {
        case 1024: return reduce5<1024, T>;
        case 512: return reduce5<512, T>;
        case 256: return reduce5<256, T>;
        case 128: return reduce5<128, T>;
        case 64: return reduce5<64, T>;
        default: return reduce5<32, T>;
        }
    }

    static Pass reduce6For(unsigned int block) {
        switch (block) {
        case 1024: return reduce6<1024, T>;
        case 512: return reduce6<512, T>;
        case 256: return reduce6<256, T>;
        case 128: return reduce6<128, T>;
        case 64: return reduce6<64, T>;
        default: return reduce6<32, T>;
        }
    }
};

/* ---- On the CPU ---- */

/* One number after the other, rounded to T each time. */
template <class T> T plainSum(const T *data, size_t n) {
    T sum = 0;
    for (size_t i = 0; i < n; i++) sum += data[i];
    return sum;
}

/* The same, with what each addition lost kept aside and added at the end (Kahan's idea, in the form of Neumaier 1974,
 * which also works where the new number is the larger one). As good as a sum in twice the precision of Real. */
template <class Real, class T> Real compensatedSum(const T *data, size_t n) {
    Real sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        Real x = (Real)data[i], next = sum + x;
        lost += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
    return sum + lost;
}

/* ---- The data ---- */

/* What the CPU has. */
template <class T> struct Data {
    size_t n;
    T *input;
    double total; /* int: exact; float and double: the compensated sum, which is nearer than any kernel's */
};

/* From -128 to 127: a sum of 2^30 of them fits in 32 bits. */
static void fill(int *data, size_t n, uint64_t seed) {
    initialData(data, n, seed);
    for (size_t i = 0; i < n; i++) data[i] -= 128;
}

static void fill(float *data, size_t n, uint64_t seed) {
    initialData(data, n, seed);
}

/* Multiples of 0.1, hardly one of which is exact in binary. */
static void fill(double *data, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) data[i] = (double)(nextRandom(&seed) >> 56) / 10.0;
}

template <class T> Data<T> makeData(size_t n, uint64_t seed) {
    Data<T> data = {n, hostArray<T>(n), 0};
    fill(data.input, n, seed);
    data.total = compensatedSum<double>(data.input, n);
    return data;
}

/* What the GPU has. */
template <class T> struct Memory {
    const T *in;
    T *sums[2], *result; /* the passes write into the two in turn */
};

/* ---- Several passes ---- */

/* How a kernel that leaves a sum a block is launched. */
template <class T> struct Passes {
    typename Kernels<T>::Pass kernel;
    unsigned int block, perThread; /* numbers that a thread adds up, or a multiple of that if the blocks are few */
    unsigned int mostBlocks;
    size_t shared; /* bytes a block */
};

static unsigned int divideUp(size_t n, size_t by) {
    return (unsigned int)((n + by - 1) / by);
}

template <class T> unsigned int gridFor(const Passes<T> &passes, size_t n) {
    unsigned int all = divideUp(n, (size_t)passes.block * passes.perThread);
    return all < passes.mostBlocks ? all : passes.mostBlocks;
}

/* How a sum ended: where it is on the GPU, or what the CPU made of the last sums. */
template <class T> struct Sum {
    const T *onGpu;
    T onCpu;
};

template <class T> Sum<T> finishOnCpu(const T *sums, unsigned int left) {
    std::vector<T> fetched(left);
    CHECK(cudaMemcpy(fetched.data(), sums, left * sizeof(T), cudaMemcpyDeviceToHost));
    Sum<T> sum = {NULL, plainSum(fetched.data(), left)};
    return sum;
}

/* Pass after pass, until no more numbers are left than the CPU is to add up. */
template <class T>
Sum<T> sumInPasses(const Passes<T> &passes, const Memory<T> &memory, size_t n, unsigned int threshold) {
    const T *in = memory.in;
    unsigned int left = (unsigned int)n;
    for (int to = 0; in == memory.in || left > threshold; to = 1 - to) {
        unsigned int grid = gridFor(passes, left);
        passes.kernel<<<grid, passes.block, passes.shared>>>(in, memory.sums[to], left);
        in = memory.sums[to];
        left = grid;
    }
    if (left > 1) return finishOnCpu(in, left);
    Sum<T> sum = {in, 0};
    return sum;
}

/* ---- Checking ---- */

template <class T> T fetchSum(const Sum<T> &sum) {
    T got = sum.onCpu;
    if (sum.onGpu != NULL) CHECK(cudaMemcpy(&got, sum.onGpu, sizeof got, cudaMemcpyDeviceToHost));
    return got;
}

/* How far a sum may be off: half a unit in the last place for each addition on a number's way into it. `additions` is
 * the longest way through one thread; the trees of all passes add to it. */
static double tolerance(const Data<int> &, double) {
    return 0;
}

template <class T> double tolerance(const Data<T> &data, double additions) {
    const double TREES = 64; /* more than they have rounds */
    return (additions + TREES) * std::numeric_limits<T>::epsilon() / 2 * std::fabs(data.total);
}

/* ---- Running them ---- */

/* How far a sum is off, in words; nothing for integers, which are right or wrong. */
static std::string errorText(const Data<int> &, int) {
    return "";
}

template <class T> std::string errorText(const Data<T> &data, T sum) {
    return format("off by %.1e of the sum", std::fabs((double)sum - data.total) / std::fabs(data.total));
}

template <class T> struct Runner {
    Lab &lab;
    Data<T> data;
    Memory<T> memory;
    unsigned int threshold;
    std::string remark; /* of the row at hand */
    bool checked;       /* has the last step come as far as that? Not if it is still to do */

    double bytes() const { return (double)sizeof(T) * data.n; } /* every number is read once */

    /* The check of a step that leaves its sum in `sum`. */
    std::function<Verdict()> checkOf(const Sum<T> &sum, unsigned int grid, unsigned int block) {
        remark = "";
        checked = false;
        return [this, &sum, grid, block] {
            T got = fetchSum(sum);
            double value = (double)got, additions = (double)data.n / ((double)grid * block) + threshold;
            remark = errorText(data, got);
            checked = true;
            return judgeResults(&data.total, &value, 1, tolerance(data, additions));
        };
    }

    /* A step in passes; with an argument, once more in another shape. */
    void run(const Passes<T> &passes, const std::string &argument = "") {
        unsigned int grid = gridFor(passes, data.n);
        Sum<T> sum = {memory.result, 0};
        auto launch = [&] { sum = sumInPasses(passes, memory, data.n, threshold); };
        auto check = checkOf(sum, grid, passes.block);
        argument.empty() ? lab.step(grid, passes.block, bytes(), launch, check, remark)
                         : lab.again(grid, passes.block, bytes(), launch, check, remark, argument);
    }
};

/* Blocks that fill the device: a thread for each place that its multiprocessors have. */
static unsigned int residentBlocks(unsigned int block) {
    int perMultiprocessor = deviceAttribute(cudaDevAttrMaxThreadsPerMultiProcessor) / (int)block;
    return (unsigned int)(std::max(perMultiprocessor, 1) * deviceAttribute(cudaDevAttrMultiProcessorCount));
}

/* Harris's kernels: a word of shared memory for each thread. mostBlocks 0: as many as fill the device. */
template <class T>
Passes<T> sharedPasses(typename Kernels<T>::Pass kernel, unsigned int block, unsigned int perThread,
                       unsigned int mostBlocks = UINT_MAX) {
    size_t shared = block * sizeof(T);
    if (mostBlocks == 0) mostBlocks = residentBlocks(block);
    Passes<T> passes = {kernel, block, perThread, mostBlocks, shared};
    return passes;
}

/* Numbers that a thread of a block of steps 9 to 11 takes from a tile. */
template <class T> constexpr unsigned int tilePerThread() {
    return LOADS * (unsigned int)(sizeof(typename Quad<T>::Type) / sizeof(T));
}

template <class T> Passes<T> vectorPasses() {
    Passes<T> passes = {reduceVector<T>, WIDE_BLOCK, tilePerThread<T>(), residentBlocks(WIDE_BLOCK), 0};
    return passes;
}

/* Blocks for steps 10 and 11: a tile each, or if that are too many, as many as may be. */
template <class T> unsigned int tileGrid(size_t n, unsigned int mostBlocks) {
    return std::min(divideUp(n, WIDE_BLOCK * tilePerThread<T>()), mostBlocks);
}

/* Many more blocks than the device holds at once: those that end early make room for others, so no multiprocessor is
 * idle for long at the end. Each costs an atomic addition, so not without limit. */
static unsigned int mostQueuedBlocks() {
    const unsigned int PER_MULTIPROCESSOR = 128;
    unsigned int most = PER_MULTIPROCESSOR * (unsigned int)deviceAttribute(cudaDevAttrMultiProcessorCount);
    return std::min(most, (unsigned int)MOST_COUNTED_BLOCKS);
}

/* Returns whether reduce6 is done and not to do. */
template <class T> bool runHarris(Runner<T> &runner, unsigned int block) {
    runner.run(sharedPasses<T>(reduce0<T>, block, 1));
    runner.run(sharedPasses<T>(reduce1<T>, block, 1));
    runner.run(sharedPasses<T>(reduce2<T>, block, 1));
    runner.run(sharedPasses<T>(reduce3<T>, block, 2));
    runner.run(sharedPasses<T>(reduce4<T>, block, 2));
    runner.run(sharedPasses<T>(Kernels<T>::reduce5For(block), block, 2));
    runner.run(sharedPasses<T>(Kernels<T>::reduce6For(block), block, 2, 0));
    return runner.checked;
}

template <class T> void runOnePass(Runner<T> &runner) {
    const unsigned int n = (unsigned int)runner.data.n, grid = tileGrid<T>(n, residentBlocks(WIDE_BLOCK));
    const Memory<T> &memory = runner.memory;
    Sum<T> sum = {memory.result, 0};
    runner.lab.step(
        grid, WIDE_BLOCK, runner.bytes(),
        [&] { reduceOnePass<<<grid, WIDE_BLOCK>>>(memory.in, memory.sums[0], memory.result, n); },
        runner.checkOf(sum, grid, WIDE_BLOCK), runner.remark);
}

static void runOneAtomic(Runner<int> &runner) {
    const unsigned int n = (unsigned int)runner.data.n, grid = tileGrid<int>(n, mostQueuedBlocks());
    const Memory<int> &memory = runner.memory;
    Sum<int> sum = {memory.result, 0};
    runner.lab.step(
        grid, WIDE_BLOCK, runner.bytes(), [&] { reduceOneAtomic<<<grid, WIDE_BLOCK>>>(memory.in, memory.result, n); },
        runner.checkOf(sum, grid, WIDE_BLOCK));
}

template <class T> void runOneAtomic(Runner<T> &runner) {
    const unsigned int grid = tileGrid<T>(runner.data.n, mostQueuedBlocks());
    runner.lab.decline(grid, WIDE_BLOCK, "for integers only: the order of additions is not fixed");
}

/* What CUB needs besides input and result. */
template <class T> class CubMemory {
  public:
    explicit CubMemory(size_t n) {
        CHECK(cubSum(NULL, &bytes, (const T *)NULL, (T *)NULL, (int)n));
        CHECK(cudaMalloc(&memory, bytes));
    }
    ~CubMemory() { cudaFree(memory); }
    void sum(const T *in, T *out, size_t n) { cubSum(memory, &bytes, in, out, (int)n); }

  private:
    void *memory = NULL;
    size_t bytes = 0;
};

static const char *const NO_CUB = "the program is not linked with CUB: make lab6 does so where the toolkit has it";

template <class T> void runCub(Runner<T> &runner) {
    if (runner.data.n == 0) return;
    if (!haveCub<T>()) {
        runner.lab.note(std::string("    cubDeviceReduce            ") + NO_CUB);
        return;
    }
    const Memory<T> &memory = runner.memory;
    const size_t n = runner.data.n;
    CubMemory<T> cub(n);
    Sum<T> sum = {memory.result, 0};
    runner.lab.beside(
        "cubDeviceReduce", runner.bytes(), [&] { cub.sum(memory.in, memory.result, n); },
        runner.checkOf(sum, 1, WIDE_BLOCK), runner.remark);
}

/* Step 7 in many shapes, as far as there is work for so many blocks. */
template <class T> void sweep(Runner<T> &runner) {
    runner.lab.group("reduce6 in other shapes: blocks x threads");
    runner.lab.returnTo("reduce6");
    for (unsigned int threads = 32; threads <= 1024; threads *= 2) {
        for (unsigned int blocks = 64; blocks <= 4096; blocks *= 2) {
            Passes<T> passes = sharedPasses<T>(Kernels<T>::reduce6For(threads), threads, 2, blocks);
            if (gridFor(passes, runner.data.n) < blocks) break;
            runner.run(passes, format("%ux%u", blocks, threads));
        }
    }
}

/* What rounding does to a sum of one number after the other. */
static void printCpuErrors(const Data<int> &) {}

template <class T> void printCpuErrors(const Data<T> &data) {
    printf("On the CPU, one number after the other: %s; the same, compensated: %s\n\n",
           errorText(data, plainSum(data.input, data.n)).c_str(),
           errorText(data, compensatedSum<T>(data.input, data.n)).c_str());
}

template <class T> int run(Lab &lab) {
    Runner<T> runner = {lab,  makeData<T>(lab.size(), lab.seed()), {}, (unsigned int)FLAGS[FLAG_THRESHOLD].number, "",
                        false};
    const size_t n = runner.data.n;
    runner.memory.in = lab.input(runner.data.input, n);
    for (T *&sums : runner.memory.sums) sums = lab.output<T>(divideUp(n, 32)); /* a sum for each of the least blocks */
    runner.memory.result = lab.output<T>(1);
    if (n > 0) printCpuErrors(runner.data);
    lab.printHeader(format("sum of %zu %ss: %.10g", n, TYPES[FLAGS[FLAG_TYPE].number], runner.data.total));

    bool swept = runHarris(runner, lab.block());
    runner.run(sharedPasses<T>(reduceShuffle<T>, lab.block(), 2, 0));
    runner.run(vectorPasses<T>());
    runOnePass(runner);
    runOneAtomic(runner);
    runCub(runner);
    if (swept) sweep(runner);
    free(runner.data.input);
    return lab.finish();
}

/* ---- The race ---- */

/* The last steps and CUB over a range of sizes, with inputs that no cache has seen lately. */
static int race(const Lab &lab, const char *file) {
    if (!haveCub<int>()) refuse(INFO.name, "--race: %s", NO_CUB);
    const size_t LEAST = 1 << 20;
    const size_t most = lab.sizeGiven() ? std::max(lab.size(), LEAST) : INFO.maxSize;
    CubMemory<int> cub(most);
    const Passes<int> vector = vectorPasses<int>();
    const unsigned int resident = residentBlocks(WIDE_BLOCK), queued = mostQueuedBlocks();
    int *sums, *result;
    CHECK(cudaMalloc(&sums, sizeof(int) * std::max(resident, 2 * vector.mostBlocks)));
    CHECK(cudaMalloc(&result, sizeof(int)));

    Race race(INFO, lab.repeat(), LEAST, most);
    race.enter("reduceVector", [&](const int *in, unsigned int n) {
        Memory<int> memory = {in, {sums, sums + vector.mostBlocks}, result};
        return sumInPasses(vector, memory, n, 1).onGpu;
    });
    race.enter("reduceOnePass", [&](const int *in, unsigned int n) {
        reduceOnePass<<<tileGrid<int>(n, resident), WIDE_BLOCK>>>(in, sums, result, n);
        return (const int *)result;
    });
    race.enter("reduceOneAtomic", [&](const int *in, unsigned int n) {
        reduceOneAtomic<<<tileGrid<int>(n, queued), WIDE_BLOCK>>>(in, result, n);
        return (const int *)result;
    });
    race.enter("cubDeviceReduce", [&](const int *in, unsigned int n) {
        cub.sum(in, result, n);
        return (const int *)result;
    });
    int code = race.run(file);
    CHECK(cudaFree(sums));
    CHECK(cudaFree(result));
    return code;
}

int main(int argc, char **argv) {
    Lab lab(INFO, STEPS, argc, argv, FLAGS);
    if (FLAGS[FLAG_RACE].text != NULL) return race(lab, FLAGS[FLAG_RACE].text);
    switch (FLAGS[FLAG_TYPE].number) {
    case 0: return run<int>(lab);
    case 1: return run<float>(lab);
    default: return run<double>(lab);
    }
}
