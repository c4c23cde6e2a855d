// Cooperative groups of a block, of tiles, and of the threads that came together: what each lane
// gets, against what the CPU works out.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
enum { THREADS = 128 };
__global__ void ranks(int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(warp);
    int *r = out + block.thread_rank() * 6;
    r[0] = (int)(block.size() + 1000 * warp.meta_group_rank() + 10000 * warp.meta_group_size());
    r[1] = (int)(eight.thread_rank() + 100 * eight.meta_group_rank() +
                 10000 * eight.meta_group_size());
    r[2] = eight.shfl(r[1], 3) + warp.shfl_down((int)block.thread_rank(), 1);
    r[3] = eight.shfl_xor((int)block.thread_rank(), 5) + eight.any(eight.thread_rank() == 2) * 1000;
    r[4] = (int)eight.ballot(block.thread_rank() % 3 == 0);
    r[5] = -1;
    if (block.thread_rank() % 3 == 0) {
        cg::coalesced_group third = cg::coalesced_threads();
        r[5] = (int)(third.size() * 10000 + third.thread_rank() * 100) +
               third.shfl((int)block.thread_rank() % 32, 1);
    }
    cg::sync(block);
}
int main() {
    int *out, got[THREADS * 6], wrong = 0;
    cudaMalloc(&out, sizeof got);
    ranks<<<1, THREADS>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault);
    for (int t = 0; t < THREADS; t++) {
        int ballot = 0, size = 0, rank = 0, second = -1, w = t / 32 * 32;
        for (int k = 0; k < 8; k++) ballot |= ((t / 8 * 8 + k) % 3 == 0) << k;
        for (int k = w; k < w + 32; k++)
            if (k % 3 == 0) {
                if (size == 1) second = k % 32;
                size++;
                rank += k < t;
            }
        const int want[6] = {THREADS + 1000 * (t / 32) + 40000,
                             t % 8 + 100 * (t % 32 / 8) + 40000,
                             3 + 100 * (t % 32 / 8) + 40000 + (t % 32 < 31 ? t + 1 : t),
                             (t ^ 5) + 1000,
                             ballot,
                             t % 3 == 0 ? size * 10000 + rank * 100 + second : -1};
        for (int r = 0; r < 6; r++)
            if (got[t * 6 + r] != want[r]) {
                wrong++;
                if (wrong < 9)
                    printf("thread %d result %d: %d, want %d\n", t, r, got[t * 6 + r], want[r]);
            }
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
