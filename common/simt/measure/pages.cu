/*
 * pages.cu: what the time model knows of managed memory: the times of a vector sum, c = a + b, and
 * of what moves its pages, for vectors of 1, 16, 64 and 256 MiB. Prints CSV: what, MiB of a vector,
 * ms (the median of ROUNDS). `pages ROUNDS MIB`: vectors up to this size.
 *
 *   nvcc -O3 -lineinfo -cudart shared -gencode 'arch=compute_75,code=[compute_75,sm_90]' -Icommon
 *   pages.cu -o pages
 */
#include "common.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#define BLOCK 256

__global__ void add(const float *a, const float *b, float *c, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void fill(float *c, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) c[i] = 1;
}

struct Vectors {
    size_t n;
    float *a, *b, *c;
};

enum { FIRST, SECOND, HOST_READS, AGAIN, PREFETCH, FIRST_WRITE, MOSTLY, MOSTLY_AGAIN, WHATS };

static const char *const whats[WHATS] = {"first launch", "second launch",    "host reads",
                                         "launch again", "prefetch",         "first write",
                                         "read mostly",  "read mostly again"};
static std::vector<float> times[WHATS];

/* The time of body and of what it has started, as the host sees it: the end is recorded when the
 * host has waited. */
template <typename Body> static void measure(int what, Body body) {
    cudaEvent_t begin, end;
    float ms;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(begin));
    body();
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    times[what].push_back(ms);
}

static void open(Vectors *v) {
    for (float **vector : {&v->a, &v->b, &v->c})
        CHECK(cudaMallocManaged(vector, v->n * sizeof(float)));
    for (size_t i = 0; i < v->n; i++) v->a[i] = v->b[i] = (float)(i % 1000);
}

static void close(Vectors *v) {
    for (float *vector : {v->a, v->b, v->c}) CHECK(cudaFree(vector));
}

static void launch(const Vectors &v) {
    add<<<(unsigned)((v.n + BLOCK - 1) / BLOCK), BLOCK>>>(v.a, v.b, v.c, v.n);
    CHECK(cudaGetLastError());
}

/* One float of each page: the loop takes the host little beside its faults. */
static float readPages(const float *v, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i += 1024) sum += v[i];
    return sum;
}

static void sumRound(Vectors v) {
    volatile float sum = 0;
    open(&v);
    measure(FIRST, [&] { launch(v); });
    measure(SECOND, [&] { launch(v); });
    measure(HOST_READS, [&] { sum = readPages(v.c, v.n); });
    measure(AGAIN, [&] { launch(v); });
    close(&v);
}

static void prefetchRound(Vectors v) {
    cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
    open(&v);
    for (size_t i = 0; i < v.n; i++) v.c[i] = 0;
    measure(PREFETCH, [&] {
        for (float *vector : {v.a, v.b, v.c})
            CHECK(cudaMemPrefetchAsync(vector, v.n * sizeof(float), place, 0, 0));
    });
    close(&v);
    open(&v);
    measure(FIRST_WRITE, [&] { fill<<<(unsigned)((v.n + BLOCK - 1) / BLOCK), BLOCK>>>(v.c, v.n); });
    close(&v);
}

/* a is all that moves; c is on the device already. */
static void readMostlyRound(Vectors v) {
    cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
    open(&v);
    CHECK(cudaMemAdvise(v.a, v.n * sizeof(float), cudaMemAdviseSetReadMostly, place));
    CHECK(cudaMemPrefetchAsync(v.c, v.n * sizeof(float), place, 0, 0));
    const Vectors one = {v.n, v.a, v.a, v.c};
    measure(MOSTLY, [&] { launch(one); });
    volatile float sum = readPages(v.a, v.n);
    (void)sum;
    measure(MOSTLY_AGAIN, [&] { launch(one); });
    close(&v);
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 5, most = argc > 2 ? atoi(argv[2]) : 256;
    printf("what,mib,ms\n");
    for (size_t mib : {1, 16, 64, 256}) {
        if (mib > (size_t)most) break;
        for (std::vector<float> &list : times) list.clear();
        for (int round = 0; round < rounds; round++) {
            const Vectors v = {(mib << 20) / sizeof(float), NULL, NULL, NULL};
            sumRound(v);
            prefetchRound(v);
            readMostlyRound(v);
        }
        for (int what = 0; what < WHATS; what++) {
            std::sort(times[what].begin(), times[what].end());
            printf("%s,%zu,%.4f\n", whats[what], mib, times[what][times[what].size() / 2]);
        }
    }
    return 0;
}
