/*
 * part_math.h: every function that UNARY and BINARY list, on random arguments, against the host's
 * in long double. The program defines REAL, float or double, and the lists: name, maximum error in
 * ulp, range of the argument, the kernel's expression and the host's, of x and y.
 */
#ifndef PART_MATH_H
#define PART_MATH_H

#include "check.h"

enum { N = 2048 };
#define KERNEL1(name, ulps, low, high, device, host)                                               \
    __global__ void kernel_##name(const REAL *a, const REAL *, REAL *out) {                        \
        REAL x = a[blockIdx.x * blockDim.x + threadIdx.x];                                         \
        out[blockIdx.x * blockDim.x + threadIdx.x] = device;                                       \
    }                                                                                              \
    static long double host_##name(long double x, long double) {                                   \
        return host;                                                                               \
    }
#define KERNEL2(name, ulps, low, high, device, host)                                               \
    __global__ void kernel_##name(const REAL *a, const REAL *b, REAL *out) {                       \
        REAL x = a[blockIdx.x * blockDim.x + threadIdx.x],                                         \
             y = b[blockIdx.x * blockDim.x + threadIdx.x];                                         \
        out[blockIdx.x * blockDim.x + threadIdx.x] = device;                                       \
    }                                                                                              \
    static long double host_##name(long double x, long double y) {                                 \
        return host;                                                                               \
    }

UNARY(KERNEL1)
BINARY(KERNEL2)

static void test(const char *name, void (*kernel)(const REAL *, const REAL *, REAL *),
                 long double (*host)(long double, long double), double low, double high,
                 double ulps) {
    static REAL *out = poisoned<REAL>(N);
    std::vector<REAL> a(N), b(N);
    for (int i = 0; i < N; i++) {
        a[i] = (REAL)random_in(low, high), b[i] = (REAL)random_in(low, high);
        if (low > 0 && high / low > 1e6) // spread over the exponents
            a[i] = (REAL)exp(random_in(log(low), log(high)));
    }
    REAL *x = to_device(a), *y = to_device(b);
    kernel<<<N / 128, 128>>>(x, y, out);
    FINISH_KERNEL();
    std::vector<REAL> got = to_host(out, N);
    for (int i = 0; i < N; i++) within_ulps(name, i, got[i], host(a[i], b[i]), ulps + 0.5);
    release(x);
    release(y);
}

int main() {
#define TEST(name, ulps, low, high, device, host)                                                  \
    test(#name, kernel_##name, host_##name, low, high, ulps);
    UNARY(TEST)
    BINARY(TEST)
    return finish();
}

#endif
