/* api/memory/copy.c: copies boxes of bytes; a line is a box of one row. */
#include "pages.h"

#include "simt/api/caller.h"
#include "simt/api/capture.h"
#include "simt/api/check.h"
#include "simt/api/clock.h"
#include "simt/api/extra.h"
#include "simt/api/launch/launch.h"
#include "simt/device/image.h"
#include "simt/device/l2.h"

#include "lib/memory.h"
#include "simt/check/host.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that a box spans in memory; SIZE_MAX on overflow. */
static size_t span(struct rt_box box, size_t width, size_t height, size_t depth) {
    size_t rows, layers, size;
    if (box.image) return 1;
    if (__builtin_mul_overflow(box.pitch, height - 1, &rows) ||
        __builtin_mul_overflow(box.layer, depth - 1, &layers) ||
        __builtin_add_overflow(rows, layers, &size) || __builtin_add_overflow(size, width, &size))
        return SIZE_MAX;
    return size;
}

static bool to_device(enum cudaMemcpyKind kind) {
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

static bool from_device(enum cudaMemcpyKind kind) {
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

/* The host's address for an address of the program. */
static char *host_address(uintptr_t address) {
    void *host = memory_host(address, 1);
    return host ? host : (char *)address;
}

/* Where byte x of a row of the box lies, from its address. *run: how many bytes lie side by side
 * there, at most. */
static size_t offset_in(const struct rt_box *box, size_t x, size_t y, size_t z, size_t *run) {
    if (!box->image) return z * box->layer + y * box->pitch + x;
    size_t column = box->x + x, side_by_side = IMAGE_RUN - column % IMAGE_RUN;
    if (side_by_side < *run) *run = side_by_side;
    return image_offset(box->image, (uint32_t)column, (uint32_t)(box->y + y),
                        (uint32_t)(box->z + z));
}

static void move_row(const struct rt_box *to, const struct rt_box *from, size_t width, size_t y,
                     size_t z) {
    char *target = host_address(to->address);
    const char *source = host_address(from->address);
    for (size_t x = 0, run; x < width; x += run) {
        run = width - x;
        size_t to_offset = offset_in(to, x, y, z, &run),
               from_offset = offset_in(from, x, y, z, &run);
        memmove(target + to_offset, source + from_offset, run);
    }
}

static void move(const struct rt_box *to, const struct rt_box *from, size_t width, size_t height,
                 size_t depth) {
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++) move_row(to, from, width, y, z);
}

/* ---- What a copy does, and when ---- */

/* A copy that is not done. It reads when it starts, and writes when it ends; in between its bytes
 * are here. */
struct copying {
    struct rt_box to, from, between; /* between: address 0: nothing was read */
    size_t width, height, depth;
    int loads, stores; /* the devices whose memory it reads and writes; -1: the host's */
    bool is_inline;    /* its bytes come with the commands, not by an engine */
    const char *name;
    char stream[RT_STREAM_NAME];
    uint64_t source,
        target;      /* hashes of the host's bytes, where the copy was issued; 0: not of the host */
    uint32_t issued; /* effects of other work before */
    const void *caller; /* of a copy to the host, with --check; else NULL */
};

/* Tells the checker of bytes that were moved. Texels are not followed. */
static void tell_checker(const struct copying *copy) {
    for (size_t z = 0; z < copy->depth && !copy->to.image; z++)
        for (size_t y = 0; y < copy->height; y++) {
            uintptr_t to = copy->to.address + z * copy->to.layer + y * copy->to.pitch;
            uintptr_t from = copy->from.address + z * copy->from.layer + y * copy->from.pitch;
            order_bytes(to, copy->width, true);
            if (copy->from.image) {
                check_host_wrote(to, copy->width);
            } else {
                check_host_copied(to, from, copy->width);
                order_bytes(from, copy->width, false);
            }
        }
}

/* Tells of a copy to the host of which nobody wrote a byte. */
static void check_written(const struct copying *copy) {
    bool any = !copy->caller || copy->from.image;
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height && !any; y++)
            any = check_is_written(copy->from.address + z * copy->from.layer + y * copy->from.pitch,
                                   copy->width);
    if (!any)
        rt_check_unwritten(copy->from.address, copy->width * copy->height * copy->depth,
                           copy->caller);
}

