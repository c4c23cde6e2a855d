// Sorting: bitonic in shared memory, merge passes with binary search, radix by counting, odd-even
// on keys with values.
//
// build sm75
// build sm100 arch=100 gpu=rtx5090
#include "check.h"

#include <algorithm>

enum { TILE = 512 };

// Sort each tile of TILE keys.
__global__ void bitonic(int *data) {
    __shared__ int s[TILE];
    int *tile = data + blockIdx.x * TILE, t = threadIdx.x;
    s[t] = tile[t], s[t + TILE / 2] = tile[t + TILE / 2];
    for (int size = 2; size <= TILE; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (stride - 1));
            bool up = (i & size) == 0;
            if ((s[i] > s[i + stride]) == up) {
                int x = s[i];
                s[i] = s[i + stride];
                s[i + stride] = x;
            }
        }
    __syncthreads();
    tile[t] = s[t], tile[t + TILE / 2] = s[t + TILE / 2];
}
__device__ int rank_in(const int *sorted, int n, int key, bool count_equal) {
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key || (count_equal && sorted[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
// Merge neighbouring runs: each element finds its place by its rank in the other run.
__global__ void merge_runs(const int *in, int *out, int run, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int pair = i / (2 * run) * 2 * run, right = pair + run;
    bool is_left = i < right;
    int place = is_left ? i + rank_in(in + right, run, in[i], false)
                        : i - run + rank_in(in + pair, run, in[i], true);
    out[place] = in[i];
}
// One pass of a stable radix sort on 4 bits, by one block.
__global__ void radix_pass(const unsigned *in, unsigned *out, int n, int shift) {
    __shared__ int counts[16][256], starts[16];
    int t = threadIdx.x, per = (n + 255) / 256, first = t * per, last = min(first + per, n);
    for (int d = 0; d < 16; d++) counts[d][t] = 0;
    for (int i = first; i < last; i++) counts[in[i] >> shift & 15][t]++;
    __syncthreads();
    if (t < 16) {
        int sum = 0;
        for (int k = 0; k < 256; k++) {
            int c = counts[t][k];
            counts[t][k] = sum;
            sum += c;
        }
        starts[t] = sum;
    }
    __syncthreads();
    if (t == 0)
        for (int d = 0, sum = 0; d < 16; d++) {
            int c = starts[d];
            starts[d] = sum;
            sum += c;
        }
    __syncthreads();
    for (int i = first; i < last; i++) {
        int d = in[i] >> shift & 15;
        out[starts[d] + counts[d][t]++] = in[i];
    }
}
__global__ void odd_even(int2 *pairs, int n) { // .x is the key; one block
    for (int round = 0; round < n; round++) {
        int i = 2 * threadIdx.x + (round & 1);
        if (i + 1 < n && pairs[i].x > pairs[i + 1].x) {
            int2 x = pairs[i];
            pairs[i] = pairs[i + 1];
            pairs[i + 1] = x;
        }
        __syncthreads();
    }
}

int main() {
    const int n = 8 * TILE;
    std::vector<int> data(n);
    for (int &x : data) x = (int)random32() >> random32() % 20;
    std::vector<int> want = data;
    std::sort(want.begin(), want.end());
    int *a = to_device(data), *b = poisoned<int>(n);
    bitonic<<<8, TILE / 2>>>(a);
    for (int run = TILE; run < n; run *= 2, std::swap(a, b))
        merge_runs<<<n / 128, 128>>>(a, b, run, n);
    FINISH_KERNEL();
    std::vector<int> got = to_host(a, n);
    for (int i = 0; i < n; i++) same("merge sort", i, got[i], want[i]);
    std::vector<unsigned> keys(5000);
    for (unsigned &x : keys) x = random32();
    unsigned *from = to_device(keys), *to = poisoned<unsigned>(5000);
    for (int shift = 0; shift < 32; shift += 4, std::swap(from, to))
        radix_pass<<<1, 256>>>(from, to, 5000, shift);
    FINISH_KERNEL();
    std::sort(keys.begin(), keys.end());
    std::vector<unsigned> sorted = to_host(from, 5000);
    for (int i = 0; i < 5000; i++) same("radix sort", i, sorted[i], keys[i]);
    std::vector<int2> pairs(301);
    for (int i = 0; i < 301; i++) pairs[i] = make_int2((int)(random32() % 50), i);
    int2 *device_pairs = to_device(pairs);
    odd_even<<<1, 160>>>(device_pairs, 301);
    FINISH_KERNEL();
    std::stable_sort(pairs.begin(), pairs.end(), [](int2 p, int2 q) { return p.x < q.x; });
    std::vector<int2> got_pairs = to_host(device_pairs, 301);
    for (int i = 0; i < 301; i++) {
        same("odd-even key", i, got_pairs[i].x, pairs[i].x);
        same("odd-even value", i, got_pairs[i].y,
             pairs[i].y); // stable: only neighbours out of order are exchanged
    }
    return finish();
}
