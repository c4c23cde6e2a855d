/*
 * decode/operand.c: references to operands, and the rows of constants that they name.
 *
 * A reference is 2 bits for the kind of rows and 30 bits for the byte offset among them (REF in
 * machine/machine.h). Values that all lanes share are written out to 32 lanes once, so that
 * handlers need one loop for registers, immediates, parameters and special registers alike.
 */
#include "decode.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rows of the launch, of blocks and of warps ---- */

/* A mask (width 0) needs 4 bytes, but takes a row of 128, so that the next row stays aligned. */
static unsigned row_bytes(unsigned width) {
    return width == 8 ? ROW64 : ROW32;
}

/* The row filled as item says: one that is there already, or a new one. run/operand_rows.c fills
 * the rows when a launch, a block or a warp begins. */
static uint32_t row_filled_with(struct kernel *kernel, enum operand_rows kind, struct fill item) {
    struct fills *fills = &kernel->fills[kind];
    for (uint32_t i = 0; i < fills->n; i++) {
        struct fill *have = &fills->items[i];
        item.offset = have->offset;
        if (have->kind == item.kind && have->width == item.width && have->size == item.size &&
            have->is_signed == item.is_signed && have->bits == item.bits && have->var == item.var)
            return REF(kind, have->offset);
    }
    if (fills->n == fills->capacity) {
        fills->capacity = fills->capacity ? 2 * fills->capacity : 32;
        fills->items = need(realloc(fills->items, fills->capacity * sizeof *fills->items));
    }
    item.offset = fills->bytes;
    fills->bytes += row_bytes(item.width);
    fills->items[fills->n++] = item;
    return REF(kind, item.offset);
}

/* width: 4 or 8 bytes a lane, or 0 for a predicate mask. At width 4 the upper bits are cut off, so
 * that equal words share a row. */
uint32_t constant_row(struct kernel *kernel, uint64_t bits, unsigned width) {
    if (width == 4) bits &= 0xFFFFFFFF;
    return row_filled_with(kernel, ROWS_LAUNCH,
                           (struct fill){.kind = FILL_BITS, .width = (uint8_t)width, .bits = bits});
}

/* The row is filled from the launch's parameter block, so the kernel is decoded once for all
 * launches. */
uint32_t parameter_row(struct decoder *d, uint64_t offset, unsigned width, unsigned size,
                       bool is_signed) {
    return row_filled_with(d->kernel, ROWS_LAUNCH,
                           (struct fill){.kind = FILL_PARAM,
                                         .width = (uint8_t)width,
                                         .size = (uint8_t)size,
                                         .is_signed = is_signed,
                                         .bits = offset});
}

/* The rows that are filled as seldom as the register allows. %laneid and the lane masks are the
 * same in every warp, so one row for the launch is enough. Clocks have no row: clock_read works
 * them out. */
static enum operand_rows sreg_rows(enum ptx_sreg sreg) {
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
    case PTX_SREG_WARPID: return ROWS_WARP;
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
    case PTX_SREG_SMID: return ROWS_BLOCK;
    default: return ROWS_LAUNCH;
    }
}

/* %envreg1 and %envreg2 hold the address of the grid barrier: a kernel that reads one of them uses
 * it. */
static uint32_t sreg_row(struct decoder *d, const struct ptx_operand *o, unsigned width) {
    if (o->sreg == PTX_SREG_ENVREG) d->kernel->cooperative_grid = true;
    return row_filled_with(
        d->kernel, sreg_rows(o->sreg),
        (struct fill){
            .kind = FILL_SREG, .width = (uint8_t)width, .size = o->sreg_index, .bits = o->sreg});
}

/* ---- Variables ---- */

/* The variable that an operand names. Variables of the function lie in its frame, others in the
 * module; one of another module is found through its definition. */
const struct ptx_var *operand_variable(const struct decoder *d, const struct ptx_operand *o) {
    if (o->var_space == PTX_LOCAL || o->var_space == PTX_FRAME || o->var_space == PTX_KPARAM)
        return &d->function->frame[o->var];
    const struct ptx_var *var = &d->function->module->vars[o->var];
    return var->definition ? var->definition : var;
}

/* Where a .shared variable lies in the kernel's shared memory; decode/decode.c laid them out. */
uint32_t shared_offset(struct kernel *kernel, const struct ptx_var *var) {
    for (int32_t i = 0; i < kernel->nshared; i++)
        if (kernel->shared[i].var == var) return kernel->shared[i].offset;
    return 0;
}

