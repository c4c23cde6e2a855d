// Matrix products: naive, tiled in shared memory with ragged edges, register blocked, in float,
// double and int.
//
// build sm75
// build sm80 arch=80 gpu=a100
// build sm90 arch=90 gpu=h200
// build sm100 arch=100 gpu=rtx5090
#include "check.h"

enum { TILE = 16, M = 75, K = 53, N = 91 };

template <class T> __global__ void naive(const T *a, const T *b, T *c, int m, int k, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    T sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
template <class T> __global__ void tiled(const T *a, const T *b, T *c, int m, int k, int n) {
    __shared__ T left[TILE][TILE], right[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;
    for (int first = 0; first < k; first += TILE) {
        int i = first + threadIdx.x, j = first + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : T(0);
        right[threadIdx.y][threadIdx.x] = j < k && column < n ? b[j * n + column] : T(0);
        __syncthreads();
#pragma unroll
        for (int t = 0; t < TILE; t++) sum += left[threadIdx.y][t] * right[t][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
// Four results a thread, in registers.
template <class T> __global__ void blocked(const T *a, const T *b, T *c, int m, int k, int n) {
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 4,
        column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;
    T sums[4] = {0, 0, 0, 0};
    for (int i = 0; i < k; i++) {
        T x = b[i * n + column];
#pragma unroll
        for (int r = 0; r < 4; r++)
            if (row + r < m) sums[r] += a[(row + r) * k + i] * x;
    }
#pragma unroll
    for (int r = 0; r < 4; r++)
        if (row + r < m) c[(row + r) * n + column] = sums[r];
}

// Small integers, so that every order of summation is exact.
template <class T> static void test(const char *type) {
    std::vector<T> a(M * K), b(K * N);
    for (T &x : a) x = (T)((int)(random32() % 200) - 100);
    for (T &x : b) x = (T)((int)(random32() % 200) - 100);
    T *device_a = to_device(a), *device_b = to_device(b), *c = poisoned<T>(M * N);
    void (*kernels[3])(const T *, const T *, T *, int, int, int) = {naive, tiled, blocked};
    for (int which = 0; which < 3; which++) {
        CHECK(cudaMemset(c, 0xCC, M * N * sizeof(T)));
        dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
        kernels[which]<<<grid, block>>>(device_a, device_b, c, M, K, N);
        FINISH_KERNEL();
        std::vector<T> got = to_host(c, M * N);
        for (int i = 0; i < M * N; i++) {
            T want = 0;
            for (int k = 0; k < K; k++) want += a[i / N * K + k] * b[k * N + i % N];
            same(type, which * M * N + i, got[i], want);
        }
    }
}

int main() {
    test<float>("float");
    test<double>("double");
    test<int>("int");
    return finish();
}
