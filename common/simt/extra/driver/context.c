/* extra/driver/context.c: devices and contexts. All contexts of a device share its memory, streams
 * and modules; when the last one goes, the device is reset. */
#include "driver.h"

#include "lib/memory.h"

#include <cuda_profiler_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { MOST_PUSHED = 64, API_VERSION = 3020 };

struct CUctx_st {
    int device;
    unsigned flags;
    unsigned holders; /* of a primary context: how often it was retained; else 1 until destroyed */
};

static struct CUctx_st primaries[MAX_DEVICES];
static unsigned created[MAX_DEVICES]; /* contexts that are no primary ones, and live */
static _Thread_local CUcontext stack[MOST_PUSHED];
static _Thread_local int depth; /* contexts on the stack; the last is current */

CUcontext driver_primary(int device) {
    primaries[device].device = device;
    return &primaries[device];
}

static bool is_primary(CUcontext context) {
    return context >= primaries && context < primaries + MAX_DEVICES;
}

/* cudaSetDevice makes a primary context current. */
CUcontext driver_context(void) {
    int device = rt_own_device();
    CUcontext top = depth ? stack[depth - 1] : NULL;
    if (top && top->device == device) return top;
    return top || rt_is_used_here() ? driver_primary(device) : NULL;
}

/* ---- Devices ---- */

static cudaError_t check_device(CUdevice device) {
    return device_exists(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

static cudaError_t get_device(CUdevice *device, int ordinal) {
    cudaError_t error = check_device(ordinal);
    return error ? error : RT_SET(device, ordinal);
}

/* The driver has attributes that the runtime does not have: of what is missing here. */
static cudaError_t get_attribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    cudaError_t error = cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
    bool is_more =
        error == cudaErrorInvalidValue && attribute > 0 && attribute < CU_DEVICE_ATTRIBUTE_MAX;
    return is_more
               ? RT_SET(value, attribute == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)
               : error;
}

DRIVER_INIT(cuDeviceGetCount, (int *count), cudaGetDeviceCount(count))
DRIVER_INIT(cuDeviceGet, (CUdevice * device, int ordinal), get_device(device, ordinal))
DRIVER_INIT(cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device),
            get_attribute(value, attribute, device))
DRIVER_INIT(cuDeviceGetPCIBusId, (char *text, int size, CUdevice device),
            cudaDeviceGetPCIBusId(text, size, device))
DRIVER_INIT(cuDeviceGetByPCIBusId, (CUdevice * device, const char *text),
            cudaDeviceGetByPCIBusId(device, text))
DRIVER_INIT(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer),
            cudaDeviceCanAccessPeer(can, device, peer))
DRIVER_INIT(cuDeviceGetP2PAttribute,
            (int *value, CUdevice_P2PAttribute attribute, CUdevice device, CUdevice peer),
            cudaDeviceGetP2PAttribute(value, (enum cudaDeviceP2PAttr)attribute, device, peer))
DRIVER_INIT(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device),
            cudaDeviceGetDefaultMemPool(pool, device))
DRIVER_INIT(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice device),
            cudaDeviceGetMemPool(pool, device))
DRIVER_INIT(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool pool),
            cudaDeviceSetMemPool(device, pool))

/* What the device's properties tell. */
static cudaError_t device_name(char *name, int size, CUdevice device) {
    struct cudaDeviceProp prop;
    cudaError_t error =
        name && size > 0 ? cudaGetDeviceProperties(&prop, device) : cudaErrorInvalidValue;
    if (!error) snprintf(name, (size_t)size, "%s", prop.name);
    return error;
}

static cudaError_t device_bytes(size_t *bytes, CUdevice device) {
    struct cudaDeviceProp prop;
    cudaError_t error = cudaGetDeviceProperties(&prop, device);
    return error ? error : RT_SET(bytes, prop.totalGlobalMem);
}

static cudaError_t device_uuid(CUuuid *uuid, CUdevice device) {
    struct cudaDeviceProp prop;
    cudaError_t error = cudaGetDeviceProperties(&prop, device);
    return error ? error : RT_SET(uuid, prop.uuid);
}

