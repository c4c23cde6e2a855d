/*
 * decode/compute.c: arithmetic, logic, comparisons, conversions, moves.
 *
 * Most instructions have a handler in the tables of the room exec (struct rule), found by opcode,
 * type and form. What does not fit those tables is decoded by a function below.
 */
#include "decode.h"

#include <string.h>

/* ---- Finding the handler ---- */

/* The type whose handlers serve where a type has none. The sign does not matter to add, nor the
 * format to slct: S32 -> U32 -> B32. Each step keeps the width. */
static enum ptx_type more_general_type(enum ptx_type type) {
    switch (type) {
    case PTX_S8: return PTX_U8;
    case PTX_S16: return PTX_U16;
    case PTX_S32: return PTX_U32;
    case PTX_S64: return PTX_U64;
    case PTX_U16: return PTX_B16;
    case PTX_U32: return PTX_B32;
    case PTX_U64: return PTX_B64;
    case PTX_F32: return PTX_B32;
    case PTX_F64: return PTX_B64;
    default: return PTX_TYPE_NONE;
    }
}

static enum ptx_type unsigned_of_bits(enum ptx_type type) {
    switch (type) {
    case PTX_B16: return PTX_U16;
    case PTX_B32: return PTX_U32;
    case PTX_B64: return PTX_U64;
    default: return PTX_TYPE_NONE;
    }
}

/* The handler for exactly this type and form. A rule without a second type takes any. The search is
 * linear: it runs once for each instruction of a kernel, not when the kernel runs. */
static handler *rule_for(const struct isa *isa, uint16_t op, uint8_t type, uint8_t type2,
                         uint16_t form) {
    for (const struct rule *const *list = isa->rules; *list; list++)
        for (const struct rule *rule = *list; rule->run; rule++)
            if (rule->op == op && rule->type == type && rule->form == form &&
                (rule->type2 == PTX_TYPE_NONE || rule->type2 == type2))
                return rule->run;
    return NULL;
}

/* The best handler for a type, or one that serves it. Untyped bits (.b32) take the unsigned handler
 * first. */
static handler *find_rule(const struct isa *isa, uint16_t op, enum ptx_type type, uint8_t type2,
                          uint16_t form) {
    handler *run = rule_for(isa, op, unsigned_of_bits(type), type2, form);
    for (; !run && type != PTX_TYPE_NONE; type = more_general_type(type))
        run = rule_for(isa, op, type, type2, form);
    return run;
}

static bool is_half(enum ptx_type type) {
    return type >= PTX_F16 && type <= PTX_BF16X2;
}
static bool is_float_type(enum ptx_type type) {
    return type >= PTX_F16;
}
/* Rounding other than to nearest even. The processor must be switched for it: exec/round.c. */
static bool is_directed(uint8_t round) {
    return round == PTX_RZ || round == PTX_RM || round == PTX_RP;
}

/* The suffixes that choose among the handlers of one opcode and type. .sat of a float is an
 * operation after the first (emit_saturate). dp2a.hi is a field of the operation. */
static uint16_t form_of(const struct ptx_insn *insn) {
    uint16_t form = FORM_PLAIN;
    if (insn->hi && insn->op != PTX_DP2A) form |= FORM_HI;
    if (insn->wide) form |= insn->op == PTX_BFIND ? FORM_SHIFTAMT : FORM_WIDE;
    if (insn->ftz) form |= FORM_FTZ;
    if (insn->sat && !is_float_type(insn->type)) form |= FORM_SAT;
    if (insn->nan) form |= FORM_NAN;
    if (insn->xorsign) form |= FORM_XORSIGN;
    if (insn->minus)
        form |= insn->minus == PTX_MINUS_PRODUCT ? FORM_MINUS_PRODUCT : FORM_MINUS_ADDEND;
    if (insn->op == PTX_SHF && insn->sub == PTX_SHF_R) form |= FORM_RIGHT;
    bool also_exact = insn->op == PTX_RCP || insn->op == PTX_SQRT || insn->op == PTX_DIV;
    if (insn->approx && also_exact) form |= FORM_APPROX;
    if (insn->full) form |= FORM_FULL;
    if (insn->wrap) form |= FORM_WRAP;
    if (insn->relu && (insn->type == PTX_S32 || insn->type == PTX_S16X2)) form |= FORM_RELU;
    bool differs = insn->op == PTX_VABSDIFF2 || insn->op == PTX_VABSDIFF4;
    if (differs && insn->sub == PTX_ATOM_ADD) form |= FORM_ACCUMULATE;
    return form;
}

