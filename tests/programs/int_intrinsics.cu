// Integer intrinsics: high products, 24-bit products, absolute differences, bit counting and
// moving, dot products.
#include "check.h"

enum { N = 1 << 12, RESULTS = 28 };

__global__ void intrinsics(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint64_t *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t x = a[i], y = b[i], z = c[i];
    uint64_t xy = (uint64_t)x << 32 | y, zx = (uint64_t)z << 32 | x;
    uint64_t *r = out + (size_t)i * RESULTS;
    *r++ = (uint32_t)__mulhi((int)x, (int)y);
    *r++ = __umulhi(x, y);
    *r++ = (uint64_t)__mul64hi((long long)xy, (long long)zx);
    *r++ = __umul64hi(xy, zx);
    *r++ = (uint32_t)__mul24((int)x, (int)y);
    *r++ = __umul24(x, y);
    *r++ = __sad((int)x, (int)y, z);
    *r++ = __usad(x, y, z);
    *r++ = (uint32_t)__hadd((int)x, (int)y);
    *r++ = (uint32_t)__rhadd((int)x, (int)y);
    *r++ = __uhadd(x, y);
    *r++ = __urhadd(x, y);
    *r++ = __brev(x);
    *r++ = __brevll(xy);
    *r++ = (uint32_t)__clz((int)x);
    *r++ = (uint32_t)__clzll((long long)xy);
    *r++ = (uint32_t)__ffs((int)x);
    *r++ = (uint32_t)__ffsll((long long)xy);
    *r++ = (uint32_t)__popc(x);
    *r++ = (uint32_t)__popcll(xy);
    *r++ = __byte_perm(x, y, z & 0x7777);
    *r++ = __funnelshift_l(x, y, z);
    *r++ = __funnelshift_r(x, y, z);
    *r++ = __funnelshift_lc(x, y, z & 63);
    *r++ = __funnelshift_rc(x, y, z & 63);
    *r++ = (uint32_t)__dp4a((int)x, (int)y, (int)z);
    *r++ = __dp4a(x, y, z);
    *r++ = (uint32_t)__dp2a_lo((int)x, (int)y, (int)z) ^ __dp2a_hi(x, y, z);
}

static int32_t low24(uint32_t x) {
    return (int32_t)(x << 8) >> 8;
}
static uint32_t reversed(uint32_t x) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) r |= (x >> i & 1) << (31 - i);
    return r;
}
static uint32_t permuted(uint32_t x, uint32_t y, uint32_t selector) {
    uint64_t bytes = (uint64_t)y << 32 | x;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++)
        r |= (uint32_t)(bytes >> (selector >> 4 * i & 7) * 8 & 0xFF) << 8 * i;
    return r;
}
static uint32_t funnel_left(uint32_t lo, uint32_t hi, unsigned shift) {
    return (uint32_t)(((uint64_t)hi << 32 | lo) << shift >> 32);
}
static uint32_t funnel_right(uint32_t lo, uint32_t hi, unsigned shift) {
    return (uint32_t)(((uint64_t)hi << 32 | lo) >> shift);
}
static int32_t dot4(uint32_t x, uint32_t y, uint32_t z, bool is_signed) {
    uint32_t sum = z;
    for (int i = 0; i < 32; i += 8)
        sum += is_signed ? (uint32_t)((int8_t)(x >> i) * (int8_t)(y >> i))
                         : (uint32_t)((uint8_t)(x >> i) * (uint8_t)(y >> i));
    return (int32_t)sum;
}
static uint32_t dot2(uint32_t x, uint32_t y, uint32_t z, bool is_signed, int first_byte) {
    uint32_t sum = z;
    for (int i = 0; i < 2; i++) {
        uint32_t byte = y >> (first_byte + i) * 8;
        sum += is_signed ? (uint32_t)((int16_t)(x >> 16 * i) * (int8_t)byte)
                         : (uint32_t)((uint16_t)(x >> 16 * i) * (uint8_t)byte);
    }
    return sum;
}
static unsigned clamp32(uint32_t shift) {
    return shift < 32 ? shift : 32;
}

static void expected(uint32_t x, uint32_t y, uint32_t z, uint64_t *r) {
    uint64_t xy = (uint64_t)x << 32 | y, zx = (uint64_t)z << 32 | x;
    *r++ = (uint32_t)((int64_t)(int32_t)x * (int32_t)y >> 32);
    *r++ = (uint64_t)x * y >> 32;
    *r++ = (uint64_t)((__int128)(int64_t)xy * (int64_t)zx >> 64);
    *r++ = (uint64_t)((unsigned __int128)xy * zx >> 64);
    *r++ = (uint32_t)((int64_t)low24(x) * low24(y));
    *r++ = (uint32_t)((uint64_t)(x & 0xFFFFFF) * (y & 0xFFFFFF));
    *r++ = (uint32_t)(llabs((int64_t)(int32_t)x - (int32_t)y) + z);
    *r++ = (uint32_t)(llabs((int64_t)x - y) + z);
    *r++ = (uint32_t)(((int64_t)(int32_t)x + (int32_t)y) >> 1);
    *r++ = (uint32_t)(((int64_t)(int32_t)x + (int32_t)y + 1) >> 1);
    *r++ = ((uint64_t)x + y) >> 1;
    *r++ = ((uint64_t)x + y + 1) >> 1;
    *r++ = reversed(x);
    *r++ = (uint64_t)reversed(y) << 32 | reversed(x);
    *r++ = x ? __builtin_clz(x) : 32;
    *r++ = xy ? __builtin_clzll(xy) : 64;
    *r++ = __builtin_ffs((int)x);
    *r++ = __builtin_ffsll((long long)xy);
    *r++ = __builtin_popcount(x);
    *r++ = __builtin_popcountll(xy);
    *r++ = permuted(x, y, z & 0x7777);
    *r++ = funnel_left(x, y, z & 31);
    *r++ = funnel_right(x, y, z & 31);
    *r++ = funnel_left(x, y, clamp32(z & 63));
    *r++ = funnel_right(x, y, clamp32(z & 63));
    *r++ = (uint32_t)dot4(x, y, z, true);
    *r++ = (uint32_t)dot4(x, y, z, false);
    *r++ = dot2(x, y, z, true, 0) ^ dot2(x, y, z, false, 2);
}

int main() {
    std::vector<uint32_t> a(N), b(N), c(N);
    for (int i = 0; i < N; i++) {
        a[i] = random32() >> random32() % 32;
        b[i] = random32() << random32() % 32;
        c[i] = random32();
    }
    a[0] = b[0] = 0;
    a[1] = b[1] = ~0u;
    a[2] = b[2] = 0x80000000u;
    uint64_t *out = poisoned<uint64_t>(N * RESULTS);
    intrinsics<<<N / 256, 256>>>(to_device(a), to_device(b), to_device(c), out);
    FINISH_KERNEL();
    std::vector<uint64_t> got = to_host(out, N * RESULTS);
    for (int i = 0; i < N; i++) {
        uint64_t want[RESULTS];
        expected(a[i], b[i], c[i], want);
        for (int r = 0; r < RESULTS; r++)
            same("element * 28 + result", i * RESULTS + r, got[i * RESULTS + r], want[r]);
    }
    return finish();
}
