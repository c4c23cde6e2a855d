// build sm75
// build sm90 arch=90 gpu=h200
// SIMD-in-a-word intrinsics on bytes and half words: wrapping, saturating, comparing, averaging,
// absolute differences.
#include "check.h"

#include <algorithm>

enum { N = 2048, RESULTS = 22 };

__global__ void video(const uint32_t *a, const uint32_t *b, uint32_t *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t x = a[i], y = b[i], *r = out + i * RESULTS;
    *r++ = __vadd4(x, y);
    *r++ = __vsub4(x, y);
    *r++ = __vabsdiffu4(x, y);
    *r++ = __vabsdiffs4(x, y);
    *r++ = __vmaxu4(x, y);
    *r++ = __vmins4(x, y);
    *r++ = __vaddus4(x, y);
    *r++ = __vsubss4(x, y);
    *r++ = __vavgu4(x, y);
    *r++ = __vcmpgts4(x, y);
    *r++ = __vseteq4(x, y & 0x00FF00FF);
    *r++ = __vsadu4(x, y);
    *r++ = __vadd2(x, y);
    *r++ = __vmaxs2(x, y);
    *r++ = __vaddss2(x, y);
    *r++ = __vneg4(x) ^ __vabs2(y);
    *r++ = __vsadu2(x, y);
    *r++ = __vsads2(x, y);
    *r++ = __vimin_s16x2_relu(x, y); /* instructions since compute capability 9.0 */
    *r++ = __vimax_s16x2_relu(x, y);
    *r++ = (uint32_t)__vimin_s32_relu((int)x, (int)y);
    *r++ = (uint32_t)__vimax_s32_relu((int)x, (int)y);
}

template <class T> static long clamp(long value) {
    const long low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return value < low ? low : value > high ? high : value;
}

// Apply f to each lane of type T, put the results side by side.
template <class T, class F> static uint32_t lanes(uint32_t x, uint32_t y, F f) {
    uint32_t result = 0;
    const int bits = sizeof(T) * 8;
    for (int shift = 0; shift < 32; shift += bits)
        result |= ((uint32_t)f((long)(T)(x >> shift), (long)(T)(y >> shift)) &
                   (uint32_t)((1ull << bits) - 1))
                  << shift;
    return result;
}

static void expected(uint32_t x, uint32_t y, uint32_t *r) {
    uint32_t sad = 0;
    for (int shift = 0; shift < 32; shift += 8)
        sad += (uint32_t)abs((int)(x >> shift & 255) - (int)(y >> shift & 255));
    *r++ = lanes<uint8_t>(x, y, [](long p, long q) { return p + q; });
    *r++ = lanes<uint8_t>(x, y, [](long p, long q) { return p - q; });
    *r++ = lanes<uint8_t>(x, y, [](long p, long q) { return labs(p - q); });
    *r++ = lanes<int8_t>(x, y, [](long p, long q) { return labs(p - q); });
    *r++ = lanes<uint8_t>(x, y, [](long p, long q) { return p > q ? p : q; });
    *r++ = lanes<int8_t>(x, y, [](long p, long q) { return p < q ? p : q; });
    *r++ = lanes<uint8_t>(x, y, [](long p, long q) { return clamp<uint8_t>(p + q); });
    *r++ = lanes<int8_t>(x, y, [](long p, long q) { return clamp<int8_t>(p - q); });
    *r++ = lanes<uint8_t>(x, y, [](long p, long q) { return (p + q + 1) >> 1; });
    *r++ = lanes<int8_t>(x, y, [](long p, long q) { return p > q ? 255 : 0; });
    *r++ = lanes<uint8_t>(x, y & 0x00FF00FF, [](long p, long q) { return p == q; });
    *r++ = sad;
    *r++ = lanes<uint16_t>(x, y, [](long p, long q) { return p + q; });
    *r++ = lanes<int16_t>(x, y, [](long p, long q) { return p > q ? p : q; });
    *r++ = lanes<int16_t>(x, y, [](long p, long q) { return clamp<int16_t>(p + q); });
    *r++ = lanes<int8_t>(x, y, [](long p, long) { return -p; }) ^
           lanes<int16_t>(x, y, [](long, long q) { return labs(q); });
    *r++ = (uint32_t)(abs((int)(x & 0xFFFF) - (int)(y & 0xFFFF)) +
                      abs((int)(x >> 16) - (int)(y >> 16)));
    *r++ = (uint32_t)(abs((int16_t)x - (int16_t)y) + abs((int16_t)(x >> 16) - (int16_t)(y >> 16)));
    *r++ = lanes<int16_t>(x, y, [](long p, long q) { return std::max(std::min(p, q), 0L); });
    *r++ = lanes<int16_t>(x, y, [](long p, long q) { return std::max(std::max(p, q), 0L); });
    *r++ = lanes<int32_t>(x, y, [](long p, long q) { return std::max(std::min(p, q), 0L); });
    *r++ = lanes<int32_t>(x, y, [](long p, long q) { return std::max(std::max(p, q), 0L); });
}

int main() {
    std::vector<uint32_t> a(N), b(N);
    for (int i = 0; i < N; i++) {
        a[i] = random32();
        b[i] = i % 4 ? random32() : a[i] ^ (random32() & 0x00FF8001);
    }
    uint32_t *out = poisoned<uint32_t>(N * RESULTS);
    video<<<N / 128, 128>>>(to_device(a), to_device(b), out);
    FINISH_KERNEL();
    std::vector<uint32_t> got = to_host(out, N * RESULTS);
    for (int i = 0; i < N; i++) {
        uint32_t want[RESULTS];
        expected(a[i], b[i], want);
        for (int r = 0; r < RESULTS; r++)
            same("element * 22 + result", i * RESULTS + r, got[i * RESULTS + r], want[r]);
    }
    return finish();
}