/* A hash of the bytes of a line that the host reaches, with --check; 0: of no such line. */
static uint64_t copy_hash_of(const struct rt_box *box, const struct copying *copy) {
    bool line = !box->image && copy->height == 1 && copy->depth == 1;
    if (!check_enabled() || !line || rt_place((void *)box->address, copy->width) != RT_BOTH)
        return 0;
    return hash_bytes(HASH_START, host_address(box->address), copy->width) | 1;
}

/* Has the host changed what the copy was to read or to write, before the copy was over? */
static void check_host(const struct copying *copy, const struct rt_box *box, uint64_t issued,
                       const char *what) {
    if (issued && copy_hash_of(box, copy) != issued)
        order_host_changed(box->address, copy->width, copy->issued, what);
}

static void read_source(struct copying *copy) {
    void *bytes = need(malloc(copy->width * copy->height * copy->depth));
    copy->between = (struct rt_box){
        .address = (uintptr_t)bytes, .pitch = copy->width, .layer = copy->width * copy->height};
    move(&copy->between, &copy->from, copy->width, copy->height, copy->depth);
}

/* bytes of pageable memory that an H200's driver reads for later copies */
#define READ_AT_CALL (2 << 20)

/* What a copy within the device reads comes before what it writes. */
static void tell_l2(const struct copying *copy) {
    size_t width = copy->width, height = copy->height, depth = copy->depth,
           to = span(copy->to, width, height, depth);
    if (copy->stores < 0) return;
    if (copy->loads < 0 && !copy->is_inline) {
        l2_copy(copy->stores, copy->to.address, to);
        return;
    }
    if (copy->loads >= 0) {
        l2_touch(copy->loads, copy->from.address, span(copy->from, width, height, depth));
        l2_settle(copy->loads);
    }
    rt_l2_stored(copy->stores, copy->to.address, to, width * height * depth);
}

static void write_target(const struct copying *copy) {
    const struct rt_box *from = copy->between.address ? &copy->between : &copy->from;
    move(&copy->to, from, copy->width, copy->height, copy->depth);
    memory_changed_at(copy->to.address);
    check_written(copy);
    tell_checker(copy);
    tell_l2(copy);
}

static void copy_in_time(struct work *work, enum work_effect effect) {
    struct copying *copy = work->context;
    if (effect != WORK_ENDS && !copy->to.image)
        work->length_ns +=
            rt_pages_bring(copy->to.address, span(copy->to, copy->width, copy->height, copy->depth),
                           copy->stores < 0 ? HOST_BIT : 1u << copy->stores);
    if (effect == WORK_BEGINS && !rt_faulted()) read_source(copy);
    if (effect == WORK_BEGINS) return;
    order_begin(work->order, "%s in %s", copy->name, copy->stream);
    check_host(copy, &copy->from, copy->source, "the host, which changed what it copies,");
    check_host(copy, &copy->to, copy->target, "the host, which wrote to where it copies,");
    if (!rt_faulted()) write_target(copy);
    order_end();
    free((void *)copy->between.address);
    free(copy);
}

/* A copy as the time model and the timeline have it. */
struct copy {
    enum work_engine engine;
    const char *name;
    struct transfer transfer;
};

static struct host_bytes host_bytes(const void *pointer, size_t bytes) {
    return transfer_host_bytes(rt.gpu, rt_is_pageable(pointer), (uintptr_t)pointer, bytes);
}

