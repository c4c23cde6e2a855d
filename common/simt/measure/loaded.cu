/*
 * loaded.cu: how long a load from DRAM takes, and how much longer when the DRAM has other work as
 * well. Every warp loads line after line, each when the one before has come: so the more warps
 * there are, the more lines are under way at all times, and from the time of a round follows both
 * what each of them waited and how many bytes came in that time.
 */
#include "calibrate.h"

enum { LINE_BYTES = 128, LINE_WORDS = LINE_BYTES / 4 };

/* Where a launch works: a round of all warps takes `lines` lines, and each launch goes on where the
 * last one ended. */
struct Field {
    unsigned int *words, *to; /* what is loaded, and where it is stored */
    size_t lines, of;         /* a round's, and how many there are */
    size_t first;             /* line of the next launch */
};

/* The word of this thread in the first line that its warp takes. */
static __device__ size_t firstWord(const Field &field) {
    size_t warp = (size_t)blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP;
    return (field.first + warp) * LINE_WORDS + threadIdx.x % WARP;
}

static __device__ unsigned int loadPastL1(const unsigned int *at) {
    unsigned int v;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    return v;
}

enum Work { LOAD, COPY, STORE };

/* AT_ONCE lines a round. The words are all 0, but the place of the next one depends on them. */
template <int AT_ONCE, Work work> __global__ void rounds(Field field, int count) {
    const size_t apart = (size_t)gridDim.x * (blockDim.x / WARP) * LINE_WORDS;
    const unsigned int *from = field.words + firstWord(field);
    unsigned int *to = field.to + (work == LOAD ? 0 : firstWord(field)), last = 0;
#pragma unroll 8
    for (int round = 0; round < count; round++) {
        unsigned int v[AT_ONCE] = {0};
#pragma unroll
        for (int k = 0; k < AT_ONCE && work != STORE; k++)
            v[k] = loadPastL1(from + k * apart + last);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) last |= v[k];
#pragma unroll
        for (int k = 0; k < AT_ONCE && work != LOAD; k++) to[k * apart + last] = 1;
        from += AT_ONCE * apart;
        if (work != LOAD) to += AT_ONCE * apart;
    }
    if (last) *field.words = last;
}

enum { ROUNDS = 48, CACHES = 8, MOST_WARPS = 64, FULL_LINES = 8, FLUSH_CACHES = 4 };

/* Leaves nothing in the L2 that has to be written yet. */
static void flushStores(const Bench &bench, Field field) {
    if (bench.device.modelled) return;
    field.lines = (size_t)bench.sms * MOST_WARPS * FULL_LINES;
    size_t count = FLUSH_CACHES * bench.device.cacheBytes / (field.lines * LINE_BYTES);
    field.first = field.of - count * field.lines;
    rounds<FULL_LINES, LOAD><<<2 * bench.sms, MOST_THREADS>>>(field, (int)count);
}

static Field openField(const Bench &bench, int lines, int count, bool stores) {
    Field field = {NULL, NULL, (size_t)bench.sms * lines, 0, 0};
    size_t beyondCache = bench.device.modelled ? 0 : CACHES * bench.device.cacheBytes / LINE_BYTES;
    field.of = std::max(beyondCache, 5 * count * field.lines);
    field.words = deviceArray<unsigned int>(field.of * LINE_WORDS);
    field.to = deviceArray<unsigned int>(stores ? field.of * LINE_WORDS : 1);
    flushStores(bench, field);
    return field;
}

static void closeField(const Field &field) {
    CHECK(cudaFree(field.words));
    CHECK(cudaFree(field.to));
}

template <int AT_ONCE, Work work> static Figure roundOnce(const Bench &bench, int warps) {
    int blocks = warps * WARP > MOST_THREADS ? 2 : 1,
        count = AT_ONCE > 1 ? roundsFor(bench, ROUNDS) : ROUNDS;
    Field field = openField(bench, warps * AT_ONCE, count, work != LOAD);
    Figure cycles = unitCycles(bench, count, [&](int n) {
        if (field.first + n * field.lines > field.of) field.first = 0;
        rounds<AT_ONCE, work><<<blocks * bench.sms, warps / blocks * WARP>>>(field, n);
        field.first += n * field.lines;
    });
    closeField(field);
    return cycles;
}

enum { TRIES = 3 };

/* Cycles of a round in which so many warps on each multiprocessor take AT_ONCE lines each. Now and
 * then all rounds in some memory take a tenth more; so it is tried in several, and the fastest
 * counts. */
