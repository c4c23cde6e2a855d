// A program in the textbook's manner: its helpers by their names and its habits. It includes C's
// headers, checkResult's answer is not looked at, a launch's error is not asked for, and a block
// that is too large gives old results.
//
// case 16 8 | 0 | ^<<<\(5, 13\), \(16, 8\)>>> done$
// case 16 8 wrong | 0 | ^Arrays do not match: index 7: got -1 want [0-9.]+$
// case 256 8 | 0 | ^Arrays do not match: index 0: got 0 want .*; an earlier CUDA call failed: invalid
// (argument|configuration argument)$
// nvprof --metrics achieved_occupancy 16 8 | addRows.* achieved_occupancy .* 0.[0-9]+
// nvprof --metrics gld_throughput 16 8 | addRows.* gld_throughput .*B/s
// nvprof --metrics gld_efficiency 16 8 | addRows.* gld_efficiency .* [0-9.]+%
#include "../../common/common.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void addRows(float *a, float *b, float *c, const int columns, const int rows) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int *heap = (int *)malloc(sizeof(int));
    free(heap);
    if (x < columns && y < rows) c[y * columns + x] = a[y * columns + x] + b[y * columns + x];
}

int main(int argc, char **argv) {
    int columns = 77, rows = 101, n = columns * rows;
    size_t bytes = n * sizeof(float);
    float *a_host = (float *)malloc(bytes), *b_host = (float *)malloc(bytes),
          *c_host = (float *)malloc(bytes);
    float *from_gpu = (float *)malloc(bytes);
    initialData(a_host, n);
    initialData(b_host, n);
    for (int i = 0; i < n; i++) c_host[i] = a_host[i] + b_host[i];

    float *a, *b, *c;
    CHECK(cudaMalloc((float **)&a, bytes));
    CHECK(cudaMalloc((float **)&b, bytes));
    CHECK(cudaMalloc((float **)&c, bytes));
    CHECK(cudaMemcpy(a, a_host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, b_host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(c, 0, bytes));

    dim3 block(atoi(argv[1]), atoi(argv[2]));
    dim3 grid((columns - 1) / block.x + 1, (rows - 1) / block.y + 1);
    double start = cpuSecond();
    addRows<<<grid, block>>>(a, b, c, columns, rows);
    CHECK(cudaDeviceSynchronize());
    double elapsed = cpuSecond() - start;
    CHECK(cudaMemcpy(from_gpu, c, bytes, cudaMemcpyDeviceToHost));
    if (argc > 3) from_gpu[7] = -1;
    checkResult(c_host, from_gpu, n);
    printf("<<<(%d, %d), (%d, %d)>>> %s\n", grid.x, grid.y, block.x, block.y,
           elapsed >= 0 ? "done" : "");

    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    free(a_host);
    free(b_host);
    free(c_host);
    free(from_gpu);
    cudaDeviceReset();
    return 0;
}
