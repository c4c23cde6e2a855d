/*
 * sm_70_rt.hpp: what came with compute capability 7.0: __match_any_sync, __match_all_sync and __nanosleep. clang's
 * header of intrinsics has the operations on 32 and 64 bits, and asks for this file to have the rest.
 */
#ifndef SIMT_SM_70_RT_HPP
#define SIMT_SM_70_RT_HPP

/* In assembly: clang 14 gives the 64-bit forms a 64-bit result, which PTX does not have. */
static __inline__ __device__ unsigned simtMatch64Any(unsigned mask, unsigned long long value) {
    unsigned result;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(result) : "l"(value), "r"(mask));
    return result;
}
static __inline__ __device__ unsigned simtMatch64All(unsigned mask, unsigned long long value, int *all) {
    unsigned result;
    asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"
                 : "=r"(result), "=r"(*all)
                 : "l"(value), "r"(mask));
    return result;
}
#define simtMatch32Any __match32_any_sync
#define simtMatch32All __match32_all_sync

#define SIMT_MATCH(type, bits, number)                                                                                 \
    static __inline__ __device__ unsigned __match_any_sync(unsigned mask, type value) {                                \
        return simtMatch##bits##Any(mask, __builtin_bit_cast(number, value));                                          \
    }                                                                                                                  \
    static __inline__ __device__ unsigned __match_all_sync(unsigned mask, type value, int *all) {                      \
        return simtMatch##bits##All(mask, __builtin_bit_cast(number, value), all);                                     \
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
#undef simtMatch32Any
#undef simtMatch32All

static __inline__ __device__ void __nanosleep(unsigned nanoseconds) {
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}

#endif
