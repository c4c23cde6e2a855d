// Constant memory: initialised and copied symbols, offsets, structures, addresses taken, uniform
// and scattered reads, stores by a symbol's address, 64 KB.
#include "check.h"

struct Config {
    int rows, columns;
    float scale[3];
    const char *name;
};
__constant__ int table[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
__constant__ float filled[64];
__constant__ Config config = {3, 4, {0.5f, 1.5f, 2.5f}, nullptr};
__constant__ char text[] = "constant text";
__constant__ double big[7000];
namespace inner {
static __constant__ short hidden = -5;
}

__device__ __noinline__ int sum_of(const int *p, int n) {
    int sum = 0;
    while (n-- > 0) sum += *p++;
    return sum;
}
__global__ void read(double *out) {
    int i = threadIdx.x;
    out[i] = table[i % 16] + filled[63 - i] + config.rows * config.scale[i % 3] + text[i % 13] +
             big[i * 100] + inner::hidden + sum_of(table, i % 17);
}
__global__ void by_pointer(const float *p, float *out) {
    out[threadIdx.x] = p[threadIdx.x] * 2;
} // a symbol's address

__global__ void store(float *p) {
    p[threadIdx.x] = -3;
}

int main() {
    std::vector<float> values(64);
    std::vector<double> wide(7000);
    for (int i = 0; i < 64; i++) values[i] = i * 0.25f;
    for (int i = 0; i < 7000; i++) wide[i] = i;
    CHECK(cudaMemcpyToSymbol(filled, values.data(), 32 * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(filled, &values[32], 32 * sizeof(float), 32 * sizeof(float),
                             cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(big, wide.data(), sizeof big));
    Config now;
    CHECK(cudaMemcpyFromSymbol(&now, config, sizeof now));
    same("config.rows", 0, now.rows, 3);
    same("config.scale", 2, now.scale[2], 2.5f);
    now.rows = 7;
    CHECK(cudaMemcpyToSymbol(config, &now, sizeof now));
    double *out = poisoned<double>(64);
    read<<<1, 64>>>(out);
    FINISH_KERNEL();
    std::vector<double> got = to_host(out, 64);
    for (int i = 0; i < 64; i++) {
        double want = i % 16 * (i % 16) + (63 - i) * 0.25 + 7 * (0.5 + i % 3) +
                      "constant text"[i % 13] + i * 100 - 5;
        for (int k = 0; k < i % 17 && k < 16; k++) want += k * k;
        if (i % 17 < 17) same("read", i, got[i], want);
    }
    float *address, *doubled = poisoned<float>(64);
    size_t size;
    CHECK(cudaGetSymbolAddress((void **)&address, filled));
    CHECK(cudaGetSymbolSize(&size, filled));
    same("size", 0, size, 64 * sizeof(float));
    CHECK(cudaMemset(address + 60, 0, 4 * sizeof(float)));
    by_pointer<<<1, 64>>>(address, doubled);
    FINISH_KERNEL();
    std::vector<float> twice = to_host(doubled, 64);
    for (int i = 0; i < 64; i++) same("by_pointer", i, twice[i], i < 60 ? i * 0.5f : 0);
    store<<<1, 64>>>(address);
    read<<<1, 64>>>(out);
    FINISH_KERNEL();
    std::vector<double> stored = to_host(out, 64);
    for (int i = 0; i < 64; i++)
        same("read after store", i, stored[i], got[i] - (63 - i) * 0.25 - 3);
    short hidden;
    CHECK(cudaMemcpyFromSymbol(&hidden, inner::hidden, sizeof hidden));
    same("hidden", 0, hidden, -5);
    same("too much", 0, (int)cudaMemcpyToSymbol(filled, wide.data(), 65 * sizeof(float)),
         (int)cudaErrorInvalidValue);
    return finish();
}
