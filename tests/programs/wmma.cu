// nvcuda::wmma in all shapes, types and orders of matrices, through global and shared memory; small
// integers are exact in any order of adding. And products of 512 x 512 matrices of half precision,
// which must be as an H200 recorded them.
//
// build sm90 arch=90 gpu=h200
#include "part_tensor.h"

#include <mma.h>

using namespace nvcuda;

enum { SIDE = 512 };

/* ---- Tiles ---- */

/* D = A B + C. The matrices pass through shared memory when `shared` is set. */
template <int M, int N, int K, class F, class S, class LayoutA, class LayoutB>
__global__ void tile(const F *a, const F *b, const S *c, S *d, bool by_rows, bool shared) {
    constexpr bool tf32 = std::is_same<F, float>::value;
    typedef typename std::conditional<tf32, wmma::precision::tf32, F>::type Element;
    wmma::fragment<wmma::matrix_a, M, N, K, Element, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Element, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, S> fc;
    const int lda = std::is_same<LayoutA, wmma::row_major>::value ? K : M;
    const int ldb = std::is_same<LayoutB, wmma::row_major>::value ? N : K;
    const int ldc = by_rows ? N : M;
    const wmma::layout_t order = by_rows ? wmma::mem_row_major : wmma::mem_col_major;
    __shared__ __align__(32) F shared_a[M * K], shared_b[K * N];
    for (int i = threadIdx.x; i < M * K; i += 32) shared_a[i] = a[i];
    for (int i = threadIdx.x; i < K * N; i += 32) shared_b[i] = b[i];
    __syncthreads();
    if (shared) {
        wmma::load_matrix_sync(fa, shared_a, lda);
        wmma::load_matrix_sync(fb, shared_b, ldb);
    } else {
        wmma::load_matrix_sync(fa, a, lda);
        wmma::load_matrix_sync(fb, b, ldb);
    }
    wmma::load_matrix_sync(fc, c, ldc, order);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, ldc, order);
}

template <class T> static T valueOf(int v) {
    return (T)(float)v;
}
template <> signed char valueOf(int v) {
    return (signed char)v;
}

template <int M, int N, int K, class F, class S, class LayoutA, class LayoutB>
static void checkTile(const char *what, bool by_rows, bool shared) {
    bool a_rows = std::is_same<LayoutA, wmma::row_major>::value,
         b_rows = std::is_same<LayoutB, wmma::row_major>::value;
    std::vector<int> x(M * K), y(K * N), z(M * N);
    std::vector<F> a(M * K), b(K * N);
    std::vector<S> c(M * N);
    for (int i = 0; i < M * K; i++)
        x[i] = (int)(mixed(i) % 8) - (std::is_same<F, unsigned char>::value ? 0 : 4);
    for (int i = 0; i < K * N; i++)
        y[i] = (int)(mixed(~i) % 8) - (std::is_same<F, unsigned char>::value ? 0 : 4);
    for (int i = 0; i < M * N; i++) z[i] = (int)(mixed(i * 3) % 16) - 8;
    for (int i = 0; i < M; i++)
        for (int k = 0; k < K; k++) a[a_rows ? i * K + k : k * M + i] = valueOf<F>(x[i * K + k]);
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++) b[b_rows ? k * N + j : j * K + k] = valueOf<F>(y[k * N + j]);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) c[by_rows ? i * N + j : j * M + i] = valueOf<S>(z[i * N + j]);
    F *d_a = to_device(a), *d_b = to_device(b);
    S *d_c = to_device(c), *d_d = poisoned<S>(M * N);
    tile<M, N, K, F, S, LayoutA, LayoutB><<<1, 32>>>(d_a, d_b, d_c, d_d, by_rows, shared);
    FINISH_KERNEL();
    std::vector<S> d = to_host(d_d, M * N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int want = z[i * N + j];
            for (int k = 0; k < K; k++) want += x[i * K + k] * y[k * N + j];
            same(what, i * N + j, (double)(float)d[by_rows ? i * N + j : j * M + i], (double)want);
        }
    release(d_a), release(d_b), release(d_c), release(d_d);
}

template <int M, int N, int K, class F, class S> static void checkOrders(const char *what) {
    for (int i = 0; i < 4; i++) {
        bool by_rows = i & 1, shared = i & 2;
        checkTile<M, N, K, F, S, wmma::row_major, wmma::row_major>(what, by_rows, shared);
        checkTile<M, N, K, F, S, wmma::row_major, wmma::col_major>(what, by_rows, shared);
        checkTile<M, N, K, F, S, wmma::col_major, wmma::row_major>(what, by_rows, shared);
        checkTile<M, N, K, F, S, wmma::col_major, wmma::col_major>(what, by_rows, shared);
    }
}

template <class F, class S> static void checkShapes(const char *what) {
    checkOrders<16, 16, 16, F, S>(what);
    checkOrders<32, 8, 16, F, S>(what);
    checkOrders<8, 32, 16, F, S>(what);
}

/* ---- Integers of 4 bits, and bits ---- */

