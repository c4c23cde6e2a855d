/* extra/graphs/capture_guard.c: which calls captures forbid, and what becomes of the captures. */
#include "simt/api/capture.h"

#include "graph.h"

#include <string.h>

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
    for (struct rt_capture *capture = rt_capture_first(); capture; capture = capture->next)
        if (forbids(capture)) error = rt_capture_spoil(capture, cudaErrorStreamCaptureUnsupported);
    return error;
}

cudaError_t rt_capture_guard_function(const char *function) {
    if (!rt_capture_first() || !function) return cudaSuccess;
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
    if (!rt_capture_first() || stream != rt_legacy_stream(stream->device)) return cudaSuccess;
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
