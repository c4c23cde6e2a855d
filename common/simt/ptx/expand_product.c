/* ptx/expand_product.c: makes one to four mma of wmma.mma. */
#include "expansion.h"

#include <string.h>

/* Four registers of f32 for the eight f16 of c, or the way back. */
static void emit_widening(const struct expansion *x, int n, const int32_t *halves,
                          int32_t *singles) {
    for (int i = 0; i < n; i++) {
        int32_t parts[] = {expansion_register(x, PTX_F16), expansion_register(x, PTX_F16)};
        struct ptx_insn unpack = expansion_part(x, PTX_MOV, PTX_B32),
                        convert = expansion_part(x, PTX_CVT, PTX_F32);
        struct ptx_operand at[] = {expansion_registers(x, 0, 2, parts), of_register(halves[i])};
        expansion_append(x, &unpack, 2, at);
        convert.type2 = PTX_F16;
        for (int s = 0; s < 2; s++) {
            singles[2 * i + s] = expansion_register(x, PTX_F32);
            struct ptx_operand from[] = {of_register(singles[2 * i + s]), of_register(parts[s])};
            expansion_append(x, &convert, 2, from);
        }
    }
}

static void narrow(const struct expansion *x, int n, const int32_t *singles,
                   const int32_t *halves) {
    for (int i = 0; i < n; i++) {
        struct ptx_insn convert = expansion_part(x, PTX_CVT, PTX_F16X2);
        convert.type2 = PTX_F32;
        convert.round = PTX_RN;
        struct ptx_operand at[] = {of_register(halves[i]), of_register(singles[2 * i + 1]),
                                   of_register(singles[2 * i])};
        expansion_append(x, &convert, 3, at);
    }
}

/* One mma: n registers of each fragment from these on. */
static void append_mma(const struct expansion *x, uint8_t shape, const struct fragments *f,
                       const int n[4], const int from[4], const int32_t *sums) {
    struct ptx_insn insn = expansion_part(x, PTX_MMA, (enum ptx_type)x->insn.type);
    insn.type2 = x->insn.type2;
    insn.type3 = x->insn.type3;
    insn.type4 = x->insn.type4;
    insn.shape = shape;
    insn.layout = PTX_ROW;
    insn.layout2 = PTX_COL;
    insn.boolop = x->insn.boolop;
    insn.round = x->insn.round;
    insn.satfinite = x->insn.satfinite;
    insn.sync = true;
    struct ptx_operand at[4];
    for (int k = 0; k < 4; k++)
        at[k] = expansion_registers(x, k, n[k], (k == 3 ? sums : f->regs[k]) + from[k]);
    expansion_append(x, &insn, 4, at);
}

static uint8_t shape_of_mma(uint8_t shape) {
    if (shape == PTX_M16N16K8) return PTX_M16N8K4;
    bool two = shape == PTX_M16N16K16 || shape == PTX_M32N8K16 || shape == PTX_M8N32K16;
    return two ? PTX_M16N8K16 : shape;
}

/* All mma of the product. a, b: those of the product as it is computed. */
static void append_products(struct expansion *x, const struct fragments *f) {
    uint8_t shape = shape_of_mma(x->insn.shape);
    struct ptx_insn one = x->insn;
    one.op = PTX_MMA;
    one.shape = shape;
    int n[4], parts = shape == x->insn.shape ? 1 : 2, steps = x->insn.shape == PTX_M16N16K8 ? 2 : 1;
    for (int k = 0; k < 4; k++) n[k] = ptx_fragment_registers(&one, k);
    bool below = x->insn.shape == PTX_M32N8K16 || x->insn.shape == PTX_M8N32K16;
    for (int p = 0; p < parts; p++)
        for (int s = 0; s < steps; s++) {
            int a = (below ? p * steps + s : s) * n[1], b = (below ? s : p * steps + s) * n[2];
            const int from[] = {p * n[0], a, b, p * n[3]};
            append_mma(x, shape, f, n, from, s ? f->regs[0] : f->regs[3]);
        }
}

static void swap_factors(struct fragments *f) {
    struct fragments old = *f;
    memcpy(f->regs[1], old.regs[2], sizeof f->regs[1]);
    memcpy(f->regs[2], old.regs[1], sizeof f->regs[2]);
}

/* Sums of f16 and f32 are mixed by converting them before and after. */
void expand_product(struct expansion *x, struct fragments *f) {
    const int HALVES = 4;
    bool from_half = x->insn.type4 == PTX_F16 && x->insn.type == PTX_F32;
    bool to_half = x->insn.type4 == PTX_F32 && x->insn.type == PTX_F16;
    int32_t halves[PTX_MAX_VECTOR];
    if (wmma_is_transposed(&x->insn)) swap_factors(f);
    if (from_half) {
        int32_t singles[PTX_MAX_VECTOR];
        emit_widening(x, HALVES, f->regs[3], singles);
        memcpy(f->regs[3], singles, sizeof singles);
        x->insn.type4 = PTX_F32;
    }
    if (to_half) {
        memcpy(halves, f->regs[0], sizeof halves);
        for (int i = 0; i < PTX_MAX_VECTOR; i++) f->regs[0][i] = expansion_register(x, PTX_F32);
        x->insn.type = PTX_F32;
    }
    append_products(x, f);
    if (to_half) narrow(x, HALVES, f->regs[0], halves);
}
