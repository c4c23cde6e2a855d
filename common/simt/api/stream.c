/* api/stream.c: streams. A stream has modelled work (time/work.h) and pending host functions. */
#include "capture.h"
#include "clock.h"

#include "simt/api/launch/launch.h"
#include "simt/check/host.h"
#include "simt/machine/machine.h"

#include <math.h>
#include <stdlib.h>

#define LEGACY_ID         1 /* of every device */
#define LEAST_PRIORITY    0
#define GREATEST_PRIORITY (-5)

static struct rt_stream legacy[MAX_DEVICES];
static struct rt_stream *streams; /* all others, newest first */
static struct rt_stream *spare_branches;
static unsigned long long last_id = 2;
static _Thread_local struct rt_stream *per_thread[MAX_DEVICES];

struct rt_stream *rt_legacy_stream(int device) {
    legacy[device].device = device;
    legacy[device].id = LEGACY_ID;
    return &legacy[device];
}

static void stream_free(struct rt_stream *stream);

/* Has a destroyed stream done its work? */
static bool is_over(const struct rt_stream *stream) {
    return (!stream->last || stream->last->done) && !rt_async_kernel_before(stream) &&
           !rt_deferred_before(stream);
}

/* Frees the streams that were destroyed and have done their work. */
static void drop_destroyed(void) {
    if (rt.check) return; /* the host learns later that their work is over */
    for (struct rt_stream **link = &streams; *link;) {
        struct rt_stream *stream = *link;
        if (stream->destroyed && is_over(stream)) {
            *link = stream->next;
            stream_free(stream);
        } else {
            link = &stream->next;
        }
    }
}

static struct rt_stream *stream_new(unsigned flags, int priority) {
    drop_destroyed();
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
    rt_attributes_free(&stream->attributes);
    rt_capture_leave(stream);
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
    for (int device = 0; device < devices_count(); device++) /* as our own files name it */
        if ((cudaStream_t)&legacy[device] == handle) return &legacy[device];
    for (struct rt_stream *stream = streams; stream; stream = stream->next)
        if ((cudaStream_t)stream == handle && (!stream->destroyed || rt_async_kernel_is_job()))
            return stream; /* a job makes calls from before a stream was destroyed */
    return NULL;
}

