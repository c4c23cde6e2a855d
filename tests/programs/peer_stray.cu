// build one
// build two devices=2
// case | 0 | ^ok$ | memory of device 0
// unchecked it makes a kernel fault
// Peer access goes one way: where device 0 may access device 1, device 1 may not access device 0.
#include "check.h"

__global__ void read(int *to, const int *from) {
    *to = *from;
}

int main() {
    int devices, *of_0, *of_1, can = 0;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices == 1) {
        printf("the memory of device 0 is all there is\n");
        return finish();
    }
    CHECK(cudaMalloc(&of_0, sizeof *of_0));
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (can) CHECK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&of_1, sizeof *of_1));
    read<<<1, 1>>>(of_1, of_0);
    same("fault", 0, (int)cudaDeviceSynchronize(), (int)cudaErrorIllegalAddress);
    return finish();
}
