// Calls through pointers: tables on the device, pointers handed to the host and back, uniform and
// divergent targets.
#include "check.h"

enum { N = 256, FUNCTIONS = 4 };
typedef float (*Unary)(float);
typedef void (*Action)(int *, int);

__host__ __device__ __noinline__ float twice(float x) {
    return 2 * x;
}
__host__ __device__ __noinline__ float square(float x) {
    return x * x;
}
__host__ __device__ __noinline__ float half_of(float x) {
    return x / 2;
}
__host__ __device__ __noinline__ float negative(float x) {
    return -x;
}
__device__ void increment(int *p, int by) {
    *p += by;
}
__device__ void decrement(int *p, int by) {
    *p -= by;
}

__device__ Unary table[FUNCTIONS] = {twice, square, half_of, negative};
__constant__ Unary constant_table[2] = {square, negative};
__device__ Unary one = half_of;
__device__ Action actions[2] = {increment, decrement};

__global__ void uniform(Unary f, const float *x, float *out) {
    out[threadIdx.x] = f(x[threadIdx.x]);
}
__global__ void divergent(const float *x, float *out) {
    int i = threadIdx.x;
    out[i] = table[i % FUNCTIONS](x[i]) + constant_table[i / 16 % 2](x[i]) * 1000;
}
__global__ void act(int *counters) {
    int i = threadIdx.x;
    for (int k = 0; k < 1 + i % 3; k++) actions[(i + k) & 1](counters + i, 10 + k);
}
// A different callee for each lane, chosen in a loop with early leavers.
template <Unary F> __device__ float apply(float x) {
    return F(x) + 1;
}
__global__ void composed(const float *x, float *out) {
    Unary pick[2] = {apply<twice>, apply<negative>};
    float v = x[threadIdx.x];
    for (int k = 0; k < (int)threadIdx.x % 5; k++) v = pick[(threadIdx.x >> k) & 1](v);
    out[threadIdx.x] = v;
}

static float composed_host(int i, float v) {
    for (int k = 0; k < i % 5; k++) v = ((i >> k & 1) ? negative(v) : twice(v)) + 1;
    return v;
}

int main() {
    std::vector<float> x(N);
    for (float &v : x) v = (float)(int)(random32() % 64) - 32;
    float *device_x = to_device(x), *out = poisoned<float>(N);
    Unary host_functions[FUNCTIONS] = {twice, square, half_of, negative},
          device_functions[FUNCTIONS], single;
    CHECK(cudaMemcpyFromSymbol(device_functions, table, sizeof device_functions));
    CHECK(cudaMemcpyFromSymbol(&single, one, sizeof single));
    for (int f = 0; f <= FUNCTIONS; f++) {
        uniform<<<1, N>>>(f < FUNCTIONS ? device_functions[f] : single, device_x, out);
        FINISH_KERNEL();
        std::vector<float> got = to_host(out, N);
        for (int i = 0; i < N; i++)
            same("uniform", f * N + i, got[i], host_functions[f < FUNCTIONS ? f : 2](x[i]));
    }
    divergent<<<1, N>>>(device_x, out);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, N);
    for (int i = 0; i < N; i++)
        same("divergent", i, got[i],
             host_functions[i % FUNCTIONS](x[i]) +
                 (i / 16 % 2 ? negative(x[i]) : square(x[i])) * 1000);
    composed<<<1, N>>>(device_x, out);
    FINISH_KERNEL();
    got = to_host(out, N);
    for (int i = 0; i < N; i++) same("composed", i, got[i], composed_host(i, x[i]));
    std::vector<int> counters(N, 5);
    int *device_counters = to_device(counters);
    act<<<1, N>>>(device_counters);
    FINISH_KERNEL();
    counters = to_host(device_counters, N);
    for (int i = 0; i < N; i++) {
        int want = 5;
        for (int k = 0; k < 1 + i % 3; k++) want += ((i + k) & 1 ? -1 : 1) * (10 + k);
        same("act", i, counters[i], want);
    }
    return finish();
}
