/*
 * access.cu: for how many clock cycles a warp's access keeps the load/store unit of its
 * multiprocessor: by the width of the access, and by where its threads' addresses lie. All data are
 * in the L1 or in shared memory.
 */
#include "calibrate.h"

enum {
    ACCESSES = 8,
    LINE = 128,
    ROUNDS = 128
}; /* accesses of a round go to lines one after another */

/* What keeps loaded words alive: an access that nobody needs would be left out. */
static __device__ unsigned int fold(unsigned int sum, uint1 words) {
    return sum ^ words.x;
}
static __device__ unsigned int fold(unsigned int sum, uint2 words) {
    return sum ^ words.x ^ words.y;
}
static __device__ unsigned int fold(unsigned int sum, uint4 words) {
    return sum ^ words.x ^ words.y ^ words.z ^ words.w;
}

/* ---- Loads of global memory, from the L1 ---- */

static __device__ void load(const char *at, uint1 &v) {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v.x) : "l"(at) : "memory");
}
static __device__ void load(const char *at, uint2 &v) {
    asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(at) : "memory");
}
static __device__ void load(const char *at, uint4 &v) {
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(at)
                 : "memory");
}

/* Where the threads of a warp access: the first `group` of them at byte 0, the next at byte
 * `apart`, and so on. */
struct Pattern {
    unsigned int group, apart;
};

static __device__ unsigned int offsetOf(Pattern pattern) {
    return threadIdx.x % WARP / pattern.group * pattern.apart;
}

/* onward is 0, which the compiler does not know: it must load again in each round. */
template <class Word>
__global__ void loadGlobal(const char *data, Pattern pattern, int onward, int rounds) {
    const char *at = data + offsetOf(pattern);
    unsigned int sum = 0;
    for (int round = 0; round < rounds; round++, at += onward) {
        Word words[ACCESSES];
#pragma unroll
        for (int i = 0; i < ACCESSES; i++) load(at + i * LINE, words[i]);
#pragma unroll
        for (int i = 0; i < ACCESSES; i++) sum = fold(sum, words[i]);
    }
    if (sum == 12345) *(unsigned int *)data = sum;
}

/* ---- Shared memory: volatile, so that each access is done ---- */

static __device__ void loadShared(unsigned int at, uint1 &v) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v.x) : "r"(at) : "memory");
}
static __device__ void loadShared(unsigned int at, uint2 &v) {
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(v.x), "=r"(v.y)
                 : "r"(at)
                 : "memory");
}
static __device__ void loadShared(unsigned int at, uint4 &v) {
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(at)
                 : "memory");
}

static __device__ void storeShared(unsigned int at, uint1 v) {
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(v.x) : "memory");
}
static __device__ void storeShared(unsigned int at, uint2 v) {
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(v.x), "r"(v.y)
                 : "memory");
}
static __device__ void storeShared(unsigned int at, uint4 v) {
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
}

enum { SHARED_BYTES = (ACCESSES + WARP) * LINE };

template <class Word> __global__ void loadsShared(unsigned int *out, Pattern pattern, int rounds) {
    __shared__ uint4 words[SHARED_BYTES / sizeof(uint4)];
    for (unsigned int i = threadIdx.x; i < SHARED_BYTES / sizeof(uint4); i += blockDim.x)
        words[i] = make_uint4(i, i, i, i);
    __syncthreads();
    unsigned int at = (unsigned int)__cvta_generic_to_shared(words) + offsetOf(pattern), sum = 0;
    for (int round = 0; round < rounds; round++) {
        Word loaded[ACCESSES];
#pragma unroll
        for (int i = 0; i < ACCESSES; i++) loadShared(at + i * LINE, loaded[i]);
#pragma unroll
        for (int i = 0; i < ACCESSES; i++) sum = fold(sum, loaded[i]);
    }
    if (sum == 12345) *out = sum;
}

template <class Word> __global__ void storesShared(unsigned int *out, Pattern pattern, int rounds) {
    __shared__ uint4 words[SHARED_BYTES / sizeof(uint4)];
    unsigned int at = (unsigned int)__cvta_generic_to_shared(words) + offsetOf(pattern);
    Word word = Word();
    for (int round = 0; round < rounds; round++) {
        word.x = (unsigned int)round;
#pragma unroll
        for (int i = 0; i < ACCESSES; i++) storeShared(at + i * LINE, word);
    }
    if (rounds < 0) *out = words[threadIdx.x].x;
}

