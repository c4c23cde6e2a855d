/*
 * check/copy.c: cp.async, a copy to shared memory that is over when its thread has waited for it.
 *
 *      cp.async                                   wait_group
 *      |-- pending: bits set in check->pending ---|-- arrived: a write by the thread that waited
 *
 * The copy may change memory from its beginning on, so it must not race with what others did
 * before. While it is pending, an access to its bytes by any thread is a race with it, and so is a
 * store to its source.
 */
#include "check.h"
#include "lib/memory.h"
#include "simt/machine/async_copy.h"

#include <stdlib.h>

/* The bits are made at the first copy of a block: few kernels have any. */
void check_copy_begun(struct block *block, size_t offset, size_t bytes) {
    struct check_block *check = block->check;
    if (!check->pending) check->pending = need(calloc(block->worker->shared_bytes / 8 + 1, 1));
    bits_set(check->pending, offset, bytes);
}

/* Do the copy's bytes and [offset, offset + bytes) of shared memory overlap? */
static bool copy_overlaps(const struct async_copy *copy, size_t offset, size_t bytes) {
    return copy->offset < offset + bytes && offset < copy->offset + copy->size;
}

/* The first copy that has not arrived in these bytes, and the thread that began it; NULL: none. */
static const struct async_copy *find_copy(const struct block *block, size_t offset, size_t bytes,
                                          uint32_t *thread) {
    for (uint32_t i = 0; i < block->nwarps; i++) {
        const struct async_copies *copies = block->warps[i].copies;
        for (uint32_t k = 0; copies && k < copies->n; k++) {
            if (!copy_overlaps(&copies->items[k], offset, bytes)) continue;
            *thread = i * WARP_SIZE + copies->items[k].lane;
            return &copies->items[k];
        }
    }
    return NULL;
}

/* The check of the copy's store: the decoder puts it right before the copy (check/decode.c).
 * It carries the site. */
static const struct op *store_of(const struct async_copy *copy) {
    return copy->op - 1;
}

static void report_copy(struct check_request *r, uint32_t l, const struct async_copy *copy,
                        uint32_t thread, uint8_t flags) {
    struct access access = {.when = NOT_YET,
                            .block = (uint32_t)r->w->block->index,
                            .site = store_of(copy)->check.site,
                            .thread = (uint16_t)thread,
                            .flags = flags};
    report_race(r, l, &access);
}

void check_copied_from(struct check_request *r) {
    const struct block *block = r->w->block;
    for (uint32_t i = 0; block->check->pending && i < block->nwarps; i++) {
        const struct async_copies *copies = block->warps[i].copies;
        for (uint32_t k = 0; copies && k < copies->n; k++)
            for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
                uint32_t l = (uint32_t)__builtin_ctz(rest);
                const struct async_copy *copy = &copies->items[k];
                if (r->host[l] < copy->from + copy->read && copy->from < r->host[l] + r->bytes)
                    report_copy(r, l, copy, i * WARP_SIZE + copy->lane, ACCESS_READ);
            }
    }
}

bool check_copies(struct check_request *r) {
    const struct check_block *check = r->w->block->check;
    bool any = false;
    for (uint32_t rest = check->pending ? r->mask : 0; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest), thread;
        if (!bits_any(check->pending, r->offset[l], r->bytes)) continue;
        const struct async_copy *copy = find_copy(r->w->block, r->offset[l], r->bytes, &thread);
        if (!copy) continue;
        report_copy(r, l, copy, thread, ACCESS_WRITE);
        any = true;
    }
    return any;
}

/* The same check as of a store by that lane, at the time of the arrival. */
void check_copy_arrived(struct warp *w, const struct async_copy *copy) {
    struct block *block = w->block;
    const struct op *store = store_of(copy);
    struct check_request r = {.w = w,
                              .op = store,
                              .mask = 1u << copy->lane,
                              .bytes = copy->size,
                              .site = store->check.site,
                              .flags = ACCESS_WRITE,
                              .is_shared = true};
    r.shadow[copy->lane] = &block->check->shared;
    r.offset[copy->lane] = r.address[copy->lane] = copy->offset;
    r.host[copy->lane] = block->shared + copy->offset;
    for (uint32_t i = 0; i < copy->size; i++) bits_clear(block->check->pending, copy->offset + i);
    check_race(&r);
    shadow_mark(&block->check->shared, copy->offset, copy->size);
}
