/*
 * device_math_pairs.h: the other functions of double precision. Their hard parts are computed in
 * pairs of doubles, which hold a value to some 100 bits; so the results keep the CUDA C++
 * Programming Guide's bounds (1 to 10 ulp): tests/programs/double_math.cu measures them.
 */

/* ---- Arithmetic of pairs: T. Dekker, "A floating-point technique for extending the available
 * precision"; D. Knuth's sum ---- */

struct simtPair {
    double high, low;
};
__device__ inline simtPair simtSum(double a, double b) {
    double sum = __nv_dadd_rn(a, b), back = __nv_dsub_rn(sum, a);
    double error = __nv_dadd_rn(__nv_dsub_rn(a, __nv_dsub_rn(sum, back)), __nv_dsub_rn(b, back));
    return {sum, error};
}
__device__ inline simtPair simtAdd(simtPair a, simtPair b) {
    simtPair sum = simtSum(a.high, b.high), low = simtSum(a.low, b.low);
    sum = simtSum(sum.high, __nv_dadd_rn(sum.low, low.high));
    return simtSum(sum.high, __nv_dadd_rn(sum.low, low.low));
}
__device__ inline simtPair simtTimes(simtPair a, simtPair b) {
    double product = __nv_dmul_rn(a.high, b.high), error = __nv_fma(a.high, b.high, -product);
    error = __nv_fma(a.high, b.low, __nv_fma(a.low, b.high, error));
    return simtSum(product, error);
}
__device__ inline simtPair simtOver(simtPair a, simtPair b) {
    double first = a.high / b.high;
    simtPair back = simtTimes(b, {first, 0});
    simtPair rest = simtAdd(a, {-back.high, -back.low});
    return simtSum(first, rest.high / b.high);
}
__device__ inline simtPair simtRoot(simtPair a) {
    double root = __nv_sqrt(a.high);
    if (root == 0) return {0, 0};
    simtPair rest = simtAdd(a, {-root * root, -__nv_fma(root, root, -(root * root))});
    return simtSum(root, rest.high / (2 * root));
}
__device__ inline simtPair simtMinus(simtPair a) {
    return {-a.high, -a.low};
}

#define SIMT_PAIR_LN2  (simtPair{6.931471805599452862e-01, 2.319046813846299558e-17})
#define SIMT_PAIR_LN10 (simtPair{2.302585092994045901e+00, -2.170756223382249351e-16})
#define SIMT_PAIR_PI_2 (simtPair{SIMT_PI_2_FIRST, SIMT_PI_2_SECOND})
#define SIMT_PAIR_PI   (simtPair{2 * SIMT_PI_2_FIRST, 2 * SIMT_PI_2_SECOND})

/* ---- Exponential, logarithm, arc tangent ---- */

/* e^a = 2^n times the pair: the series of the rest, which is at most ln 2 / 2. */
__device__ inline simtPair simtExpPair(simtPair a, int *n) {
    double whole = __nv_rint(a.high * SIMT_LOG2_E);
    simtPair rest = simtAdd(a, simtMinus(simtTimes(SIMT_PAIR_LN2, {whole, 0}))), sum = {1, 0};
    for (int k = 22; k > 0; k--)
        sum = simtAdd({1, 0}, simtOver(simtTimes(sum, rest), {(double)k, 0}));
    *n = (int)whole;
    return sum;
}
__device__ inline double simtExpOf(simtPair a) {
    if (a.high != a.high) return a.high;
    if (a.high > 710) return SIMT_INFINITY;
    if (a.high < -746) return 0;
    int n;
    simtPair power = simtExpPair(a, &n);
    return __nv_ldexp(power.high + power.low, n);
}
/* log a for a positive: 2 artanh((a - 1) / (a + 1)) of what is left of a between sqrt(1/2) and
 * sqrt(2). */
