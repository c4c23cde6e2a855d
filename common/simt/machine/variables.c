/* machine/variables.c: addresses and initial values of a module's global and constant variables. */
#include "variables.h"
#include "simt/device/memory.h"
#include "simt/machine/launch.h"

#include <string.h>

/* Global and constant variables have an address. It is kept in var->offset, which has no other
 * meaning for them. */
static bool has_address(const struct ptx_var *var) {
    return var->space == PTX_GLOBAL || var->space == PTX_CONST;
}

/* The variable itself, where var only declares it: linking has set definition. */
static struct ptx_var *definition_of(struct ptx_var *var) {
    return var->definition ? var->definition : var;
}

/* Does it have memory? After a reset of the device the old address is no allocation. */
static bool is_instantiated(const struct ptx_var *var) {
    return var->offset && memory_find(var->offset, var->size);
}

/* Allocate and initialise a variable. False: no memory. */
static bool variables_allocate(struct ptx_var *var) {
    enum allocation_kind kind = var->is_managed           ? ALLOC_MANAGED
                                : var->space == PTX_CONST ? ALLOC_CONST_VAR
                                                          : ALLOC_GLOBAL_VAR;
    struct allocation *allocation = var->host ? memory_adopt(var->host, var->size, kind)
                                              : memory_allocate(var->size, kind, var->name);
    if (!allocation) return false;
    var->offset = allocation->address;
    char *bytes = (char *)allocation->address + allocation->delta;
    if (var->init)
        memcpy(bytes, var->init, var->size);
    else
        memset(bytes, 0, var->size);
    return true;
}

/* The address that a relocation writes: a variable's, or a function's, which is that of its struct
 * ptx_function. */
static uint64_t target_address(struct ptx_module *module, const struct ptx_reloc *reloc) {
    if (reloc->func >= 0) {
        struct ptx_function *function = &module->functions[reloc->func];
        return (uint64_t)(function->definition ? function->definition : function);
    }
    struct ptx_var *var = definition_of(&module->vars[reloc->var]);
    if (has_address(var) && !is_instantiated(var)) variables_allocate(var);
    return var->offset;
}

/* Write addresses into a variable's initial value. shift and size pick a part of the address. */
static void relocate(struct ptx_module *module, const struct ptx_var *var) {
    char *bytes = memory_host(var->offset, var->size);
    for (int32_t i = 0; i < var->nrelocs; i++) {
        const struct ptx_reloc *reloc = &var->relocs[i];
        uint64_t value = (target_address(module, reloc) + (uint64_t)reloc->addend) >> reloc->shift;
        memcpy(bytes + reloc->offset, &value, reloc->size);
    }
}

bool module_instantiate(struct ptx_module *module) {
    for (int32_t i = 0; i < module->nvars; i++) {
        struct ptx_var *var = &module->vars[i];
        if (!has_address(var) || definition_of(var) != var || var->is_extern) continue;
        if (!is_instantiated(var) && !variables_allocate(var)) return false;
    }
    /* Relocations need the addresses of all variables. */
    for (int32_t i = 0; i < module->nvars; i++)
        if (module->vars[i].nrelocs && is_instantiated(&module->vars[i]))
            relocate(module, &module->vars[i]);
    return true;
}

uint64_t module_var_address(const struct ptx_module *module, int32_t var) {
    const struct ptx_var *found = &module->vars[var];
    if (found->definition) found = found->definition;
    return has_address(found) ? (uint64_t)found->offset : 0;
}
