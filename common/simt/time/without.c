/* time/without.c: see time/without.h. */
#include "without.h"

#include "sm_memory.h"
#include "traffic.h"

#include "simt/device/counters.h"
#include "simt/device/gpu.h"
#include "simt/device/memory.h"
#include "simt/device/sector_set.h"
#include "simt/machine/trace.h"
#include "simt/ptx/ptx.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ANY_BANDWIDTH 1e6 /* times what the GPU has */

static const char *const names[WITHOUT_COUNT] = {
#define WITHOUT(NAME, name) #name,
#include "without.def"
};

static int find_name(const char *name, size_t length) {
    for (int i = 0; i < WITHOUT_COUNT; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) return i;
    return -1;
}

bool without_parse(const char *list, uint32_t *removed, char *error, size_t error_size) {
    *removed = 0;
    for (const char *name = list;; name++) {
        size_t length = strcspn(name, ",");
        int found = find_name(name, length);
        if (found < 0) {
            int n = snprintf(error, error_size, "nothing is called '%.*s'; there are", (int)length,
                             name);
            for (int i = 0; i < WITHOUT_COUNT && n > 0 && (size_t)n < error_size; i++)
                n += snprintf(error + n, error_size - (size_t)n, "%s %s", i ? "," : "", names[i]);
            return false;
        }
        *removed |= 1u << found;
        name += length;
        if (!*name) return true;
    }
}

struct gpu without_gpu(const struct gpu *gpu, uint32_t removed) {
    struct gpu g = *gpu;
    if (lacks(removed, WITHOUT_LATENCY)) {
        g.l2_latency_cycles = g.dram_latency_cycles = g.atomic_latency_cycles = g.l1_latency_cycles;
        g.dram_spread_cycles = g.dram_busy_wait_cycles = g.dram_write_wait_cycles = 0;
    }
    if (lacks(removed, WITHOUT_DRAM)) {
        g.dram_gbs *= ANY_BANDWIDTH;
        g.dram_busy_wait_cycles = g.dram_write_wait_cycles = 0;
    }
    if (lacks(removed, WITHOUT_ATOMICS)) g.atomic_cycles = g.atomic_pass_cycles = 0;
    if (lacks(removed, WITHOUT_LAUNCH)) g.kernel_ns = 0;
    return g;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

void without_footprint(uint32_t removed, struct counters *c, struct trace *trace) {
    if (!lacks(removed, WITHOUT_SECTORS)) return;
    uint64_t atomics = c->atom_sectors + c->red_sectors;
    c->gld_sectors = least_sectors(c->gld_bytes, c->gld_sectors);
    c->gst_sectors = least_sectors(c->gst_bytes, c->gst_sectors);
    c->footprint_read_sectors =
        smaller(c->footprint_read_sectors, c->gld_sectors + c->tex_sectors + atomics);
    c->footprint_write_sectors = smaller(c->footprint_write_sectors, c->gst_sectors + atomics);
    c->footprint_sectors =
        smaller(c->footprint_sectors, c->footprint_read_sectors + c->footprint_write_sectors);
    c->footprint_lines = (c->footprint_sectors + LINE_SECTORS - 1) / LINE_SECTORS;
    c->footprint_write_lines = (c->footprint_write_sectors + LINE_SECTORS - 1) / LINE_SECTORS;
    c->footprint_fetched_sectors = c->footprint_read_sectors;
    c->footprint_partial_sectors = c->footprint_partial_lines = 0;
    trace->sectors_per_block =
        fmin(trace->sectors_per_block, (double)c->gld_sectors / (double)trace->blocks);
}

void without_traffic(uint32_t removed, struct traffic *traffic) {
    bool l2 = lacks(removed, WITHOUT_L2);
    if (l2 || lacks(removed, WITHOUT_L1)) traffic->dram_read_sectors = 0;
    if (l2) traffic->rates.cold_share = traffic->rates.written = traffic->dram_write_sectors = 0;
}

/* The access takes the fewest sectors that would do for its bytes: at each turn others of those
 * that it touches, until all had their turn. So what was loaded before still hits the L1, and what
 * is loaded in parts is loaded once. */
static void gather(struct sector_set *turns, uint64_t warp, struct traced_access *access) {
    uint32_t n = access->least ? access->least : 1;
    uint64_t first = access->sectors[0] & ~SECTOR_SHARED;
    uint32_t turn = (*sector_set_find(turns, first ^ warp))++ % (access->count / n);
    access->sectors += turn * n;
    access->count = n;
    access->flags &= (uint16_t)~ACCESS_PARTIAL;
    access->side_by_side = true;
    if (access->kind == ACCESS_LOAD) access->flags &= ONE_PASS - 1;
}

void without_access(uint32_t removed, struct sector_set *turns, uint64_t warp,
                    struct traced_access *access) {
    switch (access->kind) {
    case ACCESS_LOAD:
    case ACCESS_STORE:
    case ACCESS_LOCAL_LOAD:
    case ACCESS_LOCAL_STORE:
        if (lacks(removed, WITHOUT_SECTORS) && access->least < access->count)
            gather(turns, warp, access);
        break;
    case ACCESS_ATOM:
    case ACCESS_RED:
        if (lacks(removed, WITHOUT_ATOMICS))
            access->flags = (uint16_t)((access->flags & (ONE_PASS - 1) & ~ACCESS_RETRIED) |
                                       ONE_PASS * access->count);
        break;
    case ACCESS_SHARED:
        if (lacks(removed, is_shared_atomic(access) ? WITHOUT_ATOMICS : WITHOUT_CONFLICTS))
            access->count = access->least;
        break;
    default: break;
    }
}