/* ---- Constant memory ---- */

__constant__ unsigned int constants[WARP * ACCESSES];

/* Each thread of a warp loads another word. */
__global__ void loadConstants(unsigned int *out, int onward, int rounds) {
    const unsigned int *at = constants + threadIdx.x % WARP;
    unsigned int sum = 0;
    for (int round = 0; round < rounds; round++, at += onward) {
        unsigned int words[ACCESSES];
#pragma unroll
        for (int i = 0; i < ACCESSES; i++)
            asm volatile("{\n.reg .u64 p;\ncvta.to.const.u64 p, %1;\nld.const.u32 %0, [p];\n}"
                         : "=r"(words[i])
                         : "l"(at + i * WARP)
                         : "memory");
#pragma unroll
        for (int i = 0; i < ACCESSES; i++) sum ^= words[i];
    }
    if (sum == 12345) *out = sum;
}

/* ---- Their figures ---- */

/* Cycles of one access of a warp, where launch(n) does n rounds with full blocks. */
template <class Launch> static Figure accessCycles(const Bench &bench, Launch launch) {
    Figure round = unitCycles(bench, roundsFor(bench, ROUNDS), launch);
    return times(round, 1.0 / (ACCESSES * (MOST_THREADS / WARP)));
}

template <class Word> static Figure globalCycles(const Bench &bench, Pattern pattern) {
    char *data = deviceArray<char>(SHARED_BYTES);
    Figure cycles = accessCycles(bench, [&](int n) {
        loadGlobal<Word><<<oneEach(bench), MOST_THREADS>>>(data, pattern, 0, n);
    });
    CHECK(cudaFree(data));
    return cycles;
}

template <class Word> static Figure sharedCycles(const Bench &bench, Pattern pattern, bool stores) {
    unsigned int *out = deviceArray<unsigned int>(MOST_THREADS);
    void (*kernel)(unsigned int *, Pattern, int) = stores ? storesShared<Word> : loadsShared<Word>;
    Figure cycles = accessCycles(
        bench, [&](int n) { kernel<<<oneEach(bench), MOST_THREADS>>>(out, pattern, n); });
    CHECK(cudaFree(out));
    return cycles;
}

static Figure constantCycles(const Bench &bench) {
    unsigned int *out = deviceArray<unsigned int>(1);
    Figure cycles = accessCycles(
        bench, [&](int n) { loadConstants<<<oneEach(bench), MOST_THREADS>>>(out, 0, n); });
    CHECK(cudaFree(out));
    return cycles;
}

/* ---- How many accesses wait in the unit's queue, by the clock of the multiprocessor ---- */

enum { LOGGED = 32, PASSES = 2 /* the first fetches the instructions */ };

static __device__ unsigned int clockNow() {
    unsigned int now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
    return now;
}

/* Each warp notes when it had issued each of its loads. */
__global__ void logIssues(unsigned int *cycles, Pattern pattern) {
    __shared__ uint4 words[SHARED_BYTES / sizeof(uint4)];
    unsigned int at = (unsigned int)__cvta_generic_to_shared(words) + offsetOf(pattern), sum = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        uint1 loaded[LOGGED];
        unsigned int issued[LOGGED];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < LOGGED; i++) {
            loadShared(at, loaded[i]);
            issued[i] = clockNow();
        }
#pragma unroll
        for (int i = 0; i < LOGGED; i++) sum = fold(sum, loaded[i]);
        for (int i = 0; i < LOGGED && threadIdx.x % WARP == 0; i++)
            cycles[threadIdx.x / WARP * LOGGED + i] = issued[i];
    }
    if (sum == 12345) *cycles = sum;
}

/* Loads that the warps of a block issue before each waits for the first time: as long as half a
 * load takes. */
