/*
 * access/lane.h: how a handler of exec/ reads rows, writes rows and respects the mask. These
 * files are compiled once per instruction set of the host, so everything in them is static but for
 * what EXEC() names: the tables of rules and the functions that fill struct handlers.
 *
 * A value type (u16, s32, f64 ...) stands for three C types and conversions: VAL_ is what an
 * expression sees, ROW_ what a row holds for a lane, GET_ makes a value of what the row holds, PUT_
 * the way back.
 *
 *   s16, value -2      ROW_s16: 0x0000FFFE     GET_s16: int16_t -2     PUT_s16: 0x0000FFFE
 *
 * Values narrower than 32 bits have zeros above them in the row, negative ones too.
 */
#pragma once

#include "simt/machine/isa.h"
#include "simt/machine/machine.h"

#include <string.h>

/* A register of the host's, read from any address. The files of this room name gcc's own functions
 * for what C has no operator for: immintrin.h, which names all, takes gcc a quarter of a second in
 * each file. */
#ifdef __AVX512DQ__
typedef int32_t host_ints __attribute__((vector_size(64), aligned(4)));
typedef uint32_t host_words __attribute__((vector_size(64), aligned(4)));
typedef long long host_longs __attribute__((vector_size(64), aligned(8)));
typedef unsigned long long host_wide __attribute__((vector_size(64), aligned(8)));
enum { HOST_LESS = 1, HOST_UNEQUAL = 4 };
#elif defined __AVX2__
typedef int32_t host_words __attribute__((vector_size(32), aligned(4)));
typedef int16_t host_shorts __attribute__((vector_size(32)));
typedef char host_bytes __attribute__((vector_size(32)));
#endif

#define VAL_u8  uint8_t
#define ROW_u8  uint32_t
#define VAL_s8  int8_t
#define ROW_s8  uint32_t
#define VAL_u16 uint16_t
#define ROW_u16 uint32_t
#define VAL_s16 int16_t
#define ROW_s16 uint32_t
#define VAL_u32 uint32_t
#define ROW_u32 uint32_t
#define VAL_s32 int32_t
#define ROW_s32 uint32_t
#define VAL_u64 uint64_t
#define ROW_u64 uint64_t
#define VAL_s64 int64_t
#define ROW_s64 uint64_t
#define VAL_f32 float
#define ROW_f32 float
#define VAL_f64 double
#define ROW_f64 double

#define GET_u8(v)  ((uint8_t)(v))
#define GET_s8(v)  ((int8_t)(v))
#define GET_u16(v) ((uint16_t)(v))
#define GET_s16(v) ((int16_t)(v))
#define GET_u32(v) (v)
#define GET_s32(v) ((int32_t)(v))
#define GET_u64(v) (v)
#define GET_s64(v) ((int64_t)(v))
#define GET_f32(v) (v)
#define GET_f64(v) (v)

#define PUT_u8(v)  ((uint32_t)(uint8_t)(v))
#define PUT_s8(v)  ((uint32_t)(uint8_t)(v))
#define PUT_u16(v) ((uint32_t)(uint16_t)(v))
#define PUT_s16(v) ((uint32_t)(uint16_t)(v))
#define PUT_u32(v) ((uint32_t)(v))
#define PUT_s32(v) ((uint32_t)(v))
#define PUT_u64(v) ((uint64_t)(v))
#define PUT_s64(v) ((uint64_t)(v))
#define PUT_f32(v) ((float)(v))
#define PUT_f64(v) ((double)(v))

/* A handler gets the warp and its operation, and returns the next operation to run; NULL: the warp
 * cannot go on now. */
#define UNUSED        __attribute__((unused))
#define HANDLER(name) static const struct op *name(struct warp *w, const struct op *op)
#define NEXT          (op + 1)
/* Run the next operation at once, which saves the way back to run/block.c's loop: the call becomes
 * a jump. It need not: branches backwards do go back to the loop, so only operations that follow
 * each other nest. */
#if defined __OPTIMIZE__ && !defined __wasm__ /* which has no such jump */
#define RUN(next)                                                                                  \
    ({                                                                                             \
        const struct op *next_ = (next);                                                           \
        next_->run(w, next_);                                                                      \
    })
