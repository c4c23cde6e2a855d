// case | 0 | ^ok$ | Invalid __global__ write of size 4 bytes, which passes as on a GPU
// env SIMT_OVERRUNS=1
// unchecked it goes beyond an allocation
// With --overruns a kernel may go beyond an allocation, as on a GPU: there are zeros, and what it
// stores stays there.
#include "check.h"

enum { INSIDE = 12, BEYOND = 16 };

__global__ void load(const int *from, int *to) {
    to[threadIdx.x] = from[INSIDE + threadIdx.x];
}

__global__ void store(int *to, int first) {
    to[INSIDE + threadIdx.x] = first + (int)threadIdx.x;
}

int main() {
    int *p, *results, got[2][BEYOND];
    CHECK(cudaMalloc(&p, INSIDE * sizeof(int)));
    CHECK(cudaMalloc(&results, sizeof got));
    for (int first = 100; first < 105; first++) {
        store<<<1, BEYOND>>>(p, first);
        load<<<1, BEYOND>>>(p, results);
        load<<<1, BEYOND>>>(p + BEYOND, results + BEYOND);
        FINISH_KERNEL();
        CHECK(cudaMemcpy(got, results, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < BEYOND; i++) {
            same("stored beyond", i, got[0][i], first + i);
            same("never stored", i, got[1][i], 0);
        }
    }
    return finish();
}
