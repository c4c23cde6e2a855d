/*
 * math.cu: the errors of the device's mathematical functions, in units of the last place (ulp),
 * against the host's in long double. The bounds are the CUDA C++ Programming Guide's ("Mathematical
 * Functions": full range). Prints one line per function, and ends with 1 where one is beyond its
 * bound.
 */
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static const int N = 1 << 14; /* arguments of each function */

/* A function: its name, one launcher, the host's function, the range of arguments, the bound in
 * ulp. */
template <class Real> struct Function {
    const char *name;
    void (*launch)(const Real *x, const Real *y, Real *out);
    long double (*exact)(long double x, long double y);
    double from, to;
    double bound;
};

#define FUNCTION(kernel, Real, call)                                                               \
    __global__ void kernel(const Real *xs, const Real *ys, Real *out) {                            \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        Real x = xs[i], y = ys[i];                                                                 \
        (void)y;                                                                                   \
        out[i] = call;                                                                             \
    }                                                                                              \
    static void launch_##kernel(const Real *x, const Real *y, Real *out) {                         \
        kernel<<<N / 256, 256>>>(x, y, out);                                                       \
    }

#define FLOATS(X)                                                                                  \
    X(expf, expf(x), expl(x), -100, 88, 2)                                                         \
    X(exp2f, exp2f(x), exp2l(x), -140, 127, 2)                                                     \
    X(exp10f, exp10f(x), powl(10, x), -40, 38, 2)                                                  \
    X(expm1f, expm1f(x), expm1l(x), -20, 80, 1)                                                    \
    X(expm1f_small, expm1f(x), expm1l(x), -1e-2, 1e-2, 1)                                          \
    X(logf, logf(x), logl(x), 1e-40, 1e38, 1)                                                      \
    X(logf_near_1, logf(x), logl(x), 0.5, 2, 1)                                                    \
    X(log2f, log2f(x), log2l(x), 1e-30, 1e30, 1)                                                   \
    X(log10f, log10f(x), log10l(x), 1e-30, 1e30, 2)                                                \
    X(log1pf, log1pf(x), log1pl(x), -0.9, 1e6, 1)                                                  \
    X(log1pf_small, log1pf(x), log1pl(x), -1e-2, 1e-2, 1)                                          \
    X(powf, powf(fabsf(x), y), powl(fabsl(x), y), -100, 100, 4)                                    \
    X(sinf, sinf(x), sinl(x), -1e4, 1e4, 2)                                                        \
    X(sinf_large, sinf(x), sinl(x), -1e30, 1e30, 2)                                                \
    X(cosf, cosf(x), cosl(x), -1e4, 1e4, 2)                                                        \
    X(tanf, tanf(x), tanl(x), -1e4, 1e4, 4)                                                        \
    X(asinf, asinf(x), asinl(x), -1, 1, 2)                                                         \
    X(acosf, acosf(x), acosl(x), -1, 1, 2)                                                         \
    X(atanf, atanf(x), atanl(x), -50, 50, 2)                                                       \
    X(atan2f, atan2f(x, y), atan2l(x, y), -50, 50, 3)                                              \
    X(sinhf, sinhf(x), sinhl(x), -80, 80, 3)                                                       \
    X(coshf, coshf(x), coshl(x), -80, 80, 2)                                                       \
    X(tanhf, tanhf(x), tanhl(x), -12, 12, 2)                                                       \
    X(hypotf, hypotf(x, y), hypotl(x, y), -1e18, 1e18, 3)                                          \
    X(cbrtf, cbrtf(x), cbrtl(x), -1e30, 1e30, 1)                                                   \
    X(rsqrtf, rsqrtf(x), 1 / sqrtl(x), 1e-30, 1e30, 2)                                             \
    X(sqrtf, sqrtf(x), sqrtl(x), 0, 1e30, 0.5)                                                     \
    X(fmodf, fmodf(x, y), fmodl(x, y), -1e8, 1e8, 0)                                               \
    X(roundf, roundf(x), roundl(x), -1e3, 1e3, 0)                                                  \
    X(rintf, rintf(x), rintl(x), -1e3, 1e3, 0)                                                     \
    X(divide, x / y, x / y, -1e3, 1e3, 0.5)                                                        \
    X(fast_expf, __expf(x), expl(x), -1, 1, 4)

