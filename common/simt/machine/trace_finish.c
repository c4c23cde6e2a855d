/* machine/trace_finish.c: after the launch: which sectors several traced blocks touch, and how many
 * a block loads. */
#include "simt/device/sector_set.h"
#include "trace.h"

#define LINE_MASK ((1u << LINE_SECTORS) - 1)

/* Find for each line the bits of the sectors that any block touches, and << LINE_SECTORS those that
 * several do. */
static void compare_blocks(const struct trace *trace, struct sector_set *lines) {
    for (uint32_t b = 0; b < trace->n; b++) {
        const uint32_t *touched;
        for (uint64_t at = 0, line;
             (touched = sector_set_next(&trace->traced[b].touched, &at, &line));) {
            uint32_t *word = sector_set_find(lines, line), bits = *touched & LINE_MASK;
            *word |= bits | (*word & bits) << LINE_SECTORS;
        }
    }
}

static void count_sharers(struct trace *trace) {
    trace->compared = trace->n;
    for (uint32_t b = 0; b < trace->n; b++)
        for (uint64_t at = 0, line; sector_set_next(&trace->traced[b].touched, &at, &line);) {
            uint32_t *word = sector_set_find(&trace->sharers, line / SLICE_LINES);
            if (*word >> 16 != b + 1) *word = (b + 1) << 16 | (*word % (1u << 16) + 1);
        }
}

#define RECENT_LINES 256

/* The lines that were looked up last, by their lowest bits: a warp comes back to most lines
 * soon. */
struct recent {
    uint64_t line; /* + 1; 0: none */
    uint32_t shared;
};

/* The bits of the line's sectors that several blocks touch. */
static uint32_t shared_sectors(uint64_t line, struct sector_set *lines,
                               struct recent recent[RECENT_LINES]) {
    struct recent *place = &recent[line % RECENT_LINES];
    if (place->line != line + 1)
        *place = (struct recent){line + 1, *sector_set_find(lines, line) >> LINE_SECTORS};
    return place->shared;
}

/* Mark the sectors of a warp's accesses that several blocks touch. */
static void mark(const struct warp_trace *warp, struct sector_set *lines,
                 struct recent recent[RECENT_LINES]) {
    for (uint32_t i = 0; i < warp->naccesses; i++) {
        const struct traced_access *access = &warp->accesses[i];
        if (access->kind >= ACCESS_LOCAL_LOAD) continue;
        for (uint32_t from = 0, to = 0; to < access->count; from = to) {
            uint32_t shared = shared_sectors(access->sectors[from] / LINE_SECTORS, lines, recent);
            trace_line_bits(access->sectors, access->count, &to);
            for (uint32_t k = from; shared && k < to; k++)
                if (shared >> access->sectors[k] % LINE_SECTORS & 1)
                    access->sectors[k] |= SECTOR_SHARED;
        }
    }
}

/* ---- In step or not: all blocks of a matrix product load the same at one time, those of a hash
 * table when they come to it ---- */

#define COMPARED_BLOCKS 16
#define COMPARED_LINES  8 /* every eighth line */
#define ORDINALS        (1u << 24)

struct in_step {
    struct sector_set firsts,
        seen; /* by pair: block and ordinal of the first load; by pair and block */
    double compared, same;
};

static void compare_load(struct in_step *s, uint64_t pair, uint32_t block, uint32_t ordinal) {
    uint32_t *first = sector_set_find(&s->firsts, pair);
    uint32_t *seen = sector_set_find(&s->seen, pair * COMPARED_BLOCKS + block);
    if ((*seen)++) return;
    if (!*first) {
        *first = (block + 1) * ORDINALS + ordinal % ORDINALS;
        return;
    }
    s->compared++;
    s->same += ordinal % ORDINALS == *first % ORDINALS;
}

static void compare_loads(struct in_step *s, const struct warp_trace *warp, uint32_t block) {
    for (uint32_t i = 0; i < warp->naccesses; i++) {
        const struct traced_access *access = &warp->accesses[i];
        if (access->kind != ACCESS_LOAD) continue;
        for (uint32_t k = 0; k < access->count; k++) {
            uint64_t sector = access->sectors[k] & ~SECTOR_SHARED;
            if (access->sectors[k] & SECTOR_SHARED && sector / LINE_SECTORS % COMPARED_LINES == 0)
                compare_load(s, sector / DRAM_SECTORS, block, i);
        }
    }
}

