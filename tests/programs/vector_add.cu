// c = a + b, written as CUDA's first sample is, with a bounds check and a size that is no multiple
// of the block.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

__global__ void vectorAdd(const float *a, const float *b, float *c, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

int main(void) {
    const int n = 50000;
    size_t size = n * sizeof(float);
    float *a = (float *)malloc(size), *b = (float *)malloc(size), *c = (float *)malloc(size);
    srand(7);
    for (int i = 0; i < n; i++) a[i] = rand() / (float)RAND_MAX, b[i] = rand() / (float)RAND_MAX;
    float *d_a = NULL, *d_b = NULL, *d_c = NULL;
    check(cudaMalloc((void **)&d_a, size), "cudaMalloc a");
    check(cudaMalloc((void **)&d_b, size), "cudaMalloc b");
    check(cudaMalloc((void **)&d_c, size), "cudaMalloc c");
    check(cudaMemcpy(d_a, a, size, cudaMemcpyHostToDevice), "copy of a");
    check(cudaMemcpy(d_b, b, size, cudaMemcpyHostToDevice), "copy of b");
    int threads = 256, blocks = (n + threads - 1) / threads;
    vectorAdd<<<blocks, threads>>>(d_a, d_b, d_c, n);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(c, d_c, size, cudaMemcpyDeviceToHost), "copy of c");
    for (int i = 0; i < n; i++)
        if (c[i] != a[i] + b[i]) {
            printf("c [%d]: got %g, want %g\n", i, c[i], a[i] + b[i]);
            return 1;
        }
    check(cudaFree(d_a), "free of a");
    check(cudaFree(d_b), "free of b");
    check(cudaFree(d_c), "free of c");
    free(a), free(b), free(c);
    printf("ok\n");
    return 0;
}
