// Kernels that wait for a flag that the host sets after the launch, in pinned, registered and
// managed memory: the kernel goes on beside the host. And events: no time before the work is done.
#include "check.h"

#include <unistd.h>

__global__ void wait_for(volatile int *flag, int *seen) {
    while (*flag == 0)
        ;
    seen[blockIdx.x] = *flag;
}

// Back and forth: the kernel answers each of the host's numbers.
__global__ void answer(volatile int *question, volatile int *reply, int last) {
    for (int i = 1; i <= last; i++) {
        while (*question != i)
            ;
        *reply = i * i;
        __threadfence_system();
    }
}

static void test_flag(int *flag, const char *what) {
    int *seen = poisoned<int>(4);
    *flag = 0;
    wait_for<<<4, 32>>>(flag, seen);
    CHECK(cudaGetLastError());
    same(what, -1, (int)cudaStreamQuery(0), (int)cudaErrorNotReady);
    *(volatile int *)flag = 7;
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got = to_host(seen, 4);
    for (int b = 0; b < 4; b++) same(what, b, got[b], 7);
}

static void test_answers(volatile int *words) {
    words[0] = words[1] = 0;
    answer<<<1, 1>>>((int *)words, (int *)words + 1, 5);
    CHECK(cudaGetLastError());
    for (int i = 1; i <= 5; i++) {
        words[0] = i;
        while (words[1] != i * i) usleep(100);
    }
    CHECK(cudaDeviceSynchronize());
    same("last answer", 0, words[1], 25);
}

// Nothing waits in this one. It takes about a millisecond, in which the host gets to its question.
__global__ void take_tickets(int *count, unsigned *order) {
    unsigned value = blockIdx.x;
    for (int i = 0; i < 20000; i++) value = value * 1664525 + 1013904223;
    order[atomicAdd(count, 1)] = value;
}

static void test_events() {
    int *memory = to_device(std::vector<int>(65, 0));
    cudaEvent_t from, to;
    float ms = -1;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    CHECK(cudaEventRecord(from));
    take_tickets<<<64, 1>>>(memory, (unsigned *)memory + 1);
    CHECK(cudaEventRecord(to));
    same("elapsed time before the end", 0, (int)cudaEventElapsedTime(&ms, from, to),
         (int)cudaErrorNotReady);
    same("as the last error", 0, (int)cudaGetLastError(), (int)cudaSuccess);
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    same("a time", 0, ms > 0, true);
    CHECK(cudaEventDestroy(from));
    CHECK(cudaEventDestroy(to));
}

int main() {
    int *pinned, *managed, *own = (int *)calloc(2, sizeof(int));
    test_events();
    CHECK(cudaHostAlloc(&pinned, 2 * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaMallocManaged(&managed, 2 * sizeof(int)));
    CHECK(cudaHostRegister(own, 2 * sizeof(int), cudaHostRegisterMapped));
    test_events();
    test_flag(pinned, "pinned");
    test_flag(managed, "managed");
    test_flag(own, "registered");
    test_answers(pinned);
    CHECK(cudaHostUnregister(own));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(managed));
    return finish();
}
