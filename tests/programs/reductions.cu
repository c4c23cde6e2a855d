// Sum, maximum and position of the maximum: shared-memory tree, shuffles, grid stride with atomics,
// several passes.
//
// build sm75
// build sm90 arch=90 gpu=h200
#include "check.h"

enum { THREADS = 256 };

template <class T> __global__ void tree(const T *in, T *out, int n) {
    extern __shared__ unsigned char memory[];
    T *sums = (T *)memory;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    sums[t] = (i < n ? in[i] : T(0)) + (i + blockDim.x < n ? in[i + blockDim.x] : T(0));
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (t < stride) sums[t] += sums[t + stride];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = sums[0];
}
template <class T> __device__ T warp_sum(T x) {
    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(~0u, x, step);
    return x;
}
template <class T> __global__ void shuffled(const T *in, T *out, int n) {
    __shared__ T warps[32];
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = warp_sum(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : T(0));
        if (threadIdx.x == 0) atomicAdd(out, sum);
    }
}
// The largest value and its first index, by way of a 64-bit atomic maximum.
__global__ void locate(const unsigned *in, unsigned long long *best, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMax(best, (unsigned long long)in[i] << 32 | (0xFFFFFFFFu - i));
}

template <class T> static void test(const char *type, int n) {
    std::vector<T> in(n);
    T want = 0;
    for (T &x : in) want += x = (T)(int)(random32() % 200);
    T *device = to_device(in), *partial = poisoned<T>(n / THREADS + 2), *total = poisoned<T>(1);
    CHECK(cudaMemset(total, 0, sizeof(T)));
    shuffled<<<7, THREADS>>>(device, total, n);
    FINISH_KERNEL();
    same(type, n, to_host(total, 1)[0], want);
    T *from = device;
    int left = n;
    while (left > 1) { // passes until one value is left
        int blocks = (left + 2 * THREADS - 1) / (2 * THREADS);
        tree<<<blocks, THREADS, THREADS * sizeof(T)>>>(from, partial, left);
        FINISH_KERNEL();
        CHECK(cudaMemcpy(device, partial, blocks * sizeof(T), cudaMemcpyDeviceToDevice));
        left = blocks;
    }
    same(type, -n, to_host(device, 1)[0], want);
}

int main() {
    for (int n : {1, 31, 1000, 65537}) {
        test<int>("int", n);
        test<float>("float", n); // integers below 2^24 at every step
        test<double>("double", n);
        test<unsigned long long>("unsigned long long", n);
    }
    std::vector<unsigned> in(5000);
    for (unsigned &x : in) x = random32();
    in[3777] = in[4000] = ~0u;
    unsigned long long *best = to_device(std::vector<unsigned long long>(1));
    locate<<<20, THREADS>>>(to_device(in), best, 5000);
    FINISH_KERNEL();
    same("first index of the largest", 0, 0xFFFFFFFFu - (unsigned)to_host(best, 1)[0], 3777u);
    return finish();
}
