/* cooperative_groups/scan.h: each thread of a group of lanes gets what those up to it (inclusive)
 * or before it (exclusive) have, combined. */
#ifndef SIMT_COOPERATIVE_GROUPS_SCAN_H
#define SIMT_COOPERATIVE_GROUPS_SCAN_H

#include "../cooperative_groups.h"
#include "operations.h"

SIMT_HEADER_BEGIN

#define SIMT_GROUP __device__ inline

namespace cooperative_groups {

template <class Group, class T, class Operation>
SIMT_GROUP T inclusive_scan(const Group &group, T value, Operation operation) {
    for (unsigned int step = 1; step < group.num_threads(); step *= 2) {
        T other = group.shfl_up(value, step);
        if (group.thread_rank() >= step) value = operation(other, value);
    }
    return value;
}
template <class Group, class T> SIMT_GROUP T inclusive_scan(const Group &group, T value) {
    return inclusive_scan(group, value, plus<T>());
}

/* The first thread gets T(). */
template <class Group, class T, class Operation>
SIMT_GROUP T exclusive_scan(const Group &group, T value, Operation operation) {
    T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> SIMT_GROUP T exclusive_scan(const Group &group, T value) {
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#undef SIMT_GROUP

SIMT_HEADER_END
#endif
