/*
 * CUDA arrays: what can be allocated, what is known of them, and copies between them, the host and
 * the device. Errors are those that an H200 gave.
 */
#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cudaExtent extent(size_t x, size_t y, size_t z) {
    return make_cudaExtent(x, y, z);
}

/* ---- Allocating ---- */

static void expectArray(const char *what, cudaExtent e, unsigned flags, cudaError_t want) {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), channels;
    cudaArray_t array;
    unsigned got;
    cudaExtent size;
    cudaError_t error = cudaMalloc3DArray(&array, &f, e, flags);
    refuse(what, error, want);
    if (error) return;
    CHECK(cudaArrayGetInfo(&channels, &size, &got, array));
    same(what, 1, size.width, e.width);
    same(what, 2, size.height, e.height);
    same(what, 3, size.depth, e.depth);
    same(what, 4, got, flags);
    same(what, 5, channels.x, 32);
    same(what, 6, (int)channels.f, (int)cudaChannelFormatKindFloat);
    CHECK(cudaFreeArray(array));
}

static void checkShapes() {
    const cudaError_t bad = cudaErrorInvalidValue, good = cudaSuccess;
    expectArray("nothing", extent(0, 0, 0), 0, bad);
    expectArray("longest line", extent(131072, 0, 0), 0, good);
    expectArray("longer line", extent(131073, 0, 0), 0, bad);
    expectArray("plane too high", extent(4, 65537, 0), 0, bad);
    expectArray("longest line of a surface", extent(32768, 0, 0), cudaArraySurfaceLoadStore, good);
    expectArray("longer line of a surface", extent(32769, 0, 0), cudaArraySurfaceLoadStore, bad);
    expectArray("no layers", extent(4, 4, 0), cudaArrayLayered, bad);
    expectArray("lines", extent(4, 0, 4), cudaArrayLayered, good);
    expectArray("most layers", extent(4, 4, 2048), cudaArrayLayered, good);
    expectArray("more layers", extent(4, 4, 2049), cudaArrayLayered, bad);
    expectArray("volume without rows", extent(4, 0, 4), 0, bad);
    expectArray("volume", extent(4, 4, 4), 0, good);
    expectArray("deep volume", extent(4, 4, 16385), 0, good);
    expectArray("volume too wide", extent(16385, 4, 4), 0, bad);
    expectArray("cube of 5", extent(4, 4, 5), cudaArrayCubemap, bad);
    expectArray("cube", extent(4, 4, 6), cudaArrayCubemap, good);
    expectArray("oblong cube", extent(4, 5, 6), cudaArrayCubemap, bad);
    expectArray("two cubes", extent(4, 4, 12), cudaArrayCubemap | cudaArrayLayered, good);
    expectArray("two cubes, no layers", extent(4, 4, 12), cudaArrayCubemap, bad);
    expectArray("gathered plane", extent(4, 4, 0), cudaArrayTextureGather, good);
    expectArray("gathered line", extent(4, 0, 0), cudaArrayTextureGather, bad);
    expectArray("gathered volume", extent(4, 4, 4), cudaArrayTextureGather, bad);
    expectArray("unknown flag", extent(4, 4, 0), 0x4000, bad);
}

static void checkFormats() {
    const cudaError_t bad = cudaErrorInvalidChannelDescriptor;
    cudaChannelFormatDesc wrong[] = {
        cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat),
        cudaCreateChannelDesc(7, 0, 0, 0, cudaChannelFormatKindUnsigned),
        cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned),
        cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindFloat),
        cudaCreateChannelDesc(0, 8, 0, 0, cudaChannelFormatKindUnsigned),
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindNone)};
    cudaArray_t array;
    for (const cudaChannelFormatDesc &channels : wrong)
        refuse("format", cudaMallocArray(&array, &channels, 4, 4), bad);
    refuse("no format", cudaMallocArray(&array, nullptr, 4, 4), cudaErrorInvalidValue);
    refuse("no array", cudaArrayGetInfo(nullptr, nullptr, nullptr, nullptr),
           cudaErrorInvalidResourceHandle);
    refuse("free nothing", cudaFreeArray(nullptr), cudaSuccess);
}

static void checkLevels() {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    cudaArray_t level;
    cudaExtent size;
    CHECK(cudaMallocMipmappedArray(&mipmap, &f, extent(16, 6, 0), 9)); // more than there are
    CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, 3));
    CHECK(cudaArrayGetInfo(nullptr, &size, nullptr, level));
    same("level", 0, size.width, 2);
    same("level", 1, size.height, 1);
    CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, 4));
    refuse("no level", cudaGetMipmappedArrayLevel(&level, mipmap, 5), cudaErrorInvalidValue);
    CHECK(cudaFreeMipmappedArray(mipmap));
}

/* ---- Copies ---- */

enum { WIDTH = 10, HEIGHT = 6, ROW = WIDTH * 4, BYTES = ROW * HEIGHT };

static std::vector<float> numbers(int first) {
    std::vector<float> values(WIDTH * HEIGHT);
    for (size_t i = 0; i < values.size(); i++) values[i] = (float)(first + (int)i);
    return values;
}

