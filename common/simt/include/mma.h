/*
 * mma.h: products of small matrices on tensor cores (CUDA C++ Programming Guide, "Warp Matrix
 * Functions"). A fragment is the part of a matrix that a lane holds, in the registers that PTX's
 * wmma instructions take; which element lies where is theirs to know.
 */
#ifndef SIMT_MMA_H
#define SIMT_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

SIMT_HEADER_BEGIN

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* ---- Fragments ---- */

/* How elements are stored, and how many are in one of these. */
template <class T> struct simtStorage {
    typedef T type;
    static constexpr int packed = 1;
};
template <> struct simtStorage<precision::tf32> : simtStorage<float> {};
template <> struct simtStorage<experimental::precision::s4> {
    typedef int type;
    static constexpr int packed = 8;
};
template <> struct simtStorage<experimental::precision::u4> {
    typedef unsigned type;
    static constexpr int packed = 8;
};
template <> struct simtStorage<experimental::precision::b1> {
    typedef unsigned type;
    static constexpr int packed = 32;
};

/* Elements of a lane; of half factors each is held by two lanes. */
template <class Use, int M, int N, int K, class T> struct simtCount {
    static constexpr int value = M * N / 32;
};
template <int M, int N, int K, class T> struct simtCount<matrix_a, M, N, K, T> {
    static constexpr int value = M * K / 32;
};
template <int M, int N, int K, class T> struct simtCount<matrix_b, M, N, K, T> {
    static constexpr int value = N * K / 32;
};
template <int M, int N, int K> struct simtCount<matrix_a, M, N, K, __half> {
    static constexpr int value = 16;
};
template <int M, int N, int K> struct simtCount<matrix_b, M, N, K, __half> {
    static constexpr int value = 16;
};

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
  public:
    typedef typename simtStorage<T>::type element_type;
    typedef element_type storage_element_type;
    static constexpr int num_elements = simtCount<Use, M, N, K, T>::value;
    static constexpr int num_storage_elements = num_elements / simtStorage<T>::packed;
    __align__(8) element_type x[num_storage_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class Value>
__device__ inline void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const Value &value) {
    for (auto &x : f.x) x = (typename simtStorage<T>::type)value;
}

__device__ inline float __float_to_tf32(float value) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return __builtin_bit_cast(float, bits);
}

/* ---- The instructions ----
 *
 * Operands by name: fragment a has registers %[a0], %[a1] and so on. A register is what the
 * fragment's bytes are seen as. */

typedef unsigned __attribute__((may_alias)) simtRegister;

#define SIMT_TEXT_1(f) "{%[" f "0]}"
#define SIMT_TEXT_2(f) "{%[" f "0],%[" f "1]}"
#define SIMT_TEXT_4(f) "{%[" f "0],%[" f "1],%[" f "2],%[" f "3]}"
#define SIMT_TEXT_8(f)                                                                             \
    "{%[" f "0],%[" f "1],%[" f "2],%[" f "3],%[" f "4],%[" f "5],%[" f "6],%[" f "7]}"
#define SIMT_LIST_1(f, c) [f##0] c((f##s)[0])
#define SIMT_LIST_2(f, c) SIMT_LIST_1(f, c), [f##1] c((f##s)[1])
#define SIMT_LIST_4(f, c) SIMT_LIST_2(f, c), [f##2] c((f##s)[2]), [f##3] c((f##s)[3])
#define SIMT_LIST_8(f, c)                                                                          \
    SIMT_LIST_4(f, c), [f##4] c((f##s)[4]), [f##5] c((f##s)[5]), [f##6] c((f##s)[6]),              \
        [f##7] c((f##s)[7])

/* Register, its letter: unsigned "r", double "d". */
#define SIMT_LOAD(Use, letter, M, N, K, T, Layout, order, memory, ptx, Register, r, count)         \
    __device__ inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f,                  \
                                            const memory *from, unsigned stride) {                 \
        Register *as = (Register *)f.x;                                                            \
        asm volatile("wmma.load." letter ".sync.aligned." order ".m" #M "n" #N "k" #K "." ptx      \
                     " " SIMT_TEXT_##count("a") ", [%[from]], %[stride];"                          \
                     : SIMT_LIST_##count(a, "=" r)                                                 \
                     : [from] "l"(from), [stride] "r"(stride)                                      \
                     : "memory");                                                                  \
    }

/* Accumulators: the order in memory is an argument. */
#define SIMT_SUMS_ORDER(M, N, K, order, ptx, r, count)                                             \
    asm volatile("wmma.load.c.sync.aligned." order ".m" #M "n" #N "k" #K "." ptx                   \
                 " " SIMT_TEXT_##count("a") ", [%[from]], %[stride];"                              \
                 : SIMT_LIST_##count(a, "=" r)                                                     \
                 : [from] "l"(from), [stride] "r"(stride)                                          \
                 : "memory")
#define SIMT_SUMS_STORE(M, N, K, order, ptx, r, count)                                             \
    asm volatile("wmma.store.d.sync.aligned." order ".m" #M "n" #N "k" #K "." ptx                  \
                 " [%[to]], " SIMT_TEXT_##count("a") ", %[stride];"                                \
                 :                                                                                 \
                 : SIMT_LIST_##count(a, r), [to] "l"(to), [stride] "r"(stride)                     \
                 : "memory")
#define SIMT_SUMS(M, N, K, T, ptx, Register, r, count)                                             \
    __device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from,   \
                                            unsigned stride, layout_t layout) {                    \
        Register *as = (Register *)f.x;                                                            \
        if (layout == mem_row_major)                                                               \
            SIMT_SUMS_ORDER(M, N, K, "row", ptx, r, count);                                        \
        else                                                                                       \
            SIMT_SUMS_ORDER(M, N, K, "col", ptx, r, count);                                        \
    }                                                                                              \
    __device__ inline void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f,    \
                                             unsigned stride, layout_t layout) {                   \
        const Register *as = (const Register *)f.x;                                                \
        if (layout == mem_row_major)                                                               \
            SIMT_SUMS_STORE(M, N, K, "row", ptx, r, count);                                        \
        else                                                                                       \
            SIMT_SUMS_STORE(M, N, K, "col", ptx, r, count);                                        \
    }

