// PTX instructions that C++ rarely gives, by inline assembly.
#include "check.h"

enum { N = 1024, RESULTS = 31 };

__global__ void forms(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t x = a[i], y = b[i], z = c[i], r;
    uint64_t wide, xy = (uint64_t)x << 32 | y;
    float f;
    uint32_t *o = out + i * RESULTS;
#define PUT(...)                                                                                   \
    asm(__VA_ARGS__);                                                                              \
    *o++ = r
    PUT("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(z & 31), "r"(z >> 8 & 31));
    PUT("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(z & 31), "r"(z >> 8 & 31));
    PUT("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z & 31), "r"(z >> 8 & 31));
    PUT("bfind.u32 %0, %1;" : "=r"(r) : "r"(x));
    PUT("bfind.s32 %0, %1;" : "=r"(r) : "r"(x));
    PUT("bfind.shiftamt.u32 %0, %1;" : "=r"(r) : "r"(x));
    PUT("bfind.u64 %0, %1;" : "=r"(r) : "l"(xy));
    PUT("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    PUT("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    PUT("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z & 63));
    PUT("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z & 63));
    PUT("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z & 0xFFFF));
    PUT("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z & 3));
    PUT("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z & 3));
    PUT("cnot.b32 %0, %1;" : "=r"(r) : "r"(x & y & z));
    PUT("slct.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    PUT("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    PUT("mul24.hi.u32 %0, %1, %2;" : "=r"(r) : "r"(x & 0xFFFFFF), "r"(y & 0xFFFFFF));
    PUT("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    PUT("mad.hi.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    PUT("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(z & 63), "r"(z >> 8 & 63));
    PUT("set.lt.u32.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
    PUT("{.reg .pred p, q; setp.lt.u32 p|q, %1, %2; @p mov.u32 %0, 1; @q mov.u32 %0, 2;}"
        : "=r"(r)
        : "r"(x), "r"(y));
    PUT("{.reg .pred p, q; setp.ne.u32 q, %3, 0; setp.gt.and.s32 p, %1, %2, q; selp.u32 %0, 7, 9, "
        "p;}"
        : "=r"(r)
        : "r"(x), "r"(y), "r"(z & 1));
    PUT("{.reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l};}" : "=r"(r) : "r"(x));
    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wide) : "r"(x), "r"(y), "l"(xy));
    *o++ = (uint32_t)(wide ^ wide >> 32);
    asm("mul.wide.u16 %0, %1, %2;" : "=r"(r) : "h"((uint16_t)x), "h"((uint16_t)y));
    *o++ = r;
    asm("copysign.f32 %0, %1, %2;" : "=f"(f) : "f"(__uint_as_float(x)), "f"(__uint_as_float(y)));
    *o++ = __float_as_uint(f);
    PUT("{.reg .pred p; testp.finite.f32 p, %1; selp.u32 %0, 1, 0, p;}"
        : "=r"(r)
        : "f"(__uint_as_float(x | 0x7F000000)));
    PUT("{.reg .u32 t; .reg .pred p; setp.eq.u32 p, %1, %1; @!p mov.u32 %0, 5; @p mov.u32 %0, 6;}"
        : "=r"(r)
        : "r"(x));
    PUT("{.reg .v4 .b32 v; .reg .v2 .b32 w; ld.global.v4.b32 v, [%1]; mov.b32 w.x, v.w; "
        "mov.b32 w.g, %2; add.u32 %0, w.r, w.y; add.u32 %0, %0, v.x;}"
        : "=r"(r)
        : "l"(a + (i & ~3)), "r"(z));
}

static uint32_t field(uint32_t x, uint32_t position, uint32_t length, bool is_signed) {
    uint32_t result = 0, top = position + length - 1 < 31 ? position + length - 1 : 31;
    bool sign = is_signed && length && (x >> top & 1);
    for (uint32_t i = 0; i < 32; i++) {
        bool bit = i < length && position + i <= 31 ? x >> (position + i) & 1 : sign;
        result |= (uint32_t)bit << i;
    }
    return result;
}
static uint32_t insert(uint32_t source, uint32_t into, uint32_t position, uint32_t length) {
    for (uint32_t i = 0; i < length && position + i < 32; i++)
        into = (into & ~(1u << (position + i))) | (source >> i & 1) << (position + i);
    return into;
}
static uint32_t find(uint64_t x) {
    return x ? 63 - __builtin_clzll(x) : ~0u;
}
static uint32_t byte_of(uint64_t bytes, uint32_t selector) {
    uint32_t byte = bytes >> (selector & 7) * 8 & 0xFF;
    return selector & 8 ? (byte & 0x80 ? 0xFF : 0) : byte;
}
static uint32_t permute(uint32_t x, uint32_t y, uint32_t s) {
    uint64_t bytes = (uint64_t)y << 32 | x;
    return byte_of(bytes, s & 15) | byte_of(bytes, s >> 4 & 15) << 8 |
           byte_of(bytes, s >> 8 & 15) << 16 | byte_of(bytes, s >> 12 & 15) << 24;
}
static int64_t signed24(uint32_t x) {
    return (int32_t)(x << 8) >> 8;
}
static uint32_t mask_from(uint32_t position, uint32_t length) {
    uint32_t mask = 0;
    for (uint64_t i = position; i < (uint64_t)position + length && i < 32; i++) mask |= 1u << i;
    return mask;
}

/* whole: the four elements of which x is one. */
static void expected(uint32_t x, uint32_t y, uint32_t z, const uint32_t *whole, uint32_t *o) {
    uint32_t p = z & 31, n = z >> 8 & 31, s = z & 63;
    uint64_t yx = (uint64_t)y << 32 | x, xy = (uint64_t)x << 32 | y;
    *o++ = field(x, p, n, false);
    *o++ = field(x, p, n, true);
    *o++ = insert(x, y, p, n);
    *o++ = find(x);
    *o++ = find((int32_t)x < 0 ? ~x : x);
    *o++ = x ? 31 - find(x) : ~0u;
    *o++ = find(xy);
    *o++ = (x & y) | (y & z) | (x & z);
    *o++ = x ^ y ^ z;
    *o++ = s >= 32 ? x : (uint32_t)(yx << s >> 32);
    *o++ = (uint32_t)(yx >> (s & 31));
    *o++ = permute(x, y, z);
    *o++ = (uint32_t)(yx >> (z & 3) * 8);
    *o++ = (x >> (z & 3) * 8 & 0xFF) * 0x01010101u;
    *o++ = (x & y & z) == 0;
    *o++ = (int32_t)z >= 0 ? x : y;
    *o++ = (uint32_t)(llabs((int64_t)(int32_t)x - (int32_t)y) + z);
    *o++ = (uint32_t)((uint64_t)(x & 0xFFFFFF) * (y & 0xFFFFFF) >> 16);
    *o++ = (uint32_t)(signed24(x) * signed24(y)) + z;
    *o++ = (uint32_t)((int64_t)(int32_t)x * (int32_t)y >> 32) + z;
    *o++ = mask_from(s, z >> 8 & 63);
    *o++ = (int32_t)x < (int32_t)y ? ~0u : 0;
    *o++ = x < y ? 1 : 2;
    *o++ = (int32_t)x > (int32_t)y && (z & 1) ? 7 : 9;
    *o++ = x >> 16 | x << 16;
    uint64_t wide = (uint64_t)((int64_t)(int32_t)x * (int32_t)y) + xy;
    *o++ = (uint32_t)(wide ^ wide >> 32);
    *o++ = (x & 0xFFFF) * (y & 0xFFFF);
    *o++ = (x & 0x80000000u) | (y & 0x7FFFFFFFu); // the sign of the first operand on the second
    *o++ = ((x | 0x7F000000) & 0x7F800000) != 0x7F800000;
    *o++ = 6;
    *o++ = whole[3] + z + whole[0];
}

int main() {
    std::vector<uint32_t> a(N), b(N), c(N);
    for (int i = 0; i < N; i++)
        a[i] = random32() >> random32() % 32, b[i] = random32() << random32() % 32,
        c[i] = random32();
    a[0] = b[0] = c[0] = 0;
    a[1] = b[1] = c[1] = ~0u;
    uint32_t *out = poisoned<uint32_t>(N * RESULTS);
    forms<<<N / 128, 128>>>(to_device(a), to_device(b), to_device(c), out);
    FINISH_KERNEL();
    std::vector<uint32_t> got = to_host(out, N * RESULTS);
    for (int i = 0; i < N; i++) {
        uint32_t want[RESULTS];
        expected(a[i], b[i], c[i], &a[i & ~3], want);
        for (int r = 0; r < RESULTS; r++)
            same("element * 31 + form", i * RESULTS + r, got[i * RESULTS + r], want[r]);
    }
    return finish();
}
