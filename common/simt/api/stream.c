/* api/stream.c: streams. Work runs when it is enqueued, so a stream has only modelled work and pending host
 * functions. */
#include "clock.h"

#include "simt/machine/machine.h"

#include <stdlib.h>

#define LEGACY_ID         1 /* of every device */
#define LEAST_PRIORITY    0
#define GREATEST_PRIORITY (-5)

static struct rt_stream legacy[MAX_DEVICES];
static struct rt_stream *streams; /* all others, newest first */
static unsigned long long last_id = 2;
static _Thread_local struct rt_stream *per_thread[MAX_DEVICES];

struct rt_stream *rt_legacy_stream(int device) {
    legacy[device].device = device;
    legacy[device].id = LEGACY_ID;
    return &legacy[device];
}

static struct rt_stream *stream_new(unsigned flags, int priority) {
    struct rt_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    stream->device = device_current();
    stream->id = ++last_id;
    stream->flags = flags;
    stream->priority = priority;
    stream->next = streams;
    return streams = stream;
}

static void stream_free(struct rt_stream *stream) {
    work_release(stream->last);
    free(stream);
}

static struct rt_stream *per_thread_stream(void) {
    struct rt_stream **own = &per_thread[device_current()];
    if (!*own) *own = stream_new(cudaStreamDefault, LEAST_PRIORITY);
    return *own;
}

struct rt_stream *rt_stream(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy) return rt_legacy_stream(device_current());
    if (handle == cudaStreamPerThread) return per_thread_stream();
    for (struct rt_stream *stream = streams; stream; stream = stream->next)
        if ((cudaStream_t)stream == handle) return stream;
    return NULL;
}

void rt_each_stream(int device, void (*visit)(struct rt_stream *, void *), void *context) {
    for (struct rt_stream *stream = streams; stream; stream = stream->next)
        if (stream->device == device) visit(stream, context);
    visit(rt_legacy_stream(device), context);
}

static void latest_callback(struct rt_stream *stream, void *ticket) {
    uint64_t *latest = ticket;
    if (stream->last_callback > *latest) *latest = stream->last_callback;
}

/* The latest host function that work on the stream waits for. The legacy stream waits for all streams of its device. */
static uint64_t callback_before(struct rt_stream *stream) {
    uint64_t ticket = stream->last_callback;
    if (stream == rt_legacy_stream(stream->device))
        rt_each_stream(stream->device, latest_callback, &ticket);
    else if (!(stream->flags & cudaStreamNonBlocking))
        latest_callback(rt_legacy_stream(stream->device), &ticket);
    return ticket;
}

bool rt_stream_turn(struct rt_stream *stream) {
    rt_callback_wait(callback_before(stream));
    return !rt_faulted();
}

cudaError_t rt_synchronise(struct rt_stream *stream) {
    cudaError_t error = rt_catch_up(stream);
    rt_host_wait_stream(stream);
    return error;
}

cudaError_t rt_catch_up(struct rt_stream *stream) {
    rt_callback_wait(callback_before(stream));
    device_printf_flush(stream->device);
    return rt_surface();
}

cudaError_t rt_synchronise_device(int device) {
    rt_callback_wait(callback_before(rt_legacy_stream(device)));
    rt_host_wait_device(device);
    device_printf_flush(device);
    return rt_surface();
}

static int clamp_priority(int priority) {
    if (priority > LEAST_PRIORITY) return LEAST_PRIORITY;
    return priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

static cudaError_t create(cudaStream_t *handle, unsigned flags, int priority) {
    if (!handle || (flags & ~(unsigned)cudaStreamNonBlocking)) return cudaErrorInvalidValue;
    *handle = (cudaStream_t)stream_new(flags, clamp_priority(priority));
    return *handle ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    RT_CALL(create(stream, cudaStreamDefault, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    RT_CALL(create(stream, flags, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    RT_CALL(create(stream, flags, priority));
}

/* Destroys a stream, but not a default stream. */
static cudaError_t destroy(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread) return cudaErrorInvalidResourceHandle;
    for (struct rt_stream **link = &streams; *link; link = &(*link)->next) {
        struct rt_stream *stream = *link;
        if ((cudaStream_t)stream != handle) continue;
        rt_callback_wait(stream->last_callback);
        *link = stream->next;
        stream_free(stream);
        return cudaSuccess;
    }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    RT_CALL(destroy(stream));
}

void rt_streams_reset(void) {
    for (struct rt_stream **link = &streams; *link;) {
        struct rt_stream *stream = *link;
        if (stream->device != device_current()) {
            link = &stream->next;
            continue;
        }
        *link = stream->next;
        stream_free(stream);
    }
    per_thread[device_current()] = NULL;
}

static cudaError_t synchronise(cudaStream_t handle) {
    struct rt_stream *stream = rt_stream(handle);
    return stream ? rt_synchronise(stream) : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RT_CALL(synchronise(stream));
}

static cudaError_t query(cudaStream_t handle) {
    struct rt_stream *stream = rt_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!rt_callback_done(callback_before(stream))) return cudaErrorNotReady;
    if (!rt_faulted() && rt_host_finds_stream_busy(stream)) return cudaErrorNotReady;
    return rt_synchronise(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (rt_beside_runs()) return cudaErrorNotReady;
    RT_CALL(query(stream));
}

/* Stores a stream's field in *pointer, if the handle is valid. */
#define GET(handle, pointer, field)                                                                                    \
    do {                                                                                                               \
        const struct rt_stream *found_ = rt_stream(handle);                                                            \
        if (!found_) return cudaErrorInvalidResourceHandle;                                                            \
        if (!(pointer)) return cudaErrorInvalidValue;                                                                  \
        *(pointer) = found_->field;                                                                                    \
        return cudaSuccess;                                                                                            \
    } while (0)

static cudaError_t get_flags(cudaStream_t stream, unsigned *flags) {
    GET(stream, flags, flags);
}

static cudaError_t get_priority(cudaStream_t stream, int *priority) {
    GET(stream, priority, priority);
}

static cudaError_t get_id(cudaStream_t stream, unsigned long long *id) {
    GET(stream, id, id);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    RT_CALL(get_flags(stream, flags));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    RT_CALL(get_priority(stream, priority));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    RT_CALL(get_id(stream, id));
}

static cudaError_t get_device(cudaStream_t stream, int *device) {
    GET(stream, device, device);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    RT_CALL(get_device(stream, device));
}

static cudaError_t priority_range(int *least, int *greatest) {
    if (least) *least = LEAST_PRIORITY;
    if (greatest) *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    RT_CALL(priority_range(least, greatest));
}

/* The simulator never captures (api/unsupported.def), so these two queries can answer. */
static cudaError_t is_capturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    if (!rt_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (!status) return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    RT_CALL(is_capturing(stream, status));
}

static cudaError_t capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id) {
    if (id) *id = 0;
    return is_capturing(stream, status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                     size_t *n) {
    (void)graph, (void)nodes, (void)edges, (void)n; /* unchanged without capture, as in CUDA */
    RT_CALL(capture_info(stream, status, id));
}
