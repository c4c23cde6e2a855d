// Cooperative groups: blocks, tiles of every size, coalesced threads, partitions, collective
// reductions and scans.
#include "check.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;
enum { THREADS = 128 };

__global__ void ranks(int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    cg::thread_group by_run_time = cg::tiled_partition(block, 4);
    int *r = out + (block.group_index().x * block.size() + block.thread_rank()) * 8;
    r[0] = block.size() + 1000 * block.group_index().x;
    r[1] = warp.thread_rank() + 100 * warp.meta_group_rank() + 10000 * warp.meta_group_size();
    r[2] = eight.thread_rank() + 100 * eight.meta_group_rank() + 10000 * eight.size();
    r[3] = by_run_time.thread_rank() + 100 * by_run_time.size();
    r[4] = eight.shfl(r[2], 3);
    r[5] = eight.shfl_xor((int)block.thread_rank(), 5) + eight.any(eight.thread_rank() == 2) * 1000;
    r[6] = eight.ballot(block.thread_rank() % 3 == 0);
    r[7] = warp.match_any(block.thread_rank() / 10) != 0;
    block.sync();
}
template <int WIDTH> __device__ int tile_sum(int x) {
    auto tile = cg::tiled_partition<WIDTH>(cg::this_thread_block());
    for (int step = tile.size() / 2; step > 0; step /= 2) x += tile.shfl_down(x, step);
    return tile.shfl(x, 0);
}
__global__ void collectives(const int *in, int *out) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto sixteen = cg::tiled_partition<16>(block);
    int t = block.thread_rank(), x = in[t], *r = out + t * 10;
    r[0] = tile_sum<4>(x);
    r[1] = tile_sum<32>(x);
    r[2] = cg::reduce(sixteen, x, cg::plus<int>());
    r[3] = cg::reduce(warp, x, cg::greater<int>());
    r[4] = cg::inclusive_scan(sixteen, x, cg::plus<int>());
    r[5] = cg::exclusive_scan(warp, x);
    if (x % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        r[6] = group.size() * 100 + group.thread_rank();
        r[7] = cg::reduce(group, x, cg::less<int>());
    } else {
        r[6] = r[7] = -1;
    }
    auto parity = cg::binary_partition(warp, x & 1);
    r[8] = parity.size() * 100 + parity.thread_rank();
    auto label = cg::labeled_partition(warp, x & 3);
    r[9] = label.size() * 100 + label.thread_rank();
}
// Aggregated counting: one atomic for each coalesced group.
__global__ void filter(const int *in, int n, int *count, int *kept) {
    int i = cg::this_grid().thread_rank();
    if (i < n && in[i] > 40) {
        auto group = cg::coalesced_threads();
        int base = 0;
        if (group.thread_rank() == 0) base = atomicAdd(count, group.size());
        kept[group.shfl(base, 0) + group.thread_rank()] = in[i];
    }
}

int main() {
    std::vector<int> in(THREADS);
    long kept_sum = 0;
    int kept_count = 0;
    for (int &x : in) x = (int)(random32() % 100), kept_sum += x > 40 ? x : 0, kept_count += x > 40;
    int *device_in = to_device(in), *out = poisoned<int>(2 * THREADS * 10);
    ranks<<<2, THREADS>>>(out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 2 * THREADS * 8);
    for (int i = 0; i < 2 * THREADS; i++) {
        int block = i / THREADS, t = i % THREADS, ballot = 0;
        for (int k = 0; k < 8; k++) ballot |= ((t / 8 * 8 + k) % 3 == 0) << k;
        const int want[8] = {THREADS + 1000 * block,
                             t % 32 + 100 * (t / 32) + 40000,
                             t % 8 + 100 * (t % 32 / 8) + 80000,
                             t % 4 + 400,
                             3 + 100 * (t % 32 / 8) + 80000,
                             (t ^ 5) + 1000,
                             ballot,
                             1};
        for (int r = 0; r < 8; r++)
            same("ranks, thread * 8 + result", 8 * i + r, got[8 * i + r], want[r]);
    }
    collectives<<<1, THREADS>>>(device_in, out);
    FINISH_KERNEL();
    got = to_host(out, THREADS * 10);
    for (int t = 0; t < THREADS; t++) {
        int sums[33] = {0}, before16 = 0, before32 = 0, highest = -1, thirds = 0, thirds_before = 0,
            third_min = 1000, same_parity = 0, parity_before = 0, same_label = 0, label_before = 0,
            first = t / 32 * 32;
        for (int k = first; k < first + 32; k++) {
            for (int width = 4; width <= 32; width *= 2)
                sums[width] += k / width == t / width ? in[k] : 0;
            before16 += k / 16 == t / 16 && k <= t ? in[k] : 0;
            before32 += k < t ? in[k] : 0;
            highest = in[k] > highest ? in[k] : highest;
            if (in[k] % 3 == 0)
                thirds++, thirds_before += k < t, third_min = in[k] < third_min ? in[k] : third_min;
            same_parity += in[k] % 2 == in[t] % 2, parity_before += k < t && in[k] % 2 == in[t] % 2;
            same_label += in[k] % 4 == in[t] % 4, label_before += k < t && in[k] % 4 == in[t] % 4;
        }
        bool third = in[t] % 3 == 0;
        const int want[10] = {sums[4],
                              sums[32],
                              sums[16],
                              highest,
                              before16,
                              before32,
                              third ? thirds * 100 + thirds_before : -1,
                              third ? third_min : -1,
                              same_parity * 100 + parity_before,
                              same_label * 100 + label_before};
        for (int r = 0; r < 10; r++)
            same("collectives, thread * 10 + result", 10 * t + r, got[10 * t + r], want[r]);
    }
    int *count = poisoned<int>(1), *kept = poisoned<int>(THREADS);
    CHECK(cudaMemset(count, 0, sizeof(int)));
    filter<<<3, 50>>>(device_in, THREADS, count, kept);
    FINISH_KERNEL();
    same("kept", 0, to_host(count, 1)[0], kept_count);
    for (int x : to_host(kept, kept_count)) kept_sum -= x;
    same("sum of the kept", 0, kept_sum, 0);
    return finish();
}
