// As notes print it: three conditions, timed by the host, after a kernel that warms the GPU up.
//
// build plain
// build debug -G
// case | 0 | ^byWarp[[:space:]]+1, 64[[:space:]]+elapsed [0-9.]+ sec
// case 32 1000 | 0 | ^byThread[[:space:]]+32, 32[[:space:]]+elapsed
// nvprof --metrics branch_efficiency | byThread.* Branch Efficiency +[0-9.]+% | byWarp.* Branch Efficiency +100.00%
// nvprof --events branch,divergent_branch | byThread.* divergent_branch +[0-9]+ | byWarp.* divergent_branch +0
#include "../common/common.h"
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void warmup(float *out) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    float one = 0.0, two = 0.0;
    if ((id / warpSize) % 2 == 0) {
        one = 1.0f;
    } else {
        two = 2.0f;
    }
    out[id] = one + two;
}

__global__ void byThread(float *out) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    float one = 0.0, two = 0.0;
    if (id % 2 == 0) {
        one = 1.0f;
    } else {
        two = 2.0f;
    }
    out[id] = one + two;
}

__global__ void byWarp(float *out) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    float one = 0.0, two = 0.0;
    if ((id / warpSize) % 2 == 0) {
        one = 1.0f;
    } else {
        two = 2.0f;
    }
    out[id] = one + two;
}

int main(int argc, char **argv) {
    int dev = 0;
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, dev));
    printf("%s uses device %d: %s\n", argv[0], dev, prop.name);
    int size = 64, threads = 64;
    if (argc > 1) threads = atoi(argv[1]);
    if (argc > 2) size = atoi(argv[2]);
    dim3 block(threads, 1);
    dim3 grid((size - 1) / block.x + 1, 1);

    float *out_dev;
    size_t bytes = grid.x * block.x * sizeof(float);
    float *out_host = (float *)malloc(bytes);
    CHECK(cudaMalloc((float **)&out_dev, bytes));
    CHECK(cudaDeviceSynchronize());
    double start = cpuSecond();
    warmup<<<grid, block>>>(out_dev);
    CHECK(cudaDeviceSynchronize());
    double elapsed = cpuSecond() - start;
    printf("warmup\t\t%d, %d\telapsed %lf sec \n", grid.x, block.x, elapsed);
    CHECK(cudaGetLastError());

    start = cpuSecond();
    byThread<<<grid, block>>>(out_dev);
    CHECK(cudaDeviceSynchronize());
    elapsed = cpuSecond() - start;
    printf("byThread\t%d, %d\telapsed %lf sec \n", grid.x, block.x, elapsed);
    CHECK(cudaMemcpy(out_host, out_dev, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaGetLastError());

    start = cpuSecond();
    byWarp<<<grid, block>>>(out_dev);
    CHECK(cudaDeviceSynchronize());
    elapsed = cpuSecond() - start;
    printf("byWarp\t\t%d, %d\telapsed %lf sec \n", grid.x, block.x, elapsed);
    CHECK(cudaGetLastError());

    CHECK(cudaFree(out_dev));
    free(out_host);
    CHECK(cudaDeviceReset());
    return EXIT_SUCCESS;
}
