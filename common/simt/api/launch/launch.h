/* api/launch/launch.h: a launch, by the host or by a kernel. */
#ifndef SIMT_API_LAUNCH_H
#define SIMT_API_LAUNCH_H

#include "simt/api/runtime.h"

#include "simt/machine/nested.h"
#include "simt/run/profile.h"
#include "simt/time/launch_tree.h"
#include "simt/time/timing.h"

/* A requested launch. */
struct rt_request {
    const void *symbol; /* of a launch by the host: the host stub, or a kernel's handle */
    struct rt_function *function;
    struct launch_shape shape;
    void **arguments; /* one pointer each; NULL: params has them */
    const void *params;
    struct rt_stream *stream;
    uint64_t call; /* its number (api/clock.h) */
    bool cooperative;
    bool by_chevrons;     /* <<<>>>, which drops the returned error */
    bool in_graph;        /* a node of a graph, launched with it */
    unsigned depth;       /* 0: launched by the host, 1: by a kernel that the host launched, ... */
    unsigned waiting;     /* unfinished nested ancestor launches, including this one */
    unsigned long parent; /* launch number of the launching kernel; 0: the host */
    double later_ns; /* of a nested launch: modelled ns from the time at which its stream is free to
                        its start */
};

/* A launch, from its request to its row in the profile. */
struct rt_launch {
    struct rt_request request;
    struct profile_row row; /* afterwards with the sums over the grids that it launched */
    struct timing timing;   /* the same */
    bool pending;           /* it was given to its stream before it ran */
    /* What its threads launch. */
    struct children children;
    struct counters *sum_counters; /* where counters and times of nested launches go: row and */
    struct timing *sum_timing;     /* timing; while a block of it waits for them, waited */
    struct rt_waited *waited;      /* sums of nested launches that ran meanwhile; NULL: none */
    struct launch_tree tree;
    double pages_ns; /* of the time: pages of managed memory moved */
    double start_ns; /* modelled ns from the time at which its stream is free to the end of its own
                        blocks */
};

/* Launches the kernel of a symbol into a stream, or adds it to the stream's capture. The request
 * has all the rest. The kernel runs now, or when modelled time reaches it. */
cudaError_t rt_launch(const void *symbol, struct rt_request *request, cudaStream_t stream);
/* Checks the launch as CUDA does, and stores in *occupancy how many of its blocks fit. Returns
 * CUDA's error. Prints nothing. */
cudaError_t rt_launch_check(const struct rt_request *request, struct occupancy *occupancy);
/* Makes a launch of a request, and checks it. Its row has what is known before it runs. */
cudaError_t rt_launch_plan(struct rt_launch *launch, const struct rt_request *request);
/* Runs the grid and all its nested launches, and writes their rows to the profile. Returns the
 * error of the kernel that failed. */
cudaError_t rt_launch_run(struct rt_launch *launch);
/* Runs a launch of the host to its end, on a thread of its own. Returns the error of a launch that
 * could not start; rt_surface gives a fault later. */
cudaError_t rt_launch_now(struct rt_launch *launch);

/* api/launch/async_kernel.c: runs the launch on a separate thread, to its end or until it only
 * polls. Call it with the lock held. Returns the error to report now. */
cudaError_t rt_async_kernel_launch(struct rt_launch *launch);
/* The kernel's blocks only poll memory: lets others work. worked: they did more since the last
 * call. is_long: the launch may return. Called on the kernel's thread. */
enum idle rt_async_kernel_idle(bool worked, bool is_long);
/* Is the calling thread not the program's, but a kernel's? */
bool rt_async_kernel_is_job(void);
/* Does a kernel run that work of the stream must wait for? NULL: no. */
bool rt_async_kernel_before(const struct rt_stream *stream);

/* api/launch/deferred.c: is a call deferred that work of the stream must wait for, or one of the
 * event? */
bool rt_deferred_before(const struct rt_stream *stream);
bool rt_deferred_event(cudaEvent_t event);
/* Do all deferred calls wait for something? Takes the first that does not; NULL: none. */
struct deferred;
bool rt_deferred_waits(void);
struct deferred *rt_deferred_take(void);
const struct rt_stream *rt_deferred_stream(const struct deferred *deferred);
/* Makes the call, and frees it. The lock is held, and released meanwhile. */
void rt_deferred_make(struct deferred *deferred);

/* Notes that a copy or a fill has stored bytes in a device's memory: its later kernels find them in
 * the L2. */
void rt_l2_stored(int device, size_t bytes);

extern const struct device_runtime rt_device_runtime;
/* Runs the launches that the grid's threads queued, after its own blocks have ended. Adds them, and
 * those that ran while a block waited, to the launch's row and time. Returns the first error. */
cudaError_t rt_children_run(struct rt_launch *launch);

#endif
