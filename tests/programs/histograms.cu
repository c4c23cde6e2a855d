// Histograms: global atomics, privatised in shared memory, one per warp, byte counters packed in
// words; text statistics.
#include "check.h"

enum { BINS = 256, N = 40000, THREADS = 192 };

__global__ void with_global_atomics(const unsigned char *data, unsigned *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1u);
}
__global__ void with_shared_bins(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (mine[b]) atomicAdd(&bins[b], mine[b]);
}
__global__ void with_warp_bins(const uchar4 *data, unsigned *bins, int n) { // four bytes at a time
    extern __shared__ unsigned warps[];
    unsigned *mine = warps + threadIdx.x / 32 * BINS;
    for (int b = threadIdx.x; b < BINS * (blockDim.x / 32); b += blockDim.x) warps[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
        uchar4 v = data[i];
        atomicAdd(mine + v.x, 1u);
        atomicAdd(mine + v.y, 1u);
        atomicAdd(mine + v.z, 1u);
        atomicAdd(mine + v.w, 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        unsigned sum = 0;
        for (int w = 0; w < blockDim.x / 32; w++) sum += warps[w * BINS + b];
        atomicAdd(&bins[b], sum);
    }
}
// One atomic for equal lanes.
__global__ void with_matches(const unsigned char *data, unsigned *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned equal = __match_any_sync(__activemask(), data[i]);
        if ((threadIdx.x & 31) == __ffs(equal) - 1)
            atomicAdd(&bins[data[i]], (unsigned)__popc(equal));
    }
}

int main() {
    std::vector<unsigned char> data(N);
    std::vector<unsigned> want(BINS);
    for (unsigned char &x : data) want[x = (unsigned char)(random32() % 97 * (random32() % 3))]++;
    unsigned char *device = to_device(data);
    unsigned *bins = poisoned<unsigned>(BINS);
    for (int which = 0; which < 4; which++) {
        CHECK(cudaMemset(bins, 0, BINS * sizeof(unsigned)));
        if (which == 0)
            with_global_atomics<<<9, THREADS>>>(device, bins, N);
        else if (which == 1)
            with_shared_bins<<<9, THREADS>>>(device, bins, N);
        else if (which == 2)
            with_warp_bins<<<9, THREADS, THREADS / 32 * BINS * sizeof(unsigned)>>>(
                (const uchar4 *)device, bins, N);
        else
            with_matches<<<9, THREADS>>>(device, bins, N);
        FINISH_KERNEL();
        std::vector<unsigned> got = to_host(bins, BINS);
        for (int b = 0; b < BINS; b++)
            same("kernel * 256 + bin", which * BINS + b, got[b], want[b]);
    }
    return finish();
}
