// Denormals: flushed to zero, sign kept, as operands and as results under -ftz=true; kept exactly
// otherwise and in double.
//
// build flush -ftz=true -DFLUSHED=1
// build keep
#include "check.h"

#ifndef FLUSHED
#define FLUSHED 0
#endif
enum { N = 1024, RESULTS = 8 };

__global__ void compute(const float *a, const float *b, float *out, double *exact) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], y = b[i], *r = out + i * RESULTS;
    *r++ = __fadd_rn(x, y);
    *r++ = __fmul_rn(x, y);
    *r++ = __fmaf_rn(x, y, x);
    *r++ = __fdiv_rn(x, y);
    *r++ = x < y ? 1 : 0;
    *r++ = x == 0 ? 1 : 0;
    *r++ = fabsf(x) * 0x1p+20f;
    *r++ = __fsqrt_rn(fabsf(x));
    exact[i] = (double)x * 0x1p-900 * 0x1p-40;
}

static float flush(float x) {
    return FLUSHED && fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

int main() {
    std::vector<float> a(N), b(N);
    for (int i = 0; i < N; i++) {
        a[i] = (float)ldexp(random_in(-1, 1), -(int)(random32() % 26) - 124);
        b[i] = i % 2 ? (float)ldexp(random_in(-1, 1), -(int)(random32() % 26) - 124)
                     : (float)random_in(-2, 2);
    }
    float *out = poisoned<float>(N * RESULTS);
    double *exact = poisoned<double>(N);
    compute<<<N / 128, 128>>>(to_device(a), to_device(b), out, exact);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, N * RESULTS);
    std::vector<double> doubles = to_host(exact, N);
    for (int i = 0; i < N; i++) {
        float x = flush(a[i]), y = flush(b[i]);
        const float want[RESULTS] = {
            flush(x + y),   flush(x * y),    flush(fmaf(x, y, x)),       flush(x / y),
            (float)(x < y), (float)(x == 0), flush(fabsf(x) * 0x1p+20f), sqrtf(fabsf(x))};
        for (int r = 0; r < RESULTS; r++)
            same("element * 8 + operation", i * RESULTS + r, got[i * RESULTS + r], want[r]);
        same("double", i, doubles[i],
             x * 0x1p-900 * 0x1p-40); // cvt.ftz.f64.f32 flushes its operand
    }
    return finish();
}
