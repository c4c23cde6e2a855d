/*
 * timeline.h: what the programs share that time copies, calls of the API and graphs: a row of their
 * table, the time between two events, and that of the host.
 */
#pragma once

#include "calibrate.h"

#include <functional>
#include <time.h>

enum { SAMPLES = 21, FEW_SAMPLES = 5 };
static const size_t KIB = 1 << 10, MIB = 1 << 20, GIB = 1 << 30, FEW_FROM = 16 * MIB;

typedef std::function<void()> Body;

static Bench bench;
static bool modelled;

static inline void printRow(const char *experiment, const std::string &variant, size_t bytes,
                            int count, Figure us) {
    printf("%s,%s,%zu,%d,%.6g,%.3g\n", experiment, variant.c_str(), bytes, count, us.value,
           us.spread);
    fflush(stdout);
}

static inline double hostUs() {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static inline int samplesFor(size_t bytes) {
    if (modelled) return 1;
    return bytes >= FEW_FROM ? FEW_SAMPLES : SAMPLES;
}

/* Microseconds between two events of the legacy stream, which waits for all streams. The device is
 * idle before. */
static inline double deviceUs(const Body &body) {
    float milliseconds;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(bench.start));
    body();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(bench.stop));
    CHECK(cudaEventSynchronize(bench.stop));
    CHECK(cudaEventElapsedTime(&milliseconds, bench.start, bench.stop));
    return milliseconds * 1e3;
}

static inline Figure deviceFigure(int samples, const Body &body) {
    std::vector<double> times;
    if (!modelled) deviceUs(body); /* warms up */
    for (int i = 0; i < samples; i++) times.push_back(deviceUs(body));
    return figureOf(times);
}

/* Microseconds of the host in `timed`, after `before`; `after` cleans up. */
static inline Figure hostFigure(int samples, const Body &before, const Body &timed,
                                const Body &after) {
    std::vector<double> times;
    for (int i = 0; i <= samples; i++) {
        before();
        CHECK(cudaDeviceSynchronize());
        double begin = hostUs();
        timed();
        if (i > 0) times.push_back(hostUs() - begin); /* the first one warms up */
        after();
    }
    return figureOf(times);
}

static inline void nothing() {}

/* Dependent operations, in rounds of UNROLL_COUNT: as long on a GPU as on simt. */
static __global__ void turn(float *out, int rounds) {
    float x = threadIdx.x, y = 0.5f;
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < UNROLL_COUNT; k++) x = x * y + 1.0f;
    }
    if (x == 12345.0f) *out = x;
}
