// The other half of separate.cu.
#include "check.h"

__device__ int offsets[4] = {10, 20, 30, 40};
__constant__ float scale = 0.5f;
static __device__ int private_value = 1000;

__device__ float transform(float x, int kind) {
    return kind == 0 ? x + 1 : kind == 1 ? x * 2 : -x;
}

static __global__ void count(const float *values, int n, int *counter) {
    if (threadIdx.x == 0) *counter = private_value;
    __syncthreads();
    if (threadIdx.x < n && values[threadIdx.x] < 0) atomicAdd(counter, 1);
}

// Add 1000 to the number of negative values.
void count_on_device(const float *values, int n, int *counter) {
    count<<<1, n>>>(values, n, counter);
}
