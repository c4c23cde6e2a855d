// The same kernel optimised, with device debugging (-G: generic addresses, real calls, debug
// sections), and without optimisation.
//
// build debug -G -g
// build lineinfo -g
// build unoptimised -Xcicc -O0 -O0
#include "check.h"

enum { N = 256 };
__constant__ int weights[4] = {1, -2, 3, -4};
__device__ int total;

struct Pair {
    int key;
    double value;
};
__device__ Pair combine(Pair a, const Pair &b) {
    return {a.key + b.key, a.value * b.value};
}
__device__ int clamp_to(int x, int low, int high) {
    return x < low ? low : x > high ? high : x;
}

__global__ void mixed(const float *in, double *out) {
    __shared__ Pair pairs[64];
    extern __shared__ float staged[];
    int lane = threadIdx.x, i = blockIdx.x * blockDim.x + lane;
    staged[lane] = in[i];
    pairs[lane] = {clamp_to(i - 100, -20, 20), 1.0 + lane / 64.0};
    __syncthreads();
    Pair mine = {0, 1};
    for (int k = 0; k < 4; k++) mine = combine(mine, pairs[(lane + k * 5) & 63]);
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += staged[(lane + k) & 63] * weights[k];
    sum += __shfl_xor_sync(~0u, sum, 16);
    atomicAdd(&total, mine.key);
    out[i] = sqrt(fabs((double)sum)) + mine.value + __popc(i) + min(i, 77) + expf(0.0f);
}

int main() {
    std::vector<float> in(N);
    for (float &x : in) x = (float)(int)(random32() % 256);
    double *out = poisoned<double>(N);
    mixed<<<N / 64, 64, 64 * sizeof(float)>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<double> got = to_host(out, N);
    const int weight[4] = {1, -2, 3, -4};
    std::vector<float> sums(N);
    int keys = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) sums[i] += in[i / 64 * 64 + (i + k) % 64] * weight[k];
    for (int i = 0; i < N; i++) {
        double value = 1;
        for (int k = 0; k < 4; k++) {
            int j = (i + k * 5) % 64, key = i / 64 * 64 + j - 100;
            value *= 1.0 + j / 64.0;
            keys += key < -20 ? -20 : key > 20 ? 20 : key;
        }
        double want = sqrt(fabs((double)(sums[i] + sums[i ^ 16]))) + value + __builtin_popcount(i) +
                      (i < 77 ? i : 77) + 1;
        close_to("mixed", i, got[i], want, fabs(want) * 1e-14);
    }
    int got_total;
    CHECK(cudaMemcpyFromSymbol(&got_total, total, sizeof got_total));
    same("total", 0, got_total, keys);
    return finish();
}
