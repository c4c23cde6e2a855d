/* extra/pools/pool.c: stream-ordered allocation. Work runs when it is enqueued, so memory is
 * allocated and freed at once. */
#include "pool.h"

#include "simt/api/capture.h"
#include "simt/api/clock.h"
#include "simt/api/extra.h"
#include "simt/check/host.h"

#include <stdlib.h>

struct pool {
    int device;
    unsigned access; /* bit by device that may access its memory */
    uint64_t threshold, used, high;
    int reuse[3]; /* the three reuse attributes, only stored */
    struct pool *next;
};

/* An allocation from a pool. */
struct pooled {
    uintptr_t address;
    size_t size;
    struct pool *pool;
    struct pooled *next;
};

static struct pool default_pools[MAX_DEVICES];
static struct pool *pools; /* all others */
/* by device: that its cudaMallocAsync takes from; NULL: the default one */
static struct pool *chosen[MAX_DEVICES];
static struct pooled *allocations;

static struct pool pool_of(int device) {
    return (struct pool){.device = device, .access = 1u << device, .reuse = {1, 1, 1}};
}

static struct pool *default_pool(int device) {
    if (!default_pools[device].access) default_pools[device] = pool_of(device);
    return &default_pools[device];
}

static struct pool *current_pool(int device) {
    return chosen[device] ? chosen[device] : default_pool(device);
}

static struct pool *find_pool(cudaMemPool_t handle) {
    for (int device = 0; device < devices_count(); device++)
        if ((cudaMemPool_t)default_pool(device) == handle) return default_pool(device);
    for (struct pool *pool = pools; pool; pool = pool->next)
        if ((cudaMemPool_t)pool == handle) return pool;
    return NULL;
}

/* Allocates on the pool's device, whatever is the current one. */
static cudaError_t pool_take(void **pointer, size_t size, const struct pool *pool) {
    int caller = device_current();
    device_use(pool->device);
    cudaError_t error = rt_allocate(pointer, size, ALLOC_DEVICE);
    device_use(caller);
    if (!error && size) memory_find((uintptr_t)*pointer, 0)->access = &pool->access;
    return error;
}

static cudaError_t pool_capture(struct rt_stream *stream, void **pointer, size_t size, int device) {
    struct cudaGraphNodeParams params = {
        .type = cudaGraphNodeTypeMemAlloc,
        .alloc = {.poolProps = {.allocType = cudaMemAllocationTypePinned,
                                .location = {cudaMemLocationTypeDevice, device}},
                  .bytesize = size},
    };
    cudaError_t error = pointer ? rt_capture_add(stream, &params) : cudaErrorInvalidValue;
    if (!error) *pointer = params.alloc.dptr;
    return error;
}

/* pool: NULL: that of the stream's device. */
static cudaError_t pool_allocate(void **pointer, size_t size, struct pool *pool,
                                 cudaStream_t handle) {
    struct rt_stream *stream;
    cudaError_t error = rt_stream_for_work(handle, &stream);
    if (error) return error;
    if (!pool) pool = current_pool(stream->device);
    if (stream->capture) return pool_capture(stream, pointer, size, pool->device);
    error = rt_capture_guard();
    if (error) return error;
    struct pooled *pooled = malloc(sizeof *pooled);
    error = pooled ? pool_take(pointer, size, pool) : cudaErrorMemoryAllocation;
    if (error || !size) {
        free(pooled);
        return error;
    }
    *pooled = (struct pooled){(uintptr_t)*pointer, size, pool, allocations};
    allocations = pooled;
    pool->used += size;
    if (pool->used > pool->high) pool->high = pool->used;
    return cudaSuccess;
}

static void pool_forget(uintptr_t address) {
    for (struct pooled **link = &allocations; *link; link = &(*link)->next) {
        struct pooled *pooled = *link;
        if (pooled->address != address) continue;
        pooled->pool->used -= pooled->size;
        *link = pooled->next;
        free(pooled);
        return;
    }
}