static struct copy copy_describe(enum cudaMemcpyKind kind, const void *to, const void *from,
                                 size_t bytes) {
    int near = rt_owner(from), far = rt_owner(to);
    bool access = device_reaches(near, far) || device_reaches(far, near);
    if (kind == cudaMemcpyHostToDevice)
        return (struct copy){WORK_TO_DEVICE, "HtoD",
                             transfer_to_device(rt.gpu, host_bytes(from, bytes))};
    if (kind != cudaMemcpyDeviceToDevice)
        return (struct copy){WORK_TO_HOST, kind == cudaMemcpyDeviceToHost ? "DtoH" : "HtoH",
                             transfer_to_host(rt.gpu, host_bytes(to, bytes))};
    if (near == far) return (struct copy){WORK_WITHIN, "DtoD", transfer_within(rt.gpu, bytes)};
    return (struct copy){WORK_TO_PEER, "PtoP", transfer_to_peer(rt.gpu, access, bytes)};
}

/* Has the copy's effect now as far as the call must: all of it where the host waits, or moves the
 * bytes itself; what it reads of memory that the program may change when the call returns. Texels
 * are not copied twice. */
static void act(struct work *work, const struct copying *copy, const struct copy *shape,
                bool synchronous) {
    bool staged = shape->transfer.kind == TRANSFER_STAGED,
         texels = copy->to.image || copy->from.image;
    if (synchronous || staged || texels || !rt_work_defers())
        work_act(work);
    else if (rt_place((void *)copy->from.address, 1) == RT_HOST)
        work_act_begin(work);
}

/* Gives the copy to the stream, and waits as long as the host moves bytes itself. Returns whether a
 * synchronous call must wait for the end, too: the driver does where the program may change the
 * host's memory, or looks at it. */
static bool copy_enqueue(struct rt_stream *stream, enum cudaMemcpyKind kind,
                         const struct copying *copying, bool synchronous) {
    const void *to = (void *)copying->to.address, *from = (void *)copying->from.address;
    size_t bytes = copying->width * copying->height * copying->depth;
    struct copy copy = copy_describe(kind, to, from, bytes);
    bool peer = copy.engine == WORK_TO_PEER;
    struct work *work = rt_work_new(stream, copy.engine);
    struct timeline_row *row =
        rt_work_transfer(work, stream, &copy.transfer, TIMELINE_MEMCPY, copy.name);
    row->bytes = bytes;
    row->source = rt_memory_name(from, peer);
    row->target = rt_memory_name(to, peer);
    struct copying *own = work->context = need(malloc(sizeof *copying));
    work->effect = copy_in_time;
    *own = *copying;
    own->name = copy.engine == WORK_TO_DEVICE ? "a copy to the device"
                : copy.engine == WORK_TO_HOST ? "a copy to the host"
                : peer                        ? "a copy between devices"
                                              : "a copy within the device";
    own->is_inline = copy.transfer.kind == TRANSFER_INLINE;
    rt_stream_name(stream, own->stream);
    if (!synchronous) {
        own->source = copy_hash_of(&own->from, own);
        own->target = copy_hash_of(&own->to, own);
    }
    own->issued = order_mark();
    own->caller = check_enabled() && copy.engine == WORK_TO_HOST ? rt_caller() : NULL;
    work_hold(work);
    act(work, copying, &copy, synchronous);
    rt_work_enqueue(stream, work);
    if (rt.timing) rt_call_more(copy.transfer.host_ns);
    bool to_host = copy.engine == WORK_TO_HOST, staged = copy.transfer.kind == TRANSFER_STAGED;
    if (staged && to_host) rt_host_wait(work);
    if (synchronous) order_host_after(work->order);
    if (staged && !to_host)
        rt_host_reach(work_begin(work) + work->length_ns - copy.transfer.way_ns);
    work_release(work);
    return to_host || (copy.engine == WORK_TO_DEVICE && !rt_is_pageable(from));
}

/* The place of a box. later: in memory that a graph will have allocated when it copies. */
static enum rt_place copy_place_of(struct rt_box box, size_t bytes, bool later) {
    enum rt_place place = rt_place((void *)box.address, bytes);
    return place == RT_INVALID && later && rt_extras_will_hold((void *)box.address, bytes)
               ? RT_DEVICE
               : place;
}

