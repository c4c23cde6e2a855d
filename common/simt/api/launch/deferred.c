/*
 * api/launch/deferred.c: calls that enqueue work after a kernel that polls
 * (api/launch/async_kernel.c).
 *
 * A program may set the flag that a kernel waits for only after it has put more work after the
 * kernel. So these calls return at once. A job makes them, in their order, when the work that they
 * are after has ended: earlier work of their streams, and the record of an event that they wait
 * for.
 */
#include "launch.h"

#include "lib/memory.h"
#include "simt/api/clock.h"

#include <stdlib.h>
#include <string.h>

struct deferred {
    const char *function;
    cudaError_t (*call)(const void *arguments);
    const struct rt_stream *stream;
    cudaEvent_t event; /* that it records, or waits for; NULL: none */
    const void *graph; /* that it launches; NULL: none */
    bool outdated;     /* the event was recorded again, or destroyed: only the order matters */
    int device;        /* the caller's */
    uint64_t number;   /* of the call that was deferred */
    struct deferred *next;
    char arguments[];
};

static struct deferred *first, **last = &first;

/* Is one of the calls before `end` also of the call's event or graph, or must work of its stream
 * wait for it? */
static bool is_behind(const struct deferred *call, const struct deferred *end) {
    const struct rt_stream *stream = call->stream;
    for (const struct deferred *d = first; d != end; d = d->next)
        if ((call->event && d->event == call->event && d->outdated <= call->outdated) ||
            (call->graph && d->graph == call->graph) ||
            (stream && !stream->capture && rt_streams_join(d->stream, stream)))
            return true;
    return false;
}

bool rt_deferred_before(const struct rt_stream *stream) {
    return is_behind(&(struct deferred){.stream = stream}, NULL);
}

bool rt_deferred_event(cudaEvent_t event) {
    return is_behind(&(struct deferred){.event = event}, NULL);
}

void rt_async_kernel_forget(cudaEvent_t event) {
    for (struct deferred *d = first; d; d = d->next) d->outdated |= event && d->event == event;
}

/* The link to the first call that is after nothing. */
static struct deferred **find_ready(void) {
    struct deferred **link = &first;
    while (*link && (rt_async_kernel_before((*link)->stream) || is_behind(*link, *link)))
        link = &(*link)->next;
    return link;
}

bool rt_deferred_waits(void) {
    return !*find_ready();
}

struct deferred *rt_deferred_take(void) {
    struct deferred **link = find_ready(), *deferred = *link;
    if (!deferred) return NULL;
    *link = deferred->next;
    if (!*link) last = link;
    return deferred;
}

const struct rt_stream *rt_deferred_stream(const struct deferred *deferred) {
    return deferred->stream;
}

void rt_deferred_make(struct deferred *deferred) {
    rt_choose_device(deferred->device);
    rt_call_resume(deferred->number);
    rt_unlock();
    cudaError_t error = deferred->outdated ? cudaSuccess : deferred->call(deferred->arguments);
    if (error && error != rt_sticky())
        report_note("%s, called while a kernel waited, failed: %s", deferred->function,
                    cudaGetErrorName(error));
    free(deferred);
    rt_lock();
}

/* The lock is held. */
static bool defer(const struct deferred *call, const void *arguments, size_t size) {
    const struct rt_stream *stream = call->stream;
    bool defers = stream && (rt_async_kernel_before(stream) || is_behind(call, NULL));
    if (!defers) return false;
    struct deferred *deferred = need(malloc(sizeof *deferred + size));
    *deferred = *call;
    deferred->device = rt_own_device();
    deferred->number = rt_call_number();
    memcpy(deferred->arguments, arguments, size);
    *last = deferred;
    last = &deferred->next;
    return true;
}

bool rt_async_kernel_defer(const char *function, cudaStream_t handle, cudaEvent_t event,
                           cudaError_t (*call)(const void *), const void *arguments, size_t size) {
    if (!rt_async_kernel_runs() || rt_async_kernel_is_job()) return false;
    rt_lock();
    device_use(rt_own_device());
    const struct deferred deferred = {
        .function = function, .call = call, .stream = rt_stream(handle), .event = event};
    bool defers = defer(&deferred, arguments, size);
    rt_unlock();
    return defers;
}

bool rt_async_kernel_refuses(cudaError_t (*check)(const void *), const void *arguments) {
    if (!rt_async_kernel_runs()) return false;
    rt_lock();
    device_use(rt_own_device());
    bool refuses = check(arguments) != cudaSuccess;
    rt_unlock();
    return refuses;
}

bool rt_async_kernel_defer_graph(const char *function, const struct rt_stream *stream,
                                 const void *graph, cudaError_t (*call)(const void *),
                                 const void *arguments, size_t size) {
    if (!rt_async_kernel_runs() || rt_async_kernel_is_job() || stream->branch) return false;
    const struct deferred deferred = {
        .function = function, .call = call, .stream = stream, .graph = graph};
    return defer(&deferred, arguments, size);
}

bool rt_async_kernel_defer_work(const char *function, const struct rt_stream *stream,
                                cudaError_t (*call)(const void *), const void *arguments,
                                size_t size) {
    return rt_async_kernel_defer_graph(function, stream, NULL, call, arguments, size);
}

/* The lock is held. */
static bool is_busy(cudaStream_t handle) {
    device_use(rt_own_device());
    const struct rt_stream *stream = rt_stream(handle);
    return stream && (rt_async_kernel_before(stream) || rt_deferred_before(stream));
}

bool rt_async_kernel_busy(cudaStream_t handle) {
    if (!rt_async_kernel_runs()) return false;
    rt_lock();
    bool busy = is_busy(handle);
    rt_unlock();
    return busy;
}

void rt_async_kernel_record_anew(cudaEvent_t event, cudaStream_t stream) {
    if (!rt_async_kernel_runs() || rt_async_kernel_is_job()) return;
    rt_lock();
    if (!is_busy(stream)) rt_async_kernel_forget(event);
    rt_unlock();
}

bool rt_async_kernel_busy_event(cudaEvent_t event) {
    if (!rt_async_kernel_runs()) return false;
    rt_lock();
    bool busy = rt_deferred_event(event);
    rt_unlock();
    return busy;
}
