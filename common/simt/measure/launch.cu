/*
 * launch.cu: what it costs to start a kernel, a block, a warp; and how often one address takes an
 * atomic.
 *
 * With the argument `empty` it only launches the empty kernel some times, for a profiler to watch;
 * with `held`, many blocks of it, and on a GPU it prints how many warps a multiprocessor has room
 * for and how many a block has.
 */
#include "calibrate.h"

__global__ void empty() {}

/* ---- Kernels ---- */

enum { LAUNCHES = 100, SAMPLES = 101 };

/* An event pair around one empty kernel. */
static Figure pairNs(const Bench &bench) {
    std::vector<double> samples;
    for (int i = 0; i < SAMPLES; i++)
        samples.push_back(timeOf(bench, [] { empty<<<1, WARP>>>(); }));
    return figureOf(samples);
}

/* With a gate the GPU begins when all are queued, so that the pace of the host does not matter. */
enum { LONG_GATE_CYCLES = 6000000 };

static void launchMany(const Bench &bench, int n, bool gated) {
    if (gated && !bench.device.modelled) spin<<<1, 1>>>(LONG_GATE_CYCLES);
    for (int i = 0; i < n; i++) empty<<<1, WARP>>>();
}

static void printKernels(const Bench &bench) {
    print("launch_ns", pairNs(bench), "ns",
          "two events around one empty kernel, behind other work");
    print("kernel_period_ns", unitNs(bench, LAUNCHES, [&](int n) { launchMany(bench, n, true); }),
          "ns", "one more empty kernel of many that wait in a stream");
    print("host_launch_ns", unitNs(bench, LAUNCHES, [&](int n) { launchMany(bench, n, false); }),
          "ns", "one more empty kernel in a loop of the host");
}

/* ---- Blocks and warps ---- */

enum { BLOCKS = 1 << 16, HELD_THREADS = 256 };

static Figure blockCycles(const Bench &bench, int threads) {
    return unitCycles(bench, BLOCKS, [&](int n) { empty<<<n, threads>>>(); });
}

/* When a warp began and ended, by the clock of the multiprocessor it ran on. */
struct Visit {
    long long begin, end;
    int place; /* number of that multiprocessor */
};

__global__ void logVisits(Visit *visits) {
    long long begin = clock64();
    int place;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(place));
    if (threadIdx.x % WARP != 0) return;
    Visit *mine = &visits[blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP];
    mine->begin = begin;
    mine->place = place;
    mine->end = clock64();
}

/* What the visits of a launch of that shape were. shared keeps other blocks away from a
 * multiprocessor. */
