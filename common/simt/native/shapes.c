/* native/shapes.c: the code of one operation. Results are computed for all lanes: what lanes that do not run get is not
 * stored. */
#include "shapes.h"
#include "special.h"

static const struct encoding move = {1, 0, 0x28}, choose = {2, 1, 0x64}, test_none = {2, 2, 0x27}, and = {1, 1, 0xDB},
                             add = {1, 1, 0xFE}, ternary = {3, 1, 0x25}, multiply = {1, 0, 0x59},
                             compare_floats = {1, 0, 0xC2};
enum { LOW = 6, HIGH = 7, OTHER = 5, GREATER = 0x1E };

bool writes_predicate(const struct recipe *recipe) {
    return recipe->shape == SHAPE_COMPARE || recipe->shape == SHAPE_COMPARE_FLOAT;
}

/* vcmpps and vpcmpd name comparisons by these numbers. */
static int comparison_of(const struct recipe *recipe) {
    static const uint8_t of_floats[] = {
        [PTX_EQ] = 0x00,  [PTX_NE] = 0x0C,  [PTX_LT] = 0x11,  [PTX_LE] = 0x12,  [PTX_GT] = 0x1E,
        [PTX_GE] = 0x1D,  [PTX_EQU] = 0x08, [PTX_NEU] = 0x04, [PTX_LTU] = 0x19, [PTX_LEU] = 0x1A,
        [PTX_GTU] = 0x16, [PTX_GEU] = 0x15, [PTX_NUM] = 0x07, [PTX_NAN] = 0x03};
    if (recipe->shape == SHAPE_COMPARE_FLOAT) return of_floats[recipe->cmp];
    switch ((enum ptx_cmp)recipe->cmp) {
    case PTX_EQ: return 0;
    case PTX_NE: return 4;
    case PTX_LT:
    case PTX_LO: return 1;
    case PTX_LE:
    case PTX_LS: return 2;
    case PTX_GT:
    case PTX_HI_CMP: return 6;
    default: return 5;
    }
}

/* Subnormal lanes of register z become zeros of their sign, in register d. */
static void flush(struct run *run, int d, int z) {
    emit_vector(run->code, test_none, LOW, z, emit_constant(run->code, EXPONENT_BITS), 0, NO_IMMEDIATE);
    if (d != z) emit_vector(run->code, move, d, 0, VECTOR(z), 0, NO_IMMEDIATE);
    emit_vector(run->code, and, d, z, emit_constant(run->code, SIGN_BIT), LOW, NO_IMMEDIATE);
}

/* A half of a predicate, inverted if flip is set, in mask register k. */
static void load_predicate(struct run *run, int k, uint32_t ref, uint32_t flip, int half) {
    struct place place = row_place(run, ref, 2 * half);
    emit_load_mask(run->code, k, place.number, place.offset);
    if (flip) emit_mask(run->code, MASK_NOT, k, 0, k);
}

/* Predicate d = comparison boolop c, in the lanes that run. */
static void compare(struct run *run, const struct recipe *recipe, const struct op *op) {
    static const enum mask_operation combine[] = {
        [PTX_BOOL_AND] = MASK_AND, [PTX_BOOL_OR] = MASK_OR, [PTX_BOOL_XOR] = MASK_XOR};
    struct code_buffer *code = run->code;
    bool is_float = recipe->shape == SHAPE_COMPARE_FLOAT;
    int a = is_float ? row_loose(run, op->a) : row_of(run, op->a);
    int b = is_float ? row_loose(run, op->b) : row_of(run, op->b);
    for (int half = 0; half < 2; half++) {
        int d = LOW + half;
        emit_vector(code, recipe->code, d, 2 * a + half, VECTOR(2 * b + half), 0, comparison_of(recipe));
        if (!op->boolop) continue;
        load_predicate(run, OTHER, op->c, op->c_flip, half);
        emit_mask(code, combine[op->boolop], d, d, OTHER);
    }
    struct place to = row_place(run, REF(ROWS_REGS, op->d), 0);
    if (!run->is_masked) {
        emit_store_masks(code, LOW, HIGH, to.number, to.offset);
        return;
    }
    /* Other lanes keep their bit: ((result ^ old) & active) ^ old. */
    emit_join_masks(code, RAX, LOW, HIGH);
    emit_load(code, RCX, to.number, to.offset);
    emit_load(code, RDX, run->warp, (int32_t)offsetof(struct warp, active));
    EMIT(code, 0x31, 0xC8, 0x21, 0xD0, 0x31, 0xC8);
    emit_store_word(code, RAX, to.number, to.offset);
}

