/*
 * native/known.c: requests whose lanes lie as they did when the operation was last executed, so that its lane pattern
 * says what they count. exec/request.h has the general case; the counters are the same.
 */
#include "requests.h"

/* Requests whose bytes the host fetches already: as in exec/request.h. */
#define AHEAD     2
#define HOST_LINE 64

/* The code that calls these keeps rows in vector registers. */
#ifdef __x86_64__
#define NO_VECTORS __attribute__((target("general-regs-only")))
#else
#define NO_VECTORS
#endif

NO_VECTORS static bool is_known(const struct warp *w, const struct op *op, const struct lane_pattern *p, uint64_t at) {
    uint32_t bytes = (uint32_t)op->size * op->vector;
    bool moves = p->shape == LANES_SAME || op->vector == 1;
    bool is_traced = w->trace && !w->trace->full;
    return p->mask == FULL_MASK && moves && !is_traced && ((at | p->bits) & (bytes - 1)) == 0;
}

NO_VECTORS struct known known_shared(struct warp *w, const struct op *op, uint64_t address) {
    const struct known unknown = {NULL, 0};
    struct worker *worker = w->worker;
    const struct lane_pattern *p = &worker->lane_patterns[op->alloc_cache];
    uint32_t at = (uint32_t)(address + (uint64_t)op->offset);
    int64_t low = (int64_t)at + p->low, high = (int64_t)at + p->high + op->size * op->vector;
    if (!is_known(w, op, p, at) || low < 0 || high > worker->shared_bytes) return unknown;
    if (!p->passes.least || p->passes_phase != at % 4) return unknown;
    worker->counters.shared_ld_requests++;
    worker->counters.shared_ld_bytes += p->passes.bytes;
    worker->counters.shared_ld_wavefronts += p->passes.wavefronts;
    worker->counters.shared_ld_conflicts += p->passes.wavefronts - p->passes.least;
    return (struct known){w->block->shared + at, p->shape};
}

NO_VECTORS struct known known_global(struct warp *w, const struct op *op, uint64_t address) {
    const struct known unknown = {NULL, 0};
    struct worker *worker = w->worker;
    struct lane_pattern *p = &worker->lane_patterns[op->alloc_cache];
    const struct alloc_cache *cache = &worker->alloc_caches[op->alloc_cache];
    uint64_t at = address + (uint64_t)op->offset, low = at + (uint64_t)(int64_t)p->low;
    uint64_t high = at + (uint64_t)(int64_t)p->high + op->size * op->vector;
    if (!is_known(w, op, p, at) || low < cache->start || high > cache->end || low > high || cache->races)
        return unknown;
    if (cache->loads) {
        if (!p->nsectors || (p->phase != at % SECTOR_BYTES && p->bits % SECTOR_BYTES != 0)) return unknown;
        worker->counters.gld_requests++;
        worker->counters.gld_sectors += p->nsectors;
        worker->counters.gld_bytes += p->asked;
        uint8_t *first = cache->loads + (at / SECTOR_BYTES - cache->start / SECTOR_BYTES);
        for (uint32_t i = 0; i < p->nsectors; i++)
            if (!first[p->sectors[i]]) first[p->sectors[i]] = 1;
    }
    const char *host = (const char *)(at + (uintptr_t)cache->delta),
               *ahead = (const char *)((uintptr_t)host + AHEAD * (at - p->at));
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + HOST_LINE);
    p->at = at;
    return (struct known){host, p->shape};
}
