// Uses what the simulator lacks: an instruction that no GPU has, and a function of the runtime.
#include <cstdio>
extern "C" cudaError_t cudaVDPAUGetDevice(int *, unsigned, void *);
__global__ void twice(int *p) {
    *p *= 2;
}
template <class T> __global__ void future(T *p) {
    asm volatile("frobnicate.b32 %0, 1;" : "=r"(*p));
}
int main(int argc, char **) {
    int *p, device = argc;
    (void)device;
    cudaMalloc(&p, 4);
    twice<<<1, 1>>>(p);
    if (argc > 1) future<<<1, 1>>>(p);
    if (argc > 2) cudaVDPAUGetDevice(&device, 0, nullptr);
    printf("%d\n", cudaDeviceSynchronize());
}
