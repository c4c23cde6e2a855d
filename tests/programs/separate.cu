// Separate compilation: device functions, variables and constants that live in another source file.
//
// build rdc -rdc=true SRC/part_separate.cu
// build rdc_debug -rdc=true -G SRC/part_separate.cu
#include "check.h"

enum { N = 128 };
extern __device__ int offsets[4];
extern __constant__ float scale;
extern __device__ float transform(float x, int kind);
extern void count_on_device(const float *values, int n, int *counter);
typedef float (*Transform)(float, int);
__device__ Transform indirect = transform;
static __device__ int private_value = 3; // the other file has its own

__global__ void run(const float *in, float *out) {
    int i = threadIdx.x;
    out[i] = transform(in[i], i % 3) * scale + offsets[i % 4] + private_value + indirect(in[i], 2);
}

int main() {
    std::vector<float> in(N);
    for (int i = 0; i < N; i++) in[i] = (float)(i - 40);
    float *device_in = to_device(in), *out = poisoned<float>(N);
    int *counter = poisoned<int>(1);
    run<<<1, N>>>(device_in, out);
    count_on_device(device_in, N, counter);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, N);
    const int offset[4] = {10, 20, 30, 40};
    for (int i = 0; i < N; i++) {
        float x = in[i], kinds[3] = {x + 1, x * 2, -x};
        same("run", i, got[i], kinds[i % 3] * 0.5f + offset[i % 4] + 3 - x);
    }
    same("count", 0, to_host(counter, 1)[0], 40 + 1000);
    return finish();
}