/* add.cc, addc and the like read or write the carry flags: PTX ISA, "Extended-Precision Integer
 * Arithmetic Instructions". */
static bool is_carry_form(const struct ptx_insn *insn) {
    return insn->cc || insn->op == PTX_ADDC || insn->op == PTX_SUBC || insn->op == PTX_MADC;
}

/* ---- Emitting ---- */

/* Operand 0 is the destination, operands 1 to 3 are the sources. Those that PTX leaves out are rows
 * of zeros. */
static void set_operands(struct decoder *d, struct op *op, const struct ptx_insn *insn) {
    op->d = destination(d, &insn->operand[0]);
    op->a = source(d, insn, 1);
    op->b = source(d, insn, 2);
    op->c = source(d, insn, 3);
    op->type = insn->type;
    if (insn->ftz) op->flags |= OP_FTZ;
}

/* .sat of floats: a second operation, which clamps the result in place to [0, 1]. */
static void emit_saturate(struct decoder *d, const struct ptx_insn *insn) {
    if (!insn->sat || (insn->type != PTX_F32 && insn->type != PTX_F64)) return;
    struct op *op =
        emit(d, insn->type == PTX_F32 ? d->handlers.saturate_f32 : d->handlers.saturate_f64, insn);
    op->d = destination(d, &insn->operand[0]);
    op->a = REF(ROWS_REGS, op->d);
}

/*
 * addc, subc, madc and the .cc forms. One handler serves all forms of an addition:
 *
 *               carry_in   carry_out
 *   add.cc      0          1
 *   addc        1          0
 *   addc.cc     1          1
 */
static void emit_carry(struct decoder *d, const struct ptx_insn *insn) {
    uint16_t base = insn->op == PTX_ADDC   ? PTX_ADD
                    : insn->op == PTX_SUBC ? PTX_SUB
                    : insn->op == PTX_MADC ? PTX_MAD
                                           : insn->op;
    handler *run =
        find_rule(d->isa, base, insn->type, 0, FORM_CARRY_OUT | (insn->hi ? FORM_HI : 0));
    if (!run) {
        emit_unsupported(d, insn);
        return;
    }
    struct op *op = emit(d, run, insn);
    set_operands(d, op, insn);
    op->math.carry_out = insn->cc;
    op->math.carry_in = base != insn->op;
}

/* Arithmetic of floats with .rz, .rm or .rp. */
static void emit_rounded(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op =
        emit(d, insn->type == PTX_F32 ? d->handlers.round_f32 : d->handlers.round_f64, insn);
    set_operands(d, op, insn);
    emit_saturate(d, insn);
}

/* Half precision: one handler for all opcodes. */
static void emit_half(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, d->handlers.half_any, insn);
    set_operands(d, op, insn);
}

/* The common case. An instruction with .ftz whose opcode and type have no such handler runs the
 * plain one. */
static void emit_by_rule(struct decoder *d, const struct ptx_insn *insn) {
    handler *run = find_rule(d->isa, insn->op, insn->type, insn->type2, form_of(insn));
    if (!run && insn->ftz)
        run = find_rule(d->isa, insn->op, insn->type, insn->type2,
                        form_of(insn) & (uint16_t)~FORM_FTZ);
    if (!run) {
        emit_unsupported(d, insn);
        return;
    }
    struct op *op = emit(d, run, insn);
    set_operands(d, op, insn);
    if (insn->op == PTX_BFI) op->math.e = source(d, insn, 4);
    emit_saturate(d, insn);
}

/* ---- Instructions that have a function here ---- */

/* A predicate operand. *flip: all ones if it is negated (!p), to be XORed with the mask. */
static uint32_t pred_source(struct decoder *d, const struct ptx_operand *o, uint32_t *flip) {
    *flip = o->kind == PTX_OPERAND_REG && o->neg ? FULL_MASK : 0;
    return source_typed(d, o, PTX_PRED);
}

/* The handler of a comparison. Only single precision has handlers with .ftz. */
static handler *compare_handler(const struct decoder *d, uint8_t cmp, uint8_t type, bool ftz) {
    for (const struct compare_rule *rule = d->isa->compares; rule->run; rule++)
        if (rule->cmp == cmp && rule->type == type && rule->ftz == ftz) return rule->run;
    return NULL;
}

/* The comparison of set or setp on values of type `type`. NULL: there is no handler. The caller
 * sets the destinations. */
