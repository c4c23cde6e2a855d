// The accesses of lab 10's table, one in each kernel: a warp's 32 threads load, and the profiler
// counts sectors.
//
// case | 0 |
#include "../../common/common.h"

enum { WIDTH = 64, ROUNDS = 8 };

__global__ void inLastPlace(const float (*b)[WIDTH], float *out) {
    int idx = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < ROUNDS; i++) sum += b[i][idx];
    out[idx] = sum;
}

__global__ void sameForAll(const float (*a)[WIDTH], float *out) {
    int idx = threadIdx.x, idy = threadIdx.y;
    float sum = 0;
    UNROLL
    for (int i = 0; i < ROUNDS; i++)
        sum += *(volatile const float *)&a[idy][i]; // not several words in one load
    out[idx] = sum;
}

__global__ void inFirstPlace(const float (*a)[WIDTH], float *out) {
    int idx = threadIdx.x;
    out[idx] = a[idx][5];
}

__global__ void inMiddlePlace(const float (*a)[WIDTH][WIDTH], float *out) {
    int idx = threadIdx.x;
    out[idx] = a[0][idx][0];
}

__global__ void shifted(const float *b, float *out) {
    int idx = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < ROUNDS; i++) sum += b[idx + i];
    out[idx] = sum;
}

__global__ void unresolved(const float *b, const int *order, float *out) {
    int idx = threadIdx.x;
    out[idx] = b[order[idx]];
}

int main() {
    float *words, *out;
    int order[32], *d_order;
    for (int i = 0; i < 32; i++) order[i] = 31 - i;
    CHECK(cudaMalloc(&words, WIDTH * WIDTH * sizeof(float)));
    CHECK(cudaMalloc(&out, 32 * sizeof(float)));
    CHECK(cudaMalloc(&d_order, sizeof order));
    CHECK(cudaMemset(words, 0, WIDTH * WIDTH * sizeof(float)));
    CHECK(cudaMemcpy(d_order, order, sizeof order, cudaMemcpyHostToDevice));
    inLastPlace<<<1, 32>>>((const float(*)[WIDTH])words, out);
    sameForAll<<<1, 32>>>((const float(*)[WIDTH])words, out);
    inFirstPlace<<<1, 32>>>((const float(*)[WIDTH])words, out);
    inMiddlePlace<<<1, 32>>>((const float(*)[WIDTH][WIDTH])words, out);
    shifted<<<1, 32>>>(words, out);
    unresolved<<<1, 32>>>(words, d_order, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(words));
    CHECK(cudaFree(out));
    CHECK(cudaFree(d_order));
    return 0;
}
