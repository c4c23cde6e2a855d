/*
 * exec/request.h: one memory instruction of one warp: which lanes, which addresses, which host bytes; and counting it.
 * Shared by the loads and stores (exec/memory.c) and the atomics (exec/atomic.c). run/request.c has the rare parts.
 *
 * A request to global memory is one of three kinds, from the fastest to the slowest:
 *
 *   side by side   lane l at base + l * bytes, in one allocation     one copy, sectors by bit tricks
 *   strided        any addresses in one allocation                   address + delta for each lane
 *   scattered      several allocations, or something is wrong        each lane looked up: host[l], or a fault
 *
 * Device addresses are not host addresses: an allocation's delta takes one to the other.
 */
#ifndef SIMT_EXEC_REQUEST_H
#define SIMT_EXEC_REQUEST_H

#include "banks.h"
#include "coalesce.h"
#include "lane.h"

#define POLL_COST 64 /* fuel that a look at memory which others may change uses up: a spinning warp soon gives way */

enum request_kind { REQUEST_LOAD, REQUEST_STORE, REQUEST_ATOM, REQUEST_RED };

/* address, offset, mask and bytes are the question (request_of). request_global() fills in the others. */
struct request {
    const uint64_t *address; /* row; offset is still to be added */
    int64_t offset;
    uint32_t mask;
    uint32_t bytes;    /* of a lane */
    intptr_t delta;    /* host byte of lane l: address[l] + delta, offset included */
    bool side_by_side; /* lane l at base + l * bytes */
    bool scattered;    /* more than one allocation: host[] */
    uintptr_t base;    /* side by side: host address of lane 0, active or not */
    uintptr_t host[WARP_SIZE];
};

/* The warp looked at memory that others may change. It may be spinning, so its turn ends sooner. */
static inline void poll_mark(struct warp *w) {
    w->fuel -= POLL_COST;
    w->polled = true;
}

/* ---- Global memory ---- */

/* The host address of lane l's bytes, after request_global() returned true. */
static inline uintptr_t host_of(const struct request *r, uint32_t l) {
    return r->scattered ? r->host[l] : (uintptr_t)r->address[l] + (uintptr_t)r->delta;
}

/* Do the active lanes lie side by side? Differences are gathered in `wrong` instead of leaving the loop, so that it is
 * vectorised. Inactive lanes' addresses do not matter. */
static inline bool lies_side_by_side(struct warp *w, const struct request *r) {
    int first = first_lane(r->mask);
    uint64_t lane0 = r->address[first] - (uint64_t)first * r->bytes, wrong = 0;
    if (r->mask == FULL_MASK) {
        VECTOR_LANES wrong |= r->address[l] ^ (lane0 + (uint64_t)l * r->bytes);
    } else {
        const uint32_t *m = spread(w, r->mask);
        VECTOR_LANES wrong |= m[l] ? r->address[l] ^ (lane0 + (uint64_t)l * r->bytes) : 0;
    }
    return wrong == 0;
}

/* run/request.c: look up the allocation that holds `bytes` at address, and remember it. False: there is none. */
bool request_alloc_cache_fill(struct warp *w, const struct op *op, struct alloc_cache *alloc_cache, uint64_t address,
                              uint32_t bytes);
/* run/request.c: a request lane by lane: fills host[] and counts. False: a fault was raised. */
bool request_scattered(struct warp *w, const struct op *op, struct request *r, enum request_kind kind);

/* The lanes in mask access `bytes` bytes each, at operand a and the offset. */
static inline struct request request_of(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes) {
    struct request r;
    r.address = SRC(u64, op->a);
    r.offset = op->offset;
    r.mask = mask;
    r.bytes = bytes;
    return r;
}

/* The cached allocation that holds [low, high): the operation's last one, or a new one. NULL: not in one allocation.
 * low > high is a range that wrapped around. */
static inline struct alloc_cache *alloc_cache_for(struct warp *w, const struct op *op, uint64_t low, uint64_t high) {
    struct alloc_cache *alloc_cache = &w->worker->alloc_caches[op->alloc_cache];
    if (low >= alloc_cache->start && high <= alloc_cache->end && low <= high) return alloc_cache;
    return request_alloc_cache_fill(w, op, alloc_cache, low, (uint32_t)(high - low)) ? alloc_cache : NULL;
}

/* Count one request. asked: different bytes that the lanes asked for; sectors: different ones. Atomics count no
 * bytes. */
static inline void count_request(struct warp *w, enum request_kind kind, uint32_t asked, uint32_t sectors) {
    struct counters *n = &w->worker->counters;
    switch (kind) {
    case REQUEST_LOAD: n->gld_requests++, n->gld_sectors += sectors, n->gld_bytes += asked; break;
    case REQUEST_STORE: n->gst_requests++, n->gst_sectors += sectors, n->gst_bytes += asked; break;
    case REQUEST_ATOM: n->atom_requests++, n->atom_sectors += sectors; break;
    case REQUEST_RED: n->red_requests++, n->red_sectors += sectors; break;
    }
}

