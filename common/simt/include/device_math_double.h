/*
 * device_math_double.h: exp, log, sin, cos and tan in double precision: the argument reduced to a
 * small interval, then a Taylor series, as each header says. Errors stay within the CUDA C++
 * Programming Guide's bounds for double precision (1 ulp for exp and log, 2 for the others):
 * tests/targets/front.bats measures them.
 */

/* ln 2 in 33 bits, so that a product with an exponent is exact */
#define SIMT_LN2_HIGH 6.93147180369123816490e-01
#define SIMT_LN2_LOW  1.90821492927058770002e-10
#define SIMT_LOG2_E   1.44269504088896338700
#define SIMT_INFINITY (__nv_longlong_as_double(0x7FF0000000000000))
#define SIMT_NAN      (__nv_longlong_as_double(0x7FF8000000000000))
#define SIMT_EXPONENT 0x7FF
#define SIMT_BIAS     1023
#define SIMT_MANTISSA 52 /* bits */

/* 2^n for an exponent of normal numbers. */
__device__ inline double simtPowerOf2(int n) {
    return __nv_longlong_as_double((long long)(n + SIMT_BIAS) << SIMT_MANTISSA);
}

/* x * 2^n, n within +-2000: two steps, as 2^n itself may be too large or too small. */
SIMT_NV double __nv_ldexp(double x, int n) {
    n = n > 2000 ? 2000 : n < -2000 ? -2000 : n;
    int half = n / 2;
    return x * simtPowerOf2(half) * simtPowerOf2(n - half);
}

/* e^r - 1 - r for |r| <= ln 2 / 2, to 1e-18: r^2/2! + ... + r^13/13! */
__device__ inline double simtExpTail(double r) {
    double sum = 1.6059043836821613e-10; /* 1/13! */
    sum = __nv_fma(sum, r, 2.0876756987868099e-09);
    sum = __nv_fma(sum, r, 2.5052108385441720e-08);
    sum = __nv_fma(sum, r, 2.7557319223985888e-07);
    sum = __nv_fma(sum, r, 2.7557319223985893e-06);
    sum = __nv_fma(sum, r, 2.4801587301587302e-05);
    sum = __nv_fma(sum, r, 1.9841269841269841e-04);
    sum = __nv_fma(sum, r, 1.3888888888888889e-03);
    sum = __nv_fma(sum, r, 8.3333333333333332e-03);
    sum = __nv_fma(sum, r, 4.1666666666666664e-02);
    sum = __nv_fma(sum, r, 1.6666666666666666e-01);
    sum = __nv_fma(sum, r, 0.5);
    return sum * r * r;
}

/* e^x = 2^n e^r with n whole and |r| <= ln 2 / 2. */
SIMT_NV double __nv_exp(double x) {
    if (x != x) return x;
    if (x > 710) return SIMT_INFINITY;
    if (x < -746) return 0;
    double n = __nv_rint(x * SIMT_LOG2_E);
    double high = __nv_fma(-n, SIMT_LN2_HIGH, x), low = -n * SIMT_LN2_LOW, r = high + low;
    low += high - r;
    return __nv_ldexp(1 + (r + (low + simtExpTail(r))), (int)n);
}

/* x = m 2^n, m from sqrt(1/2) to sqrt(2); x positive and finite. */
__device__ inline double simtSplit(double x, int *n) {
    *n = 0;
    if (x < 2.2250738585072014e-308) { /* subnormal */
        x *= 18014398509481984.0;      /* 2^54 */
        *n = -54;
    }
    long long bits = (long long)__nv_double_as_longlong(x) - 0x3FE6A09E667F3BCD; /* sqrt(1/2) */
    int shift = (int)(bits >> SIMT_MANTISSA);
    *n += shift;
    return __nv_longlong_as_double((long long)__nv_double_as_longlong(x) -
                                   ((long long)shift << SIMT_MANTISSA));
}

/* log(1 + f) - f for 1 + f as simtSplit gives it: with s = f/(2+f), log(1+f) = 2 (s + s^3/3 + s^5/5
 * ...), and 2 s = f - s f. */
__device__ inline double simtLogTail(double f) {
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double sum = 2.0 / 23;
    sum = __nv_fma(sum, z, 2.0 / 21);
    sum = __nv_fma(sum, z, 2.0 / 19);
    sum = __nv_fma(sum, z, 2.0 / 17);
    sum = __nv_fma(sum, z, 2.0 / 15);
    sum = __nv_fma(sum, z, 2.0 / 13);
    sum = __nv_fma(sum, z, 2.0 / 11);
    sum = __nv_fma(sum, z, 2.0 / 9);
    sum = __nv_fma(sum, z, 2.0 / 7);
    sum = __nv_fma(sum, z, 2.0 / 5);
    sum = __nv_fma(sum, z, 2.0 / 3);
    return s * (half + z * sum) - half;
}

