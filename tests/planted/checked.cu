/*
 * checked.cu: one planted mistake per kind that `simt --check` knows, and right programs that look
 * like them. `checked NAME` runs one. Comments "<- NAME" mark the lines that the messages must
 * name; tests/targets/check.bats reads them.
 */
#include <cstdio>
#include <cstring>
#include <unistd.h>
#if __has_include(<cooperative_groups.h>)
#define _CG_LIMIT_INCLUDED_DEPENDENCIES /* without libcu++ it compiles in a third of the time */
#include <cooperative_groups.h>
#define HAS_GROUPS
#endif

#define THREADS 64

/* ---- Races in shared memory ---- */

/* No barrier between a thread's store and its neighbour's load. */
__global__ void sharedRace(int *out) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = threadIdx.x;                       // <- shared-race write
    out[threadIdx.x] = tile[(threadIdx.x + 32) % THREADS]; // <- shared-race read
}

/* A second round of a loop overwrites what slow threads still read. */
__global__ void sharedLoopRace(int *out) {
    __shared__ int tile[THREADS];
    int sum = 0;
    for (int round = 0; round < 4; round++) {
        tile[threadIdx.x] = round + threadIdx.x; // <- shared-loop-race write
        __syncthreads();
        sum += tile[THREADS - 1 - threadIdx.x]; // <- shared-loop-race read
    }
    out[threadIdx.x] = sum;
}

/* All threads store different values to one place. */
__global__ void sharedWriteRace(int *out) {
    __shared__ int last;
    last = threadIdx.x; // <- shared-write-race write
    __syncthreads();
    out[threadIdx.x] = last;
}

/* Sums in shared memory without the barrier between rounds: lanes of one warp race first, then
 * warps. */
__global__ void roundsRace(int *out) {
    __shared__ int tile[4 * THREADS];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    for (int stride = 1; stride < 4 * THREADS; stride *= 2)
        if (threadIdx.x % (2 * stride) == 0)
            tile[threadIdx.x] += tile[threadIdx.x + stride]; // <- rounds-race write
    if (threadIdx.x == 0) out[0] = tile[0];
}

/* Each thread takes from the neighbour that its last bit names, in its own warp, and from one in
 * another warp. */
__global__ void neighboursRace(int *out) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = threadIdx.x; // <- neighbours-race write
    for (int far = 1; far < THREADS; far += 31)
        out[threadIdx.x] += tile[threadIdx.x ^ far]; // <- neighbours-race read
}

/* Sums of a warp without __syncwarp(). */
__global__ void sharedWarpRace(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x < 16) tile[threadIdx.x] += tile[threadIdx.x + 16]; // <- shared-warp-race write
    if (threadIdx.x < 8) tile[threadIdx.x] += tile[threadIdx.x + 8];   // <- shared-warp-race read
    out[threadIdx.x] = tile[threadIdx.x];
}

/* The same by a function: the lines that call it tell where. */
__device__ void addInWarp(int *tile, int stride) {
    if (threadIdx.x < stride)
        tile[threadIdx.x] += tile[threadIdx.x + stride]; // <- called-race write
}
__global__ void calledRace(int *out) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    addInWarp(tile, 16); // <- called-race first call
    addInWarp(tile, 8);  // <- called-race second call
    out[threadIdx.x] = tile[threadIdx.x];
}

/* ---- Races in global memory ---- */

/* The last warp as old textbooks have it. */
__global__ void volatileWarpRace(int *data) {
    volatile int *v = data;
    int tid = threadIdx.x;
    if (tid < 32) {
        v[tid] += v[tid + 32]; // <- volatile-warp-race write
        v[tid] += v[tid + 16]; // <- volatile-warp-race read
        v[tid] += v[tid + 8];
        v[tid] += v[tid + 4];
        v[tid] += v[tid + 2];
        v[tid] += v[tid + 1];
    }
}

