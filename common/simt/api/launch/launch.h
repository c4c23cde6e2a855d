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
    bool in_graph;        /* a node of a graph, launched with it */
    unsigned depth;       /* 0: launched by the host, 1: by a kernel that the host launched, ... */
    unsigned waiting;     /* unfinished nested ancestor launches, including this one */
    unsigned long parent; /* launch number of the launching kernel; 0: the host */
    double later_ns; /* of a nested launch: modelled ns from the time at which its stream is free to
                        its start */
};

/* Launches the kernel of a symbol into a stream, or adds it to the stream's capture. The request
 * has all the rest. */
cudaError_t rt_launch(const void *symbol, struct rt_request *request, cudaStream_t stream);
/* Checks the launch as CUDA does, and stores in *occupancy how many of its blocks fit. Returns
 * CUDA's error. Prints nothing. */
cudaError_t rt_launch_check(const struct rt_request *request, struct occupancy *occupancy);
/* Runs the grid and all its nested launches, and writes their rows to the profile. row comes from
 * rt_launch_row, with its occupancy; timing is zero. Afterwards both hold the sums over the tree.
 * Returns the error of the kernel that failed. */
cudaError_t rt_launch_run(const struct rt_request *request, struct profile_row *row,
                          struct timing *timing);
/* A grid that launches others, and the sums that its nested launches go to. */
struct rt_parent {
    const struct rt_request *request;
    unsigned long launch; /* its launch number */
    struct children *children;
    struct counters *counters; /* sum of the nested launches' counters */
    struct timing *timing;     /* sum of their times */
    struct rt_waited
        *waited; /* sums of nested launches that ran while a block waited; NULL: none */
    struct launch_tree tree;
    double start_ns; /* modelled ns from the time at which its stream is free to the end of its own
                        blocks */
};

/* Runs a launch of the host to its end, on a thread of its own. Returns the error of a launch that
 * could not start; rt_surface gives a fault later. */
cudaError_t rt_launch_now(const struct rt_request *request, struct profile_row *row);
/* Gives the launch to its stream, which runs it when modelled time reaches it, or now, if the call
 * defers nothing. */
cudaError_t rt_launch_later(const struct rt_request *request, const struct profile_row *row);

/* api/launch/async_kernel.c: runs the launch on a separate thread, to its end or until it only
 * polls. Call it with the lock held. Returns the error to report now. */
cudaError_t rt_async_kernel_launch(const struct rt_request *request, struct profile_row *row);
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

/* The profile's row of a launch before it runs. */
struct profile_row rt_launch_row(const struct rt_request *request);

extern const struct device_runtime rt_device_runtime;
/* Runs the launches that the grid's threads queued, after its own blocks have ended. Adds them, and
 * those that ran while a block waited, to the grid's row and time. Returns the first error. */
cudaError_t rt_children_run(struct rt_parent *parent, struct profile_row *row,
                            struct timing *timing);

#endif