#else
#define RUN(next) ((void)w, (next))
#endif
#define EACH_LANE for (int l = 0; l < WARP_SIZE; l++)
/* Lanes do not depend on each other: a destination row is a source row or apart from all of them.
 * The pragma tells gcc, so that it vectorises the loop. */
#define VECTOR_LANES _Pragma("GCC ivdep") EACH_LANE
/* All but the first, each of which has one before it. */
#define VECTOR_LATER_LANES _Pragma("GCC ivdep") for (int l = 1; l < WARP_SIZE; l++)

/* SRC is the row of an operand, DST that of the result. */
#define SRC(type, ref) ((const ROW_##type *)row(w, ref))
#define DST(type)      ((ROW_##type *)(w->rows[ROWS_REGS] + op->d))

/* A predicate operand: one mask, bit l for lane l. */
static inline uint32_t *pred(const struct warp *w, uint32_t ref) {
    return row(w, ref);
}

/* Write bits into the lanes of mask of a predicate. */
static inline void set_pred(uint32_t *p, uint32_t mask, uint32_t bits) {
    *p = (*p & ~mask) | (bits & mask);
}

/*
 * The mask spread over 32 words, all ones where its bit is set: what vector instructions blend by.
 * The warp keeps the last one, as consecutive operations mostly have the same mask.
 *
 *   mask 0b...0101  ->  lanes32 = { ~0, 0, ~0, 0, 0 ... }
 */
static inline const uint32_t *spread(struct warp *w, uint32_t mask) {
    if (w->lanes_mask != mask) {
        w->lanes_mask = mask;
        EACH_LANE
            w->lanes32[l] = 0u - (mask >> l & 1u);
    }
    return w->lanes32;
}

/* The other way: bit l of the result is the top bit of words[l]. */
static inline uint32_t pack(const uint32_t words[WARP_SIZE]) {
    uint32_t mask = 0;
#if defined __AVX512DQ__
    for (int i = 0; i < WARP_SIZE / 16; i++)
        mask |= (uint32_t)__builtin_ia32_cmpd512_mask(((const host_ints *)words)[i], (host_ints){0},
                                                      HOST_LESS, 0xFFFF)
                << 16 * i;
#elif defined __AVX2__
    /* Words become bytes, which keep their top bits; packing works on halves of 4 words. */
    const host_words *w = (const host_words *)words, halves = {0, 4, 1, 5, 2, 6, 3, 7};
    host_shorts low = __builtin_ia32_packssdw256(w[0], w[1]),
                high = __builtin_ia32_packssdw256(w[2], w[3]);
    host_words bytes = (host_words)__builtin_ia32_packsswb256(low, high);
    mask = (uint32_t)__builtin_ia32_pmovmskb256(
        (host_bytes)__builtin_ia32_permvarsi256(bytes, halves));
#else
    EACH_LANE
        mask |= (words[l] >> 31) << l;
#endif
    return mask;
}

static inline int first_lane(uint32_t mask) {
    return __builtin_ctz(mask);
}
static inline int last_lane(uint32_t mask) {
    return 31 - __builtin_clz(mask);
}

/* For each set bit l of mask, from the lowest lane to the highest. l is a uint32_t. */
#define EACH_ACTIVE(mask)                                                                          \
    for (uint32_t rest_ = (mask), l = 0; rest_ && (l = first_lane(rest_), 1); rest_ &= rest_ - 1)

/* The rows of a LANE_GROUP. The loops over lanes are not used for them: gcc writes those of few
 * turns out one lane after the other. */
typedef uint32_t group_u32 __attribute__((vector_size(4 * LANE_GROUP), aligned(4)));
typedef uint64_t group_u64 __attribute__((vector_size(8 * LANE_GROUP), aligned(8)));
#define EACH_GROUP      for (int l = 0; l < WARP_SIZE; l += LANE_GROUP)
#define GROUP(t, lanes) (*(group_##t *)(lanes))

/* The lanes of mask whose value no lower lane of mask has. Each group of lanes is compared with all
 * groups that begin 1, 2, 3 ... lanes lower. Other lanes, and what lies below lane 0, have the
 * first lane's value here, which makes no difference. */
