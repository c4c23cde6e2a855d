// build one
// build two devices=2
// Kernels that run at the same time and wait for each other by flags in memory: in two streams, and
// on two devices.
#include "check.h"

#include <cooperative_groups.h>
#include <unistd.h>

namespace cg = cooperative_groups;
enum { BLOCKS = 4, THREADS = 64, ROUNDS = 20, N = 2 * BLOCKS * THREADS };

__global__ void wait_for(volatile int *flag, int value, int *seen) {
    while (*flag != value)
        ;
    __threadfence();
    seen[blockIdx.x] = *flag;
}

__global__ void set(volatile int *flag, int value) {
    *flag = value;
}

__global__ void add(int *to, int number) {
    *to += number;
}

// Two of these answer each other: one has the even numbers.
__global__ void count_in_turns(int *number, int parity, int last, int *mine) {
    for (int i = parity; i <= last; i += 2) {
        while (atomicAdd(number, 0) != i)
            ;
        *mine += i;
        __threadfence();
        atomicAdd(number, 1);
    }
}

// All threads of the block look, with a barrier in the loop.
__global__ void wait_together(volatile int *flag, int *seen) {
    while (__syncthreads_or(*flag == 0))
        ;
    if (threadIdx.x == 0) *seen = *flag;
}

// The grids of all devices meet: each tells its round, and waits for all. Atomics of several
// devices in the host's memory need not be atomic.
__device__ void meet(volatile int *rounds, int rank, int devices, int round) {
    cg::grid_group grid = cg::this_grid();
    grid.sync();
    if (grid.thread_rank() == 0) {
        __threadfence_system();
        rounds[rank] = round;
        for (int other = 0; other < devices; other++)
            while (rounds[other] < round)
                ;
        __threadfence_system();
    }
    grid.sync();
}

// A ring of cells, of which each device has a part: in each round, a cell becomes the sum of itself
// and the cell before.
__global__ void sum_neighbours(volatile unsigned *from, volatile unsigned *to, int n, int *rounds,
                               int rank, int devices) {
    int share = n / devices, first = rank * share;
    for (int round = 1; round <= ROUNDS; round++) {
        for (int i = first + cg::this_grid().thread_rank(); i < first + share;
             i += cg::this_grid().size())
            to[i] = from[i] + from[(i + n - 1) % n];
        meet(rounds, rank, devices, round);
        volatile unsigned *other = from;
        from = to, to = other;
    }
}

static cudaStream_t new_stream() {
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

// Else a launch might load its kernel, and wait for those that run.
static void load_kernels() {
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, wait_for));
    CHECK(cudaFuncGetAttributes(&attributes, set));
    CHECK(cudaFuncGetAttributes(&attributes, add));
    CHECK(cudaFuncGetAttributes(&attributes, count_in_turns));
    CHECK(cudaFuncGetAttributes(&attributes, wait_together));
    CHECK(cudaFuncGetAttributes(&attributes, sum_neighbours));
}

// The first kernel waits for the second, and what is after the first waits for it.
static void test_streams(cudaStream_t one, cudaStream_t two) {
    int *flag = to_device(std::vector<int>(1, 0)), *seen = poisoned<int>(BLOCKS);
    int *sum = to_device(std::vector<int>(1, 1));
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaDeviceSynchronize());
    wait_for<<<BLOCKS, THREADS, 0, one>>>(flag, 7, seen);
    add<<<1, 1, 0, one>>>(flag, 10); // after it
    CHECK(cudaEventRecord(event, one));
    same("waits", 0, (int)cudaStreamQuery(one), (int)cudaErrorNotReady);
    add<<<1, 1, 0, two>>>(sum, 1); // beside it
    CHECK(cudaStreamSynchronize(two));
    same("the other stream", 0, (int)cudaStreamQuery(two), (int)cudaSuccess);
    same("not recorded", 0, (int)cudaEventQuery(event), (int)cudaErrorNotReady);
    set<<<1, 1, 0, two>>>(flag, 7);
    CHECK(cudaStreamWaitEvent(two, event, 0));
    set<<<1, 1, 0, two>>>(flag, 3); // after all
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got = to_host(seen, BLOCKS);
    for (int b = 0; b < BLOCKS; b++) same("seen", b, got[b], 7);
    same("flag", 0, to_host(flag, 1)[0], 3);
    same("sum", 0, to_host(sum, 1)[0], 2);
    CHECK(cudaEventDestroy(event));
}

