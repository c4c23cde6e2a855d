/*
 * part_rounding.h: the host's arithmetic in each of the four IEEE rounding modes, for comparison
 * with CUDA's _rn, _rz, _ru and _rd intrinsics. Operands are volatile so that the compiler computes
 * nothing in its own mode.
 */
#ifndef PART_ROUNDING_H
#define PART_ROUNDING_H

#include <cfenv>

#include "check.h"

enum { MODES = 4, OPERATIONS = 6, ROUNDING_RESULTS = MODES * OPERATIONS };
static const int host_mode[MODES] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

/* Sum, difference, product, quotient, fused product-sum and square root, in the order in which the
 * kernels store them.
 */
template <class T> static void host_rounded(T a, T b, T c, T *out) {
    volatile T x = a, y = b, z = c, r;
    for (int mode = 0; mode < MODES; mode++) {
        fesetround(host_mode[mode]);
        r = x + y, out[0] = r;
        r = x - y, out[1] = r;
        r = x * y, out[2] = r;
        r = x / y, out[3] = r;
        r = std::fma(x, y, z), out[4] = r;
        r = std::sqrt(x), out[5] = r;
        out += OPERATIONS;
    }
    fesetround(FE_TONEAREST);
}

/* Operands: any bit pattern, values near 1, near each other, denormal, huge, and the special
 * values. */
template <class T> static std::vector<T> rounding_operands(int n) {
    const T special[] = {0,
                         (T)-0.0,
                         1,
                         -1,
                         3,
                         std::numeric_limits<T>::min(),
                         std::numeric_limits<T>::max(),
                         std::numeric_limits<T>::denorm_min(),
                         -std::numeric_limits<T>::denorm_min(),
                         std::numeric_limits<T>::infinity(),
                         -std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::quiet_NaN()};
    std::vector<T> v(n);
    for (int i = 0; i < n; i++) {
        uint64_t bits = random64();
        switch (random32() % 4) {
        case 0: memcpy(&v[i], &bits, sizeof(T)); break;
        case 1: v[i] = (T)random_in(-4, 4); break;
        case 2:
            v[i] = (T)ldexp(random_in(-1, 1), (int)random32() % 8 - (sizeof(T) == 4 ? 135 : 1030));
            break;
        default: v[i] = special[random32() % (sizeof special / sizeof *special)];
        }
    }
    return v;
}

template <class T> using RoundingKernel = void (*)(const T *, const T *, const T *, T *, int);

/* Run the kernel on random operands and compare all of its results. */
template <class T> static void test_rounding(const char *what, RoundingKernel<T> kernel) {
    const int n = 8192;
    std::vector<T> a = rounding_operands<T>(n), b = rounding_operands<T>(n),
                   c = rounding_operands<T>(n);
    T *out = poisoned<T>((size_t)n * ROUNDING_RESULTS);
    kernel<<<n / 256, 256>>>(to_device(a), to_device(b), to_device(c), out, n);
    FINISH_KERNEL();
    std::vector<T> got = to_host(out, (size_t)n * ROUNDING_RESULTS);
    for (int i = 0; i < n; i++) {
        T want[ROUNDING_RESULTS];
        host_rounded(a[i], b[i], c[i], want);
        for (int r = 0; r < ROUNDING_RESULTS; r++)
            same(what, (long)i * ROUNDING_RESULTS + r, got[(size_t)i * ROUNDING_RESULTS + r],
                 want[r]);
    }
}

#endif