__device__ inline simtPair simtLogPair(simtPair a) {
    int n;
    double high = simtSplit(a.high, &n), scale = high / a.high; /* a power of 2 */
    if (a.high < 2.2250738585072014e-308) scale = 0;            /* subnormal: it has no low part */
    simtPair m = {high, a.low * scale};
    simtPair s = simtOver(simtAdd(m, {-1, 0}), simtAdd(m, {1, 0})), z = simtTimes(s, s),
             sum = {0, 0};
    for (int k = 41; k > 0; k -= 2)
        sum = simtAdd(simtTimes(sum, z), simtOver({1, 0}, {(double)k, 0}));
    sum = simtTimes(sum, s);
    return simtAdd({2 * sum.high, 2 * sum.low}, simtTimes(SIMT_PAIR_LN2, {(double)n, 0}));
}
/* atan a for a up to 1: the angle halved three times, and the series. */
__device__ inline simtPair simtAtanPair(simtPair t) {
    for (int i = 0; i < 3; i++)
        t = simtOver(t, simtAdd({1, 0}, simtRoot(simtAdd({1, 0}, simtTimes(t, t)))));
    simtPair z = simtTimes(t, t), sum = {0, 0};
    for (int k = 29; k > 0; k -= 2)
        sum = simtAdd(simtOver({1, 0}, {(double)k, 0}), simtMinus(simtTimes(sum, z)));
    sum = simtTimes(sum, t);
    return {8 * sum.high, 8 * sum.low};
}
/* The angle of x and y, neither below 0, not both 0. */
__device__ inline simtPair simtAngle(simtPair y, simtPair x) {
    if (y.high <= x.high) return simtAtanPair(simtOver(y, x));
    return simtAdd(SIMT_PAIR_PI_2, simtMinus(simtAtanPair(simtOver(x, y))));
}

__device__ inline double simtLogOf(double x, simtPair factor) {
    if (!(x > 0 && x < SIMT_INFINITY)) return simtLogSpecial(x);
    simtPair log = simtTimes(simtLogPair({x, 0}), factor);
    return log.high + log.low;
}
/* e^x - 1 as a pair, for |x| up to 40 */
__device__ inline simtPair simtExpLessOnePair(double x) {
    int n;
    simtPair power = simtExpPair({x, 0}, &n);
    return simtAdd({__nv_ldexp(power.high, n), __nv_ldexp(power.low, n)}, {-1, 0});
}
/* 1 + x, and sqrt(1 - x^2) */
__device__ inline simtPair simtOnePlus(double x) {
    return simtSum(1, x);
}
__device__ inline simtPair simtCosOfSine(double x) {
    return simtRoot(simtTimes(simtOnePlus(x), simtOnePlus(-x)));
}
#define SIMT_WHOLE(expression)                                                                     \
    simtPair result = expression;                                                                  \
    return result.high + result.low

SIMT_NV double __nv_exp2(double x) {
    return simtExpOf(x > 2000 || x < -2000 || x != x ? simtPair{x, 0}
                                                     : simtTimes(SIMT_PAIR_LN2, {x, 0}));
}
SIMT_NV double __nv_exp10(double x) {
    return simtExpOf(x > 2000 || x < -2000 || x != x ? simtPair{x, 0}
                                                     : simtTimes(SIMT_PAIR_LN10, {x, 0}));
}
SIMT_NV double __nv_expm1(double x) {
    if (x != x || __nv_fabs(x) < 1e-17) return x;
    if (__nv_fabs(x) > 40) return __nv_exp(x) - 1;
    SIMT_WHOLE(simtExpLessOnePair(x));
}
SIMT_NV double __nv_log2(double x) {
    return simtLogOf(x, simtOver({1, 0}, SIMT_PAIR_LN2));
}
SIMT_NV double __nv_log10(double x) {
    return simtLogOf(x, simtOver({1, 0}, SIMT_PAIR_LN10));
}
SIMT_NV double __nv_log1p(double x) {
    if (__nv_fabs(x) < 1e-17) return x;
    if (!(x > -1 && x < SIMT_INFINITY)) return simtLogSpecial(x + 1);
    SIMT_WHOLE(simtLogPair(simtOnePlus(x)));
}
/* |a|^b by logarithms; a negative a has a power where b is whole. */
SIMT_NV double __nv_pow(double a, double b) {
    if (b == 0 || a == 1) return 1;
    if (a != a || b != b) return a + b;
    if (a == -1 && __nv_isinfd(b)) return 1;
    double size = __nv_fabs(a), half = b / 2;
    bool whole = __nv_trunc(b) == b, odd = whole && __nv_trunc(half) != half, limit;
    if (a < 0 && !whole && !__nv_isinfd(a)) return SIMT_NAN;
    limit = size == 0 || __nv_isinfd(size) || __nv_isinfd(b);
    double power = limit                 ? ((size > 1) == (b > 0) ? SIMT_INFINITY : 0)
                   : __nv_fabs(b) > 1e22 ? ((size > 1) == (b > 0) ? (size == 1 ? 1 : SIMT_INFINITY)
                                            : size == 1           ? 1
                                                                  : 0)
                                         : simtExpOf(simtTimes(simtLogPair({size, 0}), {b, 0}));
    return odd ? __nv_copysign(power, a) : power;
}

