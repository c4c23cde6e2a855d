// As notes print it: sums in shared memory of a launch's third argument, the end of the tree by
// volatile, the block size as a template parameter that a switch picks, and events for the time.
//
// unchecked the last warp is volatile and not synchronised: a race since Volta
// case 256 | 0 | ^sum over 256 blocks is right: [0-9]+
// case 32 | 0 | ^sum over 2048 blocks is right: [0-9]+
// nvprof --metrics shared_load_transactions_per_request | cascade<unsigned int=256>.* 1.000000
#include "../common/common.h"
#include <stdio.h>

template <unsigned int blockSize> __device__ void lastWarp(volatile int *sums, int tid) {
    if (blockSize >= 64) sums[tid] += sums[tid + 32];
    if (blockSize >= 32) sums[tid] += sums[tid + 16];
    if (blockSize >= 16) sums[tid] += sums[tid + 8];
    if (blockSize >= 8) sums[tid] += sums[tid + 4];
    if (blockSize >= 4) sums[tid] += sums[tid + 2];
    if (blockSize >= 2) sums[tid] += sums[tid + 1];
}

template <unsigned int blockSize> __global__ void cascade(int *out, int *in, int n) {
    extern __shared__ int sums[];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (2 * blockDim.x) + tid;
    unsigned int gridSize = 2 * blockSize * gridDim.x;
    sums[tid] = 0;
    while (i < n) {
        sums[tid] += in[i] + in[i + blockDim.x];
        i += gridSize;
    }
    __syncthreads();
    if (blockSize >= 256) {
        if (tid < 128) {
            sums[tid] += sums[tid + 128];
        }
        __syncthreads();
    }
    if (blockSize >= 128) {
        if (tid < 64) {
            sums[tid] += sums[tid + 64];
        }
        __syncthreads();
    }
    if (tid < 32) lastWarp<blockSize>(sums, tid);
    if (tid == 0) out[blockIdx.x] = sums[0];
}

int main(int argc, char **argv) {
    int n = 1 << 17, threads = argc > 1 ? atoi(argv[1]) : 256, blocks = n / threads / 2;
    int smem_size = (threads < 64 ? 64 : threads) * sizeof(int), total = 0;
    int *h_idata = (int *)malloc(n * sizeof(int)), *h_odata = (int *)malloc(blocks * sizeof(int)),
        *g_idata, *g_odata;
    for (int i = 0; i < n; i++) total += h_idata[i] = rand() % (1 << 15) - (1 << 14);
    CHECK(cudaMalloc(&g_idata, n * sizeof(int)));
    CHECK(cudaMalloc(&g_odata, blocks * sizeof(int)));
    CHECK(cudaMemcpy(g_idata, h_idata, n * sizeof(int), cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    float time;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, 0);
    switch (threads) {
    case 256: cascade<256><<<blocks, threads, smem_size>>>(g_odata, g_idata, n); break;
    case 128: cascade<128><<<blocks, threads, smem_size>>>(g_odata, g_idata, n); break;
    case 64: cascade<64><<<blocks, threads, smem_size>>>(g_odata, g_idata, n); break;
    case 32: cascade<32><<<blocks, threads, smem_size>>>(g_odata, g_idata, n); break;
    case 1: cascade<1><<<blocks, threads, smem_size>>>(g_odata, g_idata, n); break;
    }
    cudaEventRecord(stop, 0);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&time, start, stop);
    CHECK(cudaMemcpy(h_odata, g_odata, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    for (int b = 0; b < blocks; b++) total -= h_odata[b];
    printf("sum over %d blocks is %s: %f us\n", blocks, total == 0 ? "right" : "wrong",
           time * 1000);
    cudaFree(g_idata);
    cudaFree(g_odata);
    free(h_idata);
    free(h_odata);
    return 0;
}
