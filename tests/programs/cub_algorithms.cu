// CUB: block-wide and warp-wide collectives, device-wide reduction, scan, radix sort, histogram and
// selection.
#include "check.h"

#include <algorithm>
#include <numeric>

#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

enum { THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS };
const int N = 30000;

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

// Call twice, as CUB wants it: for the size of the temporary storage, then for the work.
#define TWICE(call, ...)                                                                           \
    do {                                                                                           \
        void *storage = nullptr;                                                                   \
        size_t bytes = 0;                                                                          \
        CHECK(call(storage, bytes, __VA_ARGS__));                                                  \
        CHECK(cudaMalloc(&storage, bytes));                                                        \
        CHECK(call(storage, bytes, __VA_ARGS__));                                                  \
        CHECK(cudaDeviceSynchronize());                                                            \
        CHECK(cudaFree(storage));                                                                  \
    } while (0)

static void test_block(const std::vector<int> &in, const int *device) {
    const int blocks = 3;
    int *scanned = poisoned<int>(blocks * TILE), *sorted = poisoned<int>(blocks * TILE),
        *sums = poisoned<int>(2 * blocks);
    block_collectives<<<blocks, THREADS>>>(device, scanned, sorted, sums);
    FINISH_KERNEL();
    std::vector<int> got = to_host(scanned, blocks * TILE),
                     got_sorted = to_host(sorted, blocks * TILE),
                     got_sums = to_host(sums, 2 * blocks);
    for (int b = 0; b < blocks; b++) {
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
}

int main() {
    std::vector<int> in(N);
    for (int &x : in) x = (int)(random32() % 2001) - 1000;
    int *device = to_device(in), *out = poisoned<int>(N);
    test_block(in, device);
    TWICE(cub::DeviceReduce::Sum, device, out, N);
    same("device sum", 0, to_host(out, 1)[0], std::accumulate(in.begin(), in.end(), 0));
    TWICE(cub::DeviceReduce::Max, device, out, N);
    same("device maximum", 0, to_host(out, 1)[0], *std::max_element(in.begin(), in.end()));
    TWICE(cub::DeviceScan::ExclusiveSum, device, out, N);
    std::vector<int> got = to_host(out, N);
    for (int i = 0, sum = 0; i < N; sum += in[i++]) same("device scan", i, got[i], sum);
    TWICE(cub::DeviceRadixSort::SortKeys, device, out, N);
    got = to_host(out, N);
    std::vector<int> sorted = in;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < N; i++) same("device sort", i, got[i], sorted[i]);
    int *bins = poisoned<int>(20), want[20] = {0};
    TWICE(cub::DeviceHistogram::HistogramEven, device, bins, 21, -1000, 1000, N);
    for (int x : in)
        if (x < 1000) want[(x + 1000) / 100]++;
    got = to_host(bins, 20);
    for (int b = 0; b < 20; b++) same("device histogram", b, got[b], want[b]);
    return finish();
}
