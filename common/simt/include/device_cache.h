/*
 * device_cache.h: loads and stores that say how to cache: __ldcg and its like. Each is one PTX
 * instruction for a type of 1, 2, 4, 8 or 16 bytes, vectors included (PTX ISA, "Cache Operators").
 */
#ifndef SIMT_DEVICE_CACHE_H
#define SIMT_DEVICE_CACHE_H

/* Newer clangs bring functions of the same names and types. With a condition, ours are overloads of
 * those, and calls prefer them. */
#define SIMT_OURS(type, name)                                                                      \
    static __inline__ __device__ __attribute__((enable_if(true, "preferred"))) type name

/* The four shapes of operand: TYPE, its PTX suffix, the letter that asm calls its register by, its
 * element. */
#define SIMT_LOAD_1(name, hint, type, ptx, letter, element)                                        \
    SIMT_OURS(type, name)(const type *address) {                                                   \
        element value;                                                                             \
        asm volatile("ld.global." hint "." ptx " %0, [%1];"                                        \
                     : "=" letter(value)                                                           \
                     : "l"(address)                                                                \
                     : "memory");                                                                  \
        return (type)value;                                                                        \
    }
#define SIMT_LOAD_2(name, hint, type, ptx, letter)                                                 \
    SIMT_OURS(type, name)(const type *address) {                                                   \
        type value;                                                                                \
        asm volatile("ld.global." hint ".v2." ptx " {%0, %1}, [%2];"                               \
                     : "=" letter(value.x), "=" letter(value.y)                                    \
                     : "l"(address)                                                                \
                     : "memory");                                                                  \
        return value;                                                                              \
    }
#define SIMT_LOAD_4(name, hint, type, ptx, letter)                                                 \
    SIMT_OURS(type, name)(const type *address) {                                                   \
        type value;                                                                                \
        asm volatile("ld.global." hint ".v4." ptx " {%0, %1, %2, %3}, [%4];"                       \
                     : "=" letter(value.x), "=" letter(value.y), "=" letter(value.z),              \
                       "=" letter(value.w)                                                         \
                     : "l"(address)                                                                \
                     : "memory");                                                                  \
        return value;                                                                              \
    }
#define SIMT_STORE_1(name, hint, type, ptx, letter, element)                                       \
    SIMT_OURS(void, name)(type * address, type value) {                                            \
        asm volatile("st.global." hint "." ptx " [%0], %1;" ::"l"(address), letter((element)value) \
                     : "memory");                                                                  \
    }
#define SIMT_STORE_2(name, hint, type, ptx, letter)                                                \
    SIMT_OURS(void, name)(type * address, type value) {                                            \
        asm volatile("st.global." hint ".v2." ptx " [%0], {%1, %2};" ::"l"(address),               \
                     letter(value.x), letter(value.y)                                              \
                     : "memory");                                                                  \
    }
#define SIMT_STORE_4(name, hint, type, ptx, letter)                                                \
    SIMT_OURS(void, name)(type * address, type value) {                                            \
        asm volatile("st.global." hint ".v4." ptx " [%0], {%1, %2, %3, %4};" ::"l"(address),       \
                     letter(value.x), letter(value.y), letter(value.z), letter(value.w)            \
                     : "memory");                                                                  \
    }

/* Vectors of four bytes travel as a word. */
#define SIMT_LOAD_WORD(name, hint, type)                                                           \
    SIMT_OURS(type, name)(const type *address) {                                                   \
        return __builtin_bit_cast(type, name((const unsigned *)address));                          \
    }
#define SIMT_STORE_WORD(name, hint, type)                                                          \
    SIMT_OURS(void, name)(type * address, type value) {                                            \
        name((unsigned *)address, __builtin_bit_cast(unsigned, value));                            \
    }