static inline enum access_kind access_of(enum request_kind kind) {
    switch (kind) {
    case REQUEST_LOAD: return ACCESS_LOAD;
    case REQUEST_STORE: return ACCESS_STORE;
    case REQUEST_ATOM: return ACCESS_ATOM;
    default: return ACCESS_RED;
    }
}

/* Write the request down for the time model. distinct: how many of the n sectors. ACCESS_PARTIAL: some sectors are not
 * needed whole. */
static inline void trace_request(struct warp *w, const struct op *op, enum request_kind kind, const uint64_t *sectors,
                                 uint32_t n, uint32_t distinct, uint32_t asked) {
    uint32_t flags = asked < distinct * SECTOR_BYTES ? ACCESS_PARTIAL : 0;
    trace_sectors(w->trace, op->insn, access_of(kind), flags, sectors, n);
}

/* Mark a sector of an allocation as loaded, stored or both (atomics): the footprint counters. Maps have a byte for each
 * sector. */
static inline void touch(const struct alloc_cache *alloc_cache, enum request_kind kind, uint64_t sector) {
    uint64_t i = sector - (alloc_cache->start >> SECTOR_SHIFT);
    if (kind != REQUEST_STORE) alloc_cache->loads[i] = 1;
    if (kind != REQUEST_LOAD) alloc_cache->stores[i] = 1;
}

/* Sectors of lanes side by side. lane0: device address of lane 0, active or not. Without counting (loads is NULL) there
 * is nothing to do. */
static inline void count_side_by_side(struct warp *w, const struct op *op, const struct request *r,
                                      enum request_kind kind, const struct alloc_cache *alloc_cache, uint64_t lane0) {
    if (!alloc_cache->loads) return;
    uint64_t sectors = sectors_side_by_side(lane0, r->bytes, r->mask), first = lane0 >> SECTOR_SHIFT;
    uint64_t list[2 * WARP_SIZE];
    uint32_t n = 0, asked = r->bytes * (uint32_t)__builtin_popcount(r->mask);
    count_request(w, kind, asked, (uint32_t)__builtin_popcountll(sectors));
    for (; sectors; sectors &= sectors - 1) {
        uint64_t sector = first + (uint32_t)__builtin_ctzll(sectors);
        touch(alloc_cache, kind, sector);
        list[n++] = sector;
    }
    if (w->trace) trace_request(w, op, kind, list, n, n, asked);
}

/* Lanes that do not lie side by side: the addresses and sectors of the n active ones. */
static inline void count_lanes(struct warp *w, const struct op *op, const struct request *r, enum request_kind kind,
                               const uint64_t *addresses, const uint64_t *sectors, uint32_t n) {
    uint32_t distinct = distinct_values(sectors, n), asked = distinct_bytes(addresses, n, r->bytes, distinct);
    count_request(w, kind, asked, distinct);
    if (w->trace) trace_request(w, op, kind, sectors, n, distinct, asked);
}

/* Lanes that do not lie side by side, all in one allocation. */
static inline void count_strided(struct warp *w, const struct op *op, const struct request *r, enum request_kind kind,
                                 const struct alloc_cache *alloc_cache) {
    uint64_t addresses[WARP_SIZE], sectors[WARP_SIZE];
    uint32_t n = 0;
    EACH_ACTIVE(r->mask) addresses[n++] = r->address[l] + (uint64_t)r->offset;
    for (uint32_t i = 0; i < n; i++) sectors[i] = addresses[i] >> SECTOR_SHIFT;
    for (uint32_t i = 0; i < n; i++) touch(alloc_cache, kind, sectors[i]);
    count_lanes(w, op, r, kind, addresses, sectors, n);
}

/* Lowest address and end of the active lanes' accesses, and all address bits ORed: their low bits show whether any lane
 * is misaligned. */
static inline void request_bounds(struct warp *w, const struct request *r, uint64_t *low, uint64_t *high,
                                  uint64_t *bits) {
    int first = first_lane(r->mask);
    uint64_t least = r->address[first], most = least, any = least;
    if (r->mask == FULL_MASK) {
        VECTOR_LANES {
            uint64_t a = r->address[l];
            least = a < least ? a : least, most = a > most ? a : most, any |= a;
        }
    } else {
        const uint32_t *m = spread(w, r->mask);
        VECTOR_LANES {
            uint64_t a = m[l] ? r->address[l] : r->address[first];
            least = a < least ? a : least, most = a > most ? a : most, any |= a;
        }
    }
    *low = least + (uint64_t)r->offset;
    *high = most + (uint64_t)r->offset + r->bytes;
    *bits = any | (uint64_t)r->offset;
}

/* Find the host bytes of a request to global memory and count it. r has address, offset, mask and bytes; bytes is a
 * power of two. mask is not 0. False: a fault was raised. A misaligned address, several allocations and a write to
 * constant memory go the slow way, which finds the lane at fault. A range in one allocation proves that all lanes are
 * in it. */
