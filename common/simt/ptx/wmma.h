/*
 * ptx/wmma.h: what wmma's fragments are made of. Since Ampere, wmma's matrices are tiles
 * of mma, one beside the other:
 *
 *   m16n16k16    two mma m16n8k16, the second for the right half of B, C and D
 *   m32n8k16     two mma m16n8k16, the second for the lower half of A, C and D
 *   m8n32k16     as m32n8k16, transposed: B' A' = (A B)'. A's fragment is as B's, B's as A's
 *   m16n16k8     four mma m16n8k4 of tf32, which go through k in two steps
 *   others       one mma
 *
 * PTX leaves the layout of fragments open. This is that of ptxas for compute capability 8.0 and
 * later, seen on an H200. Fragments of f16 always have 8 registers; where fewer are needed, they
 * repeat.
 */
#pragma once

#include "matrix.h"

/* One of wmma's matrices, as mma has it. */
struct wmma_tile {
    enum ptx_fragment fragment; /* A, B, or C for both C and D */
    uint8_t type;               /* of an element */
    unsigned bits;              /* of an element */
    int registers;              /* of the fragment */
    int different;              /* those that do not repeat others */
    int parts;                  /* tiles of mma: 1 or 2 */
    bool along_lines; /* is memory in the order of the fragments: A' rows, B' columns, C' rows? */
};

/* A register's element in lane 0: line counts rows (A, C) or columns (B), along the other
 * dimension. */
struct wmma_place {
    int line, along;
};

/* Is the product computed transposed? */
bool wmma_is_transposed(const struct ptx_insn *insn);
/* The tile that wmma.load or wmma.store moves. */
struct wmma_tile wmma_moved_tile(const struct ptx_insn *insn);
struct wmma_place wmma_place(const struct wmma_tile *tile, uint8_t shape, int i);
/* The types of wmma.mma's d, a, b and c: those of f16 are implied. */
struct ptx_insn wmma_with_types(const struct ptx_insn *insn);
