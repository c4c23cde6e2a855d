/*
 * api/launch/register.c: registration. Before main, code that nvcc adds to a program registers its
 * fat binaries, and the host addresses of kernels and variables. api/launch/module.c loads and
 * parses a module at its first use.
 */
#include "simt/api/runtime.h"

#include "lib/memory.h"
#include "map.h"
#include "module.h"

#include <stdlib.h>
#include <string.h>

struct variable {
    const char *name; /* its name in the PTX */
    struct rt_module *module;
    size_t size;
    void *host;
    struct variable *next;
};

/* A managed variable. The host reads its address from *pointer, which rt_register_loaded sets. */
struct managed {
    const char *name;
    struct rt_module *module;
    void **pointer;
    struct managed *next;
};

/* host stub -> rt_function; rt_function, as a cudaKernel_t, -> itself */
static struct rt_map functions;
static struct rt_map variables; /* host variable -> variable */
static struct variable *all_variables;
static struct managed *managed_variables;

/* The code that nvcc generates declares these; no header does. */
RT_PUBLIC void **__cudaRegisterFatBinary(void *wrapper);
RT_PUBLIC void __cudaRegisterFatBinaryEnd(void **handle);
RT_PUBLIC void simtRegisterFatBinaryEnd(void **handle);
RT_PUBLIC void __cudaUnregisterFatBinary(void **handle);
RT_PUBLIC char __cudaInitModule(void **handle);
RT_PUBLIC void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                      const char *name, int threads, uint3 *thread, uint3 *block,
                                      dim3 *block_size, dim3 *grid_size, int *warp_size);
RT_PUBLIC void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                 int external, size_t size, int constant, int global);
RT_PUBLIC void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                        int external, size_t size, int constant, int global);
RT_PUBLIC void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
RT_PUBLIC cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *symbol);

/* Returns the module as the handle. */
void **__cudaRegisterFatBinary(void *wrapper) {
    return (void **)rt_module_new(wrapper);
}

void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

/* Has no effect: messages at exit may still name kernels, so modules live as long as the
 * process. */
void __cudaUnregisterFatBinary(void **handle) {
    (void)handle;
}

static struct rt_function *register_add_function(struct rt_module *module, const void *host,
                                                 const char *name) {
    struct rt_function *function = need(calloc(1, sizeof *function));
    *function = (struct rt_function){.host = host, .name = name, .carveout = -1};
    rt_module_add(module, function);
    rt_map_put(&functions, function, function);
    return function;
}

/* Its name stands for the host stub that it does not have. */
cudaError_t rt_module_named(struct rt_module *module, const char *name,
                            struct rt_function **result) {
    const struct rt_function asked = {.name = name, .module = module};
    cudaError_t error = rt_module_load(module);
    if (error) return error;
    if (!rt_module_entry(&asked)) return cudaErrorInvalidDeviceFunction;
    *result = rt_module_known(module, name);
    char *kept = *result ? NULL : need(strdup(name));
    if (kept) *result = register_add_function(module, kept, kept);
    return rt_module_resolve(*result);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size) {
    (void)device, (void)threads, (void)thread, (void)block, (void)block_size, (void)grid_size,
        (void)warp_size;
    rt_map_put(&functions, host, register_add_function((struct rt_module *)handle, host, name));
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global) {
    (void)device, (void)external, (void)constant, (void)global;
    struct variable *variable = need(calloc(1, sizeof *variable));
    *variable = (struct variable){name, (struct rt_module *)handle, size, host, all_variables};
    all_variables = variable;
    rt_map_put(&variables, host, variable);
}

/* Registers a managed variable, and its host symbol: the pointer from which the program reads the
 * address. */
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t size, int constant, int global) {
    struct managed *managed = need(malloc(sizeof *managed));
    *managed = (struct managed){name, (struct rt_module *)handle, host, managed_variables};
    managed_variables = managed;
    __cudaRegisterVar(handle, (char *)host, device, name, external, size, constant, global);
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size) {
    (void)handle, (void)host, (void)size;
    report_note("host variable %s in device code is not supported by the simulator", name);
}

/* Loads the module before the host first uses a managed variable. */
char __cudaInitModule(void **handle) {
    struct rt_module *module = (struct rt_module *)handle;
    if (rt_enter(NULL) == cudaSuccess) rt_set_last_error(rt_module_load(module));
    rt_unlock();
    return 1;
}

