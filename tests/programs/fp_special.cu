// NaN, infinity, signed zero: comparisons, minimum and maximum, classification, and the functions
// that take numbers apart.
#include "check.h"

static const double special[] = {0.0,      -0.0, 1,     -1,       2.5,       -2.5, 0x1p-1074,
                                 0x1p-149, 3e38, 1e308, INFINITY, -INFINITY, NAN};
enum { COUNT = sizeof special / sizeof *special, RESULTS = 24 };

// The same source on both sides; exact results only.
template <class T> __host__ __device__ void evaluate(T x, T y, double *r) {
    int exponent = 0, quotient = 0;
    T part = 0;
    *r++ = x < y;
    *r++ = x <= y;
    *r++ = x == y;
    *r++ = x != y;
    *r++ = !(x > y);
    *r++ = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * (signbit(x) != 0 && !isnan(x));
    *r++ = isnan(x) ? y : x + y;
    *r++ = x * y;
    *r++ = x / y;
    *r++ = x - y;
    *r++ = fmin(x, y) + 1; // +1 hides the sign of a zero, which is open
    *r++ = fmax(x, y) + 1;
    *r++ = fmod(x, y);
    *r++ = remainder(x, y);
    *r++ = fabs(x);
    *r++ = copysign(T(3), x) * (isnan(x) ? 0 : 1);
    T fraction = frexp(x, &exponent);
    *r++ = fraction;
    *r++ = isfinite(x) ? exponent : 0;
    *r++ = modf(x, &part);
    *r++ = part;
    *r++ = ldexp(x, 3) + scalbn(x, -2);
    *r++ = nextafter(x, y);
    T rest = remquo(x, y, &quotient);
    *r++ = isfinite(x) && isfinite(y) && y != 0 ? rest + 16 * (quotient & 7) : 0;
    *r++ = isfinite(x) && fabs(x) < 100 ? (double)(ilogb(x + T(0.5)) + llrint(x) + lround(x)) : 0;
}

template <class T> __global__ void kernel(const T *values, double *out) {
    evaluate(values[threadIdx.x / COUNT], values[threadIdx.x % COUNT], out + threadIdx.x * RESULTS);
}

template <class T> static void test(const char *what) {
    std::vector<T> values(special, special + COUNT);
    double *out = poisoned<double>(COUNT * COUNT * RESULTS);
    kernel<<<1, COUNT * COUNT>>>(to_device(values), out);
    FINISH_KERNEL();
    std::vector<double> got = to_host(out, COUNT * COUNT * RESULTS);
    for (int i = 0; i < COUNT * COUNT; i++) {
        double want[RESULTS];
        evaluate(values[i / COUNT], values[i % COUNT], want);
        for (int r = 0; r < RESULTS; r++)
            same(what, i * RESULTS + r, got[i * RESULTS + r], want[r]);
    }
}

int main() {
    test<float>("float, pair * 24 + result");
    test<double>("double, pair * 24 + result");
    return finish();
}
