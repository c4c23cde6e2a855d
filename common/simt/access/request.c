/*
 * access/request.c: the rare parts of memory requests: finding an allocation, lanes in several
 * allocations, faults. The common parts are inline in access/request.h, which this file includes
 * once more, compiled for no special instruction set.
 */
#include "request.h"

/* Does a request of this kind change memory? */
/* Forget all cached allocations if one was freed since they were filled. Each worker does this for
 * its caches. */
static void alloc_caches_refresh(struct worker *worker) {
    if (worker->generation == memory_generation()) return;
    memset(worker->alloc_caches, 0, worker->kernel->nalloc_caches * sizeof *worker->alloc_caches);
    worker->generation = memory_generation();
}

/* Where memory lies that is not the device's own. */
static uint8_t remote_kind(const struct allocation *allocation) {
    if (allocation->kind == ALLOC_PINNED) return ACCESS_HOST;
    return memory_is_remote(allocation) ? ACCESS_PEER : 0;
}

/* Mark the pages of [from, to) where marks or lines of races may follow, and those between it and
 * the last range of the same allocation if that is near: a loop over a grid's stride comes back. */
static void mark_pages(struct alloc_cache *alloc_cache, const struct allocation *allocation,
                       struct alloc_cache last, uint64_t from, uint64_t to) {
    const uint64_t near = 16 * TOUCH_PAGE_BYTES;
    bool joins =
        last.start == allocation->address && from <= last.to + near && last.from <= to + near;
    alloc_cache->from = joins && last.from < from ? last.from : from;
    alloc_cache->to = joins && last.to > to ? last.to : to;
    memory_touch_pages(allocation, &alloc_cache->from, &alloc_cache->to);
}

/* Find the allocation that holds the bytes and remember it. False: no allocation that the device
 * reaches holds them all. loads and stores of the cache stay NULL unless the launch counts: no
 * touched sectors are noted then. */
bool request_alloc_cache_fill(struct warp *w, const struct op *op, struct alloc_cache *alloc_cache,
                              uint64_t address, uint64_t bytes) {
    alloc_caches_refresh(w->worker);
    const struct alloc_cache last = *alloc_cache;
    struct allocation *allocation = memory_find(address, bytes);
    if (!allocation || !memory_reached(allocation)) return false;
    if (allocation->kind == ALLOC_ARRAY && !op->insn->geometry) return false;
    struct races *races = w->worker->grid->races;
    if (races && !allocation->races && ptx_stores(op->insn))
        __atomic_store_n(&races->incomplete, true, __ATOMIC_RELAXED);
    *alloc_cache = (struct alloc_cache){.start = allocation->address,
                                        .end = allocation->address + allocation->size,
                                        .from = allocation->address,
                                        .to = allocation->address + allocation->size,
                                        .delta = allocation->delta,
                                        .races = allocation->races,
                                        .watched = allocation->races_watched,
                                        .readonly = allocation->read_only,
                                        .remote_kind = remote_kind(allocation)};
    if (allocation->races && !races->exact)
        alloc_cache->lines = (uintptr_t)allocation->races -
                             (allocation->address >> RACE_LINE_SHIFT) * sizeof(struct race_line);
    if (!w->worker->grid->launch->count && !allocation->races) return true;
    uint8_t *map = memory_touch_map(allocation);
    mark_pages(alloc_cache, allocation, last, address, address + bytes);
    if (!w->worker->grid->launch->count) return true;
    alloc_cache->loads = map;
    alloc_cache->stores = map + memory_touch_sectors(allocation);
    return true;
}

/* Note for one lane which words its block accesses. */
static void watch_lane(struct warp *w, const struct op *op, const struct request *r,
                       enum request_kind kind, int lane, const struct alloc_cache *alloc_cache) {
    const struct races *races = w->worker->grid->races;
    uint64_t address = r->address[lane] + (uint64_t)r->offset;
    uint64_t all = (1u << ((r->bytes - 1) >> races->word_shift) << 1) - 1,
             words = all << (address >> races->word_shift & RACE_LAST_WORD);
    struct race_line *line = first_line(alloc_cache, address, races->shift);
    struct request alone = *r;
    alone.mask = 1u << lane;
    alone.host[lane] = (uintptr_t)address + (uintptr_t)alloc_cache->delta;
    for (; words; line++, words >>= 32)
        if (races->exact)
            races_note_words(w, op, &alone, kind, alloc_cache, line, (uint32_t)words);
        else
            races_note(w, kind, alloc_cache, line, (uint32_t)words);
}

/* One lane of a scattered request: check it, mark the sector as touched, return the host address; 0
 * after a fault. */