/* What the logarithm of a number that is not positive and finite is. */
__device__ inline double simtLogSpecial(double x) {
    if (x == 0) return -SIMT_INFINITY;
    return x > 0 ? x : SIMT_NAN; /* infinity; negative, or a NaN */
}

SIMT_NV double __nv_log(double x) {
    if (!(x > 0 && x < SIMT_INFINITY)) return simtLogSpecial(x);
    int n;
    double f = simtSplit(x, &n) - 1;
    return n * SIMT_LN2_HIGH + (f + (simtLogTail(f) + n * SIMT_LN2_LOW));
}

/* ---- sin, cos, tan ---- */

#define SIMT_TWO_OVER_PI  6.36619772367581382433e-01
#define SIMT_PI_2_FIRST   1.57079632679489655800 /* pi/2 in three pieces of 53 bits */
#define SIMT_PI_2_SECOND  6.12323399573676603587e-17
#define SIMT_PI_2_THIRD   (-1.49738490485916983e-33)
#define SIMT_SMALL_ENOUGH 1e9 /* so far three pieces are exact enough */

/* 64 zeros, then the bits of 2/pi after the point. */
__device__ const unsigned long long simtTwoOverPi[] = {0,
                                                       0xA2F9836E4E441529,
                                                       0xFC2757D1F534DDC0,
                                                       0xDB6295993C439041,
                                                       0xFE5163ABDEBBC561,
                                                       0xB7246E3A424DD2E0,
                                                       0x06492EEA09D1921C,
                                                       0xFE1DEB1CB129A73E,
                                                       0xE88235F52EBB4484,
                                                       0xE99C7026B45F7E41,
                                                       0x3991D639835339F4,
                                                       0x9C845F8BBDF9283B,
                                                       0x1FF897FFDE05980F,
                                                       0xEF2F118B5A0A6D1F,
                                                       0x6D367ECF27CB09B7,
                                                       0x4F463F669E5FEA2D,
                                                       0x7527BAC7EBE5F17B,
                                                       0x3D0739F78A5292EA,
                                                       0x6BFB5FB11F8D5D08,
                                                       0x56033046FC7B6BAB,
                                                       0xF0CFBC209AF4361D};

/* For x = m 2^e above SIMT_SMALL_ENOUGH: of 2/pi, 192 bits count; those before them give multiples
 * of 4. The product with m has its two lowest whole bits on top. Returns x's quadrant, and in
 * *fraction what is left of x * 2/pi, from -1/2 to 1/2. */
__device__ inline int simtReduceLarge(double x, double *fraction, double *tail) {
    unsigned long long bits = __nv_double_as_longlong(x);
    unsigned long long m = (bits & 0xFFFFFFFFFFFFF) | 0x10000000000000, w[3];
    int e = (int)((bits >> SIMT_MANTISSA) & SIMT_EXPONENT) - SIMT_BIAS - SIMT_MANTISSA;
    int skip = e - 2 + 64, word = skip / 64, shift = skip % 64;
    for (int i = 0; i < 3; i++) {
        w[i] = simtTwoOverPi[word + i] << shift;
        if (shift) w[i] |= simtTwoOverPi[word + i + 1] >> (64 - shift);
    }
    unsigned __int128 product = ((unsigned __int128)m * w[0] << 64) + (unsigned __int128)m * w[1] +
                                (unsigned long long)((unsigned __int128)m * w[2] >> 64);
    __int128 rest = (__int128)(product << 2);
    long long high = (long long)(rest >> 64);
    double whole = (double)high * 0x1p-64;
    *fraction = whole + (double)(unsigned long long)rest * 0x1p-128;
    *tail = (whole - *fraction) + (double)(high - (long long)(double)high) * 0x1p-64 +
            (double)(unsigned long long)rest * 0x1p-128;
    return (int)(product >> 126) + (high < 0);
}

/* x = quadrant * pi/2 + *r + *low, |*r| <= pi/4, for any finite x; *low is what *r has no digits
 * for. The quadrant counts modulo 4. */
__device__ inline int simtReduce(double x, double *r, double *low) {
    if (__nv_fabs(x) > SIMT_SMALL_ENOUGH) {
        double fraction, tail, sign = __nv_copysign(1.0, x);
        int quadrant = simtReduceLarge(__nv_fabs(x), &fraction, &tail);
        *r = sign * fraction * SIMT_PI_2_FIRST;
        *low = __nv_fma(sign * fraction, SIMT_PI_2_FIRST, -*r) +
               sign * (fraction * SIMT_PI_2_SECOND + tail * SIMT_PI_2_FIRST);
        return x < 0 ? -quadrant : quadrant;
    }
    double n = __nv_rint(x * SIMT_TWO_OVER_PI);
    double first = __nv_fma(-n, SIMT_PI_2_FIRST, x), second = n * SIMT_PI_2_SECOND;
    *r = first - second;
    *low = ((first - *r) - second) - __nv_fma(n, SIMT_PI_2_SECOND, -second) - n * SIMT_PI_2_THIRD;
    return (int)n;
}

