// Stream-ordered allocation: cudaMallocAsync, cudaFreeAsync, memory pools and their attributes.
#include "check.h"

__global__ void fill(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value + i;
}

int main() {
    int supported;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    same("supported", 0, supported, 1);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    const int n = 3000;
    std::vector<int> host(n);
    for (int round = 0; round < 3; round++) {
        int *p;
        CHECK(cudaMallocAsync(&p, n * sizeof(int), stream));
        fill<<<(n + 255) / 256, 256, 0, stream>>>(p, n, round * 10);
        CHECK(cudaMemcpyAsync(host.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(p, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < n; i++) same("fill", i, host[i], round * 10 + i);
    }
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    uint64_t threshold = UINT64_MAX, got = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    same("threshold", 0, got, threshold);
    int *q;
    CHECK(cudaMallocFromPoolAsync(&q, n * sizeof(int), pool, stream));
    fill<<<(n + 255) / 256, 256, 0, stream>>>(q, n, 7);
    CHECK(cudaMemcpyAsync(host.data(), q, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("from the pool", n - 1, host[n - 1], n + 6);
    CHECK(cudaFree(q)); // the ordinary call frees it too
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaStreamDestroy(stream));
    return finish();
}
