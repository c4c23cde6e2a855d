/* access/sectors.h: the different sectors that texture and surface accesses of a warp touch, and
 * counting them. */
#pragma once

#include "request.h"

#define MOST_SECTORS 512 /* 32 threads, 16 texels each */

struct sectors {
    uint32_t n;
    uint64_t at[MOST_SECTORS]; /* numbers, each once */
};

static inline void sectors_put(struct sectors *s, uint64_t sector) {
    for (uint32_t i = s->n; i-- > 0;)
        if (s->at[i] == sector) return;
    if (s->n < MOST_SECTORS) s->at[s->n++] = sector;
}

static inline void sectors_add(struct sectors *s, uint64_t address) {
    sectors_put(s, address >> SECTOR_SHIFT);
}

static inline void sectors_join(struct sectors *s, const struct sectors *more) {
    for (uint32_t i = 0; i < more->n; i++) sectors_put(s, more->at[i]);
}

/* Mark the sectors in the footprint, and write the access down for the time model. */
static inline void sectors_count(struct warp *w, const struct op *op, const struct sectors *s,
                                 enum request_kind kind, enum access_kind access, uint32_t passes) {
    struct alloc_cache *cache = &w->worker->alloc_caches[op->mem.alloc_cache];
    if (!w->worker->grid->launch->count) return;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t address = s->at[i] << SECTOR_SHIFT;
        bool holds = address >= cache->from && address < cache->to;
        if (holds || request_alloc_cache_fill(w, op, cache, address, 1))
            touch(w, cache, kind, s->at[i], SECTOR_BYTES);
    }
    if (w->trace)
        trace_sectors(w->trace, op->insn, access, passes << ACCESS_PASSES_SHIFT, s->at, s->n,
                      s->n * SECTOR_BYTES);
}
