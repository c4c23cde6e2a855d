/*
 * decode/block_order.c: may a kernel's results, or its counters, depend on the order in which its
 * blocks run? Then they run in order on one host thread, so that every run gives the same. Decided
 * from the instructions:
 *
 *   - an atomic in global memory whose old value is used (tickets, locks, queues);
 *   - an atomic that leaves another value in another order: an exchange, a floating-point addition;
 *   - a load of global memory in a loop that may wait for another block (decode/polls.c);
 *   - a store to a surface: races there are not watched, and a raced grid could not be undone;
 *   - device malloc, whose addresses depend on the order of calls, and calls of the device runtime.
 *
 * Integer reductions without a result (add, min, max, and, or, xor) give the same in any order.
 */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

/* Does an instruction of the function read the register: as a guard, a value, an address or an
 * element of a vector? */
static bool reads_register(const struct ptx_function *function, int32_t reg) {
    for (int32_t i = 0; i < function->ninsns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        if (insn->pred == reg) return true;
        for (int k = 0; k < insn->noperands; k++) {
            const struct ptx_operand *o = &insn->operand[k];
            bool written = k < ptx_destinations(insn);
            if (!written && (o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY) &&
                o->reg == reg)
                return true;
            for (int v = 0; !written && o->kind == PTX_OPERAND_VECTOR && v < o->nvec; v++)
                if (o->vec[v] == reg) return true;
        }
    }
    return false;
}

/* Does this atomic leave the same value in memory in any order? Integer operations do.
 * Floating-point addition rounds. */
static bool commutes(const struct ptx_insn *insn) {
    switch (insn->sub) {
    case PTX_ATOM_ADD:
    case PTX_ATOM_MIN:
    case PTX_ATOM_MAX: return insn->type < PTX_F16;
    case PTX_ATOM_AND:
    case PTX_ATOM_OR:
    case PTX_ATOM_XOR: return true;
    default: return false;
    }
}

/* Does an instruction read the atomic's old value? That tells who came first. */
static bool old_is_read(const struct ptx_function *function, const struct ptx_insn *insn) {
    const struct ptx_operand *to = &insn->operand[0];
    return ptx_may_be_global(insn->space) && insn->op == PTX_ATOM && to->kind == PTX_OPERAND_REG &&
           to->reg >= 0 && reads_register(function, to->reg);
}

/* An atomic that commutes still matters if its old value does. */
static bool atomic_matters(const struct ptx_function *function, const struct ptx_insn *insn) {
    return ptx_may_be_global(insn->space) && (!commutes(insn) || old_is_read(function, insn));
}

static bool load_matters(const struct code *code, const struct ptx_insn *insn) {
    return ptx_may_be_global(insn->space) && load_may_poll(code, insn) && is_repeated(code, insn);
}

/* A call of a function that the program does not define and that takes memory or launches work.
 * Calls through pointers are not looked into. */
static bool call_matters(const struct ptx_function *function, const struct ptx_insn *insn) {
    if (insn->operand[1].kind != PTX_OPERAND_FUNCTION) return false;
    const struct ptx_function *callee = &function->module->functions[insn->operand[1].func];
    if (callee->definition) return false;
    return strcmp(callee->name, "malloc") == 0 || strcmp(callee->name, "free") == 0 ||
           strncmp(callee->name, "cuda", 4) == 0 || strncmp(callee->name, "__cuda", 6) == 0;
}

/* Does it look at what others write? */
static bool instruction_looks(const struct code *code, const struct ptx_insn *insn) {
    switch ((enum ptx_opcode)insn->op) {
    case PTX_ATOM: return old_is_read(code->function, insn);
    case PTX_LD: return load_matters(code, insn);
    case PTX_CALL: return call_matters(code->function, insn);
    default: return false;
    }
}

static bool instruction_matters(const struct code *code, const struct ptx_insn *insn) {
    if (insn->op == PTX_SUST || insn->op == PTX_SURED || insn->op == PTX_CP_REDUCE_BULK)
        return true;
    return ptx_kind(insn) == PTX_KIND_ATOMIC ? atomic_matters(code->function, insn)
                                             : instruction_looks(code, insn);
}

/* Is this so of an instruction of the kernel? */
static bool has(const struct kernel *kernel,
                bool (*is_so)(const struct code *, const struct ptx_insn *)) {
    for (int32_t c = 0; c < kernel->ncodes; c++) {
        const struct code *code = kernel->codes[c];
        for (int32_t i = 0; i < code->function->ninsns; i++)
            if (is_so(code, &code->function->insns[i])) return true;
    }
    return false;
}

bool block_order_matters(const struct kernel *kernel) {
    return has(kernel, instruction_matters);
}

bool block_waits(const struct kernel *kernel) {
    return has(kernel, instruction_looks);
}

/* ---- Does it do the same where it finds the same? ---- */

static bool calls_the_runtime(const struct ptx_function *function, const struct ptx_insn *insn) {
    if (insn->operand[1].kind != PTX_OPERAND_FUNCTION) return true; /* who knows what it calls */
    const struct ptx_function *callee = &function->module->functions[insn->operand[1].func];
    return !callee->definition && strcmp(callee->name, "__assertfail") != 0;
}

static bool reads_what_changes(const struct ptx_insn *insn) {
    for (int k = 0; k < insn->noperands; k++) {
        const struct ptx_operand *o = &insn->operand[k];
        if (o->kind != PTX_OPERAND_SREG) continue;
        if (o->sreg >= PTX_SREG_GLOBALTIMER && o->sreg <= PTX_SREG_GLOBALTIMER_HI) return true;
        if (o->sreg == PTX_SREG_GRIDID) return true;
    }
    return false;
}

/* Images' bytes are not marked when they are accessed. */
static bool uses_images(const struct ptx_insn *insn) {
    enum ptx_kind kind = ptx_kind(insn);
    return kind == PTX_KIND_TEXTURE || kind == PTX_KIND_SURFACE || kind == PTX_KIND_QUERY;
}

static bool may_do_another_thing(const struct code *code, const struct ptx_insn *insn) {
    bool calls = insn->op == PTX_CALL && calls_the_runtime(code->function, insn);
    return calls || reads_what_changes(insn) || uses_images(insn);
}

bool kernel_repeats(const struct kernel *kernel) {
    return !has(kernel, may_do_another_thing);
}
