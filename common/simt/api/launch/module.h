/* api/launch/module.h: a registered fat binary, and its kernels and variables. */
#pragma once

#include "simt/api/runtime.h"

/* Adds a module for a fat binary's wrapper, not yet loaded: device 0's. It lives as long as the
 * process. */
struct rt_module *rt_module_new(const void *wrapper);
/* The current device's copy of a module: each device has its own variables and decoded kernels. */
struct rt_module *rt_module_here(struct rt_module *module);
/* At the first call, chooses, parses and links the module's PTX, and gives its variables addresses.
 * Later calls return the same error. Prints why a module cannot be loaded. */
cudaError_t rt_module_load(struct rt_module *module);
/* Address of a variable of a loaded module; 0: none. */
uintptr_t rt_module_variable(const struct rt_module *module, const char *name);
/* The module's function of a host stub; NULL: none. */
struct rt_function *rt_module_find(const struct rt_module *module, const void *host);
/* The module's function of that name that has been asked for before; NULL: none. */
struct rt_function *rt_module_known(const struct rt_module *module, const char *name);
/* Finds a function by its name in the PTX, ready to launch. Returns cudaErrorInvalidDeviceFunction
 * if the module has none. */
cudaError_t rt_module_named(struct rt_module *module, const char *name,
                            struct rt_function **function);
/* Adds the function to the module. */
void rt_module_add(struct rt_module *module, struct rt_function *function);
/* Makes the function ready to launch: loads its module, finds its entry, decodes it and finds its
 * registers and shared memory. */
cudaError_t rt_module_resolve(struct rt_function *function);
/* The entry of a function whose module is loaded; NULL: it is not, or there is none. */
const struct ptx_function *rt_module_entry(const struct rt_function *function);
/* Finds the function of a kernel's device address, ready to launch. Returns
 * cudaErrorInvalidDeviceFunction for any other address. */
cudaError_t rt_module_function(const struct ptx_function *entry, struct rt_function **function);
/* Stores the addresses of the managed variables of a module that has just been loaded. */
void rt_register_loaded(struct rt_module *module);
/* Before that, tell it by rt_module_host_variable() where the host has managed variables itself. */
void rt_register_loading(struct rt_module *module);
void rt_module_host_variable(struct rt_module *module, const char *name, void *host);
