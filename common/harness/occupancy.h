/* occupancy.h: theoretical occupancy: how many warps of a kernel a multiprocessor can hold, and
 * what limits them; and how lab 2 runs its kernels in many shapes. */
#pragma once

#include <algorithm>
#include <initializer_list>

#include "../lib/residency.h"
#include "lab.h"

#ifdef SIMT_NO_MACHINE_CODE
#define OCCUPANCY_REGISTERS "about %d registers: an estimate"
#else
#define OCCUPANCY_REGISTERS "%d registers"
#endif

struct Occupancy {
    int blocks, warps; /* per multiprocessor; 0: a block of this size cannot run */
    double share;      /* share of the multiprocessor's warp slots, 0 to 1 */
    int registers;     /* per thread */
    const char *limit; /* the resource that limits the blocks */
};

/* The limiting resource in words. */
static inline const char *limitName(ResidencyLimit limit) {
    switch (limit) {
    case RESIDENCY_BY_REGISTERS: return "registers";
    case RESIDENCY_BY_SHARED: return "shared memory";
    case RESIDENCY_BY_BLOCKS: return "block slots";
    default: return "warp slots";
    }
}

/* The device's resources for a kernel with the default limit on shared memory. */
static inline ResidencyRoom residencyRoom(const cudaDeviceProp &device) {
    ResidencyRoom room = {device.major,
                          device.minor,
                          device.maxThreadsPerMultiProcessor,
                          device.maxBlocksPerMultiProcessor,
                          device.regsPerMultiprocessor,
                          device.regsPerBlock,
                          device.sharedMemPerMultiprocessor,
                          device.sharedMemPerBlock,
                          device.reservedSharedMemPerBlock};
    return room;
}

/* Occupancy of a kernel with this block size in threads and this dynamic shared memory in bytes
 * (lib/residency.h has the formula). Ends the program on a CUDA error. */
static inline Occupancy theoreticalOccupancy(const void *kernel, int threads,
                                             size_t dynamicShared) {
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    ResidencyRoom room = residencyRoom(properties);
    ResidencyNeed need = {threads, attributes.numRegs, attributes.sharedSizeBytes + dynamicShared};
    Residency found = residencyOf(&room, &need);
    Occupancy none = {0, 0, 0, attributes.numRegs, "threads per block"};
    if (found.blocks == 0) return none;
    Occupancy occupancy = {found.blocks, found.warps,
                           (double)found.warps * properties.warpSize / room.threads,
                           attributes.numRegs, limitName(found.limit)};
    return occupancy;
}

/* Sets the row's remark, such as "50 % of the warps, limit: block slots (32 blocks, 16 registers)".
 * Sets none if a block of this size cannot run. */
static inline void labOccupancy(Lab *lab, const void *kernel, int threads, size_t dynamicShared) {
    const Occupancy occupancy = theoreticalOccupancy(kernel, threads, dynamicShared);
    if (occupancy.blocks == 0) return;
    labRemark(lab, "%.0f %% of the warps, limit: %s (%d blocks, " OCCUPANCY_REGISTERS ")",
              100 * occupancy.share, occupancy.limit, occupancy.blocks, occupancy.registers);
}

/* ---- What lab 2 runs ---- */

enum { MOST_WAVES = 3 };

/* A launch, and what it has to leave in c. */
struct Launch {
    dim3 grid, block;
    size_t shared;          /* bytes of dynamic shared memory */
    const float *d_a, *d_b; /* n elements */
    float *d_c;
    unsigned int side, n; /* of a matrix; elements */
    int loads;            /* at a time: of step 9 */
    const float *want;
    float *got;
    size_t results;
    double tolerance, bytes;
};

/* A kernel for the table of steps, and how it is launched: KERNEL(sumVector, l.d_a, ...). */
#define KERNEL(kernel, ...)                                                                        \
    (const void *)kernel,                                                                          \
        [](const Launch &l) { kernel<<<l.grid, l.block, l.shared>>>(__VA_ARGS__); }

struct OccupancyStep {
    const char *name, *idea;
    const void *kernel;
    void (*launch)(const Launch &l);
};

static inline unsigned int multiprocessors() {
    return (unsigned int)deviceAttribute(cudaDevAttrMultiProcessorCount);
}

/* Runs one launch of a step. The remark, NULL: its occupancy. Returns
 * its time in ms; 0: not timed. */
static inline double runLaunch(Lab *lab, const OccupancyStep *step, const Launch &l,
                               const char *remark) {
    labStep(lab, step->name, l.grid, l.block);
    if (l.loads > 0) labArgument(lab, "%d", l.loads);
    labBytes(lab, l.bytes);
    if (remark != NULL)
        labRemark(lab, "%s", remark);
    else if (l.loads > 0)
        labRemark(lab, "%u warps a multiprocessor, %d words for each thread at a time",
                  l.grid.x / multiprocessors() * l.block.x / 32, l.loads);
    else
        labOccupancy(lab, step->kernel, (int)(l.block.x * l.block.y), l.shared);
    while (labRuns(lab)) {
        step->launch(l);
        if (!labChecks(lab)) continue;
        CHECK(cudaMemcpy(l.got, l.d_c, l.results * sizeof(float), cudaMemcpyDeviceToHost));
        labVerdict(lab, judgeResults(l.want, l.got, l.results, l.tolerance));
    }
    return labTime(lab);
}