/* Does the copy treat this side as the device's? The kind decides where memory is of both. */
static bool is_device(enum rt_place place, bool named) {
    return place == RT_BOTH ? named : place != RT_HOST;
}

/* Checks a copy that is not empty, and resolves its direction: a kind is obeyed where it calls
 * pageable memory the device's; else bytes are copied between what the pointers are. So did an H200
 * (driver 580, CUDA 13.0). */
static cudaError_t copy_check(struct rt_box to, struct rt_box from, size_t width, size_t height,
                              size_t depth, enum cudaMemcpyKind *kind, bool later) {
    if (!to.address || !from.address) return cudaErrorInvalidValue;
    enum rt_place to_place = copy_place_of(to, span(to, width, height, depth), later);
    enum rt_place from_place = copy_place_of(from, span(from, width, height, depth), later);
    if (to_place > RT_BOTH || from_place > RT_BOTH) return cudaErrorInvalidValue;
    bool open = *kind == cudaMemcpyDefault, to_named = open || to_device(*kind),
         from_named = open || from_device(*kind), into = is_device(to_place, to_named),
         out_of = is_device(from_place, from_named);
    bool refused = !open && (to_named > into || from_named > out_of);
    if (refused) rt_check_kind(*kind, to_named > into ? "target" : "source", true);
    if (refused) return cudaErrorInvalidValue;
    if (!open && (to_named < into || from_named < out_of))
        rt_check_kind(*kind, to_named < into ? "target" : "source", false);
    *kind = into     ? out_of ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice
            : out_of ? cudaMemcpyDeviceToHost
                     : cudaMemcpyHostToHost;
    return cudaSuccess;
}

static struct cudaPitchedPtr pitched_of(struct rt_box box, size_t width, size_t height) {
    return (struct cudaPitchedPtr){(void *)box.address, box.pitch, width,
                                   box.layer ? box.layer / box.pitch : height};
}

/* The copy as the parameters of cudaMemcpy3D have it: where an array takes part, lengths are in its
 * texels. */
static struct cudaMemcpy3DParms copy_params_of(struct rt_box to, struct rt_box from,
                                               struct cudaExtent extent, enum cudaMemcpyKind kind) {
    struct cudaMemcpy3DParms p = {.extent = extent, .kind = kind};
    const struct image *image = from.image ? from.image : to.image;
    if (image) p.extent.width /= image->texel_bytes;
    if (to.image) {
        p.dstArray = rt_array_calls->handle(to.image);
        p.dstPos = (struct cudaPos){to.x / to.image->texel_bytes, to.y, to.z};
    } else {
        p.dstPtr = pitched_of(to, extent.width, extent.height);
    }
    if (from.image) {
        p.srcArray = rt_array_calls->handle(from.image);
        p.srcPos = (struct cudaPos){from.x / from.image->texel_bytes, from.y, from.z};
    } else {
        p.srcPtr = pitched_of(from, extent.width, extent.height);
    }
    return p;
}

static cudaError_t copy_capture(struct rt_stream *stream, struct rt_box to, struct rt_box from,
                                struct cudaExtent extent, enum cudaMemcpyKind kind) {
    struct cudaGraphNodeParams params = {
        .type = cudaGraphNodeTypeMemcpy,
        .memcpy.copyParams = copy_params_of(to, from, extent, kind),
    };
    return rt_capture_add(stream, &params);
}

/* A copy that was checked. */
struct copy_call {
    struct rt_box to, from;
    size_t width, height, depth;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    void *read; /* what it has read of pageable memory; NULL: nothing */
};

static size_t read_bytes; /* of pageable memory, for copies that wait */

static size_t copy_bytes(const struct copy_call *call) {
    return call->width * call->height * call->depth;
}

