/*
 * latency.cu: how many clock cycles pass from an instruction to the next that needs its result. One
 * thread, or one warp, does nothing else.
 */
#include "calibrate.h"

/* ---- Loads: each gives the address of the next ---- */

enum Level { FROM_L1, FROM_L2 };

template <Level level> __device__ void **follow(void **at) {
    void **next;
    if (level == FROM_L1) {
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    } else {
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    }
    return next;
}

/* Follows the chain from where *end says for that many rounds, and says where it came to. */
template <Level level> __global__ void chase(void ***end, int rounds) {
    void **at = *end;
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL_COUNT; i++) at = follow<level>(at);
    }
    *end = at;
}

/* Lays a chain through count nodes, a power of two, that are stride pointers apart: node i is
 * followed by 5 i + 3, a generator of full period (Hull and Dobell 1962), so every node comes once
 * before any comes again, in no order that a prefetcher would guess. */
__global__ void layChain(void **nodes, unsigned int count, unsigned int stride) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) nodes[(size_t)i * stride] = &nodes[(size_t)((5 * i + 3) % count) * stride];
}

/* More loads than the chains in the caches have nodes: after one pass all of them are there. */
enum { POINTERS_A_LINE = 16, CHASE_ROUNDS = 6 };

/* Cycles of a load from a chain of that many bytes. flush: from memory each time, so that the chain
 * must be longer than all the rounds, and nothing of it in the cache. */
template <Level level>
static Figure loadCycles(const Bench &bench, size_t bytes, unsigned int stride, bool flush) {
    unsigned int count = (unsigned int)(bytes / (stride * sizeof(void *)));
    void **nodes = deviceArray<void *>(bytes / sizeof(void *));
    void ***end = deviceArray<void **>(1);
    layChain<<<(count + 255) / 256, 256>>>(nodes, count, stride);
    CHECK(cudaMemcpy(end, &nodes, sizeof nodes, cudaMemcpyHostToDevice));
    if (flush) CHECK(cudaFree(deviceArray<char>(4 * bench.device.cacheBytes)));
    Figure cycles = unitCycles(bench, CHASE_ROUNDS, [&](int n) { chase<level><<<1, 1>>>(end, n); });
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(end));
    return times(cycles, 1.0 / UNROLL_COUNT);
}

static void printLoads(const Bench &bench) {
    const size_t KiB = 1024, MiB = 1024 * KiB;
    print("l1_latency_cycles", loadCycles<FROM_L1>(bench, 8 * KiB, POINTERS_A_LINE, false),
          "cycles", "pointer chase through 8 KiB, one thread");
    print("l2_latency_cycles", loadCycles<FROM_L2>(bench, 256 * KiB, 4 * POINTERS_A_LINE, false),
          "cycles", "pointer chase through 256 KiB, past the L1");
    print("dram_chase_cycles", loadCycles<FROM_L2>(bench, 256 * MiB, 8 * POINTERS_A_LINE, true),
          "cycles", "pointer chase through 256 MiB, each line once, none cached");
}

/* ---- Shared memory ---- */

enum { SHARED_WORDS = 1024 };

/* All lanes of the warp follow the same chain. */
__global__ void chaseShared(unsigned int *end, int rounds) {
    __shared__ unsigned int next[SHARED_WORDS];
    unsigned int base = (unsigned int)__cvta_generic_to_shared(next), at = base;
    for (unsigned int i = threadIdx.x; i < SHARED_WORDS; i += WARP)
        next[i] = base + 4 * ((5 * i + 3) % SHARED_WORDS);
    __syncwarp();
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL_COUNT; i++)
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at) : "memory");
    }
    *end = at;
}

/* ---- Arithmetic: x = x op a, over and over ---- */

struct Fma {
    typedef float Type;
    static __device__ float step(float x, float a) { return fmaf(x, a, a); }
};
struct Double {
    typedef double Type;
    static __device__ double step(double x, double a) { return fma(x, a, a); }
};
struct Multiply {
    typedef unsigned int Type;
    static __device__ unsigned int step(unsigned int x, unsigned int a) {
        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(a));
        return x;
    }
};
struct Special {
    typedef float Type;
    static __device__ float step(float x, float) {
        asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
        return x;
    }
};
struct Select {
    typedef unsigned int Type;
    static __device__ unsigned int step(unsigned int x, unsigned int a) {
        asm volatile("{\n.reg .pred p;\nsetp.lt.u32 p, %0, %1;\nselp.b32 %0, %1, 7, p;\n}"
                     : "+r"(x)
                     : "r"(a));
        return x;
    }
};
struct Shuffle {
    typedef int Type;
    static __device__ int step(int x, int) { return __shfl_xor_sync(0xffffffffu, x, 1); }
};