/* Sums in place, without a barrier between rounds. */
__global__ void globalRace(int *data) {
    for (int stride = THREADS / 2; stride > 0; stride /= 2)
        if (threadIdx.x < stride)
            data[threadIdx.x] += data[threadIdx.x + stride]; // <- global-race write
}

/* Each block reads what the next one stores. */
__global__ void blockRace(int *data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = data[(i + blockDim.x) % (2 * THREADS)]; // <- block-race write
}

/* A counter that is counted up with and without atomics. */
__global__ void atomicRace(int *count) {
    atomicAdd(count, 1);               // <- atomic-race write
    if (threadIdx.x == 40) count[0]++; // <- atomic-race read
}

/* No barrier between the atomics and the read of their result. */
__global__ void maxRace(const int *in, int *out) {
    __shared__ int most;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    atomicMax(&most, in[threadIdx.x]); // <- max-race write
    out[threadIdx.x] = most;           // <- max-race read
}

__global__ void minRace(const int *in, int *out) {
    if (in[threadIdx.x] < *out)          // <- min-race read
        atomicMin(out, in[threadIdx.x]); // <- min-race write
}

__global__ void casRace(const int *in, int *out) {
    __shared__ int first;
    if (threadIdx.x == 0) first = 0;
    __syncthreads();
    atomicCAS(&first, 0, in[threadIdx.x]); // <- cas-race write
    out[threadIdx.x] = first;              // <- cas-race read
}

/* A tiled sum without the barrier after the inner loop, of numbers that are all the same. */
__global__ void constantRace(const int *in, int *out) {
    __shared__ int tile[THREADS];
    int sum = 0;
    for (int first = 0; first < 2 * THREADS; first += THREADS) {
        tile[threadIdx.x] = in[first + threadIdx.x]; // <- constant-race write
        __syncthreads();
        for (int i = 0; i < THREADS; i++) sum += tile[i]; // <- constant-race read
    }
    out[threadIdx.x] = sum;
}

/* The last block's sum, but nothing makes the others' sums visible before the ticket. */
__global__ void ticketRace(int *sums, int *ticket, int *out) {
    if (threadIdx.x) return;
    sums[blockIdx.x] = blockIdx.x; // <- ticket-race write
    if (atomicAdd(ticket, 1) != gridDim.x - 1) return;
    for (int i = 0; i < gridDim.x; i++) *out += sums[i]; // <- ticket-race read
}

/* What is looked at, or the mask of a warp's lanes, has to be the right one: `other` is not. */

/* Each half of a warp meets, and reads what the other half, or a neighbour, stored. */
__global__ void halves(int *out, int other) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x; // <- halves write
    __syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
    out[threadIdx.x] = tile[threadIdx.x ^ (other ? 16 : 8)]; // <- halves read
}

/* All lanes read, the upper half meets, and its last lane stores. */
__global__ void readers(int *out, int other) {
    __shared__ int value;
    if (threadIdx.x == 0) value = 3;
    __syncwarp();
    int mine = value; // <- readers read
    if (other)
        __syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
    else
        __syncwarp();
    if (threadIdx.x == 31) value = mine + 1; // <- readers write
    out[threadIdx.x] = mine;
}

/* Two blocks store and set a flag each; the third waits for one of them. */
__global__ void flags(volatile int *ready, int *data, int *out, int other) {
    if (blockIdx.x < 2) {
        data[blockIdx.x] = 5 + blockIdx.x; // <- flags write
        __threadfence();
        ready[blockIdx.x] = 1;
    } else {
        while (!ready[other ? 0 : 1]) {
        }
        __threadfence();
        *out = data[1]; // <- flags read
    }
}

/* One sum is guarded by one lock, or by two. */
__global__ void locks(int *mutexes, int *sum, int other) {
    int *taken = mutexes + (other ? blockIdx.x % 2 : 0);
    while (atomicCAS(taken, 0, 1)) {
    }
    __threadfence();
    *sum += blockIdx.x + 1; // <- locks write
    __threadfence();
    atomicExch(taken, 0);
}

