// Atomic sums of half and half2, by compare-and-swap where the architecture has no instruction for
// them.
//
// build sm75
// build sm90 arch=90 gpu=h200
#include "check.h"

#include <cuda_fp16.h>

enum { THREADS = 64 };

__global__ void add(__half *h, __half2 *h2) {
    atomicAdd(h + 1, __float2half(0.5f));
    atomicAdd(h2, __floats2half2_rn(1, -2));
}

int main() {
    __half *h = (__half *)to_device(std::vector<unsigned short>(2));
    __half2 *h2 = (__half2 *)to_device(std::vector<unsigned>(1));
    add<<<2, THREADS>>>(h, h2);
    FINISH_KERNEL();
    std::vector<__half> got = to_host(h, 2);
    std::vector<__half2> got2 = to_host(h2, 1);
    same("neighbour", 0, __half2float(got[0]), 0.0f);
    same("half", 0, __half2float(got[1]), 64.0f);
    same("half2", 0, __low2float(got2[0]), 128.0f);
    same("half2", 1, __high2float(got2[0]), -256.0f);
    return finish();
}
