/*
 * check/decode.c: put the check of each access before it, and a check in the place of each
 * fence.
 *
 *      ld.global   ->   check_access, ld
 *      cp.async    ->   check_access (load), check_access (store), cp.async
 *      fence       ->   check_fence
 *      others      ->   check_flow before each of their operations (check/undefined.c)
 *
 * check_access is a copy of the access with another handler: the same guard, operands and offset.
 * What it needs to know of the whole function (loops, neighbouring loads, use by atomicCAS) is
 * found here, once.
 */
#include "simt/decode/decode.h"
#include "check.h"
#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* Does an instruction change memory that other threads see? */
static bool changes_memory(const struct ptx_insn *insn) {
    bool own = insn->space == PTX_LOCAL || insn->space == PTX_FRAME;
    return insn->op == PTX_CALL || (ptx_stores(insn) && !(insn->op == PTX_ST && own));
}

/* A volatile load whose innermost loop changes no memory waits for what another thread stores.
 * Elsewhere volatile only promises an access each time. */
static bool polls(const struct ptx_function *function, int32_t index) {
    for (int32_t end = index; end < function->ninsns; end++) {
        const struct ptx_insn *branch = &function->insns[end];
        /* Does it lead back to index or before it? */
        if (branch->op != PTX_BRA || branch->operand[0].target > index) continue;
        for (int32_t i = branch->operand[0].target; i < end; i++)
            if (changes_memory(&function->insns[i])) return false;
        return true;
    }
    return false;
}

/* ---- Loads that copy structures ---- */

#define STRUCTURE_ALIGN 16 /* as in check/init.c */
#define MAX_STEPS       4  /* of an address's computation that are followed */

/* By register: the only instruction that writes it; NULL: none, or several. Made at first use, kept
 * with the kernel. */
static const struct ptx_insn **writers_of(struct decoder *d) {
    if (d->writers) return d->writers;
    uint8_t *several = need(calloc((size_t)d->function->nregs + 1, 1));
    d->writers = kernel_alloc(d, (size_t)d->function->nregs * sizeof *d->writers);
    for (int32_t i = 0; i < d->function->ninsns; i++) {
        const struct ptx_insn *insn = &d->function->insns[i];
        if (!ptx_destinations(insn) || insn->operand[0].kind != PTX_OPERAND_REG ||
            insn->operand[0].reg < 0)
            continue;
        int32_t reg = insn->operand[0].reg;
        d->writers[reg] = several[reg] ? NULL : insn;
        several[reg] = 1;
    }
    free(several);
    return d->writers;
}

/* An address as a register, or a variable, plus bytes: at most MAX_STEPS additions of constants are
 * followed. */
static struct ptx_operand base_variable_of(struct decoder *d, const struct ptx_operand *address) {
    struct ptx_operand base = *address;
    for (int steps = 0; base.reg >= 0 && steps < MAX_STEPS; steps++) {
        const struct ptx_insn *add = writers_of(d)[base.reg];
        if (!add || add->op != PTX_ADD || add->operand[1].kind != PTX_OPERAND_REG ||
            add->operand[2].kind != PTX_OPERAND_IMM)
            break;
        base.reg = add->operand[1].reg;
        base.offset += (int64_t)add->operand[2].bits;
    }
    return base;
}

/* Do two loads take different words of one structure, as far as their addresses tell? */
static bool are_neighbours(struct decoder *d, const struct ptx_insn *a, const struct ptx_insn *b) {
    struct ptx_operand x = base_variable_of(d, &a->operand[1]),
                       y = base_variable_of(d, &b->operand[1]);
    int64_t distance = x.offset - y.offset;
    return x.reg == y.reg && x.var == y.var && distance && distance > -STRUCTURE_ALIGN &&
           distance < STRUCTURE_ALIGN;
}

/* Structures are copied word by word, padding too: by a vector load, by several loads, or in a loop
 * over bytes. */
static bool copies_structure(struct decoder *d, const struct ptx_insn *load) {
    if (load->operand[0].kind == PTX_OPERAND_VECTOR || ptx_type_size(load->type) == 1) return true;
    for (int32_t i = 0; i < d->function->ninsns; i++) {
        const struct ptx_insn *other = &d->function->insns[i];
        if (other->op == PTX_LD && other->space == load->space && are_neighbours(d, load, other))
            return true;
    }
    return false;
}

/* ---- Stores that set bits ---- */

/* Is the value what a load gave, moved and with bits set at most? Setting a bit-field also clears
 * its bits, except where all are set: then it looks like flags |= 6, and is taken for that. */
static bool sets_bits(struct decoder *d, const struct ptx_operand *value, int steps) {
    bool known = steps && value->kind == PTX_OPERAND_REG && value->reg >= 0;
    const struct ptx_insn *insn = known ? writers_of(d)[value->reg] : NULL;
    if (!insn) return false;
    if (insn->op == PTX_LD) return true;
    if (insn->op == PTX_OR && sets_bits(d, &insn->operand[2], steps - 1)) return true;
    return (insn->op == PTX_OR || insn->op == PTX_MOV || insn->op == PTX_CVT) &&
           sets_bits(d, &insn->operand[1], steps - 1);
}

