/* api/launch/launch.h: a launch, by the host or by a kernel. */
#pragma once

#include "simt/api/runtime.h"

#include "simt/machine/nested.h"
#include "simt/run/profile.h"
#include "simt/time/launch_tree.h"
#include "simt/time/timing.h"

/* Launches the kernel of a symbol into a stream, or adds it to the stream's capture. The caller has
 * filled in how it is asked for. The kernel runs now, or when modelled time reaches it. */
cudaError_t rt_launch(const void *symbol, struct launch *launch, cudaStream_t stream);
/* Checks the launch as CUDA does, and fills in what is known before it runs. Returns CUDA's error.
 * Prints nothing. */
cudaError_t rt_launch_check(struct launch *launch);
/* Runs the grid and all its nested launches, and writes their rows to the profile. Fills in timing:
 * zeros where no time is modelled. Returns the error of the kernel that failed. */
cudaError_t rt_launch_run(struct launch *launch, struct timing *timing);
/* Runs a launch of the host to its end, on a thread of its own, and frees it. Returns the error of
 * a launch that could not start; rt_surface gives a fault later. */
cudaError_t rt_launch_now(struct launch *launch);

/* api/launch/async_kernel.c: runs the launch on a separate thread, to its end or until it only
 * polls. Call it with the lock held. Returns the error to report now. */
cudaError_t rt_async_kernel_launch(struct launch *launch);
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

/* Notes that a copy or a fill has stored bytes in a device's memory, within `span` bytes from the
 * address: its later kernels find them in the L2. */
void rt_l2_stored(int device, uintptr_t address, size_t span, size_t bytes);

extern const struct device_runtime rt_device_runtime;

/* What the threads of a launch launch, while it runs (api/launch/nested.c). */
struct rt_nested {
    struct children children;
    struct launch *launch;
    struct timing *timing;     /* of the launch; afterwards with the sums over these grids */
    struct counters *counters; /* where counters and times of these grids go: the launch's; while */
    struct timing *sum;        /* a block of it waits for them, waited */
    struct rt_waited *waited;  /* sums of nested launches that ran meanwhile; NULL: none */
    struct launch_tree tree;
    double start_ns; /* modelled ns from the time at which its stream is free to the end of its own
                        blocks */
};
/* Runs the launches that the grid's threads queued, after its own blocks have ended. Adds them, and
 * those that ran while a block waited, to the launch's row and time. Returns the first error. */
cudaError_t rt_nested_run(struct rt_nested *nested);