/* D = A B + C. name: mma_sync, or how bits are combined; operation: ".xor.popc" then. */
#define SIMT_MMA(name, operation, M, N, K, T, A, B, orders, types, SD, SC, Register, r, ca, cb,    \
                 cd, cc, ...)                                                                      \
    __device__ inline void name(fragment<accumulator, M, N, K, SD> &fd,                            \
                                const fragment<matrix_a, M, N, K, T, A> &fa,                       \
                                const fragment<matrix_b, M, N, K, T, B> &fb,                       \
                                const fragment<accumulator, M, N, K, SC> &fc __VA_ARGS__) {        \
        Register *ds = (Register *)fd.x;                                                           \
        const Register *as = (const Register *)fa.x, *bs = (const Register *)fb.x,                 \
                       *cs = (const Register *)fc.x;                                               \
        asm volatile("wmma.mma" operation ".sync.aligned." orders ".m" #M "n" #N "k" #K "." types  \
                     " " SIMT_TEXT_##cd("d") ", " SIMT_TEXT_##ca("a") ", " SIMT_TEXT_##cb(         \
                         "b") ", " SIMT_TEXT_##cc("c") ";"                                         \
                     : SIMT_LIST_##cd(d, "=" r)                                                    \
                     : SIMT_LIST_##ca(a, r), SIMT_LIST_##cb(b, r), SIMT_LIST_##cc(c, r));          \
    }

/* ---- Their shapes and types ---- */

#define SIMT_FACTORS(M, N, K, T, memory, ptx, Register, r, ca, cb)                                 \
    SIMT_LOAD(matrix_a, "a", M, N, K, T, row_major, "row", memory, ptx, Register, r, ca)           \
    SIMT_LOAD(matrix_a, "a", M, N, K, T, col_major, "col", memory, ptx, Register, r, ca)           \
    SIMT_LOAD(matrix_b, "b", M, N, K, T, row_major, "row", memory, ptx, Register, r, cb)           \
    SIMT_LOAD(matrix_b, "b", M, N, K, T, col_major, "col", memory, ptx, Register, r, cb)
#define SIMT_ORDERS(M, N, K, T, types, SD, SC, Register, r, ca, cb, cd, cc, ...)                   \
    SIMT_MMA(mma_sync, "", M, N, K, T, row_major, row_major, "row.row", types, SD, SC, Register,   \
             r, ca, cb, cd, cc, __VA_ARGS__)                                                       \
    SIMT_MMA(mma_sync, "", M, N, K, T, row_major, col_major, "row.col", types, SD, SC, Register,   \
             r, ca, cb, cd, cc, __VA_ARGS__)                                                       \
    SIMT_MMA(mma_sync, "", M, N, K, T, col_major, row_major, "col.row", types, SD, SC, Register,   \
             r, ca, cb, cd, cc, __VA_ARGS__)                                                       \
    SIMT_MMA(mma_sync, "", M, N, K, T, col_major, col_major, "col.col", types, SD, SC, Register,   \
             r, ca, cb, cd, cc, __VA_ARGS__)

