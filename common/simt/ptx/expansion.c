/* ptx/expansion.c: appends instructions in place of one, which share its guard and its
 * place in the source. */
#include "expansion.h"

#include <string.h>

struct ptx_insn expansion_part(const struct expansion *x, enum ptx_opcode op, enum ptx_type type) {
    return (struct ptx_insn){.op = (uint16_t)op,
                             .type = (uint8_t)type,
                             .vector = 1,
                             .pred = x->insn.pred,
                             .pred_neg = x->insn.pred_neg,
                             .spelling = x->insn.spelling,
                             .spelling_length = x->insn.spelling_length,
                             .file = x->insn.file,
                             .line = x->insn.line,
                             .inlined = x->insn.inlined,
                             .ptx_line = x->insn.ptx_line,
                             .reconverge = -1};
}

void expansion_append(const struct expansion *x, const struct ptx_insn *insn, int n,
                      const struct ptx_operand *at) {
    memcpy(x->parser->operands->at, at, (size_t)n * sizeof *at);
    x->parser->operands->n = n;
    insn_append(x->parser, insn);
}

struct ptx_operand expansion_registers(const struct expansion *x, int number, int n,
                                       const int32_t *regs) {
    struct ptx_operand vector = of_register(-1);
    if (n == 1) return of_register(regs[0]);
    vector.kind = PTX_OPERAND_VECTOR;
    vector.nvec = (uint8_t)n;
    memcpy(x->parser->operands->vec[number], regs, (size_t)n * sizeof *regs);
    return vector;
}

int32_t expansion_register(const struct expansion *x, enum ptx_type type) {
    return register_add(x->parser, "_", 1, type);
}

int32_t expansion_compute(const struct expansion *x, enum ptx_opcode op, enum ptx_type type,
                          bool wide, struct ptx_operand a, struct ptx_operand b,
                          const struct ptx_operand *c) {
    struct ptx_insn insn = expansion_part(x, op, type);
    insn.wide = wide;
    insn.lo = op == PTX_MAD && !wide;
    int32_t d = expansion_register(x, wide ? PTX_U64 : type);
    struct ptx_operand at[4] = {of_register(d), a, b};
    if (c) at[3] = *c;
    expansion_append(x, &insn, c ? 4 : 3, at);
    return d;
}

void expansion_move(const struct expansion *x, enum ptx_type type, int32_t to,
                    struct ptx_operand from) {
    struct ptx_insn insn = expansion_part(x, PTX_MOV, type);
    struct ptx_operand at[] = {of_register(to), from};
    expansion_append(x, &insn, 2, at);
}