/* ---- Reads that an atomicCAS confirms ---- */

/* Is the parameter, a variable of the frame, passed to atomicCAS? Code that is not optimised calls
 * it. */
static bool is_passed_to_cas(const struct ptx_function *function, int32_t parameter) {
    for (int32_t i = 0; i < function->ninsns; i++) {
        const struct ptx_insn *call = &function->insns[i];
        if (call->op != PTX_CALL || call->operand[1].kind != PTX_OPERAND_FUNCTION) continue;
        if (!strstr(function->module->functions[call->operand[1].func].name, "atomicCAS")) continue;
        for (int32_t k = 0; k < call->operand[2].nlist; k++)
            if (call->operand[2].list[k] == parameter) return true;
    }
    return false;
}

/* Does the instruction take the register as the expected value of an atomicCAS, or pass it to a
 * function of that name? */
static bool is_expected(const struct ptx_function *function, const struct ptx_insn *insn,
                        int32_t reg) {
    if (insn->op == PTX_ATOM && insn->sub == PTX_ATOM_CAS) return insn->operand[2].reg == reg;
    bool passes = insn->op == PTX_ST && insn->space == PTX_FRAME && insn->operand[1].reg == reg;
    return passes && is_passed_to_cas(function, insn->operand[0].var);
}

/* Does the register, moved at most, become an expected value? seen: by register, those that were
 * followed already. */
static bool reaches_cas(const struct ptx_function *function, int32_t reg, uint8_t *seen) {
    if (reg < 0 || seen[reg]) return false;
    seen[reg] = 1;
    for (int32_t i = 0; i < function->ninsns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        if (is_expected(function, insn, reg)) return true;
        bool moves = insn->op == PTX_MOV && insn->operand[1].kind == PTX_OPERAND_REG &&
                     insn->operand[1].reg == reg;
        if (moves && reaches_cas(function, insn->operand[0].reg, seen)) return true;
    }
    return false;
}

/* Is what the load reads, moved at most, the value that an atomicCAS expects? */
static bool feeds_cas(const struct ptx_function *function, const struct ptx_insn *load) {
    if (load->operand[0].kind != PTX_OPERAND_REG) return false;
    uint8_t *seen = need(calloc((size_t)function->nregs + 1, 1));
    bool feeds = reaches_cas(function, load->operand[0].reg, seen);
    free(seen);
    return feeds;
}

/* What the instruction does, as enum access_flag: found from the instruction and its function
 * alone. */
static uint8_t access_flags(const struct ptx_function *function, const struct ptx_insn *insn) {
    if (insn->sub == PTX_MBARRIER_INIT) return ACCESS_WRITE;
    uint8_t flags = ptx_kind(insn) == PTX_KIND_ATOMIC ? ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC
                    : insn->op == PTX_ST              ? ACCESS_WRITE
                                                      : ACCESS_READ;
    if (insn->is_volatile || insn->cache == 'v') flags |= ACCESS_VOLATILE;
    if (insn->order) flags |= ACCESS_STRONG;
    if (flags == ACCESS_READ && feeds_cas(function, insn)) flags |= ACCESS_EXPECTS;
    bool waits = flags & ACCESS_VOLATILE && flags & ACCESS_READ && !(flags & ACCESS_ATOMIC);
    if (waits && polls(function, (int32_t)(insn - function->insns))) flags |= ACCESS_POLLS;
    return flags;
}

/* The operand with the address; of cp.async, that in shared memory. */
static const struct ptx_operand *address_operand(const struct ptx_insn *insn) {
    bool first = insn->op == PTX_ST || insn->op == PTX_RED || insn->op == PTX_STMATRIX ||
                 insn->op == PTX_CP_ASYNC;
    return &insn->operand[first ? 0 : 1];
}

/* The space that is accessed: an access through the generic space may name a variable of another
 * one. */
static uint8_t space_of(const struct ptx_insn *insn) {
    const struct ptx_operand *address = address_operand(insn);
    bool named = insn->space == PTX_GENERIC && address->reg < 0 && address->var >= 0;
    return named ? address->var_space : insn->space;
}

/* Scope c is .cta, the block; all others reach the grid. */
static uint8_t scope_of(const struct ptx_insn *insn) {
    return insn->scope == 'c' ? PUBLISHES_TO_BLOCK : PUBLISHES_TO_GRID;
}

static bool publishes(const struct ptx_insn *insn) {
    return insn->order == 'l' || insn->order == 'q' || insn->order == 's';
}

/* The check of an access, to be executed before it: a copy of it with op.check in the place of
 * op.mem. */