/* sin (r + low) for |r| <= pi/4: the series to r^19. *tail is what the sum has no digits for. */
__device__ inline double simtSinSeries(double r, double low, double *tail) {
    double z = r * r, sum = -8.2206352466243295e-18; /* -1/19! */
    sum = __nv_fma(sum, z, 2.8114572543455206e-15);
    sum = __nv_fma(sum, z, -7.6471637318198164e-13);
    sum = __nv_fma(sum, z, 1.6059043836821613e-10);
    sum = __nv_fma(sum, z, -2.5052108385441720e-08);
    sum = __nv_fma(sum, z, 2.7557319223985893e-06);
    sum = __nv_fma(sum, z, -1.9841269841269841e-04);
    sum = __nv_fma(sum, z, 8.3333333333333332e-03);
    sum = __nv_fma(sum, z, -1.6666666666666666e-01);
    double rest = __nv_fma(sum * z, r, low * (1 - 0.5 * z)), sine = r + rest;
    *tail = (r - sine) + rest;
    return sine;
}

/* cos (r + low) likewise, to r^18. */
__device__ inline double simtCosSeries(double r, double low, double *tail) {
    double z = r * r, sum = -1.5619206968586225e-16; /* -1/18! */
    sum = __nv_fma(sum, z, 4.7794773323873853e-14);
    sum = __nv_fma(sum, z, -1.1470745597729725e-11);
    sum = __nv_fma(sum, z, 2.0876756987868099e-09);
    sum = __nv_fma(sum, z, -2.7557319223985888e-07);
    sum = __nv_fma(sum, z, 2.4801587301587302e-05);
    sum = __nv_fma(sum, z, -1.3888888888888889e-03);
    sum = __nv_fma(sum, z, 4.1666666666666664e-02);
    double half = 0.5 * z, whole = 1 - half;
    double rest = (1 - whole - half) + __nv_fma(sum * z, z, -r * low), cosine = whole + rest;
    *tail = (whole - cosine) + rest;
    return cosine;
}

/* Sine and cosine of x, without their signs, each with its tail; returns x's quadrant. */
__device__ inline int simtSinCos(double x, double sine[2], double cosine[2]) {
    double r = SIMT_NAN, low = 0;
    int quadrant = __nv_fabs(x) < SIMT_INFINITY ? simtReduce(x, &r, &low) : 0;
    double *s = quadrant & 1 ? cosine : sine, *c = quadrant & 1 ? sine : cosine;
    s[0] = simtSinSeries(r, low, &s[1]);
    c[0] = simtCosSeries(r, low, &c[1]);
    return quadrant;
}

SIMT_NV void __nv_sincos(double x, double *sine, double *cosine) {
    double s[2], c[2];
    int quadrant = simtSinCos(x, s, c);
    *sine = quadrant & 2 ? -s[0] : s[0];
    *cosine = (quadrant + 1) & 2 ? -c[0] : c[0];
}
SIMT_NV double __nv_sin(double x) {
    double sine, cosine;
    __nv_sincos(x, &sine, &cosine);
    return x == 0 ? x : sine; /* keeps the sign of a zero */
}
SIMT_NV double __nv_cos(double x) {
    double sine, cosine;
    __nv_sincos(x, &sine, &cosine);
    return cosine;
}
/* The quotient, and then what its rounding and the tails leave out. */
SIMT_NV double __nv_tan(double x) {
    double s[2], c[2];
    int quadrant = simtSinCos(x, s, c);
    double quotient = s[0] / c[0];
    quotient += (__nv_fma(-quotient, c[0], s[0]) + (s[1] - quotient * c[1])) / c[0];
    if (x == 0) return x;
    return quadrant & 1 ? -quotient : quotient;
}

/* 1 / sqrt x, and then one step that takes the errors of both operations, which fma gives exactly,
 * out again. */
SIMT_NV double __nv_rsqrt(double x) {
    double root = __nv_sqrt(x), y = 1 / root;
    if (!(x > 0 && x < SIMT_INFINITY)) return y;
    double of_root = __nv_fma(-root, root, x) * 0.5 * y, of_quotient = __nv_fma(-root, y, 1.0);
    return __nv_fma(y, of_quotient - of_root * y, y);
}
