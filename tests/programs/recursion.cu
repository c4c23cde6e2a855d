// Recursion, divergent in depth: Fibonacci, Ackermann, mutual recursion, quicksort on the thread's
// own stack, tree walks.
#include "check.h"

enum { N = 128, LENGTH = 24 };

__host__ __device__ __noinline__ unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__host__ __device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__host__ __device__ bool is_odd(int n);
__host__ __device__ __noinline__ bool is_even(int n) {
    return n == 0 || is_odd(n - 1);
}
__host__ __device__ __noinline__ bool is_odd(int n) {
    return n != 0 && is_even(n - 1);
}
__host__ __device__ void quicksort(int *v, int low, int high) {
    if (low >= high) return;
    int pivot = v[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (v[i] < pivot) i++;
        while (v[j] > pivot) j--;
        if (i <= j) {
            int t = v[i];
            v[i++] = v[j];
            v[j--] = t;
        }
    }
    quicksort(v, low, j);
    quicksort(v, i, high);
}
// Sum over a binary tree kept in an array, with a struct passed and returned by value.
struct Summary {
    int count, sum, depth;
};
__host__ __device__ Summary walk(const int *tree, int node, int size) {
    if (node >= size) return {0, 0, 0};
    Summary left = walk(tree, 2 * node + 1, size), right = walk(tree, 2 * node + 2, size);
    return {left.count + right.count + 1, left.sum + right.sum + tree[node],
            1 + (left.depth > right.depth ? left.depth : right.depth)};
}

__global__ void run(const int *numbers, int *out, int *sorted) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, *r = out + 6 * i, mine[LENGTH];
    r[0] = fibonacci(i % 13);
    r[1] = ackermann(i % 3, i % 5);
    r[2] = is_even(i);
    Summary summary = walk(numbers + i, 0, i % 40);
    r[3] = summary.count, r[4] = summary.sum, r[5] = summary.depth;
    for (int k = 0; k < LENGTH; k++) mine[k] = numbers[i + k];
    quicksort(mine, 0, LENGTH - 1 - i % 5);
    for (int k = 0; k < LENGTH; k++) sorted[i * LENGTH + k] = mine[k];
}

int main() {
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    std::vector<int> numbers(N + 64);
    for (int &x : numbers) x = (int)(random32() % 1000) - 500;
    int *out = poisoned<int>(6 * N), *sorted = poisoned<int>(N * LENGTH);
    run<<<2, N / 2>>>(to_device(numbers), out, sorted);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 6 * N), got_sorted = to_host(sorted, N * LENGTH);
    for (int i = 0; i < N; i++) {
        Summary s = walk(&numbers[i], 0, i % 40);
        const int want[6] = {(int)fibonacci(i % 13),
                             (int)ackermann(i % 3, i % 5),
                             i % 2 == 0,
                             s.count,
                             s.sum,
                             s.depth};
        for (int k = 0; k < 6; k++) same("thread * 6 + result", 6 * i + k, got[6 * i + k], want[k]);
        std::vector<int> mine(&numbers[i], &numbers[i] + LENGTH);
        quicksort(mine.data(), 0, LENGTH - 1 - i % 5);
        for (int k = 0; k < LENGTH; k++)
            same("quicksort", i * LENGTH + k, got_sorted[i * LENGTH + k], mine[k]);
    }
    return finish();
}