/* The fifteen shapes of the textbook; the last has more threads than a block may have. A note names
 * the fastest, and the number of threads that CUDA advises. */
static inline void sweepShapes(Lab *lab, const OccupancyStep *step, Launch l) {
    static const unsigned int SHAPES[][2] = {{32, 32}, {32, 16}, {16, 32}, {16, 16}, {16, 8},
                                             {8, 16},  {64, 2},  {64, 4},  {64, 8},  {128, 2},
                                             {128, 4}, {128, 8}, {256, 2}, {256, 4}, {256, 8}};
    double bestTime = 0, advisedTime = 0;
    dim3 best;
    int grid, advised;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &advised, step->kernel, 0, 0));
    for (const unsigned int *shape : SHAPES) {
        l.block = dim3(shape[0], shape[1]);
        l.grid = dim3(blocksFor(l.side, shape[0]), blocksFor(l.side, shape[1]));
        const double time = runLaunch(lab, step, l, NULL);
        if (time > 0 && (bestTime == 0 || time < bestTime)) {
            bestTime = time;
            best = l.block;
        }
        if (time > 0 && shape[0] * shape[1] == (unsigned int)advised &&
            (advisedTime == 0 || time < advisedTime))
            advisedTime = time;
    }
    if (!labSelected(lab, step->name) || bestTime == 0) return;
    char found[64] = "not among the shapes";
    if (advisedTime > 0) snprintf(found, sizeof found, "%.4f ms at best", advisedTime);
    labNote(
        lab,
        "    fastest: (%u,%u), %.4f ms. cudaOccupancyMaxPotentialBlockSize advises %d threads: %s",
        best.x, best.y, bestTime, advised, found);
}

/* Quarter waves up to MOST_WAVES, and one block more than each whole one. The device holds perWave
 * blocks at once. */
static inline void sweepWaves(Lab *lab, const OccupancyStep *step, Launch l, unsigned int perWave) {
    for (unsigned int quarter = 1; quarter <= 4 * MOST_WAVES; quarter++) {
        const bool more = quarter % 4 == 0 && quarter < 4 * MOST_WAVES;
        for (unsigned int tail = 0; tail <= more; tail++) {
            char waves[32];
            const unsigned int grid = l.n == 0 ? 0 : quarter * perWave / 4 + tail;
            snprintf(waves, sizeof waves, "%.2f waves", (double)grid / perWave);
            l.grid = grid;
            l.results = (size_t)grid * l.block.x;
            l.bytes = 2.0 * sizeof(float) * l.results;
            runLaunch(lab, step, l, waves);
        }
    }
}

/* The same elements in blocks of different size. */
static inline void sweepBlocks(Lab *lab, const OccupancyStep *step, Launch l,
                               std::initializer_list<unsigned int> blocks) {
    for (unsigned int block : blocks) {
        l.block = block;
        l.grid = blocksFor(l.n, block);
        runLaunch(lab, step, l, NULL);
    }
}

/* What thread i adds up in sumLoads: elements i, i + threads, i + 2 * threads, ... */
static inline void addByThread(float *sums, const float *a, size_t n, size_t threads) {
    double *exact = hostArray<double>(threads);
    for (size_t i = 0; i < threads; i++) exact[i] = 0;
    for (size_t first = 0; first < n; first += threads)
        for (size_t i = 0; i < threads && first + i < n; i++) exact[i] += a[first + i];
    for (size_t i = 0; i < threads; i++) sums[i] = (float)exact[i];
    free(exact);
}

/* 4, 8, 16, 32 and 64 warps on each multiprocessor, or as many as fit, with one, two and four loads
 * a thread. Elements are below 1, and so the tolerance is a share of their number. */
static inline void sweepLoads(Lab *lab, const OccupancyStep *step, Launch l, const float *a,
                              float *sums) {
    const unsigned int threads =
        (unsigned int)deviceAttribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    for (unsigned int blocks = 1; blocks <= 16 && labSelected(lab, step->name); blocks *= 2) {
        l.grid = l.n == 0 ? 0 : multiprocessors() * std::min(blocks, threads / l.block.x);
        l.results = (size_t)l.grid.x * l.block.x;
        l.tolerance = 1e-5 * (double)(l.n / (l.results + 1) + 1);
        if (l.n > 0) addByThread(sums, a, l.n, l.results);
        for (l.loads = 1; l.loads <= 4; l.loads *= 2) runLaunch(lab, step, l, NULL);
    }
}

/* Blocks of this many threads that the device holds at once. */
static inline unsigned int blocksAtOnce(const void *kernel, int threads) {
    const int blocks = theoreticalOccupancy(kernel, threads, 0).blocks;
    return (unsigned int)blocks * multiprocessors();
}
