/* api/memory/managed.c: advice on managed memory, and prefetching it. */
#include "pages.h"

#include "lib/memory.h"
#include "simt/api/clock.h"

#include <stdlib.h>

#define PAGE_BYTES 4096u
static struct allocation *find_managed(const void *pointer, size_t size) {
    struct allocation *allocation = size ? memory_find((uintptr_t)pointer, size) : NULL;
    return allocation && allocation->kind == ALLOC_MANAGED ? allocation : NULL;
}

/* Pages of an allocation that a range lies in: from first on, n of them. Nothing is known of them
 * if first is NULL. */
struct range {
    struct page_advice *first;
    size_t n;
};

static struct range range_of(const struct allocation *allocation, const void *pointer,
                             size_t size) {
    size_t offset = (uintptr_t)pointer - allocation->address;
    size_t first = offset / PAGE_BYTES, last = (offset + size - 1) / PAGE_BYTES;
    return (struct range){allocation->advice ? allocation->advice + first : NULL, last - first + 1};
}

/* The same to be written. first is NULL: no memory. */
static struct range range_to_write(struct allocation *allocation, const void *pointer,
                                   size_t size) {
    if (!allocation->advice)
        allocation->advice = calloc(allocation->size / PAGE_BYTES + 1, sizeof *allocation->advice);
    return range_of(allocation, pointer, size);
}

static struct place managed_place_of(struct cudaMemLocation location) {
    bool has_number =
        location.type == cudaMemLocationTypeDevice || location.type == cudaMemLocationTypeHostNuma;
    return (struct place){(uint8_t)location.type, has_number ? (uint8_t)location.id : 0};
}

static cudaError_t check_location(struct cudaMemLocation location) {
    if (location.type == cudaMemLocationTypeDevice)
        return device_exists(location.id) ? cudaSuccess : cudaErrorInvalidDevice;
    bool host = location.type == cudaMemLocationTypeHost ||
                location.type == cudaMemLocationTypeHostNuma ||
                location.type == cudaMemLocationTypeHostNumaCurrent;
    return host ? cudaSuccess : cudaErrorInvalidValue;
}

/* Does the advice need a place? Three kinds undo a choice, and name none. */
static bool needs_location(enum cudaMemoryAdvise advice) {
    return advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
           advice != cudaMemAdviseUnsetPreferredLocation;
}

/* Of a device that exists, or of the host. */
static uint32_t managed_bit_of(struct cudaMemLocation location) {
    return location.type == cudaMemLocationTypeDevice ? 1u << location.id : HOST_BIT;
}

static void advise_page(struct page_advice *page, enum cudaMemoryAdvise advice,
                        struct cudaMemLocation location) {
    switch (advice) {
    case cudaMemAdviseSetReadMostly: page->read_mostly = 1; break;
    case cudaMemAdviseUnsetReadMostly: page->read_mostly = 0; break;
    case cudaMemAdviseSetPreferredLocation: page->preferred = managed_place_of(location); break;
    case cudaMemAdviseUnsetPreferredLocation: page->preferred = (struct place){0}; break;
    case cudaMemAdviseSetAccessedBy: page->accessed_by |= managed_bit_of(location); break;
    case cudaMemAdviseUnsetAccessedBy: page->accessed_by &= ~managed_bit_of(location); break;
    }
}

static cudaError_t managed_advise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                                  struct cudaMemLocation location) {
    struct allocation *allocation = find_managed(pointer, size);
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return cudaErrorInvalidValue;
    if (!allocation || (needs_location(advice) && check_location(location)))
        return cudaErrorInvalidValue;
    struct range range = range_to_write(allocation, pointer, size);
    if (!range.first) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < range.n; i++) advise_page(&range.first[i], advice, location);
    return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    RT_ACTING_CALL(managed_advise(pointer, size, advice, location));
}

/* A prefetch that is not done. */
struct prefetch {
    uintptr_t address;
    size_t size;
    uint32_t place;
};

static void prefetch_begins(struct work *work, enum work_effect effect) {
    struct prefetch *prefetch = work->context;
    if (effect != WORK_ENDS)
        work->length_ns += rt_pages_bring(prefetch->address, prefetch->size, prefetch->place);
    if (effect != WORK_BEGINS) free(prefetch);
}

static void prefetch_enqueue(struct rt_stream *stream, const struct prefetch *prefetch) {
    struct work *work =
        rt_work_new(stream, prefetch->place == HOST_BIT ? WORK_TO_HOST : WORK_TO_DEVICE);
    struct prefetch *own = work->context = need(malloc(sizeof *own));
    *own = *prefetch;
    work->effect = prefetch_begins;
    if (rt.timing) work->length_ns = rt.gpu->prefetch_ns;
    if (!rt_work_defers()) work_act(work);
    rt_work_enqueue(stream, work);
}

struct prefetch_call {
    const void *pointer;
    size_t size;
    struct cudaMemLocation location;
    unsigned flags;
    cudaStream_t stream;
};

static cudaError_t check_prefetch(const void *argument) {
    const struct prefetch_call *call = argument;
    if (!rt_stream(call->stream)) return cudaErrorInvalidResourceHandle;
    if (call->flags || !find_managed(call->pointer, call->size)) return cudaErrorInvalidValue;
    return check_location(call->location);
}

static cudaError_t managed_prefetch(const void *pointer, size_t size,
                                    struct cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream) {
    cudaError_t error =
        check_prefetch(&(struct prefetch_call){pointer, size, location, flags, stream});
    if (error) return error;
    struct allocation *allocation = find_managed(pointer, size);
    struct range range = range_to_write(allocation, pointer, size);
    if (!range.first) return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < range.n; i++) range.first[i].prefetched = managed_place_of(location);
    const struct prefetch prefetch = {(uintptr_t)pointer, size, managed_bit_of(location)};
    if (!rt_stream(stream)->capture) prefetch_enqueue(rt_stream(stream), &prefetch);
    return cudaSuccess;
}

