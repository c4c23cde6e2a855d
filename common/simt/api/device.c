/* api/device.c: the one device: choosing it, waiting for it, resetting it, and settings without effect here. */
#include "runtime.h"

#include "check.h"

#include <cuda_profiler_api.h>
#include <stdio.h>
#include <string.h>

#define PCI_BUS_ID "0000:01:00.0"

static unsigned device_flags;
static enum cudaFuncCache cache_config;
static enum cudaSharedMemConfig bank_config = cudaSharedMemBankSizeFourByte;

static cudaError_t set_int(int *target, int value) {
    if (!target) return cudaErrorInvalidValue;
    *target = value;
    return cudaSuccess;
}

static cudaError_t check_device(int device) {
    return device ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    RT_QUERY(set_int(count, 1));
}

cudaError_t cudaGetDevice(int *device) {
    RT_QUERY(set_int(device, 0));
}

cudaError_t cudaSetDevice(int device) {
    RT_QUERY(check_device(device));
}

cudaError_t cudaInitDevice(int device, unsigned device_flags_unused, unsigned flags) {
    (void)device_flags_unused, (void)flags;
    RT_CALL(check_device(device));
}

/* Accepts an empty list, or a list that names the device. */
static cudaError_t set_valid(const int *devices, int n) {
    if (n < 0 || n > 1 || (n && !devices)) return cudaErrorInvalidValue;
    return n ? check_device(devices[0]) : cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int n) {
    RT_CALL(set_valid(devices, n));
}

static cudaError_t choose(int *device, const struct cudaDeviceProp *wanted) {
    return wanted ? set_int(device, 0) : cudaErrorInvalidValue;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted) {
    RT_CALL(choose(device, wanted));
}

cudaError_t cudaDeviceSynchronize(void) {
    RT_CALL(rt_synchronise_all());
}

/* Frees everything that the program made on the device. */
static cudaError_t reset(void) {
    rt_synchronise_all();
    rt_check_leaks();
    rt_pinned_reset();
    rt_pools_reset();
    rt_events_reset();
    rt_streams_reset();
    rt_modules_reset();
    memory_reset();
    rt_errors_reset();
    return cudaSuccess;
}

/* Works after a fault, too. */
cudaError_t cudaDeviceReset(void) {
    RT_QUERY(reset());
}

/* ---- Settings ---- */

static cudaError_t set_flags(unsigned flags) {
    if (flags & ~(unsigned)cudaDeviceMask) return cudaErrorInvalidValue;
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    RT_CALL(set_flags(flags));
}

/* Always includes cudaDeviceMapHost: host memory can always be mapped. */
static cudaError_t get_flags(unsigned *flags) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    RT_CALL(get_flags(flags));
}

static cudaError_t set_cache(enum cudaFuncCache cache) {
    if ((unsigned)cache > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    cache_config = cache;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cache) {
    RT_CALL(set_cache(cache));
}

static cudaError_t get_cache(enum cudaFuncCache *cache) {
    if (!cache) return cudaErrorInvalidValue;
    *cache = cache_config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *cache) {
    RT_CALL(get_cache(cache));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* this file defines functions that the toolkit deprecates  \
                                                            */

/* Has no effect: no GPU since Maxwell can change its banks. */
static cudaError_t set_banks(enum cudaSharedMemConfig config) {
    return (unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    RT_CALL(set_banks(config));
}

static cudaError_t get_banks(enum cudaSharedMemConfig *config) {
    if (!config) return cudaErrorInvalidValue;
    *config = bank_config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    RT_CALL(get_banks(config));
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    RT_CALL(cudaSuccess);
}

/* ---- Names and neighbours ---- */

static cudaError_t bus_id(char *text, int size, int device) {
    if (!text || size <= 0) return cudaErrorInvalidValue;
    if (device) return cudaErrorInvalidDevice;
    snprintf(text, (size_t)size, "%s", PCI_BUS_ID);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
    RT_CALL(bus_id(text, size, device));
}

static cudaError_t by_bus_id(int *device, const char *text) {
    if (!device || !text) return cudaErrorInvalidValue;
    bool ours = !strcmp(text, PCI_BUS_ID) || !strcmp(text, PCI_BUS_ID + strlen("0000:"));
    return ours ? set_int(device, 0) : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
    RT_CALL(by_bus_id(device, text));
}

static cudaError_t can_access(int *can, int device, int peer) {
    return device || peer ? cudaErrorInvalidDevice : set_int(can, 0);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    RT_CALL(can_access(can, device, peer));
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    (void)peer; /* there are no other devices */
    RT_CALL(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    RT_CALL(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}

static cudaError_t version(int *target) {
    return set_int(target, CUDART_VERSION);
}

cudaError_t cudaDriverGetVersion(int *target) {
    RT_QUERY(version(target));
}

cudaError_t cudaRuntimeGetVersion(int *target) {
    RT_QUERY(version(target));
}

/* Has no effect: SIMT_PROFILE records all launches. */
cudaError_t cudaProfilerStart(void) {
    RT_CALL(cudaSuccess);
}

cudaError_t cudaProfilerStop(void) {
    RT_CALL(cudaSuccess);
}
