/* api/launch/check.c: checks a launch as CUDA does: its shape, the block, shared memory,
 * cooperative grids. */
#include "launch.h"

#define MAX_GRID_X  0x7fffffffu
#define MAX_GRID_YZ 0xffffu
#define MAX_BLOCK_Z 64u

/* The error for a shape that no device accepts. Measured on an H200: an invalid value in CUDA 13,
 * an invalid configuration up to CUDA 12. */
#define BAD_SHAPE (CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration)

static bool check_fits(const uint32_t size[3], uint32_t x, uint32_t y, uint32_t z) {
    return size[0] <= x && size[1] <= y && size[2] <= z;
}

static cudaError_t check_shape(const struct launch_shape *shape) {
    if (!shape_blocks(shape) || !shape_threads(shape)) return BAD_SHAPE;
    if (!check_fits(shape->grid, MAX_GRID_X, MAX_GRID_YZ, MAX_GRID_YZ)) return BAD_SHAPE;
    if (!check_fits(shape->block, MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_BLOCK, MAX_BLOCK_Z))
        return BAD_SHAPE;
    return shape_threads(shape) > MAX_THREADS_PER_BLOCK ? BAD_SHAPE : cudaSuccess;
}

/* Checks the block against the kernel's launch bounds and its registers. */
static cudaError_t check_block(const struct rt_function *function, uint64_t threads) {
    uint64_t bound = rt_bound(function->entry->maxntid),
             required = rt_bound(function->entry->reqntid);
    if ((bound && threads > bound) || (required && threads != required))
        return cudaErrorInvalidValue;
    return threads > (uint64_t)rt_function_max_threads(function) ? cudaErrorLaunchOutOfResources
                                                                 : cudaSuccess;
}

/* Checks shared memory. Static and dynamic memory together stay within 48 KiB; if the kernel has
 * opted in to more dynamic memory, within that and the GPU's limit. */
static cudaError_t check_shared(const struct rt_function *function, size_t dynamic) {
    size_t statics = (size_t)function->static_shared, opted = (size_t)function->max_dynamic_shared;
    if (statics > rt.gpu->shared_per_block_optin ||
        dynamic > rt.gpu->shared_per_block_optin - statics)
        return cudaErrorInvalidValue;
    bool by_default = statics + dynamic <= rt.gpu->shared_per_block;
    return by_default || dynamic <= opted ? cudaSuccess : cudaErrorInvalidValue;
}

/* Checks that a cooperative grid can be resident all at once. */
static cudaError_t check_cooperative(const struct rt_request *request,
                                     const struct occupancy *occupancy) {
    uint64_t room = (uint64_t)occupancy->blocks_per_sm * (uint64_t)rt.gpu->sms;
    return request->cooperative && shape_blocks(&request->shape) > room
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaSuccess;
}

cudaError_t rt_launch_check(const struct rt_request *request, struct occupancy *occupancy) {
    cudaError_t error = check_shape(&request->shape);
    if (!error) error = check_block(request->function, shape_threads(&request->shape));
    if (!error) error = check_shared(request->function, request->shape.dynamic_shared);
    if (error) return error;
    int block = (int)shape_threads(&request->shape);
    struct occupancy_kernel kernel = rt_occupancy_kernel(request->function, block);
    if (!occupancy_find(rt.gpu, &kernel, block, request->shape.dynamic_shared, occupancy))
        return cudaErrorInvalidValue;
    if (!occupancy->blocks_per_sm) return cudaErrorLaunchOutOfResources;
    return check_cooperative(request, occupancy);
}
