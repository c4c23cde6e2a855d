// Prefix sums: Blelloch's in shared memory without bank conflicts, by warp shuffles, of any length
// in three kernels; compaction.
#include "check.h"

enum { BLOCK = 256 };

__device__ int padded(int i) {
    return i + (i >> 5);
}
// Exclusive scan of 2 * BLOCK elements by an up-sweep and a down-sweep.
__global__ void blelloch(const int *in, int *out) {
    __shared__ int s[2 * BLOCK + 2 * BLOCK / 32];
    int t = threadIdx.x, n = 2 * BLOCK, offset = 1;
    s[padded(t)] = in[t], s[padded(t + BLOCK)] = in[t + BLOCK];
    for (int d = n >> 1; d > 0; d >>= 1, offset *= 2) {
        __syncthreads();
        if (t < d) s[padded(offset * (2 * t + 2) - 1)] += s[padded(offset * (2 * t + 1) - 1)];
    }
    if (t == 0) s[padded(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int left = padded(offset * (2 * t + 1) - 1), right = padded(offset * (2 * t + 2) - 1),
                x = s[left];
            s[left] = s[right];
            s[right] += x;
        }
    }
    __syncthreads();
    out[t] = s[padded(t)], out[t + BLOCK] = s[padded(t + BLOCK)];
}
__device__ int block_scan(int x) { // inclusive
    __shared__ int warps[BLOCK / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int step = 1; step < 32; step *= 2) {
        int left = __shfl_up_sync(~0u, x, step);
        x += lane >= step ? left : 0;
    }
    if (lane == 31) warps[warp] = x;
    __syncthreads();
    for (int w = 0; w < warp; w++) x += warps[w];
    __syncthreads();
    return x;
}
__global__ void scan_blocks(const int *in, int *out, int *sums, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x, x = block_scan(i < n ? in[i] : 0);
    if (i < n) out[i] = x;
    if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = x;
}
__global__ void add_sums(int *out, const int *sums, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && blockIdx.x > 0) out[i] += sums[blockIdx.x - 1];
}
__global__ void scatter(const int *in, const int *places, int *out, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && in[i] > 0) out[places[i] - 1] = in[i];
}
__global__ void flags(const int *in, int *out, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) out[i] = in[i] > 0;
}

// Inclusive scan of any length, recursively.
static void scan(const int *in, int *out, int n) {
    int blocks = (n + BLOCK - 1) / BLOCK, *sums = poisoned<int>(blocks);
    scan_blocks<<<blocks, BLOCK>>>(in, out, sums, n);
    if (blocks > 1) {
        scan(sums, sums, blocks);
        add_sums<<<blocks, BLOCK>>>(out, sums, n);
    }
    release(sums);
}

int main() {
    const int n = 70001;
    std::vector<int> in(n);
    for (int &x : in) x = (int)(random32() % 21) - 10;
    int *device = to_device(in), *out = poisoned<int>(n);
    blelloch<<<1, BLOCK>>>(device, out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 2 * BLOCK);
    for (int i = 0, sum = 0; i < 2 * BLOCK; sum += in[i++]) same("blelloch", i, got[i], sum);
    scan(device, out, n);
    FINISH_KERNEL();
    got = to_host(out, n);
    for (int i = 0, sum = 0; i < n; i++) same("scan", i, got[i], sum += in[i]);
    int *flag = poisoned<int>(n), *places = poisoned<int>(n), blocks = (n + BLOCK - 1) / BLOCK;
    flags<<<blocks, BLOCK>>>(device, flag, n);
    scan(flag, places, n);
    scatter<<<blocks, BLOCK>>>(device, places, out, n);
    FINISH_KERNEL();
    got = to_host(out, n);
    int kept = 0;
    for (int x : in)
        if (x > 0) same("compacted", kept, got[kept], x), kept++;
    same("kept", 0, to_host(places, n)[n - 1], kept);
    return finish();
}
