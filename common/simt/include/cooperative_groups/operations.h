/* cooperative_groups/operations.h: what reductions and scans combine two values by. less is the
 * smaller of two, greater the larger. */
#ifndef SIMT_COOPERATIVE_GROUPS_OPERATIONS_H
#define SIMT_COOPERATIVE_GROUPS_OPERATIONS_H

SIMT_HEADER_BEGIN

namespace cooperative_groups {

#define SIMT_OPERATION(name, result)                                                               \
    template <class T> struct name {                                                               \
        __device__ T operator()(const T &a, const T &b) const { return result; }                   \
    };
SIMT_OPERATION(plus, a + b)
SIMT_OPERATION(less, b < a ? b : a)
SIMT_OPERATION(greater, a < b ? b : a)
SIMT_OPERATION(bit_and, a &b)
SIMT_OPERATION(bit_or, a | b)
SIMT_OPERATION(bit_xor, a ^ b)
#undef SIMT_OPERATION

} // namespace cooperative_groups

SIMT_HEADER_END

#endif
