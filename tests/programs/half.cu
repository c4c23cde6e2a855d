// cuda_fp16.h: every half converted and back, arithmetic with a single rounding, comparisons,
// vectors of two, math functions.
#include "check.h"

#include <cuda_fp16.h>

enum { ALL = 1 << 16, RESULTS = 17 };

__device__ unsigned bits(__half h) {
    return __half_as_ushort(h);
}
__device__ unsigned bits(__half2 h) {
    return (unsigned)bits(__low2half(h)) | bits(__high2half(h)) << 16;
}

__global__ void to_float(float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __half2float(__ushort_as_half((unsigned short)i));
}
__global__ void from_float(const float *a, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[4 * i] = bits(__float2half_rn(a[i]));
    out[4 * i + 1] = bits(__float2half_rz(a[i]));
    out[4 * i + 2] = bits(__float2half_ru(a[i]));
    out[4 * i + 3] = bits(__float2half_rd(a[i]));
}
__global__ void arithmetic(const unsigned *a, const unsigned *b, unsigned *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half x = __ushort_as_half((unsigned short)a[i]), y = __ushort_as_half((unsigned short)b[i]);
    __half2 xy = __halves2half2(x, y), yx = __halves2half2(y, x);
    unsigned *r = out + (size_t)i * RESULTS;
    *r++ = bits(__hadd(x, y));
    *r++ = bits(__hsub(x, y));
    *r++ = bits(__hmul(x, y));
    *r++ = bits(__hfma(x, y, x));
    *r++ = bits(__hdiv(x, y));
    *r++ = bits(__hneg(x));
    *r++ = bits(__habs(x));
    *r++ = __hlt(x, y);
    *r++ = __hge(x, y);
    *r++ = __hneu(x, y);
    *r++ = bits(__hmax(x, y));
    *r++ = bits(__hadd_sat(x, y));
    *r++ = bits(__hadd2(xy, yx));
    *r++ = bits(__hfma2(xy, yx, xy));
    *r++ = bits(hsqrt(x));
    *r++ = (unsigned)__half2int_rz(x);
    *r++ = bits(x * y + x); // operators
}
__global__ void functions(const unsigned *a, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half x = __ushort_as_half((unsigned short)a[i]);
    out[4 * i] = __half2float(hexp(x));
    out[4 * i + 1] = __half2float(hsin(x));
    out[4 * i + 2] = __half2float(hlog(__habs(x)));
    out[4 * i + 3] = __half2float(hfloor(x));
}

// The host's own half: value of a bit pattern, and rounding a double (exact for the sums and
// products of halves) to nearest even.
static double value(unsigned h) {
    int exponent = h >> 10 & 31, mantissa = h & 1023;
    double magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                       : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                      : ldexp(mantissa, -24);
    return h & 0x8000 ? -magnitude : magnitude;
}
// direction: 0 nearest even, 1 towards zero, 2 up, 3 down.
static unsigned rounded(double x, int direction = 0) {
    if (x != x) return 0x7FFF;
    unsigned sign = std::signbit(x) ? 0x8000 : 0;
    double magnitude = fabs(x);
    bool away = (direction == 2 && !sign) || (direction == 3 && sign);
    if (std::isinf(x)) return sign | 0x7C00;
    int exponent;
    frexp(magnitude, &exponent);
    double step = ldexp(1, exponent < -13 ? -24 : exponent - 11);
    double units = magnitude / step, whole = direction == 0 ? nearbyint(units)
                                             : away         ? ceil(units)
                                                            : floor(units);
    magnitude = whole * step;
    if (magnitude > 65504) return sign | (direction == 0 || away ? 0x7C00 : 0x7BFF);
    if (magnitude < 0x1p-14) return sign | (unsigned)(magnitude * 0x1p24);
    frexp(magnitude, &exponent);
    return sign | (unsigned)(exponent + 14) << 10 |
           ((unsigned)ldexp(magnitude, 11 - exponent) & 1023);
}
static bool is_nan(unsigned h) {
    return (h & 0x7FFF) > 0x7C00;
}
static void same_half(const char *what, long i, unsigned got, unsigned want) {
    if (!(is_nan(got) && is_nan(want))) same(what, i, got, want);
}
static unsigned pair(unsigned low, unsigned high) {
    return low | high << 16;
}
static void same_pair(const char *what, long i, unsigned got, unsigned want) {
    same_half(what, i, got & 0xFFFF, want & 0xFFFF);
    same_half(what, i, got >> 16, want >> 16);
}