/* Offsets in shared memory and in the parameter block are known now. Addresses of global variables
 * and constants are known at the launch. */
static uint32_t variable_row(struct decoder *d, const struct ptx_operand *o, unsigned width) {
    const struct ptx_var *var = operand_variable(d, o);
    switch (o->var_space) {
    case PTX_SHARED:
        return constant_row(d->kernel, shared_offset(d->kernel, var) + (uint64_t)o->offset, width);
    case PTX_KPARAM: return constant_row(d->kernel, var->offset + (uint64_t)o->offset, width);
    default:
        return row_filled_with(d->kernel, ROWS_LAUNCH,
                               (struct fill){.kind = FILL_VARIABLE,
                                             .width = (uint8_t)width,
                                             .bits = (uint64_t)o->offset,
                                             .var = var});
    }
}

/* ---- Registers ---- */

static bool is_wide_type(enum ptx_type type) {
    return ptx_type_size(type) == 8;
}

bool register_is_wide(const struct decoder *d, int32_t reg) {
    return is_wide_type(d->function->regs[reg].type);
}

/* The row of a register in its frame, or the constant row that stands for it. The layout is in
 * lay_out_frame(). */
uint32_t register_row(const struct decoder *d, int32_t reg) {
    const struct ptx_reg *r = &d->function->regs[reg];
    if (d->alias && d->alias[reg] != NO_ALIAS) return d->alias[reg];
    uint32_t slot = (uint32_t)r->slot;
    if (r->type == PTX_PRED) return REF(ROWS_REGS, PRED_FIRST_OFFSET + 4 * slot);
    if (r->type == PTX_B128) return REF(ROWS_REGS, d->rows128 + 2 * ROW64 * slot);
    if (is_wide_type(r->type)) return REF(ROWS_REGS, d->rows64 + ROW64 * slot);
    return REF(ROWS_REGS, d->rows32 + ROW32 * slot);
}

/* A register's row is as wide as the register. type gives the width of the other kinds. A
 * function's address is the host address of its definition: call_indirect() compares it with those
 * of the kernel's codes. */
uint32_t source_typed(struct decoder *d, const struct ptx_operand *o, enum ptx_type type) {
    unsigned width = type == PTX_PRED ? 0 : is_wide_type(type) ? 8 : 4;
    switch (o->kind) {
    case PTX_OPERAND_REG: return register_row(d, o->reg);
    case PTX_OPERAND_IMM:
        return constant_row(d->kernel, type == PTX_PRED ? (o->bits ? FULL_MASK : 0) : o->bits,
                            width);
    case PTX_OPERAND_SREG: return sreg_row(d, o, width ? width : 4);
    case PTX_OPERAND_VARIABLE: return variable_row(d, o, width ? width : 8);
    case PTX_OPERAND_FUNCTION: {
        const struct ptx_function *function = &d->function->module->functions[o->func];
        return constant_row(d->kernel,
                            (uintptr_t)(function->definition ? function->definition : function), 8);
    }
    default: return constant_row(d->kernel, 0, 8);
    }
}

/* An instruction that lacks the operand reads zeros: handlers may have three operands where PTX
 * lets the last be left out. */
uint32_t source(struct decoder *d, const struct ptx_insn *insn, int operand) {
    if (operand >= insn->noperands) return constant_row(d->kernel, 0, 8);
    return source_typed(d, &insn->operand[operand], ptx_operand_type(insn, operand));
}

/* Offset in the frame of the register that an instruction writes, and of the sink where it writes
 * none. Writes go to the register's own row: the constant row that stands for it is shared. */
uint32_t destination(struct decoder *d, const struct ptx_operand *o) {
    if (o->kind == PTX_OPERAND_REG && o->reg >= 0) {
        uint32_t alias = d->alias[o->reg];
        d->alias[o->reg] = NO_ALIAS;
        uint32_t ref = register_row(d, o->reg);
        d->alias[o->reg] = alias;
        return REF_OFFSET(ref);
    }
    return d->sink;
}

/* References of a vector's elements. width: bytes of a lane where an element is an immediate. "_"
 * is the sink. */
