// Launches again on the same memory, and after each way in which memory changes: the results are
// always those of the memory as it is. simt does not run a launch that repeats an earlier one
// (run/repeat.h).
#include "check.h"

const int N = 1 << 13, BLOCK = 256, TIMES = 5;
__constant__ int by_constant;
__device__ int by_variable;
__managed__ int by_managed;

__global__ void scale(int *to, const int *from, const int *by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] * *by + by_constant + by_variable + by_managed;
}
__global__ void add_one(int *v) {
    v[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
__global__ void count(unsigned *total) {
    if (threadIdx.x == 0) atomicAdd(total, 1);
}
__global__ void follow(int *const *pointer, int *to) {
    to[threadIdx.x] = (*pointer)[threadIdx.x];
}
__global__ void note_time(unsigned long long *to) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(*to));
}

static int *from, *to, *by;

// What scale computes now, several times over.
static void expect(const char *what, int first, int factor, int added) {
    std::vector<int> got(N);
    for (int time = 0; time < TIMES; time++) {
        scale<<<N / BLOCK, BLOCK>>>(to, from, by);
        CHECK(cudaMemcpy(got.data(), to, N * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i += 97) same(what, i, got[i], (first + i) * factor + added);
        if (time == 2) CHECK(cudaMemset(to, 0xAB, N * sizeof(int)));
    }
}

static void test_changes() {
    std::vector<int> input(N);
    int factor = 3, added = 0;
    CHECK(cudaMalloc(&from, N * sizeof(int)));
    CHECK(cudaMalloc(&to, N * sizeof(int)));
    CHECK(cudaMallocManaged(&by, sizeof(int)));
    for (int i = 0; i < N; i++) input[i] = i;
    CHECK(cudaMemcpy(from, input.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    *by = factor;
    expect("at first", 0, factor, added);
    *by = factor = 5;
    expect("managed memory", 0, factor, added);
    added = 7;
    CHECK(cudaMemcpyToSymbol(by_constant, &added, sizeof added));
    expect("a constant", 0, factor, added);
    added += 10;
    int ten = 10;
    CHECK(cudaMemcpyToSymbol(by_variable, &ten, sizeof ten));
    expect("a variable", 0, factor, added);
    by_managed = 100;
    added += 100;
    expect("a managed variable", 0, factor, added);
    add_one<<<N / BLOCK, BLOCK>>>(from);
    expect("a kernel", 1, factor, added);
    for (int i = 0; i < N; i++) input[i] = i + 20;
    CHECK(cudaMemcpy2D(from, 1024, input.data(), 1024, 1024, N * sizeof(int) / 1024,
                       cudaMemcpyHostToDevice));
    expect("a copy of rows", 20, factor, added);
    input[97] = 5000;
    CHECK(cudaMemcpy(from + 97, &input[97], sizeof(int), cudaMemcpyHostToDevice));
    scale<<<N / BLOCK, BLOCK>>>(to, from, by);
    CHECK(cudaMemcpy(input.data(), to, N * sizeof(int), cudaMemcpyDeviceToHost));
    same("one value", 97, input[97], 5000 * factor + added);
    CHECK(cudaMemset(from, 0, N * sizeof(int)));
    scale<<<N / BLOCK, BLOCK>>>(to, from, by);
    CHECK(cudaMemcpy(input.data(), to, N * sizeof(int), cudaMemcpyDeviceToHost));
    same("a fill", 97, input[97], added);
}

static void free_all() {
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(by));
}

// A kernel that changes what it reads is never the same again.
static void test_in_place() {
    unsigned *total, got;
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemset(total, 0, sizeof *total));
    for (unsigned time = 1; time <= 10; time++) {
        count<<<8, 32>>>(total);
        CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
        same("a count", time, got, 8 * time);
    }
    for (int time = 0; time < 6; time++) { // from the same beginning, it is
        CHECK(cudaMemset(total, 0, sizeof *total));
        count<<<8, 32>>>(total);
        CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
        same("a count from 0", time, got, 8u);
    }
    CHECK(cudaFree(total));
}

// The pointer lies in memory, and what it points to is freed and made again.
static void test_pointers() {
    int **pointer, *target, got[32];
    CHECK(cudaMalloc(&pointer, sizeof *pointer));
    for (int time = 0; time < 8; time++) {
        int values[32];
        for (int i = 0; i < 32; i++) values[i] = i + time / 4;
        CHECK(cudaMallocAsync(&target, sizeof values, 0));
        CHECK(cudaMemcpy(target, values, sizeof values, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(pointer, &target, sizeof target, cudaMemcpyHostToDevice));
        follow<<<1, 32>>>(pointer, to);
        CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
        same("a list", time, got[31], values[31]);
        CHECK(cudaFreeAsync(target, 0));
    }
    CHECK(cudaFree(pointer));
}

// Time goes on between two launches.
static void test_time() {
    unsigned long long *to, got, before = 0;
    CHECK(cudaMalloc(&to, sizeof *to));
    for (int time = 0; time < 5; time++) {
        CHECK(cudaMemset(to, 0, sizeof *to));
        note_time<<<1, 1>>>(to);
        CHECK(cudaMemcpy(&got, to, sizeof got, cudaMemcpyDeviceToHost));
        same("time goes on", time, got > before, true);
        before = got;
    }
    CHECK(cudaFree(to));
}

int main() {
    test_changes();
    test_in_place();
    test_pointers();
    test_time();
    free_all();
    CHECK(cudaDeviceReset());
    test_changes();
    free_all();
    return finish();
}
