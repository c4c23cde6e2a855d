// As notes print it: what a GPU says of itself, field by field.
//
// case | 0 | ^  Warps per multiprocessor: +[0-9]+$
#include "../common/common.h"
#include <cuda_runtime.h>
#include <stdio.h>

int main(int argc, char *argv[]) {
    int device = 0;
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, device));
    printf("Device %d: %s\n", device, prop.name);
    printf("  Multiprocessors:           %d\n", prop.multiProcessorCount);
    printf("  Constant memory:           %4.2f KB\n", prop.totalConstMem / 1024.0);
    printf("  Shared memory per block:   %4.2f KB\n", prop.sharedMemPerBlock / 1024.0);
    printf("  Registers per block:       %d\n", prop.regsPerBlock);
    printf("  Warp size:                 %d\n", prop.warpSize);
    printf("  Threads per block:         %d\n", prop.maxThreadsPerBlock);
    printf("  Threads per multiprocessor: %d\n", prop.maxThreadsPerMultiProcessor);
    printf("  Warps per multiprocessor:  %d\n", prop.maxThreadsPerMultiProcessor / 32);
    return EXIT_SUCCESS;
}
