/*
 * time/traffic.c: from exact footprints to traffic. The L2 is empty when a kernel begins, as a profiler has it: every
 * sector that the grid loads comes from DRAM once. It comes again where the L2 could not keep it until the next block
 * asked: where what the blocks that run at the same time touch is more than the L2 holds. Stored sectors stay in the L2
 * until others need the place; at the end it is full of what went through last, loads and stores alike, and the stores
 * among them have not been written yet.
 */
#include "traffic.h"

#include "simt/device/gpu.h"
#include "simt/device/memory.h"
#include "simt/machine/trace.h"

#include <math.h>

/* Bytes of different data that the L2 can hold, if each of its parts holds a copy. */
static double l2_room(const struct gpu *gpu) {
    return (double)gpu->l2_bytes / gpu->l2_parts;
}

/* The part of what running blocks share that the L2 cannot hold. The blocks that run together touch a round's part of
 * the footprint. */
static double overflow(const struct gpu *gpu, const struct counters *c, double rounds) {
    double footprint = (double)c->footprint_sectors * SECTOR_BYTES;
    double working = footprint / rounds;
    return working > l2_room(gpu) ? 1 - l2_room(gpu) / working : 0;
}

/* part / whole, at most 1. */
static double share(double part, double whole) {
    return whole > 0 ? fmin(1, part / whole) : 0;
}

void traffic_find(const struct gpu *gpu, const struct counters *c, const struct trace *trace, double rounds,
                  struct traffic *traffic) {
    double loaded = (double)c->footprint_read_sectors, stored = (double)c->footprint_write_sectors;
    double first_loads = fmax(loaded, trace->sectors_per_block * (double)trace->blocks);
    double stores = (double)(c->gst_sectors + c->atom_sectors + c->red_sectors);
    double touched = (double)c->footprint_sectors;
    double again = overflow(gpu, c, rounds);
    double kept = fmin(stored, l2_room(gpu) / SECTOR_BYTES * share(stored, touched));
    traffic->dram_read_sectors = loaded + (first_loads - loaded) * again;
    traffic->dram_write_sectors = stored - kept + fmax(0, stores - stored) * again;
    traffic->cold_share = share(traffic->dram_read_sectors, first_loads);
    traffic->written_share = share(traffic->dram_write_sectors, stores);
}
