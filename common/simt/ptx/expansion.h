/*
 * ptx/expansion.h: other instructions in place of one. ptx/expansion.c appends
 * them, ptx/parse_wmma.c and ptx/expand_product.c know which.
 */
#pragma once

#include "parse.h"
#include "wmma.h"

#define MOST_LINES 32

/* The instruction that is expanded, and what its parts share. */
struct expansion {
    struct parser *parser;
    struct ptx_insn insn;
    struct wmma_tile tile;
    bool wide;                 /* addresses have 64 bits */
    int32_t pointer;           /* the matrix, a register */
    int64_t offset;            /* bytes, to be added */
    struct ptx_operand stride; /* elements from a line in memory to the next */
    int32_t base;              /* the lane's first element */
    int32_t line_bytes;        /* register: bytes of a line in memory; -1: not made yet */
    int32_t lines[MOST_LINES]; /* register: base plus so many lines; -1: not made yet */
};

/* The registers of the four fragments of wmma.mma, by operand: d, a, b, c. */
struct fragments {
    int32_t regs[4][PTX_MAX_VECTOR];
};

static inline struct ptx_operand of_register(int32_t reg) {
    return (struct ptx_operand){
        .kind = PTX_OPERAND_REG, .reg = reg, .reg2 = -1, .var = -1, .func = -1, .target = -1};
}

static inline struct ptx_operand of_constant(uint64_t bits) {
    return (struct ptx_operand){.kind = PTX_OPERAND_IMM,
                                .bits = bits,
                                .reg = -1,
                                .reg2 = -1,
                                .var = -1,
                                .func = -1,
                                .target = -1};
}

static inline struct ptx_operand of_memory(int32_t reg, int64_t offset) {
    struct ptx_operand memory = of_register(reg);
    memory.kind = PTX_OPERAND_MEMORY;
    memory.offset = offset;
    return memory;
}

/* A part of the instruction: with its guard, its place in the source, and its spelling. */
struct ptx_insn expansion_part(const struct expansion *x, enum ptx_opcode op, enum ptx_type type);
/* Append it with these operands. */
void expansion_append(const struct expansion *x, const struct ptx_insn *insn, int n,
                      const struct ptx_operand *at);
/* An operand of several registers, as operand number `number`. */
struct ptx_operand expansion_registers(const struct expansion *x, int number, int n,
                                       const int32_t *regs);
/* A new register. */
int32_t expansion_register(const struct expansion *x, enum ptx_type type);
/* d = op(a, b{, c}), with d a new register of the type. wide: the type is that of a, d's is twice
 * as wide. */
int32_t expansion_compute(const struct expansion *x, enum ptx_opcode op, enum ptx_type type,
                          bool wide, struct ptx_operand a, struct ptx_operand b,
                          const struct ptx_operand *c);
/* mov to, from */
void expansion_move(const struct expansion *x, enum ptx_type type, int32_t to,
                    struct ptx_operand from);

/* ptx/expand_product.c: wmma.mma, with types as wmma_with_types() gives them. */
void expand_product(struct expansion *x, struct fragments *f);
