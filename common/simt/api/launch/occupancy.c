/* api/launch/occupancy.c: the occupancy calculator of the runtime API. */
#include "simt/api/runtime.h"

cudaError_t rt_function_active_blocks(int *blocks, const struct rt_function *function, int block,
                                      size_t dynamic, unsigned flags) {
    struct occupancy occupancy;
    if (flags & ~(unsigned)cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
    struct occupancy_kernel kernel = rt_occupancy_kernel(function, block);
    if (!occupancy_find(rt.gpu, &kernel, block, dynamic, &occupancy)) return cudaErrorInvalidValue;
    *blocks = occupancy.blocks_per_sm;
    return cudaSuccess;
}

static cudaError_t occupancy_active_blocks(int *blocks, const void *symbol, int block,
                                           size_t dynamic, unsigned flags) {
    struct rt_function *function;
    if (!blocks) return cudaErrorInvalidValue;
    cudaError_t error = rt_function(symbol, &function);
    return error ? error : rt_function_active_blocks(blocks, function, block, dynamic, flags);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *symbol,
                                                          int block, size_t dynamic) {
    RT_ACTING_CALL(occupancy_active_blocks(blocks, symbol, block, dynamic, 0));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *symbol,
                                                                   int block, size_t dynamic,
                                                                   unsigned flags) {
    RT_ACTING_CALL(occupancy_active_blocks(blocks, symbol, block, dynamic, flags));
}

static cudaError_t available_shared(size_t *bytes, const void *symbol, int blocks, int block) {
    struct rt_function *function;
    if (!bytes) return cudaErrorInvalidValue;
    cudaError_t error = rt_function(symbol, &function);
    if (error) return error;
    struct occupancy_kernel kernel = rt_occupancy_kernel(function, block);
    return occupancy_available_shared(rt.gpu, &kernel, blocks, block, bytes)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *symbol, int blocks,
                                                      int block) {
    RT_ACTING_CALL(available_shared(bytes, symbol, blocks, block));
}