static std::vector<Visit> visitsOf(int blocks, int warps, int shared) {
    Visit *device = deviceArray<Visit>((size_t)blocks * warps);
    std::vector<Visit> visits((size_t)blocks * warps);
    CHECK(cudaFuncSetAttribute(logVisits, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    /* the first one warms up */
    for (int run = 0; run < 2; run++) logVisits<<<blocks, warps * WARP, shared>>>(device);
    CHECK(cudaMemcpy(visits.data(), device, visits.size() * sizeof(Visit), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    return visits;
}

static bool earlier(const Visit &a, const Visit &b) {
    return a.place != b.place ? a.place < b.place : a.begin < b.begin;
}

/* From the end of a block to the beginning of the next on the same multiprocessor, which has room
 * for one at a time. */
static Figure blockGap(const Bench &bench) {
    int most = deviceAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    std::vector<Visit> visits = visitsOf(16 * bench.sms, 1, most);
    std::sort(visits.begin(), visits.end(), earlier);
    std::vector<double> gaps;
    for (size_t i = 1; i < visits.size(); i++)
        if (visits[i].place == visits[i - 1].place)
            gaps.push_back((double)(visits[i].begin - visits[i - 1].end));
    return figureOf(gaps);
}

/* Between the beginnings of a block's warps: from the first to the last, over their number less
 * one. */
static Figure warpGap(const Bench &bench) {
    const int warps = MOST_THREADS / WARP;
    std::vector<Visit> visits = visitsOf(bench.sms, warps, 0);
    std::vector<double> gaps;
    for (size_t first = 0; first < visits.size(); first += warps) {
        std::sort(visits.begin() + (long)first, visits.begin() + (long)first + warps, earlier);
        gaps.push_back((double)(visits[first + warps - 1].begin - visits[first].begin) /
                       (warps - 1));
    }
    return figureOf(gaps);
}

static void printBlocks(const Bench &bench) {
    print("block_dispatch_cycles", blockCycles(bench, WARP), "cycles",
          "one more empty block of 32 threads, whole GPU");
    print("block_1024_dispatch_cycles", blockCycles(bench, MOST_THREADS), "cycles",
          "the same with 1024 threads");
    /* These read clock64(), which counts instructions where the GPU is simulated. */
    if (bench.device.modelled) return;
    print("block_start_cycles", blockGap(bench), "cycles",
          "end of a block to the next one's first instruction, by clock64()");
    print("warp_start_cycles", warpGap(bench), "cycles",
          "first instructions of a block's 32 warps, by clock64()");
}

/* ---- Atomics ---- */

/* Lanes threads of each warp add to one counter. Which lane has no part in the address, or the
 * compiler would add up the warp's own. */
__global__ void addToOne(unsigned int *counter, int lanes, int rounds) {
    if ((int)(threadIdx.x % WARP) >= lanes) return;
    unsigned int got = 0;
    for (int round = 0; round < rounds; round++)
        asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(got) : "l"(counter) : "memory");
    if (got == ~0u) counter[1] = got;
}

/* Each lane of each warp adds to the word of its own in one line. */
__global__ void addToLine(unsigned int *line, int rounds) {
    unsigned int got = 0;
    for (int round = 0; round < rounds; round++)
        asm volatile("atom.global.add.u32 %0, [%1], 1;"
                     : "=r"(got)
                     : "l"(line + threadIdx.x % WARP)
                     : "memory");
    if (got == ~0u) line[WARP] = got;
}

enum { ATOMIC_ROUNDS = 64, ATOMIC_WARPS = 8, LINE_SECTORS = 4 };

/* Cycles of one warp's atomic, when all multiprocessors want the same address. */
static Figure atomicCycles(const Bench &bench, int lanes) {
    unsigned int *counter = deviceArray<unsigned int>(2);
    Figure cycles = unitCycles(bench, ATOMIC_ROUNDS, [&](int n) {
        addToOne<<<bench.sms, ATOMIC_WARPS * WARP>>>(counter, lanes, n);
    });
    CHECK(cudaFree(counter));
    return times(cycles, 1.0 / (bench.sms * ATOMIC_WARPS));
}

/* The same for each sector of a line, whose words all lanes of a warp want. */
static Figure sectorCycles(const Bench &bench) {
    unsigned int *line = deviceArray<unsigned int>(WARP + 1);
    Figure cycles = unitCycles(bench, ATOMIC_ROUNDS, [&](int n) {
        addToLine<<<bench.sms, ATOMIC_WARPS * WARP>>>(line, n);
    });
    CHECK(cudaFree(line));
    return times(cycles, 1.0 / (bench.sms * ATOMIC_WARPS * LINE_SECTORS));
}

static void printAtomics(const Bench &bench) {
    print("atomic_cycles", atomicCycles(bench, 1), "cycles",
          "atomics of one lane a warp on one address, all multiprocessors");
    print("atomic_warp_cycles", atomicCycles(bench, WARP), "cycles", "the same with all 32 lanes");
    print("atomic_pass_cycles", sectorCycles(bench), "cycles",
          "a sector's part of atomics on all words of one line");
}

/* For a profiler. Blocks leave the dispatcher one by one, so that a warp's place waits for nothing
 * else. */
static void launchHeld(const Bench &bench) {
    for (int run = 0; run < PAIRS; run++) empty<<<BLOCKS, HELD_THREADS>>>();
    if (bench.device.modelled) return;
    printf("%d %d\n", deviceAttribute(cudaDevAttrMaxThreadsPerMultiProcessor) / WARP,
           HELD_THREADS / WARP);
}

int main(int argc, char **argv) {
    Bench bench = openBench("launch");
    std::string what = argc > 1 ? argv[1] : "";
    if (what == "empty") launchMany(bench, LAUNCHES, false);
    if (what == "held") launchHeld(bench);
    if (!what.empty()) {
        CHECK(cudaDeviceSynchronize());
        return EXIT_OK;
    }
    printKernels(bench);
    printBlocks(bench);
    printAtomics(bench);
    return EXIT_OK;
}