/* The second block looks by an atomic at the first one's count, or at one of its own. */
__global__ void counts(int *count, int *data, int *out, int other) {
    if (blockIdx.x == 0) {
        *data = 5; // <- counts write
        __threadfence();
        atomicAdd(count, 1);
    } else {
        while (atomicAdd(count + other, 1) < 1 - other) {
        }
        __threadfence();
        *out = *data; // <- counts read
    }
}

/* ---- Memory that nobody wrote ---- */

__global__ void globalUninitialised(const int *in, int *out) {
    out[threadIdx.x] = in[threadIdx.x]; // <- global-uninitialised
}

__global__ void sharedUninitialised(int *out) {
    __shared__ int tile[THREADS];
    if (threadIdx.x < 32) tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x]; // <- shared-uninitialised
}

/* What nobody wrote is compared, computed with, an address, passed on in the padding's manner. */
__global__ void branchUninitialised(const int *in, int *out) {
    if (in[threadIdx.x] > 3) // <- branch-uninitialised
        out[threadIdx.x] = 1;
    else
        out[threadIdx.x + 1] = 2;
}

__global__ void sumUninitialised(const int4 *in, int *out) {
    int4 four = in[threadIdx.x]; // <- sum-uninitialised
    out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

__global__ void indexUninitialised(const int *in, int *out) {
    out[in[threadIdx.x] & 15] = 1; // <- index-uninitialised
}

/* A structure's last member is copied twice, then computed with. */
__global__ void memberUninitialised(int4 *data, int *out) {
    __shared__ int4 tile[1];
    data[threadIdx.x].x = data[threadIdx.x].y = data[threadIdx.x].z = 1;
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x].w + 1; // <- member-uninitialised
}

__global__ void localUninitialised(int *out, int n) {
    int values[16];
    for (int i = 0; i < n; i++) values[i * 7 % 16] = i;
    out[threadIdx.x] = values[(threadIdx.x + n) % 16]; // <- local-uninitialised
}

__global__ void flagsUninitialised(int *flags) {
    flags[threadIdx.x] |= 6; // <- flags-uninitialised
}

/* A sum that begins with whatever lies in its register. */
__global__ void unsetVariable(const int *in, int *out, int n) {
    int sum;
    for (int i = 0; i < n; i++) sum += in[i]; // <- unset-variable
    out[threadIdx.x] = sum;
}

/* ---- Barriers and warps that not all reach ---- */

__global__ void divergentBarrier(int *out) {
    if (threadIdx.x < 40) __syncthreads(); // <- divergent-barrier
    out[threadIdx.x] = 1;
}

/* The sum of a warp, with the barrier within the if: the lanes beside it never come. */
__global__ void warpBranch(int *out) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    for (int stride = 16; stride > 0; stride /= 2)
        if (threadIdx.x < stride) {
            tile[threadIdx.x] += tile[threadIdx.x + stride];
            __syncwarp(); // <- warp-branch
        }
    if (threadIdx.x == 0) *out = tile[0];
}

/* An unsigned number is never below 0. All threads come to the barrier again and again. */
__global__ void endlessBarrier(int *out) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned stride = THREADS / 2; stride >= 0; stride /= 2) { // <- endless-barrier
        if (threadIdx.x < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
        __syncthreads();
    }
    out[threadIdx.x] = tile[0];
}

__global__ void earlyReturn(int *out, int n) {
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = 1;
    __syncthreads(); // <- early-return
    out[threadIdx.x] += 1;
}

__global__ void shuffleExited(int *out) {
    if (threadIdx.x >= 20) return;
    out[threadIdx.x] = __shfl_down_sync(0xffffffff, threadIdx.x, 1); // <- shuffle-exited
}

__global__ void voteUnnamed(int *out) {
    out[threadIdx.x] = __ballot_sync(0xffff, threadIdx.x & 1); // <- vote-unnamed
}

/* Shuffles from lanes that give no value: they have exited, are elsewhere, or are no threads. */
__global__ void shuffleGone(int *out, unsigned mask) {
    if (threadIdx.x >= 4) return;
    out[threadIdx.x] = __shfl_sync(mask, threadIdx.x, 9); // <- shuffle-gone
}

