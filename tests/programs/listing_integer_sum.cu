// As notes print it: sums of blocks in global memory, a copy of the input before each kernel, the
// blocks' sums added by the host. It takes memcpy and rand from common.h and the CUDA headers.
//
// case 256 | 0 | ^Test success!$
// case 1024 | 0 | ^Test success!$
// nvprof --metrics inst_per_warp | byNeighbours.* inst_per_warp .* [0-9.]+ .*byHalves.* inst_per_warp .*unrolled
// nvprof --metrics gld_throughput | byNeighbours.* gld_throughput .*B/s .*byHalves.* gld_throughput .*B/s
// nvprof --metrics dram_read_throughput | byHalves.* dram_read_throughput .*B/s .*unrolled.* dram_read_throughput .*B/s
// nvprof --metrics stall_sync | byHalves.* stall_sync .*% .*unrolled.* stall_sync .*%
// nvprof --metrics gld_efficiency,gst_efficiency | byNeighbours.* gld_efficiency .* 25.*% .*gst_efficiency .* 25.00%
// alone the text shows that common.h and the CUDA headers are all it includes
// unchecked the last warp is volatile, and not synchronised: a race since Volta
#include "../common/common.h"
#include <cuda_runtime.h>
#include <stdio.h>

int recursiveSum(int *data, int const size) {
    if (size == 1) return data[0];
    int const half = size / 2;
    for (int i = 0; i < half; i++) data[i] += data[i + half];
    if (size % 2 == 1) data[0] += data[size - 1];
    return recursiveSum(data, half);
}

__global__ void byNeighbours(int *in, int *out, unsigned int n) {
    unsigned int tid = threadIdx.x;
    if (n <= tid) return;
    int *mine = in + blockIdx.x * blockDim.x;
    for (int far = 1; far < blockDim.x; far *= 2) {
        if ((tid % (2 * far)) == 0) {
            mine[tid] += mine[tid + far];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = mine[0];
}

__global__ void byHalves(int *in, int *out, unsigned int n) {
    unsigned int tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
    int *mine = in + blockIdx.x * blockDim.x;
    if (idx >= n) return;
    for (int far = blockDim.x / 2; far > 0; far >>= 1) {
        if (tid < far) {
            mine[tid] += mine[tid + far];
        }
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = mine[0];
}

template <unsigned int iBlockSize> __global__ void unrolled(int *in, int *out, unsigned int n) {
    unsigned int tid = threadIdx.x;
    unsigned int idx = blockDim.x * blockIdx.x * 4 + threadIdx.x;
    int *mine = in + blockIdx.x * blockDim.x * 4;
    if (idx + blockDim.x * 3 < n) {
        int a1 = in[idx];
        int a2 = in[idx + blockDim.x];
        int a3 = in[idx + 2 * blockDim.x];
        int a4 = in[idx + 3 * blockDim.x];
        in[idx] = a1 + a2 + a3 + a4;
    }
    __syncthreads();
    if (iBlockSize >= 1024 && tid < 512) mine[tid] += mine[tid + 512];
    __syncthreads();
    if (iBlockSize >= 512 && tid < 256) mine[tid] += mine[tid + 256];
    __syncthreads();
    if (iBlockSize >= 256 && tid < 128) mine[tid] += mine[tid + 128];
    __syncthreads();
    if (iBlockSize >= 128 && tid < 64) mine[tid] += mine[tid + 64];
    __syncthreads();
    if (tid < 32) {
        volatile int *last = mine;
        last[tid] += last[tid + 32];
        last[tid] += last[tid + 16];
        last[tid] += last[tid + 8];
        last[tid] += last[tid + 4];
        last[tid] += last[tid + 2];
        last[tid] += last[tid + 1];
    }
    if (tid == 0) out[blockIdx.x] = mine[0];
}

int main(int argc, char **argv) {
    int dev = 0;
    cudaSetDevice(dev);
    int size = 1 << 16;
    int blocksize = 1024;
    if (argc > 1) {
        blocksize = atoi(argv[1]);
    }
    dim3 block(blocksize, 1);
    dim3 grid((size - 1) / block.x + 1, 1);
    printf("with array size %d  grid %d block %d \n", size, grid.x, block.x);
    size_t bytes = size * sizeof(int);
    int *in_host = (int *)malloc(bytes);
    int *out_host = (int *)malloc(grid.x * sizeof(int));
    int *tmp = (int *)malloc(bytes);
    for (int i = 0; i < size; ++i) {
        in_host[i] = (int)(rand() & 0xFF);
    }
    memcpy(tmp, in_host, bytes);
    double start = cpuSecond();
    int cpu_sum = recursiveSum(tmp, size), gpu_sum = 0, wrong = 0;
    printf("cpu                elapsed %lf s cpu_sum: %d\n", cpuSecond() - start, cpu_sum);
    int *in_dev = NULL;
    int *out_dev = NULL;
    CHECK(cudaMalloc((void **)&in_dev, bytes));
    CHECK(cudaMalloc((void **)&out_dev, grid.x * sizeof(int)));
    for (int kernel = 1; kernel <= 3; kernel++) {
        int blocks = kernel == 3 ? grid.x / 4 : grid.x;
        CHECK(cudaMemcpy(in_dev, in_host, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaDeviceSynchronize());
        start = cpuSecond();
        if (kernel == 1) byNeighbours<<<grid, block>>>(in_dev, out_dev, size);
        if (kernel == 2) byHalves<<<grid, block>>>(in_dev, out_dev, size);
        if (kernel == 3) {
            switch (blocksize) {
            case 1024: unrolled<1024><<<grid.x / 4, block>>>(in_dev, out_dev, size); break;
            case 512: unrolled<512><<<grid.x / 4, block>>>(in_dev, out_dev, size); break;
            case 256: unrolled<256><<<grid.x / 4, block>>>(in_dev, out_dev, size); break;
            }
        }
        cudaDeviceSynchronize();
        double elapsed = cpuSecond() - start;
        cudaMemcpy(out_host, out_dev, grid.x * sizeof(int), cudaMemcpyDeviceToHost);
        gpu_sum = 0;
        for (int i = 0; i < blocks; i++) gpu_sum += out_host[i];
        printf("gpu kernel %d       elapsed %lf s gpu_sum: %d<<<grid %d block %d>>>\n", kernel,
               elapsed, gpu_sum, blocks, block.x);
        wrong += gpu_sum != cpu_sum;
    }
    free(in_host);
    free(out_host);
    free(tmp);
    cudaFree(in_dev);
    cudaFree(out_dev);
    CHECK(cudaDeviceReset());
    if (wrong == 0) {
        printf("Test success!\n");
    }
    return EXIT_SUCCESS;
}
