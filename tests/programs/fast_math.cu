// Fast intrinsics: errors within the CUDA C++ Programming Guide's bounds ("Intrinsic Functions"),
// and their special values.
#include "check.h"

enum { N = 4096, RESULTS = 9 };

__global__ void fast(const float *a, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i], positive = fabsf(x) + 0.01f, *r = out + i * RESULTS;
    *r++ = __expf(x);
    *r++ = __exp10f(x / 4);
    *r++ = __logf(positive);
    *r++ = __log2f(positive);
    *r++ = __log10f(positive);
    *r++ = __sinf(x / 4);
    *r++ = __cosf(x / 4);
    *r++ = __powf(positive, 1.5f);
    *r++ = __fdividef(x, positive + 1);
}
__global__ void sines(const float *a, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __sincosf(a[i] / 4, out + 2 * i, out + 2 * i + 1);
}
__global__ void specials(float *out) {
    const float infinity = __int_as_float(0x7f800000);
    volatile float zero = 0;
    *out++ = __expf(-infinity);
    *out++ = __expf(infinity);
    *out++ = __logf(zero);
    *out++ = __logf(infinity);
    *out++ = __logf(-1 + zero);
    *out++ = __saturatef(-3 + zero);
    *out++ = __saturatef(7 + zero);
    *out++ = __saturatef(0.25f + zero);
    *out++ = __saturatef(infinity - infinity + zero);
    *out++ = __frsqrt_rn(4 + zero);
    *out++ = rsqrtf(zero);
    *out++ = __fdividef(1, infinity);
}

// Near 1, log's bound is absolute; elsewhere relative (3 ulp and 2 ulp for log2, and one for
// rounding).
static void check_log(const char *what, int i, float got, double want, bool near_one) {
    if (near_one)
        close_to(what, i, got, want, 0x1p-21);
    else
        within_ulps(what, i, got, want, 4);
}

int main() {
    std::vector<float> a(N);
    for (float &x : a) x = (float)random_in(-12.5, 12.5); // a quarter of it is within [-pi, pi]
    float *x = to_device(a), *out = poisoned<float>(N * RESULTS), *pairs = poisoned<float>(2 * N),
          *special = poisoned<float>(12);
    fast<<<N / 128, 128>>>(x, out);
    sines<<<N / 128, 128>>>(x, pairs);
    specials<<<1, 1>>>(special);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, N * RESULTS), sincos = to_host(pairs, 2 * N);
    for (int i = 0; i < N; i++) {
        const float *r = &got[i * RESULTS], quarter = a[i] / 4, positive = fabsf(a[i]) + 0.01f;
        bool near_one = positive >= 0.5f && positive <= 2;
        within_ulps("__expf", i, r[0], exp((double)a[i]), 3 + floor(fabs(1.173 * a[i])));
        within_ulps("__exp10f", i, r[1], pow(10.0, quarter), 3 + floor(fabs(2.97 * quarter)));
        check_log("__logf", i, r[2], log((double)positive), near_one);
        check_log("__log2f", i, r[3], log2((double)positive), near_one);
        check_log("__log10f", i, r[4], log10((double)positive), near_one);
        close_to("__sinf", i, r[5], sin((double)quarter), 0x1p-21);
        close_to("__cosf", i, r[6], cos((double)quarter), 0x1p-21);
        within_ulps("__powf", i, r[7], pow((double)positive, 1.5),
                    16); // no bound documented: exp2f(y * __log2f(x))
        within_ulps("__fdividef", i, r[8], a[i] / (double)(positive + 1), 3);
        same("__sincosf sine", i, sincos[2 * i], r[5]);
        same("__sincosf cosine", i, sincos[2 * i + 1], r[6]);
    }
    const float want[12] = {0, INFINITY, -INFINITY, INFINITY, NAN,      0,
                            1, 0.25f,    0,         0.5f,     INFINITY, 0};
    std::vector<float> values = to_host(special, 12);
    for (int i = 0; i < 12; i++) same("special", i, values[i], want[i]);
    return finish();
}
