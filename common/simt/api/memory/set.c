/* api/memory/set.c: cudaMemset and its variants. */
#include "pages.h"

#include "simt/api/capture.h"
#include "simt/api/clock.h"
#include "simt/api/extra.h"
#include "simt/api/launch/launch.h"

#include "lib/memory.h"
#include "simt/check/host.h"

#include <stdlib.h>
#include <string.h>

/* Checks a fill that is not empty. later: its memory may be memory that a graph will have
 * allocated. Stores the bytes from the first to the last. */
static cudaError_t fill_check(const struct cudaMemsetParams *fill, bool later, size_t *span) {
    size_t width = fill->width * fill->elementSize;
    if (fill->height > 1 && width > fill->pitch) return cudaErrorInvalidPitchValue;
    if (__builtin_mul_overflow(fill->pitch, fill->height - 1, span) ||
        __builtin_add_overflow(*span, width, span))
        return cudaErrorInvalidValue;
    enum rt_place place = rt_place(fill->dst, *span);
    bool in_graph = place == RT_INVALID && later && rt_extras_will_hold(fill->dst, *span);
    return place == RT_DEVICE || place == RT_BOTH || place == RT_HEAP || in_graph
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t rt_fill_check(const struct cudaMemsetParams *fill) {
    size_t span;
    return fill_check(fill, true, &span) ? cudaErrorInvalidValue : cudaSuccess;
}

static void memory_fill_row(char *target, const struct cudaMemsetParams *fill) {
    if (fill->elementSize == 1)
        memset(target, (int)fill->value, fill->width);
    else
        for (size_t i = 0; i < fill->width; i++) /* the host is little-endian */
            memcpy(target + i * fill->elementSize, &fill->value, fill->elementSize);
}

static void fill_rows(const struct cudaMemsetParams *fill) {
    char *target = memory_host((uintptr_t)fill->dst, 1);
    size_t bytes = fill->width * fill->elementSize;
    for (size_t row = 0; row < fill->height; row++) {
        memory_fill_row(target + row * fill->pitch, fill);
        check_host_wrote((uintptr_t)fill->dst + row * fill->pitch, bytes);
        order_bytes((uintptr_t)fill->dst + row * fill->pitch, bytes, true);
    }
    memory_changed_at((uintptr_t)fill->dst);
    rt_l2_stored(rt_owner(fill->dst), (uintptr_t)fill->dst,
                 bytes + fill->pitch * (fill->height - 1), bytes * fill->height);
}

/* A fill that is not done. */
struct filling {
    struct cudaMemsetParams fill;
    char stream[RT_STREAM_NAME];
};

static void fill_at_end(struct work *work, enum work_effect effect) {
    struct filling *filling = work->context;
    const struct cudaMemsetParams *fill = &filling->fill;
    if (effect != WORK_ENDS)
        work->length_ns += rt_pages_bring(
            (uintptr_t)fill->dst,
            fill->width * fill->elementSize + fill->pitch * (fill->height - 1), 1u << work->device);
    if (effect == WORK_BEGINS) return;
    order_begin(work->order, "a fill in %s", filling->stream);
    if (!rt_faulted()) fill_rows(fill);
    order_end();
    free(filling);
}

/* Gives the fill to the stream. */
static void fill_enqueue(struct rt_stream *stream, const struct cudaMemsetParams *fill) {
    size_t bytes = fill->width * fill->elementSize * fill->height;
    struct transfer transfer = transfer_fill(rt.gpu, bytes);
    struct work *work = rt_work_new(stream, WORK_WITHIN);
    struct timeline_row *row = rt_work_transfer(work, stream, &transfer, TIMELINE_MEMSET, "");
    row->bytes = bytes;
    row->target = rt_memory_name(fill->dst, false);
    work->effect = fill_at_end;
    struct filling *filling = work->context = need(malloc(sizeof *filling));
    filling->fill = *fill;
    rt_stream_name(stream, filling->stream);
    if (!rt_work_defers()) work_act(work);
    rt_work_enqueue(stream, work);
}

/* A fill that was checked. */
struct fill_call {
    struct cudaMemsetParams fill;
    cudaStream_t stream;
};

static cudaError_t call_fill(const void *argument) {
    const struct fill_call *call = argument;
    RT_DEFERRED_CALL(call->stream, rt_fill(&call->fill, call->stream));
}

cudaError_t rt_fill(const struct cudaMemsetParams *fill, cudaStream_t handle) {
    struct rt_stream *stream;
    size_t span;
    cudaError_t error = rt_stream_for_work(handle, &stream);
    if (error) return error;
    if (!fill->width || !fill->height) return cudaSuccess;
    error = fill_check(fill, stream->capture, &span);
    if (error) return error;
    if (!device_reaches(stream->device, rt_owner(fill->dst))) return cudaErrorInvalidValue;
    if (stream->capture)
        return rt_capture_add(stream, &(struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemset,
                                                                    .memset = *fill});
    const struct fill_call call = {*fill, handle};
    if (rt_async_kernel_defer_work("cudaMemsetAsync", stream, call_fill, &call, sizeof call))
        return cudaSuccess;
    if (rt_stream_turn(stream)) fill_enqueue(stream, fill);
    return cudaSuccess;
}

/* Fills rows of width bytes. */
static cudaError_t memory_fill(void *pointer, size_t pitch, int value, size_t width, size_t rows,
                               cudaStream_t stream) {
    const struct cudaMemsetParams params = {pointer, pitch, (unsigned char)value, 1, width, rows};
    return rt_fill(&params, stream);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size) {
    RT_BESIDE_CALL(memory_fill(pointer, size, value, size, 1, cudaStreamLegacy));
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream) {
    RT_BESIDE_CALL(memory_fill(pointer, size, value, size, 1, stream));
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    RT_ACTING_CALL(memory_fill(pointer, pitch, value, width, height, cudaStreamLegacy));
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    RT_ACTING_CALL(memory_fill(pointer, pitch, value, width, height, stream));
}

/* Fills layer by layer: layers lie ysize rows apart, and only extent.height rows of each are
 * filled. */
static cudaError_t fill_3d(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
                           cudaStream_t stream) {
    size_t layer = pitched.pitch * pitched.ysize;
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && !error; z++)
        error = memory_fill((char *)pitched.ptr + z * layer, pitched.pitch, value, extent.width,
                            extent.height, stream);
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent) {
    RT_ACTING_CALL(fill_3d(pitched, value, extent, cudaStreamLegacy));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
    RT_ACTING_CALL(fill_3d(pitched, value, extent, stream));
}