__global__ void shuffleElsewhere(int *out, unsigned mask) {
    if (threadIdx.x < 4)
        out[threadIdx.x] = __shfl_down_sync(mask, threadIdx.x, 8); // <- shuffle-elsewhere
    __syncwarp();
}

__global__ void shuffleNobody(int *out) {
    int sum = threadIdx.x;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset); // <- shuffle-nobody
    if (threadIdx.x == 0) *out = sum;
}

/* ---- Stray accesses ---- */

__global__ void outOfBounds(int *out) {
    out[threadIdx.x + 1] = 1; // <- out-of-bounds
}

__global__ void sharedOutOfBounds(int *out, int n) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x + n] = 1; // <- shared-out-of-bounds
    out[threadIdx.x] = tile[0];
}

/* Beyond the array the block has other shared memory: dynamic memory, and another array. */
__global__ void dynamicOverrun(const int *in, int *out) {
    __shared__ int tile[THREADS / 2];
    extern __shared__ int more[];
    more[threadIdx.x] = tile[threadIdx.x] = in[threadIdx.x]; // <- dynamic-overrun
    __syncthreads();
    out[threadIdx.x] = more[threadIdx.x] + tile[0];
}

__global__ void neighbourOverrun(const int *in, int *out) {
    __shared__ int first[THREADS], second[THREADS];
    first[threadIdx.x] = in[threadIdx.x];
    second[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int *p = first;
    for (int i = 0; i < 3; i++, p++) out[threadIdx.x] += p[threadIdx.x]; // <- neighbour-overrun
    out[threadIdx.x] += second[0];
}

__global__ void localOverrun(int *out, int n) {
    int v[16];
    for (int i = 0; i < 16; i++) v[i] = i * n;
    for (int i = 0; i < 16; i++) out[i] = v[(i * n) % 17]; // <- local-overrun
}

__global__ void misaligned(char *out) {
    *(int *)(out + 2) = 1; // <- misaligned
}

__global__ void nullPointer(int *out) {
    out[0] = 1; // <- null
}

__global__ void useAfterFree(int *out) {
    out[0] = 1; // <- use-after-free
}

/* ---- Right programs ---- */

/* The last block adds up all blocks' sums, as NVIDIA's threadFenceReduction does. */
__global__ void ticket(volatile int *sums, unsigned *taken, int *out) {
    __shared__ bool isLast;
    int warpSum = threadIdx.x;
    for (int offset = 16; offset > 0; offset /= 2)
        warpSum += __shfl_down_sync(0xffffffff, warpSum, offset);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = warpSum;
        __threadfence();
        isLast = atomicInc(taken, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (isLast && threadIdx.x < gridDim.x) atomicAdd(out, sums[threadIdx.x]);
}

/* A lock in global memory, taken by threads of one warp and of many blocks. */
__device__ int mutex, guarded;
__global__ void lock() {
    bool done = false;
    while (!done) {
        if (atomicCAS(&mutex, 0, 1) == 0) {
            __threadfence();
            guarded = guarded + 1;
            __threadfence();
            atomicExch(&mutex, 0);
            done = true;
        }
    }
}

/* Atomics that the Programming Guide makes of atomicCAS: they look at the old value first. */
__device__ void addWithCas(double *sum, double value) {
    unsigned long long *bits = (unsigned long long *)sum, old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
}
__global__ void compareAndSwap(double *sum) {
    __shared__ double blockSum;
    if (threadIdx.x == 0) blockSum = 0;
    __syncthreads();
    addWithCas(&blockSum, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) addWithCas(sum, blockSum);
}

/* A warp waits for a flag that another one sets. */
__global__ void flag(int *out) {
    __shared__ volatile int ready;
    __shared__ int value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = 7;
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x < 32) {
        while (!ready) {
        }
        __threadfence_block();
        out[threadIdx.x] = value;
    }
}

/* Sums of a warp with __syncwarp(); threads store bytes side by side; all store one value to one
 * place. */
__global__ void neighbours(int *out, unsigned char *bytes, bool *found) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (int stride = 16; stride > 0 && threadIdx.x < 32; stride /= 2) {
        int sum = tile[threadIdx.x] + tile[threadIdx.x + stride];
        __syncwarp();
        tile[threadIdx.x] = sum;
        __syncwarp();
    }
    __syncthreads();
    bytes[threadIdx.x] = threadIdx.x;
    *found = true;
    out[threadIdx.x] = tile[0];
}