/* ---- Hyperbolic functions ---- */

SIMT_NV double __nv_sinh(double x) {
    double size = __nv_fabs(x);
    if (!(size > 1e-9)) return x;
    if (size > 40) return __nv_copysign(__nv_exp(size / 2) / 2 * __nv_exp(size / 2), x);
    simtPair e = simtExpLessOnePair(size), sum = simtAdd(e, simtOver(e, simtAdd(e, {1, 0})));
    return __nv_copysign((sum.high + sum.low) / 2, x);
}
SIMT_NV double __nv_cosh(double x) {
    double size = __nv_fabs(x);
    if (size != size || size > 40) return __nv_exp(size / 2) / 2 * __nv_exp(size / 2);
    simtPair e = simtAdd(simtExpLessOnePair(size), {1, 0});
    simtPair sum = simtAdd(e, simtOver({1, 0}, e));
    return (sum.high + sum.low) / 2;
}
SIMT_NV double __nv_tanh(double x) {
    double size = __nv_fabs(x);
    if (!(size > 1e-9)) return x;
    if (size > 20) return __nv_copysign(1.0, x);
    simtPair e = simtExpLessOnePair(2 * size), ratio = simtOver(e, simtAdd(e, {2, 0}));
    return __nv_copysign(ratio.high + ratio.low, x);
}
SIMT_NV double __nv_asinh(double x) {
    double size = __nv_fabs(x);
    if (!(size > 1e-9) || __nv_isinfd(x)) return x;
    if (size > 1e150) return __nv_copysign(__nv_log(size) + SIMT_PAIR_LN2.high, x);
    simtPair a = {size, 0}, root = simtRoot(simtAdd({1, 0}, simtTimes(a, a)));
    simtPair result = simtLogPair(simtAdd(a, root));
    return __nv_copysign(result.high + result.low, x);
}
SIMT_NV double __nv_acosh(double x) {
    if (!(x >= 1)) return SIMT_NAN;
    if (x > 1e150) return __nv_log(x) + SIMT_PAIR_LN2.high;
    simtPair root = simtRoot(simtTimes(simtOnePlus(x), simtSum(x, -1)));
    SIMT_WHOLE(simtLogPair(simtAdd({x, 0}, root)));
}
SIMT_NV double __nv_atanh(double x) {
    if (__nv_fabs(x) < 1e-9) return x;
    if (!(__nv_fabs(x) < 1)) return __nv_fabs(x) == 1 ? SIMT_INFINITY * x : SIMT_NAN;
    simtPair result = simtLogPair(simtOver(simtOnePlus(x), simtOnePlus(-x)));
    return (result.high + result.low) / 2;
}

/* ---- Angles ---- */

