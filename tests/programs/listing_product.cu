// As notes print it: a matrix product without and with tiles in shared memory, timed by
// gettimeofday and by events, and the three loops on the host.
//
// case | 0 | ^tiles: [0-9.]+ ms by events, [0-9.]+ s by the host, right$
// nvprof | GPU activities: .*% .*MatMulKernel.float | % .*MatMulTiles.float
#include "../common/common.h"
#include <stdio.h>
#include <sys/time.h>
#define TILE_WIDTH 16

double cpuTime() {
    struct timeval tp;
    gettimeofday(&tp, NULL);
    return ((double)tp.tv_sec + (double)tp.tv_usec * 1.e-6);
}

void MatMulHost(float *M, float *N, float *P, int Width) {
    for (int i = 0; i < Width; i++)
        for (int j = 0; j < Width; j++) {
            float sum = 0.0;
            for (int k = 0; k < Width; k++) {
                sum += M[i * Width + k] * N[k * Width + j];
            }
            P[i * Width + j] = sum;
        }
}

__global__ void MatMulKernel(float *Md, float *Nd, float *Pd, int Width) {
    int Row = blockIdx.y * blockDim.y + threadIdx.y;
    int Col = blockIdx.x * blockDim.x + threadIdx.x;
    if ((Row < Width) && (Col < Width)) {
        float Sum = 0.0;
        for (int k = 0; k < Width; ++k) Sum += Md[Row * Width + k] * Nd[k * Width + Col];
        Pd[Row * Width + Col] = Sum;
    }
}

__global__ void MatMulTiles(float *Md, float *Nd, float *Pd, int Width) {
    __shared__ float Ms[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Ns[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x;
    int by = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int Row = by * TILE_WIDTH + ty;
    int Col = bx * TILE_WIDTH + tx;
    float Sum = 0;
    for (int m = 0; m < Width / TILE_WIDTH; ++m) {
        Ms[ty][tx] = Md[Row * Width + (m * TILE_WIDTH + tx)];
        Ns[ty][tx] = Nd[(m * TILE_WIDTH + ty) * Width + Col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE_WIDTH; ++k) Sum += Ms[ty][k] * Ns[k][tx];
        __syncthreads();
    }
    Pd[Row * Width + Col] = Sum;
}

int main() {
    const int Width = 128, n = Width * Width;
    float *M = hostArray<float>(n), *N = hostArray<float>(n), *P = hostArray<float>(n),
          *want = hostArray<float>(n);
    float *Md, *Nd, *Pd, ms;
    initialData(M, n);
    initialData(N, n, 2);
    MatMulHost(M, N, want, Width);
    cudaMalloc((void **)&Md, n * sizeof(float));
    cudaMalloc((void **)&Nd, n * sizeof(float));
    cudaMalloc((void **)&Pd, n * sizeof(float));
    cudaMemcpy(Md, M, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(Nd, N, n * sizeof(float), cudaMemcpyHostToDevice);
    int NB = Width / TILE_WIDTH;
    if (Width % TILE_WIDTH != 0) NB++;
    dim3 dimGrid(NB, NB);
    dim3 dimBlock(TILE_WIDTH, TILE_WIDTH);
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int tiles = 0; tiles < 2; tiles++) {
        double t_start = cpuTime();
        cudaEventRecord(start);
        if (tiles)
            MatMulTiles<<<dimGrid, dimBlock>>>(Md, Nd, Pd, Width);
        else
            MatMulKernel<<<dimGrid, dimBlock>>>(Md, Nd, Pd, Width);
        cudaEventRecord(stop);
        cudaDeviceSynchronize();
        double kernel_time = cpuTime() - t_start;
        cudaEventElapsedTime(&ms, start, stop);
        cudaMemcpy(P, Pd, n * sizeof(float), cudaMemcpyDeviceToHost);
        int wrong = 0;
        for (int i = 0; i < n; i++) wrong += !(fabs(P[i] - want[i]) <= 1e-5 * want[i]);
        printf("%s: %f ms by events, %f s by the host, %s\n", tiles ? "tiles" : "plain", ms,
               kernel_time, wrong ? "wrong" : "right");
    }
    cudaFree(Md);
    cudaFree(Nd);
    cudaFree(Pd);
    free(M);
    free(N);
    free(P);
    free(want);
    cudaDeviceReset();
    return 0;
}
