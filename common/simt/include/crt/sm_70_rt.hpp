/*
 * sm_70_rt.hpp: what came with compute capability 7.0: __match_any_sync, __match_all_sync and __nanosleep. clang's
 * header of intrinsics has the operations on 32 and 64 bits, and asks for this file to have the rest.
 */
#ifndef SIMT_SM_70_RT_HPP
#define SIMT_SM_70_RT_HPP

#define SIMT_MATCH(type, bits, number)                                                                                 \
    static __inline__ __device__ unsigned __match_any_sync(unsigned mask, type value) {                                \
        return __match##bits##_any_sync(mask, __builtin_bit_cast(number, value));                                      \
    }                                                                                                                  \
    static __inline__ __device__ unsigned __match_all_sync(unsigned mask, type value, int *all) {                      \
        return __match##bits##_all_sync(mask, __builtin_bit_cast(number, value), all);                                 \
    }

SIMT_MATCH(unsigned, 32, unsigned)
SIMT_MATCH(int, 32, unsigned)
SIMT_MATCH(float, 32, unsigned)
SIMT_MATCH(unsigned long, 64, unsigned long long)
SIMT_MATCH(long, 64, unsigned long long)
SIMT_MATCH(unsigned long long, 64, unsigned long long)
SIMT_MATCH(long long, 64, unsigned long long)
SIMT_MATCH(double, 64, unsigned long long)
#undef SIMT_MATCH

static __inline__ __device__ void __nanosleep(unsigned nanoseconds) {
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

#endif
