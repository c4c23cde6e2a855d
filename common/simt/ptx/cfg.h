/*
 * ptx/cfg.h: a function's control-flow graph. ptx/cfg.c builds it, ptx/liveness.c and
 * ptx/registers.c read it.
 */
#pragma once

#include "lib/arena.h"
#include "ptx.h"

/* A basic block. */
struct block {
    int32_t start, end;  /* instructions start .. end-1 */
    int32_t *successors; /* block numbers */
    int32_t nsuccessors;
    bool leaves; /* its last instruction may end the function: ret, exit, trap, predicated or not */
};

/* The graph of one function. */
struct cfg {
    const struct ptx_function *function;
    struct block *blocks;
    int32_t nblocks;
    struct arena *arena; /* owns everything made during the analysis */
};

/* Computes the registers' liveness, assigns slots of the register file (reg->slot,
 * function->nslots_*), and estimates the registers of machine code (function->live_registers). An
 * atom with an unread result loses its destination. */
void cfg_assign_slots(const struct cfg *cfg, struct ptx_function *function);