/* All types of one cache operator. A register holds no byte: 1 byte travels in 2. */
#define SIMT_CACHE_TYPES(ONE, TWO, FOUR, AS_WORD, name, hint)                                      \
    ONE(name, hint, char, "s8", "h", short)                                                        \
    ONE(name, hint, signed char, "s8", "h", short)                                                 \
    ONE(name, hint, unsigned char, "u8", "h", unsigned short)                                      \
    ONE(name, hint, short, "s16", "h", short)                                                      \
    ONE(name, hint, unsigned short, "u16", "h", unsigned short)                                    \
    ONE(name, hint, int, "s32", "r", int)                                                          \
    ONE(name, hint, unsigned int, "u32", "r", unsigned int)                                        \
    ONE(name, hint, long, "s64", "l", long)                                                        \
    ONE(name, hint, unsigned long, "u64", "l", unsigned long)                                      \
    ONE(name, hint, long long, "s64", "l", long long)                                              \
    ONE(name, hint, unsigned long long, "u64", "l", unsigned long long)                            \
    ONE(name, hint, float, "f32", "f", float)                                                      \
    ONE(name, hint, double, "f64", "d", double)                                                    \
    TWO(name, hint, short2, "s16", "h")                                                            \
    TWO(name, hint, ushort2, "u16", "h")                                                           \
    TWO(name, hint, int2, "s32", "r")                                                              \
    TWO(name, hint, uint2, "u32", "r")                                                             \
    TWO(name, hint, longlong2, "s64", "l")                                                         \
    TWO(name, hint, ulonglong2, "u64", "l")                                                        \
    TWO(name, hint, float2, "f32", "f")                                                            \
    TWO(name, hint, double2, "f64", "d")                                                           \
    AS_WORD(name, hint, char4)                                                                     \
    AS_WORD(name, hint, uchar4)                                                                    \
    FOUR(name, hint, short4, "s16", "h")                                                           \
    FOUR(name, hint, ushort4, "u16", "h")                                                          \
    FOUR(name, hint, int4, "s32", "r")                                                             \
    FOUR(name, hint, uint4, "u32", "r")                                                            \
    FOUR(name, hint, float4, "f32", "f")

SIMT_CACHE_TYPES(SIMT_LOAD_1, SIMT_LOAD_2, SIMT_LOAD_4, SIMT_LOAD_WORD, __ldca, "ca")
SIMT_CACHE_TYPES(SIMT_LOAD_1, SIMT_LOAD_2, SIMT_LOAD_4, SIMT_LOAD_WORD, __ldcg, "cg")
SIMT_CACHE_TYPES(SIMT_LOAD_1, SIMT_LOAD_2, SIMT_LOAD_4, SIMT_LOAD_WORD, __ldcs, "cs")
SIMT_CACHE_TYPES(SIMT_LOAD_1, SIMT_LOAD_2, SIMT_LOAD_4, SIMT_LOAD_WORD, __ldlu, "lu")
SIMT_CACHE_TYPES(SIMT_LOAD_1, SIMT_LOAD_2, SIMT_LOAD_4, SIMT_LOAD_WORD, __ldcv, "cv")
SIMT_CACHE_TYPES(SIMT_STORE_1, SIMT_STORE_2, SIMT_STORE_4, SIMT_STORE_WORD, __stwb, "wb")
SIMT_CACHE_TYPES(SIMT_STORE_1, SIMT_STORE_2, SIMT_STORE_4, SIMT_STORE_WORD, __stcg, "cg")
SIMT_CACHE_TYPES(SIMT_STORE_1, SIMT_STORE_2, SIMT_STORE_4, SIMT_STORE_WORD, __stcs, "cs")
SIMT_CACHE_TYPES(SIMT_STORE_1, SIMT_STORE_2, SIMT_STORE_4, SIMT_STORE_WORD, __stwt, "wt")

#undef SIMT_OURS
#undef SIMT_LOAD_1
#undef SIMT_LOAD_2
#undef SIMT_LOAD_4
#undef SIMT_STORE_1
#undef SIMT_STORE_2
#undef SIMT_STORE_4
#undef SIMT_LOAD_WORD
#undef SIMT_STORE_WORD
#undef SIMT_CACHE_TYPES

#endif
