/*
 * ptx/parse_wmma.c: makes of wmma what ptxas makes of it. wmma.mma becomes one to four
 * mma; wmma.load and wmma.store become loads and stores of each lane, which count and take time as
 * such. Where a matrix lies in the other order, elements of 16 bits are turned by movmatrix,
 * elements of 8 bits loaded one by one.
 *
 *   wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {a0 .. a7}, [p], ld
 *
 *   mov.u32 lane, %laneid      shr.u32 g, lane, 2       and.b32 t, lane, 3
 *   shl.b32 y, t, 1            mad.lo.u32 i, g, ld, y   mad.wide.u32 base, i, 2, p
 *   shl.b32 line, ld, 1        mad.wide.u32 base8, line, 8, base
 *   ld.global.b32 a0, [base]   ld.global.b32 a1, [base8]   ...   mov.b32 a4, a0   ...
 */
#include "expansion.h"

#include <string.h>

/* ---- Addresses ---- */

/* A pointer plus a * b bytes. */
static int32_t add_product(const struct expansion *x, int32_t a, uint64_t b, int32_t pointer) {
    struct ptx_operand c = of_register(pointer);
    return expansion_compute(x, PTX_MAD, PTX_U32, x->wide, of_register(a), of_constant(b), &c);
}

static int32_t times(const struct expansion *x, int32_t reg, unsigned factor) {
    if (factor == 1) return reg;
    return expansion_compute(x, PTX_SHL, PTX_B32, false, of_register(reg),
                             of_constant((unsigned)__builtin_ctz(factor)), NULL);
}

/* How the lane's first element lies in memory: lines times the stride, and elements in the line.
 * Lane 4 g + t. */
struct lane_place {
    bool line_is_g;
    unsigned line_factor, within_factor; /* of g or t, of the other */
};

static struct lane_place lane_place(const struct wmma_tile *tile) {
    unsigned elements = tile->bits >= 32 ? 1 : 32 / tile->bits;
    unsigned along = tile->fragment == PTX_FRAGMENT_C ? 2 : elements;
    if (tile->along_lines) return (struct lane_place){true, 1, along};
    if (tile->bits == 16) return (struct lane_place){true, 1, 2}; /* movmatrix turns it */
    return (struct lane_place){false, along, 1};
}

static void make_base(struct expansion *x) {
    struct lane_place place = lane_place(&x->tile);
    struct ptx_operand sreg = of_register(-1);
    int32_t lane = expansion_register(x, PTX_U32);
    sreg.kind = PTX_OPERAND_SREG;
    sreg.sreg = PTX_SREG_LANEID;
    expansion_move(x, PTX_U32, lane, sreg);
    int32_t g =
        expansion_compute(x, PTX_SHR, PTX_U32, false, of_register(lane), of_constant(2), NULL);
    int32_t t =
        expansion_compute(x, PTX_AND, PTX_B32, false, of_register(lane), of_constant(3), NULL);
    int32_t line = times(x, place.line_is_g ? g : t, place.line_factor);
    int32_t within = times(x, place.line_is_g ? t : g, place.within_factor);
    if (x->tile.bits >= 8) {
        struct ptx_operand c = of_register(within);
        int32_t index =
            expansion_compute(x, PTX_MAD, PTX_U32, false, of_register(line), x->stride, &c);
        x->base = add_product(x, index, x->tile.bits / 8, x->pointer);
        return;
    }
    struct ptx_operand c = of_register(within); /* in elements of less than a byte */
    int32_t index = expansion_compute(x, PTX_MAD, PTX_U32, false, of_register(line), x->stride, &c);
    unsigned shift = (unsigned)__builtin_ctz(8 / x->tile.bits);
    int32_t bytes =
        expansion_compute(x, PTX_SHR, PTX_U32, false, of_register(index), of_constant(shift), NULL);
    x->base = add_product(x, bytes, 1, x->pointer);
}