/* A structure with padding, copied as a whole; half a warp at work; the last warp not full. */
struct Padded {
    char letter;
    double number;
};
__global__ void padding(Padded *to, const Padded *from) {
    Padded local[2];
    local[threadIdx.x & 1] = from[threadIdx.x];
    to[threadIdx.x] = local[threadIdx.x & 1];
    if (threadIdx.x % 32 < 16) to[threadIdx.x].number += __shfl_xor_sync(0xffff, threadIdx.x, 1);
    __syncthreads();
}

/* Structures with padding go through shared memory and local variables; bit-fields are set one by
 * one. */
struct Best {
    double value;
    int index;
};
struct __align__(16) Point {
    float x, y, z;
};
struct Fields {
    unsigned a : 3, b : 5, c : 11;
    bool odd : 1;
};
struct Bits {
    unsigned one : 1, two : 1;
};
__global__ void structures(const int *in, Best *best, Point *points, int *sums) {
    __shared__ Best candidate[THREADS];
    __shared__ Point corner[THREADS];
    Best mine;
    mine.value = in[threadIdx.x];
    mine.index = threadIdx.x;
    candidate[threadIdx.x] = mine;
    points[threadIdx.x].x = points[threadIdx.x].y = points[threadIdx.x].z = 1;
    corner[threadIdx.x] = points[threadIdx.x];
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (threadIdx.x < s && candidate[threadIdx.x + s].value > candidate[threadIdx.x].value)
            candidate[threadIdx.x] = candidate[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) *best = candidate[0];
    points[threadIdx.x] = corner[THREADS - 1 - threadIdx.x];
    Fields fields;
    fields.a = threadIdx.x, fields.b = 1, fields.c = 3 * threadIdx.x, fields.odd = threadIdx.x & 1;
    sums[threadIdx.x] = fields.a + fields.b + fields.c + fields.odd;
}

/* One of several bit-fields is set, in shared memory and in global memory. */
__global__ void oneField(Fields *all, int *out) {
    __shared__ Fields partly[THREADS];
    partly[threadIdx.x].c = threadIdx.x;
    all[threadIdx.x].b = threadIdx.x % 32;
    __syncthreads();
    out[threadIdx.x] = partly[THREADS - 1 - threadIdx.x].c;
    out[threadIdx.x] += all[THREADS - 1 - threadIdx.x].b;
    Bits *bits = (Bits *)(all + THREADS) + threadIdx.x;
    bits->two = threadIdx.x & 1;
    out[threadIdx.x] += bits->two;
}