static struct op check_of(struct decoder *d, const struct op *access, uint8_t space,
                          uint8_t flags) {
    const struct ptx_insn *insn = access->insn;
    struct site site = {.insn = insn, .function = d->function, .kernel = d->kernel->entry};
    if (space == PTX_SHARED || space == PTX_LOCAL || space == PTX_GENERIC)
        site.variable = check_variable(d, address_operand(insn));
    if (site.variable)
        site.variable_at = site.variable->space == PTX_LOCAL
                               ? (uint32_t)site.variable->offset
                               : shared_offset(d->kernel, site.variable);
    struct op op = *access;
    op.run = check_access;
    op.check.offset = access->mem.offset;
    op.check.in_frame = access->mem.in_frame;
    op.check.lanes = FULL_MASK;
    op.check.site = site_new(&site);
    op.check.space = space;
    op.check.access = flags;
    op.check.publishes = publishes(insn) ? scope_of(insn) : 0;
    op.check.looks_relaxed = insn->order == 'l' || (insn->op == PTX_LD && insn->order == 'r');
    return op;
}

/* Put check before the last operation: append one, then move the last one after it. */
static void insert_check(struct decoder *d, const struct op *check) {
    const struct ptx_insn *insn = check->insn;
    emit(d, NULL, insn);
    struct op *last = &d->code->ops[d->code->nops - 1];
    last[0] = last[-1];
    last[-1] = *check;
}

/* Does cp.async read as many bytes as it writes? It may fill up with zeros instead. */
static bool copies_all(const struct ptx_insn *insn) {
    if (insn->noperands <= 3) return true;
    const struct ptx_operand *count = &insn->operand[3];
    return count->kind == PTX_OPERAND_IMM && count->bits == insn->operand[2].bits;
}

/* cp.async stores to shared memory what it loads from global memory. */
static void check_async_copy(struct decoder *d, const struct ptx_insn *insn) {
    struct op access = d->code->ops[d->code->nops - 1];
    access.vector = 1;
    struct op store = check_of(d, &access, PTX_SHARED, ACCESS_WRITE),
              load = check_of(d, &access, PTX_GLOBAL, ACCESS_READ);
    store.check.value_unknown = true;
    load.a = access.b;
    load.check.offset = access.mem.from_offset;
    load.flags &= (uint8_t)~OP_ADDRESS32;
    if (copies_all(insn)) insert_check(d, &load);
    insert_check(d, &store); /* right before the copy: check/copy.c */
}

/* The spaces that --check watches. Constant memory and parameters cannot be written. */
static bool is_checked(uint8_t space) {
    return space == PTX_GLOBAL || space == PTX_SHARED || space == PTX_LOCAL || space == PTX_FRAME ||
           space == PTX_GENERIC;
}

/* insn is a load, store or atomic, and its operation is the last one. */
static void check_plain_access(struct decoder *d, const struct ptx_insn *insn) {
    const struct op *access = &d->code->ops[d->code->nops - 1];
    uint8_t space = space_of(insn), flags = access_flags(d->function, insn);
    if (!is_checked(space) || access->run == d->handlers.unsupported) return;
    struct op check = check_of(d, access, space, flags);
    check.check.copies_structure = insn->op == PTX_LD && copies_structure(d, insn);
    check.check.sets_bits = insn->op == PTX_ST && sets_bits(d, &insn->operand[1], MAX_STEPS);
    bool plain = insn->op == PTX_LD || insn->op == PTX_ST;
    if (!plain) check.vector = 1, check.check.value_unknown = true;
    insert_check(d, &check);
}

/* ldmatrix and stmatrix. */
static void check_matrix_op(struct decoder *d, const struct ptx_insn *insn) {
    const struct op *access = &d->code->ops[d->code->nops - 1];
    if (access->run == d->handlers.unsupported) return;
    struct op check =
        check_of(d, access, PTX_SHARED, insn->op == PTX_STMATRIX ? ACCESS_WRITE : ACCESS_READ);
    check_matrix_rows(d, &check);
    insert_check(d, &check);
    check_matrix_results(d, insn);
}

/* Is the instruction checked as an access? check_access then looks at its registers too, and it
 * gets no check_flow. */
static bool accesses_memory(const struct ptx_insn *insn) {
    if (ptx_kind(insn) == PTX_KIND_LOAD) return is_checked(space_of(insn));
    return ptx_stores(insn) || insn->op == PTX_CP_ASYNC || insn->op == PTX_LDMATRIX ||
           insn->op == PTX_STMATRIX || insn->op == PTX_MMA;
}

void check_decode(struct decoder *d, const struct ptx_insn *insn, int32_t first) {
    bool emitted = d->code->nops > first;
    if (emitted && !accesses_memory(insn)) {
        check_decode_flow(d, first);
        return;
    }
    if (ptx_kind(insn) == PTX_KIND_FENCE)
        emit(d, check_fence, insn)->check.publishes = scope_of(insn);
    else if (insn->op == PTX_MMA)
        check_matrix_results(d, insn);
    else if (!emitted)
        return;
    else if (ptx_accesses(insn))
        check_plain_access(d, insn);
    else if (insn->op == PTX_CP_ASYNC)
        check_async_copy(d, insn);
    else if (insn->op == PTX_LDMATRIX || insn->op == PTX_STMATRIX)
        check_matrix_op(d, insn);
}
