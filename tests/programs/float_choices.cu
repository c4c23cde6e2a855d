// min and max of floats with all their suffixes, slct, testp and relu, on special values.
//
// build sm86 arch=86
#include "check.h"

#define N       16
#define THREADS (N * N)

// Zeros, subnormals, numbers, infinities and NaNs of a format, as bits; the second one of a pair
// has the sign.
struct Format {
    uint32_t sign, least, infinity; // least: of the normal ones
    uint32_t at(int i) const {
        const uint32_t some[N / 2] = {
            0, 1, least - 1, least, infinity, infinity + 1, infinity / 2, infinity | least / 2};
        return some[i / 2] | (i % 2 ? sign : 0);
    }
};
static const Format F32 = {0x80000000u, 0x00800000, 0x7f800000}, F16 = {0x8000, 0x0400, 0x7c00},
                    BF16 = {0x8000, 0x0080, 0x7f80};

enum { MAX = 1, FTZ = 2, NAN_WINS = 4, XORSIGN = 8 };

// What an H200 chose. A NaN of two, or where one wins, is the format's own.
static uint32_t chosen(const Format &f, int suffixes, uint32_t a, uint32_t b) {
    uint32_t x = a & ~f.sign, y = b & ~f.sign, sign = (a ^ b) & f.sign;
    if (suffixes & FTZ) a &= x < f.least ? f.sign : ~0u, b &= y < f.least ? f.sign : ~0u;
    if ((suffixes & NAN_WINS ? x > f.infinity || y > f.infinity : false) ||
        (x > f.infinity && y > f.infinity))
        return f.sign - 1;
    if (suffixes & XORSIGN)
        a &= ~f.sign, b &= ~f.sign;
    else
        sign = 0;
    // In the order of numbers: the negative ones turned round.
    auto key = [&](uint32_t v) { return v & f.sign ? f.sign - (v & ~f.sign) - 1 : f.sign + v; };
    bool first = y > f.infinity || (x <= f.infinity && (key(a) < key(b)) != (bool)(suffixes & MAX));
    return (first ? a : b) | sign;
}

#define CHOICE(name, text, type, letter)                                                           \
    __global__ void name(const type *a, const type *b, type *d) {                                  \
        int i = threadIdx.x;                                                                       \
        asm(text " %0, %1, %2;" : "=" letter(d[i]) : letter(a[i]), letter(b[i]));                  \
    }
