/*
 * extra/driver/module.c: modules and libraries, their kernels and variables, and the linker.
 *
 * What a program loads, PTX or a fat binary, becomes a wrapper as nvcc embeds one, which the
 * runtime loads (api/launch/module.c). It is copied, since the program may free it. Modules live as
 * long as the process, as the runtime's do.
 *
 *   CUmodule    a runtime's module, on the device that is current when it is loaded
 *   CUlibrary   a runtime's module, on all devices
 *   CUkernel, CUfunction    a runtime's function
 */
#include "driver.h"

#include "lib/file.h"
#include "lib/memory.h"
#include "simt/api/launch/module.h"
#include "simt/image/fatbin.h"

#include <ctype.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* ---- Images ---- */

/* The architecture of a text in PTX, and the newest that it is for. */
static void read_target(const char *text, struct fatbin_image *image) {
    const char *target = strstr(text, ".target"), *arch = target ? strstr(target, "sm_") : NULL;
    char *end = NULL;
    image->arch = arch ? (int)strtol(arch + 3, &end, 10) : 0;
    image->last = end && *end == 'a'   ? image->arch
                  : end && *end == 'f' ? image->arch / 10 * 10 + 9
                                       : INT_MAX;
}

/* A container with that image alone. */
static const void *container_of(const struct fatbin_image *image) {
    char *bytes = NULL;
    size_t size = 0;
    struct fatbin fatbin = {.images = (struct fatbin_image *)image, .nimages = 1, .nobjects = 1};
    FILE *out = need(open_memstream(&bytes, &size));
    fatbin_write(out, &fatbin, INT_MAX);
    fclose(out);
    return need(bytes);
}

static const void *ptx_container(const char *text, size_t size) {
    struct fatbin_image image = {
        .kind = FATBIN_PTX, .bytes = (const uint8_t *)text, .size = size, .options = ""};
    read_target(text, &image);
    return container_of(&image);
}

static const struct fatbin_wrapper *wrap(const void *container) {
    struct fatbin_wrapper *wrapper = need(malloc(sizeof *wrapper));
    *wrapper = (struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, 1, container, NULL};
    return container ? wrapper : NULL;
}

/* A copy of a container in the program's memory. NULL: there is none. */
static const void *copy_container(const void *bytes) {
    size_t size = fatbin_container_size(bytes, SIZE_MAX / 2);
    return size ? memcpy(need(malloc(size)), bytes, size) : NULL;
}

static bool is_ptx(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    return *text == '.' || (text[0] == '/' && (text[1] == '/' || text[1] == '*'));
}

/* What a program loads, as a wrapper. NULL: it is neither PTX nor a fat binary. size: of PTX, if it
 * does not end with a NUL. */
static const struct fatbin_wrapper *wrap_image(const void *image, size_t size) {
    const struct fatbin_wrapper *given = image;
    struct fatbin_image machine = {.kind = FATBIN_ELF, .bytes = image, .options = ""};
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == FATBIN_WRAPPER_MAGIC)
        return given->version == 2 ? given : wrap(copy_container(given->container));
    if (!memcmp(image, ELFMAG, SELFMAG)) return wrap(container_of(&machine)); /* is told of */
    if (is_ptx(image)) return wrap(ptx_container(image, strnlen(image, size)));
    return wrap(copy_container(image));
}

/* ---- Options ---- */

struct log {
    char *buffer;
    size_t *size; /* bytes of it, a number in the place of a pointer; then of the text */
};

/* The buffers for errors and for remarks; the options may come in any order. */
struct logs {
    struct log errors, remarks;
};

static struct logs logs_of(unsigned n, const CUjit_option *options, void **values) {
    struct logs logs = {0};
    for (unsigned i = 0; i < n; i++) {
        size_t *size = (size_t *)&values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) logs.errors.buffer = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) logs.errors.size = size;
        if (options[i] == CU_JIT_INFO_LOG_BUFFER) logs.remarks.buffer = values[i];
        if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) logs.remarks.size = size;
    }
    return logs;
}

/* Programs pass a size of 32 bits: the others may be anything. */
static void write_log(struct log log, const char *text) {
    unsigned room = log.size ? (unsigned)(uintptr_t)*log.size : 0;
    if (log.buffer && room) snprintf(log.buffer, room, "%s", text);
    if (log.size) *log.size = strnlen(text, room);
}

