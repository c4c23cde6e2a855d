// Matrix transposes: naive, tiled with padding, several rows a thread, ragged sizes;
// three-dimensional permutation.
#include "check.h"

enum { TILE = 32, ROWS = 8 };

template <class T> __global__ void naive(const T *in, T *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}
template <class T> __global__ void tiled(const T *in, T *out, int width, int height) {
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void permute(const float *in, float *out, dim3 size) { // (x, y, z) to (z, x, y)
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < size.x && y < size.y && z < size.z)
        out[(y * size.x + x) * size.z + z] = in[(z * size.y + y) * size.x + x];
}

template <class T> static void test(const char *type, int width, int height) {
    std::vector<T> in(width * height);
    for (T &x : in) x = (T)random32();
    T *device = to_device(in), *out = poisoned<T>(width * height);
    for (int which = 0; which < 2; which++) {
        CHECK(cudaMemset(out, 0xCC, in.size() * sizeof(T)));
        dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
        if (which)
            tiled<<<grid, dim3(TILE, ROWS)>>>(device, out, width, height);
        else
            naive<<<grid, dim3(TILE, TILE)>>>(device, out, width, height);
        FINISH_KERNEL();
        std::vector<T> got = to_host(out, in.size());
        for (int i = 0; i < width * height; i++)
            same(type, i, got[i], in[i % height * width + i / height]);
    }
}

int main() {
    test<float>("float", 64, 64);
    test<float>("float", 77, 131);
    test<float>("float", 1, 1);
    test<double>("double", 33, 31);
    test<char>("char", 45, 67);
    const dim3 size(19, 7, 23);
    std::vector<float> in(19 * 7 * 23);
    for (float &x : in) x = (float)random32();
    float *out = poisoned<float>(in.size());
    permute<<<dim3(3, 1, 6), dim3(8, 8, 4)>>>(to_device(in), out, size);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, in.size());
    for (int i = 0; i < (int)in.size(); i++)
        same("permute", i, got[i], in[(i % 23 * 7 + i / 23 / 19) * 19 + i / 23 % 19]);
    return finish();
}
