/*
 * check/bounds.c: accesses that leave their shared variable, or a function's local variables. The
 * block's shared memory goes on after it, with another variable or with dynamic memory, and local
 * memory with that of other functions, so a GPU says nothing. A function's local variables are one
 * variable to PTX.
 *
 * The PTX names the variable where its address is taken. From there on the address is followed
 * through moves, conversions, sums and loops. It is lost where it is loaded, is an argument, or may
 * be one of two variables: such an access may go anywhere. So may one of dynamic memory, whose size
 * PTX does not know.
 *
 *      mov.u32  %r1, tile          %r1: tile
 *      add.s32  %r2, %r1, %r9      %r2: tile, as %r9 is no address
 *      st.shared.u32 [%r2+4], ...  must stay within tile
 */
#include "check.h"
#include "simt/decode/decode.h"

/* What a register points into: NULL, not known yet; &OTHER, no shared or local variable, or not
 * always the same. */
static const struct ptx_var OTHER;

static const struct ptx_var *pointee(const struct decoder *d, const struct ptx_operand *o) {
    bool is_bound = o->var_space == PTX_SHARED || o->var_space == PTX_LOCAL;
    if (o->kind == PTX_OPERAND_VARIABLE && is_bound) return operand_variable(d, o);
    return o->kind == PTX_OPERAND_REG && o->reg >= 0 ? d->pointees[o->reg] : &OTHER;
}

/* Of a sum one part may be an address. */
static const struct ptx_var *sum(const struct ptx_var *a, const struct ptx_var *b) {
    if (a == &OTHER) return b;
    if (b == &OTHER) return a;
    return a && b ? &OTHER : a ? a : b;
}

static const struct ptx_var *either(const struct ptx_var *a, const struct ptx_var *b) {
    if (!a || !b) return a ? a : b;
    return a == b ? a : &OTHER;
}

static const struct ptx_var *result_of(const struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *o = insn->operand;
    switch ((enum ptx_opcode)insn->op) {
    case PTX_MOV:
    case PTX_CVT:
    case PTX_CVTA: return pointee(d, &o[1]);
    case PTX_ADD:
    case PTX_OR: return sum(pointee(d, &o[1]), pointee(d, &o[2]));
    case PTX_SUB: return pointee(d, &o[2]) == &OTHER ? pointee(d, &o[1]) : &OTHER;
    case PTX_MAD: return pointee(d, &o[3]);
    case PTX_SELP: return either(pointee(d, &o[1]), pointee(d, &o[2]));
    default: return &OTHER;
    }
}

/* What a register gets beside what it had. True: that is new. */
static bool point(struct decoder *d, int32_t reg, const struct ptx_var *to) {
    if (reg < 0) return false;
    const struct ptx_var *before = d->pointees[reg], *now = either(before, to);
    d->pointees[reg] = now;
    return now != before;
}

static bool bounds_follow(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *o = insn->operand;
    bool changed = false;
    if (insn->op == PTX_UNSUPPORTED || !ptx_destinations(insn)) return false;
    if (o->kind == PTX_OPERAND_REG) changed = point(d, o->reg, result_of(d, insn));
    if (o->kind == PTX_OPERAND_REG) changed |= point(d, o->reg2, &OTHER);
    for (int i = 0; i < o->nvec; i++) changed |= point(d, o->vec[i], &OTHER);
    return changed;
}

/* Pointees only go from not known to a variable to OTHER, so the loop ends. */
static void find_pointees(struct decoder *d) {
    d->pointees = kernel_alloc(d, ((size_t)d->function->nregs + 1) * sizeof *d->pointees);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < d->function->ninsns; i++)
            changed |= bounds_follow(d, &d->function->insns[i]);
    }
}

const struct ptx_var *check_variable(struct decoder *d, const struct ptx_operand *address) {
    if (!d->pointees) find_pointees(d);
    const struct ptx_var *var = address->reg >= 0 ? d->pointees[address->reg]
                                : address->var_space == PTX_SHARED && address->var >= 0
                                    ? operand_variable(d, address)
                                    : NULL;
    return var && var->size ? var : NULL;
}

bool check_local_bounds(struct warp *w, const struct op *op, uint32_t l, uint32_t offset) {
    const struct ptx_var *var;
    uint32_t at = w->frame->local_base + site_variable(op->check.site, &var);
    uint32_t bytes = (uint32_t)op->size * op->vector;
    if (!var || var->space != PTX_LOCAL) return true;
    if (offset >= at && offset + bytes <= at + var->size) return true;
    struct check_request r = {
        .w = w, .op = op, .site = op->check.site, .flags = op->check.access, .bytes = bytes};
    r.address[l] = offset;
    report_bounds(&r, l);
    return false;
}

void check_bounds(struct check_request *r) {
    const struct ptx_var *var;
    uint32_t from = site_variable(r->site, &var);
    if (!var || var->space != PTX_SHARED) return;
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest);
        if (r->offset[l] >= from && r->offset[l] + r->bytes <= from + var->size) continue;
        report_bounds(r, l);
        r->mask &= ~(1u << l);
    }
}
