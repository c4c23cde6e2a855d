// Cooperative launches: grid-wide barriers in a loop, of as many blocks as are resident, and the
// error beyond that. In a grid that waits no block ends, and a barrier of thousands of blocks takes
// the simulator less than five seconds. env SIMT_TIMEOUT=5
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;
enum { N = 4096, THREADS = 128, BLOCKS = N / THREADS };

// Heat flow along a rod: every step reads what other blocks wrote in the step before.
__global__ void diffuse(int *a, int *b, int steps) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int step = 0; step < steps; step++) {
        int left = a[(i + N - 1) % N], right = a[(i + 1) % N];
        b[i] = (left + 2 * a[i] + right) / 4;
        grid.sync();
        int *t = a;
        a = b, b = t;
    }
    if (grid.thread_rank() == 0) b[0] = grid.size() == N && grid.is_valid() ? 1 : 0;
}

// After the barrier every block sees that all have come.
__global__ void meet(int *met, int *missed) {
    if (threadIdx.x == 0) atomicAdd(met, 1);
    cg::this_grid().sync();
    if (threadIdx.x == 0 && *(volatile int *)met != gridDim.x) atomicAdd(missed, 1);
}

int main() {
    int supported = 0, per_sm = 0, sms = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, diffuse, THREADS, 0));
    same("cooperative launch supported", 0, supported, 1);
    std::vector<int> a(N), b(N);
    for (int &x : a) x = (int)(random32() % 1000000);
    int *device_a = to_device(a), *device_b = to_device(a), steps = 21;
    void *args[] = {&device_a, &device_b, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)diffuse, dim3(BLOCKS), dim3(THREADS), args, 0, 0));
    FINISH_KERNEL();
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < N; i++) b[i] = (a[(i + N - 1) % N] + 2 * a[i] + a[(i + 1) % N]) / 4;
        std::swap(a, b);
    }
    std::vector<int> got = to_host(device_b, N);
    for (int i = 0; i < N; i++) same("diffuse", i, got[i], a[i]);
    same("grid", 0, to_host(device_a, 1)[0], 1);
    int *met = to_device(std::vector<int>(1)), *missed = to_device(std::vector<int>(1));
    void *meeting[] = {&met, &missed};
    CHECK(cudaLaunchCooperativeKernel((void *)meet, dim3(per_sm * sms), dim3(THREADS), meeting, 0,
                                      0));
    FINISH_KERNEL();
    same("blocks that came", 0, to_host(met, 1)[0], per_sm * sms);
    same("blocks that did not wait", 0, to_host(missed, 1)[0], 0);
    cudaError_t error = cudaLaunchCooperativeKernel((void *)diffuse, dim3(per_sm * sms + 1),
                                                    dim3(THREADS), args, 0, 0);
    same("too many blocks", 0, (int)error, (int)cudaErrorCooperativeLaunchTooLarge);
    same("last error", 0, (int)cudaGetLastError(), (int)cudaErrorCooperativeLaunchTooLarge);
    return finish();
}
