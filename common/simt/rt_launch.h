/* rt_launch.h: what rt_launch.c, which the host launches with, and rt_nested.c, for what kernels launch, share. */
#ifndef SIMT_RT_LAUNCH_H
#define SIMT_RT_LAUNCH_H

#include "rt.h"

#include "nested.h"
#include "profile.h"
#include "timing.h"

/* A launch that is asked for. */
struct rt_request {
    struct rt_function *function;
    dim3 grid, block;
    size_t dynamic;
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
/* The row of a launch before it is run. */
struct profile_row rt_launch_row(const struct rt_request *request);

extern const struct device_runtime rt_device_runtime;
/* Run what a grid's threads queued. Adds to the counters and the time of the parent, whose row has its launch number.
 */
cudaError_t rt_children_run(struct children *children, const struct rt_request *request, struct profile_row *row,
                            struct timing *timing);

#endif
