/* api/launch/func.c: a kernel's attributes. */
#include "simt/api/runtime.h"

#include <string.h>

#define REGISTER_UNIT 256 /* a warp gets registers in this unit, on every GPU since Maxwell */

/* The most threads of a block for which the registers suffice: the warps that fit into one
 * partition of the multiprocessor, times the partitions. */
static int threads_by_registers(int registers) {
    int per_warp = (registers * WARP_SIZE + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    int partitions = rt.gpu->schedulers_per_sm;
    return per_warp ? rt.gpu->registers_per_block / partitions / per_warp * partitions * WARP_SIZE
                    : MAX_THREADS_PER_BLOCK;
}

uint64_t rt_bound(const uint32_t bound[3]) {
    return (uint64_t)bound[0] * (bound[1] ? bound[1] : 1) * (bound[2] ? bound[2] : 1);
}

int rt_bounded_threads(const struct ptx_function *entry) {
    uint64_t bounded = rt_bound(entry->maxntid[0] ? entry->maxntid : entry->reqntid);
    return bounded && bounded < MAX_THREADS_PER_BLOCK ? (int)bounded : MAX_THREADS_PER_BLOCK;
}

int rt_function_max_threads(const struct rt_function *function) {
    int bounded = rt_bounded_threads(function->entry),
        most = threads_by_registers(function->registers);
    return most < bounded && !function->estimated ? most : bounded;
}

int rt_function_registers(const struct rt_function *function, int block) {
    if (!function->estimated || block <= 0 || block > MAX_THREADS_PER_BLOCK)
        return function->registers;
    int most = occupancy_registers_for(rt.gpu, block, 1);
    return function->registers < most ? function->registers : most;
}

int rt_function_dynamic_limit(const struct rt_function *function) {
    int by_default = (int)rt.gpu->shared_per_block - function->static_shared;
    if (by_default < 0) by_default = 0;
    return function->max_dynamic_shared > by_default ? function->max_dynamic_shared : by_default;
}

struct occupancy_kernel rt_occupancy_kernel(const struct rt_function *function, int block) {
    return (struct occupancy_kernel){
        .registers = rt_function_registers(function, block),
        .static_shared = (size_t)function->static_shared,
        .max_threads = rt_function_max_threads(function),
        .max_dynamic = (size_t)rt_function_dynamic_limit(function),
        .carveout = function->carveout,
    };
}

struct cudaFuncAttributes rt_function_attributes(const struct rt_function *function) {
    return (struct cudaFuncAttributes){
        .sharedSizeBytes = (size_t)function->static_shared,
        .constSizeBytes = (size_t)function->constant_bytes,
        .localSizeBytes = kernel_local_bytes(function->kernel),
        .maxThreadsPerBlock = rt_function_max_threads(function),
        .numRegs = function->registers,
        .ptxVersion = function->ptx_version,
        .binaryVersion = function->binary_version,
        .maxDynamicSharedSizeBytes = rt_function_dynamic_limit(function),
        .preferredShmemCarveout = function->carveout,
    };
}

static cudaError_t func_get_attributes(struct cudaFuncAttributes *attributes, const void *symbol) {
    struct rt_function *function;
    if (!attributes) return cudaErrorInvalidValue;
    cudaError_t error = rt_function(symbol, &function);
    if (!error) *attributes = rt_function_attributes(function);
    return error;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *symbol) {
    RT_ACTING_CALL(func_get_attributes(attributes, symbol));
}

static cudaError_t set_dynamic(struct rt_function *function, int bytes) {
    int most = (int)rt.gpu->shared_per_block_optin - function->static_shared;
    if (bytes < 0 || bytes > most) return cudaErrorInvalidValue;
    function->max_dynamic_shared = bytes;
    return cudaSuccess;
}

static cudaError_t set_carveout(struct rt_function *function, int percent) {
    if (percent < cudaSharedmemCarveoutDefault || percent > cudaSharedmemCarveoutMaxShared)
        return cudaErrorInvalidValue;
    function->carveout = percent;
    return cudaSuccess;
}

static cudaError_t func_set_attribute(const void *symbol, enum cudaFuncAttribute attribute,
                                      int value) {
    struct rt_function *function;
    cudaError_t error = rt_function(symbol, &function);
    if (error) return error;
    switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: return set_dynamic(function, value);
    case cudaFuncAttributePreferredSharedMemoryCarveout: return set_carveout(function, value);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess; /* without clusters they have no effect */
    case cudaFuncAttributeClusterDimMustBeSet:
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        return rt_unsupported("cudaFuncSetAttribute for thread block clusters");
    default: return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *symbol, enum cudaFuncAttribute attribute, int value) {
    RT_ACTING_CALL(func_set_attribute(symbol, attribute, value));
}

static cudaError_t set_attribute_of_kernel(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                           int value, int device) {
    int caller = device_current();
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    device_use(device);
    cudaError_t error = func_set_attribute(kernel, attribute, value);
    device_use(caller);
    return error;
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                            int value, int device) {
    RT_ACTING_CALL(set_attribute_of_kernel(kernel, attribute, value, device));
}

/* Stores the preference. It has no effect, as on GPUs since Volta, where only the carve-out
 * counts. */
static cudaError_t func_set_cache(const void *symbol, enum cudaFuncCache cache) {
    struct rt_function *function;
    cudaError_t error = rt_function(symbol, &function);
    if (error) return error;
    if ((unsigned)cache > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    function->cache = cache;
    return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void *symbol, enum cudaFuncCache cache) {
    RT_ACTING_CALL(func_set_cache(symbol, cache));
}

/* Has no effect: banks have four bytes on every GPU since Maxwell. */
static cudaError_t func_set_banks(const void *symbol, enum cudaSharedMemConfig config) {
    struct rt_function *function;
    cudaError_t error = rt_function(symbol, &function);
    return error || (unsigned)config <= cudaSharedMemBankSizeEightByte ? error
                                                                       : cudaErrorInvalidValue;
}

#pragma GCC diagnostic ignored                                                                     \
    "-Wdeprecated-declarations" /* this file defines functions that the toolkit deprecates         \
                                 */
cudaError_t cudaFuncSetSharedMemConfig(const void *symbol, enum cudaSharedMemConfig config) {
    RT_ACTING_CALL(func_set_banks(symbol, config));
}

static cudaError_t get_name(const char **name, const void *symbol) {
    struct rt_function *function;
    if (!name) return cudaErrorInvalidValue;
    cudaError_t error = rt_function(symbol, &function);
    if (!error) *name = function->name;
    return error;
}

cudaError_t cudaFuncGetName(const char **name, const void *symbol) {
    RT_ACTING_CALL(get_name(name, symbol));
}

static cudaError_t get_parameter(const void *symbol, size_t index, size_t *offset, size_t *size) {
    struct rt_function *function;
    cudaError_t error = rt_function(symbol, &function);
    if (error) return error;
    if (!offset || index >= (size_t)function->entry->nparams) return cudaErrorInvalidValue;
    *offset = function->entry->frame[index].offset;
    if (size) *size = function->entry->frame[index].size;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *symbol, size_t index, size_t *offset, size_t *size) {
    RT_ACTING_CALL(get_parameter(symbol, index, offset, size));
}

static cudaError_t get_by_symbol(cudaFunction_t *result, const void *symbol) {
    struct rt_function *function;
    if (!result) return cudaErrorInvalidValue;
    cudaError_t error = rt_function(symbol, &function);
    if (!error) *result = (cudaFunction_t)function;
    return error;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol) {
    RT_ACTING_CALL(get_by_symbol(function, symbol));
}