/* Cooperative groups, where the toolkit is: their constructors set bit-fields. */
__global__ void groups(int *out) {
#ifdef HAS_GROUPS
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    auto tile = cooperative_groups::tiled_partition<16>(block);
    int sum = threadIdx.x;
    for (int offset = tile.size() / 2; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
    block.sync();
    out[threadIdx.x] = sum + tile.meta_group_rank();
    if (threadIdx.x % 3 == 0) out[threadIdx.x] += cooperative_groups::coalesced_threads().size();
#endif
}

/* All of dynamic shared memory, members of a structure, elements of rows that lie side by side, a
 * place before the pointer, and one of two arrays. */
__global__ void sharedArrays(int *out, int n) {
    __shared__ struct { int letters[3], numbers[THREADS]; } both;
    __shared__ int rows[2][THREADS], other[THREADS];
    extern __shared__ int dynamic[];
    int t = threadIdx.x, *end = rows[1] + THREADS, *one = n > t ? &rows[0][0] : other;
    for (int i = t; i < 3 * THREADS; i += THREADS) dynamic[i] = i;
    ((int *)&both)[t + 3] = t, rows[0][t] = rows[1][t] = other[t] = t;
    __syncthreads();
    out[t] = both.numbers[THREADS - 1 - t] + dynamic[3 * THREADS - 1 - t] + end[-1 - t] +
             rows[0][t + THREADS] + one[t];
}

/* Lanes that exit early are not missed, nor those that come from elsewhere. */
__global__ void warpMeets(int *out, int n) {
    if (threadIdx.x >= n) return;
    out[threadIdx.x] = threadIdx.x;
    __syncwarp();
    int other = out[n - 1 - threadIdx.x];
    if (threadIdx.x < 5) {
        __syncwarp();
        out[threadIdx.x] = other;
    } else {
        __syncwarp();
        out[threadIdx.x] = other + 1;
    }
}

/* Memory of the device's heap. */
__global__ void take(int **all) {
    all[threadIdx.x] = (int *)malloc(10 * sizeof(int));
    *all[threadIdx.x] = 1;
}
__global__ void giveBack(int **all) {
    free(all[threadIdx.x]);
}

/* A variable that is set where it is used, and a vector with a part that nobody needs. */
__global__ void setInTime(const int *in, int4 *out, int n) {
    int value;
    int4 three;
    for (int i = 0; i < n; i++) value = i == 0 ? in[0] : value + in[i];
    three.x = n > 0 ? value : 0, three.y = three.z = 1;
    out[threadIdx.x] = three;
}

/* A value that was loaded early, and is not used. */
__global__ void unused(const int *in, int *out, int n) {
    int value = in[threadIdx.x] + 1;
    out[threadIdx.x] = threadIdx.x < n ? value : 0;
}

/* The sum of part of a warp: the last lanes take values from lanes that do not take part, and these
 * do not reach lane 0. */
__global__ void partOfWarp(int *out) {
    int sum = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 16);
    if (threadIdx.x < 16)
        for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_down_sync(mask, sum, offset);
    if (threadIdx.x == 0) *out = sum;
}

