/* device_warp.h: reductions of a warp by one instruction, since compute capability 8.0. */
#ifndef SIMT_DEVICE_WARP_H
#define SIMT_DEVICE_WARP_H

/* Newer clangs have functions of the same names; calls prefer ours, as in device_cache.h. */
#define SIMT_REDUCE(name, type, operation)                                                         \
    static __inline__ __device__ __attribute__((enable_if(true, "preferred")))                     \
    type __reduce_##name##_sync(unsigned mask, type value) {                                       \
        type result;                                                                               \
        asm volatile("redux.sync." operation " %0, %1, %2;"                                        \
                     : "=r"(result)                                                                \
                     : "r"(value), "r"(mask));                                                     \
        return result;                                                                             \
    }
SIMT_REDUCE(add, unsigned, "add.u32")
SIMT_REDUCE(add, int, "add.s32")
SIMT_REDUCE(min, unsigned, "min.u32")
SIMT_REDUCE(min, int, "min.s32")
SIMT_REDUCE(max, unsigned, "max.u32")
SIMT_REDUCE(max, int, "max.s32")
SIMT_REDUCE(and, unsigned, "and.b32")
SIMT_REDUCE(or, unsigned, "or.b32")
SIMT_REDUCE(xor, unsigned, "xor.b32")
#undef SIMT_REDUCE

#endif