/* The three shapes of 16-bit and 8-bit factors; registers of byte and bfloat16 factors differ. */
#define SIMT_SHAPE(M, N, K, byteA, byteB, bfloatA, bfloatB)                                        \
    SIMT_FACTORS(M, N, K, __half, __half, "f16", simtRegister, "r", 8, 8)                          \
    SIMT_FACTORS(M, N, K, __nv_bfloat16, __nv_bfloat16, "bf16", simtRegister, "r", bfloatA,        \
                 bfloatB)                                                                          \
    SIMT_FACTORS(M, N, K, signed char, signed char, "s8", simtRegister, "r", byteA, byteB)         \
    SIMT_FACTORS(M, N, K, unsigned char, unsigned char, "u8", simtRegister, "r", byteA, byteB)     \
    SIMT_SUMS(M, N, K, __half, "f16", simtRegister, "r", 4)                                        \
    SIMT_SUMS(M, N, K, float, "f32", simtRegister, "r", 8)                                         \
    SIMT_SUMS(M, N, K, int, "s32", simtRegister, "r", 8)                                           \
    SIMT_ORDERS(M, N, K, __half, "f16.f16", __half, __half, simtRegister, "r", 8, 8, 4, 4)         \
    SIMT_ORDERS(M, N, K, __half, "f16.f32", __half, float, simtRegister, "r", 8, 8, 4, 8)          \
    SIMT_ORDERS(M, N, K, __half, "f32.f16", float, __half, simtRegister, "r", 8, 8, 8, 4)          \
    SIMT_ORDERS(M, N, K, __half, "f32.f32", float, float, simtRegister, "r", 8, 8, 8, 8)           \
    SIMT_ORDERS(M, N, K, __nv_bfloat16, "f32.bf16.bf16.f32", float, float, simtRegister, "r",      \
                bfloatA, bfloatB, 8, 8)                                                            \
    SIMT_ORDERS(M, N, K, signed char, "s32.s8.s8.s32", int, int, simtRegister, "r", byteA, byteB,  \
                8, 8)                                                                              \
    SIMT_ORDERS(M, N, K, unsigned char, "s32.u8.u8.s32", int, int, simtRegister, "r", byteA,       \
                byteB, 8, 8)
SIMT_SHAPE(16, 16, 16, 2, 2, 4, 4)
SIMT_SHAPE(32, 8, 16, 4, 1, 8, 2)
SIMT_SHAPE(8, 32, 16, 1, 4, 2, 8)

SIMT_FACTORS(16, 16, 8, precision::tf32, float, "tf32", simtRegister, "r", 4, 4)
SIMT_SUMS(16, 16, 8, float, "f32", simtRegister, "r", 8)
SIMT_ORDERS(16, 16, 8, precision::tf32, "f32.tf32.tf32.f32", float, float, simtRegister, "r", 4, 4,
            8, 8)
SIMT_FACTORS(8, 8, 4, double, double, "f64", double, "d", 1, 1)
SIMT_SUMS(8, 8, 4, double, "f64", double, "d", 2)
SIMT_ORDERS(8, 8, 4, double, "f64.f64.f64.f64", double, double, double, "d", 1, 1, 2, 2)

#define SIMT_SMALL(K, T, ptx)                                                                      \
    SIMT_LOAD(matrix_a, "a", 8, 8, K, experimental::precision::T, row_major, "row", void, ptx,     \
              simtRegister, "r", 1)                                                                \
    SIMT_LOAD(matrix_b, "b", 8, 8, K, experimental::precision::T, col_major, "col", void, ptx,     \
              simtRegister, "r", 1)
#define SIMT_SMALL_MMA(name, operation, K, T, types, ...)                                          \
    SIMT_MMA(name, operation, 8, 8, K, experimental::precision::T, row_major, col_major,           \
             "row.col", types, int, int, simtRegister, "r", 1, 1, 2, 2, __VA_ARGS__)
SIMT_SMALL(32, s4, "s4")
SIMT_SMALL(32, u4, "u4")
SIMT_SMALL(128, b1, "b1")
SIMT_SUMS(8, 8, 32, int, "s32", simtRegister, "r", 2)
SIMT_SUMS(8, 8, 128, int, "s32", simtRegister, "r", 2)
SIMT_SMALL_MMA(mma_sync, "", 32, s4, "s32.s4.s4.s32")
SIMT_SMALL_MMA(mma_sync, "", 32, u4, "s32.u4.u4.s32")
SIMT_SMALL_MMA(simtXor, ".xor.popc", 128, b1, "s32.b1.b1.s32")
SIMT_SMALL_MMA(simtAnd, ".and.popc", 128, b1, "s32.b1.b1.s32")

__device__ inline void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d,
          const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
          const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
    if (operation == experimental::bmmaBitOpAND)
        simtAnd(d, a, b, c);
    else
        simtXor(d, a, b, c);
}

#undef SIMT_TEXT_1
#undef SIMT_TEXT_2
#undef SIMT_TEXT_4
#undef SIMT_TEXT_8
#undef SIMT_LIST_1
#undef SIMT_LIST_2
#undef SIMT_LIST_4
#undef SIMT_LIST_8
#undef SIMT_LOAD
#undef SIMT_SUMS_ORDER
#undef SIMT_SUMS_STORE
#undef SIMT_SUMS
#undef SIMT_MMA
#undef SIMT_FACTORS
#undef SIMT_ORDERS
#undef SIMT_SHAPE
#undef SIMT_SMALL
#undef SIMT_SMALL_MMA

} // namespace wmma
} // namespace nvcuda

SIMT_HEADER_END

#endif