static void test_conversions() {
    float *out = poisoned<float>(ALL);
    to_float<<<ALL / 256, 256>>>(out);
    FINISH_KERNEL();
    std::vector<float> floats = to_host(out, ALL), inputs(ALL);
    for (int i = 0; i < ALL; i++) same("half to float", i, floats[i], (float)value(i));
    for (int i = 0; i < ALL;
         i++) // each half, the middle between it and the next, and a little beside that
        inputs[i] = i % 3 == 0   ? floats[i]
                    : i % 3 == 1 ? (floats[i - 1] + floats[i]) / 2
                                 : (float)ldexp(random_in(-1, 1), (int)(random32() % 46) - 27);
    unsigned *halves = poisoned<unsigned>(4 * ALL);
    from_float<<<ALL / 256, 256>>>(to_device(inputs), halves);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(halves, 4 * ALL);
    for (int i = 0; i < 4 * ALL; i++)
        same_half("float to half", i, got[i], rounded(inputs[i / 4], i % 4));
}

static void test_arithmetic() {
    const int n = 1 << 14;
    std::vector<unsigned> a(n), b(n);
    for (int i = 0; i < n; i++)
        a[i] = i % 4 ? random32() & 0xFFFF : rounded(random_in(-8, 8)),
        b[i] = i % 2 ? random32() & 0xFFFF : rounded(random_in(-8, 8));
    unsigned *x = to_device(a), *out = poisoned<unsigned>(n * RESULTS);
    float *values = poisoned<float>(4 * n);
    arithmetic<<<n / 256, 256>>>(x, to_device(b), out);
    functions<<<n / 256, 256>>>(x, values);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(out, n * RESULTS);
    std::vector<float> math = to_host(values, 4 * n);
    for (int i = 0; i < n; i++) {
        const unsigned *r = &got[i * RESULTS];
        double p = value(a[i]), q = value(b[i]);
        unsigned sum = rounded(p + q), fused = rounded(fma(p, q, p));
        same_half("__hadd", i, r[0], sum);
        same_half("__hsub", i, r[1], rounded(p - q));
        same_half("__hmul", i, r[2], rounded(p * q));
        same_half("__hfma", i, r[3], fused);
        same_half("__hdiv", i, r[4], rounded(p / q));
        same_half("__hneg", i, r[5], a[i] ^ 0x8000);
        same_half("__habs", i, r[6], a[i] & 0x7FFF);
        same("__hlt", i, r[7], p < q);
        same("__hge", i, r[8], p >= q);
        same("__hneu", i, r[9], !(p == q));
        if (p != q)
            same_half("__hmax", i, r[10], p != p ? b[i] : q != q ? a[i] : p > q ? a[i] : b[i]);
        if (p + q == p + q)
            same_half("__hadd_sat", i, r[11], p + q >= 1 ? 0x3C00 : p + q <= 0 ? 0 : sum);
        same_pair("__hadd2", i, r[12], pair(sum, sum));
        same_pair("__hfma2", i, r[13], pair(fused, rounded(fma(q, p, q))));
        if (p >= 0) same_half("hsqrt", i, r[14], rounded(sqrt(p)));
        if (fabs(p) < 65520) same("__half2int_rz", i, (int)r[15], (int)p);
        if (r[16] != rounded(value(rounded(p * q)) + p)) // the compiler is free to fuse
            same_half("operators", i, r[16], fused);
        if (fabs(p) < 10) {
            close_to("hexp", i, math[4 * i], exp(p), exp(p) * 0x1p-9);
            close_to("hsin", i, math[4 * i + 1], sin(p), 0x1p-9);
            if (p != 0)
                close_to("hlog", i, math[4 * i + 2], log(fabs(p)),
                         fabs(log(fabs(p))) * 0x1p-9 + 0x1p-10);
            same("hfloor", i, math[4 * i + 3], (float)floor(p));
        }
    }
}

int main() {
    test_conversions();
    test_arithmetic();
    return finish();
}
