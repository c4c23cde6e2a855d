// A user's own program: it doubles numbers, and prints one.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void twice(int *p) {
    p[threadIdx.x] *= 2;
}
int main() {
    int h[32], *d;
    for (int i = 0; i < 32; i++) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyDefault);
    twice<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDefault);
    cudaFree(d);
    printf("2 times 21 is %d\n", h[21]);
    return h[21] != 42;
}