#define CHOICES(format, type, letter)                                                              \
    CHOICE(min_##format, "min." #format, type, letter)                                             \
    CHOICE(max_##format, "max." #format, type, letter)                                             \
    CHOICE(min_nan_##format, "min.NaN." #format, type, letter)                                     \
    CHOICE(max_nan_##format, "max.NaN." #format, type, letter)                                     \
    CHOICE(min_xor_##format, "min.xorsign.abs." #format, type, letter)                             \
    CHOICE(max_xor_##format, "max.xorsign.abs." #format, type, letter)                             \
    CHOICE(min_nan_xor_##format, "min.NaN.xorsign.abs." #format, type, letter)                     \
    CHOICE(max_nan_xor_##format, "max.NaN.xorsign.abs." #format, type, letter)
CHOICES(f16, uint16_t, "h")
CHOICES(bf16, uint16_t, "h")
#undef CHOICE
#define CHOICE(name, text, type, letter)                                                           \
    __global__ void name(const type *a, const type *b, type *d) {                                  \
        int i = threadIdx.x;                                                                       \
        float v;                                                                                   \
        asm(text " %0, %1, %2;"                                                                    \
            : "=f"(v)                                                                              \
            : "f"(__uint_as_float(a[i])), "f"(__uint_as_float(b[i])));                             \
        d[i] = __float_as_uint(v);                                                                 \
    }
CHOICES(f32, uint32_t, "f")
CHOICE(min_ftz_nan_f32, "min.ftz.NaN.f32", uint32_t, )
CHOICE(max_ftz_nan_f32, "max.ftz.NaN.f32", uint32_t, )
CHOICE(min_ftz_xor_f32, "min.ftz.xorsign.abs.f32", uint32_t, )
CHOICE(max_ftz_nan_xor_f32, "max.ftz.NaN.xorsign.abs.f32", uint32_t, )

template <class T>
static void choices(const char *name, void (*kernel)(const T *, const T *, T *), const Format &f,
                    int suffixes) {
    T *a, *b, *d;
    CHECK(cudaMallocManaged(&a, THREADS * sizeof *a));
    CHECK(cudaMallocManaged(&b, THREADS * sizeof *b));
    CHECK(cudaMallocManaged(&d, THREADS * sizeof *d));
    for (int i = 0; i < THREADS; i++) a[i] = (T)f.at(i / N), b[i] = (T)f.at(i % N), d[i] = 0x5555;
    kernel<<<1, THREADS>>>(a, b, d);
    FINISH_KERNEL();
    for (int i = 0; i < THREADS; i++)
        same(name, i, (unsigned)d[i], (unsigned)chosen(f, suffixes, a[i], b[i]));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(d));
}

// For each value: which of 1 and 2 slct takes, by words, by long words and with .ftz; whether it is
// normal, and subnormal.
__global__ void tests(const uint32_t *values, uint32_t *d) {
    float v = __uint_as_float(values[threadIdx.x]);
    uint32_t *row = d + threadIdx.x * 5;
    uint64_t wide;
    asm("slct.b32.f32 %0, %1, %2, %3;" : "=r"(row[0]) : "r"(1), "r"(2), "f"(v));
    asm("slct.b64.f32 %0, %1, %2, %3;" : "=l"(wide) : "l"(1ull), "l"(2ull), "f"(v));
    row[1] = (uint32_t)wide;
    asm("slct.ftz.b32.f32 %0, %1, %2, %3;" : "=r"(row[2]) : "r"(1), "r"(2), "f"(v));
    asm("{ .reg .pred p; testp.normal.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(row[3]) : "f"(v));
    asm("{ .reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p; }"
        : "=r"(row[4])
        : "f"(v));
}

// A product of -0 is no less than 0, and yet becomes 0.
__global__ void relu(uint16_t *d) {
    asm("fma.rn.relu.f16 %0, %1, %2, %3;"
        : "=h"(d[0])
        : "h"((uint16_t)0x8000), "h"((uint16_t)0x3c00), "h"((uint16_t)0x8000));
    asm("fma.rn.relu.bf16 %0, %1, %2, %3;"
        : "=h"(d[1])
        : "h"((uint16_t)0x8000), "h"((uint16_t)0x3f80), "h"((uint16_t)0x8000));
}

// neg and abs of NaN: halves have one NaN; doubles keep theirs with its sign, but quiet.
__global__ void signs(uint16_t *d, uint64_t *wide) {
    uint64_t nan = 0xfff0000000000123ull;
    asm("neg.f16 %0, %1;" : "=h"(d[0]) : "h"((uint16_t)0x7c01));
    asm("abs.f16 %0, %1;" : "=h"(d[1]) : "h"((uint16_t)0xfe12));
    asm("neg.bf16 %0, %1;" : "=h"(d[2]) : "h"((uint16_t)0xff81));
    asm("abs.bf16 %0, %1;" : "=h"(d[3]) : "h"((uint16_t)0x7fc1));
    asm("neg.bf16 %0, %1;" : "=h"(d[4]) : "h"((uint16_t)0x7f80));
    asm("neg.f64 %0, %1;" : "=d"(*(double *)&wide[0]) : "d"(__longlong_as_double(nan)));
    asm("abs.f64 %0, %1;" : "=d"(*(double *)&wide[1]) : "d"(__longlong_as_double(nan)));
}

int main() {
#define BOTH(suffix, format, f, bits)                                                              \
    choices("min" #suffix " " #f, min##suffix##_##format, f, bits);                                \
    choices("max" #suffix " " #f, max##suffix##_##format, f, (bits) | MAX);
#define ALL(format, f)                                                                             \
    BOTH(, format, f, 0)                                                                           \
    BOTH(_nan, format, f, NAN_WINS)                                                                \
    BOTH(_xor, format, f, XORSIGN)                                                                 \
    BOTH(_nan_xor, format, f, NAN_WINS | XORSIGN)
    ALL(f32, F32)
    ALL(f16, F16)
    ALL(bf16, BF16)
    BOTH(_ftz_nan, f32, F32, FTZ | NAN_WINS)
    choices("min.ftz.xorsign.abs", min_ftz_xor_f32, F32, FTZ | XORSIGN);
    choices("max.ftz.NaN.xorsign.abs", max_ftz_nan_xor_f32, F32, MAX | FTZ | NAN_WINS | XORSIGN);

    uint32_t *values, *d;
    CHECK(cudaMallocManaged(&values, N * sizeof *values));
    CHECK(cudaMallocManaged(&d, 5 * N * sizeof *d));
    for (int i = 0; i < N; i++) values[i] = F32.at(i);
    tests<<<1, N>>>(values, d);
    FINISH_KERNEL();
    for (int i = 0; i < N; i++) {
        uint32_t size = values[i] & ~F32.sign;
        bool minus = size != values[i], nan = size > F32.infinity, tiny = size < F32.least;
        unsigned slct = nan || (minus && size) ? 2 : 1;
        same("slct.b32", i, d[5 * i], slct);
        same("slct.b64", i, d[5 * i + 1], slct);
        same("slct.ftz", i, d[5 * i + 2], tiny ? 1u : slct);
        same("normal", i, d[5 * i + 3], (unsigned)(size < F32.infinity && (!tiny || !size)));
        same("subnormal", i, d[5 * i + 4], (unsigned)(tiny && size));
    }
    CHECK(cudaFree(values));
    CHECK(cudaFree(d));

    uint16_t *zeros;
    CHECK(cudaMallocManaged(&zeros, 2 * sizeof *zeros));
    zeros[0] = zeros[1] = 0x5555;
    relu<<<1, 1>>>(zeros);
    FINISH_KERNEL();
    same("relu f16", 0, zeros[0], (uint16_t)0);
    same("relu bf16", 0, zeros[1], (uint16_t)0);
    CHECK(cudaFree(zeros));

    uint16_t *halves;
    uint64_t *wide;
    CHECK(cudaMallocManaged(&halves, 5 * sizeof *halves));
    CHECK(cudaMallocManaged(&wide, 2 * sizeof *wide));
    signs<<<1, 1>>>(halves, wide);
    FINISH_KERNEL();
    for (int i = 0; i < 4; i++) same("sign of NaN", i, (unsigned)halves[i], 0x7fffu);
    same("minus infinity", 0, (unsigned)halves[4], 0xff80u);
    for (int i = 0; i < 2; i++)
        same("double NaN", i, (unsigned)(wide[i] == 0xfff8000000000123ull), 1u);
    CHECK(cudaFree(halves));
    CHECK(cudaFree(wide));
    return finish();
}
