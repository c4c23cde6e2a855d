/*
 * waits.cu: how long single loads take, one after the other by one thread, by where their data are
 * and what brought them there. The L2 has two halves, and a copy from the host may leave its data
 * in either or in DRAM. Percentiles in cycles, for a GPU alone: plots/reference/GPU/waits.csv has
 * them.
 *
 *     nvcc -O3 -std=c++17 -I common -o waits waits.cu
 *     ./waits >waits.csv
 */
#include <algorithm>
#include <vector>

#include "common.h"

enum { OTHERS = 256 << 20, MOST = 16 << 20, MOST_LOADS = 2048, APART = 64 };

/* Cycles of each of n loads, `apart` bytes from each other. */
__global__ void timeLoads(const char *at, size_t apart, int n, unsigned int *cycles) {
    for (int i = 0; i < n; i++) {
        long long begin = clock64();
        unsigned int v;
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at + i * apart) : "memory");
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(v) : "r"(i)); /* waits for it */
        long long end = clock64();
        cycles[i] = (unsigned int)(end - begin) + (v == ~0u);
    }
}

/* By all multiprocessors. */
__global__ void readAll(const int *at, size_t words, int *out) {
    int sum = 0;
    size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t i = first; i < words; i += (size_t)gridDim.x * blockDim.x) sum += at[i];
    if (sum == 1) *out = sum;
}

struct Place {
    char *device, *pageable, *pinned;
    int *others, *out;
    unsigned int *cycles;
    size_t bytes, apart;
    int n;
};

static void load(const Place &p) {
    timeLoads<<<1, 1>>>(p.device, p.apart, p.n, p.cycles);
    CHECK(cudaGetLastError());
}

/* How the data came, after others had displaced them. */
static const struct {
    const char *name;
    void (*bring)(const Place &p);
} ways[] = {
    {"nothing", [](const Place &) {}},
    {"copy",
     [](const Place &p) {
         CHECK(cudaMemcpy(p.device, p.pageable, p.bytes, cudaMemcpyHostToDevice));
     }},
    {"pinned copy",
     [](const Place &p) {
         CHECK(cudaMemcpy(p.device, p.pinned, p.bytes, cudaMemcpyHostToDevice));
     }},
    {"fill", [](const Place &p) { CHECK(cudaMemset(p.device, 0, p.bytes)); }},
    {"loads",
     [](const Place &p) {
         readAll<<<128, 256>>>((const int *)p.device, p.bytes / sizeof(int), p.out);
         CHECK(cudaGetLastError());
     }},
    {"the same loads", load},
    {"loads and copy",
     [](const Place &p) {
         readAll<<<128, 256>>>((const int *)p.device, p.bytes / sizeof(int), p.out);
         CHECK(cudaMemcpy(p.device, p.pageable, p.bytes, cudaMemcpyHostToDevice));
     }},
};

static void print(const char *way, const Place &p) {
    std::vector<unsigned int> cycles(p.n);
    CHECK(cudaMemcpy(cycles.data(), p.cycles, p.n * sizeof cycles[0], cudaMemcpyDeviceToHost));
    std::sort(cycles.begin(), cycles.end());
    printf("%s,%zu,%d", way, p.bytes, p.n);
    for (int percent : {5, 25, 50, 75, 95, 99}) printf(",%u", cycles[(size_t)p.n * percent / 100]);
    printf("\n");
}

int main(void) {
    Place p = {};
    CHECK(cudaMalloc(&p.device, MOST));
    CHECK(cudaMalloc(&p.others, OTHERS));
    CHECK(cudaMalloc(&p.cycles, MOST_LOADS * sizeof *p.cycles));
    CHECK(cudaMalloc(&p.out, sizeof *p.out));
    CHECK(cudaMallocHost(&p.pinned, MOST));
    p.pageable = (char *)calloc(MOST, 1);
    printf("way,bytes,loads,p5,p25,p50,p75,p95,p99\n");
    for (auto &way : ways)
        for (size_t bytes = 32 << 10; bytes <= MOST; bytes *= 2) {
            p.bytes = bytes;
            p.n = (int)std::min<size_t>(MOST_LOADS, bytes / APART);
            p.apart = bytes / p.n;
            readAll<<<1024, 256>>>(p.others, OTHERS / sizeof(int), p.out);
            way.bring(p);
            load(p);
            print(way.name, p);
        }
    free(p.pageable);
    return 0;
}
