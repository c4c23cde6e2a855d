/*
 * calibrate.h: what the calibration programs share: timing kernels, and printing figures.
 *
 * Each figure is a difference: the same kernel does n units of work and 3 n units, and what 2 n
 * units take is what is left when the launch, the start of the blocks and the first touch of the
 * data have cancelled. The figure is the median over several such pairs, the spread the distance of
 * their quartiles. Times are CUDA events, so the same programs run on a GPU and on a simulated one,
 * whose clock64() counts instructions, not cycles.
 *
 * No kernel can be optimised away: every operation needs the result of the one before it, or is
 * volatile assembly, and the last result decides whether something is stored.
 */
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common.h"
#include "harness/device.h"

enum {
    WARP = 32,
    MOST_THREADS = 1024,  /* of a block */
    PAIRS = 9,            /* of timed runs; where times do not vary, one is enough */
    GATE_CYCLES = 200000, /* 100 microseconds */
    UNROLL_COUNT =
        128 /* operations between two rounds of a loop: its own instructions must not count */
};

/* What is being measured, and how to turn its times into clock cycles. */
struct Bench {
    Device device;
    int sms;
    double ghz; /* of the multiprocessors, while they work */
    cudaEvent_t start, stop;
};

struct Figure {
    double value, spread;
};

static inline double quantile(const std::vector<double> &sorted, double share) {
    return sorted[(size_t)(share * (double)(sorted.size() - 1) + 0.5)];
}

static inline Figure figureOf(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    Figure figure = {quantile(samples, 0.5), quantile(samples, 0.75) - quantile(samples, 0.25)};
    return figure;
}

static inline Figure times(Figure figure, double factor) {
    Figure scaled = {figure.value * factor, figure.spread * factor};
    return scaled;
}

/* A rate from a time: of so many units each. The spread stays the same share of it. */
static inline Figure rateOf(Figure time, double units) {
    double rate = units / time.value;
    Figure figure = {rate, rate * time.spread / time.value};
    return figure;
}

/* Turns for that many clock cycles. */
static __global__ void spin(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

/* Nanoseconds between two events around what launch() starts. The GPU is held until the host has
 * queued all three: it must not wait for the host between them. (On a simulated GPU the host takes
 * no time.) */
template <class Launch> double timeOf(const Bench &bench, Launch launch) {
    if (!bench.device.modelled) spin<<<1, 1>>>(GATE_CYCLES);
    CHECK(cudaEventRecord(bench.start));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(bench.stop));
    CHECK(cudaEventSynchronize(bench.stop));
    float milliseconds;
    CHECK(cudaEventElapsedTime(&milliseconds, bench.start, bench.stop));
    return milliseconds * 1e6;
}

/* Rounds to time: on a simulated GPU, where every instruction takes the host long and times do not
 * vary, fewer. */
static inline int roundsFor(const Bench &bench, int rounds) {
    const int fewer = 16;
    return bench.device.modelled && rounds >= fewer ? rounds / fewer : rounds;
}

/* Blocks for what one multiprocessor does by itself: one for each, so that they are busy as in
 * earnest. Simulated ones are all alike. */
static inline int oneEach(const Bench &bench) {
    return bench.device.modelled ? 1 : bench.sms;
}

static inline int pairsOf(const Bench &bench) {
    return bench.device.modelled ? 1 : PAIRS;
}

/* Nanoseconds of one unit of work, where launch(n) does n of them. */
template <class Launch> Figure unitNs(const Bench &bench, int n, Launch launch) {
    std::vector<double> samples;
    timeOf(bench, [&] { launch(n); });
    for (int pair = 0; pair < pairsOf(bench); pair++) {
        double once = timeOf(bench, [&] { launch(n); });
        double thrice = timeOf(bench, [&] { launch(3 * n); });
        samples.push_back((thrice - once) / (2.0 * n));
    }
    return figureOf(samples);
}

/* The same in clock cycles. */
template <class Launch> Figure unitCycles(const Bench &bench, int n, Launch launch) {
    return times(unitNs(bench, n, launch), bench.ghz);
}

/* One row of the table; how says in a few words how it was measured. */
static inline void print(const char *name, Figure figure, const char *unit, const char *how) {
    printf("%s\t%.6g\t%s\t%.3g\t%s\n", name, figure.value, unit, figure.spread, how);
    fflush(stdout);
}

/* Clock rate under way, from cycles that the GPU counts. A simulated GPU has the one that it
 * says. */
static inline double clockGhz(const Bench &bench) {
    if (bench.device.modelled) return deviceAttribute(cudaDevAttrClockRate) / 1e6;
    const int thousands = 1000;
    return 1000 / unitNs(bench, thousands, [](int n) { spin<<<1, 1>>>(1000LL * n); }).value;
}

enum { WARM_UP_CYCLES = 200000000 };

static inline Bench openBench(const char *program) {
    Bench bench = {openDevice(program), deviceAttribute(cudaDevAttrMultiProcessorCount), 0, NULL,
                   NULL};
    CHECK(cudaEventCreate(&bench.start));
    CHECK(cudaEventCreate(&bench.stop));
    if (!bench.device.modelled) timeOf(bench, [] { spin<<<1, 1>>>(WARM_UP_CYCLES); });
    bench.ghz = clockGhz(bench);
    return bench;
}

template <class T> T *deviceArray(size_t n) {
    T *array;
    CHECK(cudaMalloc(&array, n * sizeof(T)));
    CHECK(cudaMemset(array, 0, n * sizeof(T)));
    return array;
}
