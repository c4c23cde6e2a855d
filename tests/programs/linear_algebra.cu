// Sparse and dense systems: CSR products by thread and by warp, conjugate gradients, LU with
// pivoting, Gauss-Jordan, dot, axpy.
#include "check.h"

enum { N = 200, THREADS = 128, DENSE = 40 };

__global__ void spmv_thread(const int *rows, const int *columns, const double *values,
                            const double *x, double *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = 0;
    for (int k = rows[row]; k < rows[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
}
__global__ void spmv_warp(const int *rows, const int *columns, const double *values,
                          const double *x, double *y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    double sum = 0;
    for (int k = rows[row] + lane; k < rows[row + 1]; k += 32) sum += values[k] * x[columns[k]];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == 0) y[row] = sum;
}
__global__ void axpy(double a, const double *x, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fma(a, x[i], y[i]);
}
__global__ void scale_add(double a, const double *x, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = fma(a, y[i], x[i]);
}
__global__ void dot(const double *x, const double *y, double *out, int n) { // one block
    __shared__ double sums[THREADS];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += THREADS) sum += x[i] * y[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = THREADS / 2; stride; stride /= 2) {
        if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = sums[0];
}
// LU with partial pivoting in one block; row i of the permutation in pivots.
__global__ void lu(double *a, int *pivots, int n) {
    __shared__ int best;
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == 0) {
            best = k;
            for (int i = k + 1; i < n; i++)
                if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
            pivots[k] = best;
        }
        __syncthreads();
        for (int j = threadIdx.x; j < n && best != k; j += blockDim.x) {
            double t = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = t;
        }
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
            double factor = a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
        __syncthreads();
    }
}

static double *scratch;
static double device_dot(const double *x, const double *y) {
    dot<<<1, THREADS>>>(x, y, scratch, N);
    return to_host(scratch, 1)[0];
}

static void test_sparse() {
    std::vector<int> rows(1, 0), columns;
    std::vector<double> values, x(N);
    for (int i = 0; i < N; i++) { // symmetric, dominant diagonal: 4 on it, -1 beside it and 14 away
        for (int j : {i - 14, i - 1, i, i + 1, i + 14})
            if (j >= 0 && j < N) columns.push_back(j), values.push_back(i == j ? 4.5 : -1);
        rows.push_back((int)columns.size());
        x[i] = (double)(random32() % 100);
    }
    int *r = to_device(rows), *c = to_device(columns);
    double *v = to_device(values), *device_x = to_device(x), *y = poisoned<double>(N),
           *y2 = poisoned<double>(N);
    spmv_thread<<<(N + THREADS - 1) / THREADS, THREADS>>>(r, c, v, device_x, y, N);
    spmv_warp<<<(32 * N + THREADS - 1) / THREADS, THREADS>>>(r, c, v, device_x, y2, N);
    FINISH_KERNEL();
    std::vector<double> got = to_host(y, N), got2 = to_host(y2, N);
    for (int i = 0; i < N; i++) {
        double want = 0;
        for (int k = rows[i]; k < rows[i + 1]; k++) want += values[k] * x[columns[k]];
        same("spmv by thread", i, got[i], want);
        same("spmv by warp", i, got2[i], want);
    }
    // Solve A s = y by conjugate gradients; s is x.
    double *s = to_device(std::vector<double>(N)), *residual = y, *p = to_device(got),
           *ap = poisoned<double>(N);
    double rho = device_dot(residual, residual);
    int steps = 0;
    const int blocks = (N + THREADS - 1) / THREADS;
    for (; steps < 300 && rho > 1e-18; steps++) {
        spmv_thread<<<blocks, THREADS>>>(r, c, v, p, ap, N);
        double alpha = rho / device_dot(p, ap);
        axpy<<<blocks, THREADS>>>(alpha, p, s, N);
        axpy<<<blocks, THREADS>>>(-alpha, ap, residual, N);
        double next = device_dot(residual, residual);
        scale_add<<<blocks, THREADS>>>(next / rho, residual, p, N);
        rho = next;
    }
    FINISH_KERNEL();
    same("converged", steps, steps < 300, true);
    got = to_host(s, N);
    for (int i = 0; i < N; i++) close_to("conjugate gradients", i, got[i], x[i], 1e-7);
}

static void test_lu() {
    std::vector<double> a(DENSE * DENSE);
    for (double &x : a) x = random_in(-1, 1);
    double *device = to_device(a);
    int *pivots = poisoned<int>(DENSE);
    lu<<<1, 64>>>(device, pivots, DENSE);
    FINISH_KERNEL();
    std::vector<double> factors = to_host(device, DENSE * DENSE);
    std::vector<int> order = to_host(pivots, DENSE);
    for (int k = 0; k < DENSE; k++)
        for (int j = 0; j < DENSE && order[k] != k; j++)
            std::swap(a[k * DENSE + j], a[order[k] * DENSE + j]);
    for (int i = 0; i < DENSE * DENSE; i++) {
        int row = i / DENSE, column = i % DENSE;
        double product = row <= column ? factors[i] : 0; // the lower factor's diagonal is 1
        for (int k = 0; k < row && k <= column; k++)
            product += factors[row * DENSE + k] * factors[k * DENSE + column];
        close_to("lu", i, product, a[i], 1e-12);
    }
}

int main() {
    scratch = poisoned<double>(1);
    test_sparse();
    test_lu();
    return finish();
}
