/*
 * ptx/liveness.h: where a function's registers live. ptx/liveness.c computes it, ptx/registers.c
 * reads it, too.
 */
#pragma once

#include "cfg.h"

#define MAX_REFS (PTX_MAX_OPERANDS * (PTX_MAX_VECTOR + 1) + 1)

/* The registers that an instruction reads and writes. */
struct refs {
    int32_t use[MAX_REFS], def[MAX_REFS];
    int nuse, ndef;
};
void find_refs(const struct ptx_insn *insn, struct refs *refs);

/* Does the instruction replace its destinations' old values in every lane that executes it? */
static inline bool kills(const struct ptx_insn *insn) {
    return insn->pred < 0;
}

typedef uint64_t word;
#define WORD_BITS 64

/* Sets of registers have a bit for each register that lives across blocks. */
struct liveness {
    const struct cfg *cfg;
    int32_t *global; /* register -> number among registers that live across blocks, or -1 */
    int32_t *reg;    /* number -> register */
    int32_t nglobals;
    int32_t words; /* words of one set */
    /* [block][words]; in, out: registers alive at its start and at its end */
    word *in, *out, *exposed, *killed;
};

static inline word *set_of(const struct liveness *live, word *sets, int32_t block) {
    return sets + (size_t)block * (size_t)live->words;
}

/* ptx/lanes.c: sets insn->steady and insn->uniform. */
void find_lanes(const struct liveness *live, struct ptx_function *function);

/* ptx/registers.c: estimates the 32-bit registers per thread that ptxas would allocate. Sets
 * insn->alive and the registers' words. */
int32_t machine_registers(const struct liveness *live, struct ptx_function *function);

/* Does ptxas compute it by a call where the operands are unusual? (ptx/registers.c) */
bool ptx_has_slow_path(const struct ptx_insn *insn);
