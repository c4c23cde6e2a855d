/*
 * ptx/link.c: links symbols across modules, as a linker does. An extern symbol takes the visible
 * definition of its name. Of several weak definitions the first counts for all modules. A strong
 * definition overrides weak ones. Two strong definitions are an error.
 */
#include "lib/arena.h"
#include "lib/memory.h"
#include "ptx.h"

#include <stdio.h>
#include <string.h>

/* The best definition of a name so far: a function, or a variable. */
struct definition {
    const char *name;
    struct ptx_function *function;
    struct ptx_var *var;
};

struct linker {
    struct definition *slots; /* open addressing, nslots a power of two */
    size_t nslots;
    char *error;
    size_t error_size;
};

static struct definition *find_slot(const struct linker *linker, const char *name) {
    for (size_t i = hash_bytes(HASH_START, name, strlen(name));; i++) {
        struct definition *slot = &linker->slots[i & (linker->nslots - 1)];
        if (!slot->name || strcmp(slot->name, name) == 0) return slot;
    }
}

static bool conflict(struct linker *linker, const char *name) {
    snprintf(linker->error, linker->error_size, "'%s' is defined in two modules", name);
    return false;
}

static bool define_function(struct linker *linker, struct ptx_function *function) {
    if (!function->definition || !(function->is_visible || function->is_weak)) return true;
    struct definition *slot = find_slot(linker, function->name);
    bool strong = !function->is_weak, taken = slot->function && !slot->function->is_weak;
    if (slot->var || (strong && taken)) return conflict(linker, function->name);
    slot->name = function->name;
    if (!slot->function || (strong && !taken)) slot->function = function;
    return true;
}

static bool define_var(struct linker *linker, struct ptx_var *var) {
    if (!var->definition || var->space == PTX_SHARED || !(var->is_visible || var->is_weak))
        return true;
    struct definition *slot = find_slot(linker, var->name);
    bool strong = !var->is_weak, taken = slot->var && !slot->var->is_weak;
    if (slot->function || (strong && taken)) return conflict(linker, var->name);
    slot->name = var->name;
    if (!slot->var || (strong && !taken)) slot->var = var;
    return true;
}

static bool define_all(struct linker *linker, struct ptx_module *module) {
    for (int32_t i = 0; i < module->nfunctions; i++) {
        if (!define_function(linker, &module->functions[i])) return false;
    }
    for (int32_t i = 0; i < module->nvars; i++) {
        if (!define_var(linker, &module->vars[i])) return false;
    }
    return true;
}

/* Points extern and weak symbols at their definitions. */
static void resolve_all(const struct linker *linker, struct ptx_module *module) {
    for (int32_t i = 0; i < module->nfunctions; i++) {
        struct ptx_function *function = &module->functions[i];
        struct definition *slot = find_slot(linker, function->name);
        if (slot->function && (!function->definition || function->is_weak))
            function->definition = slot->function->definition;
    }
    for (int32_t i = 0; i < module->nvars; i++) {
        struct ptx_var *var = &module->vars[i];
        struct definition *slot = find_slot(linker, var->name);
        if (slot->var && (!var->definition || var->is_weak) && var->space == slot->var->space)
            var->definition = slot->var;
    }
}

bool ptx_link(struct ptx_module **modules, int n, char *error, size_t error_size) {
    struct arena *arena = arena_new();
    struct linker linker = {.nslots = 16, .error = error, .error_size = error_size};
    size_t names = 0;
    bool ok = true;
    for (int i = 0; i < n; i++) names += (size_t)modules[i]->nfunctions + (size_t)modules[i]->nvars;
    while (linker.nslots < 2 * names) linker.nslots *= 2;
    linker.slots = arena_array(arena, linker.nslots, sizeof *linker.slots);
    for (int i = 0; ok && i < n; i++) ok = define_all(&linker, modules[i]);
    for (int i = 0; ok && i < n; i++) resolve_all(&linker, modules[i]);
    arena_free(arena);
    return ok;
}
