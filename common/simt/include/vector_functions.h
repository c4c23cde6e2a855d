/* vector_functions.h: make_int4(x, y, z, w) and its like, one for each type of vector_types.h. */
#ifndef SIMT_VECTOR_FUNCTIONS_H
#define SIMT_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define SIMT_MAKE(name, type)                                                                      \
    static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                         \
        return name##1 {x};                                                                        \
    }                                                                                              \
    static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {                 \
        return name##2 {x, y};                                                                     \
    }                                                                                              \
    static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) {         \
        return name##3 {x, y, z};                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { \
        return name##4 {x, y, z, w};                                                               \
    }

SIMT_MAKE(char, signed char)
SIMT_MAKE(uchar, unsigned char)
SIMT_MAKE(short, short)
SIMT_MAKE(ushort, unsigned short)
SIMT_MAKE(int, int)
SIMT_MAKE(uint, unsigned int)
SIMT_MAKE(long, long)
SIMT_MAKE(ulong, unsigned long)
SIMT_MAKE(longlong, long long)
SIMT_MAKE(ulonglong, unsigned long long)
SIMT_MAKE(float, float)
SIMT_MAKE(double, double)
#undef SIMT_MAKE

#endif
