/* api/module.h: a registered fat binary: from its bytes to kernels and variables. */
#ifndef SIMT_API_MODULE_H
#define SIMT_API_MODULE_H

#include "runtime.h"

/* A module over a fat binary's wrapper, not yet loaded. */
struct rt_module *rt_module_new(const void *wrapper);
/* Choose, parse and link its PTX and give its variables addresses; at the first call, later ones give the same answer.
 */
cudaError_t rt_module_load(struct rt_module *module);
/* Address of a variable of a loaded module, or 0. */
uintptr_t rt_module_variable(const struct rt_module *module, const char *name);
/* Make the function one of the module's. */
void rt_module_add(struct rt_module *module, struct rt_function *function);
/* Make the function ready to launch: its module loaded, itself found in it and decoded, its needs known. */
cudaError_t rt_module_resolve(struct rt_function *function);
/* The function of a kernel's address on the device, ready to launch. Error: cudaErrorInvalidDeviceFunction. */
cudaError_t rt_module_function(const struct ptx_function *entry, struct rt_function **function);
/* Called when a module has been loaded: its managed variables have addresses now. */
void rt_register_loaded(struct rt_module *module);

#endif