static uintptr_t lane_host(struct warp *w, const struct op *op, const struct request *r,
                           enum request_kind kind, int lane) {
    uint64_t address = r->address[lane] + (uint64_t)r->offset;
    struct alloc_cache alloc_cache = {0};
    if (address & (r->bytes - 1)) {
        fault_access(w, op, lane, address, r->bytes, "misaligned");
        return 0;
    }
    if (!request_alloc_cache_fill(w, op, &alloc_cache, address, r->bytes)) {
        intptr_t delta;
        if (memory_overrun(address, r->bytes, &delta)) {
            fault_passed(w, op, lane, address, r->bytes);
            return (uintptr_t)address + (uintptr_t)delta;
        }
        fault_access(w, op, lane, address, r->bytes, "out of bounds");
        return 0;
    }
    if (alloc_cache.readonly && kind != REQUEST_LOAD) {
        fault_access(w, op, lane, address, r->bytes, "registered for reading only");
        return 0;
    }
    if (alloc_cache.loads && !(op->flags & OP_UNCOUNTED))
        touch(w, &alloc_cache, kind, address >> SECTOR_SHIFT, r->bytes);
    if (alloc_cache.races) watch_lane(w, op, r, kind, lane, &alloc_cache);
    return (uintptr_t)address + (uintptr_t)alloc_cache.delta;
}

/* The lanes lie in several allocations, or one of them is at fault: lane by lane. Fills r->host and
 * counts the request. False: a fault was raised. */
bool request_scattered(struct warp *w, const struct op *op, struct request *r,
                       enum request_kind kind) {
    uint64_t addresses[WARP_SIZE], sectors[WARP_SIZE];
    uint32_t n = 0;
    r->scattered = true;
    EACH_ACTIVE(r->mask) {
        r->host[l] = lane_host(w, op, r, kind, (int)l);
        if (!r->host[l]) return false;
        addresses[n] = r->address[l] + (uint64_t)r->offset;
        sectors[n] = addresses[n] >> SECTOR_SHIFT;
        n++;
    }
    if (op->flags & OP_UNCOUNTED) return true;
    uint32_t distinct = distinct_values(sectors, n),
             asked = distinct_bytes(addresses, n, r->bytes, distinct);
    count_request(w, kind, asked, distinct);
    note_partition(w, kind, addresses[0]);
    if (w->trace) trace_request(w, op, kind, sectors, distinct, asked, distinct, 0);
    return true;
}

/* Raise the fault of the first lane whose offset is misaligned or out of bounds. The caller has
 * seen that there is one. Always false. */
bool request_shared_fault(struct warp *w, const struct op *op, const struct request *r) {
    EACH_ACTIVE(r->mask) {
        uint32_t offset = (uint32_t)r->at + (uint32_t)r->lanes->step[l];
        if (offset & (r->bytes - 1))
            return fault_access(w, op, (int)l, SHARED_WINDOW | offset, r->bytes, "misaligned");
        if (!shared_is_inside(w->worker, offset, r->bytes))
            return fault_access(w, op, (int)l, SHARED_WINDOW | offset, r->bytes, "out of bounds");
    }
    return false;
}

bool request_bulk(struct warp *w, const struct op *op, uint32_t lane, struct bulk *bulk) {
    uint64_t global = SRC(u64, op->b)[lane] + (uint64_t)(int64_t)op->mem.from_offset;
    uint32_t low =
        op->flags & OP_ADDRESS32 ? SRC(u32, op->a)[lane] : (uint32_t)SRC(u64, op->a)[lane];
    uint64_t shared = (uint64_t)low + (uint64_t)op->mem.offset;
    uint32_t n = bulk_bytes(SRC(u32, op->c)[lane]);
    *bulk = (struct bulk){global, (uint32_t)shared, n};
    if ((global | shared) % PIECE_BYTES)
        return fault_access(w, op, (int)lane,
                            global % PIECE_BYTES ? global : SHARED_WINDOW | shared, PIECE_BYTES,
                            "misaligned");
    if (!shared_is_inside(w->worker, shared, n))
        return fault_access(w, op, (int)lane, SHARED_WINDOW | shared, n, "out of bounds");
    return !n || memory_find(global, n) ||
           fault_access(w, op, (int)lane, global, n, "out of bounds");
}

bool request_pieces(struct warp *w, const struct op *op, const struct bulk *bulk, uint32_t done,
                    uint64_t address[WARP_SIZE], enum request_kind kind, struct request *r) {
    uint32_t pieces = (bulk->bytes - done) / PIECE_BYTES;
    for (uint32_t l = 0; l < WARP_SIZE; l++)
        address[l] = bulk->global + done + PIECE_BYTES * (uint64_t)l;
    *r = request_of(w, op, pieces < WARP_SIZE ? (1u << pieces) - 1 : FULL_MASK, PIECE_BYTES);
    r->address = address;
    r->offset = 0;
    return request_global(w, op, r, kind);
}
