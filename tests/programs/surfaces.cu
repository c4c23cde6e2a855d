/*
 * Surfaces of every shape: reads, writes and reductions in bytes, stores in texels, and what lies
 * outside: clamped, zero, or a fault.
 */
// case | 0 | ^ok
// case outside | 1 | illegal memory access
// case misaligned | 1 | misaligned address
#include "check.h"

enum Shape { LINE, PLANE, VOLUME, LINES, PLANES, CUBE, CUBES };

struct Place {
    int x, y, z; // texel, row, layer
};

template <class T> __device__ void put(cudaSurfaceObject_t s, int shape, Place p, T value) {
    int x = p.x * (int)sizeof(T);
    switch (shape) {
    case LINE: surf1Dwrite(value, s, x); break;
    case PLANE: surf2Dwrite(value, s, x, p.y); break;
    case VOLUME: surf3Dwrite(value, s, x, p.y, p.z); break;
    case LINES: surf1DLayeredwrite(value, s, x, p.z); break;
    case PLANES: surf2DLayeredwrite(value, s, x, p.y, p.z); break;
    case CUBE: surfCubemapwrite(value, s, x, p.y, p.z); break;
    case CUBES: surfCubemapLayeredwrite(value, s, x, p.y, p.z); break;
    }
}

template <class T> __device__ T get(cudaSurfaceObject_t s, int shape, Place p) {
    int x = p.x * (int)sizeof(T);
    switch (shape) {
    case LINE: return surf1Dread<T>(s, x);
    case PLANE: return surf2Dread<T>(s, x, p.y);
    case VOLUME: return surf3Dread<T>(s, x, p.y, p.z);
    case LINES: return surf1DLayeredread<T>(s, x, p.z);
    case PLANES: return surf2DLayeredread<T>(s, x, p.y, p.z);
    case CUBE: return surfCubemapread<T>(s, x, p.y, p.z);
    default: return surfCubemapLayeredread<T>(s, x, p.y, p.z);
    }
}

/* Each texel becomes the one that lies opposite. */
template <class T>
__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int shape, int3 extent) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= extent.x * extent.y * extent.z) return;
    Place p = {i % extent.x, i / extent.x % extent.y, i / (extent.x * extent.y)};
    Place opposite = {extent.x - 1 - p.x, extent.y - 1 - p.y, extent.z - 1 - p.z};
    put(to, shape, opposite, get<T>(from, shape, p));
}

static cudaSurfaceObject_t surface(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t made;
    CHECK(cudaCreateSurfaceObject(&made, &resource));
    return made;
}

static cudaMemcpy3DParms copyOf(cudaArray_t array, void *host, size_t texel, int3 extent,
                                bool back) {
    cudaMemcpy3DParms copy = {};
    cudaPitchedPtr memory = make_cudaPitchedPtr(host, texel * extent.x, extent.x, extent.y);
    if (back)
        copy.srcArray = array, copy.dstPtr = memory, copy.kind = cudaMemcpyDeviceToHost;
    else
        copy.dstArray = array, copy.srcPtr = memory, copy.kind = cudaMemcpyHostToDevice;
    copy.extent = make_cudaExtent(extent.x, extent.y, extent.z);
    return copy;
}

template <class T> static void turnSurface(const char *name, int shape, int3 e) {
    static const unsigned flags[] = {0,
                                     0,
                                     0,
                                     cudaArrayLayered,
                                     cudaArrayLayered,
                                     cudaArrayCubemap,
                                     cudaArrayCubemap | cudaArrayLayered};
    bool line = shape == LINE || shape == LINES, flat = shape == LINE || shape == PLANE;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>();
    cudaExtent extent = make_cudaExtent(e.x, line ? 0 : e.y, flat ? 0 : e.z);
    cudaArray_t from, to;
    CHECK(cudaMalloc3DArray(&from, &channels, extent, flags[shape] | cudaArraySurfaceLoadStore));
    CHECK(cudaMalloc3DArray(&to, &channels, extent, flags[shape] | cudaArraySurfaceLoadStore));
    int n = e.x * e.y * e.z;
    std::vector<T> given(n), got(n);
    for (int i = 0; i < n; i++) {
        uint64_t bits[2] = {random64(), random64()};
        memcpy(&given[i], bits, sizeof(T));
    }
    cudaMemcpy3DParms copy = copyOf(from, given.data(), sizeof(T), e, false);
    CHECK(cudaMemcpy3D(&copy));
    cudaSurfaceObject_t read = surface(from), write = surface(to);
    turn<T><<<(n + 63) / 64, 64>>>(read, write, shape, e);
    FINISH_KERNEL();
    copy = copyOf(to, got.data(), sizeof(T), e, true);
    CHECK(cudaMemcpy3D(&copy));
    for (int i = 0; i < n; i++)
        if (memcmp(&got[i], &given[n - 1 - i], sizeof(T))) differ(name, i, 1, 0);
    CHECK(cudaDestroySurfaceObject(read));
    CHECK(cudaDestroySurfaceObject(write));
    CHECK(cudaFreeArray(from));
    CHECK(cudaFreeArray(to));
}

template <class T> static void turnShapes(const char *name) {
    turnSurface<T>(name, LINE, make_int3(77, 1, 1));
    turnSurface<T>(name, PLANE, make_int3(33, 17, 1));
    turnSurface<T>(name, VOLUME, make_int3(13, 9, 5));
    turnSurface<T>(name, LINES, make_int3(21, 1, 3));
    turnSurface<T>(name, PLANES, make_int3(19, 11, 3));
    turnSurface<T>(name, CUBE, make_int3(7, 7, 6));
    turnSurface<T>(name, CUBES, make_int3(5, 5, 12));
}

