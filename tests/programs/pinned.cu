// Pinned, mapped and registered host memory: kernels on host memory (zero copy), flags, pointer
// attributes, errors.
#include "check.h"

__global__ void twice(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2;
}

static void expect_type(const char *what, const void *p, cudaMemoryType want) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, p));
    same(what, 0, (int)attributes.type, (int)want);
}

int main() {
    const int n = 1000;
    CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
    int *pinned, *mapped, *seen_by_device, *device, *combined;
    CHECK(cudaMallocHost(&pinned, n * sizeof(int)));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
    CHECK(cudaHostAlloc(&combined, n * sizeof(int), cudaHostAllocWriteCombined));
    CHECK(cudaHostGetDevicePointer(&seen_by_device, mapped, 0));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; i++) pinned[i] = i, combined[i] = i * 5;
    CHECK(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    twice<<<8, 128>>>(device, seen_by_device, n);
    FINISH_KERNEL();
    for (int i = 0; i < n; i++) same("mapped", i, mapped[i], 2 * i);
    twice<<<8, 128>>>(mapped, pinned, n); // unified addressing: the host's pointers serve
    FINISH_KERNEL();
    for (int i = 0; i < n; i++) same("pinned", i, pinned[i], 4 * i);
    CHECK(cudaMemcpy(device, combined, n * sizeof(int), cudaMemcpyHostToDevice));
    same("write-combined", 9, to_host(device, n)[9], 45);
    std::vector<int> ordinary(n, 3);
    expect_type("unregistered", ordinary.data(), cudaMemoryTypeUnregistered);
    CHECK(cudaHostRegister(ordinary.data(), n * sizeof(int), cudaHostRegisterMapped));
    expect_type("registered", &ordinary[5], cudaMemoryTypeHost);
    CHECK(cudaHostGetDevicePointer(&seen_by_device, ordinary.data(), 0));
    twice<<<8, 128>>>(seen_by_device, seen_by_device, n);
    FINISH_KERNEL();
    for (int i = 0; i < n; i++) same("registered", i, ordinary[i], 6);
    CHECK(cudaHostUnregister(ordinary.data()));
    expect_type("pinned", pinned + 1, cudaMemoryTypeHost);
    expect_type("device", device + n - 1, cudaMemoryTypeDevice);
    unsigned flags;
    CHECK(cudaHostGetFlags(&flags, mapped));
    same("flags", 0, flags & cudaHostAllocMapped, cudaHostAllocMapped);
    same("unregister twice", 0, (int)cudaHostUnregister(ordinary.data()),
         (int)cudaErrorHostMemoryNotRegistered);
    CHECK(cudaHostRegister(ordinary.data(), 64, cudaHostRegisterDefault));
    same("register twice", 0, (int)cudaHostRegister(ordinary.data(), 64, cudaHostRegisterDefault),
         (int)cudaErrorHostMemoryAlreadyRegistered);
    CHECK(cudaHostUnregister(ordinary.data()));
    cudaGetLastError();
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFreeHost(combined));
    CHECK(cudaFree(device));
    same("null is freed", 0, (int)cudaFreeHost(nullptr) + (int)cudaFree(nullptr), 0);
    return finish();
}