static Figure queuedLoads(int warps, Pattern pattern, unsigned int loadTakes) {
    unsigned int *device = deviceArray<unsigned int>(warps * LOGGED);
    std::vector<unsigned int> issued(warps * LOGGED);
    std::vector<double> samples;
    for (int pair = 0; pair < PAIRS; pair++) {
        int queued = 0;
        logIssues<<<1, warps * WARP>>>(device, pattern);
        CHECK(cudaMemcpy(issued.data(), device, issued.size() * sizeof(unsigned int),
                         cudaMemcpyDeviceToHost));
        for (int warp = 0; warp < warps; warp++) {
            const unsigned int *mine = &issued[warp * LOGGED];
            int i = 1;
            while (i < LOGGED && mine[i] - mine[i - 1] < loadTakes / 2) i++;
            queued += i;
        }
        samples.push_back(queued);
    }
    CHECK(cudaFree(device));
    return figureOf(samples);
}

/* The threads' addresses. */
static const Pattern NEIGHBOURS = {1, 4}, ONE = {WARP, 0}, LINES = {1, LINE},
                     SAME_PLACE = {WARP / 2, LINE}, APART = {WARP / 2, LINE + 32};

static void printGlobal(const Bench &bench) {
    Figure two = globalCycles<uint2>(bench, ONE), four = globalCycles<uint4>(bench, ONE);
    print("l1_bytes_per_cycle", rateOf(globalCycles<uint1>(bench, NEIGHBOURS), LINE), "bytes/cycle",
          "neighbouring words from the L1");
    print("l1_apart_cycles", globalCycles<uint1>(bench, APART), "cycles",
          "two sectors of two lines from the L1, at different places of 128 bytes");
    print("l1_same_place_cycles", globalCycles<uint1>(bench, SAME_PLACE), "cycles",
          "the same at one place");
    print("l1_lines_cycles", globalCycles<uint1>(bench, LINES), "cycles",
          "the same, each thread from its line");
    print("load_8_cycles", two, "cycles", "all threads load the same 8 bytes from the L1");
    print("load_16_cycles", four, "cycles", "all threads load the same 16 bytes from the L1");
    print("load_bytes_per_cycle", rateOf(four, WARP * sizeof(uint4)), "bytes/cycle",
          "what that brings to all threads");
}

static void printShared(const Bench &bench) {
    Figure loaded = sharedCycles<uint4>(bench, ONE, false),
           stored = sharedCycles<uint4>(bench, ONE, true);
    print("shared_load_4_cycles", sharedCycles<uint1>(bench, NEIGHBOURS, false), "cycles",
          "neighbouring words from shared memory");
    print("shared_load_8_cycles", sharedCycles<uint2>(bench, ONE, false), "cycles",
          "all threads load the same 8 bytes from shared memory");
    print("shared_load_16_cycles", loaded, "cycles", "the same with 16 bytes");
    print("shared_load_bytes_per_cycle", rateOf(loaded, WARP * sizeof(uint4)), "bytes/cycle",
          "what that brings to all threads");
    print("shared_store_4_cycles", sharedCycles<uint1>(bench, NEIGHBOURS, true), "cycles",
          "neighbouring words to shared memory");
    print("shared_store_8_cycles", sharedCycles<uint2>(bench, ONE, true), "cycles",
          "all threads store to the same 8 bytes of shared memory");
    print("shared_store_16_cycles", stored, "cycles", "the same with 16 bytes");
    print("shared_store_bytes_per_cycle", rateOf(stored, WARP * sizeof(uint4)), "bytes/cycle",
          "what all threads store in that");
}

static void printConstants(const Bench &bench) {
    print("const_pass_cycles", times(constantCycles(bench), 1.0 / WARP), "cycles",
          "a word's part of a load of 32 words of constant memory");
}

static void printQueue() {
    for (int warps = 1; warps <= 8; warps *= 2) {
        char name[32];
        snprintf(name, sizeof name, "queued_loads_%d_warps", warps);
        print(name, queuedLoads(warps, LINES, WARP), "loads",
              "of 32 cycles each, before the warps wait, by clock()");
    }
}

int main() {
    Bench bench = openBench("access");
    printGlobal(bench);
    printShared(bench);
    printConstants(bench);
    if (!bench.device.modelled) printQueue(); /* simt's clock() counts instructions */
    return EXIT_OK;
}
