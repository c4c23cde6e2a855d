// A user's own program, with a header beside it and what make passes to it.
#include "threads.h"
#include <common.h>
__global__ void sum(const int *in, int *out) {
    out[threadIdx.x] += in[0];
}
int main(int argc, char **argv) {
    int *in, *out;
    CHECK(cudaMalloc(&in, sizeof(int)));
    CHECK(cudaMalloc(&out, THREADS * sizeof(int)));
    CHECK(cudaMemset(in, 0, sizeof(int)));
    CHECK(cudaMemset(out, 0, THREADS * sizeof(int)));
    sum<<<1, THREADS>>>(in, out);
    CHECK(cudaDeviceSynchronize());
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    printf("argument %s, flag %d, devices %d\n", argc > 1 ? argv[1] : "none", FLAG, devices);
    return argc > 2;
}
