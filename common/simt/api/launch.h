/* api/launch.h: what api/launch.c, which the host launches with, and api/nested.c, for what kernels launch, share. */
#ifndef SIMT_API_LAUNCH_H
#define SIMT_API_LAUNCH_H

#include "runtime.h"

#include "simt/machine/nested.h"
#include "simt/run/profile.h"
#include "simt/time/launch_tree.h"
#include "simt/time/timing.h"

/* A launch that is asked for. */
struct rt_request {
    struct rt_function *function;
    struct launch_shape shape;
    void **arguments; /* one pointer each; NULL: params has them */
    const void *params;
    struct rt_stream *stream;
    bool cooperative;
    unsigned depth;       /* 0: by the host, 1: by a kernel that the host launched, ... */
    unsigned waiting;     /* launches by kernels that are not over before this one is, its own among them */
    unsigned long parent; /* launch number of the kernel that made it; 0: the host */
    double later_ns;      /* modelled time from when its stream is free to its start, where a kernel launched it */
};

/* May it be launched? Finds how many of its blocks fit. */
cudaError_t rt_launch_check(const struct rt_request *request, struct occupancy *occupancy);
/* Run it and all that its kernels launch; write the rows to the profile. row and timing, both zero before, then have
 * the sums. Returns the error that a kernel ended with. */
cudaError_t rt_launch_run(const struct rt_request *request, struct profile_row *row, struct timing *timing);
/* A grid that launches others: what is known of it, and what comes to it. */
struct rt_parent {
    const struct rt_request *request;
    unsigned long launch; /* its number */
    struct children *children;
    struct counters *counters; /* that those of the others are added to */
    struct timing *timing;     /* the same */
    struct rt_waited *waited;  /* of what ran while a block waited; NULL: none did */
    struct launch_tree tree;
    double start_ns; /* of what it launches: from when its stream is free to the end of its own blocks */
};

/* Run what the host launched, to its end. */
cudaError_t rt_launch_now(const struct rt_request *request, struct profile_row *row);

/* api/beside.c: run it on a thread of its own, to its end or until it waits for the host. Returns the error to report
 * now. */
cudaError_t rt_beside_launch(const struct rt_request *request, struct profile_row *row);
/* The kernel's blocks only look at memory: the launch need not wait any longer. Called on the kernel's thread. */
void rt_beside_spins(void);

/* The row of a launch before it is run. */
struct profile_row rt_launch_row(const struct rt_request *request);

extern const struct device_runtime rt_device_runtime;
/* The grid's own blocks have ended: run what its threads queued. Adds that, and what ran before, to the grid's row and
 * time. */
cudaError_t rt_children_run(struct rt_parent *parent, struct profile_row *row, struct timing *timing);

#endif
