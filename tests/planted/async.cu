/*
 * async.cu: copies by cp.async that are not waited for. `async NAME` runs one and prints what it
 * summed up. Comments "<- NAME" mark the lines that the messages must name;
 * tests/targets/check.bats reads them.
 */
#include <cstdio>
#include <cstring>

#include <cuda_pipeline.h>

#define THREADS 64

/* The thread uses what it copies before it has waited. */
__global__ void unwaited(const int *in, int *out) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = 0;
    __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 4); // <- unwaited write
    __pipeline_commit();
    out[threadIdx.x] = tile[threadIdx.x]; // <- unwaited read
}

/* Two groups on their way, and the wrong one waited for. */
__global__ void early(const int *in, int *out) {
    __shared__ int tile[2][THREADS];
    for (int i = 0; i < 2; i++) {
        tile[i][threadIdx.x] = 0;
        __pipeline_memcpy_async(tile[i] + threadIdx.x, in + threadIdx.x, 4); // <- early write
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x] = tile[1][threadIdx.x ^ 1]; // <- early read
    __pipeline_wait_prior(0);
}

/* Each thread waits for its own copy only, and reads another's. */
__global__ void apart(const int *in, int *out) {
    __shared__ int tile[THREADS];
    __pipeline_memcpy_async(tile + threadIdx.x, in + threadIdx.x, 4); // <- apart write
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[(threadIdx.x + 32) % THREADS]; // <- apart read
}

int main(int argc, char **argv) {
    int ones[THREADS], *in, *out, sum = 0;
    for (int &x : ones) x = 1;
    cudaMalloc(&in, sizeof ones);
    cudaMalloc(&out, sizeof ones);
    cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice);
    if (argc > 1 && !strcmp(argv[1], "unwaited")) unwaited<<<1, THREADS>>>(in, out);
    if (argc > 1 && !strcmp(argv[1], "early")) early<<<1, THREADS>>>(in, out);
    if (argc > 1 && !strcmp(argv[1], "apart")) apart<<<1, THREADS>>>(in, out);
    cudaMemcpy(ones, out, sizeof ones, cudaMemcpyDeviceToHost);
    for (int x : ones) sum += x;
    cudaFree(in);
    cudaFree(out);
    printf("sum %d\n", sum);
}