/* To the checker, freeing writes to all of the memory. */
static void check_free(struct rt_stream *stream, const struct allocation *allocation) {
    char name[RT_STREAM_NAME];
    struct work *work = rt_work_new(stream, WORK_NO_ENGINE);
    order_begin(work->order, "cudaFreeAsync in %s", rt_stream_name(stream, name));
    order_bytes(allocation->address, allocation->size, true);
    order_end();
    work_release(work);
}

struct free_call {
    void *pointer;
    cudaStream_t stream;
};

static cudaError_t call_free(const void *argument) {
    const struct free_call *call = argument;
    RT_DEFERRED_CALL(call->stream, rt_free_async(call->pointer, call->stream));
}

cudaError_t rt_free_async(void *pointer, cudaStream_t handle) {
    struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemFree, .free.dptr = pointer};
    struct rt_stream *stream;
    cudaError_t error = rt_stream_for_work(handle, &stream);
    if (error) return error;
    if (stream->capture) return rt_capture_add(stream, &params);
    const struct allocation *allocation = memory_find((uintptr_t)pointer, 0);
    bool ours =
        allocation && allocation->address == (uintptr_t)pointer && allocation->kind == ALLOC_DEVICE;
    if (!ours) return cudaErrorInvalidValue;
    const struct free_call call = {pointer, handle};
    if (rt_async_kernel_defer_work("cudaFreeAsync", stream, call_free, &call, sizeof call))
        return cudaSuccess;
    if (!rt_stream_turn(stream)) return cudaSuccess;
    check_free(stream, allocation);
    pool_forget((uintptr_t)pointer);
    return memory_free((uintptr_t)pointer) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream) {
    RT_ACTING_CALL(pool_allocate(pointer, size, NULL, stream));
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    RT_ACTING_CALL(find_pool(pool) ? pool_allocate(pointer, size, find_pool(pool), stream)
                                   : cudaErrorInvalidValue);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    RT_ACTING_CALL(rt_free_async(pointer, stream));
}

static void pool_reset(void) {
    int device = device_current();
    for (struct pooled *pooled = allocations, *next; pooled; pooled = next) {
        next = pooled->next;
        if (pooled->pool->device == device) pool_forget(pooled->address);
    }
    for (struct pool **link = &pools; *link;) {
        struct pool *pool = *link;
        if (pool->device != device) {
            link = &pool->next;
            continue;
        }
        *link = pool->next;
        free(pool);
    }
    default_pool(device)->access = 1u << device;
    chosen[device] = NULL;
}

/* ---- Pools ---- */

static bool is_device(struct cudaMemLocation location) {
    return location.type == cudaMemLocationTypeDevice && device_exists(location.id);
}