static void test_turns(cudaStream_t one, cudaStream_t two) {
    enum { LAST = 41 };
    int *number = to_device(std::vector<int>(1, 0)), *mine = to_device(std::vector<int>(2, 0));
    CHECK(cudaDeviceSynchronize());
    count_in_turns<<<1, 1, 0, one>>>(number, 1, LAST, mine);
    count_in_turns<<<1, 1, 0, two>>>(number, 0, LAST, mine + 1);
    FINISH_KERNEL();
    same("odd numbers", 0, to_host(mine, 2)[0], (LAST + 1) * (LAST + 1) / 4);
    same("even numbers", 0, to_host(mine, 2)[1], (LAST - 1) * (LAST + 1) / 4);
}

// A copy sets the flag, and the kernel polls with a barrier in its loop.
static void test_copy(cudaStream_t one, cudaStream_t two) {
    int *flag = to_device(std::vector<int>(1, 0)), *seen = poisoned<int>(1), *five;
    CHECK(cudaMallocHost(&five, sizeof *five));
    *five = 5;
    CHECK(cudaDeviceSynchronize());
    wait_together<<<1, THREADS, 0, one>>>(flag, seen);
    CHECK(cudaMemcpyAsync(flag, five, sizeof *five, cudaMemcpyHostToDevice, two));
    FINISH_KERNEL();
    same("copied", 0, to_host(seen, 1)[0], 5);
    CHECK(cudaFreeHost(five));
}

static void set_late(void *flag) {
    usleep(20000);
    *(volatile int *)flag = 9;
}

// A function of the host sets the flag, in a stream that is before the kernel's.
static void test_host_function(cudaStream_t one, cudaStream_t two) {
    int *flag, *seen = poisoned<int>(1);
    CHECK(cudaMallocHost(&flag, sizeof *flag));
    *flag = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaLaunchHostFunc(two, set_late, flag));
    wait_for<<<1, 1, 0, one>>>(flag, 9, seen);
    FINISH_KERNEL();
    same("by the host", 0, to_host(seen, 1)[0], 9);
    CHECK(cudaFreeHost(flag));
}

static void launch_share(unsigned *from, unsigned *to, int *rounds, int rank, int devices,
                         cudaStream_t stream) {
    int n = N;
    void *arguments[] = {&from, &to, &n, &rounds, &rank, &devices};
    CHECK(cudaLaunchCooperativeKernel((void *)sum_neighbours, dim3(BLOCKS), dim3(THREADS),
                                      arguments, 0, stream));
}

static void test_devices(int devices) {
    unsigned *cells[2];
    int *rounds;
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++)
        CHECK(cudaHostAlloc(&cells[i], N * sizeof *cells[i], cudaHostAllocPortable));
    CHECK(cudaHostAlloc(&rounds, 2 * sizeof *rounds, cudaHostAllocPortable));
    std::vector<unsigned> want(N), before(N);
    for (int i = 0; i < N; i++) want[i] = cells[0][i] = random32();
    rounds[0] = rounds[1] = 0;
    for (int rank = 0; rank < devices; rank++) {
        CHECK(cudaSetDevice(rank));
        load_kernels();
        streams[rank] = new_stream();
    }
    for (int rank = 0; rank < devices; rank++) {
        CHECK(cudaSetDevice(rank));
        launch_share(cells[0], cells[1], rounds, rank, devices, streams[rank]);
    }
    for (int rank = 0; rank < devices; rank++) {
        CHECK(cudaSetDevice(rank));
        CHECK(cudaStreamSynchronize(streams[rank]));
        CHECK(cudaStreamDestroy(streams[rank]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        before = want;
        for (int i = 0; i < N; i++) want[i] = before[i] + before[(i + N - 1) % N];
    }
    for (int i = 0; i < N; i++) same("cell", i, cells[ROUNDS % 2][i], want[i]);
    CHECK(cudaSetDevice(0));
}

int main() {
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    load_kernels();
    cudaStream_t one = new_stream(), two = new_stream();
    test_streams(one, two);
    test_streams(one, two); // again: it repeats the launches
    test_turns(one, two);
    test_copy(one, two);
    test_host_function(one, two);
    test_devices(devices > 1 ? 2 : 1);
    return finish();
}
