// Pitched and three-dimensional memory: cudaMallocPitch, cudaMalloc3D, 2D and 3D copies in every
// direction, 2D and 3D memset.
#include "check.h"

enum { WIDTH = 37, HEIGHT = 11, DEPTH = 5 };

__global__ void add_coordinates(float *base, size_t pitch) {
    int x = threadIdx.x, y = blockIdx.x;
    float *row = (float *)((char *)base + y * pitch);
    row[x] += 1000 * y + x;
}
__global__ void walk(cudaPitchedPtr volume, int *out) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    char *slice = (char *)volume.ptr + z * volume.pitch * HEIGHT;
    int *row = (int *)(slice + y * volume.pitch);
    out[(z * HEIGHT + y) * 7 + x] = row[x];
}

static void test_2d() {
    std::vector<float> host(WIDTH * HEIGHT), back(WIDTH * HEIGHT);
    for (float &x : host) x = (float)(random32() % 100);
    float *image, *second;
    size_t pitch, pitch2, row = WIDTH * sizeof(float);
    CHECK(cudaMallocPitch(&image, &pitch, row, HEIGHT));
    CHECK(cudaMallocPitch(&second, &pitch2, 2 * row, HEIGHT));
    same("pitch holds a row", 0, pitch >= row && pitch % 32 == 0, true);
    CHECK(cudaMemcpy2D(image, pitch, host.data(), row, row, HEIGHT, cudaMemcpyHostToDevice));
    add_coordinates<<<HEIGHT, WIDTH>>>(image, pitch);
    CHECK(cudaMemcpy2DAsync((char *)second + row, pitch2, image, pitch, row, HEIGHT,
                            cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2D(back.data(), row, (char *)second + row, pitch2, row, HEIGHT,
                       cudaMemcpyDefault));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        same("2D", i, back[i], host[i] + 1000 * (i / WIDTH) + i % WIDTH);
    CHECK(cudaMemset2D(image, pitch, 0, 10 * sizeof(float), HEIGHT - 1));
    CHECK(cudaMemcpy2D(back.data(), row, image, pitch, row, HEIGHT, cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        bool cleared = i % WIDTH < 10 && i / WIDTH < HEIGHT - 1;
        same("memset2D", i, back[i], cleared ? 0 : host[i] + 1000 * (i / WIDTH) + i % WIDTH);
    }
    same("pitch below the width", 0,
         (int)cudaMemcpy2D(image, 8, host.data(), row, row, 2, cudaMemcpyHostToDevice),
         (int)cudaErrorInvalidPitchValue);
    cudaGetLastError();
    std::vector<float> one_column(HEIGHT); // a column: width 4, two different pitches
    CHECK(cudaMemcpy2D(one_column.data(), sizeof(float), image + 20, pitch, sizeof(float), HEIGHT,
                       cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        same("column", y, one_column[y], host[y * WIDTH + 20] + 1000 * y + 20);
    CHECK(cudaFree(image));
    CHECK(cudaFree(second));
}

static void test_3d() {
    const cudaExtent extent = make_cudaExtent(7 * sizeof(int), HEIGHT, DEPTH);
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, extent));
    std::vector<int> host(7 * HEIGHT * DEPTH);
    for (int &x : host) x = (int)random32();
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), 7 * sizeof(int), 7, HEIGHT);
    copy.dstPtr = volume;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    int *out = poisoned<int>(7 * HEIGHT * DEPTH);
    walk<<<1, dim3(7, HEIGHT, DEPTH)>>>(volume, out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 7 * HEIGHT * DEPTH);
    for (size_t i = 0; i < got.size(); i++) same("3D", i, got[i], host[i]);
    // A box of 3 x 4 x 2 from (2, 1, 1) goes to (1, 5, 3) of the same volume.
    cudaMemcpy3DParms box = {};
    box.srcPtr = box.dstPtr = volume;
    box.srcPos = make_cudaPos(2 * sizeof(int), 1, 1);
    box.dstPos = make_cudaPos(1 * sizeof(int), 5, 3);
    box.extent = make_cudaExtent(3 * sizeof(int), 4, 2);
    box.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3DAsync(&box));
    CHECK(cudaMemset3D(make_cudaPitchedPtr((char *)volume.ptr, volume.pitch, 7, HEIGHT), 0xFF,
                       make_cudaExtent(4, 2, 1)));
    std::vector<int> want = host;
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 3; x++)
                want[((z + 3) * HEIGHT + y + 5) * 7 + x + 1] =
                    host[((z + 1) * HEIGHT + y + 1) * 7 + x + 2];
    want[0] = want[7] = -1;
    walk<<<1, dim3(7, HEIGHT, DEPTH)>>>(volume, out);
    FINISH_KERNEL();
    got = to_host(out, 7 * HEIGHT * DEPTH);
    for (size_t i = 0; i < got.size(); i++) same("box", i, got[i], want[i]);
    CHECK(cudaFree(volume.ptr));
}

int main() {
    test_2d();
    test_3d();
    return finish();
}