/* ---- Edges ---- */

enum { WIDTH = 7, HEIGHT = 4 };

__global__ void outside(cudaSurfaceObject_t s, unsigned *got) {
    got[0] = surf2Dread<unsigned>(s, 400, 2, cudaBoundaryModeClamp);
    got[1] = surf2Dread<unsigned>(s, 400, 2, cudaBoundaryModeZero);
    got[2] = surf2Dread<unsigned>(s, -8, 3, cudaBoundaryModeClamp);
    got[3] = surf2Dread<unsigned>(s, 8, -3, cudaBoundaryModeClamp);
    got[4] = surf2Dread<unsigned>(s, 8, 55, cudaBoundaryModeZero);
    surf2Dwrite<unsigned>(5, s, 400, 1, cudaBoundaryModeClamp);
    surf2Dwrite<unsigned>(6, s, 8, 100, cudaBoundaryModeClamp);
    surf2Dwrite<unsigned>(7, s, 400, 0, cudaBoundaryModeZero);
    asm volatile("sured.b.add.2d.u32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(8), "r"(2),
                 "r"(1000));
    asm volatile("sured.b.max.2d.s32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(12), "r"(2), "r"(-5));
    asm volatile("sured.p.min.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(2), "r"(9));
}

__global__ void storeTexel(cudaSurfaceObject_t s) {
    asm volatile("sust.p.2d.v4.b32.clamp [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(2),
                 "r"(2), "r"(0x3f000000), "r"(0x12345678), "r"(3), "r"(4));
}

__global__ void fail(cudaSurfaceObject_t s, int x) {
    surf2Dwrite<unsigned>(1, s, x, 1);
}

static cudaArray_t numbered(cudaChannelFormatDesc channels) {
    cudaArray_t array;
    unsigned values[WIDTH * HEIGHT];
    CHECK(cudaMallocArray(&array, &channels, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    for (int i = 0; i < WIDTH * HEIGHT; i++) values[i] = 100 + i;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, values, 4 * WIDTH, 4 * WIDTH, HEIGHT,
                              cudaMemcpyHostToDevice));
    return array;
}

static void expect(const char *name, cudaArray_t array, const std::vector<unsigned> &want) {
    unsigned got[WIDTH * HEIGHT];
    CHECK(cudaMemcpy2DFromArray(got, 4 * WIDTH, array, 0, 0, 4 * WIDTH, HEIGHT,
                                cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++) same(name, i, got[i], want[i]);
}

static void checkEdges() {
    cudaArray_t array = numbered(cudaCreateChannelDesc<unsigned>());
    cudaSurfaceObject_t s = surface(array);
    unsigned *d_got = poisoned<unsigned>(5);
    outside<<<1, 1>>>(s, d_got);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(d_got, 5), want = {120, 0, 121, 102, 0},
                          all(WIDTH * HEIGHT);
    for (int i = 0; i < 5; i++) same("outside", i, got[i], want[i]);
    for (int i = 0; i < WIDTH * HEIGHT; i++) all[i] = 100 + i;
    all[13] = 5, all[23] = 6, all[16] += 1000, all[18] = 9;
    expect("edges", array, all);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(array));

    array = numbered(cudaCreateChannelDesc<uchar4>());
    s = surface(array);
    storeTexel<<<1, 1>>>(s);
    FINISH_KERNEL();
    all.assign(WIDTH * HEIGHT, 0);
    for (int i = 0; i < WIDTH * HEIGHT; i++) all[i] = 100 + i;
    all[16] = 0x0403ffff; // saturated to bytes
    expect("texels", array, all);
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(array));
}

/* Each thread adds 1 to its texel, once, whatever simt has to run again: four blocks' bytes lie in
 * a word. */
__global__ void addOne(cudaSurfaceObject_t s, unsigned char *bytes) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(surf2Dread<unsigned>(s, 4 * x, y) + 1, s, 4 * x, y);
    if (x == 0) bytes[y] += 1;
}

static void checkOnce() {
    const int width = 64, height = 256;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned>();
    cudaArray_t array;
    std::vector<unsigned> texels(width * height, 5);
    CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 4 * width, 4 * width, height,
                              cudaMemcpyHostToDevice));
    addOne<<<height, width>>>(surface(array), poisoned<unsigned char>(height));
    FINISH_KERNEL();
    CHECK(cudaMemcpy2DFromArray(texels.data(), 4 * width, array, 0, 0, 4 * width, height,
                                cudaMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++) same("added to", i, texels[i], 6u);
    CHECK(cudaFreeArray(array));
}

int main(int argc, char **argv) {
    if (argc > 1) {
        cudaArray_t array = numbered(cudaCreateChannelDesc<unsigned>());
        fail<<<1, 1>>>(surface(array), strcmp(argv[1], "outside") ? 6 : 4 * WIDTH);
        cudaError_t error = cudaDeviceSynchronize();
        printf("%s\n", cudaGetErrorString(error));
        return error != cudaSuccess;
    }
    turnShapes<unsigned char>("unsigned char");
    turnShapes<short2>("short2");
    turnShapes<float>("float");
    turnShapes<uint2>("uint2");
    turnShapes<float4>("float4");
    checkEdges();
    checkOnce();
    return finish();
}
