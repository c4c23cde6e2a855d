// Warp shuffles: all four modes, every width, every type, out-of-range sources, predicates, and
// sums built from them.
#include "check.h"

enum { LANES = 32, MODES = 4 };

template <class T> __device__ void all_modes(T value, int lane, int width, int amount, T *out) {
    out[0 * LANES + lane] = __shfl_sync(~0u, value, amount, width);
    out[1 * LANES + lane] = __shfl_up_sync(~0u, value, amount, width);
    out[2 * LANES + lane] = __shfl_down_sync(~0u, value, amount, width);
    out[3 * LANES + lane] = __shfl_xor_sync(~0u, value, amount, width);
}
template <class T> __global__ void shuffle(const T *in, int width, int amount, T *out) {
    all_modes(in[threadIdx.x], threadIdx.x, width, amount, out);
}
// Each lane names its own source, and lanes of a half warp shuffle among themselves.
__global__ void gather(const int *in, int *out) {
    int lane = threadIdx.x;
    out[lane] = __shfl_sync(~0u, in[lane], in[lane] & 63); // taken modulo the width
    int half_sum = in[lane];
    if (lane < 16)
        for (int step = 8; step; step /= 2)
            half_sum += __shfl_down_sync(0x0000FFFF, half_sum, step, 16);
    else
        half_sum = __shfl_sync(0xFFFF0000, half_sum, 20);
    out[LANES + lane] = half_sum;
    int sum = in[lane];
    for (int step = 1; step < 32; step *= 2) {
        int left = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += left;
    }
    out[2 * LANES + lane] = sum;
    int found, inside;
    asm volatile(
        "{.reg .pred p; shfl.sync.down.b32 %0|p, %2, 9, 31, 0xffffffff; selp.s32 %1, 1, 0, p;}"
        : "=r"(found), "=r"(inside)
        : "r"(in[lane]));
    out[3 * LANES + lane] = found * 2 + inside;
}

static int source(int mode, int lane, int width, int amount) {
    int first = lane / width * width, at = lane % width;
    switch (mode) {
    case 0: return first + (amount & (width - 1));
    case 1: return at >= amount ? lane - amount : lane;
    case 2: return at + amount < width ? lane + amount : lane;
    default:
        return (lane ^ amount) < first + width ? lane ^ amount
                                               : lane; // a lower segment may be read, a higher not
    }
}

template <class T> static void test(const char *type) {
    std::vector<T> in(LANES);
    for (T &x : in) x = (T)(random64() >> 1) / 3;
    T *device_in = to_device(in), *out = poisoned<T>(MODES * LANES);
    for (int width = 2; width <= 32; width *= 2)
        for (int amount : {0, 1, 3, 16, 31}) {
            shuffle<<<1, LANES>>>(device_in, width, amount, out);
            FINISH_KERNEL();
            std::vector<T> got = to_host(out, MODES * LANES);
            for (int i = 0; i < MODES * LANES; i++)
                same(type, width * 10000 + amount * 200 + i, got[i],
                     in[source(i / LANES, i % LANES, width, amount)]);
        }
    release(out);
}

int main() {
    test<int>("int, width * 10000 + amount * 200 + mode * 32 + lane");
    test<unsigned>("unsigned");
    test<float>("float");
    test<double>("double");
    test<long long>("long long");
    test<unsigned long>("unsigned long");
    std::vector<int> in(LANES);
    for (int &x : in) x = (int)(random32() % 1000);
    int *out = poisoned<int>(4 * LANES);
    gather<<<1, LANES>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 4 * LANES);
    int low_half = 0;
    for (int lane = 0; lane < 16; lane++) low_half += in[lane];
    same("half sum", 0, got[LANES], low_half);
    for (int lane = 0, sum = 0; lane < LANES; lane++) {
        same("gather", lane, got[lane], in[in[lane] & 31]);
        if (lane >= 16) same("upper half", lane, got[LANES + lane], in[20]);
        same("prefix sum", lane, got[2 * LANES + lane], sum += in[lane]);
        same("predicate", lane, got[3 * LANES + lane],
             in[lane + 9 < 32 ? lane + 9 : lane] * 2 + (lane + 9 < 32));
    }
    return finish();
}
