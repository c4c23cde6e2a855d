// What older programs do and GPUs still bear: volatile last-warp reductions in shared and global
// memory without barriers, in-place reductions in global memory, the final sum on the host.
// unchecked the last warp is volatile, and not synchronised: a race since Volta
#include "check.h"

enum { THREADS = 128, N = 1 << 14 };

__device__ void last_warp(volatile int *s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
__global__ void shared_reduction(const int *in, int *out) {
    __shared__ int s[THREADS];
    unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    s[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 32; stride >>= 1) {
        if (t < stride) s[t] += s[t + stride];
        __syncthreads();
    }
    if (t < 32) last_warp(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void neighbours(int *data, int *out) {
    int *mine = data + blockIdx.x * blockDim.x;
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if (threadIdx.x % (2 * stride) == 0) mine[threadIdx.x] += mine[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = mine[0];
}
__global__ void unrolled_in_global(int *data, int *out) {
    unsigned t = threadIdx.x;
    int *mine = data + blockIdx.x * blockDim.x * 8;
    int sum = 0;
    for (int k = 0; k < 8; k++) sum += mine[t + k * blockDim.x];
    mine[t] = sum;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 32; stride >>= 1) {
        if (t < stride) mine[t] += mine[t + stride];
        __syncthreads();
    }
    if (t < 32) {
        volatile int *v = mine;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0) out[blockIdx.x] = mine[0];
}

static void expect(const char *what, const int *device, int blocks, int want) {
    CHECK(cudaDeviceSynchronize());
    int sum = 0;
    for (int x : to_host(device, blocks)) sum += x;
    same(what, blocks, sum, want);
}

int main() {
    std::vector<int> in(N);
    int want = 0;
    for (int &x : in) want += x = (int)(random32() & 0xFF);
    int *out = poisoned<int>(N / THREADS);
    shared_reduction<<<N / THREADS / 2, THREADS>>>(to_device(in), out);
    expect("shared_reduction", out, N / THREADS / 2, want);
    neighbours<<<N / THREADS, THREADS>>>(to_device(in), out);
    expect("neighbours", out, N / THREADS, want);
    unrolled_in_global<<<N / THREADS / 8, THREADS>>>(to_device(in), out);
    expect("unrolled_in_global", out, N / THREADS / 8, want);
    return finish();
}
