/*
 * time/sm_code.c: where instructions come from. Each scheduler has a cache for them, the
 * multiprocessor another one, which two share on a GPU.
 *
 *      scheduler's 32 KB <- a line in KEPT_CYCLES - multiprocessor's 128 KB <- FETCHED_CYCLES - L2
 *
 * Lines that come for the first time take no time here: what launches and latencies were measured
 * with has that. A loop that is longer than a cache finds nothing in it. Fetches run ahead of the
 * warp, and warps side by side share them. On an H200 instructions of loops of up to 32, 128 and
 * 512 KB take a warp alone 1.0, 2.4 and 5.9 cycles.
 */
#include "sm.h"

#include "lib/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINE_INSNS     8 /* of 16 bytes */
#define KEPT_LINES     256
#define KEPT_WAYS      4 /* 40 KB find nothing */
#define FETCHED_LINES  1024
#define FETCHED_WAYS   8
#define KEPT_CYCLES    17.0
#define FETCHED_CYCLES 47.0
/* lines that a scheduler fetches ahead of its warp; of an Ampere GPU's likely 16: R. Huerta et al.,
 * "Analyzing Modern NVIDIA GPU Cores", 2025, arXiv:2503.20481 */
#define AHEAD 16

enum { HELD = 1, CAME = 2, AGAIN = 4 }; /* of a line: it is there; it came, and more than once */

/* The line is asked for, and in the cache from now on. Returns what was known of it. */
static uint8_t code_cache_ask(const struct code_cache *cache, uint32_t line) {
    uint8_t *flags = &cache->flags[line], was = *flags;
    uint32_t *newest = cache->lines + line % cache->sets * cache->ways,
             *oldest = newest + cache->ways - 1;
    if (was & HELD) return was;
    if (*oldest) cache->flags[*oldest - 1] &= (uint8_t)~HELD;
    memmove(newest + 1, newest, (cache->ways - 1) * sizeof *newest);
    *newest = line + 1;
    *flags = was ? HELD | CAME | AGAIN : HELD | CAME;
    return was;
}

static struct code_cache code_cache_open(uint32_t places, uint32_t lines, uint32_t ways) {
    return (struct code_cache){.lines = need(calloc(lines, sizeof(uint32_t))),
                               .flags = need(calloc(places / LINE_INSNS + 1, 1)),
                               .sets = lines / ways,
                               .ways = ways};
}

void sm_code_open(struct sm *sm) {
    uint32_t places = sm->setup->kernel->nplaces;
    if (places <= KEPT_LINES * LINE_INSNS) return;
    sm->code = code_cache_open(places, FETCHED_LINES, FETCHED_WAYS);
    for (uint32_t i = 0; i < sm->nschedulers; i++)
        sm->schedulers[i].code = code_cache_open(places, KEPT_LINES, KEPT_WAYS);
}

void sm_code_close(struct sm *sm) {
    struct code_cache *caches[SM_MAX_SCHEDULERS + 1] = {&sm->code};
    for (uint32_t i = 0; i < sm->nschedulers; i++) caches[i + 1] = &sm->schedulers[i].code;
    for (uint32_t i = 0; i <= sm->nschedulers; i++) {
        free(caches[i]->lines);
        free(caches[i]->flags);
    }
}

/* When the next line is there, of lines that follow each other so many cycles apart. */
static double next_line(double now, double last, double cycles) {
    return fmax(now - AHEAD * cycles, last) + cycles;
}

/* When the multiprocessor has the line, which a warp asks for now. */
static double fetched_line(struct sm *sm, uint32_t line, double now) {
    uint8_t was = code_cache_ask(&sm->code, line);
    if (was && !(was & HELD)) sm->code_free = next_line(now, sm->code_free, FETCHED_CYCLES);
    return sm->code.flags[line] & AGAIN ? sm->code_free : 0;
}

void sm_code_fetch(struct sm *sm, struct sm_warp *warp, uint32_t at) {
    struct sm_scheduler *scheduler = &sm->schedulers[warp->scheduler];
    uint32_t line = at / LINE_INSNS;
    if (!sm->code.flags || line + 1 == warp->line) return;
    warp->line = line + 1;
    uint8_t was = code_cache_ask(&scheduler->code, line);
    if (was & HELD) return;
    double now = (double)warp->free, fetched = fetched_line(sm, line, now);
    if (!was) return;
    scheduler->code_free = fmax(fetched, next_line(now, scheduler->code_free, KEPT_CYCLES));
    if (scheduler->code_free <= now) return;
    warp->free = (uint64_t)scheduler->code_free;
    warp->stall = STALL_BRANCH;
}
