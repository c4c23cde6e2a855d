/*
 * ptx/matrix.h: the matrices of mma, ldmatrix, stmatrix and movmatrix.
 *
 * mma computes D = A B + C, where A has m rows and k columns, B k rows and n columns. The 32 lanes
 * of a warp hold each matrix together, as fragments: a few registers of each lane. A 32-bit
 * register has as many elements as fit, neighbours along k (A, B) or along a row (C, D). PTX ISA,
 * "Matrix Fragments for mma".
 */
#pragma once

#include "ptx.h"

struct ptx_dims {
    uint16_t m, n, k;
};

enum ptx_fragment { PTX_FRAGMENT_D, PTX_FRAGMENT_A, PTX_FRAGMENT_B, PTX_FRAGMENT_C };

/* The matrices' rows and columns; zeros for PTX_SHAPE_NONE. */
struct ptx_dims ptx_shape_dims(uint8_t shape);
/* Bits of an element; 0: no type of elements. */
unsigned ptx_element_bits(uint8_t type);
/* Is it the mma whose quarter warps multiply matrices of 8 rows and columns each: m8n8k4 of f16? */
bool ptx_is_quarter_mma(const struct ptx_insn *insn);
/* The element type of a fragment of mma or wmma. */
uint8_t ptx_fragment_type(const struct ptx_insn *insn, enum ptx_fragment fragment);
/* Registers of operand i, for an instruction on matrices: 1 to 8. */
int ptx_fragment_registers(const struct ptx_insn *insn, int i);
/* Does the instruction have its shape and types, as far as its opcode needs them? */
bool ptx_matrix_complete(const struct ptx_insn *insn);
/* Why PTX has no such instruction on matrices; NULL: it has. */
const char *ptx_matrix_problem(const struct ptx_insn *insn);

/*
 * Where the first element of register i of a lane lies in a fragment of mma. The register's other
 * elements follow it along k (A, B) or along the row (C, D); in quarter_mma's transposed matrices,
 * along the other dimension.
 */
struct ptx_place {
    uint16_t matrix;      /* quarter_mma: which of 4; else 0 */
    uint16_t row, column; /* B: row counts along k */
    bool down;            /* its other elements lie below, not beside it */
};
struct ptx_place ptx_fragment_place(const struct ptx_insn *insn, enum ptx_fragment fragment,
                                    unsigned lane, unsigned i);

/* ptx/wmma.c */
bool ptx_is_wmma(const struct ptx_insn *insn);
/* Registers of operand i of an instruction of wmma. */
int wmma_registers(const struct ptx_insn *insn, int i);
/* Why PTX has no such instruction of wmma; NULL: it has. */
const char *wmma_problem(const struct ptx_insn *insn);
