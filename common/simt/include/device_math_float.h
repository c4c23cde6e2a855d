/*
 * device_math_float.h: the functions of single precision. They are computed in double precision and
 * rounded once, so they are within 1 ulp, and the CUDA C++ Programming Guide's bounds (1 to 4 ulp)
 * hold. On a GPU they cost fewer instructions: inst_executed of a kernel that calls them is not
 * what nvcc's program has.
 */

#define SIMT_FROM_DOUBLE(name, expression)                                                         \
    SIMT_NV float __nv_##name##f(float a) {                                                        \
        double x = a;                                                                              \
        return (float)(expression);                                                                \
    }

/* e^x - 1: the series where the subtraction would leave too few digits. */
__device__ inline double simtExpLessOne(double x) {
    return __nv_fabs(x) < 1e-3 ? x + x * x * (0.5 + x * (1.0 / 6 + x / 24)) : __nv_exp(x) - 1;
}
/* log(1 + x) likewise. */
__device__ inline double simtLogOnePlus(double x) {
    return __nv_fabs(x) < 1e-3 ? x - x * x * (0.5 - x * (1.0 / 3 - x * 0.25)) : __nv_log(1 + x);
}
/* tanh = (e^2x - 1) / (e^2x + 1), which is 1 beyond 20. */
__device__ inline double simtTanh(double x) {
    double e = simtExpLessOne(2 * (__nv_fabs(x) < 20 ? x : __nv_copysign(20.0, x)));
    return x != x ? x : e / (e + 2);
}
__device__ inline double simtSinh(double x) {
    double e = simtExpLessOne(__nv_fabs(x));
    return __nv_copysign(e < SIMT_INFINITY ? (e + e / (e + 1)) / 2 : e, x);
}
/* atan x: for x > 1 by 1/x, then the angle halved twice, then the series to x^13. */
__device__ inline double simtAtan(double x) {
    double size = __nv_fabs(x), t = size > 1 ? 1 / size : size;
    t = t / (1 + __nv_sqrt(1 + t * t));
    t = t / (1 + __nv_sqrt(1 + t * t));
    double z = t * t, sum = 1.0 / 13;
    for (int n = 11; n >= 1; n -= 2) sum = 1.0 / n - z * sum;
    double angle = 4 * t * sum;
    return __nv_copysign(size > 1 ? SIMT_PI_2_FIRST - angle : angle, x);
}
__device__ inline double simtAtan2(double y, double x) {
    if (x == 0 && y == 0) return __nv_copysign(__nv_signbitd(x) ? 2 * SIMT_PI_2_FIRST : 0, y);
    if (__nv_fabs(x) == SIMT_INFINITY && __nv_fabs(y) == SIMT_INFINITY)
        return __nv_copysign(x > 0 ? SIMT_PI_2_FIRST / 2 : 1.5 * SIMT_PI_2_FIRST, y);
    double angle = simtAtan(__nv_fabs(y / x));
    return __nv_copysign(
        x < 0 || (x == 0 && __nv_signbitd(x)) ? 2 * SIMT_PI_2_FIRST - angle : angle, y);
}

SIMT_FROM_DOUBLE(exp, __nv_exp(x))
SIMT_FROM_DOUBLE(exp2, __nv_exp(x * 6.93147180559945286227e-01))
SIMT_FROM_DOUBLE(exp10, __nv_exp(x * 2.30258509299404590109e+00))
SIMT_FROM_DOUBLE(expm1, simtExpLessOne(x))
SIMT_FROM_DOUBLE(log, __nv_log(x))
SIMT_FROM_DOUBLE(log2, __nv_log(x) * SIMT_LOG2_E)
SIMT_FROM_DOUBLE(log10, __nv_log(x) * 4.34294481903251816668e-01)
SIMT_FROM_DOUBLE(log1p, simtLogOnePlus(x))
SIMT_FROM_DOUBLE(sin, __nv_sin(x))
SIMT_FROM_DOUBLE(cos, __nv_cos(x))
SIMT_FROM_DOUBLE(tan, __nv_tan(x))
SIMT_FROM_DOUBLE(sinh, simtSinh(x))
SIMT_FROM_DOUBLE(cosh, (__nv_exp(x) + __nv_exp(-x)) / 2)
SIMT_FROM_DOUBLE(tanh, simtTanh(x))
SIMT_FROM_DOUBLE(atan, simtAtan(x))
SIMT_FROM_DOUBLE(asin, simtAtan2(x, __nv_sqrt((1 - x) * (1 + x))))
SIMT_FROM_DOUBLE(acos, simtAtan2(__nv_sqrt((1 - x) * (1 + x)), x))
SIMT_FROM_DOUBLE(cbrt, x == 0 || x != x || __nv_isinfd(x)
                           ? x
                           : __nv_copysign(__nv_exp(__nv_log(__nv_fabs(x)) / 3), x))
#undef SIMT_FROM_DOUBLE

/* One instruction, as with nvcc. */
SIMT_NV float __nv_rsqrtf(float x) {
    return __nvvm_rsqrt_approx_f(x);
}
SIMT_NV float __nv_atan2f(float y, float x) {
    return (float)simtAtan2(y, x);
}
SIMT_NV float __nv_hypotf(float a, float b) {
    if (__nv_isinff(a) || __nv_isinff(b)) return (float)SIMT_INFINITY;
    return (float)__nv_sqrt((double)a * a + (double)b * b);
}
SIMT_NV void __nv_sincosf(float x, float *sine, float *cosine) {
    *sine = __nv_sinf(x);
    *cosine = __nv_cosf(x);
}
SIMT_NV float __nv_ldexpf(float x, int n) {
    return (float)__nv_ldexp(x, n);
}

/* |a|^b by logarithms; a negative a has a power where b is whole. */
SIMT_NV float __nv_powf(float a, float b) {
    if (b == 0 || a == 1) return 1;
    if (a != a || b != b) return a + b;
    if (a == -1 && __nv_isinff(b)) return 1;
    bool whole = __nv_truncf(b) == b, odd = whole && __nv_fabsf(b) < 16777216.0f && ((int)b & 1);
    float size = (float)__nv_exp(b * __nv_log(__nv_fabs((double)a)));
    if (a < 0 && !whole) return (float)SIMT_NAN;
    return odd ? __nv_copysignf(size, a) : size;
}