static inline uint32_t first_of_each(const uint32_t values[WARP_SIZE], uint32_t mask) {
    uint32_t row[2 * WARP_SIZE], again[WARP_SIZE] __attribute__((aligned(64)));
    const uint32_t value = values[first_lane(mask)];
    VECTOR_LANES {
        row[l] = value;
        row[WARP_SIZE + l] = mask >> l & 1 ? values[l] : value;
    }
    EACH_GROUP {
        const uint32_t *lanes = row + WARP_SIZE + l;
        group_u32 equal = {0};
        for (int lower = 1; lower < l + LANE_GROUP; lower++)
            equal |= (group_u32)(GROUP(u32, lanes) == GROUP(u32, lanes - lower));
        GROUP(u32, again + l) = equal;
    }
    return (mask & ~pack(again)) | (mask & -mask);
}

/* Write an expression of l to the lanes of row d that are in mask. Both loops are vectorised. Under
 * a partial mask, the expression is evaluated for the other lanes, too, and its value dropped: it
 * must not trap or have an effect. */
#define WRITE_LANES(type, mask, expression)                                                        \
    do {                                                                                           \
        if ((mask) == FULL_MASK) {                                                                 \
            VECTOR_LANES {                                                                         \
                d[l] = PUT_##type(expression);                                                     \
            }                                                                                      \
        } else {                                                                                   \
            const uint32_t *m_ = spread(w, mask);                                                  \
            VECTOR_LANES {                                                                         \
                d[l] = m_[l] ? PUT_##type(expression) : d[l];                                      \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* The same for an operation's result: one that all lanes have is computed once. */
#define WRITE_RESULT(type, mask, expression)                                                       \
    do {                                                                                           \
        if ((mask) == FULL_MASK && op->flags & OP_UNIFORM) {                                       \
            const int l = 0;                                                                       \
            const __typeof__(*d) value_ = PUT_##type(expression);                                  \
            for (int i_ = 0; i_ < WARP_SIZE; i_++) d[i_] = value_;                                 \
        } else {                                                                                   \
            WRITE_LANES(type, mask, expression);                                                   \
        }                                                                                          \
    } while (0)

/* Handlers that compute one value per lane from one, two or three operands. name: of the handler;
 * td, ta, tb, tc: value types of the result and the operands; expression: reads a, b, c. */
#define LANE_OP1(name, td, ta, expression)                                                         \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op);                                                              \
        ROW_##td *d = DST(td);                                                                     \
        const ROW_##ta *pa = SRC(ta, op->a);                                                       \
        WRITE_RESULT(td, mask, ({                                                                  \
                         const VAL_##ta a = GET_##ta(pa[l]);                                       \
                         expression;                                                               \
                     }));                                                                          \
        return RUN(NEXT);                                                                          \
    }
#define LANE_OP2(name, td, ta, tb, expression)                                                     \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op);                                                              \
        ROW_##td *d = DST(td);                                                                     \
        const ROW_##ta *pa = SRC(ta, op->a);                                                       \
        const ROW_##tb *pb = SRC(tb, op->b);                                                       \
        WRITE_RESULT(td, mask, ({                                                                  \
                         const VAL_##ta a = GET_##ta(pa[l]);                                       \
                         const VAL_##tb b = GET_##tb(pb[l]);                                       \
                         expression;                                                               \
                     }));                                                                          \
        return RUN(NEXT);                                                                          \
    }
#define LANE_OP3(name, td, ta, tb, tc, expression)                                                 \
    HANDLER(name) {                                                                                \
        uint32_t mask = guard(w, op);                                                              \
        ROW_##td *d = DST(td);                                                                     \
        const ROW_##ta *pa = SRC(ta, op->a);                                                       \
        const ROW_##tb *pb = SRC(tb, op->b);                                                       \
        const ROW_##tc *pc = SRC(tc, op->c);                                                       \
        WRITE_RESULT(td, mask, ({                                                                  \
                         const VAL_##ta a = GET_##ta(pa[l]);                                       \
                         const VAL_##tb b = GET_##tb(pb[l]);                                       \
                         UNUSED const VAL_##tc c = GET_##tc(pc[l]);                                \
                         expression;                                                               \
                     }));                                                                          \
        return RUN(NEXT);                                                                          \
    }
