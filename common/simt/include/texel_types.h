/* texel_types.h: the types that texels have: one, two or four numbers, and the format of a CUDA
 * array for each. */
#ifndef SIMT_TEXEL_TYPES_H
#define SIMT_TEXEL_TYPES_H

#define SIMT_HD static __inline__ __host__ __device__

/* kind: a type of PTX that a fetch gives the numbers as. of(): the texel of four words. */
enum simtTexelKind { SIMT_FLOAT, SIMT_SIGNED, SIMT_UNSIGNED };
template <class T> struct simtTexel;

SIMT_HD void simtNumber(unsigned word, float *number) {
    *number = __builtin_bit_cast(float, word);
}
template <class T> SIMT_HD void simtNumber(unsigned word, T *number) {
    *number = (T)word;
}

#define SIMT_TEXEL(type, element, count, number, assign)                                           \
    template <> struct simtTexel<type> {                                                           \
        static constexpr simtTexelKind kind = number;                                              \
        static constexpr int bits = 8 * sizeof(element), numbers = count;                          \
        static __inline__ __host__ __device__ type of(const unsigned *word) {                      \
            type texel;                                                                            \
            assign return texel;                                                                   \
        }                                                                                          \
    };
#define SIMT_TEXELS(name, element, number)                                                         \
    SIMT_TEXEL(element, element, 1, number, simtNumber(word[0], &texel);)                          \
    SIMT_TEXEL(name##1, element, 1, number, simtNumber(word[0], &texel.x);)                        \
    SIMT_TEXEL(name##2, element, 2, number, simtNumber(word[0], &texel.x);                         \
               simtNumber(word[1], &texel.y);)                                                     \
    SIMT_TEXEL(name##4, element, 4, number, simtNumber(word[0], &texel.x);                         \
               simtNumber(word[1], &texel.y); simtNumber(word[2], &texel.z);                       \
               simtNumber(word[3], &texel.w);)
SIMT_TEXEL(char, char, 1, SIMT_SIGNED, simtNumber(word[0], &texel);)
SIMT_TEXELS(char, signed char, SIMT_SIGNED)
SIMT_TEXELS(uchar, unsigned char, SIMT_UNSIGNED)
SIMT_TEXELS(short, short, SIMT_SIGNED)
SIMT_TEXELS(ushort, unsigned short, SIMT_UNSIGNED)
SIMT_TEXELS(int, int, SIMT_SIGNED)
SIMT_TEXELS(uint, unsigned, SIMT_UNSIGNED)
SIMT_TEXELS(float, float, SIMT_FLOAT)
#undef SIMT_TEXEL
#undef SIMT_TEXELS
#undef SIMT_HD

template <class T> cudaChannelFormatDesc cudaCreateChannelDesc() {
    typedef simtTexel<T> Texel;
    return cudaCreateChannelDesc(Texel::bits, Texel::numbers > 1 ? Texel::bits : 0,
                                 Texel::numbers > 2 ? Texel::bits : 0,
                                 Texel::numbers > 2 ? Texel::bits : 0,
                                 Texel::kind == SIMT_FLOAT    ? cudaChannelFormatKindFloat
                                 : Texel::kind == SIMT_SIGNED ? cudaChannelFormatKindSigned
                                                              : cudaChannelFormatKindUnsigned);
}

#endif
