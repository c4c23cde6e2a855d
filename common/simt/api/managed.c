/* api/managed.c: advice on managed memory. Host and device can always reach it, so advice is only checked. Prefetching
 * takes no modelled time: the time model has no page migration. */
#include "runtime.h"

static bool is_managed(const void *pointer, size_t size) {
    const struct allocation *allocation = memory_find((uintptr_t)pointer, size);
    return allocation && allocation->kind == ALLOC_MANAGED;
}

static cudaError_t check_location(struct cudaMemLocation location) {
    if (location.type == cudaMemLocationTypeDevice)
        return device_exists(location.id) ? cudaSuccess : cudaErrorInvalidDevice;
    bool host = location.type == cudaMemLocationTypeHost || location.type == cudaMemLocationTypeHostNuma ||
                location.type == cudaMemLocationTypeHostNumaCurrent;
    return host ? cudaSuccess : cudaErrorInvalidValue;
}

/* Does the advice need a place? Three kinds undo a choice, and name none. */
static bool needs_location(enum cudaMemoryAdvise advice) {
    return advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
           advice != cudaMemAdviseUnsetPreferredLocation;
}

static cudaError_t advise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) return cudaErrorInvalidValue;
    if (!size || !is_managed(pointer, size)) return cudaErrorInvalidValue;
    return needs_location(advice) && check_location(location) ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    RT_CALL(advise(pointer, size, advice, location));
}

static cudaError_t prefetch(const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
                            cudaStream_t stream) {
    if (!rt_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (flags || !size || !is_managed(pointer, size)) return cudaErrorInvalidValue;
    return check_location(location);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
    RT_CALL(prefetch(pointer, size, location, flags, stream));
}

/* CUDA 12's names for the same functions. */
RT_PUBLIC cudaError_t cudaMemAdvise_v2(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                                       struct cudaMemLocation location);
RT_PUBLIC cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t size, struct cudaMemLocation location,
                                              unsigned flags, cudaStream_t stream);

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location) {
    RT_CALL(advise(pointer, size, advice, location));
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream) {
    RT_CALL(prefetch(pointer, size, location, flags, stream));
}
