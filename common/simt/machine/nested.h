/*
 * machine/nested.h: kernels that launch kernels (CUDA's dynamic parallelism, as it is since CUDA
 * 12).
 *
 * While a grid runs, what its threads launch is queued; when its blocks have ended, the queue is
 * run, in the order in which the launches were made. This satisfies every order that CUDA promises.
 * A child sees what its parent had written when it was launched (and whatever the parent wrote
 * later: that is a race on a GPU). Work in one stream runs in its order, as all work does. Each
 * child is run together with all that it launches before the next one begins. Launches into the
 * tail stream come last, after all others. The parent is complete when its children are.
 *
 *   parent launches  A, B (tail), C; A launches D      runs: parent, A, D, C, B
 *
 * A parent that waits for what a child writes, by looking at memory, never sees it: CUDA does not
 * promise that either.
 *
 * cudaDeviceSynchronize in a kernel (CUDA 11 and older; later only for compute capabilities
 * below 9.0, on request): when a block waits, the queue is run there and then, tail launches
 * excepted. What is not of the block may have run by then on a GPU, too. A GPU has memory to wait
 * in two levels of launches, unless cudaLimitDevRuntimeSyncDepth asks for more; here it is always
 * 24, what CUDA allows at most.
 */
#pragma once

#include "simt/device/launch_shape.h"
#include "simt/ptx/ptx.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch;

enum child_work { CHILD_KERNEL, CHILD_COPY, CHILD_FILL };

/* Handles of the streams that are there on the device without being made. */
enum {
    STREAM_NULL,
    STREAM_LEGACY,
    STREAM_PER_THREAD,
    STREAM_TAIL,
    STREAM_FORGET,
    LAST_SPECIAL = STREAM_FORGET
};

/* What a thread put in a stream on the device: a kernel, a copy or a fill. */
struct child {
    enum child_work work;
    const struct ptx_function *entry;
    struct launch_shape shape;
    uint64_t params;   /* device address of its parameter block */
    uint64_t to, from; /* copy and fill: device addresses */
    uint64_t bytes;
    int value; /* fill: the byte */
    struct child *next;
    uint64_t stream; /* its handle on the device */
    /* For the time model (time/launch_tree.h). */
    /* the launch before this one in some stream of the same block; NULL: none */
    struct child *earlier;
    struct child *before; /* the launch that its stream has it wait for; NULL: none */
    size_t nth;           /* launches of its block before it */
    size_t nth_of_thread; /* and of its thread */
    double end_ns;        /* when it and all that it launched is done */
    double pending_bytes; /* that its stream's launches so far need at one time, at most */
};

/* Into the tail stream: it runs when all that its grid launched elsewhere is done. */
static inline bool child_is_tail(const struct child *child) {
    return child->stream == STREAM_TAIL;
}

struct child_list {
    struct child *first, *last;
};

/* All that the threads of a grid launched. */
struct children {
    struct child_list ready, tail; /* in the order of their launches */
    size_t tails;                  /* how many the latter are, with copies and fills */
    struct child *open; /* parameter buffers handed out and not launched yet, the latest first */
    struct buffer_chunk *chunks; /* memory of the parameter buffers */
    uint8_t *handles;            /* streams and events that the grid made: enum handle_state */
    size_t nhandles, handle_capacity;
    struct child_list done; /* run already, while a block waited for them */
};

/* What the runtime does for device code. Errors are cudaError_t values, 0 none. Called on the
 * thread that launches the grid. */
struct device_runtime {
    /* May a grid at this depth (the host's: 0) launch this kernel? */
    int (*check)(const struct child *child, unsigned depth);
    /* cudaDeviceGetAttribute, cudaDeviceGetLimit. */
    int (*attribute)(int *value, int attribute, int device);
    int (*limit)(size_t *value, int limit);
    /* Writes a cudaFuncAttributes of *size bytes. */
    int (*function_attributes)(void *attributes, size_t *size, const struct ptx_function *entry);
    /* Blocks of a multiprocessor, with dynamic bytes of dynamic shared memory in a block of this
     * many threads. */
    int (*active_blocks)(int *blocks, const struct ptx_function *entry, int block, size_t dynamic,
                         unsigned flags);
    /* Run all that is queued in ready, and move it to done. *stops: a kernel failed, and no kernel
     * goes on. */
    int (*wait)(const struct launch *launch, bool *stops);
    /* cudaGraphSetConditional. Called on any thread. */
    void (*set_condition)(uint64_t handle, uint32_t value);
    const char *(*error_name)(int error);
    const char *(*error_text)(int error);
    int version; /* as cudaRuntimeGetVersion gives it */
};

/* An empty queue. */
void children_open(struct children *children);
/* Free the queue and the parameter buffers. */
void children_close(struct children *children);
