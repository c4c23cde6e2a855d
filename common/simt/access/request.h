/*
 * access/request.h: one memory instruction of one warp: which lanes, which addresses, which host
 * bytes; and counting it. Shared by the loads and stores (exec/memory.c) and the atomics
 * (exec/atomic.c). access/request.c has the rare parts.
 *
 * A request to global memory is one of two kinds:
 *
 *   a pattern   all lanes in one allocation                 the first lane's bytes, and a step
 *                                                           for each lane
 *   scattered   several allocations, or something is wrong  each lane looked up: host[l], or a
 *                                                           fault
 *
 * Device addresses are not host addresses: an allocation's delta takes one to the other.
 */
#pragma once

#include "pattern.h"
#include "simt/machine/async_copy.h"
#include "simt/machine/races.h"

#define AHEAD         2
#define LINES_AT_ONCE 4
#define HOST_LINE     64 /* bytes of a line of the host's caches */
/* fuel that a look at memory which others may change uses up: a spinning warp soon gives way */
#define POLL_COST 64

enum request_kind { REQUEST_LOAD, REQUEST_STORE, REQUEST_ATOM, REQUEST_RED };

/* Up to patterns, the fields are the question (request_of); request_global() or request_shared()
 * fills in the others. */
struct request {
    const uint64_t *address; /* row; offset is still to be added */
    int64_t offset;
    uint32_t mask;
    uint32_t bytes;                 /* of a lane */
    struct lane_patterns *patterns; /* the operation's */
    struct lane_pattern *lanes;     /* the one that the lanes follow */
    uint64_t at; /* the first active lane's address in global memory, or offset in shared memory */
    char *first; /* the same on the host */
    bool scattered; /* the lanes follow no pattern in one allocation: host[] */
    uintptr_t host[WARP_SIZE];
};

/* The warp looked at memory that others may change. It may be spinning, so its turn ends sooner. */
static inline void poll_mark(struct warp *w) {
    w->fuel -= POLL_COST;
    w->polled = true;
    w->worker->polls++;
}

/* ---- Global memory ---- */

/* The host address of lane l's bytes, for an active lane after a request that returned true. */
static inline char *host_of(const struct request *r, uint32_t l) {
    return r->scattered ? (char *)r->host[l] : r->first + r->lanes->step[l];
}

/* access/request.c: look up the allocation that holds `bytes` at address, and remember it. False:
 * there is none. */
bool request_alloc_cache_fill(struct warp *w, const struct op *op, struct alloc_cache *alloc_cache,
                              uint64_t address, uint64_t bytes);
/* access/request.c: a request lane by lane: fills host[] and counts. False: a fault was raised. */
bool request_scattered(struct warp *w, const struct op *op, struct request *r,
                       enum request_kind kind);

/* A request whose lanes follow a pattern, for what is seldom called and compiled by itself: as only
 * the copy's address is told, the request lies in registers. */
static inline struct request request_copy(const struct request *r) {
    struct request copy;
    copy.address = r->address;
    copy.offset = r->offset;
    copy.mask = r->mask;
    copy.bytes = r->bytes;
    copy.patterns = r->patterns;
    copy.lanes = r->lanes;
    copy.at = r->at;
    copy.first = r->first;
    copy.scattered = false;
    return copy;
}

/* The lanes in mask access `bytes` bytes each, at operand a and the offset. */
static inline struct request request_of(struct warp *w, const struct op *op, uint32_t mask,
                                        uint32_t bytes) {
    struct request r;
    r.address = SRC(u64, op->a);
    r.offset = op->mem.offset;
    r.mask = mask;
    r.bytes = bytes;
    r.patterns = &w->worker->lane_patterns[op->mem.alloc_cache];
    r.scattered = false;
    return r;
}

/* ---- Bulk copies between global and shared memory ---- */

#define PIECE_BYTES 16u /* alignment and unit */

/* The bytes that a lane's bulk copy moves: those beyond whole pieces are left out. */
static inline uint32_t bulk_bytes(uint32_t asked) {
    return asked / PIECE_BYTES * PIECE_BYTES;
}