#define DOUBLES(X)                                                                                 \
    X(exp, exp(x), expl(x), -700, 700, 1)                                                          \
    X(log, log(x), logl(x), 1e-300, 1e300, 1)                                                      \
    X(log_near_1, log(x), logl(x), 0.5, 2, 1)                                                      \
    X(sin, sin(x), sinl(x), -1e6, 1e6, 2)                                                          \
    X(cos, cos(x), cosl(x), -1e6, 1e6, 2)                                                          \
    X(cos_large, cos(x), cosl(x), -1e18, 1e18, 2)                                                  \
    X(tan, tan(x), tanl(x), -1e6, 1e6, 2)                                                          \
    X(sqrt, sqrt(x), sqrtl(x), 0, 1e300, 0.5)                                                      \
    X(rsqrt, rsqrt(x), 1 / sqrtl(x), 1e-300, 1e300, 1)

#define KERNEL_FLOAT(name, call, exact, from, to, bound)  FUNCTION(float_##name, float, call)
#define KERNEL_DOUBLE(name, call, exact, from, to, bound) FUNCTION(double_##name, double, call)
FLOATS(KERNEL_FLOAT)
DOUBLES(KERNEL_DOUBLE)

#define EXACT(name, call, exact, from, to, bound)                                                  \
    static long double exact_##name(long double x, long double y) {                                \
        (void)y;                                                                                   \
        return exact;                                                                              \
    }
FLOATS(EXACT)
DOUBLES(EXACT)

#define ROW(name, call, exact, from, to, bound)                                                    \
    {#name, ROW_LAUNCH(name), exact_##name, from, to, bound},
#define ROW_LAUNCH(name) launch_float_##name
static const Function<float> FLOAT_ROWS[] = {FLOATS(ROW)};
#undef ROW_LAUNCH
#define ROW_LAUNCH(name) launch_double_##name
static const Function<double> DOUBLE_ROWS[] = {DOUBLES(ROW)};

static double unit(double) {
    return DBL_EPSILON;
}
static double unit(float) {
    return FLT_EPSILON;
}
static double smallest(double) {
    return DBL_MIN;
}
static double smallest(float) {
    return FLT_MIN;
}

/* The distance in ulp of the exact value; subnormal results have the spacing of the smallest normal
 * ones. */
template <class Real> double ulps(Real got, long double want) {
    if (std::isnan(got)) return std::isnan(want) ? 0 : INFINITY;
    if (std::isinf(got) || got == want) return (Real)want == got ? 0 : INFINITY;
    int exponent;
    frexpl(want, &exponent);
    long double spacing = ldexpl(unit(got), exponent - 1);
    if (spacing < smallest(got) * unit(got)) spacing = smallest(got) * unit(got);
    return (double)(fabsl(got - want) / spacing);
}

/* Arguments all over the range: half of them evenly, half by their exponents, where the range
 * allows. */
template <class Real> Real argument(const Function<Real> &f, int i) {
    double share = (double)rand() / RAND_MAX;
    if (i % 2 == 0) return (Real)(f.from + share * (f.to - f.from));
    double large = fmax(fabs(f.from), fabs(f.to)), small = f.from > 0 ? f.from : large * 1e-12;
    double size = exp(log(small) + share * (log(large) - log(small)));
    return (Real)(f.from < 0 && i % 4 == 1 && size < -f.from ? -size : fmin(size, f.to));
}

template <class Real> bool check(const Function<Real> &f) {
    Real *x, *y, *out;
    cudaMallocManaged(&x, N * sizeof *x);
    cudaMallocManaged(&y, N * sizeof *y);
    cudaMallocManaged(&out, N * sizeof *out);
    for (int i = 0; i < N; i++) {
        x[i] = argument(f, i);
        y[i] = argument(f, i + 2);
    }
    f.launch(x, y, out);
    double worst = cudaDeviceSynchronize() == cudaSuccess ? 0 : INFINITY;
    int at = 0;
    for (int i = 0; i < N; i++) {
        double error = ulps(out[i], f.exact(x[i], y[i]));
        if (error > worst) {
            worst = error;
            at = i;
        }
    }
    bool ok = worst <= f.bound;
    printf("%-14s %8.3f ulp, bound %g%s", f.name, worst, f.bound, ok ? "\n" : "  TOO MUCH: ");
    if (!ok) printf("%.17g, %.17g gives %.17g\n", (double)x[at], (double)y[at], (double)out[at]);
    cudaFree(x);
    cudaFree(y);
    cudaFree(out);
    return ok;
}

int main() {
    bool ok = true;
    for (const auto &f : FLOAT_ROWS) ok &= check(f);
    for (const auto &f : DOUBLE_ROWS) ok &= check(f);
    return ok ? 0 : 1;
}
