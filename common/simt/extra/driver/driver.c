/* extra/driver/driver.c: how calls of the driver API begin and end, its errors, and its functions
 * by name. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool initialised;

CUresult driver_begin(const char *name, enum driver_need need) {
    if (need >= NEEDS_INIT && !initialised && !rt_is_used()) return CUDA_ERROR_NOT_INITIALIZED;
    if (need == NEEDS_CONTEXT && !driver_context()) return CUDA_ERROR_INVALID_CONTEXT;
    rt_called_as = name;
    return CUDA_SUCCESS;
}

static const char *name_of(CUresult error) {
    switch ((int)error) {
#define RESULT(name, value)                                                                        \
    case value: return #name;
        SIMT_CUDA_RESULTS(RESULT)
#undef RESULT
    default: return NULL;
    }
}

/* The runtime has more codes than the driver. */
CUresult driver_end(cudaError_t error) {
    rt_called_as = NULL;
    if (error == cudaErrorInvalidDeviceFunction || error == cudaErrorInvalidSymbol)
        return CUDA_ERROR_NOT_FOUND;
    return name_of((CUresult)error) ? (CUresult)error : CUDA_ERROR_INVALID_VALUE;
}

static cudaError_t init(unsigned flags) {
    int count;
    cudaError_t error = flags ? cudaErrorInvalidValue : cudaGetDeviceCount(&count);
    initialised |= !error;
    return error;
}

DRIVER_ANY(cuInit, (unsigned flags), init(flags))
DRIVER_ANY(cuDriverGetVersion, (int *version), cudaDriverGetVersion(version))

static cudaError_t text_of(const char **text, CUresult error, const char *(*of)(cudaError_t)) {
    if (!text) return cudaErrorInvalidValue;
    *text = name_of(error) ? of ? of((cudaError_t)error) : name_of(error) : NULL;
    return *text ? cudaSuccess : cudaErrorInvalidValue;
}

DRIVER_ANY(cuGetErrorName, (CUresult error, const char **name), text_of(name, error, NULL))
DRIVER_ANY(cuGetErrorString, (CUresult error, const char **text),
           text_of(text, error, cudaGetErrorString))

/* ---- Functions by name ---- */

/* From which version of CUDA on a name means that function; of a function _v2 that is not here,
 * from 3.2 on. */
static const struct version {
    const char *function;
    int since;
} versions[] = {
    {"cuCtxCreate_v4", 12050},
    {"cuCtxCreate_v3", 11040},
    {"cuDeviceGetUuid_v2", 11040},
    {"cuDevicePrimaryCtxRelease_v2", 11000},
    {"cuDevicePrimaryCtxReset_v2", 11000},
    {"cuDevicePrimaryCtxSetFlags_v2", 11000},
    {"cuEventElapsedTime_v2", 12080},
    {"cuGetProcAddress_v2", 12000},
    {"cuIpcOpenMemHandle_v2", 11000},
    {"cuLinkAddData_v2", 6050},
    {"cuLinkAddFile_v2", 6050},
    {"cuLinkCreate_v2", 6050},
    {"cuMemAdvise_v2", 12020},
    {"cuMemHostRegister_v2", 6050},
    {"cuMemPrefetchAsync_v2", 12020},
    {"cuStreamBeginCapture_v2", 10010},
    {"cuStreamGetCaptureInfo_v2", 11030},
    {"cuStreamGetCaptureInfo_v3", 12030},
};

enum { FIRST_V2 = 3020, NEWEST_SUFFIX = 4 };

static int since(const char *function, bool has_suffix) {
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!strcmp(versions[i].function, function)) return versions[i].since;
    return has_suffix ? FIRST_V2 : 0;
}

/* Our own function, in its variant for per-thread default streams if there is one. */
static void *own_function(const char *name, bool per_thread) {
    static const char *const variants[] = {"_ptsz", "_ptds", ""};
    char variant[128];
    Dl_info own;
    if (!dladdr((void *)(uintptr_t)own_function, &own)) return NULL;
    void *library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD), *found = NULL;
    for (int i = per_thread ? 0 : 2; i < 3 && library && !found; i++) {
        snprintf(variant, sizeof variant, "%s%s", name, variants[i]);
        found = dlsym(library, variant);
    }
    if (library) dlclose(library);
    return found;
}

enum { PER_THREAD_DEFAULT_STREAM = 2 };

/* The function that a name means to a program of that version of CUDA: the newest that is not newer
 * than it. */
static cudaError_t proc_address(const char *name, void **function, int version,
                                unsigned long long flags, CUdriverProcAddressQueryResult *status) {
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (!name || !function) return cudaErrorInvalidValue;
    *function = NULL;
    for (int suffix = NEWEST_SUFFIX; suffix >= 1 && !*function; suffix--) {
        char whole[128];
        snprintf(whole, sizeof whole, suffix > 1 ? "%s_v%d" : "%s", name, suffix);
        void *own = own_function(whole, flags == PER_THREAD_DEFAULT_STREAM);
        if (own && since(whole, suffix > 1) <= version)
            *function = own;
        else if (own)
            found = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
    }
    if (*function) found = CU_GET_PROC_ADDRESS_SUCCESS;
    if (status) *status = found;
    return *function || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

DRIVER_ANY(cuGetProcAddress_v2,
           (const char *name, void **function, int version, unsigned long long flags,
            CUdriverProcAddressQueryResult *status),
           proc_address(name, function, version, flags, status))
DRIVER_ANY(cuGetProcAddress,
           (const char *name, void **function, int version, unsigned long long flags),
           proc_address(name, function, version, flags, NULL))

/* Tables of functions that NVIDIA does not document: NVRTC asks, and goes on without. */
DRIVER_ANY(cuGetExportTable, (const void **table, const CUuuid *id),
           ((void)table, (void)id, cudaErrorSymbolNotFound))

/* The runtime's. */
cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
    return proc_address(name, function, CUDART_VERSION, flags,
                        (CUdriverProcAddressQueryResult *)status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status) {
    return proc_address(name, function, (int)version, flags,
                        (CUdriverProcAddressQueryResult *)status);
}
