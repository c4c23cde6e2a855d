/*
 * exec/matrix.c: matrices of 8 rows with 8 elements of 16 bits, between shared memory
 * and registers. Lane l has elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 in a register;
 * transposed, of column l / 4.
 *
 *   lane        0        1        2        3          4 ...
 *   row 0       e0 e1    e2 e3    e4 e5    e6 e7      row 1
 *
 * Lanes 8 i to 8 i + 7 have the addresses of matrix i's rows, of 16 bytes each.
 */
#include "simt/access/request.h"

#define SIDE      8 /* rows and columns */
#define ROW_BYTES 16

/* An element's place in its matrix: s is 0 or 1, for the lower and the upper half of the lane's
 * register. */
static inline uint32_t row_of(uint32_t lane, uint32_t s, bool transposed) {
    return transposed ? 2 * (lane % 4) + s : lane / 4;
}
static inline uint32_t column_of(uint32_t lane, uint32_t s, bool transposed) {
    return transposed ? lane / 4 : 2 * (lane % 4) + s;
}

static bool all_lanes(struct warp *w, const struct op *op, uint32_t lanes) {
    if (lanes == FULL_MASK) return true;
    fault_raise(w, op, SIM_ERROR_LAUNCH, first_lane(lanes),
                "the instruction needs all 32 threads of a warp, and %d are here",
                __builtin_popcount(lanes));
    return false;
}

/* Count passes and conflicts. As ncu has it, an instruction on matrices is no shared load or store,
 * and asks for no bytes. */
static void count_rows(struct warp *w, const struct op *op, const struct request *r, bool store) {
    struct passes passes = pattern_passes(r->lanes, (uint32_t)r->at, r->bytes);
    struct counters *n = &w->worker->counters;
    if (w->trace)
        trace_passes(w->trace, op->insn, ACCESS_SHARED, store ? 0 : ACCESS_RESULT,
                     passes.wavefronts, passes.least);
    if (store)
        n->shared_st_wavefronts += passes.wavefronts,
            n->shared_st_conflicts += passes.wavefronts - op->vector;
    else
        n->shared_ld_wavefronts += passes.wavefronts,
            n->shared_ld_conflicts += passes.wavefronts - op->vector;
}

/* Find the rows in shared memory and count them. False: a fault was raised. */
static bool ask_rows(struct warp *w, const struct op *op, struct request *r, bool store) {
    uint32_t rows = op->vector * SIDE == WARP_SIZE ? FULL_MASK : (1u << op->vector * SIDE) - 1;
    *r = request_of(w, op, rows, ROW_BYTES);
    if (!request_shared(w, op, r)) return false;
    count_rows(w, op, r, store);
    return true;
}

/* Element s of lane l in matrix i, in shared memory. */
static inline uint16_t *matrix_element(const struct request *r, uint32_t i, uint32_t l, uint32_t s,
                                       bool transposed) {
    uint32_t lane = i * SIDE + row_of(l, s, transposed);
    return (uint16_t *)(r->first + r->lanes->step[lane]) + column_of(l, s, transposed);
}

HANDLER(ldmatrix) {
    uint32_t lanes = guard(w, op);
    struct request r;
    if (!lanes) return NEXT;
    if (!all_lanes(w, op, lanes) || !ask_rows(w, op, &r, false)) return NULL;
    uint32_t value[4][WARP_SIZE]; /* an address may be overwritten */
    for (uint32_t i = 0; i < op->vector; i++)
        EACH_ACTIVE(FULL_MASK)
            value[i][l] = (uint32_t)*matrix_element(&r, i, l, 0, op->insn->trans) |
                          (uint32_t)*matrix_element(&r, i, l, 1, op->insn->trans) << 16;
    for (uint32_t i = 0; i < op->vector; i++)
        memcpy(row(w, op->refs[i]), value[i], sizeof value[i]);
    return NEXT;
}

HANDLER(stmatrix) {
    uint32_t lanes = guard(w, op);
    struct request r;
    if (!lanes) return NEXT;
    if (!all_lanes(w, op, lanes) || !ask_rows(w, op, &r, true)) return NULL;
    for (uint32_t i = 0; i < op->vector; i++) {
        const uint32_t *value = SRC(u32, op->refs[i]);
        EACH_ACTIVE(FULL_MASK) {
            *matrix_element(&r, i, l, 0, op->insn->trans) = (uint16_t)value[l];
            *matrix_element(&r, i, l, 1, op->insn->trans) = (uint16_t)(value[l] >> 16);
        }
    }
    return NEXT;
}

HANDLER(movmatrix) {
    uint32_t lanes = guard(w, op), *d = DST(u32), value[WARP_SIZE];
    const uint32_t *a = SRC(u32, op->a);
    if (!lanes) return NEXT;
    if (!all_lanes(w, op, lanes)) return NULL;
    EACH_ACTIVE(FULL_MASK) {
        uint32_t from = 2 * (l % 4) * 4 + l / 8, shift = l / 4 % 2 * 16;
        value[l] = (a[from] >> shift & 0xFFFF) | (a[from + 4] >> shift & 0xFFFF) << 16;
    }
    memcpy(d, value, sizeof value);
    return NEXT;
}

void EXEC(matrix_names)(struct handlers *handlers) {
    handlers->ldmatrix = ldmatrix;
    handlers->stmatrix = stmatrix;
    handlers->movmatrix = movmatrix;
}
