// Votes and matches: ballot, any, all, activemask, match_any, match_all, lane masks, partial masks
// in divergent code, fns.
#include "check.h"

enum { THREADS = 64, RESULTS = 16 };

__global__ void vote(const int *in, unsigned *out) {
    int t = threadIdx.x, x = in[t], all_same;
    unsigned *r = out + t * RESULTS, mask;
    *r++ = __ballot_sync(~0u, x & 1);
    *r++ = (__any_sync(~0u, x == 3) != 0) + 2 * (__all_sync(~0u, x < 8) != 0) +
           4 * (__all_sync(~0u, x == 3) != 0);
    *r++ = __match_any_sync(~0u, x);
    *r++ = __match_any_sync(~0u, (long long)x << 40);
    *r++ = __match_any_sync(~0u, (double)x);
    *r++ = __match_all_sync(~0u, x, &all_same) + all_same;
    *r++ = __match_all_sync(~0u, t / 32, &all_same);
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    *r++ = mask;
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(mask));
    *r++ = mask;
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(mask));
    *r++ = mask;
    if (x & 2) { // only these lanes vote, under the mask that names them
        unsigned active = __activemask();
        *r++ = __ballot_sync(active, x & 1);
        *r++ = __popc(active);
    } else {
        *r++ = 7;
        __syncwarp(__activemask());
        *r++ = 8;
    }
    __syncwarp();
    *r++ = __fns(0x80F01234u, t % 32, 1);
    *r++ = __fns(0x80F01234u, 31 - t % 32, -2);
    unsigned uniform;
    asm volatile("{.reg .pred p, q; setp.eq.s32 p, %1, %1; vote.sync.uni.pred q, p, 0xffffffff; "
                 "selp.u32 %0, 1, 0, q;}"
                 : "=r"(uniform)
                 : "r"(x));
    *r++ = uniform;
    *r++ = __activemask() == ~0u;
}

static unsigned nth_set(unsigned mask, int base, int offset) {
    for (int i = base, left = abs(offset); i >= 0 && i<32; i += offset> 0 ? 1 : -1)
        if ((mask >> i & 1) && --left == 0) return i;
    return ~0u;
}

int main() {
    std::vector<int> in(THREADS);
    for (int &x : in) x = (int)(random32() % 8);
    unsigned *out = poisoned<unsigned>(THREADS * RESULTS);
    vote<<<1, THREADS>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(out, THREADS * RESULTS);
    for (int t = 0; t < THREADS; t++) {
        int first = t / 32 * 32, lane = t % 32;
        unsigned odd = 0, equal = 0, second_bit = 0, three = 0;
        for (int k = 0; k < 32; k++) {
            odd |= (unsigned)(in[first + k] & 1) << k;
            equal |= (unsigned)(in[first + k] == in[t]) << k;
            second_bit |= (unsigned)(in[first + k] >> 1 & 1) << k;
            three |= in[first + k] == 3;
        }
        bool chosen = in[t] & 2;
        unsigned below = (1u << lane) - 1;
        const unsigned want[RESULTS] = {odd,
                                        three + 2,
                                        equal,
                                        equal,
                                        equal,
                                        0,
                                        ~0u,
                                        below,
                                        ~below,
                                        1u << lane,
                                        chosen ? odd & second_bit : 7,
                                        chosen ? (unsigned)__builtin_popcount(second_bit) : 8,
                                        nth_set(0x80F01234u, lane, 1),
                                        nth_set(0x80F01234u, 31 - lane, -2),
                                        1,
                                        1};
        for (int r = 0; r < RESULTS; r++)
            same("thread * 16 + result", t * RESULTS + r, got[t * RESULTS + r], want[r]);
    }
    return finish();
}
