// Clusters of one block, which every launch without a cluster's shape has: their barrier, their
// shared memory by rank, and fences between ways to memory.
// build sm90 arch=90 gpu=h200
#include "check.h"

enum { BLOCKS = 5, BLOCK = 200, ROUNDS = 3 };

__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

__global__ void turn(int *out) {
    __shared__ int values[BLOCK];
    int i = threadIdx.x, value = blockIdx.x * 1000 + i;
    for (int round = 0; round < ROUNDS; round++) {
        values[i] = value;
        meet();
        unsigned long long mine = (unsigned long long)&values[(i + 1) % BLOCK], there;
        asm("{.reg .b32 rank; mov.b32 rank, %%cluster_ctarank; mapa.u64 %0, %1, rank;}"
            : "=l"(there)
            : "l"(mine));
        value = *(volatile int *)there;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (round % 2)
            __syncthreads();
        else
            meet();
    }
    out[blockIdx.x * BLOCK + i] = value;
}

int main() {
    int *out = poisoned<int>(BLOCKS * BLOCK);
    turn<<<BLOCKS, BLOCK>>>(out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, BLOCKS * BLOCK);
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        same("turned", i, got[i], i / BLOCK * 1000 + (i % BLOCK + ROUNDS) % BLOCK);
    return finish();
}
