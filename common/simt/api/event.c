/* api/event.c: events. An event stands for the modelled time at which the work before it is
 * done. */
#include "event.h"

#include "capture.h"
#include "clock.h"
#include "hints.h"
#include "simt/machine/machine.h"

#include <stdlib.h>

#define NS_PER_MS   1e6
#define EVENT_FLAGS (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)

static struct event *events;

struct event *rt_event(cudaEvent_t handle) {
    for (struct event *event = events; event; event = event->next)
        if ((cudaEvent_t)event == handle) return event;
    return NULL;
}

static void api_event_free(struct event *event) {
    work_release(event->work);
    if (event->shared) event->shared->calls->free(event->shared);
    rt_nodes_free(&event->latest);
    free(event);
}

/* CUDA's rule: an interprocess event must disable timing. */
cudaError_t rt_event_create(cudaEvent_t *handle, unsigned flags) {
    bool interprocess = flags & cudaEventInterprocess;
    if (!handle || (flags & ~(unsigned)EVENT_FLAGS)) return cudaErrorInvalidValue;
    if (interprocess && !(flags & cudaEventDisableTiming)) return cudaErrorInvalidValue;
    struct event *event = calloc(1, sizeof *event);
    if (!event) return cudaErrorMemoryAllocation;
    event->device = device_current();
    event->flags = flags;
    if (!(flags & cudaEventDisableTiming)) rt_hint_event();
    event->next = events;
    events = event;
    *handle = (cudaEvent_t)event;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    RT_BESIDE_CALL(rt_event_create(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    RT_BESIDE_CALL(rt_event_create(event, flags));
}

static cudaError_t event_destroy(cudaEvent_t handle) {
    for (struct event **link = &events; *link; link = &(*link)->next) {
        struct event *event = *link;
        if ((cudaEvent_t)event != handle) continue;
        rt_async_kernel_forget(handle);
        *link = event->next;
        api_event_free(event);
        return cudaSuccess;
    }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    RT_BESIDE_CALL(event_destroy(event));
}

void rt_events_reset(void) {
    for (struct event **link = &events; *link;) {
        struct event *event = *link;
        if (event->device != device_current()) {
            link = &event->next;
            continue;
        }
        *link = event->next;
        api_event_free(event);
    }
}

/* In a capture an event stands for the latest nodes of its stream; an external one becomes a node
 * itself. */
static cudaError_t capture_record(struct event *event, struct rt_stream *stream, bool external) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeEventRecord,
                                         .eventRecord.event = (cudaEvent_t)event};
    if (external) return rt_capture_add(stream, &params);
    event->capture = stream->capture->id;
    event->latest.count = 0;
    bool kept = rt_nodes_add(&event->latest, stream->latest.list, stream->latest.count);
    return kept ? cudaSuccess : cudaErrorMemoryAllocation;
}

struct record_call {
    cudaEvent_t event;
    cudaStream_t stream;
    unsigned flags;
};