/* The row of a register: decode/operand.c has the layout. */
static uint32_t row_of_register(const struct code *code, int32_t reg) {
    const struct ptx_reg *r = &code->function->regs[reg];
    uint32_t slot = (uint32_t)r->slot;
    if (r->type == PTX_PRED) return REF(ROWS_REGS, PRED_FIRST_OFFSET + 4 * slot);
    return REF(ROWS_REGS, ptx_type_size(r->type) == 8 ? code->rows64 + ROW64 * slot : code->rows32 + ROW32 * slot);
}

/* The rows that op is the last to read: those of its instruction, if it is the last of its operations. */
static int unread_rows(const struct run *run, const struct op *op, uint32_t rows[PTX_MAX_DYING]) {
    int32_t registers[PTX_MAX_DYING];
    bool is_last = op + 1 == run->of->ops + run->of->nops || op[1].insn != op->insn;
    int n = is_last ? ptx_dying(op->insn, registers) : 0;
    for (int i = 0; i < n; i++) rows[i] = row_of_register(run->of, registers[i]);
    return n;
}

void forget_unread(struct run *run, const struct op *op) {
    uint32_t rows[PTX_MAX_DYING];
    int n = unread_rows(run, op, rows);
    for (int i = 0; i < n; i++) row_forget(run, rows[i]);
}

static bool is_guarded(const struct op *op) {
    return op->guard != PRED_TRUE_OFFSET || op->guard_flip;
}

/* Is op the last to read the row, or does its result replace it? */
static bool reads_last(const struct run *run, const struct op *op, uint32_t ref) {
    uint32_t rows[PTX_MAX_DYING];
    int n = is_guarded(op) ? 0 : unread_rows(run, op, rows);
    for (int i = 0; i < n; i++)
        if (rows[i] == ref) return true;
    return !is_guarded(op) && ref == REF(ROWS_REGS, op->d);
}

/* The copy of c is the sum. */
static int compute_float(struct run *run, const struct recipe *recipe, const struct op *op) {
    bool sums = recipe->shape == SHAPE_FMA;
    int a = row_loose(run, op->a);
    struct place b = row_last(run, op->b);
    int d = sums ? row_copy(run, op->c, reads_last(run, op, op->c)) : row_new(run);
    emit_both(run, recipe->code, d, a, b, 0, NO_IMMEDIATE);
    return d;
}

/* The same with .ftz. */
static int compute_flushed(struct run *run, const struct recipe *recipe, const struct op *op) {
    bool sums = recipe->shape == SHAPE_FMA_FTZ;
    int a = row_loose(run, op->a), b = row_loose(run, op->b), c = sums ? row_loose(run, op->c) : 0, d = row_new(run);
    for (int half = 0; half < 2; half++) {
        int zd = 2 * d + half;
        flush(run, FIRST_MOMENT, 2 * a + half);
        flush(run, FIRST_MOMENT + 1, 2 * b + half);
        if (sums) flush(run, zd, 2 * c + half);
        emit_vector(run->code, recipe->code, zd, FIRST_MOMENT, VECTOR(FIRST_MOMENT + 1), 0, NO_IMMEDIATE);
        flush(run, zd, zd);
    }
    return d;
}

/* A root or a reciprocal, exactly rounded. */
static int of_one_float(struct run *run, const struct recipe *recipe, const struct op *op) {
    int a = row_loose(run, op->a), d = row_new(run);
    if (recipe->shape == SHAPE_ROOT) {
        emit_both(run, recipe->code, d, NO_PAIR, VECTOR(a), 0, NO_IMMEDIATE);
        return d;
    }
    for (int half = 0; half < 2; half++) emit_spread(run->code, 2 * d + half, 0x3F800000);
    emit_both(run, recipe->code, d, d, VECTOR(a), 0, NO_IMMEDIATE);
    return d;
}

