// A sum of two vectors of 4 MiB in managed memory, which the host fills, and whose result it reads.
#include "common.h"

__global__ void add(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}

int main() {
    const int n = 1 << 20;
    float *x, *y, sum = 0;
    CHECK(cudaMallocManaged(&x, n * sizeof(float)));
    CHECK(cudaMallocManaged(&y, n * sizeof(float)));
    for (int i = 0; i < n; i++) x[i] = y[i] = 1;
    add<<<n / 256, 256>>>(n, x, y);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) sum += y[i];
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return sum != 2.0f * n;
}
