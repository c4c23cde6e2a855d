// Blocks that race in place: what they compute depends on the order in which they run. Prints a
// digest of the result.
//   races_between_blocks KERNEL      a name below
#include "common.h"

enum { BLOCK = 256, BLOCKS = 4000, N = BLOCK * BLOCKS };

// Each sum is stored where the next block still reads: the textbook's in-place sum, with strides
// beyond a block.
__global__ void reduction(float *data, float *) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int stride = 1; stride < 4 * BLOCK; stride *= 2)
        if (i % (2 * stride) == 0 && i + stride < N) data[i] += data[i + stride];
}

// The neighbours at a block's ends belong to other blocks.
__global__ void stencil(float *data, float *) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < N - 1) data[i] = 0.25f * data[i - 1] + 0.5f * data[i] + 0.25f * data[i + 1];
}

// The same through pointers that lie in memory.
struct Rows {
    float *from, *to;
};
__device__ Rows rows;

__global__ void pointers(float *, float *) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < N - 1) rows.to[i] = 0.25f * rows.from[i - 1] + 0.5f * rows.from[i + 1];
}

// No races: blocks store beside each other in one sector, load what others load, store the same
// value twice.
__global__ void none(float *data, float *other) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[i] = 2 * data[i];
    if (threadIdx.x == 0) other[blockIdx.x + 1] = data[i];
    if (threadIdx.x == 1) other[BLOCKS + 1] = 1;
    if (threadIdx.x == 2) atomicAdd((int *)other, blockIdx.x);
}

int main(int argc, char **argv) {
    void (*const kernels[])(float *, float *) = {reduction, stencil, pointers, none};
    const char *const names[] = {"reduction", "stencil", "pointers", "none"};
    float *data = hostArray<float>(N), *d_data, *d_other;
    for (int i = 0; i < N; i++) data[i] = (float)(i * 37 % 101);
    CHECK(cudaMalloc(&d_data, N * sizeof(float)));
    CHECK(cudaMalloc(&d_other, N * sizeof(float)));
    CHECK(cudaMemcpy(d_data, data, N * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(d_other, 0, N * sizeof(float)));
    const Rows in_place = {d_data, d_data};
    CHECK(cudaMemcpyToSymbol(rows, &in_place, sizeof in_place));
    for (int k = 0; k < 4; k++)
        if (argc > 1 && !strcmp(argv[1], names[k])) kernels[k]<<<BLOCKS, BLOCK>>>(d_data, d_other);
    unsigned digest = 0;
    for (float *from : {d_data, d_other}) {
        CHECK(cudaMemcpy(data, from, N * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++) digest = digest * 31 + ((unsigned *)data)[i];
    }
    printf("%08x\n", digest);
    free(data);
    return 0;
}
