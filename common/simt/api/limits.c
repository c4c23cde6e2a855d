/* api/limits.c: cudaDeviceSetLimit. The stack, the heap and the buffer of printf get their sizes,
 * the heap and the buffer until a kernel uses them; the other limits are only stored, but that on
 * pending launches enters the time model. */
#include "runtime.h"
#include "simt/machine/machine.h"

#include <string.h>

#define DEFAULT_STACK            1024u        /* bytes per thread */
#define MAX_STACK                (512u << 10) /* CUDA's limit on local memory per thread */
#define PRINTF_FIFO_OF_SM        (64u << 10)  /* bytes, on an H200 */
#define LEAST_PRINTF_FIFO        (512u << 10) /* bytes, on an H200 */
#define DEFAULT_HEAP             (8u << 20)   /* bytes, for malloc in kernels */
#define LEAST_HEAP               (4u << 20)   /* bytes, on an H200 */
#define DEFAULT_PENDING_LAUNCHES 2048u
#define DEFAULT_FETCH            64u /* bytes */
/* the L2 is set aside in tenths of the most, and begins with three; on an H200 */
#define PERSISTING_STEPS   10
#define DEFAULT_PERSISTING 3
#define LIMIT_COUNT        7

static const size_t defaults[LIMIT_COUNT] = {
    [cudaLimitStackSize] = DEFAULT_STACK,
    [cudaLimitMallocHeapSize] = DEFAULT_HEAP,
    [cudaLimitDevRuntimeSyncDepth] = 0,
    [cudaLimitDevRuntimePendingLaunchCount] = DEFAULT_PENDING_LAUNCHES,
    [cudaLimitMaxL2FetchGranularity] = DEFAULT_FETCH,
};

/* What the program has set, by device. */
static struct set_limit {
    bool is_set;
    size_t value;
} set_limits[MAX_DEVICES][LIMIT_COUNT];

void rt_limits_reset(void) {
    memset(set_limits[device_current()], 0, sizeof set_limits[0]);
    device_heap_reset();
    device_printf_reset();
}

static size_t limit_now(enum cudaLimit limit) {
    const struct set_limit *set = &set_limits[device_current()][limit];
    if (limit == cudaLimitPersistingL2CacheSize && !set->is_set)
        return rt.gpu->persisting_l2_bytes / PERSISTING_STEPS * DEFAULT_PERSISTING;
    if (limit == cudaLimitPrintfFifoSize && !set->is_set)
        return (size_t)rt.gpu->sms * PRINTF_FIFO_OF_SM;
    return set->is_set ? set->value : defaults[limit];
}

uint64_t rt_stack_bytes(void) {
    return limit_now(cudaLimitStackSize);
}

uint64_t rt_printf_bytes(void) {
    return limit_now(cudaLimitPrintfFifoSize);
}

uint64_t rt_heap_bytes(void) {
    return limit_now(cudaLimitMallocHeapSize);
}

/* Rejects unknown limits, and the depth of synchronisation: device code cannot synchronise since
 * CUDA 12. */
static cudaError_t check_limit(enum cudaLimit limit) {
    return (unsigned)limit >= LIMIT_COUNT || limit == cudaLimitDevRuntimeSyncDepth
               ? cudaErrorUnsupportedLimit
               : cudaSuccess;
}

static cudaError_t set_limit(enum cudaLimit limit, size_t value) {
    cudaError_t error = check_limit(limit);
    if (error) return error;
    if (limit == cudaLimitStackSize && value > MAX_STACK) return cudaErrorInvalidValue;
    if (limit == cudaLimitPrintfFifoSize && device_printf_is_used()) return cudaErrorInvalidValue;
    if (limit == cudaLimitPrintfFifoSize && value < LEAST_PRINTF_FIFO) value = LEAST_PRINTF_FIFO;
    if (limit == cudaLimitMallocHeapSize) {
        if (device_heap_is_used()) return cudaErrorInvalidValue;
        if (value < LEAST_HEAP) value = LEAST_HEAP;
    }
    if (limit == cudaLimitPersistingL2CacheSize) {
        size_t most = rt.gpu->persisting_l2_bytes, step = most / PERSISTING_STEPS;
        if (value > most) return cudaErrorInvalidValue;
        if (step) value = (value + step - 1) / step * step;
    }
    set_limits[device_current()][limit] = (struct set_limit){true, value};
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    RT_CALL(set_limit(limit, value));
}

cudaError_t rt_limit(size_t *value, enum cudaLimit limit) {
    cudaError_t error = check_limit(limit);
    if (error) return error;
    if (!value) return cudaErrorInvalidValue;
    *value = limit_now(limit);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    RT_ACTING_CALL(rt_limit(value, limit));
}