template <class Op> __global__ void chain(typename Op::Type *data, int rounds) {
    typename Op::Type x = data[threadIdx.x], a = data[WARP];
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL_COUNT; i++) x = Op::step(x, a);
    }
    data[threadIdx.x] = x;
}

enum { CHAIN_ROUNDS = 512 };

template <class Op> static Figure chainCycles(const Bench &bench) {
    typename Op::Type *data = deviceArray<typename Op::Type>(WARP + 1);
    Figure cycles = unitCycles(bench, roundsFor(bench, CHAIN_ROUNDS),
                               [&](int n) { chain<Op><<<1, WARP>>>(data, n); });
    CHECK(cudaFree(data));
    return times(cycles, 1.0 / UNROLL_COUNT);
}

static Figure sharedCycles(const Bench &bench) {
    unsigned int *end = deviceArray<unsigned int>(1);
    Figure cycles = unitCycles(bench, roundsFor(bench, CHAIN_ROUNDS),
                               [&](int n) { chaseShared<<<1, WARP>>>(end, n); });
    CHECK(cudaFree(end));
    return times(cycles, 1.0 / UNROLL_COUNT);
}

static void printArithmetic(const Bench &bench) {
    print("alu_latency_cycles", chainCycles<Fma>(bench), "cycles", "dependent fma, one warp");
    print("int_latency_cycles", chainCycles<Multiply>(bench), "cycles",
          "dependent mad.lo.u32, one warp");
    print("fp64_latency_cycles", chainCycles<Double>(bench), "cycles",
          "dependent fma in double precision, one warp");
    print("sfu_latency_cycles", chainCycles<Special>(bench), "cycles",
          "dependent rsqrt.approx, one warp");
    print("select_latency_cycles", chainCycles<Select>(bench), "cycles",
          "dependent setp and selp, one warp");
    print("shuffle_latency_cycles", chainCycles<Shuffle>(bench), "cycles",
          "dependent shfl.sync, one warp");
}

/* ---- Atomics on one address ---- */

/* What is added, 0, is the last result. */
__global__ void chainAtomics(unsigned int *counter, int rounds) {
    unsigned int got = 0;
    for (int round = 0; round < rounds; round++)
        asm volatile("atom.global.add.u32 %0, [%1], %2;"
                     : "=r"(got)
                     : "l"(counter), "r"(got)
                     : "memory");
    counter[1] = got;
}

static void printAtomics(const Bench &bench) {
    unsigned int *counter = deviceArray<unsigned int>(2);
    print("atomic_latency_cycles",
          unitCycles(bench, roundsFor(bench, CHAIN_ROUNDS),
                     [&](int n) { chainAtomics<<<1, 1>>>(counter, n); }),
          "cycles", "dependent atomicAdd, one thread");
    CHECK(cudaFree(counter));
}

/* ---- Barriers ---- */

/* Every thread of the block comes to each barrier. */
__global__ void barriers(int rounds) {
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL_COUNT; i++) __syncthreads();
    }
}

static Figure barrierCycles(const Bench &bench, int warps) {
    Figure cycles = unitCycles(bench, roundsFor(bench, CHAIN_ROUNDS),
                               [&](int n) { barriers<<<1, warps * WARP>>>(n); });
    return times(cycles, 1.0 / UNROLL_COUNT);
}

static void printBarriers(const Bench &bench) {
    const int few = 4, many = MOST_THREADS / WARP;
    Figure least = barrierCycles(bench, few), most = barrierCycles(bench, many);
    Figure more = {most.value - least.value, most.spread + least.spread};
    print("barrier_latency_cycles", least, "cycles", "__syncthreads of 4 warps, one a scheduler");
    print("barrier_warp_cycles", times(more, 1.0 / (many - few)), "cycles",
          "the same with 32 warps, for each warp more");
    for (int warps = 1; warps <= many; warps *= 2) {
        char name[32];
        snprintf(name, sizeof name, "barrier_%d_warps_cycles", warps);
        print(name, barrierCycles(bench, warps), "cycles", "__syncthreads, nothing between");
    }
}

int main() {
    Bench bench = openBench("latency");
    Figure clock = {bench.ghz * 1000, 0};
    print("clock_mhz", clock, "MHz", "cycles of clock64() over the time of events");
    printLoads(bench);
    print("shared_latency_cycles", sharedCycles(bench), "cycles",
          "chain of addresses in shared memory, one warp");
    printArithmetic(bench);
    printAtomics(bench);
    printBarriers(bench);
    return EXIT_OK;
}