static cudaError_t copy_again(const struct copy_call *call) {
    cudaError_t error = rt_copy_box(call->to, call->from, call->width, call->height, call->depth,
                                    call->kind, call->stream, false);
    if (call->read) read_bytes -= copy_bytes(call);
    free(call->read);
    return error;
}

static cudaError_t call_copy(const void *argument) {
    const struct copy_call *call = argument;
    RT_DEFERRED_CALL(call->stream, copy_again(call));
}

/* Defers a copy after a kernel that runs beside the host, or waits for that. One to pageable memory
 * has written it when the call returns, so it waits; one from there has read it, if there is
 * room. */
static bool copy_deferred(const struct rt_stream *stream, struct copy_call call, bool synchronous) {
    if (!rt_async_kernel_runs()) return false;
    struct copying read = {
        .from = call.from, .width = call.width, .height = call.height, .depth = call.depth};
    bool pageable = rt_is_pageable((void *)call.from.address) && !call.from.image;
    bool waits = synchronous || (rt_is_pageable((void *)call.to.address) && !call.to.image) ||
                 (pageable && read_bytes + copy_bytes(&call) > READ_AT_CALL);
    if (pageable && !waits) {
        read_source(&read);
        call.from = read.between;
        call.read = (void *)call.from.address;
    }
    if (!waits &&
        rt_async_kernel_defer_work("cudaMemcpyAsync", stream, call_copy, &call, sizeof call)) {
        if (call.read) read_bytes += copy_bytes(&call);
        return true;
    }
    free(call.read);
    if (!stream->branch) rt_async_kernel_wait_stream(stream);
    return false;
}

