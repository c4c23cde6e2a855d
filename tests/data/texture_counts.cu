/*
 * One warp reads or writes a texture or surface in each pattern of texture_counts.def. Prints what
 * an H200 counted, a line for each kernel, to be compared with the profile.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess) fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(e)), exit(1);    \
    } while (0)

enum Pattern {
    ROW,
    COLUMN,
    RECTANGLE,
    UPRIGHT,
    ONE,
    DIAGONAL,
    RECTANGLE_BETWEEN,
    ROW_BETWEEN,
    QUARTER,
    STRIDE_4,
    STRIDE_16,
    COLUMN_STRIDE,
    NARROW,
    WIDE,
    REPEATED,
    LINE,
    FETCH_ROW,
    FETCH_STRIDE,
    ROW_3D,
    DEPTH,
    BOX,
    BOX_BETWEEN,
    LAYERS,
    LOAD_ROW,
    LOAD_COLUMN,
    LOAD_RECTANGLE,
    STORE_ROW,
    STORE_COLUMN,
    STORE_RECTANGLE
};

template <class T>
__global__ void access(cudaTextureObject_t t, cudaSurfaceObject_t s, char *out, Pattern pattern) {
    int i = threadIdx.x;
    T v = T();
    switch (pattern) {
    case ROW: v = tex2D<T>(t, i + .5f, .5f); break;
    case COLUMN: v = tex2D<T>(t, .5f, i + .5f); break;
    case RECTANGLE: v = tex2D<T>(t, i % 8 + .5f, i / 8 + .5f); break;
    case UPRIGHT: v = tex2D<T>(t, i % 4 + .5f, i / 4 + .5f); break;
    case ONE: v = tex2D<T>(t, .5f, .5f); break;
    case DIAGONAL: v = tex2D<T>(t, i * 8 + .5f, i * 8 + .5f); break;
    case RECTANGLE_BETWEEN: v = tex2D<T>(t, i % 8 + 1.f, i / 8 + 1.f); break;
    case ROW_BETWEEN: v = tex2D<T>(t, i + 1.f, 1.f); break;
    case QUARTER:
        if (i < 8) v = tex2D<T>(t, i + .5f, .5f);
        break;
    case STRIDE_4: v = tex2D<T>(t, i * 4 + .5f, .5f); break;
    case STRIDE_16: v = tex2D<T>(t, i * 16 + .5f, .5f); break;
    case COLUMN_STRIDE: v = tex2D<T>(t, .5f, i * 8 + .5f); break;
    case NARROW: v = tex2D<T>(t, i % 2 + .5f, i / 2 + .5f); break;
    case WIDE: v = tex2D<T>(t, i % 16 + .5f, i / 16 + .5f); break;
    case REPEATED:
        for (int k = 0; k < 4; k++) {
            v = tex2D<T>(t, i % 8 + .5f, i / 8 + .5f + k);
            ((T *)out)[32 * k + i] = v;
        }
        break;
    case LINE: v = tex1D<T>(t, i + .5f); break;
    case FETCH_ROW: v = tex1Dfetch<T>(t, i); break;
    case FETCH_STRIDE: v = tex1Dfetch<T>(t, i * 8); break;
    case ROW_3D: v = tex3D<T>(t, i + .5f, .5f, .5f); break;
    case DEPTH: v = tex3D<T>(t, .5f, .5f, i + .5f); break;
    case BOX: v = tex3D<T>(t, i % 4 + .5f, i / 4 % 4 + .5f, i / 16 + .5f); break;
    case BOX_BETWEEN: v = tex3D<T>(t, i % 4 + 1.f, i / 4 % 4 + 1.f, i / 16 + 1.f); break;
    case LAYERS: v = tex2DLayered<T>(t, .5f, .5f, i % 4); break;
    case LOAD_ROW: v = surf2Dread<T>(s, i * sizeof(T), 0); break;
    case LOAD_COLUMN: v = surf2Dread<T>(s, 0, i); break;
    case LOAD_RECTANGLE: v = surf2Dread<T>(s, i % 8 * sizeof(T), i / 8); break;
    case STORE_ROW: surf2Dwrite<T>(v, s, i * sizeof(T), 0); break;
    case STORE_COLUMN: surf2Dwrite<T>(v, s, 0, i); break;
    case STORE_RECTANGLE: surf2Dwrite<T>(v, s, i % 8 * sizeof(T), i / 8); break;
    }
    ((T *)out)[i] = v;
}

/* A texture, and a surface on the same texels where there can be one. */
struct Texels {
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
};

template <class T>
static Texels texels(cudaExtent extent, bool filter, bool as_float = false,
                     unsigned int flags = cudaArraySurfaceLoadStore) {
    Texels made = {};
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    resource.resType = cudaResourceTypeArray;
    CHECK(cudaMalloc3DArray(&resource.res.array.array, &format, extent, flags));
    for (cudaTextureAddressMode &mode : texture.addressMode) mode = cudaAddressModeClamp;
    texture.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
    texture.readMode = as_float ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&made.texture, &resource, &texture, NULL));
    if (flags == cudaArraySurfaceLoadStore)
        CHECK(cudaCreateSurfaceObject(&made.surface, &resource));
    return made;
}

template <class T> static Texels linear_texels() {
    Texels made = {};
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.sizeInBytes = 1 << 20;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    CHECK(cudaMalloc(&resource.res.linear.devPtr, 1 << 20));
    CHECK(cudaCreateTextureObject(&made.texture, &resource, &texture, NULL));
    return made;
}

int main() {
    char *out;
    CHECK(cudaMalloc(&out, 4 * 32 * sizeof(float4)));
    cudaExtent square = {512, 512, 0}, cube = {64, 64, 64};
    Texels point = texels<float>(square, false), line = texels<float>(square, true);
    Texels point2 = texels<float2>(square, false), line2 = texels<float2>(square, true);
    Texels point4 = texels<float4>(square, false), line4 = texels<float4>(square, true);
    Texels pointBytes = texels<unsigned char>(square, false),
           pointBytes4 = texels<uchar4>(square, false);
    Texels lineBytes4 = texels<uchar4>(square, true, true);
    Texels points3D = texels<float>(cube, false), lines3D = texels<float>(cube, true);
    Texels layered = texels<float>({64, 64, 4}, false, false, cudaArrayLayered);
    Texels points1D = texels<float>({4096, 0, 0}, false),
           lines1D = texels<float>({4096, 0, 0}, true);
    Texels linear = linear_texels<float>(), linear4 = linear_texels<float4>();
#define COUNTS(type, object, pattern, ...)                                                         \
    access<type><<<1, 32>>>(object.texture, object.surface, out, pattern);                         \
    CHECK(cudaDeviceSynchronize());                                                                \
    puts(#type "," #object "," #pattern "," #__VA_ARGS__);
#include "texture_counts.def"
}
