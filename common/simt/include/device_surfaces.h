/*
 * device_surfaces.h: reads and writes of surfaces (CUDA C++ Programming Guide, "Surface Object
 * API"). x counts bytes. A texel is the bytes that it has, whatever its numbers are.
 */
#ifndef SIMT_DEVICE_SURFACES_H
#define SIMT_DEVICE_SURFACES_H

/* type, words: how PTX calls a texel of this size, and its registers. outside: what happens there.
 * place: the operands after the surface %4. */
#define SIMT_READ(geometry, type, words, outside, place, ...)                                      \
    asm volatile("suld.b." geometry type outside " " words ", [%4, " place "];"                    \
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])                      \
                 : "l"(surface), __VA_ARGS__)
#define SIMT_WRITE(geometry, type, words, outside, place, ...)                                     \
    asm volatile("sust.b." geometry type outside " [%4, " place "], " words ";" ::"r"(word[0]),    \
                 "r"(word[1]), "r"(word[2]), "r"(word[3]), "l"(surface), __VA_ARGS__               \
                 : "memory")
#define SIMT_SIZES(ACCESS, geometry, outside, place, ...)                                          \
    if (sizeof(T) == 1)                                                                            \
        ACCESS(geometry, ".b8", "%0", outside, place, __VA_ARGS__);                                \
    else if (sizeof(T) == 2)                                                                       \
        ACCESS(geometry, ".b16", "%0", outside, place, __VA_ARGS__);                               \
    else if (sizeof(T) == 4)                                                                       \
        ACCESS(geometry, ".b32", "%0", outside, place, __VA_ARGS__);                               \
    else if (sizeof(T) == 8)                                                                       \
        ACCESS(geometry, ".v2.b32", "{%0, %1}", outside, place, __VA_ARGS__);                      \
    else                                                                                           \
        ACCESS(geometry, ".v4.b32", "{%0, %1, %2, %3}", outside, place, __VA_ARGS__)
#define SIMT_MODES(ACCESS, geometry, place, ...)                                                   \
    static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0,                           \
                  "a texel has 1, 2, 4, 8 or 16 bytes");                                           \
    if (mode == cudaBoundaryModeClamp) {                                                           \
        SIMT_SIZES(ACCESS, geometry, ".clamp", place, __VA_ARGS__);                                \
    } else if (mode == cudaBoundaryModeZero) {                                                     \
        SIMT_SIZES(ACCESS, geometry, ".zero", place, __VA_ARGS__);                                 \
    } else {                                                                                       \
        SIMT_SIZES(ACCESS, geometry, ".trap", place, __VA_ARGS__);                                 \
    }

#define SIMT_SURFACE(name, geometry, parameters, place, ...)                                       \
    template <class T>                                                                             \
    static __inline__ __device__ T name##read(cudaSurfaceObject_t surface, SIMT_UNPACK parameters, \
                                              cudaSurfaceBoundaryMode mode =                       \
                                                  cudaBoundaryModeTrap) {                          \
        unsigned word[4];                                                                          \
        SIMT_MODES(SIMT_READ, geometry, place, __VA_ARGS__)                                        \
        T texel;                                                                                   \
        memcpy(&texel, word, sizeof(T));                                                           \
        return texel;                                                                              \
    }                                                                                              \
    template <class T, class... Place>                                                             \
    static __inline__ __device__ void name##read(T *texel, cudaSurfaceObject_t surface,            \
                                                 Place... place_and_mode) {                        \
        *texel = name##read<T>(surface, place_and_mode...);                                        \
    }                                                                                              \
    template <class T>                                                                             \
    static __inline__ __device__ void name##write(                                                 \
        T texel, cudaSurfaceObject_t surface, SIMT_UNPACK parameters,                              \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
        unsigned word[4] = {};                                                                     \
        memcpy(word, &texel, sizeof(T));                                                           \
        SIMT_MODES(SIMT_WRITE, geometry, place, __VA_ARGS__)                                       \
    }
SIMT_SURFACE(surf1D, "1d", (int x), "{%5}", "r"(x))
SIMT_SURFACE(surf2D, "2d", (int x, int y), "{%5, %6}", "r"(x), "r"(y))
SIMT_SURFACE(surf3D, "3d", (int x, int y, int z), "{%5, %6, %7, %7}", "r"(x), "r"(y), "r"(z))
SIMT_SURFACE(surf1DLayered, "a1d", (int x, int layer), "{%5, %6}", "r"(layer), "r"(x))
SIMT_SURFACE(surf2DLayered, "a2d", (int x, int y, int layer), "{%5, %6, %7, %7}", "r"(layer),
             "r"(x), "r"(y))

/* The faces of cubes are layers. */
SIMT_SURFACE(surfCubemap, "a2d", (int x, int y, int face), "{%5, %6, %7, %7}", "r"(face), "r"(x),
             "r"(y))
SIMT_SURFACE(surfCubemapLayered, "a2d", (int x, int y, int face), "{%5, %6, %7, %7}", "r"(face),
             "r"(x), "r"(y))

#undef SIMT_READ
#undef SIMT_WRITE
#undef SIMT_SIZES
#undef SIMT_MODES
#undef SIMT_SURFACE
#undef SIMT_UNPACK

#endif
