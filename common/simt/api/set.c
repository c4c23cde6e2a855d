/* api/set.c: cudaMemset and its variants. */
#include "clock.h"
#include "launch.h"

#include "simt/check/host.h"

#include <string.h>

static void take_time(struct rt_stream *stream, const void *pointer, size_t bytes) {
    struct transfer transfer = transfer_fill(rt.gpu, bytes);
    struct work *work = rt_work_new(stream, WORK_WITHIN);
    struct timeline_row *row = rt_work_transfer(work, stream, &transfer, TIMELINE_MEMSET, "");
    row->bytes = bytes;
    row->target = rt_memory_name(pointer, false);
    rt_work_enqueue(stream, work);
}

/* Fills rows of width bytes, like the device's side of rt_copy_box. */
static cudaError_t fill(void *pointer, size_t pitch, int value, size_t width, size_t rows, cudaStream_t handle) {
    struct rt_stream *stream = rt_stream(handle);
    size_t span;
    if (!stream) return cudaErrorInvalidResourceHandle;
    if (!width || !rows) return cudaSuccess;
    if (rows > 1 && width > pitch) return cudaErrorInvalidPitchValue;
    if (__builtin_mul_overflow(pitch, rows - 1, &span) || __builtin_add_overflow(span, width, &span))
        return cudaErrorInvalidValue;
    enum rt_place place = rt_place(pointer, span);
    if (place != RT_DEVICE && place != RT_BOTH) return cudaErrorInvalidValue;
    if (!device_reaches(stream->device, rt_owner(pointer))) return cudaErrorInvalidValue;
    if (!rt_stream_turn(stream)) return cudaSuccess;
    char *target = memory_host((uintptr_t)pointer, span);
    for (size_t row = 0; row < rows; row++) {
        memset(target + row * pitch, value, width);
        check_host_wrote((uintptr_t)pointer + row * pitch, width);
    }
    take_time(stream, pointer, width * rows);
    rt_l2_stored(rt_owner(pointer), width * rows);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *pointer, int value, size_t size) {
    RT_CALL(fill(pointer, size, value, size, 1, cudaStreamLegacy));
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream) {
    RT_CALL(fill(pointer, size, value, size, 1, stream));
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
    RT_CALL(fill(pointer, pitch, value, width, height, cudaStreamLegacy));
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    RT_CALL(fill(pointer, pitch, value, width, height, stream));
}

/* Fills layer by layer: layers lie ysize rows apart, and only extent.height rows of each are filled. */
static cudaError_t fill_3d(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent, cudaStream_t stream) {
    size_t layer = pitched.pitch * pitched.ysize;
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && !error; z++)
        error = fill((char *)pitched.ptr + z * layer, pitched.pitch, value, extent.width, extent.height, stream);
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent) {
    RT_CALL(fill_3d(pitched, value, extent, cudaStreamLegacy));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitched, int value, struct cudaExtent extent, cudaStream_t stream) {
    RT_CALL(fill_3d(pitched, value, extent, stream));
}
