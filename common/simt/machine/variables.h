/* machine/variables.h: the global variables of a module. */
#pragma once

#include "simt/ptx/ptx.h"

/* Give a module's variables their addresses and copy their initial values in. module_var_address()
 * then answers. False: no memory. Called again after a device reset. */
bool module_instantiate(struct ptx_module *module);
/* Device address of a global or const variable; 0 if it has none. */
uint64_t module_var_address(const struct ptx_module *module, int32_t var);
