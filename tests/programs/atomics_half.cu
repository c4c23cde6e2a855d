// Atomic sums of half, half2 and bfloat162, and vector sums of float2 and float4 on compute capability 9.0.
//
// build sm75
// build sm90 arch=90 gpu=h200 -DVECTORS
#include "check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { THREADS = 64 };

__global__ void add(__half *h, __half2 *h2, float2 *f2, float4 *f4) {
    atomicAdd(h + 1, __float2half(0.5f));
    atomicAdd(h2, __floats2half2_rn(1, -2));
#ifdef VECTORS
    atomicAdd(f2, make_float2(1, 2));
    atomicAdd(f4, make_float4(1, 2, 3, threadIdx.x));
#endif
}

int main() {
    __half *h = (__half *)to_device(std::vector<unsigned short>(2));
    __half2 *h2 = (__half2 *)to_device(std::vector<unsigned>(1));
    float *f = to_device(std::vector<float>(8));
    add<<<2, THREADS>>>(h, h2, (float2 *)f, (float4 *)(f + 4));
    FINISH_KERNEL();
    std::vector<__half> got = to_host(h, 2);
    std::vector<__half2> got2 = to_host(h2, 1);
    same("neighbour", 0, __half2float(got[0]), 0.0f);
    same("half", 0, __half2float(got[1]), 64.0f);
    same("half2", 0, __low2float(got2[0]), 128.0f);
    same("half2", 1, __high2float(got2[0]), -256.0f);
#ifdef VECTORS
    std::vector<float> got4 = to_host(f, 8);
    const float want[8] = {128, 256, 0, 0, 128, 256, 384, 2 * 63 * 64 / 2};
    for (int i = 0; i < 8; i++) same("vector", i, got4[i], want[i]);
#endif
    return finish();
}
