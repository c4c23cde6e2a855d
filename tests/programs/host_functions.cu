// Work of the host in a stream: cudaLaunchHostFunc and cudaStreamAddCallback run in order between
// kernels and copies.
#include "check.h"

static std::vector<int> trace;
static void note(void *what) {
    trace.push_back((int)(size_t)what);
}
static void CUDART_CB called_back(cudaStream_t, cudaError_t status, void *what) {
    trace.push_back((int)(size_t)what + (status == cudaSuccess ? 0 : 1000));
}
static void look(void *p) {
    trace.push_back(*(int *)p);
} // what a copy left for the host

__global__ void set(int *p, int value) {
    *p = value;
}

int main() {
    int *device, *host;
    CHECK(cudaMalloc(&device, sizeof(int)));
    CHECK(cudaMallocHost(&host, sizeof(int)));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < 5; i++) {
        set<<<1, 1, 0, stream>>>(device, 50 + i);
        CHECK(cudaMemcpyAsync(host, device, sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaLaunchHostFunc(stream, look, host));
        CHECK(cudaStreamAddCallback(stream, called_back, (void *)(size_t)(100 + i), 0));
        CHECK(cudaLaunchHostFunc(stream, note, (void *)(size_t)i));
    }
    CHECK(cudaStreamSynchronize(stream));
    same("calls", 0, trace.size(), 15);
    for (int i = 0; i < 15; i++)
        same("order", i, trace[i], i % 3 == 0 ? 50 + i / 3 : i % 3 == 1 ? 100 + i / 3 : i / 3);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    return finish();
}
