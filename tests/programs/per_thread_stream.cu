// One default stream per host thread (--default-stream per-thread): launches, copies and events of
// several host threads.
//
// build ptds --default-stream per-thread -Xcompiler -pthread
// build legacy
#include "check.h"

#include <thread>

__global__ void fill(int *p, int n, int value) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = value + i;
}

static void work(int id, std::vector<int> *out) {
    const int n = 2000;
    CHECK(cudaSetDevice(0));
    for (int round = 0; round < 5; round++) {
        int *p;
        cudaEvent_t done;
        CHECK(cudaEventCreate(&done));
        CHECK(cudaMalloc(&p, n * sizeof(int)));
        CHECK(cudaMemsetAsync(p, 0, n * sizeof(int)));
        fill<<<4, 128>>>(p, n, id * 10000 + round);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(done));
        CHECK(cudaMemcpyAsync(out->data(), p, n * sizeof(int), cudaMemcpyDeviceToHost));
        CHECK(cudaStreamSynchronize(0));
        CHECK(cudaEventSynchronize(done));
        CHECK(cudaFree(p));
        CHECK(cudaEventDestroy(done));
    }
}

int main() {
    const int threads = 6;
    std::vector<std::vector<int>> results(threads, std::vector<int>(2000));
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; t++) workers.emplace_back(work, t, &results[t]);
    for (std::thread &worker : workers) worker.join();
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < 2000; i++)
            same("thread * 2000 + element", t * 2000 + i, results[t][i], t * 10000 + 4 + i);
    // An error belongs to the host thread that made it.
    std::thread([] { cudaMalloc(nullptr, 4); }).join();
    same("another thread's error", 0, (int)cudaGetLastError(), (int)cudaSuccess);
    return finish();
}
