// wrong.cu: kernels that go wrong, for a page that runs them again: one stores out of bounds; with
// the parameter that the page gives them, one never ends, and one waits for a flag nobody sets.
#include <cuda_runtime.h>

__global__ void stray(int *data, int n) {
    data[threadIdx.x + n] = 1;
}

__global__ void endless(int *data, int end) {
    for (int i = 0; i != end; i += 2) data[i & 31] += i;
}

__global__ void waits(volatile int *flag, int value) {
    while (*flag != value) {
    }
}

__global__ void right(int *data) {
    data[threadIdx.x] = 1;
}

int main() {
    int *data;
    cudaMalloc(&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    right<<<1, 32>>>(data);
    endless<<<1, 32>>>(data, 0);
    waits<<<1, 32>>>(data + 1, 1);
    stray<<<1, 32>>>(data, 1);
    return cudaDeviceSynchronize() == cudaSuccess;
}
