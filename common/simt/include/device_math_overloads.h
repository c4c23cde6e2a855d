/* device_math_overloads.h: C++'s overloads for float that clang's header declares and leaves to
 * NVIDIA's. */
#ifndef SIMT_DEVICE_MATH_OVERLOADS_H
#define SIMT_DEVICE_MATH_OVERLOADS_H

#define SIMT_OVERLOAD static __inline__ __attribute__((always_inline)) __device__
#define SIMT_FLOAT_1(name, result)                                                                 \
    SIMT_OVERLOAD result name(float a) {                                                           \
        return name##f(a);                                                                         \
    }
#define SIMT_FLOAT_2(name, second)                                                                 \
    SIMT_OVERLOAD float name(float a, second b) {                                                  \
        return name##f(a, b);                                                                      \
    }
SIMT_FLOAT_1(acosh, float)
SIMT_FLOAT_1(asinh, float)
SIMT_FLOAT_1(atanh, float)
SIMT_FLOAT_1(cbrt, float)
SIMT_FLOAT_1(erf, float)
SIMT_FLOAT_1(erfc, float)
SIMT_FLOAT_1(exp2, float)
SIMT_FLOAT_1(expm1, float)
SIMT_FLOAT_1(ilogb, int)
SIMT_FLOAT_1(lgamma, float)
SIMT_FLOAT_1(llrint, long long)
SIMT_FLOAT_1(llround, long long)
SIMT_FLOAT_1(log1p, float)
SIMT_FLOAT_1(log2, float)
SIMT_FLOAT_1(logb, float)
SIMT_FLOAT_1(lrint, long)
SIMT_FLOAT_1(lround, long)
SIMT_FLOAT_1(nearbyint, float)
SIMT_FLOAT_1(rint, float)
SIMT_FLOAT_1(round, float)
SIMT_FLOAT_1(tgamma, float)
SIMT_FLOAT_1(trunc, float)
SIMT_FLOAT_2(copysign, float)
SIMT_FLOAT_2(fdim, float)
SIMT_FLOAT_2(hypot, float)
SIMT_FLOAT_2(nextafter, float)
SIMT_FLOAT_2(remainder, float)
SIMT_FLOAT_2(scalbn, int)
SIMT_OVERLOAD float fma(float a, float b, float c) {
    return fmaf(a, b, c);
}
SIMT_OVERLOAD float remquo(float a, float b, int *quotient) {
    return remquof(a, b, quotient);
}
#undef SIMT_OVERLOAD
#undef SIMT_FLOAT_1
#undef SIMT_FLOAT_2

#endif
