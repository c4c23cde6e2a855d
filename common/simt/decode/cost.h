/*
 * decode/cost.h: what instructions count for. Private to cost*.c.
 *
 * decode/cost.c weighs the instructions of a function, each beside its neighbours.
 * decode/cost_weight.c weighs one instruction alone. decode/cost_class.c sorts operations into
 * classes.
 */
#pragma once

#include "decode.h"

/* compute capability, times 10, from which global accesses need a descriptor */
#define CC_DESCRIPTOR 80

/* Machine instructions of one instruction alone: in optimised code, and in code for a debugger
 * (nvcc -G). capability: the GPU's, times 10. */
uint16_t own_weight(const struct ptx_insn *insn, int capability);
uint16_t unoptimised_weight(const struct ptx_insn *insn, int capability);

/* Add what an instruction counts for in the classes of operations (additions, fused multiply-adds,
 * loads ...). A guarded instruction adds nothing here: guarded_cost() counts it by its own
 * threads. */
void cost_classes(const struct ptx_insn *insn, struct block_cost *cost);
