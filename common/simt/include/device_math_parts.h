/* device_math_parts.h: functions that take numbers apart, and remainders: all exact. */

/* ---- Exponent and fraction ---- */

SIMT_NV double __nv_frexp(double x, int *exponent) {
    *exponent = 0;
    if (x == 0 || x != x || __nv_isinfd(x)) return x;
    unsigned long long bits = __nv_double_as_longlong(x);
    if (!(bits >> SIMT_MANTISSA & SIMT_EXPONENT)) {              /* subnormal */
        bits = __nv_double_as_longlong(x * 18014398509481984.0); /* 2^54 */
        *exponent = -54;
    }
    *exponent += (int)(bits >> SIMT_MANTISSA & SIMT_EXPONENT) - (SIMT_BIAS - 1);
    bits &= ~((unsigned long long)SIMT_EXPONENT << SIMT_MANTISSA);
    return __nv_longlong_as_double(bits | (SIMT_BIAS - 1ull) << SIMT_MANTISSA);
}
SIMT_NV double __nv_modf(double x, double *whole) {
    *whole = __nv_trunc(x);
    return __nv_copysign(__nv_isinfd(x) ? 0 : x - *whole, x);
}
SIMT_NV int __nv_ilogb(double x) {
    int exponent;
    if (x == 0 || x != x) return -2147483647 - 1;
    if (__nv_isinfd(x)) return 2147483647;
    __nv_frexp(x, &exponent);
    return exponent - 1;
}
SIMT_NV double __nv_logb(double x) {
    if (x == 0) return -SIMT_INFINITY;
    return x != x || __nv_isinfd(x) ? x * x : __nv_ilogb(x);
}
SIMT_NV double __nv_scalbn(double x, int n) {
    return __nv_ldexp(x, n);
}
SIMT_NV double __nv_nextafter(double x, double to) {
    long long bits = __nv_double_as_longlong(x);
    if (x != x || to != to) return x + to;
    if (x == to) return to;
    if (x == 0) return __nv_copysign(__nv_longlong_as_double(1), to);
    return __nv_longlong_as_double((x < to) == (x > 0) ? bits + 1 : bits - 1);
}
SIMT_NV float __nv_nextafterf(float x, float to) {
    int bits = __nv_float_as_int(x);
    if (x != x || to != to) return x + to;
    if (x == to) return to;
    if (x == 0) return __nv_copysignf(__nv_int_as_float(1), to);
    return __nv_int_as_float((x < to) == (x > 0) ? bits + 1 : bits - 1);
}

/* ---- To integers ---- */

SIMT_NV long long __nv_llrint(double x) {
    return (long long)__nv_rint(x);
}
SIMT_NV long long __nv_llround(double x) {
    return (long long)__nv_round(x);
}
SIMT_NV long long __nv_llrintf(float x) {
    return (long long)__nv_rintf(x);
}
SIMT_NV long long __nv_llroundf(float x) {
    return (long long)__nv_roundf(x);
}

/* ---- Remainders ---- */

/* Are these what a remainder is of? */
__device__ inline bool simtDivides(double a, double b) {
    return __nv_fabs(a) < SIMT_INFINITY && b != 0 && b == b;
}

/* |a| mod |b|, and the last bits of the quotient: a long division, 11 bits at a time. */
__device__ inline double simtModulo(double a, double b, unsigned *quotient) {
    int exponent_a, exponent_b;
    a = __nv_fabs(a), b = __nv_fabs(b);
    *quotient = 0;
    if (a < b) return a;
    unsigned long long rest = (unsigned long long)(__nv_frexp(a, &exponent_a) * 0x1p53),
                       divisor = (unsigned long long)(__nv_frexp(b, &exponent_b) * 0x1p53);
    for (int left = exponent_a - exponent_b, bits = 0; left >= 0; left -= bits) {
        *quotient = (*quotient << bits) + (unsigned)(rest / divisor);
        rest %= divisor;
        if (left == 0) break;
        bits = left < 11 ? left : 11;
        rest <<= bits;
    }
    return __nv_ldexp((double)rest, exponent_b - 53);
}
SIMT_NV double __nv_fmod(double a, double b) {
    unsigned quotient;
    return simtDivides(a, b) ? __nv_copysign(simtModulo(a, b, &quotient), a) : SIMT_NAN;
}
/* Of the quotient the sign and three bits. */
SIMT_NV double __nv_remquo(double a, double b, int *quotient) {
    unsigned n;
    *quotient = 0;
    if (!simtDivides(a, b)) return SIMT_NAN;
    double rest = simtModulo(a, b, &n), size = __nv_fabs(b), other = size - rest;
    if (rest > other || (rest == other && (n & 1))) rest -= size, n++;
    *quotient = (__nv_signbitd(a) != 0) != (__nv_signbitd(b) != 0) ? -(int)(n & 7) : (int)(n & 7);
    return rest == 0 ? __nv_copysign(0.0, a) : __nv_signbitd(a) ? -rest : rest;
}
SIMT_NV double __nv_remainder(double a, double b) {
    int quotient;
    return __nv_remquo(a, b, &quotient);
}

/* ---- Single precision: floats are doubles ---- */

SIMT_NV float __nv_frexpf(float x, int *exponent) {
    return (float)__nv_frexp(x, exponent);
}
SIMT_NV float __nv_modff(float x, float *whole) {
    double part, fraction = __nv_modf(x, &part);
    *whole = (float)part;
    return (float)fraction;
}
SIMT_NV int __nv_ilogbf(float x) {
    return __nv_ilogb(x);
}
SIMT_NV float __nv_logbf(float x) {
    return (float)__nv_logb(x);
}
SIMT_NV float __nv_scalbnf(float x, int n) {
    return (float)__nv_ldexp(x, n);
}
SIMT_NV float __nv_fmodf(float a, float b) {
    return (float)__nv_fmod(a, b);
}
SIMT_NV float __nv_remquof(float a, float b, int *quotient) {
    return (float)__nv_remquo(a, b, quotient);
}
SIMT_NV float __nv_remainderf(float a, float b) {
    return (float)__nv_remainder(a, b);
}
