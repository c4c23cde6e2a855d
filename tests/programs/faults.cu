// Faults in kernels that a GPU reports too: the error's code, which all later calls but
// cudaGetLastError keep, and simt's message.
//
// case assert | 1 | block: \[1,0,0\], thread: \[3,0,0\] Assertion `.*` failed
// case assert | 1 | cudaErrorAssert \(710\) sticks | faults.cu:[0-9]+
// case trap | 1 | cudaErrorLaunchFailure \(719\) sticks | trap
// case null | 1 | cudaErrorIllegalAddress \(700\) sticks | store_at.*
// case far | 1 | cudaErrorIllegalAddress \(700\) sticks | faults.cu:[0-9]+
// case load | 1 | cudaErrorIllegalAddress \(700\) sticks | load_from
// case misaligned | 1 | cudaErrorMisalignedAddress \(716\) sticks | isaligned
// case host | 1 | cudaErrorIllegalAddress \(700\) sticks | store_at
// case atomic | 1 | cudaErrorIllegalAddress \(700\) sticks | add_at
// case none | 0 | ^ok$
#include "check.h"

#include <cassert>

__global__ void check_below(int limit) {
    assert((int)threadIdx.x < limit || blockIdx.x == 0);
}
__global__ void stop_at(int thread) {
    if (threadIdx.x == thread) __trap();
}
__global__ void store_at(int *p, long i) {
    p[i] = 7;
}
__global__ void load_from(const int *p, long i, int *out) {
    *out = p[i];
}
__global__ void add_at(int *p, long i) {
    atomicAdd(p + i, 1);
}
__global__ void nothing() {}

static void launch(const char *fault, int *p) {
    if (!strcmp(fault, "assert"))
        check_below<<<2, 8>>>(3);
    else if (!strcmp(fault, "trap"))
        stop_at<<<1, 64>>>(40);
    else if (!strcmp(fault, "null"))
        store_at<<<1, 1>>>(nullptr, 0);
    else if (!strcmp(fault, "far"))
        store_at<<<1, 1>>>(p, 1l << 40);
    else if (!strcmp(fault, "load"))
        load_from<<<1, 32>>>(nullptr, 10, p);
    else if (!strcmp(fault, "misaligned"))
        store_at<<<1, 1>>>((int *)((char *)p + 2), 0);
    else if (!strcmp(fault,
                     "host")) // an address that only the host can use; a GPU that can use it too is
                              // not like this one
        store_at<<<1, 1>>>((int *)0x7ffffffff000, 0);
    else if (!strcmp(fault, "atomic"))
        add_at<<<1, 1>>>(nullptr, 1);
    else
        nothing<<<1, 1>>>();
}

int main(int, char **arguments) {
    int *p, value;
    CHECK(cudaMalloc(&p, 1024));
    launch(arguments[1], p);
    CHECK(cudaGetLastError()); // the launch itself is right
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) {
        CHECK(cudaFree(p));
        return finish();
    }
    cudaError_t first = cudaGetLastError(), second = cudaGetLastError(),
                allocated = cudaMalloc(&p, 4),
                copied = cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost),
                synchronised = cudaDeviceSynchronize();
    nothing<<<1, 1>>>();
    cudaError_t launched = cudaGetLastError();
    bool sticks = first == error && second == cudaSuccess && allocated == error &&
                  copied == error && synchronised == error && launched == error;
    printf("%s (%d) %s\n", cudaGetErrorName(error), error, sticks ? "sticks" : "is forgotten");
    printf("last error %d, once more %d; cudaMalloc %d, cudaMemcpy %d, cudaDeviceSynchronize %d, "
           "launch %d\n",
           first, second, allocated, copied, synchronised, launched);
    return 1;
}
