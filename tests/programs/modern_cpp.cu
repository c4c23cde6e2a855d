// Templates and lambdas in kernels: extended lambdas, variadic templates, if constexpr, structured
// bindings, constexpr tables.
//
// build cpp17 -std=c++17 --extended-lambda --expt-relaxed-constexpr
// build cpp20 -std=c++20 --extended-lambda --expt-relaxed-constexpr
#include "check.h"

#include <array>
#include <utility>
#if __cplusplus >= 202002L
#include <concepts>
template <class T> concept Number = std::integral<T> || std::floating_point<T>;
#define NUMBER Number
#else
#define NUMBER class
#endif

enum { N = 300 };

template <class F> __global__ void for_each(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
template <class... Terms> __host__ __device__ auto sum(Terms... terms) {
    return (terms + ... + 0);
}
template <NUMBER T> __host__ __device__ T doubled(T x) {
    if constexpr (std::is_integral<T>::value)
        return x << 1;
    else
        return x + x;
}
__device__ constexpr std::array<int, 16> squares = [] {
    std::array<int, 16> table{};
    for (int i = 0; i < 16; i++) table[i] = i * i;
    return table;
}();
template <int N_> struct Factorial { static constexpr long value = N_ * Factorial<N_ - 1>::value; };
template <> struct Factorial<0> { static constexpr long value = 1; };
template <class T, int WIDTH> struct Matrix {
    T cells[WIDTH][WIDTH];
    __host__ __device__ Matrix operator*(const Matrix &other) const {
        Matrix product{};
        for (int i = 0; i < WIDTH; i++)
            for (int j = 0; j < WIDTH; j++)
                for (int k = 0; k < WIDTH; k++)
                    product.cells[i][j] += cells[i][k] * other.cells[k][j];
        return product;
    }
};
template <int K> __host__ __device__ int trace(int seed) {
    Matrix<int, K> m;
    for (int i = 0; i < K * K; i++) m.cells[i / K][i % K] = seed + i;
    m = m * m;
    int total = 0;
    for (int i = 0; i < K; i++) total += m.cells[i][i];
    return total;
}
__host__ __device__ std::pair<int, float> divide(int a, int b) {
    return {a / b, (float)(a % b)};
}

int main() {
    int *ints = poisoned<int>(N);
    double *doubles = poisoned<double>(N);
    int offset = 17;
    for_each<<<2, 64>>>(N, [=] __device__(int i) {
        auto [quotient, rest] = divide(i, 7);
        int table = squares[i % 16];
        ints[i] =
            sum(i, offset, table, quotient, (int)rest) + trace<2>(i) + trace<3>(i) + trace<4>(-i);
        doubles[i] = doubled(i) + doubled(0.25 * i) + Factorial<12>::value;
    });
    int *distances = poisoned<int>(N);
    for_each<<<1, 32>>>(N, [=] __device__(int i) {
        auto distance = [](auto a, auto b) { return a < b ? b - a : a - b; };
        distances[i] = distance(i, 150) + (int)distance(2.5f * i, 100.0f);
    });
    FINISH_KERNEL();
    std::vector<int> got = to_host(ints, N), got_distances = to_host(distances, N);
    std::vector<double> got_doubles = to_host(doubles, N);
    for (int i = 0; i < N; i++) {
        same("ints", i, got[i],
             i + 17 + (i % 16) * (i % 16) + i / 7 + i % 7 + trace<2>(i) + trace<3>(i) +
                 trace<4>(-i));
        same("doubles", i, got_doubles[i], 2 * i + 0.5 * i + 479001600);
        same("distances", i, got_distances[i], abs(i - 150) + (int)fabsf(2.5f * i - 100));
    }
    return finish();
}