static inline bool request_global(struct warp *w, const struct op *op, struct request *r, enum request_kind kind) {
    r->scattered = false;
    r->side_by_side = lies_side_by_side(w, r);
    uint64_t low, high, bits;
    if (r->side_by_side) {
        int first = first_lane(r->mask), last = last_lane(r->mask);
        low = r->address[first] + (uint64_t)r->offset;
        high = low + (uint64_t)(last - first + 1) * r->bytes;
        bits = low;
    } else {
        request_bounds(w, r, &low, &high, &bits);
    }
    struct alloc_cache *alloc_cache = (bits & (r->bytes - 1)) == 0 ? alloc_cache_for(w, op, low, high) : NULL;
    if (!alloc_cache || (alloc_cache->readonly && kind != REQUEST_LOAD)) return request_scattered(w, op, r, kind);
    r->delta = alloc_cache->delta + r->offset;
    if (r->side_by_side) {
        uint64_t lane0 = low - (uint64_t)first_lane(r->mask) * r->bytes;
        r->base = lane0 + (uintptr_t)alloc_cache->delta;
        if (!(op->flags & OP_UNCOUNTED)) count_side_by_side(w, op, r, kind, alloc_cache, lane0);
    } else if (!(op->flags & OP_UNCOUNTED) && alloc_cache->loads) {
        count_strided(w, op, r, kind, alloc_cache);
    }
    return true;
}

/* ---- Shared memory ---- */

/* run/request.c: raise the fault of the first lane that is misaligned or out of bounds. Always false. */
bool request_shared_fault(struct warp *w, const struct op *op, const uint32_t offset[WARP_SIZE], uint32_t mask,
                          uint32_t bytes);

/* Offsets of the lanes in the block's shared memory in bytes, bounds and alignment checked. Inactive lanes get the
 * first active one's, so that the checks may take all lanes. window: what to subtract from a generic address. Only the
 * low 32 bits count, in which every window is 0. False: a fault was raised. */
static inline bool request_shared(struct warp *w, const struct op *op, uint32_t mask, uint32_t bytes, uint64_t window,
                                  uint32_t offset[WARP_SIZE]) {
    uint32_t shift = (uint32_t)((uint64_t)op->offset - window), limit = w->worker->shared_bytes, most = 0, bits = 0;
    if (op->flags & OP_ADDRESS32) {
        const uint32_t *address = SRC(u32, op->a);
        VECTOR_LANES offset[l] = address[l] + shift;
    } else {
        const uint64_t *address = SRC(u64, op->a);
        VECTOR_LANES offset[l] = (uint32_t)address[l] + shift;
    }
    if (mask != FULL_MASK) {
        const uint32_t *m = spread(w, mask), first = offset[first_lane(mask)];
        VECTOR_LANES offset[l] = m[l] ? offset[l] : first;
    }
    VECTOR_LANES most = offset[l] > most ? offset[l] : most;
    VECTOR_LANES bits |= offset[l];
    if ((bits & (bytes - 1)) == 0 && most < limit && limit - most >= bytes) return true;
    return request_shared_fault(w, op, offset, mask, bytes);
}

/* The passes of a request. Lanes a constant number of words apart, the common case, need no list of banks. */
static inline struct passes shared_passes(const uint32_t offset[WARP_SIZE], uint32_t mask, uint32_t bytes) {
    uint32_t stride = offset[1] - offset[0], wrong = 0;
    VECTOR_LANES wrong |= offset[l] ^ (offset[0] + (uint32_t)l * stride);
    /* Inactive lanes have the first active one's offset. So a partial mask fits this pattern only with stride 0: all
     * lanes read one word. */
    if (wrong == 0 && bytes == 4 && stride % 4 == 0) {
        return (struct passes){bank_passes_strided(stride / 4), 1, stride == 0 ? 4 : 4 * WARP_SIZE};
    }
    return bank_request(offset, bytes, mask);
}

/* Count one request to shared memory, and write its passes down for the time model. A load's result is waited for. */
static inline void count_shared(struct warp *w, const struct op *op, const uint32_t offset[WARP_SIZE], uint32_t mask,
                                uint32_t bytes, bool store) {
    if (op->flags & OP_UNCOUNTED) return;
    struct passes passes = shared_passes(offset, mask, bytes);
    struct counters *n = &w->worker->counters;
    if (w->trace) trace_passes(w->trace, op->insn, ACCESS_SHARED, store ? 0 : ACCESS_RESULT, passes.wavefronts);
    if (store) {
        n->shared_st_requests++, n->shared_st_bytes += passes.bytes;
        n->shared_st_wavefronts += passes.wavefronts, n->shared_st_conflicts += passes.wavefronts - passes.least;
    } else {
        n->shared_ld_requests++, n->shared_ld_bytes += passes.bytes;
        n->shared_ld_wavefronts += passes.wavefronts, n->shared_ld_conflicts += passes.wavefronts - passes.least;
    }
}

/* ---- Generic addresses ---- */

/* The spaces that a generic address may point to, told by its highest byte. Constant memory is in the global class. */
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
static inline uint32_t same_class(struct warp *w, const uint64_t *address, uint32_t mask, enum space_class *class) {
    *class = classify(address[first_lane(mask)]);
    if (same_window(w, address, mask)) return mask;
    uint32_t same = 0;
    EACH_ACTIVE(mask) same |= (uint32_t)(classify(address[l]) == *class) << l;
    return same;
}

#endif
