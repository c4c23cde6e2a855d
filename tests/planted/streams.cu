/*
 * streams.cu: work of streams, devices and the host that nothing orders, and the same in order.
 * `streams NAME` runs one; tests/targets/check.bats knows what must be said.
 */
#include <cstdio>
#include <cstring>

#define N     4096
#define BYTES (N * sizeof(int))
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) printf("%s: %s\n", #call, cudaGetErrorString(error_));          \
    } while (0)

__global__ void twice(const int *from, int *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = 2 * from[i];
}

__global__ void count(int *counter) {
    atomicAdd(counter, 1);
}

static cudaStream_t newStream() {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    cudaStream_t one = newStream(), other = newStream();
    cudaEvent_t event;
    int *host, *a, *b;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMallocHost(&host, BYTES));
    CHECK(cudaMallocAsync(&a, BYTES, one));
    CHECK(cudaMalloc(&b, BYTES));
    CHECK(cudaDeviceSynchronize());
    memset(host, 1, BYTES);
    if (!strcmp(name, "kernel-copy")) {
        CHECK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, one));
        twice<<<N / 256, 256, 0, other>>>(a, b);
    }
    if (!strcmp(name, "kernel-kernel")) {
        CHECK(cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice));
        twice<<<N / 256, 256, 0, one>>>(a, b);
        twice<<<N / 256, 256, 0, other>>>(b, a);
    }
    if (!strcmp(name, "fill-default")) {
        CHECK(cudaMemset(a, 0, BYTES));
        twice<<<N / 256, 256, 0, one>>>(a, b);
    }
    if (!strcmp(name, "host-source")) {
        CHECK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, one));
        host[N - 1] = 1;
    }
    if (!strcmp(name, "host-target")) {
        CHECK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, one));
        CHECK(cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, one));
        host[0] = 1;
    }
    if (!strcmp(name, "freed")) {
        CHECK(cudaMemcpy(a, host, BYTES, cudaMemcpyHostToDevice));
        twice<<<N / 256, 256, 0, one>>>(a, b);
        CHECK(cudaFreeAsync(a, other));
        a = NULL;
    }
    if (!strcmp(name, "devices")) {
        int *c;
        CHECK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, one));
        CHECK(cudaSetDevice(1));
        CHECK(cudaMalloc(&c, BYTES));
        CHECK(cudaMemcpyPeerAsync(c, 1, a, 0, BYTES, 0));
        CHECK(cudaFree(c));
        CHECK(cudaSetDevice(0));
    }
    if (!strcmp(name, "right")) {
        CHECK(cudaMemsetAsync(b, 0, BYTES, one));
        CHECK(cudaMemcpyAsync(a, host, BYTES, cudaMemcpyHostToDevice, one));
        CHECK(cudaEventRecord(event, one));
        CHECK(cudaStreamWaitEvent(other, event, 0));
        twice<<<N / 512, 256, 0, one>>>(a, b); /* halves */
        twice<<<N / 512, 256, 0, other>>>(a + N / 2, b + N / 2);
        CHECK(cudaStreamSynchronize(one));
        CHECK(cudaStreamSynchronize(other));
        CHECK(cudaMemcpyAsync(host, b, BYTES, cudaMemcpyDeviceToHost, other));
        CHECK(cudaStreamSynchronize(other));
        host[0] = 1;
        count<<<1, 32, 0, one>>>(b);
        count<<<1, 32, 0, other>>>(b);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFreeAsync(a, other));
        a = NULL;
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFreeHost(host));
    printf("done\n");
}
