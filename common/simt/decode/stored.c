/*
 * decode/stored.c: the pointers through which a kernel loads and stores, found in its PTX: which
 * parameters and variables flow into the address of a load, a store or an atomic, by any
 * instruction but a load. What the analysis cannot follow (a call) may be any parameter; a pointer
 * that lies in memory may lead anywhere.
 */
#include "lib/memory.h"
#include "simt/machine/races.h"
#include "simt/machine/variables.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ROOTS   62
#define ANY         ((uint64_t)1 << 63) /* more roots than there are bits */
#define FROM_MEMORY ((uint64_t)1 << 62) /* loaded from memory that other kernels can write */

/* Where a pointer comes from. */
struct root {
    bool is_variable;
    /* a parameter: its byte in the parameter block; a variable: its index in the module */
    uint64_t at;
};

struct stored {
    const struct kernel *kernel;
    struct root roots[MAX_ROOTS];
    int nroots;
    struct through {
        uint64_t roots; /* of addresses, as bits */
        bool unknown;   /* some address has no known root */
        bool memory;    /* some address was in memory */
    } loads, stores;
    uint32_t smallest;
};

/* The bit of a root, which is new or known. */
static uint64_t root_bit(struct stored *stored, struct root root) {
    int i = 0;
    while (i < stored->nroots && memcmp(&stored->roots[i], &root, sizeof root) != 0) i++;
    if (i == MAX_ROOTS) return ANY;
    if (i == stored->nroots) stored->roots[stored->nroots++] = root;
    return (uint64_t)1 << i;
}

/* What an operand brings into an instruction's result: of its registers and of a variable's
 * address. */
static uint64_t roots_of(struct stored *stored, const struct ptx_operand *operand,
                         const uint64_t *of_register) {
    uint64_t roots = operand->reg >= 0 ? of_register[operand->reg] : 0;
    for (int v = 0; v < operand->nvec; v++)
        roots |= operand->vec[v] >= 0 ? of_register[operand->vec[v]] : 0;
    struct root variable = {0};
    variable.is_variable = true;
    variable.at = (uint64_t)operand->var;
    if (operand->var >= 0 && operand->var_space == PTX_GLOBAL) roots |= root_bit(stored, variable);
    return roots;
}

/* A pointer that is a parameter of the kernel, or lies in one, or in memory. */
static uint64_t loaded_roots(struct stored *stored, const struct ptx_insn *insn) {
    const struct ptx_operand *from = &insn->operand[1];
    if (ptx_type_size(insn->type) != sizeof(uint64_t)) return 0;
    if (insn->space == PTX_GLOBAL || insn->space == PTX_CONST || insn->space == PTX_GENERIC)
        return FROM_MEMORY;
    if (from->var_space != PTX_KPARAM || from->var < 0) return 0;
    struct root parameter = {0};
    parameter.at = stored->kernel->entry->frame[from->var].offset + (uint64_t)from->offset;
    return root_bit(stored, parameter);
}

/* True: a register has gained a root. */
static bool flow(struct stored *stored, const struct ptx_insn *insn, uint64_t *of_register) {
    const struct ptx_operand *to = &insn->operand[0];
    uint64_t roots = 0;
    if (ptx_destinations(insn) != 1 || insn->op == PTX_UNSUPPORTED) return false;
    if (insn->op == PTX_LD)
        roots = loaded_roots(stored, insn);
    else if (insn->op != PTX_ATOM)
        for (int i = 1; i < insn->noperands; i++)
            roots |= roots_of(stored, &insn->operand[i], of_register);
    bool grew = false;
    for (int v = to->nvec ? 0 : -1; v < to->nvec; v++) {
        int32_t reg = v < 0 ? to->reg : to->vec[v];
        if (reg < 0) continue;
        grew |= (roots & ~of_register[reg]) != 0;
        of_register[reg] |= roots;
    }
    return grew;
}

static void take_access(struct stored *stored, const struct ptx_insn *insn,
                        const uint64_t *of_register) {
    bool accesses = ptx_accesses(insn) && ptx_may_be_global(insn->space);
    uint32_t size = ptx_type_size(insn->type);
    if (insn->op == PTX_CP_ASYNC) size = 4;
    if ((accesses || insn->op == PTX_CP_ASYNC) && size && size < stored->smallest)
        stored->smallest = size;
    if (insn->op == PTX_CALL) stored->loads.unknown = stored->stores.unknown = true;
    bool passes = insn->op == PTX_ST && insn->space == PTX_FRAME;
    if (passes && roots_of(stored, &insn->operand[1], of_register) & FROM_MEMORY)
        stored->loads.memory = stored->stores.memory = true;
    if (!accesses) return;
    struct through *through = ptx_stores(insn) ? &stored->stores : &stored->loads;
    uint64_t roots =
        roots_of(stored, &insn->operand[insn->op != PTX_ST && insn->op != PTX_RED], of_register);
    through->roots |= roots;
    through->unknown |= !roots || roots & ANY;
    through->memory |= (roots & FROM_MEMORY) != 0;
}

struct stored *stored_find(const struct kernel *kernel) {
    struct stored *stored = need(calloc(1, sizeof *stored));
    stored->kernel = kernel;
    stored->smallest = 4; /* words for all kernels but those with narrower accesses */
    for (int32_t c = 0; c < kernel->ncodes; c++) {
        const struct ptx_function *function = kernel->codes[c]->function;
        uint64_t *of_register = need(calloc((size_t)function->nregs + 1, sizeof *of_register));
        for (bool grew = true; grew;) {
            grew = false;
            for (int32_t i = 0; i < function->ninsns; i++)
                grew |= flow(stored, &function->insns[i], of_register);
        }
        for (int32_t i = 0; i < function->ninsns; i++)
            take_access(stored, &function->insns[i], of_register);
        free(of_register);
    }
    return stored;
}

uint32_t stored_smallest(const struct stored *stored) {
    return stored->smallest;
}

static void visit_parameter(const char *params, uint64_t at,
                            void (*visit)(struct allocation *, void *), void *context) {
    uint64_t address;
    memcpy(&address, params + at, sizeof address);
    struct allocation *allocation = memory_find(address, 1);
    if (allocation) visit(allocation, context);
}

/* All that a pointer may lead to. */
static void visit_all(void (*visit)(struct allocation *, void *), void *context) {
    size_t n;
    struct allocation *const *live = memory_live(&n);
    for (size_t i = 0; i < n; i++)
        if (live[i]->kind != ALLOC_ARRAY && memory_reached(live[i])) visit(live[i], context);
}

void stored_each(const struct stored *stored, const void *params, bool loads,
                 void (*visit)(struct allocation *, void *), void *context) {
    const struct through *through = loads ? &stored->loads : &stored->stores;
    const struct ptx_function *entry = stored->kernel->entry;
    uint64_t bytes = entry->param_bytes;
    if (through->memory) visit_all(visit, context);
    for (uint64_t at = 0; through->unknown && at + sizeof(uint64_t) <= bytes;
         at += sizeof(uint64_t))
        visit_parameter(params, at, visit, context);
    for (int i = 0; i < stored->nroots; i++) {
        const struct root *root = &stored->roots[i];
        if (!through->unknown && !(through->roots >> i & 1)) continue;
        if (!root->is_variable && root->at + sizeof(uint64_t) <= bytes)
            visit_parameter(params, root->at, visit, context);
        struct allocation *variable =
            root->is_variable ? memory_find(module_var_address(entry->module, (int32_t)root->at), 1)
                              : NULL;
        if (variable) visit(variable, context);
    }
}
