/*
 * machine/mma.h: a decoded mma, D = A B + C.
 *
 * The handler gathers the fragments into matrices, multiplies, and scatters D. All lie column by
 * column, as the rows of a column of D are computed together. A column of A, C or D has room for
 * MMA_ROWS rows. 32 bits are one element. m8n8k4 of f16 has four matrices of each kind, one after
 * the other.
 */
#pragma once

#include "machine.h"
#include "simt/ptx/matrix.h"

#define MMA_MAX_REGISTERS 8
#define MMA_ROWS          16
#define MMA_MAX_ELEMENTS  (16 * 64) /* of a matrix, where they are not bits */

/* How a tensor core adds up the products of floats: exec/fused.h. */
struct mma_sum {
    uint8_t
        fraction;  /* bits after the point that a term keeps, as the largest term is 1.x or 2.x */
    uint8_t block; /* products that are added to the accumulator at once */
    uint8_t kept;  /* fraction bits of an f32 result */
    uint8_t emulated; /* enum mma_emulation */
};

/* What ptxas makes of an mma that the GPU's tensor cores do not have. */
enum mma_emulation {
    MMA_NATIVE,
    MMA_BY_HALVES, /* 8-bit floats as f16: two sums without C, to which C is added last */
    MMA_BY_FMA     /* m8n8k4 of f16 by the fma of single precision */
};

/* A fragment's registers, and the first element of each in each lane. */
struct mma_fragment {
    uint32_t refs[MMA_MAX_REGISTERS];
    uint16_t first[MMA_MAX_REGISTERS][WARP_SIZE];
    uint16_t step; /* from an element to the next in the register */
    uint8_t n;     /* registers */
    uint8_t type;  /* enum ptx_type of an element */
};

struct mma {
    struct mma_fragment fragments[4]; /* by enum ptx_fragment */
    struct ptx_dims dims;
    uint8_t matrices; /* 1 or 4 */
    bool satfinite;
    uint8_t boolop;
    uint8_t round;
    struct mma_sum sum;
};
