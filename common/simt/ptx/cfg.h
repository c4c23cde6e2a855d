/*
 * ptx/cfg.h: a function's control-flow graph, as ptx/cfg.c builds it and ptx/liveness.c reads it.
 */
#ifndef SIMT_PTX_CFG_H
#define SIMT_PTX_CFG_H

#include "lib/arena.h"
#include "ptx.h"

struct block {
    int32_t start, end;  /* instructions start .. end-1 */
    int32_t *successors; /* block numbers */
    int32_t nsuccessors;
    bool leaves; /* its last instruction may end the function: ret, exit, trap, predicated or not */
};

struct cfg {
    const struct ptx_function *function;
    struct block *blocks;
    int32_t nblocks;
    struct arena *arena; /* for everything made during the analysis */
};

/* Find which registers live when, share register slots, and estimate the registers that machine code would need. */
void cfg_assign_slots(const struct cfg *cfg, struct ptx_function *function);

#endif