cudaError_t rt_stream_for_work(cudaStream_t handle, struct rt_stream **stream) {
    *stream = rt_stream(handle);
    if (!*stream) return cudaErrorInvalidResourceHandle;
    if ((*stream)->capture && (*stream)->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    return rt_capture_guard_legacy(*stream, true);
}

void rt_each_stream(int device, void (*visit)(struct rt_stream *, void *), void *context) {
    for (struct rt_stream *stream = streams; stream; stream = stream->next)
        if (stream->device == device) visit(stream, context);
    visit(rt_legacy_stream(device), context);
}

/* The legacy stream waits for all blocking streams of its device, and they for it. */
static bool is_before(const struct rt_stream *one, const struct rt_stream *other) {
    return one == rt_legacy_stream(one->device) && !(other->flags & cudaStreamNonBlocking);
}

bool rt_streams_join(const struct rt_stream *one, const struct rt_stream *other) {
    if (one->device != other->device) return false;
    return one == other || is_before(one, other) || is_before(other, one);
}

bool rt_streams_several(void) {
    return streams || rt_devices_several();
}

static void latest_callback(struct rt_stream *stream, void *ticket) {
    uint64_t *latest = ticket;
    if (stream->last_callback > *latest) *latest = stream->last_callback;
}

/* The latest host function that work on the stream waits for. The legacy stream waits for all
 * streams of its device. */
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
    rt_callback_wait(callback_before(stream));
    rt_host_wait_stream(stream);
    return rt_catch_up(stream);
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

int rt_priority(int priority) {
    if (priority > LEAST_PRIORITY) return LEAST_PRIORITY;
    return priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
}

static cudaError_t stream_create(cudaStream_t *handle, unsigned flags, int priority) {
    if (!handle || (flags & ~(unsigned)cudaStreamNonBlocking)) return cudaErrorInvalidValue;
    *handle = (cudaStream_t)stream_new(flags, rt_priority(priority));
    return *handle ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
    RT_BESIDE_CALL(stream_create(stream, cudaStreamDefault, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    RT_BESIDE_CALL(stream_create(stream, flags, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    RT_BESIDE_CALL(stream_create(stream, flags, priority));
}

/* Destroys a stream, but not a default stream. What it has been given is still done: others wait
 * for it as before. */
static cudaError_t stream_destroy(cudaStream_t handle) {
    if (!handle || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
        return cudaErrorInvalidResourceHandle;
    struct rt_stream *stream = rt_stream(handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    rt_callback_wait(stream->last_callback);
    rt_capture_leave(stream);
    stream->destroyed = true;
    drop_destroyed();
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    RT_BESIDE_CALL(stream_destroy(stream));
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

/* Finds a stream that the host waits for or asks about, unless captures forbid it. */
static cudaError_t find_awaited(cudaStream_t handle, struct rt_stream **stream) {
    cudaError_t error = rt_stream_for_work(handle, stream);
    if (error) return error;
    if ((*stream)->capture)
        return rt_capture_spoil((*stream)->capture, cudaErrorStreamCaptureUnsupported);
    return rt_capture_guard();
}

static cudaError_t stream_synchronise(cudaStream_t handle) {
    struct rt_stream *stream;
    cudaError_t error = find_awaited(handle, &stream);
    return error ? error : rt_synchronise(stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    RT_STREAM_CALL(stream, stream_synchronise(stream));
}

static cudaError_t stream_query(cudaStream_t handle) {
    struct rt_stream *stream;
    cudaError_t error = find_awaited(handle, &stream);
    if (error) return error;
    if (!rt_callback_done(callback_before(stream))) return cudaErrorNotReady;
    if (!rt_faulted() && rt_host_finds_stream_busy(stream)) return cudaErrorNotReady;
    return rt_synchronise(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (rt_async_kernel_busy(stream)) return cudaErrorNotReady;
    RT_STREAM_CALL(stream, stream_query(stream));
}

/* ---- Branches of graphs ---- */

struct rt_stream *rt_branch_new(int device) {
    struct rt_stream *branch = spare_branches;
    if (branch) {
        spare_branches = branch->next;
        *branch = (struct rt_stream){.id = branch->id, .next = streams};
        streams = branch;
    } else {
        branch = stream_new(0, LEAST_PRIORITY);
    }
    if (!branch) return NULL;
    branch->device = device;
    branch->flags = cudaStreamNonBlocking;
    branch->branch = true;
    return branch;
}

void rt_branch_free(struct rt_stream *branch) {
    struct rt_stream **link = &streams;
    while (*link != branch) link = &(*link)->next;
    *link = branch->next;
    work_release(branch->last);
    branch->next = spare_branches;
    spare_branches = branch;
}

void rt_stream_after(struct rt_stream *stream, struct work *work, double expected_ns,
                     uint64_t callback) {
    struct work *turn = rt_work_new(stream, WORK_NO_ENGINE);
    work_after(turn, work);
    if (work) order_after(&turn->order, work->order);
    stream->expected_ns = fmax(stream->expected_ns, expected_ns);
    rt_work_enqueue(stream, turn);
    if (callback > stream->last_callback) stream->last_callback = callback;
}

void rt_stream_pass(struct rt_stream *stream, double ns) {
    struct work *pause = rt_work_new(stream, WORK_NO_ENGINE);
    pause->length_ns = ns;
    rt_work_enqueue(stream, pause);
}

/* ---- What a stream is ---- */

/* Stores a stream's field in *pointer, if the handle is valid. */
#define GET(handle, pointer, field)                                                                \
    (rt_stream(handle) ? RT_SET(pointer, rt_stream(handle)->field) : cudaErrorInvalidResourceHandle)

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    RT_ACTING_CALL(GET(stream, flags, flags));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    RT_ACTING_CALL(GET(stream, priority, priority));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    RT_ACTING_CALL(GET(stream, id, id));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    RT_ACTING_CALL(GET(stream, device, device));
}

static cudaError_t priority_range(int *least, int *greatest) {
    if (least) *least = LEAST_PRIORITY;
    if (greatest) *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    RT_ACTING_CALL(priority_range(least, greatest));
}
