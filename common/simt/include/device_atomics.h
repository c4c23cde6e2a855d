/*
 * device_atomics.h: atomic operations by their CUDA names, for the types that CUDA has them for: on
 * the device, within a block (_block) and together with the host (_system).
 */
#ifndef SIMT_DEVICE_ATOMICS_H
#define SIMT_DEVICE_ATOMICS_H

#define SIMT_ATOMIC(name, type, call)                                                              \
    static __inline__ __device__ type name(type *address, type value) {                            \
        return __##call(address, value);                                                           \
    }                                                                                              \
    static __inline__ __device__ type name##_block(type *address, type value) {                    \
        return __##call##_block(address, value);                                                   \
    }                                                                                              \
    static __inline__ __device__ type name##_system(type *address, type value) {                   \
        return __##call##_system(address, value);                                                  \
    }

#define SIMT_ATOMIC_CAS(type, call)                                                                \
    static __inline__ __device__ type atomicCAS(type *address, type compare, type value) {         \
        return __##call(address, compare, value);                                                  \
    }                                                                                              \
    static __inline__ __device__ type atomicCAS_block(type *address, type compare, type value) {   \
        return __##call##_block(address, compare, value);                                          \
    }                                                                                              \
    static __inline__ __device__ type atomicCAS_system(type *address, type compare, type value) {  \
        return __##call##_system(address, compare, value);                                         \
    }

SIMT_ATOMIC(atomicAdd, int, iAtomicAdd)
SIMT_ATOMIC(atomicAdd, unsigned int, uAtomicAdd)
SIMT_ATOMIC(atomicAdd, unsigned long long, ullAtomicAdd)
SIMT_ATOMIC(atomicAdd, float, fAtomicAdd)
SIMT_ATOMIC(atomicAdd, double, dAtomicAdd)
SIMT_ATOMIC(atomicExch, int, iAtomicExch)
SIMT_ATOMIC(atomicExch, unsigned int, uAtomicExch)
SIMT_ATOMIC(atomicExch, unsigned long long, ullAtomicExch)
SIMT_ATOMIC(atomicExch, float, fAtomicExch)
SIMT_ATOMIC(atomicMin, int, iAtomicMin)
SIMT_ATOMIC(atomicMin, unsigned int, uAtomicMin)
SIMT_ATOMIC(atomicMin, unsigned long long, ullAtomicMin)
SIMT_ATOMIC(atomicMin, long long, illAtomicMin)
SIMT_ATOMIC(atomicMax, int, iAtomicMax)
SIMT_ATOMIC(atomicMax, unsigned int, uAtomicMax)
SIMT_ATOMIC(atomicMax, unsigned long long, ullAtomicMax)
SIMT_ATOMIC(atomicMax, long long, illAtomicMax)
SIMT_ATOMIC(atomicAnd, int, iAtomicAnd)
SIMT_ATOMIC(atomicAnd, unsigned int, uAtomicAnd)
SIMT_ATOMIC(atomicAnd, unsigned long long, ullAtomicAnd)
SIMT_ATOMIC(atomicOr, int, iAtomicOr)
SIMT_ATOMIC(atomicOr, unsigned int, uAtomicOr)
SIMT_ATOMIC(atomicOr, unsigned long long, ullAtomicOr)
SIMT_ATOMIC(atomicXor, int, iAtomicXor)
SIMT_ATOMIC(atomicXor, unsigned int, uAtomicXor)
SIMT_ATOMIC(atomicXor, unsigned long long, ullAtomicXor)
SIMT_ATOMIC(atomicInc, unsigned int, uAtomicInc)
SIMT_ATOMIC(atomicDec, unsigned int, uAtomicDec)
SIMT_ATOMIC_CAS(int, iAtomicCAS)
SIMT_ATOMIC_CAS(unsigned int, uAtomicCAS)
SIMT_ATOMIC_CAS(unsigned long long, ullAtomicCAS)
#undef SIMT_ATOMIC

/* Bits have no sign. */
#define SIMT_ATOMIC_BITS(name)                                                                     \
    static __inline__ __device__ long long name(long long *address, long long value) {             \
        return (long long)name((unsigned long long *)address, (unsigned long long)value);          \
    }
SIMT_ATOMIC_BITS(atomicAnd)
SIMT_ATOMIC_BITS(atomicOr)
SIMT_ATOMIC_BITS(atomicXor)
#undef SIMT_ATOMIC_BITS

/* clang has no atomic operation on 16 bits. */
static __inline__ __device__ unsigned short
atomicCAS(unsigned short *address, unsigned short compare, unsigned short value) {
    unsigned short old;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
                 : "=h"(old)
                 : "l"(address), "h"(compare), "h"(value)
                 : "memory");
    return old;
}

#undef SIMT_ATOMIC_CAS

/* There is no subtraction in PTX: the negative is added, as nvcc does. */
static __inline__ __device__ int atomicSub(int *address, int value) {
    return atomicAdd(address, -value);
}
static __inline__ __device__ unsigned int atomicSub(unsigned int *address, unsigned int value) {
    return atomicAdd(address, 0u - value);
}

#endif
