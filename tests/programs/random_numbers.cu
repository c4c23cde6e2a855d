// Random numbers: cuRAND's device generators (XORWOW and Philox against their definitions),
// distributions, and pi by Monte Carlo.
#include "check.h"

#include <curand_kernel.h>

enum { THREADS = 128, BLOCKS = 4, DRAWS = 200 };

__global__ void draw(unsigned long long seed, unsigned *xorwow, uint4 *philox) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state;
    curand_init(seed + i, 0, 0, &state);
    for (int k = 0; k < 4; k++) xorwow[4 * i + k] = curand(&state);
    curandStatePhilox4_32_10_t counter_based;
    curand_init(seed, i, 0, &counter_based);
    philox[i] = curand4(&counter_based);
}
// Sub-sequences: skipping ahead gives what drawing gives.
__global__ void skip(unsigned *out) {
    curandState a, b;
    curand_init(99, 3, 0, &a);
    curand_init(99, 3, 25, &b);
    for (int k = 0; k < 25; k++) curand(&a);
    out[0] = curand(&a), out[1] = curand(&b);
    curandStateMRG32k3a c, d;
    curand_init(5, 1, 0, &c);
    curand_init(5, 1, 3, &d);
    curand(&c), curand(&c), curand(&c);
    out[2] = curand(&c), out[3] = curand(&d);
}
__global__ void setup(curandState *states) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(1234, i, 0, &states[i]);
}
// Sums over each thread's draws: uniform, normal, squares of normal, doubles, Poisson, log-normal;
// and points in the circle.
__global__ void distributions(curandState *states, double *sums, unsigned *inside) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState state = states[i];
    unsigned hits = 0;
    double s[6] = {0, 0, 0, 0, 0, 0};
    for (int k = 0; k < DRAWS; k++) {
        float x = curand_uniform(&state), y = curand_uniform(&state), n = curand_normal(&state);
        hits += x * x + y * y <= 1;
        s[0] += x > 0 && x <= 1 ? x : 1e9;
        s[1] += n, s[2] += n * n;
        s[3] += curand_uniform_double(&state);
        s[4] += curand_poisson(&state, 3.0);
        s[5] += curand_log_normal(&state, 0.0f, 0.5f);
    }
    states[i] = state;
    for (int k = 0; k < 6; k++) sums[6 * i + k] = s[k];
    atomicAdd(inside, hits);
}

static unsigned host_xorwow(unsigned long long seed, int draw) {
    unsigned s0 = (unsigned)seed ^ 0xaad26b49u, s1 = (unsigned)(seed >> 32) ^ 0xf7dcefddu,
             t0 = 1099087573u * s0, t1 = 2591861531u * s1;
    unsigned d = 6615241 + t1 + t0, v[5] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1,
                                            88675123u ^ t1, 5783321u + t0};
    for (int k = 0; k <= draw; k++) {
        unsigned t = v[0] ^ v[0] >> 2;
        for (int i = 0; i < 4; i++) v[i] = v[i + 1];
        v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
        d += 362437;
    }
    return v[4] + d;
}
static void host_philox(unsigned key0, unsigned key1, unsigned subsequence, unsigned *out) {
    unsigned c[4] = {0, 0, subsequence, 0};
    for (int round = 0; round < 10; round++, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
        uint64_t p0 = 0xD2511F53ull * c[0], p1 = 0xCD9E8D57ull * c[2];
        const unsigned next[4] = {(unsigned)(p1 >> 32) ^ c[1] ^ key0, (unsigned)p1,
                                  (unsigned)(p0 >> 32) ^ c[3] ^ key1, (unsigned)p0};
        memcpy(c, next, sizeof c);
    }
    memcpy(out, c, sizeof c);
}

int main() {
    const int n = THREADS * BLOCKS;
    const unsigned long long seed = 0x123456789ull;
    unsigned *xorwow = poisoned<unsigned>(4 * n), *skipped = poisoned<unsigned>(4);
    uint4 *philox = poisoned<uint4>(n);
    draw<<<BLOCKS, THREADS>>>(seed, xorwow, philox);
    skip<<<1, 1>>>(skipped);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(xorwow, 4 * n), pairs = to_host(skipped, 4);
    std::vector<uint4> blocks = to_host(philox, n);
    for (int i = 0; i < n; i++) {
        unsigned want[4];
        for (int k = 0; k < 4; k++)
            same("XORWOW", 4 * i + k, got[4 * i + k], host_xorwow(seed + i, k));
        host_philox((unsigned)seed, (unsigned)(seed >> 32), i, want);
        same("Philox", i, (uint64_t)blocks[i].x << 32 | blocks[i].y,
             (uint64_t)want[0] << 32 | want[1]);
        same("Philox", i, (uint64_t)blocks[i].z << 32 | blocks[i].w,
             (uint64_t)want[2] << 32 | want[3]);
    }
    same("XORWOW skips", 0, pairs[1], pairs[0]);
    same("MRG32k3a skips", 0, pairs[3], pairs[2]);

    curandState *states;
    CHECK(cudaMalloc(&states, n * sizeof *states));
    double *sums = poisoned<double>(6 * n), totals[6] = {0, 0, 0, 0, 0, 0};
    unsigned *inside = to_device(std::vector<unsigned>(1));
    setup<<<BLOCKS, THREADS>>>(states);
    distributions<<<BLOCKS, THREADS>>>(states, sums, inside);
    FINISH_KERNEL();
    std::vector<double> got_sums = to_host(sums, 6 * n);
    for (int i = 0; i < 6 * n; i++) totals[i % 6] += got_sums[i];
    const double draws = (double)n * DRAWS,
                 mean[6] = {0.5, 0, 1, 0.5, 3, exp(0.125)}; // five standard errors below
    const double error[6] = {0.0046, 0.016, 0.023, 0.0046, 0.028, 0.0095};
    for (int k = 0; k < 6; k++) close_to("mean", k, totals[k] / draws, mean[k], error[k]);
    close_to("pi", 0, 4 * to_host(inside, 1)[0] / draws, M_PI, 0.027);
    CHECK(cudaFree(states));
    return finish();
}
