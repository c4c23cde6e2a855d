/* api/capture.c: the captures that are active, the latest nodes of their streams, and which calls
 * they forbid. extra/graphs/capture.c begins and ends them. */
#include "capture.h"

#include <stdlib.h>
#include <string.h>

struct rt_capture *rt_captures;

/* ---- Lists of nodes ---- */

static bool capture_holds(const struct rt_nodes *nodes, cudaGraphNode_t node) {
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->list[i] == node) return true;
    return false;
}

bool rt_nodes_add(struct rt_nodes *to, const cudaGraphNode_t *nodes, size_t n) {
    cudaGraphNode_t *list = realloc(to->list, (to->count + n + 1) * sizeof *list);
    if (!list) return false;
    to->list = list;
    for (size_t i = 0; i < n; i++)
        if (!capture_holds(to, nodes[i])) to->list[to->count++] = nodes[i];
    return true;
}

void rt_nodes_free(struct rt_nodes *nodes) {
    free(nodes->list);
    *nodes = (struct rt_nodes){0};
}

/* ---- Captures ---- */

cudaError_t rt_capture_add(struct rt_stream *stream, struct cudaGraphNodeParams *params) {
    return stream->capture->calls->add(stream, params);
}

cudaError_t rt_capture_kernel(const struct launch *launch) {
    return launch->stream->capture->calls->kernel(launch);
}

void rt_capture_leave(struct rt_stream *stream) {
    if (stream->capture) stream->capture->calls->leave(stream);
}

struct rt_capture *rt_capture_find(uint64_t id) {
    struct rt_capture *capture = rt_captures;
    while (capture && capture->id != id) capture = capture->next;
    return capture;
}

bool rt_capture_adds_to(const struct rt_graph *graph) {
    for (const struct rt_capture *capture = rt_captures; capture; capture = capture->next)
        if (capture->graph == graph) return true;
    return false;
}

cudaError_t rt_capture_spoil(struct rt_capture *capture, cudaError_t error) {
    if (capture) capture->invalid = true;
    return error;
}

cudaError_t rt_capture_follow(struct rt_stream *stream, const cudaGraphNode_t *nodes, size_t n,
                              bool alone) {
    if (alone) stream->latest.count = 0;
    return rt_nodes_add(&stream->latest, nodes, n) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* ---- What captures forbid ---- */

/* the calling thread's: cudaStreamCaptureModeGlobal */
static _Thread_local enum cudaStreamCaptureMode own_mode;

const void *rt_this_thread(void) {
    return &own_mode;
}

/* Calls that wait for work, may allocate memory on the device, or are forbidden for another reason.
 * Measured on an H200. */
static const char *const unsafe[] = {
    "cudaDeviceSetLimit",
    "cudaDeviceSynchronize",
    "cudaFree",
    "cudaFreeHost",
    "cudaGraphExecDestroy",
    "cudaGraphInstantiate",
    "cudaGraphInstantiateWithFlags",
    "cudaGraphInstantiateWithParams",
    "cudaGraphUpload",
    "cudaHostAlloc",
    "cudaHostRegister",
    "cudaHostUnregister",
    "cudaMalloc",
    "cudaMalloc3D",
    "cudaMallocHost",
    "cudaMallocManaged",
    "cudaMallocPitch",
    "cudaMemAdvise",
    "cudaMemPoolTrimTo",
    "cudaMemPrefetchAsync",
    "cudaStreamAttachMemAsync",
    "cudaStreamGetId",
};

/* Does the capture forbid such calls in this thread? */
static bool forbids(const struct rt_capture *capture) {
    if (own_mode == cudaStreamCaptureModeRelaxed || capture->mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (capture->thread == rt_this_thread()) return true;
    return own_mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal;
}

cudaError_t rt_capture_guard(void) {
    cudaError_t error = cudaSuccess;
    for (struct rt_capture *capture = rt_captures; capture; capture = capture->next)
        if (forbids(capture)) error = rt_capture_spoil(capture, cudaErrorStreamCaptureUnsupported);
    return error;
}

cudaError_t rt_capture_guard_function(const char *function) {
    if (!rt_captures || !function) return cudaSuccess;
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        if (!strcmp(function, unsafe[i])) return rt_capture_guard();
    return cudaSuccess;
}

/* Streams that the legacy stream would wait for. */
struct waited {
    bool found, spoil;
};

static void take_capturing(struct rt_stream *stream, void *context) {
    struct waited *waited = context;
    if (!stream->capture || stream->flags & cudaStreamNonBlocking) return;
    waited->found = true;
    if (waited->spoil) stream->capture->invalid = true;
}

cudaError_t rt_capture_guard_legacy(const struct rt_stream *stream, bool spoil) {
    struct waited waited = {.spoil = spoil};
    if (!rt_captures || stream != rt_legacy_stream(stream->device)) return cudaSuccess;
    rt_each_stream(stream->device, take_capturing, &waited);
    return waited.found ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

static cudaError_t exchange(enum cudaStreamCaptureMode *mode) {
    if (!mode) return cudaErrorInvalidValue;
    enum cudaStreamCaptureMode before = own_mode;
    own_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    RT_CALL(exchange(mode));
}