/* What is wrong with the image, if it is PTX; there are no remarks. */
static void write_logs(struct logs logs, const void *image, bool failed) {
    char error[512] = "";
    if (failed && is_ptx(image)) ptx_free(ptx_parse(image, strlen(image), error, sizeof error));
    write_log(logs.errors, error);
    write_log(logs.remarks, "");
}

/* ---- Loading ---- */

/* Loads the module on the current device, or on all. */
static cudaError_t load(void **result, const void *image, bool on_all, struct logs logs) {
    if (!result || !image) return cudaErrorInvalidValue;
    cudaError_t error = rt_enter("cuModuleLoadData");
    const struct fatbin_wrapper *wrapper = error ? NULL : wrap_image(image, SIZE_MAX);
    struct rt_module *module = wrapper ? rt_module_new(wrapper) : NULL;
    if (module && !on_all) module = rt_module_here(module);
    if (!error) error = module ? rt_module_load(module) : cudaErrorInvalidKernelImage;
    write_logs(logs, image, error);
    if (!error) *result = module;
    return rt_leave(error);
}

static cudaError_t load_file(void **result, const char *path, bool on_all) {
    char *image = path ? read_whole_file(path, NULL) : NULL;
    cudaError_t error =
        image ? load(result, image, on_all, (struct logs){0}) : cudaErrorFileNotFound;
    free(image);
    return error;
}

static cudaError_t find_function(void **result, void *module, const char *name) {
    struct rt_function *function = NULL;
    if (!result || !module || !name) return cudaErrorInvalidValue;
    cudaError_t error = rt_enter("cuModuleGetFunction");
    if (!error) error = rt_module_named(module, name, &function);
    if (!error) *result = function;
    return rt_leave(error);
}

static cudaError_t find_variable(CUdeviceptr *address, size_t *size, void *module,
                                 const char *name) {
    if (!module || !name) return cudaErrorInvalidValue;
    cudaError_t error = rt_enter("cuModuleGetGlobal");
    struct rt_module *here = rt_module_here(module);
    if (!error) error = rt_module_load(here);
    uintptr_t found = error ? 0 : rt_module_variable(here, name);
    if (!error && !found) error = cudaErrorSymbolNotFound;
    if (!error && address) *address = found;
    if (!error && size) *size = memory_find(found, 0)->size;
    return rt_leave(error);
}

DRIVER(cuModuleLoad, (CUmodule * module, const char *path), load_file((void **)module, path, false))
DRIVER(cuModuleLoadData, (CUmodule * module, const void *image),
       load((void **)module, image, false, (struct logs){0}))
DRIVER(cuModuleLoadDataEx,
       (CUmodule * module, const void *image, unsigned n, CUjit_option *options, void **values),
       load((void **)module, image, false, logs_of(n, options, values)))
DRIVER(cuModuleLoadFatBinary, (CUmodule * module, const void *image),
       load((void **)module, image, false, (struct logs){0}))
DRIVER(cuModuleUnload, (CUmodule module), module ? cudaSuccess : cudaErrorInvalidResourceHandle)
DRIVER(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name),
       find_function((void **)function, module, name))
DRIVER(cuModuleGetGlobal_v2,
       (CUdeviceptr * address, size_t *size, CUmodule module, const char *name),
       find_variable(address, size, module, name))
DRIVER_ANY(cuModuleGetLoadingMode, (CUmoduleLoadingMode * mode),
           RT_SET(mode, CU_MODULE_LAZY_LOADING))

DRIVER_INIT(cuLibraryLoadData,
            (CUlibrary * library, const void *image, CUjit_option *options, void **values,
             unsigned n, CUlibraryOption *library_options, void **library_values,
             unsigned library_n),
            ((void)library_options, (void)library_values, (void)library_n,
             load((void **)library, image, true, logs_of(n, options, values))))
DRIVER_INIT(cuLibraryLoadFromFile,
            (CUlibrary * library, const char *path, CUjit_option *options, void **values,
             unsigned n, CUlibraryOption *library_options, void **library_values,
             unsigned library_n),
            ((void)options, (void)values, (void)n, (void)library_options, (void)library_values,
             (void)library_n, load_file((void **)library, path, true)))
