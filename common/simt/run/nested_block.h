/* run/nested_block.h: what run/nested.c and run/nested_query.c share. */
#pragma once

#include "simt/machine/machine.h"
#include "simt/machine/nested.h"

enum { LIMIT_PENDING_LAUNCHES = 4 }; /* cudaLimitDevRuntimePendingLaunchCount */

/* What a block keeps of its threads' calls of the device runtime. From the first call to the end of
 * the block. */
struct nested {
    size_t launches; /* that the block has asked for */
    /* last launch since its last wait into a stream with an order; NULL: none */
    struct child *latest;
    /* of the launches that it has waited for, the one that ended last; NULL: none */
    struct child *waited;
    struct nested_thread {
        uint16_t error; /* its last one */
        uint32_t launches;
    } threads[];
};

/* One lane's call. */
struct nested_site {
    struct warp *w;
    const struct op *op;
    int lane;
    struct children *children;
};
/* What a function of the device runtime does for one lane; returns the call's result. */
typedef uint64_t nested_call(const struct nested_site *site);

/* The block's, made at its first call; NULL: no memory. */
struct nested *nested_of(struct block *block);
/* Its part of a thread; NULL: no memory. */
struct nested_thread *nested_thread_of(struct warp *w, int lane);
/* Remember an error as the thread's last one, if it is one; returns it. */
int nested_error(struct warp *w, int lane, int error);
/* Run call for each lane of mask and write its result. False: a fault was raised. */
bool nested_each(struct warp *w, const struct op *op, uint32_t mask, nested_call *call);
