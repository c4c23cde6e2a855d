/*
 * api/clock.c: modelled time. Each stream has a clock, each device its engines. Work starts when its stream, the
 * streams that it must follow and its engine are free, but not before the host has enqueued it. The host's clock moves
 * only when the host waits: computing on the host takes no modelled time.
 */
#include "runtime.h"

#define MAX_RUNNING 128 /* kernels that may overlap, as many as CUDA allows */

static double host_ns;  /* time until which the host has waited */
static double asked_ns; /* latest end of work that a query has found unfinished */
static struct engines {
    double copies_ns[3]; /* time at which each copy engine is free: to the device, to the host, to a peer */
    struct running {
        double end_ns, share;
    } running[MAX_RUNNING]; /* kernels that may still run, with their share of the device */
} all_engines[MAX_DEVICES];

static double later(double a, double b) {
    return a > b ? a : b;
}

void rt_clock_wait(double ns) {
    host_ns = later(host_ns, ns);
}

static void take_latest(struct rt_stream *stream, void *latest) {
    if (!(stream->flags & cudaStreamNonBlocking)) *(double *)latest = later(*(double *)latest, stream->ready_ns);
}

bool rt_clock_busy(double ns) {
    bool busy = ns > later(host_ns, asked_ns);
    asked_ns = later(asked_ns, ns);
    return busy;
}

/* The legacy stream waits for all blocking streams of its device, and they wait for it. */
double rt_clock_next(struct rt_stream *stream) {
    double start = later(host_ns, stream->ready_ns);
    if (stream == rt_legacy_stream(stream->device))
        rt_each_stream(stream->device, take_latest, &start);
    else if (!(stream->flags & cudaStreamNonBlocking))
        start = later(start, rt_legacy_stream(stream->device)->ready_ns);
    return start;
}

/* The share of the device that is busy at a time. */
static double busy_at(const struct running *running, double ns) {
    double busy = 0;
    for (int i = 0; i < MAX_RUNNING; i++)
        if (running[i].end_ns > ns) busy += running[i].share;
    return busy;
}

/* The first end of a kernel after ns; ns if there is none. */
static double next_end(const struct running *running, double ns) {
    double next = 0;
    for (int i = 0; i < MAX_RUNNING; i++)
        if (running[i].end_ns > ns && (!next || running[i].end_ns < next)) next = running[i].end_ns;
    return next ? next : ns;
}

/* When a kernel can start: kernels run concurrently while their shares fit into the device. */
static double compute_start(const struct running *running, double start, double share) {
    while (busy_at(running, start) > 0 && busy_at(running, start) + share > 1) start = next_end(running, start);
    return start;
}

static void compute_note(struct running *running, double end, double share) {
    struct running *oldest = &running[0];
    for (int i = 1; i < MAX_RUNNING; i++)
        if (running[i].end_ns < oldest->end_ns) oldest = &running[i];
    *oldest = (struct running){end, share};
}

double rt_clock_work(struct rt_stream *stream, enum rt_engine engine, double share, double ns) {
    struct engines *engines = &all_engines[stream->device];
    double start = rt_clock_next(stream);
    if (engine == RT_ENGINE_COMPUTE) {
        start = compute_start(engines->running, start, share);
        compute_note(engines->running, start + ns, share);
    } else if (engine != RT_ENGINE_NONE) {
        double *engine_ns = &engines->copies_ns[engine - RT_ENGINE_TO_DEVICE];
        start = later(start, *engine_ns);
        *engine_ns = start + ns;
    }
    stream->ready_ns = start + ns;
    return start;
}