DRIVER_INIT(cuLibraryUnload, (CUlibrary library),
            library ? cudaSuccess : cudaErrorInvalidResourceHandle)
DRIVER_INIT(cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name),
            find_function((void **)kernel, library, name))
DRIVER(cuLibraryGetModule, (CUmodule * module, CUlibrary library),
       RT_SET(module, (CUmodule)rt_module_here((struct rt_module *)library)))
DRIVER(cuLibraryGetGlobal,
       (CUdeviceptr * address, size_t *size, CUlibrary library, const char *name),
       find_variable(address, size, library, name))
DRIVER(cuLibraryGetManaged,
       (CUdeviceptr * address, size_t *size, CUlibrary library, const char *name),
       find_variable(address, size, library, name))

/* ---- Functions ---- */

static cudaError_t owner(void **module, const void *symbol) {
    struct rt_function *function;
    cudaError_t error = module ? rt_enter_acting(NULL) : cudaErrorInvalidValue;
    if (!module) return error;
    if (!error) error = rt_function(symbol, &function);
    if (!error) *module = function->module;
    return rt_leave(error);
}

static cudaError_t get_attribute(int *value, CUfunction_attribute attribute, const void *symbol) {
    struct cudaFuncAttributes all;
    if (!value) return cudaErrorInvalidValue;
    cudaError_t error = cudaFuncGetAttributes(&all, symbol);
    if (error) return error;
    const int values[] = {all.maxThreadsPerBlock,
                          (int)all.sharedSizeBytes,
                          (int)all.constSizeBytes,
                          (int)all.localSizeBytes,
                          all.numRegs,
                          all.ptxVersion,
                          all.binaryVersion,
                          all.cacheModeCA,
                          all.maxDynamicSharedSizeBytes,
                          all.preferredShmemCarveout,
                          all.clusterDimMustBeSet,
                          all.requiredClusterWidth,
                          all.requiredClusterHeight,
                          all.requiredClusterDepth,
                          all.nonPortableClusterSizeAllowed,
                          all.clusterSchedulingPolicyPreference};
    if ((unsigned)attribute >= sizeof values / sizeof *values) return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
}

static cudaError_t set_attribute(const void *symbol, CUfunction_attribute attribute, int value) {
    return cudaFuncSetAttribute(symbol, (enum cudaFuncAttribute)attribute, value);
}

/* The same for a kernel, on a device that need not be the current one. */
static cudaError_t on_device(int *value, CUfunction_attribute attribute, CUkernel kernel,
                             CUdevice device, bool sets) {
    int caller = rt_own_device();
    cudaError_t error = cudaSetDevice(device);
    if (!error && sets) error = set_attribute(kernel, attribute, *value);
    if (!error && !sets) error = get_attribute(value, attribute, kernel);
    cudaSetDevice(caller);
    return error;
}

DRIVER(cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function),
       get_attribute(value, attribute, function))
DRIVER(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value),
       set_attribute(function, attribute, value))
DRIVER(cuFuncSetCacheConfig, (CUfunction function, CUfunc_cache config),
       cudaFuncSetCacheConfig(function, (enum cudaFuncCache)config))
DRIVER(cuFuncGetModule, (CUmodule * module, CUfunction function), owner((void **)module, function))
DRIVER(cuFuncGetName, (const char **name, CUfunction function), cudaFuncGetName(name, function))
DRIVER(cuFuncGetParamInfo, (CUfunction function, size_t index, size_t *offset, size_t *size),
       cudaFuncGetParamInfo(function, index, offset, size))
DRIVER(cuFuncSetSharedMemConfig, (CUfunction function, CUsharedconfig config),
       cudaFuncSetSharedMemConfig(function, (enum cudaSharedMemConfig)config))
DRIVER(cuFuncLoad, (CUfunction function), function ? cudaSuccess : cudaErrorInvalidResourceHandle)

DRIVER(cuKernelGetFunction, (CUfunction * function, CUkernel kernel),
       cudaGetFuncBySymbol(function, kernel))
DRIVER_INIT(cuKernelGetLibrary, (CUlibrary * library, CUkernel kernel),
            owner((void **)library, kernel))
DRIVER_INIT(cuKernelGetName, (const char **name, CUkernel kernel), cudaFuncGetName(name, kernel))
DRIVER_INIT(cuKernelGetParamInfo, (CUkernel kernel, size_t index, size_t *offset, size_t *size),
            cudaFuncGetParamInfo(kernel, index, offset, size))
