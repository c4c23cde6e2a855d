/*
 * warp/async_copy.c: copies from global to shared memory that a thread has begun and not waited for
 * (cp.async). The bytes are read when the copy begins, and arrive in shared memory when the thread
 * waits for the copy's group.
 *
 *      cp.async x3   commit_group   cp.async x2   commit_group   wait_group 1   wait_group 0
 *      group 0                      group 1                      0 arrives      1 arrives
 *
 * A group is numbered by its lane. A copy is over when its lane has begun more than `pending`
 * groups since: copies->group[lane] - copy->group > pending.
 */
#include "simt/machine/async_copy.h"

#include "lib/memory.h"
#include "simt/check/check.h"

#include <stdlib.h>
#include <string.h>

void async_copy_begin(struct warp *w, const struct op *op, uint32_t lane, uint32_t offset,
                      const void *from, uint32_t n) {
    struct async_copies *copies = w->copies;
    if (!copies) copies = w->copies = need(calloc(1, sizeof *copies));
    if (copies->n == copies->capacity) {
        copies->capacity = copies->capacity ? 2 * copies->capacity : WARP_SIZE;
        copies->items = need(realloc(copies->items, copies->capacity * sizeof *copies->items));
    }
    struct async_copy *copy = &copies->items[copies->n++];
    *copy = (struct async_copy){.op = op,
                                .lane = lane,
                                .offset = offset,
                                .size = op->size,
                                .group = copies->group[lane],
                                .from = from,
                                .read = n};
    memcpy(copy->bytes, from, n);
}

void async_copy_commit(struct warp *w, uint32_t lanes) {
    for (; w->copies && lanes; lanes &= lanes - 1) w->copies->group[__builtin_ctz(lanes)]++;
}

/* The bytes become visible to the block. */
static void async_copy_arrive(struct warp *w, const struct async_copy *copy) {
    memcpy(w->block->shared + copy->offset, copy->bytes, copy->size);
    if (w->block->check) check_copy_arrived(w, copy);
}

/* Copies that are not over move up, so the list stays in the order of their beginnings. */
void async_copy_wait(struct warp *w, uint32_t lanes, uint32_t pending) {
    struct async_copies *copies = w->copies;
    uint32_t left = 0;
    for (uint32_t i = 0; copies && i < copies->n; i++) {
        const struct async_copy *copy = &copies->items[i];
        bool is_over = lanes >> copy->lane & 1 && copies->group[copy->lane] - copy->group > pending;
        if (is_over)
            async_copy_arrive(w, copy);
        else
            copies->items[left++] = *copy;
    }
    if (copies) copies->n = left;
}

void async_copy_reset(struct warp *w) {
    if (!w->copies) return;
    w->copies->n = 0;
    memset(w->copies->group, 0, sizeof w->copies->group);
}

void async_copy_free(struct warp *w) {
    if (w->copies) free(w->copies->items);
    free(w->copies);
}