/* The address of the lane's element that is so many lines and elements from its first. */
static struct ptx_operand element_at(struct expansion *x, int line, int within) {
    int64_t bytes = (int64_t)within * x->tile.bits / 8 + x->offset;
    if (line == 0) return of_memory(x->base, bytes);
    if (x->stride.kind == PTX_OPERAND_IMM)
        return of_memory(x->base,
                         bytes + (int64_t)line * (int64_t)x->stride.bits * x->tile.bits / 8);
    if (x->line_bytes < 0) x->line_bytes = times(x, x->stride.reg, x->tile.bits / 8);
    if (x->lines[line] < 0) x->lines[line] = add_product(x, x->line_bytes, (uint64_t)line, x->base);
    return of_memory(x->lines[line], bytes);
}

/* ---- Loads and stores ---- */

static struct ptx_insn access(const struct expansion *x, bool store, enum ptx_type type, int n) {
    struct ptx_insn insn = expansion_part(x, store ? PTX_ST : PTX_LD, type);
    insn.space = x->insn.space;
    insn.vector = (uint8_t)n;
    return insn;
}

static void parse_wmma_load(const struct expansion *x, enum ptx_type type, int n,
                            const int32_t *regs, struct ptx_operand address) {
    struct ptx_insn insn = access(x, false, type, n);
    struct ptx_operand at[] = {expansion_registers(x, 0, n, regs), address};
    expansion_append(x, &insn, 2, at);
}

static void parse_wmma_store(const struct expansion *x, enum ptx_type type, int n,
                             const int32_t *regs, struct ptx_operand address) {
    struct ptx_insn insn = access(x, true, type, n);
    struct ptx_operand at[] = {address, expansion_registers(x, 1, n, regs)};
    expansion_append(x, &insn, 2, at);
}

static void turn(const struct expansion *x, int32_t to, int32_t from) {
    struct ptx_insn insn = expansion_part(x, PTX_MOVMATRIX, PTX_B16);
    insn.shape = PTX_M8N8;
    insn.trans = true;
    insn.sync = true;
    struct ptx_operand at[] = {of_register(to), of_register(from)};
    expansion_append(x, &insn, 2, at);
}

/* Four bytes from four lines. */
static void load_bytes(struct expansion *x, int32_t to, struct wmma_place place) {
    int32_t byte[4];
    for (int s = 0; s < 4; s++) {
        byte[s] = expansion_register(x, PTX_U32);
        struct ptx_operand address = element_at(x, place.along + s, place.line);
        parse_wmma_load(x, PTX_U8, 1, &byte[s], address);
    }
    const uint64_t LOWEST_TWO = 0x0040, LOWER_HALVES = 0x5410;
    struct ptx_operand pick = of_constant(LOWEST_TWO);
    int32_t low = expansion_compute(x, PTX_PRMT, PTX_B32, false, of_register(byte[0]),
                                    of_register(byte[1]), &pick);
    int32_t high = expansion_compute(x, PTX_PRMT, PTX_B32, false, of_register(byte[2]),
                                     of_register(byte[3]), &pick);
    struct ptx_insn insn = expansion_part(x, PTX_PRMT, PTX_B32);
    struct ptx_operand at[] = {of_register(to), of_register(low), of_register(high),
                               of_constant(LOWER_HALVES)};
    expansion_append(x, &insn, 4, at);
}

/* Move the register, or a pair that lies side by side, between the fragment and memory. Returns how
 * many registers. */
static int move_registers(struct expansion *x, bool stores, const int32_t *regs, int i) {
    struct wmma_place place = wmma_place(&x->tile, x->insn.shape, i);
    enum ptx_type type = x->tile.bits == 64 ? PTX_B64 : PTX_B32;
    void (*one)(const struct expansion *, enum ptx_type, int, const int32_t *, struct ptx_operand) =
        stores ? parse_wmma_store : parse_wmma_load;
    if (x->tile.along_lines) {
        int n = x->tile.fragment == PTX_FRAGMENT_C && x->tile.bits >= 32 ? 2 : 1;
        one(x, type, n, regs + i, element_at(x, place.line, place.along));
        return n;
    }
    struct ptx_operand address = of_constant(0);
    if (x->tile.bits == 8) {
        load_bytes(x, regs[i], place);
    } else if (x->tile.bits == 16) {
        int32_t turned = expansion_register(x, PTX_B32);
        address = element_at(x, place.along, place.line);
        if (stores) turn(x, turned, regs[i]);
        one(x, type, 1, &turned, address);
        if (!stores) turn(x, regs[i], turned);
    } else {
        address = element_at(x, place.along, place.line);
        one(x, type, 1, regs + i, address);
    }
    return 1;
}

