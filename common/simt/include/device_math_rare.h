/*
 * device_math_rare.h: error and gamma functions, inverse hyperbolic functions and others, of single
 * precision: computed in double precision and rounded, as those of device_math_float.h.
 */

#define SIMT_PI            3.14159265358979323846
#define SIMT_SQRT_PI       1.77245385090551602730
#define SIMT_LOG_SQRT_2_PI 0.91893853320467274178
#define SIMT_SQRT_HALF     0.70710678118654752440

/* erf x = 2 / sqrt(pi) e^-x^2 (x + 2 x^3 / 3 + 4 x^5 / 15 + ...), for |x| up to 3 */
__device__ inline double simtErf(double x) {
    double term = x, sum = x;
    for (int n = 3; n < 140 && __nv_fabs(term) > 1e-17 * __nv_fabs(sum); n += 2)
        sum += term *= 2 * x * x / n;
    return x == 0 ? x : 2 / SIMT_SQRT_PI * __nv_exp(-x * x) * sum;
}
/* erfc x = e^-x^2 / sqrt(pi) 1 / (x + 1/2 / (x + 2/2 / (x + 3/2 / ...))), for x from 2 */
__device__ inline double simtErfcTail(double x) {
    double below = x;
    for (int n = 60; n > 0; n--) below = x + n / 2.0 / below;
    return __nv_exp(-x * x) / SIMT_SQRT_PI / below;
}
__device__ inline double simtErfc(double x) {
    double a = __nv_fabs(x);
    if (!(a > 2)) return 1 - simtErf(x);
    double tail = a > 30 ? 0 : simtErfcTail(a);
    return x > 0 ? tail : 2 - tail;
}
__device__ inline double simtErfOf(double x) {
    return __nv_fabs(x) < 3 || x != x ? simtErf(x) : __nv_copysign(1 - simtErfc(__nv_fabs(x)), x);
}

/* log(gamma(x)) for x from 1/2: C. Lanczos, "A precision approximation of the gamma function",
 * with 9 terms for g = 7. */
__device__ inline double simtLogGamma(double x) {
    const double terms[] = {676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                            -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                            9.9843695780195716e-6, 1.5056327351493116e-7};
    double sum = 0.99999999999980993, t = x + 6.5;
    for (int i = 0; i < 8; i++) sum += terms[i] / (x + i);
    return SIMT_LOG_SQRT_2_PI + (x - 0.5) * __nv_log(t) - t + __nv_log(sum);
}
/* sin(pi x): x less the nearest even number, folded at 1/2. */
__device__ inline double simtSinPi(double x) {
    double r = x - 2 * __nv_rint(x / 2);
    if (__nv_fabs(r) > 0.5) r = __nv_copysign(1 - __nv_fabs(r), r);
    return r == 0 ? __nv_copysign(0.0, x) : __nv_sin(SIMT_PI * r);
}
/* Below 1/2: gamma(x) gamma(1 - x) = pi / sin(pi x); poles at 0, -1, ... */
__device__ inline double simtGamma(double x) {
    if (x >= 0.5) return x > 180 ? SIMT_INFINITY : __nv_exp(simtLogGamma(x));
    if (x == 0) return __nv_copysign(SIMT_INFINITY, x);
    if (x != x || x == __nv_rint(x)) return SIMT_NAN;
    return SIMT_PI / (simtSinPi(x) * __nv_exp(simtLogGamma(1 - x)));
}
__device__ inline double simtLogGammaOf(double x) {
    if (__nv_isinfd(x)) return SIMT_INFINITY;
    if (x >= 0.5 || x != x) return simtLogGamma(x);
    if (x == __nv_rint(x)) return SIMT_INFINITY;
    return __nv_log(SIMT_PI / __nv_fabs(simtSinPi(x))) - simtLogGamma(1 - x);
}
__device__ inline double simtAsinh(double x) {
    double a = __nv_fabs(x);
    if (__nv_isinfd(x)) return x;
    return __nv_copysign(simtLogOnePlus(a + a * a / (1 + __nv_sqrt(1 + a * a))), x);
}
__device__ inline double simtAcosh(double x) {
    double t = x - 1;
    return x < 1 ? SIMT_NAN : simtLogOnePlus(t + __nv_sqrt(t * (t + 2)));
}
__device__ inline double simtRcbrt(double x) {
    double size = __nv_exp(__nv_log(__nv_fabs(x)) / -3);
    return x == 0 ? __nv_copysign(SIMT_INFINITY, x) : __nv_copysign(size, x);
}

#define SIMT_FROM_DOUBLE(name, expression)                                                         \
    SIMT_NV float __nv_##name##f(float a) {                                                        \
        double x = a;                                                                              \
        return (float)(expression);                                                                \
    }
SIMT_FROM_DOUBLE(erf, simtErfOf(x))
SIMT_FROM_DOUBLE(erfc, simtErfc(x))
SIMT_FROM_DOUBLE(normcdf, simtErfc(-x *SIMT_SQRT_HALF) / 2)
SIMT_FROM_DOUBLE(tgamma, simtGamma(x))
SIMT_FROM_DOUBLE(lgamma, simtLogGammaOf(x))
SIMT_FROM_DOUBLE(sinpi, simtSinPi(x))
SIMT_FROM_DOUBLE(cospi, simtSinPi(0.5 - __nv_fabs(x - 2 * __nv_rint(x / 2))))
SIMT_FROM_DOUBLE(asinh, simtAsinh(x))
SIMT_FROM_DOUBLE(acosh, simtAcosh(x))
SIMT_FROM_DOUBLE(atanh, simtLogOnePlus(2 * x / (1 - x)) / 2)
SIMT_FROM_DOUBLE(rcbrt, simtRcbrt(x))
#undef SIMT_FROM_DOUBLE