/* What one lane copies: an address in one allocation, an offset in shared memory, whole pieces. */
struct bulk {
    uint64_t global;
    uint32_t shared, bytes;
};
/* access/request.c: of op, whose operands are the offset a, the address b and the bytes c. False: a
 * fault was raised. */
bool request_bulk(struct warp *w, const struct op *op, uint32_t lane, struct bulk *bulk);
/* access/request.c: the copy's part from `done` on as a request of up to 32 lanes, a piece each.
 * address: room for theirs. */
bool request_pieces(struct warp *w, const struct op *op, const struct bulk *bulk, uint32_t done,
                    uint64_t address[WARP_SIZE], enum request_kind kind, struct request *r);

/* The cached allocation that holds [low, high): the operation's last one, or a new one; its pages
 * there are marked. NULL: not in one allocation. low > high is a range that wrapped around. */
static inline struct alloc_cache *alloc_cache_for(struct warp *w, const struct op *op, uint64_t low,
                                                  uint64_t high) {
    struct alloc_cache *alloc_cache = &w->worker->alloc_caches[op->mem.alloc_cache];
    if (low >= alloc_cache->from && high <= alloc_cache->to && low <= high) return alloc_cache;
    return request_alloc_cache_fill(w, op, alloc_cache, low, high - low) ? alloc_cache : NULL;
}

/* Count one request. asked: different bytes that the lanes asked for; sectors: different ones.
 * Atomics count no bytes. */
static inline void count_request(struct warp *w, enum request_kind kind, uint32_t asked,
                                 uint32_t sectors) {
    struct counters *n = &w->worker->counters;
    switch (kind) {
    case REQUEST_LOAD: n->gld_requests++, n->gld_sectors += sectors, n->gld_bytes += asked; break;
    case REQUEST_STORE: n->gst_requests++, n->gst_sectors += sectors, n->gst_bytes += asked; break;
    case REQUEST_ATOM: n->atom_requests++, n->atom_sectors += sectors; break;
    case REQUEST_RED: n->red_requests++, n->red_sectors += sectors; break;
    }
}

/* Note in which partition of memory one of the grid's first blocks begins to load or to store. */
static inline void note_partition(struct warp *w, enum request_kind kind, uint64_t at) {
    if (!(w->block->unopened >> kind & 1)) return;
    w->block->unopened &= (uint8_t) ~(1 << kind);
    __atomic_fetch_or(&w->worker->grid->partitions[kind],
                      (uint8_t)(1 << at / PARTITION_BYTES % PARTITIONS), __ATOMIC_RELAXED);
}

static inline enum access_kind access_of(enum request_kind kind) {
    switch (kind) {
    case REQUEST_LOAD: return ACCESS_LOAD;
    case REQUEST_STORE: return ACCESS_STORE;
    case REQUEST_ATOM: return ACCESS_ATOM;
    default: return ACCESS_RED;
    }
}

/* Write a request to these sectors down for the time model. passes: of an atomic or a load. flags:
 * ACCESS_HOST, ACCESS_PEER or none. ACCESS_PARTIAL: some sectors are not needed whole. */
static inline void trace_request(struct warp *w, const struct op *op, enum request_kind kind,
                                 const uint64_t *sectors, uint32_t n, uint32_t asked,
                                 uint32_t passes, uint32_t flags) {
    flags |= (asked < n * SECTOR_BYTES ? ACCESS_PARTIAL : 0) | passes << ACCESS_PASSES_SHIFT;
    trace_sectors(w->trace, op->insn, access_of(kind), flags, sectors, n, asked);
}

/* Add up the bytes that stores of a part of a sector write, up to a whole one. The sum is the same
 * in any order. alone: no other host thread runs blocks of the grid, so no host atomic is needed,
 * which would take most of the time. */