static void expand_move(struct expansion *x, bool stores, const int32_t *regs) {
    make_base(x);
    for (int i = 0; i < x->tile.different;) i += move_registers(x, stores, regs, i);
    for (int i = x->tile.different; i < x->tile.registers; i++)
        expansion_move(x, PTX_B32, regs[i], of_register(regs[i % x->tile.different]));
}

/* ---- The instruction ---- */

/* The registers of an operand. A constant, or what is not wanted, gets a register. */
static void take_registers(const struct expansion *x, const struct ptx_operand *o,
                           const int32_t *vec, const uint64_t *bits, int32_t *regs) {
    enum ptx_type type = x->insn.type == PTX_F64 ? PTX_F64 : PTX_B32;
    if (o->kind != PTX_OPERAND_VECTOR) regs[0] = o->reg;
    for (int i = 0; i < o->nvec; i++) {
        regs[i] = vec[i];
        if (regs[i] >= 0 && !(o->vec_is_imm >> i & 1)) continue;
        regs[i] = expansion_register(x, type);
        if (o->vec_is_imm >> i & 1) expansion_move(x, type, regs[i], of_constant(bits[i]));
    }
}

/* The matrix begins at the operand's address; a variable's is moved to a register. */
static void take_address(struct expansion *x, const struct ptx_operand *memory) {
    x->offset = memory->offset;
    x->pointer = memory->reg;
    if (memory->reg < 0) {
        struct ptx_operand from = *memory;
        from.kind = memory->var >= 0 ? PTX_OPERAND_VARIABLE : PTX_OPERAND_IMM;
        from.bits = 0;
        from.offset = 0;
        x->pointer = expansion_register(x, PTX_B64);
        expansion_move(x, PTX_B64, x->pointer, from);
    }
    x->wide = ptx_type_size(x->parser->regs.items[x->pointer].type) == 8;
}

/* Without a stride, lines follow each other. */
static struct ptx_operand packed_stride(const struct ptx_insn *insn) {
    struct ptx_dims d = ptx_shape_dims(insn->shape);
    bool row = insn->layout == PTX_ROW;
    unsigned elements = insn->op == PTX_WMMA_LOAD_A   ? (row ? d.k : d.m)
                        : insn->op == PTX_WMMA_LOAD_B ? (row ? d.n : d.k)
                                                      : (row ? d.n : d.m);
    return of_constant(elements);
}

void expand_wmma(struct parser *parser, const struct ptx_insn *insn) {
    struct expansion x = {.parser = parser, .insn = *insn, .line_bytes = -1};
    struct operands saved = *parser->operands;
    memset(x.lines, -1, sizeof x.lines);
    if (insn->op == PTX_WMMA_MMA) {
        struct fragments f;
        x.insn = wmma_with_types(insn);
        for (int k = 0; k < 4; k++)
            take_registers(&x, &saved.at[k], saved.vec[k], saved.vec_bits[k], f.regs[k]);
        expand_product(&x, &f);
        return;
    }
    bool stores = insn->op == PTX_WMMA_STORE;
    int value = stores ? 1 : 0, address = stores ? 0 : 1;
    int32_t regs[PTX_MAX_VECTOR];
    x.tile = wmma_moved_tile(insn);
    take_registers(&x, &saved.at[value], saved.vec[value], saved.vec_bits[value], regs);
    take_address(&x, &saved.at[address]);
    x.stride = saved.n > 2 ? saved.at[2] : packed_stride(insn);
    expand_move(&x, stores, regs);
}