SIMT_NV double __nv_atan2(double y, double x) {
    bool left = __nv_signbitd(x) != 0;
    simtPair angle = {0, 0};
    double a = __nv_fabs(x), b = __nv_fabs(y);
    if (a != a || b != b) return x + y;
    if (__nv_isinfd(a) && __nv_isinfd(b)) a = b = 1;
    if (__nv_isinfd(a)) a = 1, b = 0;
    if (__nv_isinfd(b)) b = 1, a = 0;
    if (b != 0) angle = simtAngle({b, 0}, {a, 0});
    if (left) angle = simtAdd(SIMT_PAIR_PI, simtMinus(angle));
    return __nv_copysign(angle.high + angle.low, y);
}
SIMT_NV double __nv_atan(double x) {
    return __nv_atan2(x, 1);
}
SIMT_NV double __nv_asin(double x) {
    if (!(__nv_fabs(x) <= 1)) return SIMT_NAN;
    if (x == 0) return x;
    simtPair angle = simtAngle({__nv_fabs(x), 0}, simtCosOfSine(x));
    return __nv_copysign(angle.high + angle.low, x);
}
SIMT_NV double __nv_acos(double x) {
    if (!(__nv_fabs(x) <= 1)) return SIMT_NAN;
    simtPair angle = simtAngle(simtCosOfSine(x), {__nv_fabs(x), 0});
    if (x < 0) angle = simtAdd(SIMT_PAIR_PI, simtMinus(angle));
    return angle.high + angle.low;
}
/* x less the nearest even number, folded at 1/2, times pi. */
SIMT_NV double __nv_sinpi(double x) {
    double r = x - 2 * __nv_rint(x / 2), size = __nv_fabs(r), tail;
    if (x != x || __nv_isinfd(x)) return SIMT_NAN;
    bool folded = size > 0.25; /* then a cosine, whose series is for at most pi/4 */
    if (size > 0.5) size = 1 - size, folded = size > 0.25;
    simtPair angle = simtTimes(SIMT_PAIR_PI, {folded ? 0.5 - size : size, 0});
    double value = folded ? simtCosSeries(angle.high, angle.low, &tail)
                          : simtSinSeries(angle.high, angle.low, &tail);
    return r == 0 ? __nv_copysign(0.0, x) : __nv_copysign(value, r);
}
SIMT_NV double __nv_cospi(double x) {
    double r = __nv_fabs(x - 2 * __nv_rint(x / 2));
    return r == 0.5 ? 0 : __nv_sinpi(0.5 - r);
}

/* ---- Roots ---- */

/* A root to most of its digits, and one step of Newton's. Of numbers whose parts would be too small
 * the root of 2^3n times as much, which is 2^n times as large. */
__device__ inline int simtRootScale(double size) {
    return size < 1e-250 ? 54 : 0;
}
SIMT_NV double __nv_cbrt(double x) {
    if (x == 0 || x != x || __nv_isinfd(x)) return x;
    int n = simtRootScale(__nv_fabs(x));
    double size = __nv_ldexp(__nv_fabs(x), 3 * n), root = __nv_exp(__nv_log(size) / 3);
    simtPair cube = simtTimes(simtTimes({root, 0}, {root, 0}), {root, 0});
    root += ((size - cube.high) - cube.low) / (3 * root * root);
    return __nv_copysign(__nv_ldexp(root, -n), x);
}
SIMT_NV double __nv_rcbrt(double x) {
    if (x == 0) return __nv_copysign(SIMT_INFINITY, x);
    if (x != x || __nv_isinfd(x)) return 1 / x;
    int n = simtRootScale(__nv_fabs(x));
    double size = __nv_ldexp(__nv_fabs(x), 3 * n), root = __nv_exp(__nv_log(size) / -3);
    simtPair one = simtTimes(simtTimes(simtTimes({root, 0}, {root, 0}), {root, 0}), {size, 0});
    root += root * ((1 - one.high) - one.low) / 3;
    return __nv_copysign(__nv_ldexp(root, n), x);
}
SIMT_NV double __nv_hypot(double a, double b) {
    if (__nv_isinfd(a) || __nv_isinfd(b)) return SIMT_INFINITY;
    double larger = __nv_fmax(__nv_fabs(a), __nv_fabs(b));
    if (larger == 0 || a != a || b != b) return __nv_fabs(a) + __nv_fabs(b);
    int n = -__nv_ilogb(larger);
    double x = __nv_ldexp(a, n), y = __nv_ldexp(b, n);
    simtPair root = simtRoot(simtAdd(simtTimes({x, 0}, {x, 0}), simtTimes({y, 0}, {y, 0})));
    return __nv_ldexp(root.high + root.low, -n);
}

/* ---- Error and gamma functions ---- */

#define SIMT_PAIR_2_OVER_SQRT_PI (simtPair{1.128379167095512559e+00, 1.533545961316582e-17})

