/* cooperative_groups/reduce.h: combine the values of a group of lanes; all get the result. */
#ifndef SIMT_COOPERATIVE_GROUPS_REDUCE_H
#define SIMT_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"
#include "operations.h"

SIMT_HEADER_BEGIN

#define SIMT_GROUP __device__ inline

namespace cooperative_groups {

template <unsigned int SIZE, class Parent, class T, class Operation>
SIMT_GROUP T reduce(const thread_block_tile<SIZE, Parent> &tile, T value, Operation operation) {
    for (unsigned int bit = SIZE / 2; bit > 0; bit /= 2)
        value = operation(value, tile.shfl_xor(value, bit));
    return value;
}

/* After each step, a lane has combined its own and the next `step` values. */
template <class T, class Operation>
SIMT_GROUP T reduce(const coalesced_group &group, T value, Operation operation) {
    const unsigned int rank = group.thread_rank(), threads = group.num_threads();
    for (unsigned int step = 1; step < threads; step *= 2) {
        T other = group.shfl_down(value, step);
        if (rank + step < threads) value = operation(value, other);
    }
    return group.shfl(value, 0);
}

} // namespace cooperative_groups

#undef SIMT_GROUP

SIMT_HEADER_END
#endif
