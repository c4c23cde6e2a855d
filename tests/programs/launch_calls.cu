// The other ways to launch and to find a kernel: cudaLaunchKernel, cudaLaunchKernelExC,
// cudaLaunchKernelEx, kernel names.
#include "check.h"

__global__ void add(int *out, int x, double y, short z) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = x + (int)(y * 2) + z + threadIdx.x;
}
template <int K> __global__ void times(int *out) {
    out[threadIdx.x] = K * (int)threadIdx.x;
}
__global__ void use_dynamic(int *out) {
    extern __shared__ int memory[];
    memory[blockDim.x - 1 - threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = memory[threadIdx.x];
}

static void expect(const char *what, const int *device, int n, int first, int step) {
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got = to_host(device, n);
    for (int i = 0; i < n; i++) same(what, i, got[i], first + step * i);
}

int main() {
    int *out = poisoned<int>(64), x = 5;
    double y = 1.5;
    short z = -3;
    void *arguments[] = {&out, &x, &y, &z};
    CHECK(cudaLaunchKernel((const void *)add, dim3(1), dim3(64), arguments, 0, 0));
    expect("cudaLaunchKernel", out, 64, 5, 1);
    CHECK(cudaLaunchKernel(times<7>, 1, 64, arguments, 0, 0)); // the template form takes a function
    expect("template", out, 64, 0, 7);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 32;
    config.dynamicSmemBytes = 32 * sizeof(int);
    config.stream = stream;
    CHECK(cudaLaunchKernelEx(&config, use_dynamic, out));
    expect("cudaLaunchKernelEx", out, 32, 31, -1);
    x = 100;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributePriority;
    attribute.val.priority = 0;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelExC(&config, (const void *)add, arguments));
    expect("cudaLaunchKernelExC", out, 32, 100, 1);
    const char *name = nullptr;
    CHECK(cudaFuncGetName(&name, (const void *)add));
    same("mangled name", 0, name && strstr(name, "add") != nullptr, true);
    // A pointer to a kernel in a variable, launched with the brackets.
    void (*kernels[2])(int *) = {times<3>, times<-2>};
    for (int i = 0; i < 2; i++) {
        kernels[i]<<<1, 64, 0, stream>>>(out);
        expect("pointer", out, 64, 0, i ? -2 : 3);
    }
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
