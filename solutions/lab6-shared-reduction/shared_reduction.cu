/*
 * Lab 6: reduction in shared memory. Add up n numbers until one is left, and race against NVIDIA's
 * library, CUB.
 *
 * Steps 1 to 7 are Mark Harris's seven kernels of 2007; steps 8 to 11 are what came after them.
 * Steps 1 to 9 leave one sum a block, so they take several passes:
 *
 *     g_idata     | block 0 | block 1 | block 2 | ...               n numbers
 *     1st pass    sum 0, sum 1, sum 2, ...                          a number a block
 *     2nd pass    the same kernel adds those up, in fewer blocks    and so on, until one is left
 *
 * With --cpu-final-threshold T the CPU takes over as soon as no more than T are left.
 *
 * To run it: make lab6. By hand:
 *     nvcc -Icommon labs/lab6-shared-reduction/shared_reduction.cu -o sum && ./sum --help
 */
#include <climits>
#include <limits>

#include "common.h"
#include "harness/cub.h"
#include "harness/lab.h"
#include "harness/total.h"

/* All threads of a warp take part in a shuffle. */
enum : unsigned int { FULL_WARP = 0xFFFFFFFFu };

/* The shared memory that a launch asks for, as an array of T: a word for each thread of the block.
 * (A template cannot declare `extern __shared__ T sdata[]` itself: the name would stand for arrays
 * of different types.) */
template <class T> __device__ T *sharedArray() {
    extern __shared__ __align__(16) unsigned char sharedBytes[];
    return (T *)sharedBytes;
}

/* ---- On the CPU ---- */

/* One number after the other, rounded to T each time. */
template <class T> T plainSum(const T *data, size_t n) {
    T sum = 0;
    for (size_t i = 0; i < n; i++) sum += data[i];
    return sum;
}

/* The same, with what each addition lost kept aside and added at the end (Kahan's idea, in the form
 * of Neumaier 1974, which also works where the new number is the larger one). As good as a sum in
 * twice the precision of Real. */
template <class Real, class T> Real compensatedSum(const T *data, size_t n) {
    Real sum = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        Real x = (Real)data[i], next = sum + x;
        lost += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
    return sum + lost;
}

/* What the CPU has. */
template <class T> struct Data {
    size_t n;
    T *input;
    /* int: exact; float and double: the compensated sum, which is nearer than any kernel's. */
    double total;
    double epsilon; /* the last place of 1; 0: integers, which are not rounded */
};

/* Integers from -128 to 127: a sum of 2^30 of them fits in 32 bits. Or multiples of 0.1 from 0
 * to 25.5, hardly one of which is exact in binary. */
template <class T> Data<T> makeData(size_t n, uint64_t seed) {
    Data<T> data = {n, hostArray<T>(n), 0, (double)std::numeric_limits<T>::epsilon()};
    for (size_t i = 0; i < n; i++) {
        T number = (T)(nextRandom(&seed) >> 56);
        data.input[i] = data.epsilon == 0 ? number - 128 : number / 10;
    }
    data.total = compensatedSum<double>(data.input, n);
    return data;
}

/* ---- Several passes, given to you ---- */

/* A kernel that leaves one sum a block. */
template <class T> using PassKernel = void (*)(const T *g_idata, T *g_odata, unsigned int n);

/* What the GPU has. */
template <class T> struct DeviceData {
    T *in;
    T *sums[2]; /* the passes write into the two in turn */
    T *result;
};

/* How to launch a kernel that leaves one sum a block. */
template <class T> struct Passes {
    PassKernel<T> kernel;
    unsigned int block;
    /* Numbers that a thread adds up, or a multiple of that if the blocks are few. */
    unsigned int perThread;
    unsigned int mostBlocks;
    size_t shared; /* bytes a block */
};

template <class T> unsigned int gridFor(const Passes<T> *passes, size_t n) {
    unsigned int all = blocksFor(n, (size_t)passes->block * passes->perThread);
    return all < passes->mostBlocks ? all : passes->mostBlocks;
}

