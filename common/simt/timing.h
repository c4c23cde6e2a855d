/* timing.h: the first time model: how long a kernel or a copy would take on a virtual GPU. What it assumes is said in
 * timing.c. */
#ifndef SIMT_TIMING_H
#define SIMT_TIMING_H

#include "counters.h"
#include "occupancy.h"

struct gpu;

/* One launch that has run. */
struct timing_launch {
    uint64_t blocks;
    int threads_per_block;
    struct occupancy occupancy;
    const struct counters *counters;
};

/* Its modelled time and where that comes from. */
struct timing {
    double time_ns; /* the kernel's whole time: launch_ns and the largest of the terms */
    double launch_ns;
    double dispatch_ns; /* handing the blocks to the multiprocessors */
    double issue_ns;    /* instructions through the schedulers and the arithmetic lanes */
    double dram_ns, l2_ns, l1_ns, shared_ns;
    double latency_ns; /* waves of blocks, each as long as its longest warp */
    double dram_read_bytes, dram_write_bytes;
    double l2_read_sectors, l2_write_sectors;
    double elapsed_cycles, active_cycles; /* of the clock; multiprocessors busy, averaged over them */
    double achieved_occupancy;            /* 0 to 1 */
    double device_share;                  /* part of the GPU that the grid can fill, 0 to 1 */
};

/* Model a launch. Deterministic: the same counters give the same time. */
void timing_kernel(const struct gpu *gpu, const struct timing_launch *launch, struct timing *timing);

/* Nanoseconds for bytes over PCIe, within device memory (each byte read and written), and for filling device memory. */
double timing_host_copy_ns(const struct gpu *gpu, size_t bytes);
double timing_device_copy_ns(const struct gpu *gpu, size_t bytes);
double timing_fill_ns(const struct gpu *gpu, size_t bytes);

#endif