static cudaError_t check_record(const void *argument) {
    const struct record_call *call = argument;
    const struct event *event = rt_event(call->event);
    struct rt_stream *stream;
    cudaError_t error = rt_stream_for_work(call->stream, &stream);
    if (error) return error;
    if (!event || event->device != stream->device) return cudaErrorInvalidResourceHandle;
    return call->flags & ~(unsigned)cudaEventRecordExternal ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t rt_event_record(cudaEvent_t handle, cudaStream_t stream_handle, unsigned flags) {
    struct event *event = rt_event(handle);
    struct rt_stream *stream = rt_stream(stream_handle);
    cudaError_t error = check_record(&(struct record_call){handle, stream_handle, flags});
    if (error) return error;
    if (stream->capture) return capture_record(event, stream, flags & cudaEventRecordExternal);
    event->capture = 0;
    work_release(event->work);
    event->work = work_hold(rt_work_new(stream, WORK_NO_ENGINE));
    event->work->idle_ns =
        rt_cost_ns("cudaEventRecord") + (rt.timing ? transfer_event_way_ns(rt.gpu) : 0);
    rt_work_enqueue(stream, event->work);
    event->expected_ns = stream->expected_ns;
    event->callback = stream->last_callback;
    if (event->shared) { /* the other process looks at no modelled time */
        work_act(event->work);
        event->callback = event->shared->calls->record(event->shared, event->callback);
    }
    return cudaSuccess;
}

static cudaError_t call_record(const void *argument) {
    const struct record_call *call = argument;
    return cudaEventRecordWithFlags(call->event, call->stream, call->flags);
}

static bool defer_record(const struct record_call *call) {
    rt_async_kernel_record_anew(call->event, call->stream);
    return rt_async_kernel_defer("cudaEventRecord", call->stream, call->event, call_record, call,
                                 sizeof *call);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const struct record_call call = {event, stream, cudaEventRecordDefault};
    if (rt_async_kernel_refuses(check_record, &call)) RT_BESIDE_CALL(check_record(&call));
    if (defer_record(&call)) return cudaSuccess;
    RT_STREAM_CALL(stream, rt_event_record(event, stream, cudaEventRecordDefault));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    const struct record_call call = {event, stream, flags};
    if (rt_async_kernel_refuses(check_record, &call)) RT_BESIDE_CALL(check_record(&call));
    if (defer_record(&call)) return cudaSuccess;
    RT_STREAM_CALL(stream, rt_event_record(event, stream, flags));
}

/* Why the host may not wait for the event, or ask about it: it was recorded in a capture, or
 * captures forbid it. */
static cudaError_t event_check_awaited(const struct event *event) {
    if (!event->capture) return rt_capture_guard();
    struct rt_capture *capture = rt_capture_find(event->capture);
    return capture ? rt_capture_spoil(capture, cudaErrorCapturedEvent) : cudaErrorInvalidValue;
}

/* Is the work before the event done? An event never recorded counts as done. */
static cudaError_t event_query(cudaEvent_t handle) {
    const struct event *event = rt_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    cudaError_t error = event_check_awaited(event);
    if (error) return error;
    if (!rt_callback_done(event->callback)) return cudaErrorNotReady;
    if (event->shared && !event->shared->calls->done(event->shared)) return cudaErrorNotReady;
    if (!rt_faulted() && rt_host_finds_busy(event->work)) return cudaErrorNotReady;
    return rt_surface();
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (rt_async_kernel_busy_event(event)) return cudaErrorNotReady;
    RT_ENTERED(rt_enter_event(__func__, event), event_query(event));
}

static cudaError_t event_synchronise(cudaEvent_t handle) {
    const struct event *event = rt_event(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    cudaError_t error = event_check_awaited(event);
    if (error) return error;
    rt_callback_wait(event->callback);
    if (event->shared) event->shared->calls->wait(event->shared);
    rt_host_wait(event->work);
    device_printf_flush(event->device);
    return rt_surface();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    RT_ENTERED(rt_enter_event(__func__, event), event_synchronise(event));
}

static bool has_time(const struct event *event) {
    return event && event->work && !(event->flags & cudaEventDisableTiming);
}

static cudaError_t elapsed(float *ms, cudaEvent_t from_handle, cudaEvent_t to_handle) {
    const struct event *from = rt_event(from_handle), *to = rt_event(to_handle);
    if (!ms) return cudaErrorInvalidValue;
    if (from && to && (from->capture || to->capture)) return cudaErrorCapturedEvent;
    if (!has_time(from) || !has_time(to) || from->device != to->device)
        return cudaErrorInvalidResourceHandle;
    if (!rt_callback_done(from->callback) || !rt_callback_done(to->callback))
        return cudaErrorNotReady;
    bool busy = rt_host_finds_busy(from->work), also = rt_host_finds_busy(to->work);
    if (!rt_faulted() && (busy || also)) return cudaErrorNotReady;
    rt_host_wait(from->work);
    rt_host_wait(to->work);
    rt_hint_elapsed();
    *ms = (float)((to->work->end_ns - from->work->end_ns) / NS_PER_MS);
    return rt_surface();
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    if (rt_async_kernel_busy_event(from) || rt_async_kernel_busy_event(to))
        return cudaErrorNotReady;
    RT_BESIDE_CALL(elapsed(ms, from, to));
}

/* The stream waits for an event that was recorded in a capture: it joins the capture. */
static cudaError_t join_capture(struct rt_stream *stream, const struct event *event) {
    struct rt_capture *capture = rt_capture_find(event->capture);
    if (!capture) return rt_capture_spoil(stream->capture, cudaErrorInvalidValue);
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (stream->capture && stream->capture != capture) {
        rt_capture_spoil(capture, cudaSuccess);
        return rt_capture_spoil(stream->capture, cudaErrorStreamCaptureMerge);
    }
    stream->capture = capture;
    return rt_capture_follow(stream, event->latest.list, event->latest.count, false);
}

/* A capturing stream waits for an event that was recorded outside. */
static cudaError_t capture_wait(struct rt_stream *stream, const struct event *event,
                                bool external) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeWaitEvent,
                                         .eventWait.event = (cudaEvent_t)event};
    if (external) return rt_capture_add(stream, &params);
    return event->work ? rt_capture_spoil(stream->capture, cudaErrorStreamCaptureIsolation)
                       : cudaSuccess;
}

struct wait_call {
    cudaEvent_t event;
    cudaStream_t stream;
    unsigned flags;
};

static cudaError_t check_wait(const void *argument) {
    const struct wait_call *call = argument;
    struct rt_stream *stream;
    cudaError_t error = rt_stream_for_work(call->stream, &stream);
    if (error) return error;
    if (!rt_event(call->event)) return cudaErrorInvalidResourceHandle;
    return call->flags & ~(unsigned)cudaEventWaitExternal ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t call_wait(const void *argument) {
    const struct wait_call *call = argument;
    return cudaStreamWaitEvent(call->stream, call->event, call->flags);
}

/* Makes the stream's later work wait for the event. */
cudaError_t rt_event_wait(cudaStream_t stream_handle, cudaEvent_t handle, unsigned flags) {
    struct rt_stream *stream = rt_stream(stream_handle);
    const struct event *event = rt_event(handle);
    cudaError_t error = check_wait(&(struct wait_call){handle, stream_handle, flags});
    if (error) return error;
    if (event->capture) return join_capture(stream, event);
    if (stream->capture) return capture_wait(stream, event, flags & cudaEventWaitExternal);
    if (event->shared) event->shared->calls->wait(event->shared);
    rt_stream_after(stream, event->work, event->expected_ns, event->callback);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    const struct wait_call call = {event, stream, flags};
    if (rt_async_kernel_refuses(check_wait, &call)) RT_BESIDE_CALL(check_wait(&call));
    if (rt_async_kernel_defer("cudaStreamWaitEvent", stream, event, call_wait, &call, sizeof call))
        return cudaSuccess;
    RT_STREAM_CALL(stream, rt_event_wait(stream, event, flags));
}
