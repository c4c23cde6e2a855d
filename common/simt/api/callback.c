/* api/callback.c: calls host functions in stream order, one after another on a separate thread, as
 * CUDA does. */
#include "capture.h"
#include "clock.h"
#include "condition.h"

#include <stdlib.h>

#define STREAM_COST "host function" /* of a function that a stream calls, in call_costs.def */

struct callback {
    void (*fn)(void *);
    void *argument;
    struct callback *next;
};

static struct callback *first, **last = &first; /* functions not called yet */
static uint64_t added, done;                    /* tickets issued; functions that have returned */
static struct rt_condition changed = RT_CONDITION;
static bool started;
static _Thread_local bool is_callback_thread;

bool rt_in_callback(void) {
    return is_callback_thread;
}

/* Calls the oldest function. The caller holds the lock; it is released during the function. */
static void call_first(void) {
    struct callback *callback = first;
    first = callback->next;
    if (!first) last = &first;
    rt_unlock();
    callback->fn(callback->argument);
    free(callback);
    rt_lock();
    done++;
    rt_tell(&changed);
}

static void *callback_loop(void *unused) {
    is_callback_thread = true;
    rt_lock();
    for (;;) {
        while (!first) rt_wait(&changed);
        call_first();
    }
    return unused;
}

/* Starts the thread once; it lives until the process ends. Returns false if it cannot start. */
static bool start_thread(void) {
    pthread_t thread;
    if (!started && !pthread_create(&thread, NULL, callback_loop, NULL)) {
        pthread_detach(thread);
        started = true;
    }
    return started;
}

uint64_t rt_callback_add(void (*fn)(void *), void *argument) {
    struct callback *callback = malloc(sizeof *callback);
    if (!callback || !start_thread()) {
        free(callback);
        return 0;
    }
    *callback = (struct callback){fn, argument, NULL};
    *last = callback;
    last = &callback->next;
    rt_tell(&changed);
    return ++added;
}

bool rt_callback_done(uint64_t ticket) {
    return done >= ticket;
}

void rt_callback_wait(uint64_t ticket) {
    while (done < ticket) rt_wait(&changed);
}

/* ---- The API ---- */

/* A callback of cudaStreamAddCallback, and its arguments. */
struct stream_callback {
    cudaStreamCallback_t fn;
    cudaStream_t stream;
    void *data;
    cudaError_t status;
};

static void call_stream_callback(void *argument) {
    struct stream_callback *callback = argument;
    callback->fn(callback->stream, callback->status, callback->data);
    free(callback);
}

/* In modelled time the function itself takes none, as all that the host computes. */
static void callback_enqueue(struct rt_stream *stream, const char *cost) {
    struct work *work = rt_work_new(stream, WORK_NO_ENGINE);
    work->length_ns = rt_cost_ns(cost);
    rt_work_show(work, stream, TIMELINE_HOST, "cudaLaunchHostFunc");
    rt_work_enqueue(stream, work);
}

static cudaError_t callback_add(struct rt_stream *stream, void (*fn)(void *), void *argument,
                                const char *cost) {
    uint64_t ticket = rt_callback_add(fn, argument);
    if (ticket) {
        stream->last_callback = ticket;
        callback_enqueue(stream, cost);
    }
    return ticket ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t add_callback(cudaStream_t handle, cudaStreamCallback_t fn, void *data,
                                unsigned flags);

/* A callback that was checked. */
struct callback_call {
    cudaStreamCallback_t fn;
    void *data;
    cudaStream_t stream;
};

static cudaError_t call_add_callback(const void *argument) {
    const struct callback_call *call = argument;
    RT_DEFERRED_CALL(call->stream, add_callback(call->stream, call->fn, call->data, 0));
}

static cudaError_t add_callback(cudaStream_t handle, cudaStreamCallback_t fn, void *data,
                                unsigned flags) {
    struct rt_stream *stream;
    cudaError_t error = rt_stream_for_work(handle, &stream);
    if (error) return error;
    if (!fn || flags) return cudaErrorInvalidValue;
    if (stream->capture)
        return rt_capture_spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
    const struct callback_call call = {fn, data, handle};
    if (rt_async_kernel_defer_work("cudaStreamAddCallback", stream, call_add_callback, &call,
                                   sizeof call))
        return cudaSuccess;
    struct stream_callback *callback = malloc(sizeof *callback);
    if (!callback) return cudaErrorMemoryAllocation;
    *callback = (struct stream_callback){fn, handle, data, rt_surface()};
    error = callback_add(stream, call_stream_callback, callback, STREAM_COST);
    if (error) free(callback);
    return error;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags) {
    RT_ACTING_CALL(add_callback(stream, callback, data, flags));
}

/* A host function that was checked. */
struct host_call {
    cudaHostFn_t fn;
    void *data;
    const char *cost;
    cudaStream_t stream;
};

static cudaError_t call_host(const void *argument) {
    const struct host_call *call = argument;
    RT_DEFERRED_CALL(call->stream, rt_launch_host(call->stream, call->fn, call->data, call->cost));
}

/* Enqueues a host function. After a fault it is never called. */
cudaError_t rt_launch_host(cudaStream_t handle, cudaHostFn_t fn, void *data, const char *cost) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeHost, .host = {fn, data}};
    struct rt_stream *stream;
    cudaError_t error = rt_stream_for_work(handle, &stream);
    if (error) return error;
    if (!fn) return cudaErrorInvalidValue;
    if (stream->capture) return rt_capture_add(stream, &params);
    if (rt_faulted()) return cudaSuccess;
    const struct host_call call = {fn, data, cost, handle};
    if (rt_async_kernel_defer_work("cudaLaunchHostFunc", stream, call_host, &call, sizeof call))
        return cudaSuccess;
    return callback_add(stream, fn, data, cost);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data) {
    RT_ACTING_CALL(rt_launch_host(stream, fn, data, STREAM_COST));
}
