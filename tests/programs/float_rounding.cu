// Float arithmetic in all four rounding modes, bit for bit as IEEE 754 has it.
#include "part_rounding.h"

#define MODE(m)                                                                                    \
    o[0] = __fadd_##m(x, y), o[1] = __fsub_##m(x, y), o[2] = __fmul_##m(x, y),                     \
    o[3] = __fdiv_##m(x, y);                                                                       \
    o[4] = __fmaf_##m(x, y, z), o[5] = __fsqrt_##m(x), o += OPERATIONS

__global__ void rounded(const float *a, const float *b, const float *c, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i], z = c[i], *o = out + (size_t)i * ROUNDING_RESULTS;
    MODE(rn);
    MODE(rz);
    MODE(ru);
    MODE(rd);
}

__global__ void reciprocals(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[4 * i] = __frcp_rn(a[i]);
    out[4 * i + 1] = __frcp_rz(a[i]);
    out[4 * i + 2] = __frcp_ru(a[i]);
    out[4 * i + 3] = __frcp_rd(a[i]);
}

static void test_reciprocals() {
    const int n = 4096;
    std::vector<float> a = rounding_operands<float>(n);
    float *out = poisoned<float>(4 * n);
    reciprocals<<<n / 128, 128>>>(to_device(a), out, n);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, 4 * n);
    for (int i = 0; i < n; i++)
        for (int mode = 0; mode < MODES; mode++) {
            fesetround(host_mode[mode]);
            volatile float one = 1, x = a[i], want = one / x;
            fesetround(FE_TONEAREST);
            same("__frcp", 4 * i + mode, got[4 * i + mode], (float)want);
        }
}

int main() {
    test_rounding<float>("element * 24 + mode * 6 + operation", rounded);
    test_reciprocals();
    return finish();
}