static struct op *emit_comparison(struct decoder *d, const struct ptx_insn *insn,
                                  enum ptx_type type) {
    handler *run;
    if (is_half(type))
        run = d->handlers.half_setp;
    else
        run = compare_handler(d, insn->cmp, type, type == PTX_F32 && insn->ftz);
    if (!run) return NULL;
    struct op *op = emit(d, run, insn);
    op->a = source(d, insn, 1);
    op->b = source(d, insn, 2);
    op->type = type;
    if (insn->ftz) op->flags |= OP_FTZ;
    op->compare.boolop = insn->boolop;
    if (insn->boolop) op->c = pred_source(d, &insn->operand[3], &op->c_flip);
    return op;
}

/* setp.CmpOp{.BoolOp} p{|q}, a, b{, c}: q gets the opposite result, combined with c like p. On
 * pairs of halves, p is the lower half's result and q the upper half's. */
bool decode_setp(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit_comparison(d, insn, insn->type);
    if (!op) return false;
    const struct ptx_operand *to = &insn->operand[0];
    op->d = to->kind == PTX_OPERAND_REG && to->reg >= 0 ? destination(d, to) : PRED_SINK_OFFSET;
    if (to->reg2 >= 0) op->d2 = REF_OFFSET(register_row(d, to->reg2));
    return true;
}

/* What set writes for true: 1.0 in a float type, all ones in an integer type. */
static uint64_t true_bits(enum ptx_type type) {
    switch (type) {
    case PTX_F32: return 0x3F800000;
    case PTX_F16: return 0x3C00;
    case PTX_F16X2: return 0x3C003C00;
    case PTX_BF16: return 0x3F80;
    case PTX_BF16X2: return 0x3F803F80;
    case PTX_U16:
    case PTX_S16:
    case PTX_B16: return 0xFFFF;
    default: return 0xFFFFFFFF;
    }
}

/* set.CmpOp{.BoolOp}.dtype.stype d, a, b{, c}. Two operations: the comparison writes the sink
 * predicate, and set_from_pred turns its bits into numbers. They stand side by side, so nothing
 * else writes the sink between them. The comparison of halves writes numbers itself. */
bool decode_set(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit_comparison(d, insn, insn->type2);
    if (!op) return false;
    if (is_half(insn->type2)) {
        op->d = destination(d, &insn->operand[0]);
        op->compare.true_bits = true_bits(insn->type);
        return true;
    }
    op->d = PRED_SINK_OFFSET;
    struct op *write = emit(d, d->handlers.set_from_pred, insn);
    write->a = REF(ROWS_REGS, PRED_SINK_OFFSET);
    write->d = destination(d, &insn->operand[0]);
    write->compare.true_bits = true_bits(insn->type);
    return true;
}

/* selp d, a, b, p: only the width of the type matters. */
bool decode_selp(struct decoder *d, const struct ptx_insn *insn) {
    bool wide = ptx_type_size(insn->type) == 8;
    struct op *op = emit(d, wide ? d->handlers.selp_64 : d->handlers.selp_32, insn);
    op->d = destination(d, &insn->operand[0]);
    op->a = source(d, insn, 1);
    op->b = source(d, insn, 2);
    op->c = pred_source(d, &insn->operand[3], &op->c_flip);
    return true;
}

/* Logic on predicates works on masks of 32 lanes at once. not has one source: b repeats a. */
static bool decode_pred_logic(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, d->handlers.pred_logic, insn);
    uint32_t flip;
    op->d = destination(d, &insn->operand[0]);
    op->a = pred_source(d, &insn->operand[1], &flip);
    op->b = insn->noperands > 2 ? pred_source(d, &insn->operand[2], &flip) : op->a;
    return true;
}

/* lop3 d, a, b, c, table. The form that also writes a predicate (lop3.BoolOp d|p) is not
 * supported. */
bool decode_lop3(struct decoder *d, const struct ptx_insn *insn) {
    if (insn->boolop) return false;
    struct op *op = emit(d, d->handlers.lop3, insn);
    set_operands(d, op, insn);
    op->math.truth_table = (uint8_t)insn->operand[4].bits;
    return true;
}

bool decode_prmt(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, d->handlers.prmt, insn);
    set_operands(d, op, insn);
    op->sub = insn->sub;
    return true;
}

bool decode_testp(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, d->handlers.testp, insn);
    set_operands(d, op, insn);
    op->sub = insn->sub;
    return true;
}

/* ---- cvt ---- */

/* Do the vector loops of exec/cvt.c round as this cvt does? They convert floats to integers towards
 * zero, as a C cast does, and all else to nearest even. */