static cudaError_t device_capability(int *major, int *minor, CUdevice device) {
    cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
    return error ? error : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
}

DRIVER_INIT(cuDeviceGetName, (char *name, int size, CUdevice device),
            device_name(name, size, device))
DRIVER_INIT(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), device_bytes(bytes, device))
DRIVER_INIT(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), device_uuid(uuid, device))
DRIVER_INIT(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device), device_uuid(uuid, device))
DRIVER_INIT(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device),
            device_capability(major, minor, device))

/* ---- Contexts ---- */

/* Is it one that lives? */
static bool is_context(CUcontext context) {
    return context && (is_primary(context) || context->holders);
}

static cudaError_t set_current(CUcontext context) {
    if (!context) return depth -= depth > 0, cudaSuccess;
    if (!is_context(context)) return cudaErrorDeviceUninitialized;
    depth += !depth;
    stack[depth - 1] = context;
    return cudaSetDevice(context->device);
}

static cudaError_t push(CUcontext context) {
    if (!is_context(context)) return cudaErrorDeviceUninitialized;
    if (depth == MOST_PUSHED) return cudaErrorInvalidValue;
    depth++;
    return set_current(context);
}

static cudaError_t pop(CUcontext *context) {
    if (!depth) return cudaErrorDeviceUninitialized;
    if (context) *context = stack[depth - 1];
    depth--;
    return depth ? cudaSetDevice(stack[depth - 1]->device) : cudaSuccess;
}

static cudaError_t create(CUcontext *context, unsigned flags, CUdevice device) {
    if (!context) return cudaErrorInvalidValue;
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    *context = need(malloc(sizeof **context));
    **context = (struct CUctx_st){device, flags, 1};
    created[device]++;
    return push(*context);
}

/* Resets a device that no context holds any more. */
static cudaError_t reset_unused(int device) {
    int caller = rt_own_device();
    if (created[device] || primaries[device].holders || rt_is_used()) return cudaSuccess;
    cudaError_t error = cudaSetDevice(device);
    if (!error) error = cudaDeviceReset();
    cudaSetDevice(caller);
    return error;
}

static cudaError_t destroy(CUcontext context) {
    if (!is_context(context) || is_primary(context)) return cudaErrorDeviceUninitialized;
    if (driver_context() == context) pop(NULL);
    context->holders = 0; /* its memory stays: other threads may have it on their stacks */
    created[context->device]--;
    return reset_unused(context->device);
}

DRIVER_INIT(cuCtxCreate, (CUcontext * context, unsigned flags, CUdevice device),
            create(context, flags, device))
DRIVER_INIT(cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device),
            create(context, flags, device))
DRIVER_INIT(cuCtxCreate_v3,
            (CUcontext * context, CUexecAffinityParam *affinity, int n, unsigned flags,
             CUdevice device),
            affinity || n ? rt_unsupported("cuCtxCreate with an affinity")
                          : create(context, flags, device))
DRIVER_INIT(cuCtxCreate_v4,
            (CUcontext * context, CUctxCreateParams *params, unsigned flags, CUdevice device),
            params && (params->numExecAffinityParams || params->cigParams)
                ? rt_unsupported("cuCtxCreate with parameters")
                : create(context, flags, device))
DRIVER_INIT(cuCtxDestroy_v2, (CUcontext context), destroy(context))
DRIVER_INIT(cuCtxPushCurrent_v2, (CUcontext context), push(context))
DRIVER_INIT(cuCtxPopCurrent_v2, (CUcontext * context), pop(context))
DRIVER_INIT(cuCtxSetCurrent, (CUcontext context), set_current(context))
DRIVER_INIT(cuCtxGetCurrent, (CUcontext * context), RT_SET(context, driver_context()))
DRIVER(cuCtxGetDevice, (CUdevice * device), RT_SET(device, driver_context()->device))
DRIVER(cuCtxGetFlags, (unsigned *flags), RT_SET(flags, driver_context()->flags))
DRIVER(cuCtxSetFlags, (unsigned flags), (driver_context()->flags = flags, cudaSuccess))
DRIVER(cuCtxGetSharedMemConfig, (CUsharedconfig * config),
       cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)config))
