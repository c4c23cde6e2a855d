// A sum by blocks in shared memory of a size that only the launch gives: its third argument, in
// bytes.
//
// case 1024 1024 | 0 | ^5795 numbers: right$
// case 1024 0 | 1 | thread .0,0,0. in block .0,0,0.
// case 1024 512 | 1 | thread .512,0,0. in block .0,0,0.
// case 1024 20000 | 0 | blockSums.*invalid argument
// unchecked some of its launches are wrong on purpose
// only simt
#include "../../common/common.h"

__global__ void blockSums(const int *in, int *out, unsigned int n) {
    extern __shared__ int sdata[];
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sdata[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (tid < half) sdata[tid] += sdata[tid + half];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = sdata[0];
}

int main(int, char **argv) {
    const unsigned int n = 5795, threads = (unsigned int)atoi(argv[1]),
                       blocks = blocksFor(n, threads);
    int *numbers = hostArray<int>(n), *sums = hostArray<int>(blocks), *d_in, *d_out, total = 0;
    initialData(numbers, n);
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, blocks * sizeof(int)));
    CHECK(cudaMemcpy(d_in, numbers, n * sizeof(int), cudaMemcpyHostToDevice));
    blockSums<<<blocks, threads, atoi(argv[2]) * sizeof(int)>>>(d_in, d_out, n);
    CHECK(cudaMemcpy(sums, d_out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    for (unsigned int b = 0; b < blocks; b++) total += sums[b];
    for (unsigned int i = 0; i < n; i++) total -= numbers[i];
    printf("%u numbers: %s\n", n, total == 0 ? "right" : "wrong");
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(numbers);
    free(sums);
    return 0;
}
