/* run/nested_block.h: what run/nested.c and run/nested_query.c share. */
#ifndef SIMT_RUN_NESTED_BLOCK_H
#define SIMT_RUN_NESTED_BLOCK_H

#include "simt/machine/machine.h"
#include "simt/machine/nested.h"

enum { LIMIT_PENDING_LAUNCHES = 4 }; /* cudaLimitDevRuntimePendingLaunchCount */

/* What a block keeps of its threads' calls of the device runtime. */
struct nested {
    size_t launches;      /* that the block has asked for */
    size_t over;          /* of these, how many are known to be done; the others are pending */
    struct child *latest; /* its last launch into a stream that keeps an order since it waited; NULL: none */
    struct child *waited; /* what it has waited for longest; NULL: it has not waited */
    uint16_t errors[];    /* last error of each thread */
};

/* One lane's call. */
struct nested_site {
    struct warp *w;
    const struct op *op;
    int lane;
    struct children *children;
};
typedef uint64_t nested_call(const struct nested_site *site);

/* The block's, made at its first call; NULL: no memory. */
struct nested *nested_of(struct block *block);
/* Remember an error as the thread's last one, if it is one; returns it. */
int nested_error(struct warp *w, int lane, int error);
bool nested_each(struct warp *w, const struct op *op, uint32_t mask, nested_call *call);

#endif
