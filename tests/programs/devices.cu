// build one
// build two devices=2
// build sixteen devices=16
// Devices: choosing one, and what each has of its own: memory, streams, events, variables, limits.
// What a call must refuse is checked with every pair of neighbours, and with one device where there
// is only one.
#include "check.h"

#include <thread>

__device__ int counter = 7;
__constant__ int factor = 2;
extern __shared__ int scratch[];

__global__ void bump() {
    counter += factor;
}

__global__ void add_to(int *sum, int n) {
    atomicAdd(sum, n);
}

__global__ void need_scratch() {
    scratch[threadIdx.x] = 1;
}

static int current() {
    int device = -1;
    CHECK(cudaGetDevice(&device));
    return device;
}

static int counter_here() {
    int value;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    return value;
}

static void check_choice(int n) {
    int before = current(), in_thread = -1;
    REFUSE(cudaSetDevice(n), cudaErrorInvalidDevice);
    REFUSE(cudaSetDevice(-1), cudaErrorInvalidDevice);
    same("device after a refusal", n, current(), before);
    CHECK(cudaSetDevice(n - 1));
    same("device chosen", n, current(), n - 1);
    std::thread([&] { in_thread = current(); }).join();
    same("device of a new thread", n, in_thread, 0);
    cudaDeviceProp properties;
    int value;
    REFUSE(cudaGetDeviceProperties(&properties, n), cudaErrorInvalidDevice);
    REFUSE(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, n), cudaErrorInvalidDevice);
}

static void check_bus_ids(int n) {
    char first[32], id[32];
    CHECK(cudaDeviceGetPCIBusId(first, sizeof first, 0));
    for (int device = 0; device < n; device++) {
        int found = -1;
        CHECK(cudaDeviceGetPCIBusId(id, sizeof id, device));
        CHECK(cudaDeviceGetByPCIBusId(&found, id));
        same("device of its bus id", device, found, device);
        if (device) same("a bus id twice", device, strcmp(id, first) == 0, 0);
    }
}

/* Two devices, or twice the same: then nothing is refused. */
static void check_streams(int a, int b) {
    cudaError_t refused = a == b ? cudaSuccess : cudaErrorInvalidResourceHandle;
    cudaStream_t stream_a, stream_b;
    cudaEvent_t event_a, event_b;
    int *on_a, *on_b, device = -1, value = 5;
    CHECK(cudaSetDevice(a));
    CHECK(cudaStreamCreate(&stream_a));
    CHECK(cudaEventCreate(&event_a));
    CHECK(cudaMalloc(&on_a, sizeof *on_a));
    CHECK(cudaSetDevice(b));
    CHECK(cudaStreamCreate(&stream_b));
    CHECK(cudaEventCreate(&event_b));
    CHECK(cudaMalloc(&on_b, sizeof *on_b));
    CHECK(cudaMemset(on_b, 0, sizeof *on_b));

    CHECK(cudaSetDevice(a));
    int before = counter_here();
    CHECK(cudaSetDevice(b));
    bump<<<1, 1, 0, stream_a>>>(); /* runs on the stream's device: an H200 with CUDA 13 does not
                                      refuse it */
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(stream_a));
    CHECK(cudaSetDevice(a));
    same("a launch in a stream of another device", b, counter_here(), before + 2);
    CHECK(cudaSetDevice(b));
    REFUSE(cudaEventRecord(event_a, stream_b), refused);
    REFUSE(cudaEventRecord(event_b, stream_a), refused);
    REFUSE(cudaEventRecord(event_a, 0), refused);
    CHECK(cudaEventRecord(event_a, stream_a)); /* whatever is the current device */
    CHECK(cudaStreamWaitEvent(stream_b, event_a, 0));
    add_to<<<1, 1, 0, stream_b>>>(on_b, 4);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(event_b, stream_b));
    CHECK(cudaEventSynchronize(event_a));
    CHECK(cudaEventSynchronize(event_b));
    float ms;
    REFUSE(cudaEventElapsedTime(&ms, event_a, event_b), refused);
    CHECK(cudaStreamGetDevice(stream_a, &device));
    same("device of a stream", b, device, a);
    CHECK(cudaMemcpyAsync(on_a, &value, sizeof value, cudaMemcpyHostToDevice, stream_a));
    CHECK(cudaMemsetAsync(on_a, 0, 1, stream_a));
    REFUSE(cudaMemsetAsync((char *)on_a + 1, 0, 1, stream_b),
           a == b ? cudaSuccess : cudaErrorInvalidValue);
    CHECK(cudaStreamSynchronize(stream_a));
    CHECK(cudaMemcpy(&value, on_b, sizeof value, cudaMemcpyDeviceToHost));
    same("sum", b, value, 4);
    CHECK(cudaEventDestroy(event_a));
    CHECK(cudaStreamDestroy(stream_a));
    CHECK(cudaFree(on_a));
    CHECK(cudaEventDestroy(event_b));
    CHECK(cudaStreamDestroy(stream_b));
    CHECK(cudaFree(on_b));
}