/* Launch passes until at most `threshold` numbers are left; the CPU adds those up, if they are more
 * than one. Returns the sum's address on the GPU; NULL: the CPU has stored it in *onCpu. */
template <class T>
const T *sumInPasses(const Passes<T> *passes, const DeviceData<T> *d, size_t n,
                     unsigned int threshold, T *onCpu) {
    const T *in = d->in;
    unsigned int left = (unsigned int)n;
    for (int to = 0; in == d->in || left > threshold; to = 1 - to) {
        unsigned int grid = gridFor(passes, left);
        passes->kernel<<<grid, passes->block, passes->shared>>>(in, d->sums[to], left);
        in = d->sums[to];
        left = grid;
    }
    if (left <= 1) return in;
    T *last = hostArray<T>(left);
    CHECK(cudaMemcpy(last, in, left * sizeof(T), cudaMemcpyDeviceToHost));
    *onCpu = plainSum(last, left);
    free(last);
    return NULL;
}

/* Blocks that fill the device: a thread for each place that its multiprocessors have. */
static unsigned int residentBlocks(unsigned int block) {
    int perMultiprocessor = deviceAttribute(cudaDevAttrMaxThreadsPerMultiProcessor) / (int)block;
    if (perMultiprocessor < 1) perMultiprocessor = 1;
    return (unsigned int)(perMultiprocessor * deviceAttribute(cudaDevAttrMultiProcessorCount));
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     tid   0   1   2   3   4   5   6   7
 *     s 1   0+1     2+3     4+5     6+7          every second thread works
 *     s 2   0+2             4+6                  every fourth
 *     s 4   0+4                                  every eighth
 *
 * Question: lab 3 did this in the GPU's memory. What is different now for a word
 * that is read in ten rounds?
 * Metric: inst_per_warp
 */
template <class T> __global__ void reduce0(const T *g_idata, T *g_odata, unsigned int n) {
    T *sdata = sharedArray<T>();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + tid;

    /* Threads beyond the end add nothing, but stay for the barriers. */
    sdata[tid] = i < n ? g_idata[i] : 0;
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
 * Question: the words of neighbouring threads lie 2 * s apart. In which of the 32 banks are
 * they for s = 1? For s = 16?
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
    // TODO("Begin with s = blockDim.x / 2 and halve it: thread tid < s adds sdata[tid + s].",
    //      "handouts/lab6.md#reduce2");
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
    // TODO("Give each block two chunks: every thread puts the sum of two numbers, one chunk apart, "
    //      "into sdata.",
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

/* One round of the last warp, given to you. All 32 threads call it together; each round reads what
 * the one before has written, so they wait for one another. Older programs have no __syncwarp()
 * here and declare sdata volatile: that was right as long as the threads of a warp ran in step, up
 * to the Pascal generation. */
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
    // TODO("End step 4's loop at s = 64; then warp 0 alone does the rounds 32, 16, 8, 4, 2, 1 with "
    //      "addInWarp.",
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
        if (blockDim.x >= 64)
            addInWarp(sdata, tid, 32); /* a block of 32 has no second warp's sums to add */
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
template <unsigned int blockSize, class T>
__global__ void reduce5(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduce5
    // TODO("Write step 5's loop out, with blockSize, which the compiler knows, in place of "
    //      "blockDim.x.",
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

/* A template needs its block size when it is compiled: one copy for each that is allowed. */
template <class T> PassKernel<T> reduce5For(unsigned int block) {
    switch (block) {
    case 1024: return reduce5<1024, T>;
    case 512: return reduce5<512, T>;
    case 256: return reduce5<256, T>;
    case 128: return reduce5<128, T>;
    case 64: return reduce5<64, T>;
    default: return reduce5<32, T>;
    }
}

/* ---- Step 7 ----
 *
 *     g_idata    | block 0 | block 1 | block 2 | block 0 | block 1 | block 2 | block 0 | ...
 *                 round 0                       round 1                       round 2
 *
 * Question: Brent's theorem: with p processors a sum of n numbers costs n/p + log n steps. What
 * does that say about the number of threads?
 * Metric: dram_read_throughput
 */
template <unsigned int blockSize, class T>
__global__ void reduce6(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduce6
    // TODO("As step 6, but a thread goes on through the input by the width of the whole grid, "
    //      "until its end.",
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

template <class T> PassKernel<T> reduce6For(unsigned int block) {
    switch (block) {
    case 1024: return reduce6<1024, T>;
    case 512: return reduce6<512, T>;
    case 256: return reduce6<256, T>;
    case 128: return reduce6<128, T>;
    case 64: return reduce6<64, T>;
    default: return reduce6<32, T>;
    }
}

/* ---- Step 8 ----
 *
 *     lane        0    1    2  ...  31
 *     offset 16   0+16 1+17 2+18 ...       from register to register: no shared memory, no barrier
 *     ...
 *     offset 1    0+1                      lane 0 has the warp's sum
 *
 * Question: how many words of shared memory does a block of 128 threads need
 * now, and how many barriers?
 * Metric: shared_load
 */
template <class T> __global__ void reduceShuffle(const T *g_idata, T *g_odata, unsigned int n) {
    // BEGIN SOLUTION reduceShuffle
    // TODO("Load as step 7; each warp adds with __shfl_down_sync, and warp 0 adds the warps' sums "
    //      "in the same way.",
    //      "handouts/lab6.md#reduceshuffle");
    __shared__ T warpSums[32];
    unsigned int tid = threadIdx.x;
    unsigned int gridSize = blockDim.x * 2 * gridDim.x;

    T sum = 0;
    for (unsigned int i = blockIdx.x * (blockDim.x * 2) + tid; i < n; i += gridSize) {
        sum += g_idata[i];
        if (i + blockDim.x < n) sum += g_idata[i + blockDim.x];
    }
    for (unsigned int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(FULL_WARP, sum, offset);
    if (tid % 32 == 0) warpSums[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < blockDim.x / 32 ? warpSums[tid] : 0;
        for (unsigned int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(FULL_WARP, sum, offset);
    }
    if (tid == 0) g_odata[blockIdx.x] = sum;
    // END SOLUTION
}

/* What step 8 does after its loop, given to you for the steps that follow: thread 0 gets the sum of
 * the block's sums. A block that calls it twice needs a barrier in between. */
template <class T> __device__ T sumOfBlock(T sum) {
    __shared__ T warpSums[32];
    for (unsigned int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(FULL_WARP, sum, offset);
    if (threadIdx.x % 32 == 0) warpSums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? warpSums[threadIdx.x] : 0;
        for (unsigned int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(FULL_WARP, sum, offset);
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

/* Threads of a block of steps 9 to 11, and loads that each thread has under way: the best of those
 * tried on an H200. */
enum : unsigned int { WIDE_BLOCK = 512, LOADS = 4 };

/* Numbers that a thread of a block of steps 9 to 11 takes from a tile. */
template <class T> constexpr unsigned int tilePerThread() {
    return LOADS * (unsigned int)(sizeof(typename Quad<T>::Type) / sizeof(T));
}

/* Blocks for steps 10 and 11: one for each tile, but at most mostBlocks. */
template <class T> unsigned int tileGrid(size_t n, unsigned int mostBlocks) {
    unsigned int tiles = blocksFor(n, WIDE_BLOCK * tilePerThread<T>());
    return tiles < mostBlocks ? tiles : mostBlocks;
}

/* ---- Step 9 ----
 *
 *     a tile, LOADS * blockDim.x quads:   | 1st loads of all threads | 2nd loads | 3rd | 4th |
 *     tiles                               | block 0 | block 1 | block 2 | block 0 | block 1 | ...
 *
 * Question: the sectors are the same as in step 7. What is saved? And why issue four loads
 * before the first addition?
 * Metric: gld_transactions_per_request
 */
template <class T>
__global__ __launch_bounds__(WIDE_BLOCK) void reduceVector(const T *g_idata, T *g_odata,
                                                           unsigned int n) {
    // BEGIN SOLUTION reduceVector
    // TODO("Load quads, LOADS of them before you add; whole tiles first, then what is "
    //      "left.",
    //      "handouts/lab6.md#reducevector");
    typedef typename Quad<T>::Type Wide;
    const Wide *in = (const Wide *)g_idata;
    const unsigned int width = sizeof(Wide) / sizeof(T), quads = n / width,
                       tile = LOADS * blockDim.x;

    T sum = 0;
    unsigned int i = blockIdx.x * tile + threadIdx.x;
    for (; i - threadIdx.x + tile <= quads; i += tile * gridDim.x) {
        Wide loaded[LOADS];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) loaded[k] = in[i + k * blockDim.x];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) sum += sumOf(loaded[k]);
    }
    /* One block's next tile is a part of one; up to width - 1 numbers are not even a quad. */
    for (unsigned int k = 0; k < LOADS && i + k * blockDim.x < quads; k++)
        sum += sumOf(in[i + k * blockDim.x]);
    if (blockIdx.x == 0 && threadIdx.x < n % width) sum += g_idata[n - 1 - threadIdx.x];

    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) g_odata[blockIdx.x] = sum;
    // END SOLUTION
}

/* Blocks of reduceOnePass that have left their sum. 0 before and after every launch. */
__device__ unsigned int blocksDone;

/* ---- Step 10 ----
 *
 *     block 0    ... g_odata[0] = sum   fence   ticket 1
 *     block 2    ... g_odata[2] = sum   fence   ticket 2
 *     block 1    ... g_odata[1] = sum   fence   ticket 3 of 3: the last; adds g_odata[0], [1], [2]
 *
 * Question: without the fence the last block may read an old g_odata[0]. How, if block 0
 * stored it before its ticket?
 * Metric: achieved_occupancy
 */
template <class T>
__global__ __launch_bounds__(WIDE_BLOCK) void reduceOnePass(const T *g_idata, T *g_odata, T *result,
                                                            unsigned int n) {
    // BEGIN SOLUTION reduceOnePass
    // TODO("Load as step 9; leave sumOfBlock(...) in g_odata, fence, take a ticket; the last block "
    //      "adds g_odata up.",
    //      "handouts/lab6.md#reduceonepass");
    __shared__ bool isLast;
    typedef typename Quad<T>::Type Wide;
    const Wide *in = (const Wide *)g_idata;
    const unsigned int width = sizeof(Wide) / sizeof(T), quads = n / width,
                       tile = LOADS * blockDim.x;

    T sum = 0;
    unsigned int i = blockIdx.x * tile + threadIdx.x;
    for (; i - threadIdx.x + tile <= quads; i += tile * gridDim.x) {
        Wide loaded[LOADS];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) loaded[k] = in[i + k * blockDim.x];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) sum += sumOf(loaded[k]);
    }
    for (unsigned int k = 0; k < LOADS && i + k * blockDim.x < quads; k++)
        sum += sumOf(in[i + k * blockDim.x]);
    if (blockIdx.x == 0 && threadIdx.x < n % width) sum += g_idata[n - 1 - threadIdx.x];

    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) {
        g_odata[blockIdx.x] = sum;
        __threadfence(); /* a block that sees the ticket taken also sees the sum */
        /* Counts 0, 1, ... gridDim.x - 1 and then 0 again: ready for the next launch. */
        isLast = atomicInc(&blocksDone, gridDim.x - 1) == gridDim.x - 1;
        __threadfence(); /* and the block with the last ticket reads no older sums */
    }
    __syncthreads();
    if (!isLast) return;

    sum = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += g_odata[b];
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0) *result = sum;
    // END SOLUTION
}

/* The blocks of reduceOneAtomic that are done, in the upper 16 bits, and above 48 bits of the sum
 * of their sums, taken as unsigned. 0 before and after every launch.
 *
 *     bit 63        48 47                                     0
 *         | blocks    | up to 65535 sums of less than 2^32     |
 */
__device__ unsigned long long blocksAndSum;
enum : unsigned int { BLOCKS_SHIFT = 48, MOST_COUNTED_BLOCKS = 65535 };

/* Many more blocks than the device holds at once: those that end early make room for
 * others, so no multiprocessor is idle for long at the end. There is a limit, because each
 * block costs an atomic addition. */
static unsigned int mostQueuedBlocks() {
    const unsigned int PER_MULTIPROCESSOR = 128;
    unsigned int most =
        PER_MULTIPROCESSOR * (unsigned int)deviceAttribute(cudaDevAttrMultiProcessorCount);
    return most < MOST_COUNTED_BLOCKS ? most : (unsigned int)MOST_COUNTED_BLOCKS;
}

/* ---- Step 11 ----
 *
 * Question: why does the order of additions not matter here, and why would it for float?
 * Metric: achieved_occupancy
 */
__global__ __launch_bounds__(WIDE_BLOCK) void reduceOneAtomic(const int *g_idata, int *result,
                                                              unsigned int n) {
    // BEGIN SOLUTION reduceOneAtomic
    // TODO("Load as step 9; add (1 << BLOCKS_SHIFT) + the block's sum to blocksAndSum; who counts "
    //      "last has the total.",
    //      "handouts/lab6.md#reduceoneatomic");
    const int4 *in = (const int4 *)g_idata;
    const unsigned int width = sizeof(int4) / sizeof(int), quads = n / width,
                       tile = LOADS * blockDim.x;

    int sum = 0;
    unsigned int i = blockIdx.x * tile + threadIdx.x;
    for (; i - threadIdx.x + tile <= quads; i += tile * gridDim.x) {
        int4 loaded[LOADS];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) loaded[k] = in[i + k * blockDim.x];
#pragma unroll
        for (unsigned int k = 0; k < LOADS; k++) sum += sumOf(loaded[k]);
    }
    for (unsigned int k = 0; k < LOADS && i + k * blockDim.x < quads; k++)
        sum += sumOf(in[i + k * blockDim.x]);
    if (blockIdx.x == 0 && threadIdx.x < n % width) sum += g_idata[n - 1 - threadIdx.x];

    sum = sumOfBlock(sum);
    if (threadIdx.x != 0) return;
    unsigned long long mine = (1ull << BLOCKS_SHIFT) + (unsigned int)sum;
    unsigned long long before = atomicAdd(&blocksAndSum, mine);
    if (before >> BLOCKS_SHIFT < gridDim.x - 1) return;
    *result = (int)(unsigned int)(before + mine); /* modulo 2^32, so negative sums are right too */
    atomicExch(&blocksAndSum, 0ull);
    // END SOLUTION
}

/* ---- The steps ---- */

static const LabStep STEPS[] = {
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

/* Places in the table. */
enum { REDUCE6 = 6, REDUCE_ONE_PASS = 9, REDUCE_ONE_ATOMIC = 10 };

static const char *const TYPES[] = {"int", "float", "double", NULL};
enum { FLAG_TYPE, FLAG_THRESHOLD };

static LabFlag FLAGS[] = {
    wordFlag("--type", "T", "of the numbers: int (default), float or double", TYPES),
    numberFlag("--cpu-final-threshold", "T", "the CPU adds the last T sums (default 1: none)", 1,
               1 << 30, 1),
};

template <class T> Passes<T> vectorPasses() {
    Passes<T> passes = {reduceVector<T>, WIDE_BLOCK, tilePerThread<T>(), residentBlocks(WIDE_BLOCK),
                        0};
    return passes;
}

/* ---- Running them ---- */

/* The verdict on a sum on the GPU, or, where onGpu is NULL, one that the CPU has completed. */
template <class T>
Verdict checkSum(Lab *lab, const Data<T> *data, const T *onGpu, T onCpu, double additions) {
    T sum = onCpu;
    if (onGpu != NULL) CHECK(cudaMemcpy(&sum, onGpu, sizeof sum, cudaMemcpyDeviceToHost));
    return judgeTotal(lab, sum, data->total, data->epsilon, additions);
}

/* What rounding does to a sum of one number after the other. */
template <class T> void printCpuErrors(const Data<T> *data) {
    if (data->epsilon == 0 || data->n == 0) return;
    printf("On the CPU, one number after the other: off by %.1e of the sum; the same, compensated: "
           "off by %.1e of the sum\n\n",
           errorOf(plainSum(data->input, data->n), data->total),
           errorOf(compensatedSum<T>(data->input, data->n), data->total));
}

/* The loop of the step that labStep has begun. Returns whether its results were judged; a step
 * still to do has none. */
template <class T>
bool runPasses(Lab *lab, const Data<T> *data, const DeviceData<T> *d, const Passes<T> *passes) {
    const unsigned int threshold = (unsigned int)FLAGS[FLAG_THRESHOLD].number;
    const double threads = (double)gridFor(passes, data->n) * passes->block;
    bool judged = false;
    labBytes(lab, (double)sizeof(T) * data->n); /* every number is read once */
    while (labRuns(lab)) {
        T onCpu = 0;
        const T *onGpu = sumInPasses(passes, d, data->n, threshold, &onCpu);
        if (labChecks(lab)) {
            labVerdict(lab, checkSum(lab, data, onGpu, onCpu, data->n / threads + threshold));
            judged = true;
        }
    }
    return judged;
}

/* Steps 1 to 9. Returns whether the results of reduce6 were judged. */
template <class T> bool runLadder(Lab *lab, const Data<T> *data, const DeviceData<T> *d) {
    const unsigned int block = lab->block, resident = residentBlocks(block);
    const size_t shared = block * sizeof(T); /* a word for each thread */
    const Passes<T> ladder[] = {
        {reduce0<T>, block, 1, UINT_MAX, shared},
        {reduce1<T>, block, 1, UINT_MAX, shared},
        {reduce2<T>, block, 1, UINT_MAX, shared},
        {reduce3<T>, block, 2, UINT_MAX, shared},
        {reduce4<T>, block, 2, UINT_MAX, shared},
        {reduce5For<T>(block), block, 2, UINT_MAX, shared},
        {reduce6For<T>(block), block, 2, resident, shared},
        {reduceShuffle<T>, block, 2, resident, shared},
        vectorPasses<T>(),
    };
    bool judged6 = false;
    for (size_t i = 0; i < COUNT(ladder); i++) {
        labStep(lab, STEPS[i].name, gridFor(&ladder[i], data->n), ladder[i].block);
        bool judged = runPasses(lab, data, d, &ladder[i]);
        if (i == REDUCE6) judged6 = judged;
    }
    return judged6;
}

template <class T> void runOnePass(Lab *lab, const Data<T> *data, const DeviceData<T> *d) {
    const unsigned int n = (unsigned int)data->n, grid = tileGrid<T>(n, residentBlocks(WIDE_BLOCK));
    labStep(lab, STEPS[REDUCE_ONE_PASS].name, grid, WIDE_BLOCK);
    labBytes(lab, (double)sizeof(T) * n);
    while (labRuns(lab)) {
        reduceOnePass<<<grid, WIDE_BLOCK>>>(d->in, d->sums[0], d->result, n);
        if (labChecks(lab))
            labVerdict(lab,
                       checkSum<T>(lab, data, d->result, 0, (double)n / (grid * WIDE_BLOCK) + 1));
    }
}

template <class T> void runOneAtomic(Lab *lab, const Data<T> *data, const DeviceData<T> *d) {
    const unsigned int n = (unsigned int)data->n, grid = tileGrid<T>(n, mostQueuedBlocks());
    labStep(lab, STEPS[REDUCE_ONE_ATOMIC].name, grid, WIDE_BLOCK);
    labBytes(lab, (double)sizeof(T) * n);
    if (data->epsilon > 0) labSkip(lab, "for integers only: the order of additions is not fixed");
    while (labRuns(lab)) {
        reduceOneAtomic<<<grid, WIDE_BLOCK>>>((const int *)d->in, (int *)d->result, n);
        if (labChecks(lab)) labVerdict(lab, checkSum<T>(lab, data, d->result, 0, 0));
    }
}

/* Step 7 in many shapes. Shapes with more blocks than there is work for are left out. */
template <class T> void sweep(Lab *lab, const Data<T> *data, const DeviceData<T> *d) {
    labGroup(lab, "reduce6 in other shapes: blocks x threads");
    for (unsigned int threads = 32; threads <= 1024; threads *= 2) {
        for (unsigned int blocks = 64; blocks <= 4096; blocks *= 2) {
            const Passes<T> passes = {reduce6For<T>(threads), threads, 2, blocks,
                                      threads * sizeof(T)};
            if (gridFor(&passes, data->n) < blocks) break;
            labStep(lab, STEPS[REDUCE6].name, blocks, threads);
            labArgument(lab, "%ux%u", blocks, threads);
            runPasses(lab, data, d, &passes);
        }
    }
}

template <class T> int run(Lab *lab) {
    Data<T> data = makeData<T>(lab->size, lab->seed);
    DeviceData<T> d;
    const size_t bytes = data.n * sizeof(T);
    const size_t sumBytes = blocksFor(data.n, 32) * sizeof(T); /* 32: the least block */
    labNeeds(lab, bytes + 2 * sumBytes + sizeof(T));
    CHECK(cudaMalloc(&d.in, bytes));
    CHECK(cudaMemcpy(d.in, data.input, bytes, cudaMemcpyHostToDevice));
    labInput(lab, d.in, bytes);
    CHECK(cudaMalloc(&d.sums[0], sumBytes));
    CHECK(cudaMalloc(&d.sums[1], sumBytes));
    CHECK(cudaMalloc(&d.result, sizeof(T)));
    labOutput(lab, d.sums[0], sumBytes);
    labOutput(lab, d.sums[1], sumBytes);
    labOutput(lab, d.result, sizeof(T));
    printCpuErrors(&data);
    labHeader(lab, "sum of %zu %ss: %.10g", data.n, TYPES[FLAGS[FLAG_TYPE].number], data.total);

    bool reduce6Done = runLadder(lab, &data, &d);
    runOnePass(lab, &data, &d);
    runOneAtomic(lab, &data, &d);
    runCub(
        lab, "cubDeviceReduce", NULL, cubSum != NULL, (double)sizeof(T) * data.n,
        [&](void *temporary, size_t *size) {
            const CubType type = (CubType)FLAGS[FLAG_TYPE].number;
            return cubSum(type, temporary, size, d.in, d.result, (int)data.n);
        },
        [&] { return checkSum<T>(lab, &data, d.result, 0, (double)data.n / WIDE_BLOCK + 1); });
    if (reduce6Done) sweep(lab, &data, &d);
    cudaFree(d.in);
    cudaFree(d.sums[0]);
    cudaFree(d.sums[1]);
    cudaFree(d.result);
    free(data.input);
    return labClose(lab);
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(6, "shared_reduction", __FILE__, "numbers to add up");
    info.defaultSize = 1 << 22; /* this and the block as Harris has them */
    info.maxSize = 1 << 30;     /* an index beyond the end still fits in 32 bits */
    info.defaultBlock = 128;
    info.blockRefusal = refuseUnevenHalves;
    info.flags = FLAGS;
    info.flagsN = COUNT(FLAGS);
    Lab lab = labOpen(argc, argv, info, STEPS);
    switch (FLAGS[FLAG_TYPE].number) {
    case 0: return run<int>(&lab);
    case 1: return run<float>(&lab);
    default: return run<double>(&lab);
    }
}
