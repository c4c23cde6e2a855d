// cuda_bf16.h: conversions and arithmetic, built for an architecture without bf16 instructions and
// for one with them.
//
// build emulated
// build native arch=90 gpu=h200
#include "check.h"

#include <cuda_bf16.h>

enum { N = 1 << 14, RESULTS = 8 };

__device__ unsigned bits(__nv_bfloat16 x) {
    return __bfloat16_as_ushort(x);
}

__global__ void compute(const float *a, const float *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_bfloat16 x = __float2bfloat16(a[i]), y = __float2bfloat16(b[i]);
    unsigned *r = out + i * RESULTS;
    *r++ = bits(x);
    *r++ = bits(y);
    *r++ = bits(__hadd(x, y));
    *r++ = bits(__hmul(x, y));
#if __CUDA_ARCH__ >= 800
    *r++ = bits(__hfma(x, y, x));
#else // not offered
    *r++ = bits(x);
#endif
    *r++ = __hgt(x, y);
    __nv_bfloat162 pair = __hadd2(__halves2bfloat162(x, y), __halves2bfloat162(y, y));
    *r++ = bits(__low2bfloat16(pair)) | bits(__high2bfloat16(pair)) << 16;
    *r++ = __float_as_uint(__bfloat162float(x));
}

static float value(unsigned h) {
    unsigned word = h << 16;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}
// Round to nearest even from double, in one step; the operands here keep clear of overflow and
// denormals.
static unsigned rounded(double x) {
    int exponent;
    double mantissa = frexp(x, &exponent);
    float f = (float)ldexp(nearbyint(ldexp(mantissa, 8)), exponent - 8);
    unsigned word;
    memcpy(&word, &f, sizeof word);
    return word >> 16;
}

int main() {
    std::vector<float> a(N), b(N);
    for (int i = 0; i < N; i++)
        a[i] = (float)ldexp(random_in(-1, 1), (int)(random32() % 20) - 10),
        b[i] = (float)ldexp(random_in(-1, 1), (int)(random32() % 20) - 10);
    unsigned *out = poisoned<unsigned>(N * RESULTS);
    compute<<<N / 256, 256>>>(to_device(a), to_device(b), out);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(out, N * RESULTS);
    for (int i = 0; i < N; i++) {
        const unsigned *r = &got[i * RESULTS];
        unsigned x = rounded(a[i]), y = rounded(b[i]);
        double p = value(x), q = value(y);
        same("__float2bfloat16", i, r[0], x);
        same("__float2bfloat16", i, r[1], y);
        same("__hadd", i, r[2], rounded(p + q));
        same("__hmul", i, r[3], rounded(p * q));
        if (r[4] != x) // the build without it stores x
            same("__hfma", i, r[4], rounded(fma(p, q, p)));
        same("__hgt", i, r[5], p > q);
        same("__hadd2", i, r[6], rounded(p + q) | rounded(q + q) << 16);
        same("__bfloat162float", i, r[7], x << 16);
    }
    return finish();
}