static void check_memory(int n) {
    std::vector<int *> memory(n);
    for (int device = 0; device < n; device++) {
        size_t before, after, total;
        CHECK(cudaSetDevice(device));
        bump<<<1, 1>>>(); /* the module's memory is counted before */
        CHECK(cudaMemGetInfo(&before, &total));
        CHECK(cudaMalloc(&memory[device], 64 << 20));
        CHECK(cudaMemGetInfo(&after, &total));
        same("memory taken", device, before - after >= 64 << 20, true);
        FINISH_KERNEL();
    }
    for (int device = 0; device < n; device++) {
        cudaPointerAttributes attributes;
        CHECK(cudaPointerGetAttributes(&attributes, memory[device]));
        same("device of memory", device, attributes.device, device);
        same("type of memory", device, (int)attributes.type, (int)cudaMemoryTypeDevice);
        CHECK(cudaFree(memory[device])); /* the last device is the current one */
    }
}

static void check_variables(int n) {
    for (int device = 0; device < n; device++) {
        CHECK(cudaSetDevice(device));
        int before = counter_here();
        for (int i = 0; i <= device; i++) bump<<<1, 1>>>();
        FINISH_KERNEL();
        same("variable", device, counter_here(), before + 2 * (device + 1));
    }
}

static void check_settings(int n) {
    size_t limit;
    cudaFuncAttributes attributes;
    for (int device = 0; device < n; device++) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 2048 + 1024 * device));
        CHECK(cudaFuncSetAttribute(need_scratch, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   49152 + 1024 * device));
    }
    for (int device = 0; device < n; device++) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
        same("stack", device, limit, (size_t)(2048 + 1024 * device));
        CHECK(cudaFuncGetAttributes(&attributes, need_scratch));
        same("dynamic memory", device, attributes.maxDynamicSharedSizeBytes, 49152 + 1024 * device);
        need_scratch<<<1, 32, 49152 + 1024 * device>>>();
        FINISH_KERNEL();
    }
}

/* Only the last device is reset. */
static void check_reset(int n) {
    CHECK(cudaSetDevice(n - 1));
    CHECK(cudaDeviceReset());
    same("variable after a reset", n, counter_here(), 7);
    size_t limit;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    same("stack after a reset", n, limit, (size_t)1024);
}

/* What device 0 has outlives the reset of another. */
static void check_kept(int n) {
    int *kept, value = 11;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&kept, sizeof *kept));
    CHECK(cudaMemcpy(kept, &value, sizeof value, cudaMemcpyHostToDevice));
    int before = counter_here();
    check_reset(n);
    CHECK(cudaSetDevice(0));
    same("variable of the other", n, counter_here(), before);
    CHECK(cudaMemcpy(&value, kept, sizeof value, cudaMemcpyDeviceToHost));
    same("memory of the other", n, value, 11);
    CHECK(cudaFree(kept));
}

int main() {
    int n = 0;
    CHECK(cudaGetDeviceCount(&n));
    check_choice(n);
    check_bus_ids(n);
    for (int device = 0; device < n; device++) check_streams(device, (device + 1) % n);
    check_memory(n);
    check_variables(n);
    check_settings(n);
    (n == 1 ? check_reset : check_kept)(n);
    return finish();
}
