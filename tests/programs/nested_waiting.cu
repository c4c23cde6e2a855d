// Kernels that wait for the kernels they launched: cudaDeviceSynchronize on the device, as CUDA 11
// has it, and CUDA 12 and 13 on request for compute capabilities below 9.0. No GPU of compute
// capability 9.0 or newer can run this.
//
// build rdc -rdc=true -DCUDA_FORCE_CDP1_IF_SUPPORTED -D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING
// only simt
// case reduce | 0 | ^ok$
// case view | 0 | ^ok$
// case loop | 0 | ^ok$
// case depth | 0 | ^ok$
// case order | 0 | ^parent 0 before, child, parent 0 after, parent 1 before, child, parent 1 after$
// case failure | 1 | cudaErrorIllegalAddress | store_nowhere
#include "check.h"

// The textbook's nested reduction: a block halves its part, launches one block for the rest, and
// waits for it.
__global__ void reduce(int *in, int *out, unsigned size) {
    unsigned t = threadIdx.x;
    int *mine = in + blockIdx.x * blockDim.x;
    if (size == 2) {
        if (t == 0) out[blockIdx.x] = mine[0] + mine[1];
        return;
    }
    unsigned half = size / 2;
    if (t < half) mine[t] += mine[t + half];
    __syncthreads();
    if (t == 0) {
        reduce<<<1, half>>>(mine, &out[blockIdx.x], half);
        cudaDeviceSynchronize();
    }
    __syncthreads();
}

static void test_reduce() {
    const int n = 1000 * 512, blocks = n / 512;
    std::vector<int> values(n);
    for (int i = 0; i < n; i++) values[i] = (i * 7919) % 1000;
    int *in = to_device(values), *out = poisoned<int>(blocks);
    reduce<<<blocks, 512>>>(in, out, 512);
    CHECK(cudaGetLastError());
    std::vector<int> sums = to_host(out, blocks);
    for (int b = 0; b < blocks; b++) {
        int want = 0;
        for (int i = 0; i < 512; i++) want += values[b * 512 + i];
        same("sum of block", b, sums[b], want);
    }
}

__global__ void square(int *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= values[i];
}

// Every thread launches for its own part, and uses what came of it.
__global__ void square_and_add(int *values, int *sums, int each) {
    int *mine = values + (blockIdx.x * blockDim.x + threadIdx.x) * each, sum = 0;
    square<<<(each + 31) / 32, 32>>>(mine, each);
    if (cudaDeviceSynchronize() != cudaSuccess) return;
    for (int i = 0; i < each; i++) sum += mine[i];
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static void test_view() {
    const int threads = 2 * 40, each = 50;
    std::vector<int> values(threads * each);
    for (size_t i = 0; i < values.size(); i++) values[i] = (int)(i % 100);
    int *in = to_device(values), *out = poisoned<int>(threads);
    square_and_add<<<2, 40>>>(in, out, each);
    CHECK(cudaGetLastError());
    std::vector<int> sums = to_host(out, threads);
    for (int t = 0; t < threads; t++) {
        int want = 0;
        for (int i = 0; i < each; i++) want += values[t * each + i] * values[t * each + i];
        same("sum of thread", t, sums[t], want);
    }
}

// More launches in turn than may be pending at a time.
__global__ void step_by_step(int *value, int *wrong, int steps) {
    for (int i = 2; i < 2 + steps; i++) {
        *value = i % 1000;
        square<<<1, 1>>>(value, 1);
        cudaDeviceSynchronize();
        if (*(volatile int *)value != (i % 1000) * (i % 1000)) ++*wrong;
    }
    if (cudaGetLastError() != cudaSuccess) ++*wrong;
}

static void test_loop() {
    int *memory = to_device(std::vector<int>(2, 0));
    step_by_step<<<1, 1>>>(memory, memory + 1, 3000);
    CHECK(cudaGetLastError());
    same("wrong steps", 0, to_host(memory, 2)[1], 0);
}

// Beyond 24 grids cudaDeviceSynchronize refuses; launches go on.
__global__ void go_down(int *errors, int depth) {
    if (depth + 1 < 30) go_down<<<1, 1>>>(errors, depth + 1);
    errors[depth] = (int)cudaDeviceSynchronize();
}

static void test_depth() {
    int *errors = poisoned<int>(30);
    go_down<<<1, 1>>>(errors, 0);
    CHECK(cudaGetLastError());
    std::vector<int> got = to_host(errors, 30);
    for (int depth = 0; depth < 30; depth++)
        same("error at depth", depth, got[depth],
             depth < 23 ? (int)cudaSuccess : (int)cudaErrorSyncDepthExceeded);
}

__global__ void tell() {
    printf("child, ");
}
__global__ void tell_around() {
    printf("parent %d before, ", blockIdx.x);
    tell<<<1, 1>>>();
    cudaDeviceSynchronize();
    printf("parent %d after%s", blockIdx.x, blockIdx.x + 1 < gridDim.x ? ", " : "\n");
}

__global__ void store_nowhere(int *p) {
    p[1ll << 40] = 1;
}
__global__ void wait_for_failure(int *p) {
    store_nowhere<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    printf("the parent went on\n");
}

int main(int, char **arguments) {
    if (!strcmp(arguments[1], "reduce")) test_reduce();
    if (!strcmp(arguments[1], "view")) test_view();
    if (!strcmp(arguments[1], "loop")) test_loop();
    if (!strcmp(arguments[1], "depth")) test_depth();
    if (!strcmp(arguments[1], "order")) tell_around<<<2, 1>>>();
    if (!strcmp(arguments[1], "failure")) wait_for_failure<<<1, 1>>>(poisoned<int>(1));
    CHECK(cudaDeviceSynchronize());
    return finish();
}
