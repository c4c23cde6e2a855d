// Kernels that launch kernels in a program that is linked without the device runtime's library: PTX
// alone, which the simulator completes itself.
// only simt
// build noruntime -rdc=true -cudadevrt none
#include "check.h"

__global__ void child(int *out, int value) {
    out[threadIdx.x] = value + (int)threadIdx.x;
}

__global__ void parent(int *out, int *error) {
    child<<<1, 4>>>(out, 10);
    *error = (int)cudaGetLastError();
}

int main() {
    int *out, *error;
    CHECK(cudaMallocManaged(&out, 4 * sizeof(int)));
    CHECK(cudaMallocManaged(&error, sizeof(int)));
    parent<<<1, 1>>>(out, error);
    FINISH_KERNEL();
    for (int i = 0; i < 4; i++) same("result", i, out[i], 10 + i);
    same("error", 0, *error, 0);
    CHECK(cudaFree(out));
    CHECK(cudaFree(error));
    return finish();
}
