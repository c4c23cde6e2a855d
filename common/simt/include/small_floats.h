/*
 * small_floats.h: floats of 16 and 8 bits by integer arithmetic, for code that runs on the host and
 * for formats that have no instruction.
 *
 *     sign | exponent | fraction      the layout of IEEE 754, with fewer bits
 */
#ifndef SIMT_SMALL_FLOATS_H
#define SIMT_SMALL_FLOATS_H

SIMT_HEADER_BEGIN

enum simtRounding { SIMT_NEAREST, SIMT_TO_ZERO, SIMT_UP, SIMT_DOWN };

/* x in a format of these bits, rounded once. NaN has all bits but the sign. */
static inline __host__ __device__ unsigned simtNarrow(double x, int exponentBits, int fractionBits,
                                                      simtRounding rounding = SIMT_NEAREST) {
    const unsigned infinity = ((1u << exponentBits) - 1) << fractionBits;
    const unsigned long long word = __builtin_bit_cast(unsigned long long, x), one = 1ull << 52;
    const bool minus = word >> 63, away = rounding == (minus ? SIMT_DOWN : SIMT_UP);
    const int exponent = (int)(word >> 52 & 2047) - 1023, least = 2 - (1 << (exponentBits - 1));
    const unsigned sign = (unsigned)minus << (exponentBits + fractionBits);
    if (x != x) return infinity | ((1u << fractionBits) - 1);
    if (exponent >= 1 << (exponentBits - 1)) /* infinite, or larger than all finite ones */
        return sign |
               (exponent == 1024 || away || rounding == SIMT_NEAREST ? infinity : infinity - 1);
    unsigned long long significand = (word & (one - 1)) | (exponent > -1023 ? one : 0);
    int shift = 52 - fractionBits + (exponent < least ? least - exponent : 0);
    if (shift > 62) shift = 62;
    unsigned long long whole = significand >> shift, rest = significand & ((1ull << shift) - 1),
                       half = 1ull << (shift - 1);
    if (rounding == SIMT_NEAREST ? rest > half || (rest == half && (whole & 1)) : away && rest)
        whole++;
    return sign | ((exponent > least ? (unsigned)(exponent - least) << fractionBits : 0) +
                   (unsigned)whole);
}

/* The value of bits in such a format, for at most a float's exponent bits. */
static inline __host__ __device__ float simtWiden(unsigned bits, int exponentBits,
                                                  int fractionBits) {
    const unsigned magnitude = bits & ((1u << (exponentBits + fractionBits)) - 1),
                   exponent = magnitude >> fractionBits,
                   sign = bits >> (exponentBits + fractionBits) << 31;
    const int shift = 23 - fractionBits, bias = 128 - (1 << (exponentBits - 1));
    if (exponentBits == 8) return __builtin_bit_cast(float, bits << shift);
    if (exponent == (1u << exponentBits) - 1)
        return __builtin_bit_cast(float, sign | 255u << 23 | (magnitude << shift & 0x7FFFFF));
    if (exponent > 0)
        return __builtin_bit_cast(float, sign | ((magnitude << shift) + ((unsigned)bias << 23)));
    float small =
        (float)magnitude * __builtin_bit_cast(float, (unsigned)(bias + 1 - fractionBits) << 23);
    return sign ? -small : small;
}

/* A float whose fraction is cut off, within the type's limits; NaN is 0: as a GPU converts it. */
template <class T> static inline __host__ __device__ T simtInteger(float a) {
    const bool isSigned = (T)-1 < (T)0;
    const T most = isSigned ? (T)(~0ull >> (65 - 8 * sizeof(T))) : (T) ~(T)0;
    const T least = isSigned ? (T)(-most - 1) : (T)0;
    return a != a ? (T)0 : a >= (float)most ? most : a <= (float)least ? least : (T)a;
}

SIMT_HEADER_END

#endif
