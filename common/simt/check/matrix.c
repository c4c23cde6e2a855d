/*
 * check/matrix.c: the instructions on matrices. ldmatrix and stmatrix are checked as accesses
 * of the lanes that have an address, of a row each.
 *
 * Undefined values are not followed through them: their results count as defined. Programs fill up
 * tiles at the edge of a matrix with anything, and do not look at what comes of it.
 */
#include "check.h"
#include "simt/decode/decode.h"
#include "simt/machine/mma.h"

#define MATRIX_ROWS 8

/* The results, op->vector registers, are defined. */
static const struct op *check_defined(struct warp *w, const struct op *op) {
    for (int i = 0; i < op->vector; i++)
        check_result_defined(w, REF_OFFSET(op->refs[i]), FULL_MASK);
    return op + 1;
}

static void emit_defined(struct decoder *d, const struct ptx_insn *insn, const uint32_t *refs,
                         uint8_t n) {
    struct op *op = emit(d, check_defined, insn);
    op->refs = refs;
    op->vector = n;
}

/* A row of 16 bytes is two elements, whose values do not matter. */
void check_matrix_rows(struct decoder *d, struct op *check) {
    uint32_t *nowhere = kernel_alloc(d, 2 * sizeof *nowhere);
    nowhere[0] = nowhere[1] = REF(ROWS_REGS, d->sink);
    if (check->vector * MATRIX_ROWS != WARP_SIZE)
        check->check.lanes = (1u << check->vector * MATRIX_ROWS) - 1;
    check->check.value_unknown = true;
    check->size = sizeof(uint64_t);
    check->vector = 2;
    check->refs = nowhere;
    check->flags |= OP_WIDE;
}

void check_matrix_results(struct decoder *d, const struct ptx_insn *insn) {
    const struct op *op = &d->code->ops[d->code->nops - 1];
    if (op->run == d->handlers.unsupported) return;
    if (insn->op == PTX_MMA) {
        const struct mma_fragment *results = &op->mma->fragments[PTX_FRAGMENT_D];
        emit_defined(d, insn, results->refs, results->n);
    } else if (insn->op == PTX_LDMATRIX) {
        emit_defined(d, insn, op->refs, op->vector);
    }
}
