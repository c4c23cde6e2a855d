/* machine/trace_finish.c: after the launch: which sectors several traced blocks touch, and how many a block loads. */
#include "simt/device/sector_set.h"
#include "trace.h"

#define LOADED (1u << 31) /* the block that touched the sector last also loaded it */
#define SHARED (1u << 30) /* more than one block touched it */
#define BLOCK  (SHARED - 1)

typedef void visitor(struct trace *trace, uint32_t block, enum access_kind kind, uint64_t *sector,
                     struct sector_set *set);

/* Visit the global sectors of all traced accesses, block by block. */
static void each_sector(struct trace *trace, struct sector_set *set, visitor *visit) {
    for (uint32_t b = 0; b < trace->n; b++)
        for (uint32_t w = 0; w < trace->traced[b].nwarps; w++) {
            const struct warp_trace *warp = &trace->traced[b].warps[w];
            for (uint32_t i = 0; i < warp->naccesses; i++) {
                const struct traced_access *access = &warp->accesses[i];
                if (access->kind >= ACCESS_LOCAL_LOAD) continue;
                for (uint32_t k = 0; k < access->count; k++) visit(trace, b, access->kind, &access->sectors[k], set);
            }
        }
}

/*
 * First pass: remember who touched the sector. Its word in the set:
 *
 *   bit 31    bit 30    bits 29 .. 0
 *   LOADED    SHARED    the last block that touched it, plus one; 0: none
 */
static void note(struct trace *trace, uint32_t block, enum access_kind kind, uint64_t *sector, struct sector_set *set) {
    uint32_t *word = sector_set_find(set, *sector);
    uint32_t last = *word & BLOCK;
    if (last != block + 1) *word = (last ? SHARED : 0) | (block + 1);
    if (kind == ACCESS_STORE || kind == ACCESS_RED || *word & LOADED) return;
    *word |= LOADED;
    trace->sectors_per_block++;
}

/* Second pass: mark the sectors in the trace that the first pass found shared. */
static void mark(struct trace *trace, uint32_t block, enum access_kind kind, uint64_t *sector, struct sector_set *set) {
    (void)trace, (void)block, (void)kind;
    const uint32_t *word = sector_set_find(set, *sector);
    if (*word & SHARED) *sector |= SECTOR_SHARED;
}

void trace_finish(struct trace *trace) {
    /* A sector is shared from the second block on, so the mark needs a pass after all notes. */
    struct sector_set set = {0};
    trace->sectors_per_block = 0;
    each_sector(trace, &set, note);
    each_sector(trace, &set, mark);
    if (trace->n) trace->sectors_per_block /= trace->n;
    sector_set_free(&set);
}