DRIVER(cuCtxSetSharedMemConfig, (CUsharedconfig config),
       cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)config))
DRIVER_INIT(cuCtxGetApiVersion, (CUcontext context, unsigned *version),
            context && !is_context(context) ? cudaErrorDeviceUninitialized
                                            : RT_SET(version, API_VERSION))
DRIVER(cuCtxGetId, (CUcontext context, unsigned long long *id),
       RT_SET(id, (uintptr_t)(context ? context : driver_context())))
DRIVER(cuCtxSynchronize, (void), cudaDeviceSynchronize())
DRIVER(cuCtxSetLimit, (CUlimit limit, size_t value),
       cudaDeviceSetLimit((enum cudaLimit)limit, value))
DRIVER(cuCtxGetLimit, (size_t * value, CUlimit limit),
       cudaDeviceGetLimit(value, (enum cudaLimit)limit))
DRIVER(cuCtxGetCacheConfig, (CUfunc_cache * config),
       cudaDeviceGetCacheConfig((enum cudaFuncCache *)config))
DRIVER(cuCtxSetCacheConfig, (CUfunc_cache config),
       cudaDeviceSetCacheConfig((enum cudaFuncCache)config))
DRIVER(cuCtxGetStreamPriorityRange, (int *least, int *greatest),
       cudaDeviceGetStreamPriorityRange(least, greatest))
DRIVER(cuCtxResetPersistingL2Cache, (void), cudaCtxResetPersistingL2Cache())
DRIVER(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags),
       is_context(peer) ? cudaDeviceEnablePeerAccess(peer->device, flags)
                        : cudaErrorDeviceUninitialized)
DRIVER(cuCtxDisablePeerAccess, (CUcontext peer),
       is_context(peer) ? cudaDeviceDisablePeerAccess(peer->device) : cudaErrorDeviceUninitialized)
DRIVER(cuProfilerStart, (void), cudaProfilerStart())
DRIVER(cuProfilerStop, (void), cudaProfilerStop())

/* ---- Primary contexts ---- */

static cudaError_t retain(CUcontext *context, CUdevice device) {
    cudaError_t error = context ? check_device(device) : cudaErrorInvalidValue;
    if (error) return error;
    *context = driver_primary(device);
    primaries[device].holders++;
    return cudaSuccess;
}

static cudaError_t release(CUdevice device) {
    cudaError_t error = check_device(device);
    if (error) return error;
    if (!primaries[device].holders) return cudaErrorDeviceUninitialized;
    return --primaries[device].holders ? cudaSuccess : reset_unused(device);
}

static cudaError_t reset(CUdevice device) {
    int caller = rt_own_device();
    cudaError_t error = cudaSetDevice(device);
    if (!error) error = cudaDeviceReset();
    cudaSetDevice(caller);
    return error;
}

static cudaError_t state(CUdevice device, unsigned *flags, int *active) {
    cudaError_t error = check_device(device);
    if (error || !flags || !active) return error ? error : cudaErrorInvalidValue;
    *flags = primaries[device].flags;
    *active = primaries[device].holders || rt_is_used();
    return cudaSuccess;
}

static cudaError_t set_flags(CUdevice device, unsigned flags) {
    cudaError_t error = check_device(device);
    if (!error) primaries[device].flags = flags;
    return error;
}

DRIVER_INIT(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device),
            retain(context, device))
DRIVER_INIT(cuDevicePrimaryCtxRelease, (CUdevice device), release(device))
DRIVER_INIT(cuDevicePrimaryCtxRelease_v2, (CUdevice device), release(device))
DRIVER_INIT(cuDevicePrimaryCtxReset, (CUdevice device), reset(device))
DRIVER_INIT(cuDevicePrimaryCtxReset_v2, (CUdevice device), reset(device))
DRIVER_INIT(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *active),
            state(device, flags, active))
DRIVER_INIT(cuDevicePrimaryCtxSetFlags, (CUdevice device, unsigned flags), set_flags(device, flags))
DRIVER_INIT(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags),
            set_flags(device, flags))