static bool has_fast_rounding(const struct ptx_insn *insn) {
    if (insn->sat || insn->ftz || insn->relu) return false;
    if (is_float_type(insn->type2) && !is_float_type(insn->type)) return insn->round == PTX_RZI;
    return insn->round == PTX_ROUND_NONE || insn->round == PTX_RN;
}

/* Fast handlers write rows as wide as their type, and read rows as wide as theirs. PTX allows wider
 * registers in cvt: cvt_any extends the result to the register. */
static bool has_plain_rows(const struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *to = &insn->operand[0], *from = &insn->operand[1];
    if (to->kind != PTX_OPERAND_REG || to->reg < 0) return false;
    unsigned width = ptx_type_size(d->function->regs[to->reg].type),
             wanted = ptx_type_size(insn->type);
    if (width != wanted) return false;
    return from->kind != PTX_OPERAND_REG ||
           register_is_wide(d, from->reg) == (ptx_type_size(insn->type2) == 8);
}

/* To and from the formats of tensor cores. NULL: another conversion. PTX has bytes only with
 * .satfinite. */
static handler *small_conversion(const struct decoder *d, const struct ptx_insn *insn) {
    bool to_bytes = insn->type == PTX_E4M3X2 || insn->type == PTX_E5M2X2;
    bool from_bytes = insn->type2 == PTX_E4M3X2 || insn->type2 == PTX_E5M2X2;
    if (to_bytes && insn->type2 == PTX_F32) return d->handlers.cvt_bytes;
    if (to_bytes && insn->type2 == PTX_F16X2) return d->handlers.cvt_halves_to_bytes;
    if (from_bytes && insn->type == PTX_F16X2) return d->handlers.cvt_bytes_to_halves;
    if (insn->type == PTX_TF32 && insn->type2 == PTX_F32) return d->handlers.cvt_tf32;
    return to_bytes || from_bytes || insn->type == PTX_TF32 ? d->handlers.unsupported : NULL;
}

bool decode_cvt(struct decoder *d, const struct ptx_insn *insn) {
    handler *small = small_conversion(d, insn);
    if (small) {
        struct op *op = emit(d, small, insn);
        set_operands(d, op, insn);
        return true;
    }
    if (insn->type == PTX_F16X2 || insn->type == PTX_BF16X2) {
        struct op *op = emit(d, d->handlers.cvt_pair, insn);
        set_operands(d, op, insn);
        return true;
    }
    handler *fast = has_fast_rounding(insn) && has_plain_rows(d, insn)
                        ? rule_for(d->isa, PTX_CVT, insn->type, insn->type2, FORM_PLAIN)
                        : NULL;
    const struct ptx_operand *to = &insn->operand[0], *from = &insn->operand[1];
    struct op *op = emit(d, fast ? fast : d->handlers.cvt_any, insn);
    set_operands(d, op, insn);
    op->a = source_typed(d, from, insn->type2);
    op->size = (uint8_t)(to->kind == PTX_OPERAND_REG && to->reg >= 0
                             ? ptx_type_size(d->function->regs[to->reg].type)
                             : 4);
    bool wide = from->kind == PTX_OPERAND_REG ? register_is_wide(d, from->reg)
                                              : ptx_type_size(insn->type2) == 8;
    if (wide) op->flags |= OP_WIDE;
    return true;
}

/* ---- mov ---- */

/* The handler for so many elements of that size. */
static handler *vector_mov(const struct handlers *handlers, bool packs, unsigned n, unsigned size) {
    bool words = n == 2 && size == 4, halves = n == 2 && size == 2;
    if (packs)
        return words    ? handlers->pack_words
               : halves ? handlers->pack_halves
                        : handlers->pack_vector;
    return words    ? handlers->unpack_words
           : halves ? handlers->unpack_halves
                    : handlers->unpack_vector;
}

/* mov.b64 %rd, {%r1, %r2} packs, mov.b64 {%r1, %r2}, %rd unpacks. Elements narrower than 4 bytes
 * lie in rows of 32-bit lanes. */
static bool decode_vector_mov(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *to = &insn->operand[0], *from = &insn->operand[1];
    bool packs = from->kind == PTX_OPERAND_VECTOR;
    const struct ptx_operand *vector = packs ? from : to;
    unsigned whole = ptx_type_size(insn->type), size = whole / vector->nvec;
    struct op *op = emit(d, vector_mov(&d->handlers, packs, vector->nvec, size), insn);
    op->refs = vector_refs(d, vector, size == 8 ? 8 : 4);
    op->vector = vector->nvec;
    op->size = (uint8_t)size;
    if (packs) {
        op->d = destination(d, to);
        op->a = op->refs[0];
        op->b = op->refs[1];
    } else {
        op->a = source(d, insn, 1);
    }
    return true;
}

