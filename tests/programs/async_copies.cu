// cp.async: what a thread copies to shared memory is there when it has waited for it, not before.
//
// build async_copies arch=80
#include <cuda_pipeline.h>

#include "check.h"

enum { THREADS = 64, STAGES = 3, TILES = 10, N = TILES * THREADS };

__device__ void begin(int *to, const int *from) {
    __pipeline_memcpy_async(to, from, sizeof *to);
    __pipeline_commit();
}

// Sums of tiles, of which two more are always on their way.
__global__ void pipelined(const int *in, int *out) {
    __shared__ int tile[STAGES][THREADS];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < STAGES - 1; i++) begin(&tile[i][t], in + i * THREADS + t);
    for (int i = 0; i < TILES; i++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        sum += tile[i % STAGES][THREADS - 1 - t];
        int next = i + STAGES - 1;
        if (next < TILES)
            begin(&tile[next % STAGES][t], in + next * THREADS + t);
        else
            __pipeline_commit();
    }
    out[t] = sum;
}

// Sizes of 4, 8 and 16 bytes, with zeros after, and all waited for at once.
__global__ void sizes(const int4 *in, int4 *out) {
    __shared__ int4 tile[3][THREADS];
    int t = threadIdx.x;
    for (int i = 0; i < 3; i++) tile[i][t] = make_int4(-1, -1, -1, -1);
    __pipeline_memcpy_async(&tile[0][t], in + t, 16);
    __pipeline_memcpy_async(&tile[1][t], in + t, 8);
    __pipeline_memcpy_async(&tile[2][t], in + t, 16, 12); // of 16 bytes 12 are zeros
    asm volatile("cp.async.wait_all;" ::: "memory");
    for (int i = 0; i < 3; i++) out[i * THREADS + t] = tile[i][t];
}

static void test_pipelined() {
    std::vector<int> in(N);
    for (int &x : in) x = random32() % 1000;
    int *out = poisoned<int>(THREADS);
    pipelined<<<2, THREADS>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, THREADS);
    for (int t = 0; t < THREADS; t++) {
        int sum = 0;
        for (int i = 0; i < TILES; i++) sum += in[i * THREADS + THREADS - 1 - t];
        same("pipelined", t, got[t], sum);
    }
}

static void test_sizes() {
    std::vector<int4> in(THREADS);
    for (int4 &x : in) x = make_int4(random32(), random32(), random32(), random32());
    int4 *out = poisoned<int4>(3 * THREADS);
    sizes<<<1, THREADS>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<int4> got = to_host(out, 3 * THREADS);
    for (int t = 0; t < THREADS; t++) {
        same("16 bytes", t, got[t].w, in[t].w);
        same("8 bytes", t, got[THREADS + t].y, in[t].y);
        same("after 8 bytes", t, got[THREADS + t].z, -1);
        same("zeros", t, got[2 * THREADS + t].x + got[2 * THREADS + t].y * 3, in[t].x);
    }
}

int main() {
    test_pipelined();
    test_sizes();
    return finish();
}
