// Kernels that do one thing each: `trust KIND...` launches those, and times them.
#include "common.h"

#include <cstring>

#define N 1024

__global__ void plain(int *v) {
    v[threadIdx.x] = threadIdx.x;
}
__global__ void local(int *v) {
    int a[16];
    for (int i = 0; i < 16; i++) a[i] = v[threadIdx.x] + i;
    v[threadIdx.x] = a[v[threadIdx.x] & 15];
}
__global__ void atomic(int *v) {
    atomicAdd(v, 1);
}
__global__ void branch(int *v) {
    int n = v[threadIdx.x] + threadIdx.x % 32, x = 0;
    for (int i = 0; i < n; i++) x = x * 3 + (x >> 3);
    v[threadIdx.x] = x;
}
__global__ void gather(int *v) {
    int at = threadIdx.x * 17 % N;
    v[threadIdx.x] = v[at] + v[at * 13 % N];
}
__global__ void shared(int *v) {
    __shared__ int s[32];
    s[threadIdx.x] = v[threadIdx.x];
    __syncthreads();
    v[threadIdx.x] = s[31 - threadIdx.x];
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*kernel)(int *);
    } kinds[] = {{"plain", plain},   {"local", local},   {"atomic", atomic},
                 {"branch", branch}, {"gather", gather}, {"shared", shared}};
    cudaEvent_t event;
    int *v;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMalloc(&v, N * sizeof(int)));
    CHECK(cudaMemset(v, 0, N * sizeof(int)));
    for (int i = 1; i < argc; i++)
        for (const auto &kind : kinds)
            if (strcmp(argv[i], kind.name) == 0) kind.kernel<<<1, 32>>>(v);
    CHECK(cudaEventRecord(event));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(v));
    return 0;
}
