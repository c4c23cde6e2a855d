/* cost.c: what instructions count for. */
#include "decode.h"

bool is_hardware_branch(const struct ptx_function *function, int32_t index) {
    (void)function, (void)index;
    return true;
}

void block_cost(const struct ptx_function *function, int32_t from, int32_t to, struct block_cost *cost) {
    for (int32_t i = from; i < to; i++) {
        cost->ptx++;
        cost->machine++;
        if (function->insns[i].op == PTX_BRA) cost->branches++;
    }
}

bool guarded_cost(const struct ptx_insn *insn, struct block_cost *cost) {
    (void)insn, (void)cost;
    return false;
}
