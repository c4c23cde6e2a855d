/* exec/rounding.h: run a few operations with the processor rounding another way. The operands must
 * come from memory and the results go there between the two calls. Then the compiler cannot move
 * the arithmetic out from between them: the empty asm statements say that memory changes. */
#pragma once

#include "simt/ptx/ptx.h"

#include <fenv.h>
#ifdef __AVX__
#include <xmmintrin.h>
#endif

/* rounding: PTX_RN, RZ, RM, RP or one of the forms to an integer. Returns what rounding_end()
 * needs. On x86 bits 13 and 14 of MXCSR choose: 0 nearest even, 1 down, 2 up, 3 towards zero. */
static inline unsigned rounding_begin(uint8_t rounding) {
#ifdef __AVX__
    unsigned before = _mm_getcsr(), mode = 0x0000;
    if (rounding == PTX_RZ || rounding == PTX_RZI) mode = 0x6000;
    if (rounding == PTX_RM || rounding == PTX_RMI) mode = 0x2000;
    if (rounding == PTX_RP || rounding == PTX_RPI) mode = 0x4000;
    _mm_setcsr((before & ~0x6000u) | mode);
#else
    unsigned before = (unsigned)fegetround();
    fesetround(rounding == PTX_RZ || rounding == PTX_RZI   ? FE_TOWARDZERO
               : rounding == PTX_RM || rounding == PTX_RMI ? FE_DOWNWARD
               : rounding == PTX_RP || rounding == PTX_RPI ? FE_UPWARD
                                                           : FE_TONEAREST);
#endif
    __asm__ volatile("" ::: "memory");
    return before;
}

/* Back to the rounding that was in force before. */
static inline void rounding_end(unsigned before) {
    __asm__ volatile("" ::: "memory");
#ifdef __AVX__
    _mm_setcsr(before);
#else
    fesetround((int)before);
#endif
}
