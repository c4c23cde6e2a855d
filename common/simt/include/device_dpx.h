/*
 * device_dpx.h: sums, minima and maxima for dynamic programming (CUDA Math API, "SIMD Intrinsics"),
 * of 32 bits and of two times 16: __vimax3_s32, __viaddmin_u16x2 and their like. _relu: at least 0.
 * Also sums of products of the bytes or halves of words.
 */
#ifndef SIMT_DEVICE_DPX_H
#define SIMT_DEVICE_DPX_H

#define SIMT_HD static __inline__ __host__ __device__

template <class T> SIMT_HD T simtLess(T a, T b) {
    return b < a ? b : a;
}
template <class T> SIMT_HD T simtMore(T a, T b) {
    return a < b ? b : a;
}
/* The function of each half of words. */
template <class T, class Function>
SIMT_HD unsigned simtHalves(unsigned a, unsigned b, unsigned c, Function function) {
    return (unsigned short)function((T)a, (T)b, (T)c) |
           (unsigned)(unsigned short)function((T)(a >> 16), (T)(b >> 16), (T)(c >> 16)) << 16;
}

/* type: of 32 bits, half: of 16. */
#define SIMT_DPX(suffix, suffix2, ending, type, half, finish)                                      \
    SIMT_DPX_2(vimax, suffix, suffix2, ending, type, half, finish(simtMore(a, b)))                 \
    SIMT_DPX_2(vimin, suffix, suffix2, ending, type, half, finish(simtLess(a, b)))                 \
    SIMT_DPX_3(vimax3, suffix, suffix2, ending, type, half, finish(simtMore(simtMore(a, b), c)))   \
    SIMT_DPX_3(vimin3, suffix, suffix2, ending, type, half, finish(simtLess(simtLess(a, b), c)))   \
    SIMT_DPX_3(viaddmax, suffix, suffix2, ending, type, half, finish(simtMore((T)(a + b), c)))     \
    SIMT_DPX_3(viaddmin, suffix, suffix2, ending, type, half, finish(simtLess((T)(a + b), c)))
#define SIMT_DPX_2(name, suffix, suffix2, ending, type, half, value)                               \
    SIMT_HD type __##name##_##suffix##ending(type a, type b) {                                     \
        typedef type T;                                                                            \
        return value;                                                                              \
    }                                                                                              \
    SIMT_HD unsigned __##name##_##suffix2##ending(unsigned a, unsigned b) {                        \
        typedef half T;                                                                            \
        return simtHalves<T>(a, b, 0, [](T a, T b, T) { return (T)(value); });                     \
    }
#define SIMT_DPX_3(name, suffix, suffix2, ending, type, half, value)                               \
    SIMT_HD type __##name##_##suffix##ending(type a, type b, type c) {                             \
        typedef type T;                                                                            \
        return value;                                                                              \
    }                                                                                              \
    SIMT_HD unsigned __##name##_##suffix2##ending(unsigned a, unsigned b, unsigned c) {            \
        typedef half T;                                                                            \
        return simtHalves<T>(a, b, c, [](T a, T b, T c) { return (T)(value); });                   \
    }
#define SIMT_AS_IT_IS(value) (value)
#define SIMT_RELU(value)     simtMore<T>((value), 0)
SIMT_DPX(s32, s16x2, , int, short, SIMT_AS_IT_IS)
SIMT_DPX(u32, u16x2, , unsigned, unsigned short, SIMT_AS_IT_IS)
SIMT_DPX(s32, s16x2, _relu, int, short, SIMT_RELU)
#undef SIMT_DPX
#undef SIMT_DPX_2
#undef SIMT_DPX_3
#undef SIMT_AS_IT_IS
#undef SIMT_RELU
#undef SIMT_HD

/* ---- c + the products of four bytes, or of two halves of a and two bytes of b ---- */

#define SIMT_DOT(name, ptx, type)                                                                  \
    static __inline__ __device__ type name(type a, type b, type c) {                               \
        asm(ptx " %0, %1, %2, %0;" : "+r"(c) : "r"(a), "r"(b));                                    \
        return c;                                                                                  \
    }
SIMT_DOT(__dp4a, "dp4a.s32.s32", int)
SIMT_DOT(__dp4a, "dp4a.u32.u32", unsigned)
SIMT_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int)
SIMT_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned)
SIMT_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int)
SIMT_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned)
#undef SIMT_DOT

#endif
