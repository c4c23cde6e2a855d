// cudaMemcpy in all directions and cudaMemset: odd sizes and offsets, zero bytes, asynchronous and
// symbol forms, wrong arguments.
#include "check.h"

__device__ unsigned char symbol[1000];
__device__ int words[10];

int main() {
    const int n = 1000;
    std::vector<unsigned char> host(n), back(n), want(n);
    for (unsigned char &x : host) x = (unsigned char)random32();
    unsigned char *a, *b;
    CHECK(cudaMalloc(&a, n));
    CHECK(cudaMalloc((void **)&b, n));
    same("alignment", 0, (size_t)a % 256 + (size_t)b % 256, 0);
    CHECK(cudaMemcpy(a, host.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, a, n, cudaMemcpyDeviceToDevice));
    want = host;
    for (int offset : {1, 3, 77, 500})
        for (int size : {0, 1, 2, 5, 31, 64, 333}) {
            CHECK(cudaMemcpy(b + offset, a + offset + 2, size, cudaMemcpyDeviceToDevice));
            memcpy(&want[offset], &host[offset + 2], size);
        }
    CHECK(cudaMemset(b + 901, 0x5A, 13));
    memset(&want[901], 0x5A, 13);
    CHECK(cudaMemsetAsync(b + 950, 0x1FF, 3, 0)); // only the low byte counts
    memset(&want[950], 0xFF, 3);
    CHECK(cudaMemcpy(back.data(), b, n, cudaMemcpyDefault));
    for (int i = 0; i < n; i++) same("bytes", i, back[i], want[i]);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(a, want.data(), n, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(b, a, n, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemcpyAsync(back.data(), b, n, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    same("asynchronous", 0, memcmp(back.data(), want.data(), n), 0);
    CHECK(cudaMemcpy(back.data(), host.data(), n, cudaMemcpyHostToHost));
    same("host to host", 0, memcmp(back.data(), host.data(), n), 0);
    CHECK(cudaMemcpyToSymbol(symbol, host.data(), n));
    CHECK(cudaMemcpyToSymbolAsync(symbol, want.data(), 10, 100, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyToSymbol(symbol, a + 5, 10, 200, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpyFromSymbolAsync(back.data(), symbol, n, 0, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++)
        same("symbol", i, back[i],
             i >= 100 && i < 110   ? want[i - 100]
             : i >= 200 && i < 210 ? want[i - 195]
                                   : host[i]);
    const int numbers[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    int got[3];
    CHECK(cudaMemcpyToSymbol(words, numbers, sizeof numbers));
    CHECK(cudaMemcpyFromSymbol(got, words, sizeof got, 4 * sizeof(int)));
    same("words", 2, got[2], 7);
    same("null destination", 0, (int)cudaMemcpy(nullptr, host.data(), 4, cudaMemcpyHostToDevice),
         (int)cudaErrorInvalidValue);
    same("past the end", 0,
         (int)cudaMemcpy(a + n - 3, host.data(), 1 << 22, cudaMemcpyHostToDevice),
         (int)cudaErrorInvalidValue);
    same("wrong direction", 0, (int)cudaMemcpy(host.data(), a, 4, (cudaMemcpyKind)9),
         (int)cudaErrorInvalidMemcpyDirection);
    same("past a symbol", 0, (int)cudaMemcpyFromSymbol(back.data(), words, 44),
         (int)cudaErrorInvalidValue);
    same("memset of null", 0, (int)cudaMemset(nullptr, 0, 5), (int)cudaErrorInvalidValue);
    int *nothing = (int *)1;
    same("zero bytes", 0, (int)cudaMalloc(&nothing, 0), 0);
    same("zero bytes give null", 0, nothing == nullptr, true);
    same("too much", 0, (int)cudaMalloc(&nothing, (size_t)1 << 50), (int)cudaErrorMemoryAllocation);
    cudaGetLastError();
    size_t free_before, free_after, total;
    CHECK(cudaMemGetInfo(&free_before, &total));
    void *large;
    CHECK(cudaMalloc(&large, 64 << 20));
    CHECK(cudaMemGetInfo(&free_after, &total));
    same("memory in use", 0, free_before - free_after >= 64 << 20 && free_before < total, true);
    CHECK(cudaFree(large));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    return finish();
}
