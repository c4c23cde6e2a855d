// Barriers in shared memory (cuda::barrier, mbarrier): phases, states, parities, arrivals that drop
// out, and copies that a barrier waits for.
//
// build sm80 arch=80
// build sm90 arch=90 gpu=h200
#include <cooperative_groups.h>
#include <cuda/barrier>

#include "check.h"

enum { THREADS = 96, ROUNDS = 5 };
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Each round a thread reads what its neighbour wrote in this round: two phases of the barrier a
// round.
__global__ void rounds(int *out) {
    __shared__ Barrier barrier;
    __shared__ int value[THREADS];
    int t = threadIdx.x, sum = 0;
    if (t == 0) init(&barrier, THREADS);
    __syncthreads();
    for (int i = 0; i < ROUNDS; i++) {
        value[t] = t * (i + 1);
        Barrier::arrival_token token = barrier.arrive();
        barrier.wait(std::move(token));
        sum += value[(t + 33) % THREADS];
        barrier.arrive_and_wait();
    }
    out[t] = sum;
}

// Warp 0 makes what warp 1 takes. Warp 2 drops out of the barrier after the first phase.
__global__ void producer(int *out) {
    __shared__ Barrier full, all;
    __shared__ int value[32];
    int t = threadIdx.x, lane = t % 32;
    if (t == 0) {
        init(&full, 32);
        init(&all, THREADS);
    }
    __syncthreads();
    if (t < 32) {
        value[lane] = 7 * lane;
        (void)full.arrive();
    } else if (t < 64) {
        full.wait_parity(false);
        out[lane] = value[31 - lane];
    } else {
        all.arrive_and_drop();
        return;
    }
    all.arrive_and_wait();
    if (t < 32) value[lane] = lane;
    all.arrive_and_wait(); // 64 threads are enough now
    if (t >= 32) out[32 + lane] = value[31 - lane];
}

// Copies of 4 bytes to shared memory that the barrier waits for.
__global__ void copies(const int *in, int *out) {
    __shared__ Barrier barrier;
    __shared__ int tile[THREADS];
    int t = threadIdx.x;
    if (t == 0) init(&barrier, THREADS);
    __syncthreads();
    cuda::memcpy_async(&tile[t], in + t, sizeof(int), barrier);
    barrier.arrive_and_wait();
    out[t] = tile[(t + 1) % THREADS];
}

// One copy of the whole tile. From 9.0 on it is a bulk copy, which tells the barrier how many bytes
// came.
__global__ void bulk_copy(const int *in, int *out) {
    __shared__ Barrier barrier;
    __shared__ __align__(16) int tile[4 * THREADS];
    auto block = cooperative_groups::this_thread_block();
    int t = threadIdx.x;
    if (t == 0) init(&barrier, THREADS);
    __syncthreads();
    cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof tile), barrier);
    barrier.arrive_and_wait();
    for (int i = 0; i < 4; i++) out[4 * t + i] = tile[4 * THREADS - 1 - 4 * t - i];
}

// The instructions themselves: bytes awaited keep a phase from being over, whatever arrived.
__global__ void instructions(int *out) {
    __shared__ unsigned long long word;
    unsigned at = (unsigned)__cvta_generic_to_shared(&word), over;
    unsigned long long state;
    asm volatile("mbarrier.init.shared.b64 [%0], 3;" ::"r"(at) : "memory");
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 64;"
                 : "=l"(state)
                 : "r"(at)
                 : "memory");
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], 2;" ::"r"(at) : "memory");
#define TEST(i)                                                                                    \
    asm volatile(                                                                                  \
        "{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"         \
        : "=r"(over)                                                                               \
        : "r"(at), "l"(state)                                                                      \
        : "memory");                                                                               \
    out[i] = (int)over
    TEST(0);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 40;" ::"r"(at) : "memory");
    TEST(1);
    asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 24;" ::"r"(at) : "memory");
#else
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
#define TEST(i)                                                                                    \
    asm volatile(                                                                                  \
        "{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"         \
        : "=r"(over)                                                                               \
        : "r"(at), "l"(state)                                                                      \
        : "memory");                                                                               \
    out[i] = (int)over
    TEST(0);
    TEST(1);
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
#endif
    TEST(2);
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
}

int main() {
    int *out = poisoned<int>(THREADS);
    rounds<<<3, THREADS>>>(out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, THREADS);
    for (int t = 0; t < THREADS; t++)
        same("rounds", t, got[t], (t + 33) % THREADS * ROUNDS * (ROUNDS + 1) / 2);

    producer<<<3, THREADS>>>(out);
    FINISH_KERNEL();
    got = to_host(out, THREADS);
    for (int t = 0; t < 32; t++) same("first phase", t, got[t], 7 * (31 - t));
    for (int t = 0; t < 32; t++) same("second phase", t, got[32 + t], 31 - t);

    std::vector<int> in(THREADS);
    for (int &x : in) x = (int)random32();
    copies<<<1, THREADS>>>(to_device(in), out);
    FINISH_KERNEL();
    got = to_host(out, THREADS);
    for (int t = 0; t < THREADS; t++) same("copies", t, got[t], in[(t + 1) % THREADS]);

    std::vector<int> tile(4 * THREADS);
    for (int &x : tile) x = (int)random32();
    int *reversed = poisoned<int>(4 * THREADS);
    bulk_copy<<<2, THREADS>>>(to_device(tile), reversed);
    FINISH_KERNEL();
    got = to_host(reversed, 4 * THREADS);
    for (int t = 0; t < 4 * THREADS; t++) same("bulk copy", t, got[t], tile[4 * THREADS - 1 - t]);

    instructions<<<1, 1>>>(out);
    FINISH_KERNEL();
    got = to_host(out, 3);
    for (int t = 0; t < 3; t++) same("over", t, got[t], t == 2);
    return finish();
}
