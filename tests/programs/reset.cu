// cudaDeviceReset: memory and variables are as at the program's start; after a fault the device
// stays unavailable.
//
// case clean | 0 | ^ok$
// case fault | 0 | ^ok$
// unchecked it makes a kernel fault
#include "check.h"

__device__ int variable = 11;
__global__ void change(int *p) {
    *p = variable++;
}
__global__ void crash(int *p) {
    *p = 1;
}

static void use_device() {
    int *p;
    CHECK(cudaMalloc(&p, 10 * sizeof(int)));
    change<<<1, 1>>>(p + 3);
    FINISH_KERNEL();
    same("initial value", 0, to_host(p, 10)[3], 11);
    CHECK(cudaFree(p));
}

int main(int, char **arguments) {
    use_device();
    if (!strcmp(arguments[1], "fault")) {
        crash<<<1, 1>>>(nullptr);
        same("fault", 0, (int)cudaDeviceSynchronize(), (int)cudaErrorIllegalAddress);
        cudaDeviceReset(); // may itself report the fault
        int *p;
        same("after the reset", 0, (int)cudaMalloc(&p, 4),
             (int)cudaErrorDevicesUnavailable); // as on an H200
        return finish();
    }
    CHECK(cudaDeviceReset());
    use_device();
    return finish();
}
