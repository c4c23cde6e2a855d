// Conversions between every integer width and float and double: C++ casts, and the intrinsics with
// their rounding modes. Out of range they saturate; NaN becomes 0 from float to 32 bits, else the
// top bit (PTX ISA, cvt).
#include "check.h"

#include <cfenv>

enum { N = 2048, TO_INT = 16, FROM_INT = 24 };
#define MODES4(f) (f(rn), f(rz), f(ru), f(rd))

__global__ void float_to_int(const float *a, long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    long long *r = out + i * TO_INT;
#define ROW(m)                                                                                     \
    *r++ = __float2int_##m(x), *r++ = __float2uint_##m(x), *r++ = __float2ll_##m(x),               \
    *r++ = (long long)__float2ull_##m(x)
    MODES4(ROW);
#undef ROW
}
__global__ void double_to_int(const double *a, long long *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = a[i];
    long long *r = out + i * TO_INT;
#define ROW(m)                                                                                     \
    *r++ = __double2int_##m(x), *r++ = __double2uint_##m(x), *r++ = __double2ll_##m(x),            \
    *r++ = (long long)__double2ull_##m(x)
    MODES4(ROW);
#undef ROW
}
__global__ void int_to_float(const long long *a, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long x = a[i];
    double *r = out + i * FROM_INT;
#define ROW(m)                                                                                     \
    *r++ = __int2float_##m((int)x), *r++ = __uint2float_##m((unsigned)x),                          \
    *r++ = __ll2float_##m(x), *r++ = __ull2float_##m((unsigned long long)x),                       \
    *r++ = __ll2double_##m(x), *r++ = __ull2double_##m((unsigned long long)x)
    MODES4(ROW);
#undef ROW
}
__global__ void double_to_float(const double *a, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[4 * i] = __double2float_rn(a[i]);
    out[4 * i + 1] = __double2float_rz(a[i]);
    out[4 * i + 2] = __double2float_ru(a[i]);
    out[4 * i + 3] = __double2float_rd(a[i]);
}
// Casts in range, to and from the narrow types; both sides run this.
__host__ __device__ double casts(double x) {
    float f = (float)x;
    return (double)(signed char)x + 3.0 * (unsigned char)(int)fabs(x) + 5.0 * (short)(x * 100) +
           7.0 * (unsigned short)(fabsf(f) * 50) + (float)(signed char)(int)f +
           (double)(short)(int)x + (float)(long long)(x * 1e10) + (double)(unsigned)(fabs(x) * 1e6);
}
__global__ void narrow(const double *a, double *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = casts(a[i]);
}

static const int mode[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

template <class Int> static long long saturated(double x, long long of_nan) {
    if (x != x) return of_nan;
    const double low = (double)std::numeric_limits<Int>::min(),
                 high = ldexp(1, std::numeric_limits<Int>::digits);
    if (x >= high) return (long long)std::numeric_limits<Int>::max();
    if (x < low) return (long long)std::numeric_limits<Int>::min();
    return (long long)(Int)x;
}

template <class Float> static std::vector<Float> reals() {
    std::vector<Float> v(N);
    for (Float &x : v) x = (Float)ldexp(random_in(-1, 1), (int)(random32() % 80) - 10);
    const Float special[] = {0,
                             (Float)-0.0,
                             0.5f,
                             1.5f,
                             2.5f,
                             -0.5f,
                             -1.5f,
                             (Float)INFINITY,
                             -(Float)INFINITY,
                             (Float)NAN,
                             0x1p31f,
                             0x1p32f,
                             0x1p63f,
                             0x1p64f,
                             -0x1p31f,
                             -0x1p63f,
                             (Float)1e300};
    memcpy(v.data(), special, sizeof special);
    return v;
}

template <class Float>
static void test_to_int(const char *what, void (*kernel)(const Float *, long long *)) {
    std::vector<Float> a = reals<Float>();
    long long *out = poisoned<long long>(N * TO_INT);
    kernel<<<N / 128, 128>>>(to_device(a), out);
    FINISH_KERNEL();
    std::vector<long long> got = to_host(out, N * TO_INT);
    for (int i = 0; i < N; i++)
        for (int m = 0; m < 4; m++) {
            fesetround(mode[m]);
            volatile double x = a[i], whole = rint(x);
            fesetround(FE_TONEAREST);
            const bool from_double = sizeof(Float) == 8;
            const long long want[4] = {saturated<int>(whole, from_double ? INT32_MIN : 0),
                                       saturated<unsigned>(whole, from_double ? 0x80000000ll : 0),
                                       saturated<long long>(whole, INT64_MIN),
                                       saturated<unsigned long long>(whole, INT64_MIN)};
            for (int k = 0; k < 4; k++)
                same(what, i * TO_INT + m * 4 + k, got[i * TO_INT + m * 4 + k], want[k]);
        }
}

static void test_from_int() {
    std::vector<long long> a(N);
    for (long long &x : a) x = (long long)(random64() >> random32() % 64);
    a[0] = 0, a[1] = -1, a[2] = INT64_MIN, a[3] = INT64_MAX, a[4] = 0xFFFFFF7Fll, a[5] = 0x1000001;
    double *out = poisoned<double>(N * FROM_INT);
    int_to_float<<<N / 128, 128>>>(to_device(a), out);
    FINISH_KERNEL();
    std::vector<double> got = to_host(out, N * FROM_INT);
    for (int i = 0; i < N; i++)
        for (int m = 0; m < 4; m++) {
            fesetround(mode[m]);
            volatile long long x = a[i];
            volatile double want[6] = {
                (float)(int)x, (float)(unsigned)x, (float)x, 0, (double)x, 0};
            volatile long double wide = (unsigned long long)x;
            want[3] = (float)wide, want[5] = (double)wide;
            fesetround(FE_TONEAREST);
            for (int k = 0; k < 6; k++)
                same("integer to float", i * FROM_INT + m * 6 + k, got[i * FROM_INT + m * 6 + k],
                     (double)want[k]);
        }
}

static void test_double_to_float() {
    std::vector<double> a = reals<double>();
    a[20] = 1e-40, a[21] = 3.4028235677973366e38, a[22] = 1e-320, a[23] = -1e39;
    float *out = poisoned<float>(4 * N);
    double *casted = poisoned<double>(N);
    double_to_float<<<N / 128, 128>>>(to_device(a), out);
    std::vector<double> small(N);
    for (double &x : small) x = random_in(-127, 127);
    narrow<<<N / 128, 128>>>(to_device(small), casted);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, 4 * N);
    std::vector<double> got_casts = to_host(casted, N);
    for (int i = 0; i < N; i++) {
        for (int m = 0; m < 4; m++) {
            fesetround(mode[m]);
            volatile double x = a[i];
            volatile float want = (float)x;
            fesetround(FE_TONEAREST);
            same("double to float", 4 * i + m, got[4 * i + m], (float)want);
        }
        same("casts", i, got_casts[i], casts(small[i]));
    }
}

int main() {
    test_to_int<float>("float to integer", float_to_int);
    test_to_int<double>("double to integer", double_to_int);
    test_from_int();
    test_double_to_float();
    return finish();
}