static void find_in_step(struct trace *trace) {
    struct in_step s = {0};
    uint32_t block = 0;
    for (uint32_t b = 0; b < trace->n && block < COMPARED_BLOCKS; b++) {
        for (uint32_t w = 0; w < trace->traced[b].nwarps; w++)
            compare_loads(&s, &trace->traced[b].warps[w], block);
        block++;
    }
    sector_set_free(&s.firsts);
    sector_set_free(&s.seen);
    trace->apart = s.compared == 0;
    trace->in_step = trace->apart ? 1 : s.same / s.compared;
}

/* ---- Which trace it is ---- */

/* Of whole words, for speed: a trace may have millions. */
static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 32;
}

static uint64_t hash_warp(uint64_t hash, const struct warp_trace *warp) {
    hash = mix(hash, (uint64_t)warp->nenters << 32 | warp->naccesses);
    hash = mix(hash, (uint64_t)warp->size << 1 | warp->full);
    for (uint32_t i = 0; i < warp->nenters; i++) {
        const struct traced_enter *enter = &warp->enters[i];
        hash = mix(hash, (uint64_t)enter->tally << 32 | enter->lanes);
        hash = mix(hash, enter->access);
    }
    for (uint32_t i = 0; i < warp->naccesses; i++) {
        const struct traced_access *access = &warp->accesses[i];
        hash = mix(hash, (uintptr_t)access->insn ^ (uint64_t)access->place << 32);
        hash = mix(hash, (uint64_t)access->count << 32 | (uint32_t)access->flags << 16 |
                             (uint32_t)access->kind << 8 | access->least);
        for (uint32_t k = 0; access->sectors && k < access->count; k++)
            hash = mix(hash, access->sectors[k]);
    }
    return hash;
}

static uint64_t hash_blocks(const struct trace *trace) {
    uint64_t hash = mix(trace->n, (uint64_t)(trace->in_step * ORDINALS));
    for (uint32_t b = 0; b < trace->n; b++) {
        const struct block_trace *block = &trace->traced[b];
        hash = mix(hash, block->nwarps);
        for (uint32_t w = 0; w < block->nwarps; w++) hash = hash_warp(hash, &block->warps[w]);
    }
    return hash;
}

/* Sectors of whole pairs of which the block loads one or both. */
static double paired(const struct sector_set *touched) {
    double sectors = 0;
    const uint32_t *word;
    for (uint64_t at = 0, line; (word = sector_set_next(touched, &at, &line));)
        for (uint32_t loaded = *word >> LINE_SECTORS; loaded; loaded >>= DRAM_SECTORS)
            if (loaded & LINE_MASK >> DRAM_SECTORS) sectors += DRAM_SECTORS;
    return sectors;
}

void trace_finish(struct trace *trace) {
    struct sector_set lines = {0};
    struct recent recent[RECENT_LINES] = {{0, 0}};
    double loaded = 0, stored = 0, pairs = 0;
    compare_blocks(trace, &lines);
    trace->replayed_sectors = 0;
    const uint32_t *word;
    for (uint64_t at = 0, line; (word = sector_set_next(&lines, &at, &line));)
        trace->replayed_sectors += (unsigned)__builtin_popcount(*word & LINE_MASK);
    for (uint32_t b = 0; b < trace->n; b++) {
        loaded += trace->traced[b].loaded;
        stored += trace->traced[b].stored;
        pairs += paired(&trace->traced[b].touched);
        for (uint32_t w = 0; w < trace->traced[b].nwarps; w++)
            mark(&trace->traced[b].warps[w], &lines, recent);
    }
    count_sharers(trace);
    find_in_step(trace);
    if (trace->n) trace->sectors_per_block = loaded / trace->n;
    if (trace->n) trace->paired_per_block = pairs / trace->n;
    if (trace->n) trace->stores_per_block = stored / trace->n;
    trace->hash = hash_blocks(trace);
    sector_set_free(&lines);
}