/* In the subroutine's registers. */
static int special(struct run *run, const struct recipe *recipe, const struct op *op) {
    enum { PAIR = SPECIAL_REGISTER / 2 };
    bool flushes = recipe->shape == SHAPE_SPECIAL_FTZ;
    int a = row_loose(run, op->a);
    if (reads_last(run, op, op->a)) row_forget(run, op->a);
    rows_leave(run, SPECIAL_REGISTER);
    for (int half = 0; half < 2; half++) {
        if (flushes)
            flush(run, 2 * PAIR + half, 2 * a + half);
        else if (a != PAIR)
            emit_vector(run->code, move, 2 * PAIR + half, 0, VECTOR(2 * a + half), 0, NO_IMMEDIATE);
    }
    emit_call_to(run->code, run->subroutines->special[recipe->code.opcode]);
    for (int half = 0; half < 2 && flushes; half++) flush(run, 2 * PAIR + half, 2 * PAIR + half);
    return PAIR;
}

/* div.approx: special_quotient() of exec/special.h. The unit's reciprocal of a divisor above 2^126 is 0. */
static int quotient(struct run *run, const struct recipe *recipe, const struct op *op) {
    enum { PAIR = SPECIAL_REGISTER / 2, DIVIDEND = FIRST_MOMENT, SIZE = FIRST_MOMENT + 1 };
    bool flushes = recipe->shape == SHAPE_QUOTIENT_FTZ;
    struct place exponent = emit_constant(run->code, EXPONENT_BITS), up = emit_constant(run->code, 0x4B800000);
    struct place zero = emit_constant(run->code, 0);
    rows_leave(run, SPECIAL_REGISTER);
    int a = row_loose(run, op->a), b = row_loose(run, op->b);
    for (int half = 0; half < 2; half++) {
        int x = 2 * PAIR + half, zb = 2 * b + half;
        emit_vector(run->code, test_none, LOW, zb, exponent, 0, NO_IMMEDIATE);
        emit_vector(run->code, move, x, 0, VECTOR(zb), 0, NO_IMMEDIATE);
        emit_vector(run->code, multiply, x, zb, flushes ? zero : up, LOW, NO_IMMEDIATE);
    }
    emit_call_to(run->code, run->subroutines->special[SPECIAL_RECIPROCAL]);
    for (int half = 0; half < 2; half++) {
        int x = 2 * PAIR + half, za = 2 * a + half, zb = 2 * b + half;
        emit_vector(run->code, and, SIZE, zb, emit_constant(run->code, NAN_BITS), 0, NO_IMMEDIATE);
        emit_vector(run->code, compare_floats, LOW, SIZE, emit_constant(run->code, 0x7E800000), 0, GREATER);
        emit_vector(run->code, and, x, x, emit_constant(run->code, SIGN_BIT), LOW, NO_IMMEDIATE);
        if (flushes)
            flush(run, DIVIDEND, za);
        else
            emit_vector(run->code, move, DIVIDEND, 0, VECTOR(za), 0, NO_IMMEDIATE);
        emit_vector(run->code, test_none, LOW, zb, exponent, 0, NO_IMMEDIATE);
        emit_vector(run->code, multiply, DIVIDEND, DIVIDEND, up, LOW, NO_IMMEDIATE);
        emit_vector(run->code, multiply, x, DIVIDEND, VECTOR(x), 0, NO_IMMEDIATE);
        if (flushes) flush(run, x, x);
    }
    return PAIR;
}

static int select(struct run *run, const struct op *op) {
    int a = row_of(run, op->a), b = row_of(run, op->b), d = row_new(run);
    for (int half = 0; half < 2; half++) load_predicate(run, LOW + half, op->c, op->c_flip, half);
    emit_both(run, choose, d, b, VECTOR(a), LOW, NO_IMMEDIATE);
    return d;
}