static inline void store_part(uint8_t *stored, uint32_t bytes, bool alone) {
    uint8_t before = __atomic_load_n(stored, __ATOMIC_RELAXED), after;
    do {
        if (before == SECTOR_BYTES) return;
        after = (uint8_t)(before + bytes < SECTOR_BYTES ? before + bytes : SECTOR_BYTES);
        if (alone) {
            *stored = after;
            return;
        }
    } while (!__atomic_compare_exchange_n(stored, &before, after, true, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
}

/* Set a mark that other host threads may set too. Most are set already: a write would then only
 * take the cache line away from the others. */
static inline void set_mark(uint8_t *mark, uint8_t value) {
    if (*mark != value) *mark = value;
}

/* Mark a sector of an allocation as loaded, stored or both (atomics): the footprint counters. Maps
 * have a byte for each sector. bytes: how many of it a store writes. */
static inline void touch(const struct warp *w, const struct alloc_cache *alloc_cache,
                         enum request_kind kind, uint64_t sector, uint32_t bytes) {
    uint64_t i = sector - (alloc_cache->start >> SECTOR_SHIFT);
    if (kind != REQUEST_STORE) set_mark(&alloc_cache->loads[i], 1);
    if (kind == REQUEST_STORE && bytes < SECTOR_BYTES)
        store_part(&alloc_cache->stores[i], bytes, !w->worker->atomic);
    else if (kind != REQUEST_LOAD)
        set_mark(&alloc_cache->stores[i], SECTOR_BYTES);
}

/* The same for n sectors that follow each other: loaded, or stored as a whole. */
static inline void touch_whole(const struct alloc_cache *alloc_cache, enum request_kind kind,
                               uint64_t sector, uint32_t n) {
    uint8_t value = kind == REQUEST_LOAD ? 1 : SECTOR_BYTES;
    uint8_t *mark = (kind == REQUEST_LOAD ? alloc_cache->loads : alloc_cache->stores) + sector -
                    (alloc_cache->start >> SECTOR_SHIFT);
    for (; n >= 4; n -= 4, mark += 4) {
        const uint32_t marked = 0x01010101u * value;
        if (memcmp(mark, &marked, 4) != 0) memcpy(mark, &marked, 4);
    }
    while (n--) set_mark(mark++, value);
}

/* The lanes that are served with the first of them: those of its line and of the next three. */
static inline uint32_t first_lines(const uint32_t offset[WARP_SIZE], uint32_t mask) {
    uint32_t lines[LINES_AT_ONCE], n = 0, found = 0;
    for (uint32_t l = 0; l < WARP_SIZE; l++) {
        uint32_t i = 0;
        if (!(mask >> l & 1)) continue;
        while (i < n && lines[i] != offset[l] / LINE_BYTES) i++;
        if (i == LINES_AT_ONCE) continue;
        if (i == n) lines[n++] = offset[l] / LINE_BYTES;
        found |= 1u << l;
    }
    return found;
}

/* Passes of a load through the L1, which looks up four lines at once. Their data lie in banks as
 * shared memory's do. Only where in its line the first lane is matters. */
static inline uint32_t load_passes(const struct request *r) {
    struct lane_pattern *p = r->lanes;
    uint32_t offset[WARP_SIZE], phase = r->at % LINE_BYTES;
    bool whole = r->bytes >= 4; /* words: all banks move together */
    if (p->load_passes &&
        (p->load_phase == phase || (whole && in_same_pieces(p, LINE_BYTES, phase, p->load_phase))))
        return p->load_passes;
    for (int l = 0; l < WARP_SIZE; l++)
        offset[l] = (uint32_t)(r->at + (uint64_t)(int64_t)p->step[l]);
    p->load_passes = 0;
    p->load_phase = phase;
    for (uint32_t left = p->mask, lanes; left; left &= ~lanes) {
        lanes = first_lines(offset, left);
        p->load_passes += bank_request(offset, r->bytes, lanes).wavefronts;
    }
    return p->load_passes;
}

/* What a try of a loop that selects a value is traced as. The load before it stands for a try of
 * all its threads if one has already swapped the word: before, they show whether they want to. */
static inline uint32_t trace_selecting(struct warp *w, enum request_kind kind,
                                       const struct lane_pattern *p, uint32_t *passes) {
    if (kind != REQUEST_LOAD) w->worker->selected = true;
    if (!w->worker->selected) return 0;
    if (kind == REQUEST_LOAD) *passes = (uint32_t)__builtin_popcount(p->mask);
    return ACCESS_SELECTS;
}

/* Write a request down whose lanes follow a pattern. Few blocks are traced, so this is kept out of
 * the handlers. */
static __attribute__((noinline, unused)) void trace_pattern(struct warp *w, const struct op *op,
                                                            const struct request *r,
                                                            enum request_kind kind,
                                                            uint32_t flags) {
    const struct lane_pattern *p = r->lanes;
    uint64_t sectors[WARP_SIZE], first = r->at >> SECTOR_SHIFT;
    for (uint32_t i = 0; i < p->nsectors; i++) sectors[i] = first + (uint64_t)p->sectors[i];
    uint32_t passes = kind == REQUEST_LOAD    ? load_passes(r)
                      : kind == REQUEST_STORE ? 0
                                              : pattern_passes_l2(p);
    bool one_word = passes && p->asked == r->bytes;
    if (one_word) flags |= ACCESS_ONE_WORD | (op->flags & OP_RETRIED ? ACCESS_RETRIED : 0);
    if (one_word && op->flags & OP_SELECTS) flags |= trace_selecting(w, kind, p, &passes);
    trace_request(w, op, kind, sectors, p->nsectors, p->asked, passes, flags);
}

/* Count a request whose lanes follow a pattern. Without counting (loads is NULL) there is nothing
 * to do. */
static inline void count_pattern(struct warp *w, const struct op *op, const struct request *r,
                                 enum request_kind kind, const struct alloc_cache *alloc_cache) {
    if (!alloc_cache->loads || op->flags & OP_UNCOUNTED) return;
    struct lane_pattern *p = r->lanes;
    uint64_t first = r->at >> SECTOR_SHIFT;
    pattern_sectors(p, r->bytes, r->at);
    count_request(w, kind, p->asked, p->nsectors);
    note_partition(w, kind, r->at);
    const uint8_t *bytes =
        kind == REQUEST_STORE ? pattern_sector_bytes(p, r->bytes) : p->sector_bytes;
    if (p->sectors_follow && (kind == REQUEST_LOAD || (kind == REQUEST_STORE && p->all_whole)))
        touch_whole(alloc_cache, kind, first + (uint64_t)p->sectors[0], p->nsectors);
    else
        for (uint32_t i = 0; i < p->nsectors; i++)
            touch(w, alloc_cache, kind, first + (uint64_t)p->sectors[i], bytes[i]);
    if (w->trace) {
        const struct request copy = request_copy(r);
        trace_pattern(w, op, &copy, kind, alloc_cache->remote_kind);
    }
}

/* Warps that follow each other mostly go on at the same distance: the rows of a matrix, say, which
 * the host does not foresee beyond a page. Let it fetch what the operation will ask for AHEAD times
 * from now. */
static inline void fetch_ahead(struct lane_pattern *p, const struct request *r, bool to_write) {
    uint64_t distance = r->at - p->at;
    const char *ahead = (const char *)((uintptr_t)r->first + AHEAD * distance);
    if (to_write) {
        __builtin_prefetch(ahead, 1);
        __builtin_prefetch(ahead + HOST_LINE, 1);
    } else {
        __builtin_prefetch(ahead);
        __builtin_prefetch(ahead + HOST_LINE);
    }
    p->at = r->at;
}

/* The line of the first lane. */
static inline struct race_line *first_line(const struct alloc_cache *alloc_cache, uint64_t at,
                                           uint32_t shift) {
    return alloc_cache->races + ((at >> shift) - (alloc_cache->start >> shift));
}

/* The line in which all bytes [low, high) lie. NULL: they lie in several, or words are noted. */
static inline struct race_line *only_line(const struct alloc_cache *alloc_cache, uint64_t low,
                                          uint64_t high) {
    if (!alloc_cache->lines || (low ^ (high - 1)) >> RACE_LINE_SHIFT) return NULL;
    return (struct race_line *)alloc_cache->lines + (low >> RACE_LINE_SHIFT);
}

/* Note words of a line that a block loads, where no other host thread runs blocks. False: another
 * block stored some of them. */
static inline bool note_load(struct race_line *line, uint32_t me, uint32_t words) {
    enum race_who who = race_take_line(&line->owner, me, true)    ? RACE_OWNER
                        : race_take_line(&line->second, me, true) ? RACE_SECOND
                                                                  : RACE_OTHERS;
    line->loaded[who] |= words;
    return !(words & ((who == RACE_OWNER ? 0 : line->stored[RACE_OWNER]) |
                      line->stored[RACE_SECOND] | line->stored[RACE_OTHERS]));
}

/* Is nothing to note, or noted at once? So it is where the block owns the line and has accessed
 * these words so, where others have loaded and nobody stored them, or where the line is only saved.
 */
static inline bool is_settled(const struct warp *w, enum request_kind kind,
                              const struct alloc_cache *alloc_cache, struct race_line *line,
                              uint32_t words) {
    uint32_t me = (uint32_t)w->block->index + 1;
    bool loads = kind == REQUEST_LOAD;
    if (!alloc_cache->watched) return loads || line->state & RACE_SAVED;
    if (loads && !w->worker->atomic) return note_load(line, me, words);
    if (line->owner == me) return !(words & ~*(loads ? line->loaded : line->stored));
    const uint32_t *stored = line->stored;
    return loads && line->second &&
           !(words & (~line->loaded[RACE_OTHERS] | stored[0] | stored[1] | stored[2]));
}

/* The words of each line. Lanes that follow each other share an entry; one line may have several.
 */
static inline void find_words(struct lane_pattern *p, uint32_t bytes, uint32_t phase,
                              const struct races *races) {
    uint64_t all = (1u << ((bytes - 1) >> races->word_shift) << 1) - 1;
    uint32_t n = 0;
    EACH_ACTIVE(p->bits ? p->mask : p->mask & -p->mask) {
        int64_t at = (int64_t)p->step[l] + phase;
        uint64_t words = all << ((uint32_t)at >> races->word_shift & RACE_LAST_WORD);
        for (int32_t line = (int32_t)(at >> races->shift); words; line++, words >>= 32) {
            if (!n || p->lines[n - 1] != line) {
                p->lines[n] = line;
                p->line_words[n++] = 0;
            }
            p->line_words[n - 1] |= (uint32_t)words;
        }
    }
    p->nlines = n;
    p->lines_phase = phase;
}

/* Note which lines or words the block accesses, where that is not settled. */
static __attribute__((noinline, unused)) void watch_lines(struct warp *w, const struct op *op,
                                                          const struct request *r,
                                                          enum request_kind kind,
                                                          const struct alloc_cache *alloc_cache) {
    const struct races *races = w->worker->grid->races;
    struct lane_pattern *p = r->lanes;
    uint32_t phase = r->at & ((1u << races->shift) - 1), me = (uint32_t)w->block->index + 1;
    struct race_line *first = first_line(alloc_cache, r->at, races->shift);
    if (!p->nlines || p->lines_phase != phase) find_words(p, r->bytes, phase, races);
    for (uint32_t i = 0; i < p->nlines; i++) {
        struct race_line *line = first + p->lines[i];
        uint32_t words = p->line_words[i];
        bool settled =
            line->owner == me && (kind == REQUEST_LOAD || line->state == races->final_state);
        if (races->exact && settled)
            *(kind == REQUEST_LOAD ? line->loaded : line->stored) |= words;
        else if (races->exact)
            races_note_words(w, op, r, kind, alloc_cache, line, words);
        else if (!is_settled(w, kind, alloc_cache, line, words))
            races_note(w, kind, alloc_cache, line, words);
    }
}

/* The lanes access bytes [low, high). */
static inline void watch_races(struct warp *w, const struct op *op, const struct request *r,
                               enum request_kind kind, const struct alloc_cache *alloc_cache,
                               uint64_t low, uint64_t high) {
    struct race_line *line = only_line(alloc_cache, low, high);
    uint32_t first = low >> RACE_WORD_SHIFT & RACE_LAST_WORD,
             last = (high - 1) >> RACE_WORD_SHIFT & RACE_LAST_WORD,
             words = FULL_MASK << first & FULL_MASK >> (RACE_LAST_WORD - last);
    if (!line) {
        const struct request copy = request_copy(r);
        watch_lines(w, op, &copy, kind, alloc_cache);
    } else if (!is_settled(w, kind, alloc_cache, line, words))
        races_note(w, kind, alloc_cache, line, words);
}

/* Find the pattern that the lanes follow. NULL: they are too far apart for one. */
static __attribute__((noinline, unused)) struct lane_pattern *
find_pattern(struct warp *w, struct lane_patterns *all, const uint64_t address[WARP_SIZE],
             uint32_t mask, uint32_t bytes, bool steady) {
    bool follow = steady ? pattern_of_steady(w, all, address, mask, bytes)
                         : pattern_of(w, all, address, mask, bytes);
    return follow ? &all->of[all->last] : NULL;
}

/* Find the host bytes of a request to global memory whose lanes follow a pattern in one allocation,
 * and count it. r comes from request_of(); bytes is a power of two. mask is not 0. False: it is
 * another request, or a faulty one: request_global() must look at it. A range in one allocation
 * proves that all lanes are in it. */
static inline __attribute__((always_inline)) bool
request_pattern(struct warp *w, const struct op *op, struct request *r, enum request_kind kind) {
    bool steady = op->flags & w->worker->steady;
    struct lane_pattern *p = &r->patterns->of[r->patterns->last];
    if (!steady || !is_steady(p, r->address, r->mask))
        p = find_pattern(w, r->patterns, r->address, r->mask, r->bytes, steady);
    r->lanes = p;
    r->at = r->address[first_lane(r->mask)] + (uint64_t)r->offset;
    if (!p || ((r->at | p->bits) & (r->bytes - 1)) != 0) return false;
    uint64_t low = r->at + (uint64_t)p->low, high = r->at + (uint64_t)p->high + r->bytes;
    struct alloc_cache *alloc_cache = alloc_cache_for(w, op, low, high);
    if (!alloc_cache || (alloc_cache->readonly && kind != REQUEST_LOAD)) return false;
    r->first = (char *)(r->at + (uintptr_t)alloc_cache->delta);
    fetch_ahead(p, r, kind != REQUEST_LOAD);
    count_pattern(w, op, r, kind, alloc_cache);
    if (alloc_cache->races) watch_races(w, op, r, kind, alloc_cache, low, high);
    return true;
}

/* The same for any request. False: a fault was raised. A misaligned address, several allocations
 * and a write to memory for reading go the slow way, which finds the lane at fault. */
static inline bool request_global(struct warp *w, const struct op *op, struct request *r,
                                  enum request_kind kind) {
    return request_pattern(w, op, r, kind) || request_scattered(w, op, r, kind);
}

/* The warp looked at these bytes of global memory, which others may change: after the look. */
static inline void poll_global(struct warp *w, const struct request *r) {
    poll_mark(w);
    if (r->scattered)
        w->block->polls.incomplete = true;
    else
        polls_note(&w->block->polls, r->first + r->lanes->low,
                   (uint64_t)(r->lanes->high - r->lanes->low) + r->bytes);
}

/* ---- Shared memory ---- */

static inline void poll_shared(struct warp *w) {
    poll_mark(w);
    w->block->polls.incomplete = true;
}

/* access/request.c: raise the fault of the first lane that is misaligned or out of bounds. Always
 * false. */
bool request_shared_fault(struct warp *w, const struct op *op, const struct request *r);

/* Find the pattern that the lanes follow in shared memory. */
static __attribute__((noinline, unused)) struct lane_pattern *
find_short_pattern(struct warp *w, const struct op *op, struct lane_patterns *all,
                   const uint64_t *wide, uint32_t mask, uint32_t bytes) {
    uint32_t low_words[WARP_SIZE] __attribute__((aligned(64)));
    const uint32_t *address = (const uint32_t *)wide;
    if (!(op->flags & OP_ADDRESS32)) {
        VECTOR_LANES low_words[l] = (uint32_t)wide[l];
        address = low_words;
    }
    pattern_of_short(w, all, address, mask, bytes);
    return &all->of[all->last];
}

/* Find the bytes of a request to the block's shared memory; r as for request_pattern(). Bounds and
 * alignment are checked. Only the low 32 bits of an address count; in those every window is 0.
 * False: a lane is at fault, for request_shared() to find. */
static inline __attribute__((always_inline)) bool
request_shared_pattern(struct warp *w, const struct op *op, struct request *r) {
    int first = first_lane(r->mask);
    struct lane_pattern *p = &r->patterns->of[r->patterns->last];
    bool steady = op->flags & w->worker->steady && p->mask == r->mask;
    if (!steady) p = find_short_pattern(w, op, r->patterns, r->address, r->mask, r->bytes);
    r->lanes = p;
    r->at = op->flags & OP_ADDRESS32 ? ((const uint32_t *)r->address)[first] : r->address[first];
    r->at = (uint32_t)(r->at + (uint64_t)r->offset);
    r->first = w->block->shared + r->at;
    int64_t low = (int64_t)r->at + p->low, high = (int64_t)r->at + p->high + r->bytes;
    bool inside = low >= w->worker->first_shared && high <= w->worker->shared_bytes;
    return inside && ((r->at | p->bits) & (r->bytes - 1)) == 0;
}

/* The same. False: a fault was raised. */
static inline bool request_shared(struct warp *w, const struct op *op, struct request *r) {
    return request_shared_pattern(w, op, r) || request_shared_fault(w, op, r);
}

/* Count one request to shared memory, and write its passes down for the time model. A load's result
 * is waited for. */
static inline void count_shared(struct warp *w, const struct op *op, const struct request *r,
                                bool store) {
    if (op->flags & OP_UNCOUNTED) return;
    struct passes passes = pattern_passes(r->lanes, (uint32_t)r->at, r->bytes);
    struct counters *n = &w->worker->counters;
    if (w->trace)
        trace_passes(w->trace, op->insn, ACCESS_SHARED, store ? 0 : ACCESS_RESULT,
                     passes.wavefronts, passes.least);
    if (store) {
        n->shared_st_requests++, n->shared_st_bytes += passes.bytes;
        n->shared_st_wavefronts += passes.wavefronts,
            n->shared_st_conflicts += passes.wavefronts - passes.least;
    } else {
        n->shared_ld_requests++, n->shared_ld_bytes += passes.bytes;
        n->shared_ld_ahead += w->copies && w->copies->n;
        n->shared_ld_wavefronts += passes.wavefronts,
            n->shared_ld_conflicts += passes.wavefronts - passes.least;
    }
}

/* ---- Generic addresses ---- */

/* The spaces that a generic address may point to, told by its highest byte. Constant memory is in
 * the global class. */
enum space_class { CLASS_GLOBAL, CLASS_SHARED, CLASS_LOCAL, CLASS_PARAM };

static inline enum space_class classify(uint64_t address) {
    switch (address & WINDOW_MASK) {
    case SHARED_WINDOW: return CLASS_SHARED;
    case LOCAL_WINDOW: return CLASS_LOCAL;
    case PARAM_WINDOW: return CLASS_PARAM;
    default: return CLASS_GLOBAL;
    }
}

/* Is every active lane's address in the same window? */
static inline bool same_window(struct warp *w, const uint64_t *address, uint32_t mask) {
    uint64_t first = address[first_lane(mask)], wrong = 0;
    if (mask == FULL_MASK) {
        VECTOR_LANES wrong |= address[l] ^ first;
    } else {
        const uint32_t *m = spread(w, mask);
        VECTOR_LANES wrong |= m[l] ? address[l] ^ first : 0;
    }
    return (wrong & WINDOW_MASK) == 0;
}

/* The lanes of mask whose generic address is in the same space as that of the first of them. */
static inline uint32_t same_class(struct warp *w, const uint64_t *address, uint32_t mask,
                                  enum space_class *class) {
    *class = classify(address[first_lane(mask)]);
    if (same_window(w, address, mask)) return mask;
    uint32_t same = 0;
    EACH_ACTIVE(mask) same |= (uint32_t)(classify(address[l]) == *class) << l;
    return same;
}
