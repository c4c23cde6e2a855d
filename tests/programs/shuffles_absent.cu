// Shuffles whose source lane does not take part: it has exited, is elsewhere, or is no thread of
// the block, named by the mask or not. An H200 gives 0 then, and the predicate holds; only a source
// outside of the segment gives a lane its own value.
//
// unchecked it takes values from lanes that give none
#include "check.h"

enum { LANES = 32, MODES = 4, WORDS = 2 * MODES * LANES };
enum others { SKIP, EXIT, SHUFFLE };

#define SHUFFLE_AS(mode)                                                                           \
    asm volatile("{.reg .pred p; shfl.sync." mode                                                  \
                 ".b32 %0|p, %2, %3, %4, %5; selp.s32 %1, 1, 0, p;}"                               \
                 : "=r"(value), "=r"(inside)                                                       \
                 : "r"(own), "r"(amount), "r"(limits), "r"(mask))

__device__ void shuffle(int mode, int own, int amount, int limits, unsigned mask, int *out) {
    int value = -1, inside = -1, lane = threadIdx.x;
    switch (mode) {
    case 0: SHUFFLE_AS("idx"); break;
    case 1: SHUFFLE_AS("up"); break;
    case 2: SHUFFLE_AS("down"); break;
    default: SHUFFLE_AS("bfly"); break;
    }
    out[(2 * mode) * LANES + lane] = value;
    out[(2 * mode + 1) * LANES + lane] = inside;
}

// The lanes of `taking` shuffle with this mask; the others do something else.
__global__ void probe(unsigned taking, unsigned mask, int others, int width, int amount, int *out) {
    bool takes = taking >> threadIdx.x & 1;
    int own;
    asm volatile("add.s32 %0, %1, 100;"
                 : "=r"(own)
                 : "r"(threadIdx.x)); // in all lanes, before the branch
    if (others == EXIT && !takes) return;
    if (takes)
        for (int mode = 0; mode < MODES; mode++)
            shuffle(mode, own, amount, (LANES - width) << 8 | (mode == 1 ? 0 : 31), mask, out);
    else if (others == SHUFFLE)
        out[WORDS + threadIdx.x] = __shfl_sync(~taking, own + 1000, threadIdx.x);
}

// A constant mask of one lane: the compiler for the GPU makes no shuffle of it.
__global__ void alone(int *out) {
    int sum = 5;
    if (threadIdx.x == 0)
        for (int amount = 16; amount > 0; amount /= 2)
            *out++ = sum += __shfl_down_sync(1, sum, amount);
}

static int source(int mode, int lane, int width, int amount, bool *inside) {
    int first = lane / width * width;
    int from = mode == 0   ? first + (amount & (width - 1))
               : mode == 1 ? lane - amount
               : mode == 2 ? lane + amount
                           : lane ^ amount;
    *inside = mode == 1 ? from >= first : from < first + width;
    return *inside ? from : lane;
}

static void judge(const char *what, unsigned taking, int width, int amount,
                  const std::vector<int> &got) {
    for (int mode = 0; mode < MODES; mode++)
        for (int lane = 0; lane < LANES; lane++) {
            if (!(taking >> lane & 1)) continue;
            bool inside;
            int from = source(mode, lane, width, amount, &inside);
            same(what, mode * 100000 + width * 1000 + amount * 100 + lane,
                 got[2 * mode * LANES + lane], taking >> from & 1 ? 100 + from : 0);
            same("predicate", mode * 100 + lane, got[(2 * mode + 1) * LANES + lane], inside);
        }
}

static void test(const char *what, int threads, unsigned taking, unsigned mask, int others) {
    int *out = poisoned<int>(WORDS + LANES);
    for (int width : {8, 32})
        for (int amount : {0, 1, 5, 8, 16, 31}) {
            probe<<<1, threads>>>(taking, mask, others, width, amount, out);
            FINISH_KERNEL();
            judge(what, taking, width, amount, to_host(out, WORDS));
        }
    release(out);
}

int main() {
    for (unsigned taking : {0x1u, 0x7u, 0xFFu, 0x5555u}) {
        test("exited, named", LANES, taking, ~0u, EXIT);
        test("exited", LANES, taking, taking, EXIT);
        test("elsewhere", LANES, taking, taking, SKIP);
        test("shuffling elsewhere", LANES, taking, taking, SHUFFLE);
    }
    test("no such thread, named", 4, 0xF, ~0u, SKIP);
    test("no such thread", 20, 0xFFFFF, 0xFFFFF, SKIP);
    test("no such thread, and exited", 20, 0x7, ~0u, EXIT);
    int *out = poisoned<int>(5);
    alone<<<1, 4>>>(out);
    FINISH_KERNEL();
    for (int i = 0; i < 5; i++) same("alone", i, to_host(out, 5)[i], 10 << i);
    return finish();
}
