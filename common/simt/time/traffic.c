/*
 * time/traffic.c: from exact footprints to traffic. Every sector that the grid loads comes from
 * DRAM once, unless the L2 has it when the kernel begins (device/l2.h). It comes again where the L2
 * could not keep it until the next block asked: where what the blocks that run at the same time
 * touch is more than the L2 holds. Stored sectors stay in the L2 until others need the place; at
 * the end it is full of what went through last, loads and stores alike, and the stores among them
 * have not been written yet.
 *
 * The DRAM gives two sectors at once, wanted or not, and takes whole sectors only.
 */
#include "traffic.h"

#include "simt/device/gpu.h"
#include "simt/device/l2.h"
#include "simt/device/memory.h"
#include "simt/machine/trace.h"

/* Stores to fewer lines do not take longer. On an H200 1056 blocks of 256 store 32 times 16 bytes
 * to 32768, 4096, 1024, 256, 64 lines in 31, 40, 57, 110, 158 us. */
#define FEWEST_LINES 12

/* The part of what running blocks share that the L2 cannot hold. The blocks that run together touch
 * a round's part of the footprint; where they load anything at any time, more; where none of the
 * traced blocks loads what another does, it comes again only when all else was loaded. A line takes
 * its place for one sector, too: on an H200 loads of one in each line of 64 MB, time and again,
 * find 8 % of them in the L2. */
static double traffic_overflow(const struct gpu *gpu, const struct counters *c,
                               const struct trace *trace, double rounds, bool apart) {
    double footprint = (double)c->footprint_lines * LINE_BYTES;
    double room = c->footprint_sectors ? footprint / (double)c->footprint_sectors : SECTOR_BYTES;
    double together = trace->sectors_per_block * (double)trace->blocks / rounds * room;
    double working = footprint / rounds;
    double loaded = (double)c->footprint_read_sectors * room;
    double most = loaded + (footprint - loaded) / rounds;
    if (trace->in_step < IN_STEP) working = fmin(most, fmax(working, together));
    if (apart) working = most;
    return working > l2_room(gpu) ? 1 - l2_room(gpu) / working : 0;
}

/* part / whole, at most 1. */
static double share(double part, double whole) {
    return whole > 0 ? fmin(1, part / whole) : 0;
}

/* The DRAM's work on sectors that are stored in part, which the L2 must fetch before it can write
 * them back. It leaves that until it needs the lines: some remain as they are, some fetched and not
 * written back. A line takes the time of dram_line_sectors at least. */
struct partial {
    double filled, written; /* sectors */
    double cost;            /* of each, in sectors that are moved in whole lines */
};

static struct partial partial_stores(const struct gpu *gpu, const struct counters *c) {
    double sectors = (double)c->footprint_partial_sectors,
           lines = (double)c->footprint_partial_lines;
    double room = (double)gpu->l2_bytes / LINE_BYTES;
    return (struct partial){
        .filled = sectors * (1 - share(room * gpu->l2_partial_kept_share, lines)),
        .written = sectors * (1 - share(room * gpu->l2_filled_kept_share, lines)),
        .cost = sectors > 0 ? fmax(1, gpu->dram_line_sectors * lines / sectors) : 1,
    };
}

void traffic_find(const struct gpu *gpu, const struct counters *c, const struct trace *trace,
                  double rounds, double found, struct traffic *traffic) {
    struct partial partial = partial_stores(gpu, c);
    double loaded = (double)c->footprint_read_sectors,
           fetched = (double)c->footprint_fetched_sectors;
    double whole = (double)(c->footprint_write_sectors - c->footprint_partial_sectors);
    double first_loads = fmax(loaded, trace->sectors_per_block * (double)trace->blocks);
    double stores = (double)(c->gst_sectors + c->atom_sectors + c->red_sectors);
    double touched = (double)c->footprint_sectors;
    double again = traffic_overflow(gpu, c, trace, rounds, trace->apart);
    double pairs = trace->sectors_per_block > 0
                       ? fmax(1, trace->paired_per_block / trace->sectors_per_block)
                       : 1;
    double repeated = (first_loads - loaded) * again * pairs;
    double cold = loaded + (first_loads - loaded) * again;
    double kept = fmin(whole, l2_room(gpu) / SECTOR_BYTES * share(whole, touched));
    double written = whole - kept +
                     fmax(0, stores - (double)c->footprint_write_sectors) *
                         traffic_overflow(gpu, c, trace, rounds, false);
    traffic->dram_read_sectors = fetched + repeated + partial.filled;
    traffic->dram_write_sectors = written + partial.written;
    traffic->fresh_bytes =
        (fetched + repeated) * SECTOR_BYTES + (double)c->footprint_partial_lines * LINE_BYTES;
    traffic->rates.cold_share = share(cold, first_loads);
    traffic->rates.fetched =
        cold > 0 ? (fetched + repeated * gpu->dram_line_sectors / DRAM_SECTORS) / cold : 1;
    traffic->rates.fullest = fullest_slice(fmax(FEWEST_LINES, (double)c->footprint_write_lines));
    found = loaded > 0 ? fmin(found, loaded) * fetched / loaded : 0;
    traffic->dram_read_sectors -= found;
    traffic->fresh_bytes -= found * SECTOR_BYTES;
    traffic->rates.written =
        stores > 0 ? (written + (partial.filled + partial.written) * partial.cost) / stores : 0;
}

double traffic_dirty(const struct gpu *gpu, double dirty, double stored) {
    return fmin(l2_room(gpu), dirty + stored);
}

double traffic_displaced(const struct gpu *gpu, double dirty, double fresh) {
    if (dirty <= 0 || fresh <= l2_room(gpu)) return 0;
    return dirty * (1 - exp(-fresh / dirty));
}