cudaError_t rt_copy_box(struct rt_box to, struct rt_box from, size_t width, size_t height,
                        size_t depth, enum cudaMemcpyKind kind, cudaStream_t handle,
                        bool synchronous) {
    struct rt_stream *stream;
    cudaError_t error = rt_stream_for_work(handle, &stream);
    if (error) return error;
    if ((unsigned)kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (!width || !height || !depth) return synchronous ? rt_synchronise(stream) : cudaSuccess;
    error = copy_check(to, from, width, height, depth, &kind, stream->capture);
    if (error) return error;
    if (stream->capture)
        return copy_capture(stream, to, from, (struct cudaExtent){width, height, depth}, kind);
    if (height == 1 && depth == 1 && !to.image && !from.image)
        rt_check_overlap((void *)to.address, (void *)from.address, width);
    const struct copy_call call = {to, from, width, height, depth, kind, handle, NULL};
    if (copy_deferred(stream, call, synchronous)) return cudaSuccess;
    bool waits = true;
    if (rt_stream_turn(stream)) {
        const struct copying copying = {
            .to = to,
            .from = from,
            .width = width,
            .height = height,
            .depth = depth,
            .loads = from_device(kind) ? rt_owner((void *)from.address) : -1,
            .stores = to_device(kind) ? rt_owner((void *)to.address) : -1};
        waits = copy_enqueue(stream, kind, &copying, synchronous);
    }
    if (!synchronous) return cudaSuccess;
    return waits ? rt_synchronise(stream) : rt_catch_up(stream);
}

cudaError_t rt_copy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                    cudaStream_t stream, bool synchronous) {
    struct rt_box target = {.address = (uintptr_t)to, .pitch = size, .layer = size};
    struct rt_box source = {.address = (uintptr_t)from, .pitch = size, .layer = size};
    return rt_copy_box(target, source, size, 1, 1, kind, stream, synchronous);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
    RT_STREAM_CALL(cudaStreamLegacy, rt_copy(to, from, size, kind, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    RT_BESIDE_CALL(rt_copy(to, from, size, kind, stream, false));
}

static cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                           size_t width, size_t height, enum cudaMemcpyKind kind,
                           cudaStream_t stream, bool synchronous) {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    struct rt_box target = {.address = (uintptr_t)to, .pitch = to_pitch};
    struct rt_box source = {.address = (uintptr_t)from, .pitch = from_pitch};
    return rt_copy_box(target, source, width, height, 1, kind, stream, synchronous);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(
        copy_2d(to, to_pitch, from, from_pitch, width, height, kind, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    RT_ACTING_CALL(copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, false));
}

static struct rt_box box_at(struct cudaPitchedPtr pointer, struct cudaPos pos) {
    size_t layer = pointer.pitch * pointer.ysize;
    uintptr_t address = (uintptr_t)pointer.ptr + pos.z * layer + pos.y * pointer.pitch + pos.x;
    return (struct rt_box){
        .address = pointer.ptr ? address : 0, .pitch = pointer.pitch, .layer = layer};
}

/* One side of a 3D copy: an array if it is given, else memory. size: of the copy, in bytes, rows
 * and layers. */
static cudaError_t side_of(struct rt_box *box, cudaArray_const_t handle,
                           struct cudaPitchedPtr pointer, struct cudaPos pos,
                           struct cudaExtent size) {
    const struct image *image = rt_array_calls->image(handle);
    if (image) pos.x *= image->texel_bytes;
    if (handle) return rt_array_calls->box(box, handle, pos, size);
    *box = box_at(pointer, pos);
    return size.width > pointer.pitch && size.width ? cudaErrorInvalidPitchValue : cudaSuccess;
}

/* Texels, where an array takes part, else bytes. */
static size_t element_bytes(const struct cudaMemcpy3DParms *p) {
    const struct image *image = rt_array_calls->image(p->srcArray ? p->srcArray : p->dstArray);
    return image ? image->texel_bytes : 1;
}

/* Both sides, and the size in bytes, rows and layers. */
static cudaError_t copy_sides_of(const struct cudaMemcpy3DParms *p, struct rt_box *to,
                                 struct rt_box *from, struct cudaExtent *size) {
    *size =
        (struct cudaExtent){p->extent.width * element_bytes(p), p->extent.height, p->extent.depth};
    if ((p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
        return cudaErrorInvalidValue;
    cudaError_t error = side_of(to, p->dstArray, p->dstPtr, p->dstPos, *size);
    return error ? error : side_of(from, p->srcArray, p->srcPtr, p->srcPos, *size);
}

cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool synchronous) {
    if (!p) return cudaErrorInvalidValue;
    struct cudaExtent size;
    struct rt_box to, from;
    cudaError_t error = copy_sides_of(p, &to, &from, &size);
    if (error) return error;
    return rt_copy_box(to, from, size.width, size.height, size.depth, p->kind, stream, synchronous);
}

cudaError_t rt_copy_3d_check(const struct cudaMemcpy3DParms *p) {
    enum cudaMemcpyKind kind = p->kind;
    if ((unsigned)kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    if (p->srcArray || p->dstArray) {
        struct cudaExtent size;
        struct rt_box to, from;
        cudaError_t error = copy_sides_of(p, &to, &from, &size);
        return error ? error
                     : copy_check(to, from, size.width, size.height, size.depth, &kind, true);
    }
    bool fits_rows = p->extent.width <= p->srcPtr.pitch && p->extent.width <= p->dstPtr.pitch;
    bool lines = p->extent.height == 1 && p->extent.depth == 1;
    if (!fits_rows && !lines) return cudaErrorInvalidValue;
    return copy_check(box_at(p->dstPtr, p->dstPos), box_at(p->srcPtr, p->srcPos), p->extent.width,
                      p->extent.height, p->extent.depth, &kind, true);
}

struct cudaMemcpy3DParms rt_line(void *to, const void *from, size_t count,
                                 enum cudaMemcpyKind kind) {
    return (struct cudaMemcpy3DParms){.dstPtr = {to, count, count, 1},
                                      .srcPtr = {(void *)from, count, count, 1},
                                      .extent = {count, 1, 1},
                                      .kind = kind};
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    RT_ACTING_CALL(rt_copy_3d(p, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    RT_ACTING_CALL(rt_copy_3d(p, stream, false));
}
