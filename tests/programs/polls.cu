// build plain
// build debug -G
// unchecked .cg loads are weak: a race, though a GPU's L2 has the newest value
// Ways to wait in a loop: .cg loads, looks in a called function, cuda::atomic_ref, whose calls stay
// calls in a -G build. Two blocks take turns, and a block answers the host. (A .cg load is weak:
// ptxas removed the loop in which answer() waited by one without a call.)
#include "check.h"

#include <cuda/atomic>
#include <unistd.h>

enum { ROUNDS = 10 };

static __device__ int load_cg(const int *at) {
    int value;
    asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

struct Cached {
    static __device__ int look(int *at) { return load_cg(at); }
    static __device__ void put(int *at, int value) { __stcg(at, value); }
};

struct Called {
    static __device__ __noinline__ int look(volatile int *at) { return *at; }
    static __device__ void put(volatile int *at, int value) { *at = value; }
};

struct CachedCalled {
    static __device__ __noinline__ int look(int *at) { return load_cg(at); }
    static __device__ void put(int *at, int value) { __stcg(at, value); }
};

struct Atomic {
    typedef cuda::atomic_ref<int, cuda::thread_scope_system> Ref;
    static __device__ int look(int *at) { return Ref(*at).load(cuda::memory_order_acquire); }
    static __device__ void put(int *at, int value) {
        Ref(*at).store(value, cuda::memory_order_release);
    }
};

// Block 1 begins.
template <class Way> __global__ void take_turns(int *turn) {
    for (int mine = 1 - blockIdx.x; mine < 2 * ROUNDS; mine += 2) {
        while (Way::look(turn) != mine)
            ;
        __threadfence();
        Way::put(turn, mine + 1);
    }
}

template <class Way> __global__ void answer(int *question, int *reply) {
    for (int i = 1; i <= ROUNDS; i++) {
        while (Way::look(question) != i)
            ;
        __threadfence_system();
        Way::put(reply, i * i);
    }
}

template <class Way> static void test_blocks(const char *what) {
    int *turn = to_device(std::vector<int>(1));
    take_turns<Way><<<2, 1>>>(turn);
    FINISH_KERNEL();
    same(what, 0, to_host(turn, 1)[0], 2 * ROUNDS);
}

template <class Way> static void test_host() {
    int *words;
    CHECK(cudaHostAlloc(&words, 2 * sizeof *words, cudaHostAllocMapped));
    words[0] = words[1] = 0;
    answer<Way><<<1, 1>>>(words, words + 1);
    CHECK(cudaGetLastError());
    for (int i = 1; i <= ROUNDS; i++) {
        *(volatile int *)words = i;
        while (*(volatile int *)(words + 1) != i * i) usleep(100);
    }
    FINISH_KERNEL();
    CHECK(cudaFreeHost(words));
}

int main() {
    test_blocks<Cached>(".cg loads");
    test_blocks<Called>("a called function");
    test_blocks<CachedCalled>(".cg loads in a called function");
    test_blocks<Atomic>("cuda::atomic_ref");
    test_host<Called>();
    test_host<CachedCalled>();
    test_host<Atomic>();
    return finish();
}
