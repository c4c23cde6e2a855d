/*
 * native/run.h: the state of translating one run.
 *
 * A row of 32 lanes is in a pair of vector registers, 16 lanes in each. The pairs of a run:
 *
 *   zmm0 .. zmm27   rows                    k1, k2    the lanes that run, where they are not all of the warp's
 *   zmm28 .. zmm31  for the moment          k5 .. k7  for the moment
 *
 * Predicates stay in memory.
 */
#ifndef SIMT_NATIVE_RUN_H
#define SIMT_NATIVE_RUN_H

#include "simt/machine/isa.h"
#include "simt/machine/machine.h"
#include "x86.h"

#define PAIRS        14
#define FIRST_MOMENT 28
#define NO_PAIR      (-1)
#define HALF_BYTES   (ROW32 / 2)

/* What a pair holds. */
struct held {
    uint32_t ref;
    uint32_t used; /* the run's clock when it was last used */
    bool is_taken, is_dirty;
    bool is_loose; /* NaN may have any bits: row_of() and rows_store() give them those that PTX asks for */
};

/* Code out of the way, for a request that the fast way does not know: call the handler, and go back. */
struct detour {
    size_t jump, back;
    const struct op *op;
    struct held before[PAIRS], after[PAIRS];
};

/* Where the code has them. */
struct subroutines {
    size_t special[SPECIALS], load_shared, load_global;
};

struct run {
    struct code_buffer *code;
    const struct code *of;
    const struct op *first;
    int32_t n;
    bool is_masked;       /* not all lanes of the warp run */
    int warp, op;         /* general registers: the warp, and the run's first operation */
    const uint8_t *bases; /* by enum operand_rows: the general register with the rows' beginning */
    uint32_t clock;       /* rises with each operation */
    struct held rows[PAIRS];
    const struct subroutines *subroutines;
    struct detour *detours;
    int ndetours;
};

#define SIGN_BIT      0x80000000u
#define EXPONENT_BITS 0x7F800000u
#define NAN_BITS      0x7FFFFFFFu /* also: all but the sign */

/* One instruction for each half of the lanes. d, a: pairs, or NO_PAIR; the last operand: a pair, a row in memory or a
 * constant. masks: the mask register of the low half; the high half's is the next. 0: all lanes. */
void emit_both(struct run *run, struct encoding e, int d, int a, struct place last, int masks, int immediate);

/* The pair that holds a row, loaded if need be. It stays until the next operation. */
int row_loose(struct run *run, uint32_t ref);
/* The same as an instruction's last operand: what is no register may stay in memory. */
struct place row_last(struct run *run, uint32_t ref);
/* A pair with the row's values, for the operation to change: the row's own, if nothing reads these any more. */
int row_copy(struct run *run, uint32_t ref, bool is_own);
/* The same as row_loose(), with NaN as PTX has them. */
int row_of(struct run *run, uint32_t ref);
/* Give the NaN in a pair the bits that PTX asks for. */
void make_exact(struct run *run, int pair);
bool row_is_loose(const struct run *run, uint32_t ref);
/* A pair for a result; row_set() says of which row. */
int row_new(struct run *run);
/* Let no row be in these registers from z on, until the next operation. */
void rows_leave(struct run *run, int z);
void row_set(struct run *run, uint32_t ref, int pair, bool is_loose);
/* Nothing reads it any more. */
void row_forget(struct run *run, uint32_t ref);
/* Store what the run wrote, and load all that is held. */
void rows_store(struct run *run);
void rows_load(struct run *run);
/* Where the row is in memory. */
struct place row_place(const struct run *run, uint32_t ref, int32_t more);

#endif
