/* occupancy.c: the toolkit's occupancy calculator, asked about a virtual GPU. */
#include "occupancy.h"

#include <cuda_occupancy.h>

#include "gpu.h"

#define WARP_SIZE             32
#define MAX_THREADS_PER_BLOCK 1024

static cudaOccDeviceProp device_of(const struct gpu *gpu) {
    cudaOccDeviceProp device;
    memset(&device, 0, sizeof device);
    device.computeMajor = gpu->cc_major;
    device.computeMinor = gpu->cc_minor;
    device.maxThreadsPerBlock = MAX_THREADS_PER_BLOCK;
    device.maxThreadsPerMultiprocessor = gpu->threads_per_sm;
    device.regsPerBlock = gpu->registers_per_block;
    device.regsPerMultiprocessor = gpu->registers_per_sm;
    device.warpSize = WARP_SIZE;
    device.sharedMemPerBlock = gpu->shared_per_block;
    device.sharedMemPerMultiprocessor = gpu->shared_per_sm;
    device.numSms = gpu->sms;
    device.sharedMemPerBlockOptin = gpu->shared_per_block_optin;
    device.reservedSharedMemPerBlock = gpu->shared_reserved_per_block;
    return device;
}

static cudaOccFuncAttributes attributes_of(const struct occupancy_kernel *kernel) {
    cudaOccFuncAttributes attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.maxThreadsPerBlock = kernel->max_threads;
    attributes.numRegs = kernel->registers;
    attributes.sharedSizeBytes = kernel->static_shared;
    attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = kernel->max_dynamic;
    attributes.numBlockBarriers = 1;
    return attributes;
}

static cudaOccDeviceState state_of(const struct occupancy_kernel *kernel) {
    return (cudaOccDeviceState){.cacheConfig = CACHE_PREFER_NONE, .carveoutConfig = kernel->carveout};
}

static const char *limit_name(unsigned factors) {
    if (factors & OCC_LIMIT_REGISTERS) return "registers";
    if (factors & OCC_LIMIT_SHARED_MEMORY) return "shared memory";
    return factors & OCC_LIMIT_BLOCKS ? "blocks" : "warps";
}

bool occupancy_find(const struct gpu *gpu, const struct occupancy_kernel *kernel, int block, size_t dynamic,
                    struct occupancy *result) {
    cudaOccDeviceProp device = device_of(gpu);
    cudaOccFuncAttributes attributes = attributes_of(kernel);
    cudaOccDeviceState state = state_of(kernel);
    cudaOccResult found;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&found, &device, &attributes, &state, block, dynamic)) return false;
    int warps = (block + WARP_SIZE - 1) / WARP_SIZE;
    result->blocks_per_sm = found.activeBlocksPerMultiprocessor;
    result->warps_per_sm = warps * found.activeBlocksPerMultiprocessor;
    result->fraction = (double)result->warps_per_sm * WARP_SIZE / gpu->threads_per_sm;
    result->shared_per_block = found.allocatedSharedMemPerBlock;
    result->limit = limit_name(found.limitingFactors);
    return true;
}

/* The header forgets what the driver reserves in every block. */
bool occupancy_available_shared(const struct gpu *gpu, const struct occupancy_kernel *kernel, int blocks, int block,
                                size_t *bytes) {
    cudaOccDeviceProp device = device_of(gpu);
    cudaOccFuncAttributes attributes = attributes_of(kernel);
    cudaOccDeviceState state = state_of(kernel);
    struct occupancy found;
    if (cudaOccAvailableDynamicSMemPerBlock(bytes, &device, &attributes, &state, blocks, block)) return false;
    bool fits = occupancy_find(gpu, kernel, block, *bytes, &found) && found.blocks_per_sm >= blocks;
    if (!fits) *bytes -= *bytes < gpu->shared_reserved_per_block ? *bytes : gpu->shared_reserved_per_block;
    return true;
}