/* As __cudaRegisterFatBinaryEnd, for programs of common/front that have managed variables: their
 * host code has them as variables of its own, which get their values here. */
void simtRegisterFatBinaryEnd(void **handle) {
    __cudaInitModule(handle);
}

/* A pointer is not registered as the host's own variable. */
static bool is_by_pointer(const struct variable *variable) {
    const struct managed *managed = managed_variables;
    while (managed && (void *)managed->pointer != variable->host) managed = managed->next;
    return managed != NULL;
}

void rt_register_loading(struct rt_module *module) {
    for (struct variable *variable = all_variables; variable; variable = variable->next)
        if (variable->module == module && !is_by_pointer(variable))
            rt_module_host_variable(module, variable->name, variable->host);
}

void rt_register_loaded(struct rt_module *module) {
    for (struct managed *managed = managed_variables; managed; managed = managed->next) {
        uintptr_t address =
            managed->module == module ? rt_module_variable(module, managed->name) : 0;
        if (address) *managed->pointer = (void *)address;
    }
}

/* The current device's copy of a function, with attributes of its own. */
static struct rt_function *function_here(struct rt_function *function) {
    struct rt_module *module = rt_module_here(function->module);
    if (module == function->module) return function;
    struct rt_function *copy = rt_module_find(module, function->host);
    return copy ? copy : register_add_function(module, function->host, function->name);
}

const struct ptx_function *rt_function_entry(const void *symbol) {
    const struct rt_function *function = rt_map_get(&functions, symbol);
    return function ? rt_module_entry(function) : NULL;
}

cudaError_t rt_function(const void *symbol, struct rt_function **result) {
    struct rt_function *function = rt_map_get(&functions, symbol);
    if (!function) /* the former on an H200 */
        return rt_cuda_version >= 13000 ? cudaErrorInvalidResourceHandle
                                        : cudaErrorInvalidDeviceFunction;
    *result = function_here(function);
    return rt_module_resolve(*result);
}

/* Finds a managed variable, which the host names by its address. */
static cudaError_t managed_symbol(const void *symbol, uintptr_t *address, size_t *size) {
    const struct allocation *allocation = memory_find((uintptr_t)symbol, 0);
    if (!allocation || allocation->kind != ALLOC_MANAGED || !allocation->name)
        return cudaErrorInvalidSymbol;
    *address = allocation->address;
    *size = allocation->size;
    return cudaSuccess;
}

cudaError_t rt_symbol(const void *symbol, uintptr_t *address, size_t *size) {
    const struct variable *variable = rt_map_get(&variables, symbol);
    if (!variable) return managed_symbol(symbol, address, size);
    struct rt_module *module = rt_module_here(variable->module);
    cudaError_t error = rt_module_load(module);
    if (error) return error;
    *address = rt_module_variable(module, variable->name);
    *size = variable->size;
    return *address ? cudaSuccess : cudaErrorInvalidSymbol;
}

static cudaError_t get_kernel(cudaKernel_t *kernel, const void *symbol) {
    if (!kernel) return cudaErrorInvalidValue;
    struct rt_function *function = rt_map_get(&functions, symbol);
    *kernel = (cudaKernel_t)function;
    return function ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

/* Works after a fault: nvcc's code asks once and keeps the handle. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *symbol) {
    rt_enter_beside(NULL);
    return rt_leave(get_kernel(kernel, symbol));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol) {
    RT_BESIDE_CALL(get_kernel(kernel, symbol));
}

/* ---- Textures and surfaces: refused by name ---- */

struct textureReference;
struct surfaceReference;
RT_PUBLIC void __cudaRegisterTexture(void **handle, const struct textureReference *host,
                                     const void **device, const char *name, int dimensions,
                                     int normalised, int external);
RT_PUBLIC void __cudaRegisterSurface(void **handle, const struct surfaceReference *host,
                                     const void **device, const char *name, int dimensions,
                                     int external);

void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device,
                           const char *name, int dimensions, int normalised, int external) {
    (void)handle, (void)host, (void)device, (void)dimensions, (void)normalised, (void)external;
    report_note("texture %s: texture references are not supported: CUDA 12 has no more, use "
                "texture objects",
                name);
}

void __cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **device,
                           const char *name, int dimensions, int external) {
    (void)handle, (void)host, (void)device, (void)dimensions, (void)external;
    report_note("surface %s: surface references are not supported: CUDA 12 has no more, use "
                "surface objects",
                name);
}