static cudaError_t call_prefetch(const void *argument) {
    const struct prefetch_call *call = argument;
    return cudaMemPrefetchAsync(call->pointer, call->size, call->location, call->flags,
                                call->stream);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    const struct prefetch_call call = {pointer, size, location, flags, stream};
    if (rt_async_kernel_refuses(check_prefetch, &call)) RT_BESIDE_CALL(check_prefetch(&call));
    if (rt_async_kernel_defer("cudaMemPrefetchAsync", stream, NULL, call_prefetch, &call,
                              sizeof call))
        return cudaSuccess;
    RT_STREAM_CALL(stream, managed_prefetch(pointer, size, location, flags, stream));
}

/* CUDA 12's names for the same functions. */
RT_PUBLIC cudaError_t cudaMemAdvise_v2(const void *pointer, size_t size,
                                       enum cudaMemoryAdvise advice,
                                       struct cudaMemLocation location);
RT_PUBLIC cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t size,
                                              struct cudaMemLocation location, unsigned flags,
                                              cudaStream_t stream);

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location) {
    RT_ACTING_CALL(managed_advise(pointer, size, advice, location));
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t size,
                                    struct cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream) {
    return cudaMemPrefetchAsync(pointer, size, location, flags, stream);
}

/* ---- What was said ---- */

static bool is_read_mostly(struct range range) {
    for (size_t i = 0; i < range.n; i++)
        if (!range.first || !range.first[i].read_mostly) return false;
    return true;
}

/* The place that all pages have in common: where they were last prefetched to, or the preferred
 * one. */
static struct place common_place(struct range range, bool prefetched) {
    struct place common = {0};
    for (size_t i = 0; range.first && i < range.n; i++) {
        struct place place = prefetched ? range.first[i].prefetched : range.first[i].preferred;
        if (i && (place.type != common.type || place.id != common.id)) return (struct place){0};
        common = place;
    }
    return common;
}

/* The place as a device's number. */
static int number_of(struct place place) {
    if (place.type == cudaMemLocationTypeDevice) return place.id;
    return place.type == cudaMemLocationTypeHost ? cudaCpuDeviceId : cudaInvalidDeviceId;
}

/* Lists the devices, and the host, that all pages are accessed by. */
static void list_accessing(struct range range, int *data, size_t n) {
    uint32_t all = range.first ? ~0u : 0;
    size_t used = 0;
    for (size_t i = 0; range.first && i < range.n; i++) all &= range.first[i].accessed_by;
    for (int device = 0; device <= MAX_DEVICES; device++)
        if (used < n && all >> device & 1)
            data[used++] = device == MAX_DEVICES ? cudaCpuDeviceId : device;
    while (used < n) data[used++] = cudaInvalidDeviceId;
}

static cudaError_t managed_get_attribute(int *data, size_t size,
                                         enum cudaMemRangeAttribute attribute, const void *pointer,
                                         size_t count) {
    const struct allocation *allocation = find_managed(pointer, count);
    bool list = attribute == cudaMemRangeAttributeAccessedBy;
    if (!data || !allocation || !size || size % sizeof *data || (size > sizeof *data && !list))
        return cudaErrorInvalidValue;
    struct range range = range_of(allocation, pointer, count);
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly: *data = is_read_mostly(range); break;
    case cudaMemRangeAttributeAccessedBy: list_accessing(range, data, size / sizeof *data); break;
    case cudaMemRangeAttributePreferredLocation:
        *data = number_of(common_place(range, false));
        break;
    case cudaMemRangeAttributePreferredLocationType: *data = common_place(range, false).type; break;
    case cudaMemRangeAttributePreferredLocationId:
        *data = number_of(common_place(range, false));
        break;
    case cudaMemRangeAttributeLastPrefetchLocation:
        *data = number_of(common_place(range, true));
        break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *data = common_place(range, true).type;
        break;
    case cudaMemRangeAttributeLastPrefetchLocationId:
        *data = number_of(common_place(range, true));
        break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t count) {
    RT_ACTING_CALL(managed_get_attribute(data, size, attribute, pointer, count));
}

static cudaError_t managed_get_attributes(void **data, const size_t *sizes,
                                          const enum cudaMemRangeAttribute *attributes, size_t n,
                                          const void *pointer, size_t count) {
    if (!data || !sizes || !attributes || !n) return cudaErrorInvalidValue;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < n && !error; i++)
        error = managed_get_attribute(data[i], sizes[i], attributes[i], pointer, count);
    return error;
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes,
                                      enum cudaMemRangeAttribute *attributes, size_t n,
                                      const void *pointer, size_t count) {
    RT_ACTING_CALL(managed_get_attributes(data, sizes, attributes, n, pointer, count));
}

/* ---- Streams ---- */

/* Only checks: managed memory is always reachable, so attaching it changes nothing. A whole
 * allocation is attached, and not to the default stream alone, as on an H200. */
static cudaError_t attach(cudaStream_t stream, void *pointer, size_t length, unsigned flags) {
    if (!rt_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
        return cudaErrorInvalidValue;
    if (flags == cudaMemAttachSingle && !stream) return cudaErrorInvalidValue;
    const struct allocation *allocation = find_managed(pointer, length ? length : 1);
    bool whole = allocation && allocation->address == (uintptr_t)pointer &&
                 (!length || length == allocation->size);
    return whole ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length,
                                     unsigned flags) {
    RT_ACTING_CALL(attach(stream, pointer, length, flags));
}