/* Bits and integers. */
static int compute_bits(struct run *run, const struct recipe *recipe, const struct op *op) {
    int a = row_of(run, op->a), b, c, d;
    switch ((enum shape)recipe->shape) {
    case SHAPE_NEGATE:
        d = row_new(run), emit_both(run, recipe->code, d, a, emit_constant(run->code, SIGN_BIT), 0, NO_IMMEDIATE);
        break;
    case SHAPE_ABSOLUTE:
        d = row_new(run), emit_both(run, recipe->code, d, a, emit_constant(run->code, NAN_BITS), 0, NO_IMMEDIATE);
        break;
    case SHAPE_UNARY: d = row_new(run), emit_both(run, recipe->code, d, NO_PAIR, VECTOR(a), 0, NO_IMMEDIATE); break;
    case SHAPE_NOT: d = row_new(run), emit_both(run, ternary, d, a, VECTOR(a), 0, 0x33); break;
    case SHAPE_LOGIC:
        b = row_of(run, op->b), c = row_of(run, op->c), d = row_new(run);
        emit_both(run, move, d, NO_PAIR, VECTOR(a), 0, NO_IMMEDIATE);
        emit_both(run, ternary, d, b, VECTOR(c), 0, op->truth_table);
        break;
    case SHAPE_MAD:
        b = row_of(run, op->b), c = row_of(run, op->c), d = row_new(run);
        emit_both(run, recipe->code, d, a, VECTOR(b), 0, NO_IMMEDIATE);
        emit_both(run, add, d, d, VECTOR(c), 0, NO_IMMEDIATE);
        break;
    default: b = row_of(run, op->b), d = row_new(run); emit_both(run, recipe->code, d, a, VECTOR(b), 0, NO_IMMEDIATE);
    }
    return d;
}

static int compute(struct run *run, const struct recipe *recipe, const struct op *op, bool *is_loose) {
    *is_loose = false;
    if (recipe->shape >= SHAPE_FLOAT && recipe->shape <= SHAPE_FMA_FTZ) {
        *is_loose = true;
        if (recipe->shape == SHAPE_FLOAT_FTZ || recipe->shape == SHAPE_FMA_FTZ) return compute_flushed(run, recipe, op);
        return compute_float(run, recipe, op);
    }
    if (recipe->shape == SHAPE_ROOT || recipe->shape == SHAPE_RECIPROCAL) {
        *is_loose = true;
        return of_one_float(run, recipe, op);
    }
    if (recipe->shape == SHAPE_SPECIAL || recipe->shape == SHAPE_SPECIAL_FTZ) {
        *is_loose = true;
        return special(run, recipe, op);
    }
    if (recipe->shape == SHAPE_QUOTIENT || recipe->shape == SHAPE_QUOTIENT_FTZ) {
        *is_loose = true;
        return quotient(run, recipe, op);
    }
    if (recipe->shape == SHAPE_SELECT) return select(run, op);
    if (recipe->shape != SHAPE_MOVE) return compute_bits(run, recipe, op);
    *is_loose = row_is_loose(run, op->a);
    int a = row_loose(run, op->a), d = row_new(run);
    emit_both(run, move, d, NO_PAIR, VECTOR(a), 0, NO_IMMEDIATE);
    return d;
}

/* Under a guard, other lanes keep what they have, bit by bit. */
static int guarded(struct run *run, const struct op *op, int result, bool *is_loose) {
    if (!is_guarded(op)) return result;
    int d = row_of(run, REF(ROWS_REGS, op->d));
    if (*is_loose) make_exact(run, result);
    *is_loose = false;
    for (int half = 0; half < 2; half++)
        load_predicate(run, LOW + half, REF(ROWS_REGS, op->guard), op->guard_flip, half);
    emit_both(run, move, d, NO_PAIR, VECTOR(result), LOW, NO_IMMEDIATE);
    return d;
}

void translate_op(struct run *run, const struct recipe *recipe, const struct op *op) {
    bool is_loose;
    if (writes_predicate(recipe)) {
        compare(run, recipe, op);
        forget_unread(run, op);
        return;
    }
    int d = compute(run, recipe, op, &is_loose);
    d = guarded(run, op, d, &is_loose);
    forget_unread(run, op);
    row_set(run, REF(ROWS_REGS, op->d), d, is_loose);
}