DRIVER_INIT(cuKernelSetCacheConfig, (CUkernel kernel, CUfunc_cache config, CUdevice device),
            device_exists(device) ? cudaFuncSetCacheConfig(kernel, (enum cudaFuncCache)config)
                                  : cudaErrorInvalidDevice)
DRIVER_INIT(cuKernelGetAttribute,
            (int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device),
            on_device(value, attribute, kernel, device, false))
DRIVER_INIT(cuKernelSetAttribute,
            (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device),
            on_device(&value, attribute, kernel, device, true))

/* ---- The linker ---- */

/* Its result is a wrapper for all that was added. */
struct CUlinkState_st {
    struct fatbin_wrapper wrapper;
    const void **objects; /* containers, then NULL */
    size_t n;
};

static cudaError_t link_create(CUlinkState *state) {
    if (!state) return cudaErrorInvalidValue;
    *state = need(calloc(1, sizeof **state));
    return cudaSuccess;
}

/* Libraries hold the device's runtime, which simt has. */
static cudaError_t link_add(CUlinkState state, CUjitInputType type, const void *data, size_t size) {
    if (!state || !data) return cudaErrorInvalidValue;
    if (type == CU_JIT_INPUT_LIBRARY) return cudaSuccess;
    const struct fatbin_wrapper *wrapper = wrap_image(data, size);
    if (!wrapper || !wrapper->container) return cudaErrorInvalidKernelImage;
    state->objects = need(realloc(state->objects, (state->n + 2) * sizeof *state->objects));
    state->objects[state->n++] = wrapper->container;
    state->objects[state->n] = NULL;
    return cudaSuccess;
}

static cudaError_t link_add_file(CUlinkState state, CUjitInputType type, const char *path) {
    char *data = path ? read_whole_file(path, NULL) : NULL;
    cudaError_t error = data ? link_add(state, type, data, SIZE_MAX) : cudaErrorFileNotFound;
    free(data);
    return error;
}

static cudaError_t link_complete(CUlinkState state, void **image, size_t *size) {
    if (!state || !image || !state->n) return cudaErrorInvalidValue;
    state->wrapper = (struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, 2, NULL, state->objects};
    *image = &state->wrapper;
    if (size) *size = sizeof state->wrapper;
    return cudaSuccess;
}

DRIVER(cuLinkCreate_v2, (unsigned n, CUjit_option *options, void **values, CUlinkState *state),
       (write_logs(logs_of(n, options, values), "", false), link_create(state)))
DRIVER(cuLinkAddData_v2,
       (CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
        unsigned n, CUjit_option *options, void **values),
       ((void)name, (void)n, (void)options, (void)values, link_add(state, type, data, size)))
DRIVER(cuLinkAddFile_v2,
       (CUlinkState state, CUjitInputType type, const char *path, unsigned n, CUjit_option *options,
        void **values),
       ((void)n, (void)options, (void)values, link_add_file(state, type, path)))
DRIVER(cuLinkComplete, (CUlinkState state, void **image, size_t *size),
       link_complete(state, image, size))
DRIVER(cuLinkDestroy, (CUlinkState state), state ? cudaSuccess : cudaErrorInvalidValue)

/* ---- The runtime's libraries ---- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image,
                                enum cudaJitOption *options, void **values, unsigned n,
                                enum cudaLibraryOption *library_options, void **library_values,
                                unsigned library_n) {
    (void)library_options, (void)library_values, (void)library_n;
    return load((void **)library, image, true, logs_of(n, (CUjit_option *)options, values));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                    enum cudaJitOption *options, void **values, unsigned n,
                                    enum cudaLibraryOption *library_options, void **library_values,
                                    unsigned library_n) {
    (void)options, (void)values, (void)n;
    (void)library_options, (void)library_values, (void)library_n;
    return load_file((void **)library, path, true);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    return library ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    return find_function((void **)kernel, library, name);
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *size, cudaLibrary_t library,
                                 const char *name) {
    return find_variable((CUdeviceptr *)address, size, library, name);
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *size, cudaLibrary_t library,
                                  const char *name) {
    return find_variable((CUdeviceptr *)address, size, library, name);
}
