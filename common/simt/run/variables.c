/* run/variables.c: addresses and initial values of a module's global and constant variables. */
#include "variables.h"
#include "simt/device/memory.h"
#include "simt/machine/launch.h"

#include <string.h>

/* A variable's address is kept in its offset, which means nothing else for these spaces. */
static bool has_address(const struct ptx_var *var) {
    return var->space == PTX_GLOBAL || var->space == PTX_CONST;
}

static struct ptx_var *definition_of(struct ptx_var *var) {
    return var->definition ? var->definition : var;
}

static bool is_instantiated(const struct ptx_var *var) {
    return var->offset && memory_find(var->offset, var->size);
}

static bool allocate(struct ptx_var *var) {
    enum allocation_kind kind = var->is_managed           ? ALLOC_MANAGED
                                : var->space == PTX_CONST ? ALLOC_CONST_VAR
                                                          : ALLOC_GLOBAL_VAR;
    struct allocation *allocation = memory_allocate(var->size, kind, var->name);
    if (!allocation) return false;
    var->offset = allocation->address;
    char *bytes = (char *)allocation->address + allocation->delta;
    if (var->init)
        memcpy(bytes, var->init, var->size);
    else
        memset(bytes, 0, var->size);
    return true;
}

/* The address that a relocation writes: a variable's, or a function's, for which its description stands. */
static uint64_t target_address(struct ptx_module *module, const struct ptx_reloc *reloc) {
    if (reloc->func >= 0) {
        struct ptx_function *function = &module->functions[reloc->func];
        return (uintptr_t)(function->definition ? function->definition : function);
    }
    struct ptx_var *var = definition_of(&module->vars[reloc->var]);
    if (has_address(var) && !is_instantiated(var)) allocate(var);
    return var->offset;
}

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
        if (!is_instantiated(var) && !allocate(var)) return false;
    }
    for (int32_t i = 0; i < module->nvars; i++)
        if (module->vars[i].nrelocs && is_instantiated(&module->vars[i])) relocate(module, &module->vars[i]);
    return true;
}

uintptr_t module_var_address(const struct ptx_module *module, int32_t var) {
    const struct ptx_var *found = &module->vars[var];
    if (found->definition) found = found->definition;
    return has_address(found) ? (uintptr_t)found->offset : 0;
}