static std::vector<float> contents(cudaArray_t array) {
    std::vector<float> values(WIDTH * HEIGHT);
    CHECK(cudaMemcpy2DFromArray(values.data(), ROW, array, 0, 0, ROW, HEIGHT,
                                cudaMemcpyDeviceToHost));
    return values;
}

static void expect(const char *what, cudaArray_t array, const std::vector<float> &want) {
    std::vector<float> got = contents(array);
    for (size_t i = 0; i < want.size(); i++) same(what, (long)i, got[i], want[i]);
}

static void checkCopies() {
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a, b;
    CHECK(cudaMallocArray(&a, &f, WIDTH, HEIGHT));
    CHECK(cudaMallocArray(&b, &f, WIDTH, HEIGHT));
    std::vector<float> from = numbers(100), other = numbers(500), want = from;
    float *device = to_device(other);
    CHECK(cudaMemcpyToArray(a, 0, 0, from.data(), BYTES, cudaMemcpyHostToDevice));
    expect("whole", a, want);
    CHECK(cudaMemcpy2DToArray(a, 8, 1, device, ROW, 12, 3, cudaMemcpyDeviceToDevice));
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) want[(y + 1) * WIDTH + x + 2] = other[y * WIDTH + x];
    expect("part", a, want);
    CHECK(cudaMemcpyToArray(a, 4, 2, other.data(), 100,
                            cudaMemcpyHostToDevice)); // goes on in the next rows
    for (int i = 0; i < 25; i++) want[2 * WIDTH + 1 + i] = other[i];
    expect("bytes", a, want);
    std::vector<float> bytes(25);
    CHECK(cudaMemcpyFromArray(bytes.data(), a, 8, 1, 100, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 25; i++) same("bytes back", i, bytes[i], want[WIDTH + 2 + i]);
    CHECK(cudaMemcpyToArray(b, 0, 0, other.data(), BYTES, cudaMemcpyDefault));
    CHECK(cudaMemcpyArrayToArray(b, 8, 0, a, 4, 1, 100));
    std::vector<float> second = other;
    for (int i = 0; i < 25; i++) second[2 + i] = want[WIDTH + 1 + i];
    expect("array to array", b, second);
    CHECK(cudaMemcpy2DArrayToArray(b, 0, 3, a, 20, 0, 16, 2));
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++) second[(y + 3) * WIDTH + x] = want[y * WIDTH + 5 + x];
    expect("box of an array", b, second);

    const cudaError_t bad = cudaErrorInvalidValue;
    refuse("too far right",
           cudaMemcpy2DToArray(a, 4, 0, from.data(), ROW, ROW, HEIGHT, cudaMemcpyHostToDevice),
           bad);
    refuse("too low",
           cudaMemcpy2DToArray(a, 0, 1, from.data(), ROW, ROW, HEIGHT, cudaMemcpyHostToDevice),
           bad);
    refuse("pitch", cudaMemcpy2DToArray(a, 0, 0, from.data(), 20, ROW, 2, cudaMemcpyHostToDevice),
           cudaErrorInvalidPitchValue);
    refuse("direction",
           cudaMemcpy2DToArray(a, 0, 0, from.data(), ROW, ROW, 2, cudaMemcpyDeviceToHost),
           cudaErrorInvalidMemcpyDirection);
    refuse("host as device",
           cudaMemcpy2DToArray(a, 0, 0, from.data(), ROW, ROW, 2, cudaMemcpyDeviceToDevice), bad);
    refuse("no array",
           cudaMemcpy2DToArray(nullptr, 0, 0, from.data(), ROW, ROW, 2, cudaMemcpyHostToDevice),
           cudaErrorInvalidResourceHandle);
    refuse("more bytes", cudaMemcpyToArray(a, 0, 0, from.data(), BYTES + 4, cudaMemcpyHostToDevice),
           bad);
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
}

static void checkVolumes() {
    const int width = 5, height = 4, depth = 3, n = width * height * depth;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<int2>();
    cudaArray_t array;
    std::vector<int2> from(n), got(n);
    for (int i = 0; i < n; i++) from[i] = make_int2(i, -i);
    CHECK(cudaMalloc3DArray(&array, &f, extent(width, height, depth)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(from.data(), width * sizeof(int2), width, height);
    p.dstArray = array, p.extent = extent(width, height, depth), p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    memset(&p, 0, sizeof p);
    p.srcArray = array, p.srcPos = make_cudaPos(1, 2, 1), p.extent = extent(3, 2, 2),
    p.kind = cudaMemcpyDeviceToHost;
    p.dstPtr = make_cudaPitchedPtr(got.data(), 3 * sizeof(int2), 3, 2);
    CHECK(cudaMemcpy3D(&p));
    for (int i = 0; i < 12; i++) {
        int x = i % 3 + 1, y = i / 3 % 2 + 2, z = i / 6 + 1;
        same("box", i, got[i].x, (z * height + y) * width + x);
        same("box", i, got[i].y, -((z * height + y) * width + x));
    }
    p.srcPos = make_cudaPos(3, 2, 1);
    refuse("outside", cudaMemcpy3D(&p), cudaErrorInvalidValue);
    CHECK(cudaFreeArray(array));
}

int main() {
    checkShapes();
    checkFormats();
    checkLevels();
    checkCopies();
    checkVolumes();
    return finish();
}
