/*
 * vector_types.h: dim3, and short vectors of the basic types with the alignment that lets a GPU
 * load one in a single instruction (CUDA C++ Programming Guide, "Built-in Vector Types").
 */
#ifndef SIMT_VECTOR_TYPES_H
#define SIMT_VECTOR_TYPES_H

#include "host_defines.h"

/* Alignments of vectors of 1, 2, 3 and 4 elements; a vector of three is no multiple of two. */
#define SIMT_VECTORS(name, type, one, two, three, four)                                            \
    struct __attribute__((aligned(one))) name##1 {                                                 \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(two))) name##2 {                                                 \
        type x, y;                                                                                 \
    };                                                                                             \
    struct __attribute__((aligned(three))) name##3 {                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __attribute__((aligned(four))) name##4 {                                                \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;

SIMT_VECTORS(char, signed char, 1, 2, 1, 4)
SIMT_VECTORS(uchar, unsigned char, 1, 2, 1, 4)
SIMT_VECTORS(short, short, 2, 4, 2, 8)
SIMT_VECTORS(ushort, unsigned short, 2, 4, 2, 8)
SIMT_VECTORS(int, int, 4, 8, 4, 16)
SIMT_VECTORS(uint, unsigned int, 4, 8, 4, 16)
SIMT_VECTORS(long, long, 8, 16, 8, 16)
SIMT_VECTORS(ulong, unsigned long, 8, 16, 8, 16)
SIMT_VECTORS(longlong, long long, 8, 16, 8, 16)
SIMT_VECTORS(ulonglong, unsigned long long, 8, 16, 8, 16)
SIMT_VECTORS(float, float, 4, 8, 4, 16)
SIMT_VECTORS(double, double, 8, 16, 8, 16)
#undef SIMT_VECTORS

/* Extents of a grid or a block; what is not given is 1. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
        : x(x), y(y), z(z) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const {
        return uint3{x, y, z};
    }
#endif
};
typedef struct dim3 dim3;

#endif
