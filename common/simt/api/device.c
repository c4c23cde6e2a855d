/* api/device.c: the devices: choosing one, waiting for it, resetting it, and settings without
 * effect here. */
#include "runtime.h"

#include "check.h"
#include "clock.h"
#include "extra.h"

#include <cuda_profiler_api.h>
#include <stdio.h>
#include <string.h>

#define PCI_DOMAIN "0000:"

static unsigned device_flags[MAX_DEVICES];
static enum cudaFuncCache cache_config[MAX_DEVICES];
static enum cudaSharedMemConfig bank_config = cudaSharedMemBankSizeFourByte;

cudaError_t cudaGetDeviceCount(int *count) {
    RT_KNOWN_QUERY(RT_SET(count, devices_count()));
}

cudaError_t cudaGetDevice(int *device) {
    RT_BESIDE_QUERY(RT_SET(device, device_current()));
}

static cudaError_t set_device(int device) {
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    rt_choose_device(device);
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    RT_BESIDE_QUERY(set_device(device));
}

cudaError_t cudaInitDevice(int device, unsigned device_flags_unused, unsigned flags) {
    (void)device_flags_unused, (void)flags;
    RT_ACTING_CALL(device_exists(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

/* Checks the list; which device is the first to try does not matter here. */
static cudaError_t set_valid(const int *devices, int n) {
    if (n < 0 || n > devices_count() || (n && !devices)) return cudaErrorInvalidValue;
    for (int i = 0; i < n; i++)
        if (!device_exists(devices[i])) return cudaErrorInvalidDevice;
    return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int n) {
    RT_ACTING_CALL(set_valid(devices, n));
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted) {
    RT_KNOWN_CALL(wanted ? RT_SET(device, 0) : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void) {
    RT_LATER_CALL(rt_synchronise_device(device_current()));
}

/* Frees everything that the program made on the current device, and undoes its settings. */
static cudaError_t device_reset(void) {
    int device = device_current();
    work_act_all();
    rt_synchronise_device(device);
    rt_check_leaks(device);
    rt_pinned_reset();
    rt_extras_reset();
    rt_events_reset();
    rt_streams_reset();
    rt_modules_reset();
    rt_limits_reset();
    rt_l2_reset();
    memory_reset();
    rt_errors_reset();
    cache_config[device] = cudaFuncCachePreferNone;
    device_flags[device] = 0;
    for (int peer = 0; peer < devices_count(); peer++) {
        device_set_peer(device, peer, false);
        device_set_peer(peer, device, false);
    }
    return cudaSuccess;
}

/* Works after a fault, too. */
cudaError_t cudaDeviceReset(void) {
    RT_QUERY(device_reset());
}

/* ---- Settings ---- */

static cudaError_t set_flags(unsigned flags) {
    if (flags & ~(unsigned)cudaDeviceMask) return cudaErrorInvalidValue;
    device_flags[device_current()] = flags;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    RT_ACTING_CALL(set_flags(flags));
}

/* Always includes cudaDeviceMapHost: host memory can always be mapped. */
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    RT_ACTING_CALL(RT_SET(flags, device_flags[device_current()] | cudaDeviceMapHost));
}

static cudaError_t device_set_cache(enum cudaFuncCache cache) {
    if ((unsigned)cache > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    cache_config[device_current()] = cache;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cache) {
    RT_ACTING_CALL(device_set_cache(cache));
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *cache) {
    RT_ACTING_CALL(RT_SET(cache, cache_config[device_current()]));
}

#pragma GCC diagnostic ignored                                                                     \
    "-Wdeprecated-declarations" /* this file defines functions that the toolkit deprecates         \
                                 */

/* Has no effect: no GPU since Maxwell can change its banks. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    RT_ACTING_CALL((unsigned)config > cudaSharedMemBankSizeEightByte ? cudaErrorInvalidValue
                                                                     : cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    RT_ACTING_CALL(RT_SET(config, bank_config));
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    RT_ACTING_CALL(cudaSuccess);
}

/* ---- Names and neighbours ---- */

/* "0000:01:00.0" for device 0: each is on a bus of its own. False: text has no room. */
static bool format_bus_id(char *text, size_t size, int device) {
    return (size_t)snprintf(text, size, PCI_DOMAIN "%02x:00.0", rt_pci_bus(device)) < size;
}

static cudaError_t bus_id(char *text, int size, int device) {
    if (!text || size <= 0) return cudaErrorInvalidValue;
    if (!device_exists(device)) return cudaErrorInvalidDevice;
    return format_bus_id(text, (size_t)size, device) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device) {
    RT_ACTING_CALL(bus_id(text, size, device));
}

static cudaError_t by_bus_id(int *device, const char *text) {
    if (!device || !text) return cudaErrorInvalidValue;
    for (int i = 0; i < devices_count(); i++) {
        char own[sizeof PCI_DOMAIN + 8];
        format_bus_id(own, sizeof own, i);
        if (!strcmp(text, own) || !strcmp(text, own + strlen(PCI_DOMAIN))) return RT_SET(device, i);
    }
    return cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
    RT_ACTING_CALL(by_bus_id(device, text));
}

int rt_cuda_version __attribute__((weak)) = CUDART_VERSION;

static cudaError_t device_version(int *target) {
    return RT_SET(target, rt_cuda_version);
}

cudaError_t cudaDriverGetVersion(int *target) {
    RT_KNOWN_QUERY(device_version(target));
}

cudaError_t cudaRuntimeGetVersion(int *target) {
    RT_KNOWN_QUERY(device_version(target));
}

/* Has no effect: SIMT_PROFILE records all launches. */
cudaError_t cudaProfilerStart(void) {
    RT_ACTING_CALL(cudaSuccess);
}

cudaError_t cudaProfilerStop(void) {
    RT_ACTING_CALL(cudaSuccess);
}
