/* device_textures.h: fetches from textures (CUDA C++ Programming Guide, "Texture Object API"), each
 * one PTX instruction. */
#ifndef SIMT_DEVICE_TEXTURES_H
#define SIMT_DEVICE_TEXTURES_H

/* ptx: the instruction up to its geometry; place: its operands after the texture %4. */
#define SIMT_FETCH_AS(ptx, kind, coordinates, place, ...)                                          \
    asm volatile(ptx ".v4." kind "." coordinates " {%0, %1, %2, %3}, [%4, " place ";"              \
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])                      \
                 : "l"(texture), __VA_ARGS__)
#define SIMT_FETCH_BODY(ptx, coordinates, place, ...)                                              \
    unsigned word[4];                                                                              \
    if (simtTexel<T>::kind == SIMT_FLOAT)                                                          \
        SIMT_FETCH_AS(ptx, "f32", coordinates, place, __VA_ARGS__);                                \
    else if (simtTexel<T>::kind == SIMT_SIGNED)                                                    \
        SIMT_FETCH_AS(ptx, "s32", coordinates, place, __VA_ARGS__);                                \
    else                                                                                           \
        SIMT_FETCH_AS(ptx, "u32", coordinates, place, __VA_ARGS__);                                \
    return simtTexel<T>::of(word)

template <class T> static __inline__ __device__ T tex1Dfetch(cudaTextureObject_t texture, int x) {
    SIMT_FETCH_BODY("tex.1d", "s32", "{%5}]", "r"(x));
}

/* A fetch whose level the hardware finds, one that names it, and one with gradients. Of the
 * parameters, those of a place come first. numbers: how many these are in PTX; then come the level
 * or the gradients. */
#define SIMT_UNPACK(...) __VA_ARGS__
#define SIMT_FETCH(name, geometry, parameters, place, values, level, Gradient, gradients, ...)     \
    template <class T>                                                                             \
    static __inline__ __device__ T name(cudaTextureObject_t texture, SIMT_UNPACK parameters) {     \
        SIMT_FETCH_BODY("tex." geometry, "f32", place, SIMT_UNPACK values);                        \
    }                                                                                              \
    template <class T>                                                                             \
    static __inline__ __device__ T name##Lod(cudaTextureObject_t texture, SIMT_UNPACK parameters,  \
                                             float depth) {                                        \
        SIMT_FETCH_BODY("tex.level." geometry, "f32", place ", " level, SIMT_UNPACK values,        \
                        "f"(depth));                                                               \
    }                                                                                              \
    template <class T>                                                                             \
    static __inline__ __device__ T name##Grad(cudaTextureObject_t texture, SIMT_UNPACK parameters, \
                                              Gradient dx, Gradient dy) {                          \
        SIMT_FETCH_BODY("tex.grad." geometry, "f32", place ", " gradients, SIMT_UNPACK values,     \
                        __VA_ARGS__);                                                              \
    }
#define SIMT_PLANE_GRADIENTS "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)
#define SIMT_SPACE_GRADIENTS "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)

SIMT_FETCH(tex1D, "1d", (float x), "{%5}]", ("f"(x)), "%6", float, "{%6}, {%7}", "f"(dx), "f"(dy))
SIMT_FETCH(tex2D, "2d", (float x, float y), "{%5, %6}]", ("f"(x), "f"(y)), "%7", float2,
           "{%7, %8}, {%9, %10}", SIMT_PLANE_GRADIENTS)
SIMT_FETCH(tex3D, "3d", (float x, float y, float z), "{%5, %6, %7, %7}]", ("f"(x), "f"(y), "f"(z)),
           "%8", float4, "{%8, %9, %10, %10}, {%11, %12, %13, %13}", SIMT_SPACE_GRADIENTS)
SIMT_FETCH(tex1DLayered, "a1d", (float x, int layer), "{%5, %6}]", ("r"(layer), "f"(x)), "%7",
           float, "{%7}, {%8}", "f"(dx), "f"(dy))
SIMT_FETCH(tex2DLayered, "a2d", (float x, float y, int layer), "{%5, %6, %7, %7}]",
           ("r"(layer), "f"(x), "f"(y)), "%8", float2, "{%8, %9}, {%10, %11}", SIMT_PLANE_GRADIENTS)
SIMT_FETCH(texCubemap, "cube", (float x, float y, float z), "{%5, %6, %7, %7}]",
           ("f"(x), "f"(y), "f"(z)), "%8", float4, "{%8, %9, %10, %10}, {%11, %12, %13, %13}",
           SIMT_SPACE_GRADIENTS)
SIMT_FETCH(texCubemapLayered, "acube", (float x, float y, float z, int layer), "{%5, %6, %7, %8}]",
           ("r"(layer), "f"(x), "f"(y), "f"(z)), "%9", float4,
           "{%9, %10, %11, %11}, {%12, %13, %14, %14}", SIMT_SPACE_GRADIENTS)

/* The four texels that a bilinear filter would take, of one component. */
template <class T>
static __inline__ __device__ T tex2Dgather(cudaTextureObject_t texture, float x, float y,
                                           int component = 0) {
    if (component == 1) {
        SIMT_FETCH_BODY("tld4.g.2d", "f32", "{%5, %6}]", "f"(x), "f"(y));
    }
    if (component == 2) {
        SIMT_FETCH_BODY("tld4.b.2d", "f32", "{%5, %6}]", "f"(x), "f"(y));
    }
    if (component == 3) {
        SIMT_FETCH_BODY("tld4.a.2d", "f32", "{%5, %6}]", "f"(x), "f"(y));
    }
    SIMT_FETCH_BODY("tld4.r.2d", "f32", "{%5, %6}]", "f"(x), "f"(y));
}

#undef SIMT_FETCH_AS
#undef SIMT_FETCH_BODY
#undef SIMT_FETCH
#undef SIMT_PLANE_GRADIENTS
#undef SIMT_SPACE_GRADIENTS

#endif
