/*
 * see/decode.c: put a step before each instruction, also of those that become no operation.
 *
 *      BB:  mul.lo.u32 %r3, %r1, %r2        enter, step, mul
 *           mov.u32 %r4, %tid.x             step
 *           @%p1 bra BB                     step, bra_back
 *
 * What the step needs to know of its instruction is found here, once: registers read and written,
 * where an access goes, and what the instruction counts for by itself.
 */
#include "see.h"

#include "lib/memory.h"
#include "simt/decode/decode.h"

#include <stdlib.h>
#include <string.h>

static struct see_step *first_step, **last_link = &first_step;
static uint32_t nsteps;

struct see_step *see_steps(void) {
    return first_step;
}

/* ---- Registers ---- */

static void add_register(struct decoder *d, int32_t reg, bool written, struct see_value *values,
                         uint32_t *n) {
    if (reg < 0 || *n == SEE_VALUES) return;
    for (uint32_t i = 0; i < *n; i++)
        if (values[i].reg == reg) return;
    struct ptx_operand operand = {.kind = PTX_OPERAND_REG, .reg = reg, .reg2 = -1};
    bool is_alias = d->alias[reg] != NO_ALIAS;
    uint32_t ref =
        written && !is_alias ? REF(ROWS_REGS, destination(d, &operand)) : register_row(d, reg);
    values[(*n)++] = (struct see_value){reg, ref};
}

static void add_operand(struct decoder *d, const struct ptx_operand *o, bool written,
                        struct see_value *values, uint32_t *n) {
    bool names = o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_MEMORY;
    if (names) add_register(d, o->reg, written, values, n);
    if (o->kind == PTX_OPERAND_REG) add_register(d, o->reg2, written, values, n);
    for (int i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->nvec; i++)
        if (!(o->vec_is_imm >> i & 1)) add_register(d, o->vec[i], written, values, n);
}

/* The guard comes first. A call's lists are left out. */
static void add_values(struct decoder *d, struct see_step *step) {
    const struct ptx_insn *insn = step->insn;
    int written = ptx_destinations(insn);
    if (insn->pred >= 0) add_register(d, insn->pred, false, step->reads, &step->nreads);
    for (int k = 0; insn->op != PTX_CALL && k < insn->noperands; k++) {
        if (k < written)
            add_operand(d, &insn->operand[k], true, step->writes, &step->nwrites);
        else
            add_operand(d, &insn->operand[k], false, step->reads, &step->nreads);
    }
}

/* ---- Accesses ---- */
/* The spaces whose addresses are shown. Parameters and frames are registers on a GPU. */
static bool is_shown(uint8_t space) {
    return space == PTX_GLOBAL || space == PTX_SHARED || space == PTX_GENERIC ||
           space == PTX_LOCAL || space == PTX_CONST;
}

/* An access through the generic space may name a variable of another one. */
static uint8_t space_of(const struct ptx_insn *insn) {
    for (int i = 0; i < insn->noperands && insn->space == PTX_GENERIC; i++) {
        const struct ptx_operand *o = &insn->operand[i];
        if (o->kind == PTX_OPERAND_MEMORY && o->reg < 0 && o->var >= 0) return o->var_space;
    }
    return insn->space;
}

static void add_access(struct see_step *step, uint8_t space, uint32_t ref, int64_t offset,
                       const struct op *op) {
    struct see_access *access = &step->accesses[step->naccesses++];
    *access = (struct see_access){.ref = ref, .offset = offset, .space = space};
    if (ref != op->a) return;
    access->is_short = op->flags & OP_ADDRESS32;
    access->in_frame = op->mem.in_frame;
}

/* What op, the instruction's last operation, accesses. Of a bulk copy, whose length is known when
 * it runs, the counters tell. */
static void find_accesses(struct see_step *step, const struct op *op) {
    const struct ptx_insn *insn = step->insn;
    bool is_matrix = insn->op == PTX_LDMATRIX || insn->op == PTX_STMATRIX;
    step->bytes = (uint32_t)op->size * (op->vector ? op->vector : 1);
    if (is_matrix) {
        step->bytes = 16; /* a row of 8 elements */
        step->lanes = (uint32_t)((UINT64_C(1) << 8 * op->vector) - 1);
        add_access(step, PTX_SHARED, op->a, op->mem.offset, op);
    } else if (insn->op == PTX_CP_ASYNC) {
        add_access(step, PTX_SHARED, op->a, op->mem.offset, op);
        add_access(step, PTX_GLOBAL, op->b, op->mem.from_offset, op);
    } else if (ptx_accesses(insn) && is_shown(space_of(insn))) {
        add_access(step, space_of(insn), op->a, op->mem.offset, op);
    }
}

/* ---- Steps ---- */

static struct see_step *step_new(struct decoder *d, const struct ptx_insn *insn) {
    struct see_step *step = need(calloc(1, sizeof *step));
    int32_t index = (int32_t)(insn - d->function->insns);
    step->number = nsteps++;
    step->lanes = UINT32_MAX;
    step->insn = insn;
    step->function = d->function;
    block_cost(d->costs, index, index + 1, &step->cost);
    /* The tally of a guarded instruction is the kernel's latest. */
    bool is_guarded = insn->pred >= 0 && guarded_cost(insn, &step->guarded);
    step->guarded_tally = is_guarded ? d->kernel->ntallies - 1 : NO_TALLY;
    step->tally = (uint32_t)d->tally_of[index];
    step->in_kernel = d->code->first_insn + (uint32_t)index;
    d->kernel->steps =
        need(realloc(d->kernel->steps, (step->in_kernel + 1) * sizeof *d->kernel->steps));
    d->kernel->steps[step->in_kernel] = step;
    add_values(d, step);
    *last_link = step;
    last_link = &step->next;
    return step;
}

/* Moves the last operation before operation number first. */
static void move_back(struct code *code, int32_t first) {
    struct op last = code->ops[code->nops - 1];
    memmove(&code->ops[first + 1], &code->ops[first],
            (size_t)(code->nops - 1 - first) * sizeof last);
    code->ops[first] = last;
}

void see_decode(struct decoder *d, const struct ptx_insn *insn, int32_t first) {
    struct see_step *step = step_new(d, insn);
    bool emitted = d->code->nops > first;
    struct op *op = emit(d, see_step, insn);
    if (emitted) find_accesses(step, op - 1);
    op->step = step;
    move_back(d->code, first);
}
