// 128-bit integers, and multi-word arithmetic by hand with the carry flag of inline PTX.
#include "check.h"

enum { N = 1024, RESULTS = 8 };
typedef unsigned __int128 u128;

__global__ void wide(const u128 *a, const u128 *b, u128 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u128 x = a[i], y = b[i], *r = out + i * RESULTS;
    *r++ = x + y;
    *r++ = x - y;
    *r++ = x * y;
    *r++ = x / (y | 1);
    *r++ = x % (y | 1);
    *r++ = (u128)((__int128)x / (__int128)(y | 1)); // -2^127 / -1 is not among the operands
    *r++ = x << (int)(y & 127);
    *r++ = (u128)((__int128)x >> (int)(y & 127)) ^ (x < y);
}

// 128-bit sum, difference and the low 128 bits of the product, in 32-bit words.
__device__ uint4 add128(uint4 a, uint4 b) {
    uint4 r;
    asm("add.cc.u32 %0, %4, %8;\n\taddc.cc.u32 %1, %5, %9;\n\taddc.cc.u32 %2, %6, %10;\n\taddc.u32 "
        "%3, %7, %11;"
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    return r;
}
__device__ uint4 sub128(uint4 a, uint4 b) {
    uint4 r;
    asm("sub.cc.u32 %0, %4, %8;\n\tsubc.cc.u32 %1, %5, %9;\n\tsubc.cc.u32 %2, %6, %10;\n\tsubc.u32 "
        "%3, %7, %11;"
        : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    return r;
}
__device__ uint4 square64(uint2 a) {
    uint4 r;
    asm("{\n\t"
        "mul.lo.u32 %0, %4, %4;\n\t"
        "mul.hi.u32 %1, %4, %4;\n\t"
        "mul.lo.u32 %2, %5, %5;\n\t"
        "mul.hi.u32 %3, %5, %5;\n\t"
        "mad.lo.cc.u32 %1, %4, %5, %1;\n\t"
        "madc.hi.cc.u32 %2, %4, %5, %2;\n\t"
        "addc.u32 %3, %3, 0;\n\t"
        "mad.lo.cc.u32 %1, %4, %5, %1;\n\t"
        "madc.hi.cc.u32 %2, %4, %5, %2;\n\t"
        "addc.u32 %3, %3, 0;\n\t"
        "}"
        : "=&r"(r.x), "=&r"(r.y), "=&r"(r.z), "=&r"(r.w)
        : "r"(a.x), "r"(a.y));
    return r;
}
__global__ void by_words(const uint4 *a, const uint4 *b, uint4 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[3 * i] = add128(a[i], b[i]);
    out[3 * i + 1] = sub128(a[i], b[i]);
    out[3 * i + 2] = square64(make_uint2(a[i].x, a[i].y));
}
// The 64-bit carry chain: the carry out of the low sum, added to the high one.
__global__ void by_long_words(const ulonglong2 *a, const ulonglong2 *b, ulonglong2 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;"
        : "=l"(out[i].x), "=l"(out[i].y)
        : "l"(a[i].x), "l"(a[i].y), "l"(b[i].x), "l"(b[i].y));
}

static void compare(const char *what, long index, u128 got, u128 want) {
    same(what, index, (uint64_t)got, (uint64_t)want);
    same(what, index, (uint64_t)(got >> 64), (uint64_t)(want >> 64));
}

int main() {
    std::vector<u128> a(N), b(N);
    for (int i = 0; i < N; i++) {
        a[i] = ((u128)random64() << 64 | random64()) >> random32() % 128;
        b[i] = ((u128)random64() << 64 | random64()) >> random32() % 128;
    }
    a[0] = ~(u128)0, b[0] = 1;
    a[1] = 0, b[1] = 1;
    u128 *x = to_device(a), *y = to_device(b), *r = poisoned<u128>(N * RESULTS),
         *words = poisoned<u128>(3 * N);
    u128 *longs = poisoned<u128>(N);
    wide<<<N / 128, 128>>>(x, y, r);
    by_words<<<N / 128, 128>>>((uint4 *)x, (uint4 *)y, (uint4 *)words);
    by_long_words<<<N / 128, 128>>>((ulonglong2 *)x, (ulonglong2 *)y, (ulonglong2 *)longs);
    FINISH_KERNEL();
    std::vector<u128> got = to_host(r, N * RESULTS), got_words = to_host(words, 3 * N),
                      got_longs = to_host(longs, N);
    for (int i = 0; i < N; i++) {
        u128 want[RESULTS] = {a[i] + b[i],
                              a[i] - b[i],
                              a[i] * b[i],
                              a[i] / (b[i] | 1),
                              a[i] % (b[i] | 1),
                              (u128)((__int128)a[i] / (__int128)(b[i] | 1)),
                              a[i] << (int)(b[i] & 127),
                              (u128)((__int128)a[i] >> (int)(b[i] & 127)) ^ (a[i] < b[i])};
        for (int k = 0; k < RESULTS; k++)
            compare("__int128, element * 8 + operation", i * RESULTS + k, got[i * RESULTS + k],
                    want[k]);
        compare("add.cc", i, got_words[3 * i], want[0]);
        compare("sub.cc", i, got_words[3 * i + 1], want[1]);
        compare("mad.cc", i, got_words[3 * i + 2], (u128)(uint64_t)a[i] * (uint64_t)a[i]);
        compare("add.cc.u64", i, got_longs[i], want[0]);
    }
    return finish();
}