/* e^-a^2 */
__device__ inline double simtGauss(simtPair a) {
    return simtExpOf(simtMinus(simtTimes(a, a)));
}
/* As simtErf, for a up to 3 */
__device__ inline simtPair simtErfPair(simtPair a) {
    simtPair square = simtTimes(a, a), term = a, sum = a;
    for (int k = 3; k < 160 && __nv_fabs(term.high) > 1e-33; k += 2) {
        term = simtOver(simtTimes(term, {2 * square.high, 2 * square.low}), {(double)k, 0});
        sum = simtAdd(sum, term);
    }
    int n;
    simtPair power = simtExpPair(simtMinus(square), &n);
    power = {__nv_ldexp(power.high, n), __nv_ldexp(power.low, n)};
    return simtTimes(simtTimes(power, SIMT_PAIR_2_OVER_SQRT_PI), sum);
}
/* As simtErfcTail */
__device__ inline double simtErfcOf(simtPair a) {
    double x = a.high, below = x;
    if (x != x) return x;
    if (x < -6) return 2;
    if (x < 2.5 && x > -2.5) {
        simtPair rest = simtAdd({1, 0}, simtMinus(simtErfPair(a)));
        return rest.high + rest.low;
    }
    if (x < 0) return 2 - simtErfcOf(simtMinus(a));
    if (x > 30) return 0;
    for (int n = 90; n > 0; n--) below = x + n / 2.0 / below;
    return simtGauss(a) * (SIMT_PAIR_2_OVER_SQRT_PI.high / 2) / below;
}
SIMT_NV double __nv_erfc(double x) {
    return simtErfcOf({x, 0});
}
SIMT_NV double __nv_erf(double x) {
    if (x == 0) return x;
    if (!(__nv_fabs(x) < 2.5)) return x > 0 ? 1 - __nv_erfc(x) : __nv_erfc(-x) - 1;
    SIMT_WHOLE(simtErfPair({x, 0}));
}
SIMT_NV double __nv_normcdf(double x) {
    if (__nv_isinfd(x)) return x > 0;
    return simtErfcOf(simtTimes(simtRoot({0.5, 0}), {-x, 0})) / 2;
}

/* log gamma for x > 0 by Stirling's series, for x + n from 20; *divisor is x (x + 1) ... */
__device__ inline simtPair simtLogGammaPair(double x, simtPair *divisor) {
    simtPair a = {x, 0};
    *divisor = {1, 0};
    for (; a.high < 20; a = simtAdd(a, {1, 0})) *divisor = simtTimes(*divisor, a);
    const double terms[] = {1.0 / 156,   -691.0 / 360360, 1.0 / 1188,
                            -1.0 / 1680, 1.0 / 1260,      -1.0 / 360};
    double z = 1 / (a.high * a.high), series = -3617.0 / 122400;
    for (double term : terms) series = __nv_fma(series, z, term);
    simtPair first = simtOver({1, 0}, simtTimes(a, {12, 0}));
    simtPair rest = simtAdd(first, {series * z / a.high, 0});
    simtPair half_log = {9.189385332046727806e-01, -3.878294158067242e-17}; /* log(2 pi) / 2 */
    simtPair main = simtTimes(simtAdd(a, {-0.5, 0}), simtLogPair(a));
    return simtAdd(simtAdd(main, simtMinus(a)), simtAdd(half_log, rest));
}
SIMT_NV double __nv_tgamma(double x) {
    if (x == 0) return __nv_copysign(SIMT_INFINITY, x);
    if (x != x || x == -SIMT_INFINITY || (x < 0 && x == __nv_rint(x))) return SIMT_NAN;
    if (x > 172) return SIMT_INFINITY;
    if (x < 0) return 2 * SIMT_PI_2_FIRST / (__nv_sinpi(x) * __nv_tgamma(1 - x));
    simtPair divisor, log = simtLogGammaPair(x, &divisor);
    return simtExpOf(log) / divisor.high;
}
SIMT_NV double __nv_lgamma(double x) {
    if (x != x || __nv_isinfd(x)) return x * x;
    if (x <= 0 && x == __nv_rint(x)) return SIMT_INFINITY;
    if (x == 1 || x == 2) return 0;
    if (__nv_fabs(x) < 1e-17) return -__nv_log(__nv_fabs(x));
    if (x > 1e17) return x * (__nv_log(x) - 1);
    if (x < 0)
        return __nv_log(2 * SIMT_PI_2_FIRST) - __nv_log(__nv_fabs(__nv_sinpi(x))) -
               __nv_lgamma(1 - x);
    simtPair divisor, log = simtLogGammaPair(x, &divisor);
    SIMT_WHOLE(simtAdd(log, simtMinus(simtLogPair(divisor))));
}
#undef SIMT_WHOLE
