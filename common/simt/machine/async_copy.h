/* machine/async_copy.h: cp.async between its beginning and the wait for it. Private to the
 * interpreter. */
#pragma once

#include "machine.h"

#define ASYNC_COPY_BYTES 16 /* the most that one cp.async copies */

struct async_copy {
    const struct op *op; /* the cp.async */
    uint32_t lane, offset, size, group;
    const char *from; /* the source; `read` bytes of it */
    uint32_t read;
    char bytes[ASYNC_COPY_BYTES];
};

/* The copies that a warp's lanes have not waited for, the oldest first. */
struct async_copies {
    struct async_copy *items;
    uint32_t n, capacity;
    uint32_t group[WARP_SIZE]; /* by lane: the group that it adds to, counted from 0 */
};

/* A lane begins a copy of op->size bytes to offset in shared memory: n bytes at `from`, and zeros
 * after them. */
void async_copy_begin(struct warp *w, const struct op *op, uint32_t lane, uint32_t offset,
                      const void *from, uint32_t n);
/* What each lane has begun since its last commit is a group. */
void async_copy_commit(struct warp *w, uint32_t lanes);
/* The lanes' groups but the last `pending` ones arrive in shared memory. */
void async_copy_wait(struct warp *w, uint32_t lanes, uint32_t pending);
/* The warp begins another block: no copy is under way. */
void async_copy_reset(struct warp *w);
void async_copy_free(struct warp *w);
