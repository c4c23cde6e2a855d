// The reductions of compute capability 8.0: __reduce_{add,min,max,and,or,xor}_sync, whole warps and
// parts.
//
// build sm80 arch=80 gpu=a100
#include "check.h"

enum { LANES = 32, RESULTS = 8 };

__global__ void reduce(const int *in, int *out) {
    int lane = threadIdx.x, x = in[lane], *r = out + lane * RESULTS;
    r[0] = __reduce_add_sync(~0u, x);
    r[1] = __reduce_min_sync(~0u, x);
    r[2] = __reduce_max_sync(~0u, x);
    r[3] = (int)__reduce_max_sync(~0u, (unsigned)x);
    r[4] = (int)__reduce_and_sync(~0u, (unsigned)x);
    r[5] = (int)__reduce_or_sync(~0u, (unsigned)x);
    r[6] = (int)__reduce_xor_sync(~0u, (unsigned)x);
    if (lane % 3 == 0)
        r[7] = __reduce_add_sync(0x49249249, x);
    else
        r[7] = __reduce_min_sync(~0x49249249u, x);
}

int main() {
    std::vector<int> in(LANES);
    for (int &x : in) x = (int)random32() | 0x100;
    int *out = poisoned<int>(LANES * RESULTS);
    reduce<<<1, LANES>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, LANES * RESULTS);
    unsigned want[RESULTS] = {0, 0x7FFFFFFF, 0x80000000u, 0, ~0u, 0, 0, 0}, third_sum = 0;
    int rest_min = 0x7FFFFFFF;
    for (int lane = 0; lane < LANES; lane++) {
        int x = in[lane];
        want[0] += x, want[4] &= x, want[5] |= x, want[6] ^= x;
        want[1] = x < (int)want[1] ? x : want[1];
        want[2] = x > (int)want[2] ? x : want[2];
        want[3] = (unsigned)x > want[3] ? x : want[3];
        if (lane % 3 == 0)
            third_sum += x;
        else
            rest_min = x < rest_min ? x : rest_min;
    }
    for (int i = 0; i < LANES * RESULTS; i++) {
        want[7] = i / RESULTS % 3 ? (unsigned)rest_min : third_sum;
        same("lane * 8 + operation", i, got[i], (int)want[i % RESULTS]);
    }
    return finish();
}
