/*
 * expanded.cu: how long what becomes several machine instructions takes: a warp alone, and each of
 * 32 warps, in cycles. decode/sass_times.def has them, of an H200.
 *
 *     nvcc -O3 -std=c++17 -I common -arch=native -o expanded expanded.cu
 *     ./expanded
 */
#include "common.h"

typedef unsigned long long u64;
typedef long long s64;

enum { ROUNDS = 500, EACH = 4, SCHEDULERS = 4, WARPS = 32, WARP = 32 };

static __device__ long long clocks;

/* ROUNDS x EACH times: x becomes what Op makes of it and of a. */
template <class Op>
__global__ void apply(typename Op::Type *out, typename Op::Type x, typename Op::Type a) {
    x += threadIdx.x;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < ROUNDS; i++) {
#pragma unroll
        for (int k = 0; k < EACH; k++) x = Op::of(x, a);
    }
    out[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x == 0) clocks = clock64() - begin;
}

template <class Op> static double cyclesOf(int warps, double x, double a) {
    typename Op::Type *out;
    long long counted;
    CHECK(cudaMalloc(&out, WARPS * WARP * sizeof *out));
    for (int run = 0; run < 2; run++)
        apply<Op><<<1, warps * WARP>>>(out, (typename Op::Type)x, (typename Op::Type)a);
    CHECK(cudaMemcpyFromSymbol(&counted, clocks, sizeof counted));
    CHECK(cudaFree(out));
    return (double)counted / (ROUNDS * EACH);
}

#define OP(NAME, TYPE, ...)                                                                        \
    struct NAME {                                                                                  \
        typedef TYPE Type;                                                                         \
        static __device__ TYPE of(TYPE x, TYPE a) {                                                \
            __VA_ARGS__;                                                                           \
            return x;                                                                              \
        }                                                                                          \
    };
#define ASM(NAME, TYPE, LETTER, TEXT) OP(NAME, TYPE, asm volatile(TEXT : "+" LETTER(x) : LETTER(a)))
#define FROM(NAME, TYPE, LETTER, TO, BACK)                                                         \
    OP(NAME, TYPE, float f; asm volatile(TO                                                        \
                                         : "=f"(f)                                                 \
                                         : LETTER(x));                                             \
       asm volatile(BACK                                                                           \
                    : "=" LETTER(x)                                                                \
                    : "f"(f));                                                                     \
       (void)a)

ASM(MulHi32, unsigned, "r", "mul.hi.u32 %0, %0, %1;")
ASM(Mul64, u64, "l", "mul.lo.u64 %0, %0, %1;")
ASM(MulHi64, u64, "l", "mul.hi.u64 %0, %0, %1;")
OP(DivU32, unsigned, x = 0x77777777u / (x | 3) + a)
OP(DivS32, int, x = 0x77777777 / (x | 3) + a)
OP(RemU32, unsigned, x = 0x77777777u % (x | 0x1003) + a)
OP(DivU64, u64, x = 0x7777777777777777ull / (x | 0x100000003ull) + a)
OP(DivS64, s64, x = 0x7777777777777777ll / (x | 0x100000003ll) + a)
OP(RemU64, u64, x = 0x7777777777777777ull % (x | 0x100000003ull) + a)
FROM(CvtU64, u64, "l", "cvt.rp.f32.u64 %0, %1;", "cvt.rzi.u64.f32 %0, %1;")
ASM(DivApprox, float, "f", "div.approx.f32 %0, %1, %0;")
ASM(DivFull, float, "f", "div.full.f32 %0, %1, %0;")
ASM(DivF64, double, "d", "div.rn.f64 %0, %1, %0;")
ASM(RcpRn, float, "f", "rcp.rn.f32 %0, %0;")
ASM(RcpApprox, float, "f", "rcp.approx.f32 %0, %0;")
ASM(RcpF64, double, "d", "rcp.rn.f64 %0, %0;")
ASM(SqrtRn, float, "f", "sqrt.rn.f32 %0, %0;")
ASM(SqrtApprox, float, "f", "sqrt.approx.f32 %0, %0;")
ASM(SqrtF64, double, "d", "sqrt.rn.f64 %0, %0;")
ASM(Rsqrt, float, "f", "rsqrt.approx.f32 %0, %0;")
ASM(Lg2, float, "f", "lg2.approx.f32 %0, %0;")
ASM(Ex2, float, "f", "ex2.approx.f32 %0, %0;")

#define TELL(NAME, X, A)                                                                           \
    printf("%-10s %6.1f %6.1f\n", #NAME, cyclesOf<NAME>(1, X, A),                                  \
           cyclesOf<NAME>(WARPS, X, A) * SCHEDULERS / WARPS)

int main() {
    printf("operation   alone   turn\n");
    TELL(MulHi32, 5, 0xffffff12u);
    TELL(Mul64, 5, 7777777777.0);
    TELL(MulHi64, 5, 7.7e18);
    TELL(DivU32, 5, 3);
    TELL(DivS32, 5, 3);
    TELL(RemU32, 5, 3);
    TELL(DivU64, 5, 3);
    TELL(DivS64, 5, 3);
    TELL(RemU64, 5, 3);
    TELL(CvtU64, 5, 3);
    TELL(DivApprox, 1.5, 3.5);
    TELL(DivFull, 1.5, 3.5);
    TELL(DivF64, 1.5, 3.5);
    TELL(RcpRn, 1.5, 0);
    TELL(RcpApprox, 1.5, 0);
    TELL(RcpF64, 1.5, 0);
    TELL(SqrtRn, 1.5, 0);
    TELL(SqrtApprox, 1.5, 0);
    TELL(SqrtF64, 1.5, 0);
    TELL(Rsqrt, 1.5, 0);
    TELL(Lg2, 1.5, 0);
    TELL(Ex2, 1.5, 0);
    return 0;
}
