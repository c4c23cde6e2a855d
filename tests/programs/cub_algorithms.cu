// CUB: block-wide and warp-wide collectives. Its functions for a device: thrust_algorithms, and
// beside labs 6, 14 and 15.
#include "check.h"

#include <algorithm>

#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>

enum { THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS, BLOCKS = 3 };

__global__ void block_collectives(const int *in, int *scanned, int *sorted, int *sums) {
    using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
    using Scan = cub::BlockScan<int, THREADS>;
    using Sort = cub::BlockRadixSort<int, THREADS, ITEMS>;
    using Reduce = cub::BlockReduce<int, THREADS>;
    using WarpReduce = cub::WarpReduce<int>;
    __shared__ union {
        Load::TempStorage load;
        Store::TempStorage store;
        Scan::TempStorage scan;
        Sort::TempStorage sort;
        Reduce::TempStorage reduce;
        WarpReduce::TempStorage warp[THREADS / 32];
    } s;
    int items[ITEMS], prefix[ITEMS], first = blockIdx.x * TILE;
    Load(s.load).Load(in + first, items);
    __syncthreads();
    Scan(s.scan).ExclusiveSum(items, prefix);
    __syncthreads();
    Store(s.store).Store(scanned + first, prefix);
    __syncthreads();
    int sum = Reduce(s.reduce).Sum(items);
    __syncthreads();
    int warp_sum = WarpReduce(s.warp[threadIdx.x / 32]).Sum(items[0]);
    __syncthreads();
    Sort(s.sort).Sort(items);
    __syncthreads();
    Store(s.store).Store(sorted + first, items);
    if (threadIdx.x == 0) sums[2 * blockIdx.x] = sum, sums[2 * blockIdx.x + 1] = warp_sum;
}

int main() {
    std::vector<int> in(BLOCKS * TILE);
    for (int &x : in) x = (int)(random32() % 2001) - 1000;
    int *scanned = poisoned<int>(BLOCKS * TILE), *sorted = poisoned<int>(BLOCKS * TILE),
        *sums = poisoned<int>(2 * BLOCKS);
    block_collectives<<<BLOCKS, THREADS>>>(to_device(in), scanned, sorted, sums);
    FINISH_KERNEL();
    std::vector<int> got = to_host(scanned, BLOCKS * TILE),
                     got_sorted = to_host(sorted, BLOCKS * TILE),
                     got_sums = to_host(sums, 2 * BLOCKS);
    for (int b = 0; b < BLOCKS; b++) {
        std::vector<int> tile(&in[b * TILE], &in[b * TILE] + TILE);
        int sum = 0, firsts = 0;
        for (int i = 0; i < TILE; sum += tile[i++])
            same("block scan", b * TILE + i, got[b * TILE + i], sum);
        for (int i = 0; i < 32; i++) firsts += tile[i * ITEMS];
        same("block sum", b, got_sums[2 * b], sum);
        same("warp sum", b, got_sums[2 * b + 1], firsts);
        std::sort(tile.begin(), tile.end());
        for (int i = 0; i < TILE; i++)
            same("block sort", b * TILE + i, got_sorted[b * TILE + i], tile[i]);
    }
    return finish();
}