const uint32_t *vector_refs(struct decoder *d, const struct ptx_operand *o, unsigned width) {
    uint32_t *refs = kernel_alloc(d, o->nvec * sizeof *refs);
    for (int i = 0; i < o->nvec; i++) {
        if (o->vec_is_imm >> i & 1)
            refs[i] = constant_row(d->kernel, o->vec_bits[i], width);
        else
            refs[i] = o->vec[i] < 0 ? REF(ROWS_REGS, d->sink) : register_row(d, o->vec[i]);
    }
    return refs;
}

/* ---- Registers that stand for constants ---- */

/* writes: by register, how many instructions write it. Counting stops at 2, as only a single write
 * is of interest. */
static void count_writes(const struct decoder *d, uint8_t *writes) {
    for (int32_t i = 0; i < d->function->ninsns; i++) {
        const struct ptx_insn *insn = &d->function->insns[i];
        int n = ptx_destinations(insn);
        for (int k = 0; k < n; k++) {
            const struct ptx_operand *o = &insn->operand[k];
            if (o->kind == PTX_OPERAND_REG && o->reg >= 0 && writes[o->reg] < 2) writes[o->reg]++;
            if (o->reg2 >= 0 && o->kind == PTX_OPERAND_REG && writes[o->reg2] < 2)
                writes[o->reg2]++;
            for (int v = 0; o->kind == PTX_OPERAND_VECTOR && v < o->nvec; v++)
                if (!(o->vec_is_imm >> v & 1) && o->vec[v] >= 0 && writes[o->vec[v]] < 2)
                    writes[o->vec[v]]++;
        }
    }
}

/* The constant row that an instruction moves into its destination register; NO_ALIAS: it does
 * something else. A copy of an alias is an alias, if the original was found before. A mov must be
 * as wide as its register: a row of 32-bit lanes cannot be read as one of 64-bit lanes. */
static uint32_t moved_constant(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *to = &insn->operand[0], *from = &insn->operand[1];
    bool wide = register_is_wide(d, to->reg);
    if (insn->op == PTX_LD && insn->space == PTX_KPARAM && from->kind == PTX_OPERAND_MEMORY &&
        from->reg < 0 && from->var >= 0) {
        const struct ptx_var *var = operand_variable(d, from);
        return parameter_row(d, var->offset + (uint64_t)from->offset, wide ? 8 : 4,
                             ptx_type_size(insn->type), ptx_is_signed(insn->type));
    }
    if (insn->op == PTX_MOV && insn->type != PTX_PRED && wide == is_wide_type(insn->type)) {
        if (from->kind == PTX_OPERAND_IMM) return source(d, insn, 1);
        if (from->kind == PTX_OPERAND_SREG && !ptx_is_clock(from->sreg)) return source(d, insn, 1);
        if (from->kind == PTX_OPERAND_VARIABLE && from->var_space != PTX_LOCAL &&
            from->var_space != PTX_FRAME)
            return source(d, insn, 1);
    }
    bool copies = insn->op == PTX_MOV ||
                  (insn->op == PTX_CVTA && (insn->space == PTX_GLOBAL || insn->space == PTX_CONST));
    if (copies && from->kind == PTX_OPERAND_REG && wide && register_is_wide(d, from->reg))
        return d->alias[from->reg];
    return NO_ALIAS;
}

/* Registers with a single, unguarded write of a constant (parameter, immediate, special register)
 * are read from its row: the move needs no operation. Compilers load each parameter into a register
 * this way. A second or a guarded write would leave two possible values. */
void find_aliases(struct decoder *d) {
    uint8_t *writes = need(calloc((size_t)d->function->nregs + 1, 1));
    for (int32_t r = 0; r < d->function->nregs; r++) d->alias[r] = NO_ALIAS;
    count_writes(d, writes);
    for (int32_t i = 0; i < d->function->ninsns; i++) {
        const struct ptx_insn *insn = &d->function->insns[i];
        if (insn->pred >= 0 || insn->noperands < 2 || insn->operand[0].kind != PTX_OPERAND_REG)
            continue;
        int32_t reg = insn->operand[0].reg;
        if (ptx_destinations(insn) != 1 || reg < 0 || writes[reg] != 1) continue;
        if (d->function->regs[reg].type == PTX_PRED || d->function->regs[reg].type == PTX_B128)
            continue;
        d->alias[reg] = moved_constant(d, insn);
    }
    free(writes);
}