/* As Thrust's set operations: a merge compares the key beyond the last one, and uses none of it. */
namespace cub {
__global__ void beyond(int *out, int n) {
    __shared__ int keys[THREADS];
    if (threadIdx.x < n) keys[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int at = threadIdx.x, sum = 0;
    for (int i = 0; i < 3; i++) {
        if (at < n - 1) sum += keys[at % THREADS];
        if (keys[at % THREADS] <= keys[(at + 1) % THREADS]) at++;
    }
    out[threadIdx.x] = sum;
}
} // namespace cub

/* ---- Running one ---- */

/* n numbers on the device, no two alike: threads that all store the value already there do not
 * race. */
static int *array(int n) {
    int *host = new int[n], *p;
    for (int i = 0; i < n; i++) host[i] = i + 1;
    cudaMalloc(&p, n * sizeof(int));
    cudaMemcpy(p, host, n * sizeof(int), cudaMemcpyHostToDevice);
    delete[] host;
    return p;
}

static int *cleared(int n) {
    int *p = array(n);
    cudaMemset(p, 0, n * sizeof(int));
    return p;
}

static int *uninitialised(int n) {
    int *p;
    cudaMalloc(&p, n * sizeof(int));
    return p;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    int *a = array(16 * THREADS), *b = cleared(THREADS), *fresh = uninitialised(THREADS),
        *odd = array(1);
    int *points = uninitialised(4 * THREADS), *half = uninitialised(THREADS);
    cudaMemset(half, 0, THREADS / 2 * sizeof *half);
    auto is = [&](const char *wanted) { return !strcmp(name, wanted); };
    if (is("shared-race")) sharedRace<<<3, THREADS>>>(a);
    if (is("shared-loop-race")) sharedLoopRace<<<1, THREADS>>>(a);
    if (is("shared-write-race")) sharedWriteRace<<<1, 2>>>(a);
    if (is("rounds-race")) roundsRace<<<1, 4 * THREADS>>>(a);
    if (is("neighbours-race")) neighboursRace<<<1, THREADS>>>(a);
    if (is("shared-warp-race")) sharedWarpRace<<<1, 32>>>(a);
    if (is("called-race")) calledRace<<<1, 32>>>(a);
    if (is("volatile-warp-race")) volatileWarpRace<<<1, 64>>>(a);
    if (is("global-race")) globalRace<<<1, THREADS>>>(a);
    if (is("block-race")) blockRace<<<2, THREADS>>>(a);
    if (is("atomic-race")) atomicRace<<<1, THREADS>>>(a);
    if (is("max-race")) maxRace<<<1, THREADS>>>(a, a + THREADS);
    if (is("min-race")) minRace<<<1, THREADS>>>(a, a + THREADS);
    if (is("cas-race")) casRace<<<1, THREADS>>>(a, a + THREADS);
    if (is("constant-race"))
        cudaMemset(a, 1, 2 * THREADS * sizeof *a), constantRace<<<1, THREADS>>>(a, b);
    if (is("ticket-race")) ticketRace<<<4, 32>>>(a, b, b + 1);
    bool right = is("right");
    int word, words[THREADS];
    if (right || is("halves")) halves<<<1, 32>>>(b, !right);
    if (right) cub::beyond<<<1, THREADS>>>(b, 32);
    if (right || is("readers")) readers<<<1, 32>>>(b, !right);
    if (right || is("flags")) cudaMemset(b, 0, 8), flags<<<3, 1>>>(b, a, a + 2, !right);
    if (right || is("locks")) cudaMemset(b, 0, 8), locks<<<4, 1>>>(b, a, !right);
    if (right || is("counts")) cudaMemset(b, 0, 8), counts<<<2, 1>>>(b, a, a + 1, !right);
    if (is("global-uninitialised")) globalUninitialised<<<1, 1>>>(fresh, a);
    if (is("shared-uninitialised")) sharedUninitialised<<<1, THREADS>>>(a);
    if (is("branch-uninitialised")) branchUninitialised<<<1, 1>>>(fresh, a);
    if (is("sum-uninitialised"))
        cudaMemset(fresh, 1, 12), sumUninitialised<<<1, 1>>>((int4 *)fresh, a);
    if (is("index-uninitialised")) indexUninitialised<<<1, 1>>>(fresh, a);
    if (is("member-uninitialised")) memberUninitialised<<<1, 1>>>((int4 *)fresh, a);
    if (is("flags-uninitialised")) flagsUninitialised<<<1, 1>>>(fresh);
    if (is("local-uninitialised")) localUninitialised<<<1, 1>>>(a, 3);
    if (is("unset-variable")) unsetVariable<<<1, 1>>>(a, b, 3);
    if (is("warp-branch")) warpBranch<<<1, 32>>>(a);
    if (is("endless-barrier")) endlessBarrier<<<1, THREADS>>>(a);
    if (is("dynamic-overrun")) dynamicOverrun<<<1, THREADS, THREADS * sizeof *a>>>(a, b);
    if (is("neighbour-overrun")) neighbourOverrun<<<1, THREADS>>>(a, b);
    if (is("divergent-barrier")) divergentBarrier<<<1, THREADS>>>(a);
    if (is("early-return")) earlyReturn<<<1, THREADS>>>(a, 50);
    if (is("shuffle-exited")) shuffleExited<<<1, 32>>>(a);
    if (is("vote-unnamed")) voteUnnamed<<<1, 32>>>(a);
    if (is("shuffle-gone")) shuffleGone<<<1, 32>>>(a, 0xf);
    if (is("shuffle-elsewhere")) shuffleElsewhere<<<1, 32>>>(a, 0xf);
    if (is("shuffle-nobody")) shuffleNobody<<<1, 20>>>(a);
    if (is("out-of-bounds")) outOfBounds<<<1, 1>>>(odd);
    if (is("shared-out-of-bounds")) sharedOutOfBounds<<<1, 1>>>(a, THREADS);
    if (is("misaligned")) misaligned<<<1, 1>>>((char *)a);
    if (is("null")) nullPointer<<<1, 1>>>(nullptr);
    if (is("use-after-free")) cudaFree(fresh), useAfterFree<<<1, 1>>>(fresh), fresh = nullptr;
    if (is("right") || is("ticket")) ticket<<<8, 32>>>(a, (unsigned *)b, b + 1);
    if (is("right") || is("lock")) lock<<<4, THREADS>>>();
    if (is("right") || is("compare-and-swap")) compareAndSwap<<<4, THREADS>>>((double *)(b + 2));
    if (is("right") || is("flag")) flag<<<2, THREADS>>>(a);
    if (is("right") || is("neighbours"))
        neighbours<<<1, THREADS>>>(a, (unsigned char *)fresh, (bool *)b);
    if (is("right") || is("padding")) padding<<<1, 48>>>((Padded *)a, (Padded *)(a + 8 * THREADS));
    if (is("right") || is("structures"))
        structures<<<1, THREADS>>>(a, (Best *)(a + 8 * THREADS), (Point *)points, b);
    if (is("right") || is("one-field")) {
        Fields *fields;
        cudaMalloc(&fields, 2 * THREADS * sizeof *fields);
        oneField<<<1, THREADS>>>(fields, b);
        cudaFree(fields);
    }
    if (is("right") || is("groups")) groups<<<1, THREADS>>>(a);
    if (is("right") || is("shared-arrays"))
        sharedArrays<<<1, THREADS, 3 * THREADS * sizeof *a>>>(a, 32);
    if (is("right") || is("warp-meets")) warpMeets<<<1, 32>>>(a, 20);
    if (is("right") || is("set-in-time")) setInTime<<<1, 32>>>(half, (int4 *)a, 5);
    if (is("right") || is("unused")) unused<<<1, THREADS>>>(half, a, 32);
    if (is("right") || is("part-of-warp")) partOfWarp<<<1, 32>>>(a);
    if (is("leak")) uninitialised(250);
    if (is("local-overrun")) localOverrun<<<1, 1>>>(a, 16);
    if (right) localOverrun<<<1, 1>>>(a, 17);
    if (right || is("leak-heap")) take<<<1, 4>>>((int **)a);
    if (right) giveBack<<<1, 4>>>((int **)a);
    for (int i = 0; is("copy-unwritten") && i < 2; i++)
        cudaMemcpy(&word, fresh, sizeof word, cudaMemcpyDeviceToHost);
    if (right) cudaMemcpy(words, half, sizeof words, cudaMemcpyDeviceToHost);
    if (is("much-memory")) {
        int *much;
        cudaMalloc(&much, (size_t)sysconf(_SC_PHYS_PAGES) / 4 * (size_t)sysconf(_SC_PAGESIZE));
        cudaMemset(much, 0, 4);
        cudaFree(much);
    }
    if (is("leak-array")) {
        cudaArray_t texels;
        cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
        cudaMallocArray(&texels, &channels, 64, 4);
    }
    for (int i = 0; is("copy-overlap") && i < 2; i++)
        cudaMemcpy(a + 2, a, 10 * sizeof *a, cudaMemcpyDeviceToDevice);
    if (is("copy-kind"))
        for (int i = 0; i < 2; i++) cudaMemcpy(a, b, sizeof *a, cudaMemcpyHostToHost);
    if (is("copy-kind")) cudaMemcpy(&word, a, sizeof word, cudaMemcpyDefault);
    if (is("copy-kind")) cudaMemcpy(&word, a, sizeof word, cudaMemcpyDeviceToDevice);
    cudaError_t error = cudaDeviceSynchronize();
    for (int *p : {a, b, fresh, odd, points, half}) cudaFree(p);
    printf("%s: %s\n", name, cudaGetErrorString(error));
    return 0;
}