template <int AT_ONCE, Work work> static Figure roundCycles(const Bench &bench, int warps) {
    Figure best = roundOnce<AT_ONCE, work>(bench, warps);
    for (int i = 1; i < TRIES && !bench.device.modelled; i++) {
        Figure other = roundOnce<AT_ONCE, work>(bench, warps);
        if (other.value < best.value) best = other;
    }
    return best;
}

/* ---- Each load's own time, by the clock of the multiprocessor ---- */

/* One thread in 32 notes what its load took. The branch, which nothing takes, waits for what was
 * loaded. */
__global__ void logLoads(Field field, int count, int *cycles) {
    int *mine = cycles + (blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP) * count;
    const unsigned int *from = field.words + firstWord(field);
    unsigned int last = 0;
    for (int round = 0; round < count; round++, from += field.lines * LINE_WORDS) {
        long long begin = clock64(), end;
        last = loadPastL1(from + last);
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\n@p trap;\nmov.u64 %0, %%clock64;\n}"
                     : "=l"(end)
                     : "r"(last)
                     : "memory");
        if (threadIdx.x % WARP == 0) mine[round] = (int)(end - begin);
    }
}

/* How far the mean lies above the fastest hundredth. Each multiprocessor has one load under way. */
static Figure spreadCycles(const Bench &bench) {
    Field field = openField(bench, 1, ROUNDS, false);
    int *device = deviceArray<int>(bench.sms * ROUNDS);
    std::vector<int> cycles(bench.sms * ROUNDS);
    std::vector<double> spreads;
    for (int pair = 0; pair < PAIRS; pair++) {
        logLoads<<<bench.sms, WARP>>>(field, ROUNDS, device);
        field.first = (field.first + ROUNDS * field.lines) % (field.of - ROUNDS * field.lines);
        CHECK(
            cudaMemcpy(cycles.data(), device, cycles.size() * sizeof(int), cudaMemcpyDeviceToHost));
        std::vector<double> sorted(cycles.begin(), cycles.end());
        std::sort(sorted.begin(), sorted.end());
        double sum = 0;
        for (double one : sorted) sum += one;
        spreads.push_back(sum / (double)sorted.size() - quantile(sorted, 0.01));
    }
    CHECK(cudaFree(device));
    closeField(field);
    return figureOf(spreads);
}

/* ---- Their figures ---- */

enum { SOME_WARPS = 32 };

/* Cycles that the DRAM is busy with one line of a multiprocessor, where nothing but the DRAM
 * limits. */
template <Work work> static double lineCycles(const Bench &bench) {
    return roundCycles<FULL_LINES, work>(bench, MOST_WARPS).value / (MOST_WARPS * FULL_LINES);
}

/* What is waited more, over the square of the part of the time in which the DRAM moves data. */
static Figure busyWait(const Bench &bench, Figure alone, double line) {
    Figure many = roundCycles<1, LOAD>(bench, MOST_WARPS);
    double busy = MOST_WARPS * line / many.value;
    Figure wait = {(many.value - alone.value) / (busy * busy), many.spread / (busy * busy)};
    return wait;
}

/* What is waited more beside stores, and not for being busy, over the part of the time in which the
 * DRAM writes. */
static Figure writeWait(const Bench &bench, double busyWait, double line) {
    Figure loaded = roundCycles<1, LOAD>(bench, SOME_WARPS),
           copied = roundCycles<1, COPY>(bench, SOME_WARPS);
    double writing = SOME_WARPS * lineCycles<STORE>(bench) / copied.value;
    double before = SOME_WARPS * line / loaded.value,
           busy = SOME_WARPS * line / copied.value + writing;
    double more = copied.value - loaded.value - busyWait * (busy * busy - before * before);
    Figure wait = {more / writing, (loaded.spread + copied.spread) / writing};
    return wait;
}

int main() {
    Bench bench = openBench("loaded");
    Figure alone = roundCycles<1, LOAD>(bench, 1);
    double line = lineCycles<LOAD>(bench);
    Figure busy = busyWait(bench, alone, line);
    print("dram_latency_cycles", alone, "cycles",
          "each multiprocessor waits for one line after another, none cached");
    print("dram_busy_wait_cycles", busy, "cycles",
          "what 64 warps wait more, over the square of how busy the DRAM is then");
    /* clock64() counts instructions where the GPU is simulated, and what is stored little stays in
     * its L2. */
    if (bench.device.modelled) return EXIT_OK;
    print("dram_spread_cycles", spreadCycles(bench), "cycles",
          "mean of what one such load takes, over the fastest hundredth, by clock64()");
    print("dram_write_wait_cycles", writeWait(bench, busy.value, line), "cycles",
          "what 32 warps wait more if they also store, over the part of the time in which the DRAM "
          "writes");
    return EXIT_OK;
}