static cudaError_t pool_create(cudaMemPool_t *handle, const struct cudaMemPoolProps *props) {
    if (!handle || !props || props->allocType != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    if (!is_device(props->location)) return cudaErrorInvalidValue;
    if (props->handleTypes) return rt_unsupported("cudaMemPoolCreate with a shareable handle");
    struct pool *pool = calloc(1, sizeof *pool);
    if (!pool) return cudaErrorMemoryAllocation;
    *pool = pool_of(props->location.id);
    pool->next = pools;
    pools = pool;
    *handle = (cudaMemPool_t)pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
    RT_ACTING_CALL(pool_create(pool, props));
}

/* Destroys a pool. Memory still in use stays valid, and then belongs to its device's default
 * pool. */
static cudaError_t pool_destroy(cudaMemPool_t handle) {
    struct pool *pool = find_pool(handle);
    struct pool *heir = pool ? default_pool(pool->device) : NULL;
    if (!pool || pool == heir) return cudaErrorInvalidValue;
    for (struct pooled *pooled = allocations; pooled; pooled = pooled->next) {
        if (pooled->pool != pool) continue;
        pooled->pool = heir;
        memory_find(pooled->address, 0)->access = &heir->access;
    }
    heir->used += pool->used;
    if (chosen[pool->device] == pool) chosen[pool->device] = NULL;
    struct pool **link = &pools;
    while (*link != pool) link = &(*link)->next;
    *link = pool->next;
    free(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    RT_CALL(pool_destroy(pool));
}

/* of: which pool of a device. */
static cudaError_t get_pool(cudaMemPool_t *handle, struct pool *of(int), int device) {
    if (!handle) return cudaErrorInvalidValue;
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    *handle = (cudaMemPool_t)of(device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    RT_ACTING_CALL(get_pool(pool, default_pool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    RT_ACTING_CALL(get_pool(pool, current_pool, device));
}

static cudaError_t set_pool(int device, struct pool *pool) {
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    if (!pool || pool->device != device) return cudaErrorInvalidValue;
    chosen[device] = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    RT_ACTING_CALL(set_pool(device, find_pool(pool)));
}

/* Has no effect: freed memory goes back at once. */
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
    (void)keep;
    RT_ACTING_CALL(find_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

static bool is_reuse(enum cudaMemPoolAttr attribute) {
    return attribute >= cudaMemPoolReuseFollowEventDependencies &&
           attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

static cudaError_t pool_set_attribute(struct pool *pool, enum cudaMemPoolAttr attribute,
                                      const void *value) {
    if (!pool || !value) return cudaErrorInvalidValue;
    if (is_reuse(attribute)) {
        pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *(const int *)value;
        return cudaSuccess;
    }
    uint64_t number = *(const uint64_t *)value;
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
        pool->threshold = number;
        return cudaSuccess;
    }
    bool high =
        attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh;
    /* only resetting a high-water mark to 0 is allowed */
    if (!high || number) return cudaErrorInvalidValue;
    pool->high = pool->used;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    RT_ACTING_CALL(pool_set_attribute(find_pool(pool), attribute, value));
}

static cudaError_t pool_get_attribute(const struct pool *pool, enum cudaMemPoolAttr attribute,
                                      void *value) {
    if (!pool || !value) return cudaErrorInvalidValue;
    uint64_t *number = value;
    if (is_reuse(attribute)) {
        *(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
        return cudaSuccess;
    }
    switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: *number = pool->threshold; return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: *number = pool->used; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: *number = pool->high; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
    RT_ACTING_CALL(pool_get_attribute(find_pool(pool), attribute, value));
}

/* Lets devices access the pool's memory, or no longer. Its own device always may. */
static cudaError_t set_access(struct pool *pool, const struct cudaMemAccessDesc *list, size_t n) {
    if (!pool || (n && !list)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
        bool may = list[i].flags == cudaMemAccessFlagsProtReadWrite;
        if (!may && list[i].flags != cudaMemAccessFlagsProtNone) return cudaErrorInvalidValue;
        if (!is_device(list[i].location) || (!may && list[i].location.id == pool->device))
            return cudaErrorInvalidDevice;
        unsigned bit = 1u << list[i].location.id;
        pool->access = may ? pool->access | bit : pool->access & ~bit;
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
                                 size_t n) {
    RT_ACTING_CALL(set_access(find_pool(pool), list, n));
}

static cudaError_t get_access(enum cudaMemAccessFlags *flags, const struct pool *pool,
                              const struct cudaMemLocation *location) {
    if (!flags || !pool || !location) return cudaErrorInvalidValue;
    *flags = is_device(*location) && pool->access >> location->id & 1
                 ? cudaMemAccessFlagsProtReadWrite
                 : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location) {
    RT_ACTING_CALL(get_access(flags, find_pool(pool), location));
}

__attribute__((constructor)) static void enter(void) {
    static struct rt_extra room = {.reset = pool_reset, .freeing = pool_forget};
    rt_extra_add(&room);
}
