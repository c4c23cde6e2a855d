/* time/traffic.h: what a launch moves between the L2 and the DRAM. */
#pragma once

#define IN_STEP 0.5 /* of trace.in_step: from here on blocks load the same at one time */

#include "simt/device/counters.h"

#include <math.h>

struct gpu;
struct trace;

/* All that a replay knows of the traffic. */
struct traffic_rates {
    /* of the sectors that blocks load first: how many come from DRAM, if the L2 is empty before */
    double cold_share;
    double fetched; /* sectors that the DRAM gives for each of these */
    double written; /* sectors' time of the DRAM for each that is stored, most often below 1 */
    double fullest; /* the L2's fullest slice over the mean one: of whole lines that are stored */
};

struct traffic {
    struct traffic_rates rates;
    double dram_read_sectors, dram_write_sectors;
    double fresh_bytes; /* of the L2, for what is read, and for lines that are written in part */
};

/* As chance distributes lines, the L2's fullest slice has so many times as much of them as others
 * (measure/spaces.cu, on an H200). */
static inline double fullest_slice(double lines) {
    return 1 + 31 / sqrt(lines);
}

/* Fill traffic from the launch's counters and finished trace. rounds: how many times the grid fills
 * the GPU, at least 1. found: sectors of those loaded that the L2 had before. */
void traffic_find(const struct gpu *gpu, const struct counters *c, const struct trace *trace,
                  double rounds, double found, struct traffic *traffic);

/* Bytes in the L2 that the DRAM does not have, after the stores of so many more. */
double traffic_dirty(const struct gpu *gpu, double dirty, double stored);
/* Bytes of these that fresh ones displace. What is displaced is chosen at random, so the more is
 * gone, the fewer go: dirty * (1 - exp(-fresh / dirty)). Nothing where the L2 has room for all that
 * is fresh: kernels are timed in repetition, and find it there. */
double traffic_displaced(const struct gpu *gpu, double dirty, double fresh);
