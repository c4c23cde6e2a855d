/*
 * decode/cost.h: what instructions count for. Private to cost*.c.
 *
 * decode/cost.c weighs the instructions of a function, decode/cost_weight.c one instruction alone, decode/cost_class.c
 * sorts operations into classes.
 */
#ifndef SIMT_DECODE_COST_H
#define SIMT_DECODE_COST_H

#include "decode.h"

#define CC_DESCRIPTOR 80 /* compute capability, times 10, from which global accesses need a descriptor */

static inline bool is_integer_type(uint8_t type) {
    return type < PTX_F16;
}

/* Machine instructions of one instruction on its own, in code that is optimised and in code for a debugger. */
uint16_t own_weight(const struct ptx_insn *insn, int capability);
uint16_t unoptimised_weight(const struct ptx_insn *insn, int capability);

/* Add what an instruction counts for in the classes of operations, unless guarded_cost does. */
void cost_classes(const struct ptx_insn *insn, struct block_cost *cost);

#endif