__global__ void nibbles(const void *a, const void *b, int *d) {
    using namespace wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> fc;
    wmma::fill_fragment(fc, 5);
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}

__global__ void bits(const void *a, const void *b, int *by_xor, int *by_and) {
    using namespace wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> fc, zero;
    wmma::fill_fragment(zero, 0);
    wmma::load_matrix_sync(fa, a, 128);
    wmma::load_matrix_sync(fb, b, 128);
    wmma::bmma_sync(fc, fa, fb, zero, bmmaBitOpXOR);
    wmma::store_matrix_sync(by_xor, fc, 8, wmma::mem_row_major);
    wmma::bmma_sync(fc, fa, fb, zero, bmmaBitOpAND);
    wmma::store_matrix_sync(by_and, fc, 8, wmma::mem_row_major);
}

static int nibble(const std::vector<uint32_t> &words, int line, int k) {
    return (int)(words[line * 4 + k / 8] << (28 - k % 8 * 4)) >> 28;
}

static void checkSmall() {
    std::vector<uint32_t> a(32), b(32);
    for (int i = 0; i < 32; i++) a[i] = (uint32_t)mixed(i), b[i] = (uint32_t)mixed(~i);
    uint32_t *d_a = to_device(a), *d_b = to_device(b);
    int *d = poisoned<int>(64), *by_xor = poisoned<int>(64), *by_and = poisoned<int>(64);
    nibbles<<<1, 32>>>(d_a, d_b, d);
    bits<<<1, 32>>>(d_a, d_b, by_xor, by_and);
    FINISH_KERNEL();
    std::vector<int> s4 = to_host(d, 64), x = to_host(by_xor, 64), n = to_host(by_and, 64);
    for (int i = 0; i < 64; i++) {
        int sum = 5, different = 0, both = 0;
        for (int k = 0; k < 32; k++) sum += nibble(a, i / 8, k) * nibble(b, i % 8, k);
        for (int w = 0; w < 4; w++) {
            different += __builtin_popcount(a[i / 8 * 4 + w] ^ b[i % 8 * 4 + w]);
            both += __builtin_popcount(a[i / 8 * 4 + w] & b[i % 8 * 4 + w]);
        }
        same("s4", i, s4[i], sum);
        same("b1 xor", i, x[i], different);
        same("b1 and", i, n[i], both);
    }
}

/* ---- A product ---- */

template <class S> __global__ void product(const half *a, const half *b, S *d) {
    int row = blockIdx.y * 16, column = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, S> sum;
    wmma::fill_fragment(sum, (S)0.0f);
    for (int k = 0; k < SIDE; k += 16) {
        wmma::load_matrix_sync(fa, a + row * SIDE + k, SIDE);
        wmma::load_matrix_sync(fb, b + k * SIDE + column, SIDE);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(d + row * SIDE + column, sum, SIDE, wmma::mem_row_major);
}

/* Factors are multiples of 1/2048 in [-1, 1). A sum of 512 products cut off at 2^-19 or closer errs
 * by 2^-10 at most.
 */
template <class S> static void checkProduct(const char *name, double error, bool printing) {
    const size_t n = (size_t)SIDE * SIDE;
    std::vector<half> a(n), b(n);
    for (size_t i = 0; i < n; i++) {
        a[i] = __float2half((float)((int)(mixed(i) % 4096) - 2048) / 2048.0f);
        b[i] = __float2half((float)((int)(mixed(i) / 4096 % 4096) - 2048) / 2048.0f);
    }
    half *d_a = to_device(a), *d_b = to_device(b);
    S *d_d = poisoned<S>(n);
    product<<<dim3(SIDE / 64, SIDE / 16), dim3(32, 4)>>>(d_a, d_b, d_d);
    FINISH_KERNEL();
    std::vector<S> d = to_host(d_d, n);
    release(d_a), release(d_b), release(d_d);
    asRecorded(printing, name, 1, d.data(), n * sizeof(S));
    for (size_t at = 0; !printing && at < n; at += 997) {
        double want = 0;
        for (size_t k = 0; k < SIDE; k++)
            want += (double)__half2float(a[at / SIDE * SIDE + k]) *
                    (double)__half2float(b[k * SIDE + at % SIDE]);
        close_to(name, (long)at, (double)(float)d[at], want, error);
    }
}

int main(int argc, char **argv) {
    bool printing = argc > 1 && !strcmp(argv[1], "record");
    checkProduct<float>("gemm_f32", 0x1p-10, printing);
    checkProduct<half>("gemm_f16", 0.5, printing);
    if (printing) return 0;
    checkShapes<half, float>("f16, sums of f32");
    checkShapes<half, half>("f16");
    checkShapes<__nv_bfloat16, float>("bf16");
    checkShapes<signed char, int>("s8");
    checkShapes<unsigned char, int>("u8");
    checkOrders<16, 16, 8, float, float>("tf32");
    checkOrders<8, 8, 4, double, double>("f64");
    checkSmall();
    return finish();
}
