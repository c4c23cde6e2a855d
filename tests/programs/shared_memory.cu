// Shared memory: static arrays of several types, dynamic memory divided by hand, 2D tiles, more
// than 48 KB by opting in; addresses.
#include "check.h"

enum { THREADS = 128 };

__global__ void several(const int *in, double *out) {
    __shared__ char bytes[THREADS];
    __shared__ double doubles[THREADS];
    __shared__ int grid[8][16];
    alignas(16) __shared__ float quad[4 * THREADS];
    __shared__ struct {
        short low;
        long long high;
    } single;
    int t = threadIdx.x, x = in[blockIdx.x * THREADS + t];
    bytes[t] = (char)x;
    doubles[t] = x * 0.5;
    grid[t / 16][t % 16] = x;
    ((float4 *)quad)[t] = make_float4(x, t, -x, -t);
    if (t == 5) single.low = (short)x, single.high = (long long)x << 32;
    __syncthreads();
    int r = THREADS - 1 - t;
    out[blockIdx.x * THREADS + t] = bytes[r] + doubles[r] + grid[t % 8][t / 8] + quad[4 * r + 1] +
                                    quad[4 * r + 2] + single.low + (double)(single.high >> 32);
}
// Dynamic memory for three arrays of n elements, after one another.
__global__ void divided(int n, float *out) {
    extern __shared__ double base[];
    double *d = base;
    float *f = (float *)&d[n];
    short *s = (short *)&f[n];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        d[i] = i, f[i] = 2.0f * i, s[i] = (short)(3 * i);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[blockIdx.x * n + i] =
            (float)(d[n - 1 - i] + f[(i + 1) % n] + s[(i + 2) % n] + blockIdx.x);
}
// A generic pointer to shared or global memory.
__device__ __noinline__ int sum_shared(const int *p, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += p[i];
    return sum;
}
__global__ void generic(const int *global, int *out) {
    __shared__ int shared[32];
    shared[threadIdx.x] = threadIdx.x * threadIdx.x;
    __syncthreads();
    const int *p = threadIdx.x % 2 ? shared : global; // divergent address spaces
    out[threadIdx.x] = sum_shared(p, threadIdx.x) + 100000 * (__isShared(p) + 2 * __isGlobal(p));
}
__global__ void large(int *out, int n) {
    extern __shared__ int big[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) big[i] = i ^ 0x5A5A;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = big[n - 1 - i];
}
// Where static and dynamic memory begin, and that what the GPU reserves comes first.
__global__ void places(unsigned *out) {
    extern __shared__ int dynamic[];
    alignas(16) __shared__ int fixed[4];
    if (threadIdx.x == 0) fixed[3] = dynamic[0] = 1;
    out[0] = (unsigned)__cvta_generic_to_shared(fixed);
    out[1] = (unsigned)__cvta_generic_to_shared(dynamic);
}
__global__ void place_of_dynamic(unsigned *out) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = 1;
    out[2] = (unsigned)__cvta_generic_to_shared(dynamic);
}

int main() {
    std::vector<int> in(3 * THREADS);
    for (int &x : in) x = (int)(random32() % 200) - 100;
    int *device_in = to_device(in);
    double *out = poisoned<double>(3 * THREADS);
    several<<<3, THREADS>>>(device_in, out);
    FINISH_KERNEL();
    std::vector<double> got = to_host(out, 3 * THREADS);
    for (int i = 0; i < 3 * THREADS; i++) {
        const int *block = &in[i / THREADS * THREADS];
        int t = i % THREADS, r = THREADS - 1 - t;
        double want =
            block[r] + block[r] * 0.5 + block[t % 8 * 16 + t / 8] + r - block[r] + 2 * block[5];
        same("several", i, got[i], want);
    }
    const int n = 301;
    float *floats = poisoned<float>(2 * n);
    divided<<<2, 64, n *(sizeof(double) + sizeof(float) + sizeof(short))>>>(n, floats);
    FINISH_KERNEL();
    std::vector<float> got_floats = to_host(floats, 2 * n);
    for (int i = 0; i < 2 * n; i++)
        same("divided", i, got_floats[i],
             n - 1 - i % n + 2 * ((i % n + 1) % n) + 3 * ((i % n + 2) % n) + i / n);
    int *ints = poisoned<int>(32);
    generic<<<1, 32>>>(device_in, ints);
    FINISH_KERNEL();
    std::vector<int> got_ints = to_host(ints, 32);
    for (int t = 0; t < 32; t++) {
        int want = 0;
        for (int i = 0; i < t; i++) want += t % 2 ? i * i : in[i];
        same("generic", t, got_ints[t], want + (t % 2 ? 100000 : 200000));
    }
    const int words = 60 * 1024 / 4;
    int *big = poisoned<int>(words);
    CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, words * 4));
    large<<<1, 256, words * 4>>>(big, words);
    FINISH_KERNEL();
    std::vector<int> got_big = to_host(big, words);
    for (int i = 0; i < words; i++) same("large", i, got_big[i], (words - 1 - i) ^ 0x5A5A);
    int reserved;
    CHECK(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, 0));
    unsigned *at = poisoned<unsigned>(3);
    places<<<1, 1, 4>>>(at);
    place_of_dynamic<<<1, 1, 4>>>(at);
    FINISH_KERNEL();
    std::vector<unsigned> got_at = to_host(at, 3);
    for (int i = 0; i < 3; i++) same("places", i, got_at[i], reserved + (i == 1 ? 16 : 0));
    return finish();
}