/* A move into an alias emits nothing: its readers read the constant row. The width of the register
 * decides, not the type: b32 and f32 move alike. */
bool decode_mov(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *to = &insn->operand[0], *from = &insn->operand[1];
    if (decode_frame_move(d, insn)) return true;
    if (to->kind == PTX_OPERAND_VECTOR || from->kind == PTX_OPERAND_VECTOR)
        return decode_vector_mov(d, insn);
    if (to->kind != PTX_OPERAND_REG || to->reg < 0) return true;
    if (insn->type == PTX_PRED) {
        struct op *op = emit(d, d->handlers.mov_pred, insn);
        op->d = destination(d, to);
        op->a = pred_source(d, from, &op->c_flip);
        return true;
    }
    if (d->alias[to->reg] != NO_ALIAS) return true;
    if (insn->type == PTX_B128) return false;
    bool wide = register_is_wide(d, to->reg);
    bool clock = from->kind == PTX_OPERAND_SREG && ptx_is_clock(from->sreg);
    struct op *op = emit(d,
                         clock  ? d->handlers.clock_read
                         : wide ? d->handlers.mov_64
                                : d->handlers.mov_32,
                         insn);
    op->d = destination(d, to);
    if (clock)
        op->sub = from->sreg;
    else
        op->a = source_typed(d, from, wide ? PTX_U64 : PTX_U32);
    if (wide) op->flags |= OP_WIDE;
    return true;
}

/* The handler that also adds 64 bits to the result of an index times a size: mul.wide, or shl.b64
 * by a constant. NULL: it is something else. */
static handler *fused_product(const struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *by = &insn->operand[2];
    if (insn->pred >= 0) return NULL;
    if (insn->op == PTX_MUL && insn->wide && ptx_type_size(insn->type) == 4)
        return find_rule(d->isa, PTX_MAD, insn->type, 0, FORM_WIDE);
    if (insn->op == PTX_SHL && ptx_type_size(insn->type) == 8 && by->kind == PTX_OPERAND_IMM &&
        by->bits < 64)
        return find_rule(d->isa, PTX_SHL, insn->type, 0, FORM_ACCUMULATE);
    return NULL;
}

/* Make a product and add.u64, which reads its result for the last time, one operation. False: insn
 * is not such an addition. */
static bool fuse_product(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_insn *mul = insn - 1;
    struct op *op = d->code->ops + d->code->nops - 1;
    int32_t dying[PTX_MAX_DYING];
    bool fits = insn->op == PTX_ADD && ptx_type_size(insn->type) == 8 && insn->type <= PTX_S64 &&
                insn->pred < 0 && !d->leads[insn - d->function->insns] && op->insn == mul;
    handler *run = fits && !decode_watch ? fused_product(d, mul) : NULL;
    if (!run) return false;
    const struct ptx_operand *x = &insn->operand[1], *y = &insn->operand[2];
    int32_t product = mul->operand[0].reg;
    bool first = x->kind == PTX_OPERAND_REG && x->reg == product,
         second = y->kind == PTX_OPERAND_REG && y->reg == product, dies = false;
    if (first == second) return false;
    for (int n = ptx_dying(insn, dying); n-- > 0;) dies |= dying[n] == product;
    if (!dies) return false;
    op->run = run;
    op->insn = insn;
    op->c = source(d, insn, second ? 1 : 2);
    op->d = destination(d, &insn->operand[0]);
    op->flags = insn->uniform ? OP_UNIFORM : 0;
    return true;
}

/* Arithmetic, and what else has handlers in the lists of rules. */
bool decode_rule(struct decoder *d, const struct ptx_insn *insn) {
    if (fuse_product(d, insn)) return true;
    if (is_carry_form(insn))
        emit_carry(d, insn);
    else if (is_half(insn->type))
        emit_half(d, insn);
    else if (is_directed(insn->round) && is_float_type(insn->type))
        emit_rounded(d, insn);
    else
        emit_by_rule(d, insn);
    return true;
}

bool decode_logic(struct decoder *d, const struct ptx_insn *insn) {
    return insn->type == PTX_PRED ? decode_pred_logic(d, insn) : decode_rule(d, insn);
}
