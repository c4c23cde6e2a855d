// Single-precision math functions against the host's in double, within the bounds of the CUDA C++
// Programming Guide
// ("Mathematical Functions", maximum ulp error). The host adds nothing: its double results are
// exact to half a float ulp.
#define REAL float

// What each column is, part_math.h says.
#define UNARY(X)                                                                                   \
    X(sinf, 2, -100, 100, sinf(x), sinl(x))                                                        \
    X(sinf_large, 2, 1e5, 1e30, sinf(x), sinl(x))                                                  \
    X(cosf, 2, -100, 100, cosf(x), cosl(x))                                                        \
    X(tanf, 4, -20, 20, tanf(x), tanl(x))                                                          \
    X(asinf, 2, -1, 1, asinf(x), asinl(x))                                                         \
    X(acosf, 2, -1, 1, acosf(x), acosl(x))                                                         \
    X(atanf, 2, -50, 50, atanf(x), atanl(x))                                                       \
    X(sinhf, 3, -80, 80, sinhf(x), sinhl(x))                                                       \
    X(coshf, 2, -80, 80, coshf(x), coshl(x))                                                       \
    X(tanhf, 2, -10, 10, tanhf(x), tanhl(x))                                                       \
    X(asinhf, 3, -1e5, 1e5, asinhf(x), asinhl(x))                                                  \
    X(acoshf, 4, 1, 1e5, acoshf(x), acoshl(x))                                                     \
    X(atanhf, 3, -1, 1, atanhf(x), atanhl(x))                                                      \
    X(expf, 2, -104, 89, expf(x), expl(x))                                                         \
    X(exp2f, 2, -150, 128, exp2f(x), exp2l(x))                                                     \
    X(exp10f, 2, -45, 38.5, exp10f(x), exp10l(x))                                                  \
    X(expm1f, 1, -10, 80, expm1f(x), expm1l(x))                                                    \
    X(logf, 1, 1e-38, 1e3, logf(x), logl(x))                                                       \
    X(log2f, 1, 1e-38, 1e3, log2f(x), log2l(x))                                                    \
    X(log10f, 2, 1e-38, 1e3, log10f(x), log10l(x))                                                 \
    X(log1pf, 1, -1, 1e3, log1pf(x), log1pl(x))                                                    \
    X(logbf, 0, 1e-40, 1e30, logbf(x), logbl(x))                                                   \
    X(cbrtf, 1, -1e6, 1e6, cbrtf(x), cbrtl(x))                                                     \
    X(rcbrtf, 1, 1e-6, 1e6, rcbrtf(x), 1 / cbrtl(x))                                               \
    X(sqrtf, 0, 0, 1e30, sqrtf(x), sqrtl(x))                                                       \
    X(rsqrtf, 2, 1e-30, 1e30, rsqrtf(x), 1 / sqrtl(x))                                             \
    X(erff, 2, -5, 5, erff(x), erfl(x))                                                            \
    X(erfcf, 4, -5, 10, erfcf(x), erfcl(x))                                                        \
    X(tgammaf, 5, 0.1, 30, tgammaf(x), tgammal(x))                                                 \
    X(lgammaf, 6, 0.001, 100, lgammaf(x), lgammal(x))                                              \
    X(sinpif, 1, -100, 100, sinpif(x), sinl(M_PIl *(x - 2 * roundl(x / 2.0L))))                    \
    X(cospif, 1, -100, 100, cospif(x), cosl(M_PIl *(x - 2 * roundl(x / 2.0L))))                    \
    X(normcdff, 5, -5, 5, normcdff(x), erfcl(-x *M_SQRT1_2l) / 2)                                  \
    X(floorf, 0, -1e6, 1e6, floorf(x), floorl(x))                                                  \
    X(ceilf, 0, -1e6, 1e6, ceilf(x), ceill(x))                                                     \
    X(truncf, 0, -1e6, 1e6, truncf(x), truncl(x))                                                  \
    X(roundf, 0, -1e3, 1e3, roundf(x), roundl(x))                                                  \
    X(rintf, 0, -1e3, 1e3, rintf(x), rintl(x))                                                     \
    X(fabsf, 0, -1e6, 1e6, fabsf(x), fabsl(x))

#define BINARY(X)                                                                                  \
    X(powf, 4, 0, 20, powf(x, y), powl(x, y))                                                      \
    X(atan2f, 3, -20, 20, atan2f(x, y), atan2l(x, y))                                              \
    X(hypotf, 3, -1e3, 1e3, hypotf(x, y), hypotl(x, y))                                            \
    X(fmodf, 0, -1e6, 1e6, fmodf(x, y), fmodl(x, y))                                               \
    X(remainderf, 0, -1e6, 1e6, remainderf(x, y), remainderl(x, y))                                \
    X(fdimf, 0, -1e3, 1e3, fdimf(x, y), (float)x > (float)y ? fmaxf((float)x - (float)y, 0) : 0)   \
    X(copysignf, 0, -1e3, 1e3, copysignf(x, y), copysignl(x, y))                                   \
    X(fdividef, 2, 1, 1e3, fdividef(x, y), x / (long double)y)

#include "part_math.h"
