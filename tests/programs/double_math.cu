// Double-precision math functions against the host's in long double, within the bounds of the CUDA
// C++ Programming Guide ("Mathematical Functions", maximum ulp error). The host adds nothing: its
// long double results carry 11 more bits.
#define REAL double

// What each column is, part_math.h says.
#define UNARY(X)                                                                                   \
    X(sin, 2, -100, 100, sin(x), sinl(x))                                                          \
    X(sin_large, 2, 1e5, 1e30, sin(x), sinl(x))                                                    \
    X(cos, 2, -100, 100, cos(x), cosl(x))                                                          \
    X(tan, 4, -20, 20, tan(x), tanl(x))                                                            \
    X(asin, 2, -1, 1, asin(x), asinl(x))                                                           \
    X(acos, 2, -1, 1, acos(x), acosl(x))                                                           \
    X(atan, 2, -50, 50, atan(x), atanl(x))                                                         \
    X(sinh, 3, -80, 80, sinh(x), sinhl(x))                                                         \
    X(cosh, 2, -80, 80, cosh(x), coshl(x))                                                         \
    X(tanh, 2, -10, 10, tanh(x), tanhl(x))                                                         \
    X(asinh, 3, -1e5, 1e5, asinh(x), asinhl(x))                                                    \
    X(acosh, 4, 1, 1e5, acosh(x), acoshl(x))                                                       \
    X(atanh, 3, -1, 1, atanh(x), atanhl(x))                                                        \
    X(exp, 2, -104, 89, exp(x), expl(x))                                                           \
    X(exp2, 2, -150, 128, exp2(x), exp2l(x))                                                       \
    X(exp10, 2, -45, 38.5, exp10(x), exp10l(x))                                                    \
    X(expm1, 1, -10, 80, expm1(x), expm1l(x))                                                      \
    X(log, 1, 1e-38, 1e3, log(x), logl(x))                                                         \
    X(log2, 1, 1e-38, 1e3, log2(x), log2l(x))                                                      \
    X(log10, 2, 1e-38, 1e3, log10(x), log10l(x))                                                   \
    X(log1p, 1, -1, 1e3, log1p(x), log1pl(x))                                                      \
    X(logb, 0, 1e-40, 1e30, logb(x), logbl(x))                                                     \
    X(cbrt, 1, -1e6, 1e6, cbrt(x), cbrtl(x))                                                       \
    X(rcbrt, 1, 1e-6, 1e6, rcbrt(x), 1 / cbrtl(x))                                                 \
    X(sqrt, 0, 0, 1e30, sqrt(x), sqrtl(x))                                                         \
    X(rsqrt, 2, 1e-30, 1e30, rsqrt(x), 1 / sqrtl(x))                                               \
    X(erf, 2, -5, 5, erf(x), erfl(x))                                                              \
    X(erfc, 5, -5, 10, erfc(x), erfcl(x))                                                          \
    X(tgamma, 10, 0.1, 30, tgamma(x), tgammal(x))                                                  \
    X(lgamma, 6, 0.001, 100, lgamma(x), lgammal(x))                                                \
    X(sinpi, 1, -100, 100, sinpi(x), sinl(M_PIl *(x - 2 * roundl(x / 2.0L))))                      \
    X(cospi, 1, -100, 100, cospi(x), cosl(M_PIl *(x - 2 * roundl(x / 2.0L))))                      \
    X(normcdf, 5, -5, 5, normcdf(x), erfcl(-x *M_SQRT1_2l) / 2)                                    \
    X(floor, 0, -1e6, 1e6, floor(x), floorl(x))                                                    \
    X(ceil, 0, -1e6, 1e6, ceil(x), ceill(x))                                                       \
    X(trunc, 0, -1e6, 1e6, trunc(x), truncl(x))                                                    \
    X(round, 0, -1e3, 1e3, round(x), roundl(x))                                                    \
    X(rint, 0, -1e3, 1e3, rint(x), rintl(x))                                                       \
    X(fabs, 0, -1e6, 1e6, fabs(x), fabsl(x))

#define BINARY(X)                                                                                  \
    X(pow, 4, 0, 20, pow(x, y), powl(x, y))                                                        \
    X(atan2, 3, -20, 20, atan2(x, y), atan2l(x, y))                                                \
    X(hypot, 3, -1e3, 1e3, hypot(x, y), hypotl(x, y))                                              \
    X(fmod, 0, -1e6, 1e6, fmod(x, y), fmodl(x, y))                                                 \
    X(remainder, 0, -1e6, 1e6, remainder(x, y), remainderl(x, y))                                  \
    X(fdim, 0, -1e3, 1e3, fdim(x, y), (double)x > (double)y ? fmax((double)x - (double)y, 0) : 0)  \
    X(copysign, 0, -1e3, 1e3, copysign(x, y), copysignl(x, y))

#include "part_math.h"
