/* decode/matrix.c: mma, and the moves of matrices between registers and shared memory. */
#include "decode.h"
#include "simt/machine/mma.h"

#include <string.h>

#define TENSOR_CAPABILITY 70 /* Volta's, times 10: the first GPUs with tensor cores */

/* ---- Sums of products ---- */

/*
 * How many bits after the point the tensor cores keep, and how many bytes of a row they multiply
 * at once. Of floats of 16 bits and more: NVIDIA does not document it. Hopper's are measured, the
 * others are those of P. Xie et al., "MMA-Sim: Bit-Accurate Reference Model of Tensor Cores and
 * Matrix Cores", arXiv 2511.10909.
 */
static const struct {
    int capability; /* from this one on */
    uint8_t fraction, row_bytes;
} TENSOR_CORES[] = {{90, 25, 32}, {75, 24, 16}, {TENSOR_CAPABILITY, 23, 8}};

/* 8-bit floats: Ada's tensor cores keep 13 bits. Hopper's mma has none, ptxas converts to f16.
 * Blackwell's are as its others. */
static struct mma_sum sum_of_bytes(const struct ptx_insn *insn, int capability) {
    if (capability == 89) return (struct mma_sum){.fraction = 13, .block = 16, .kept = 13};
    uint8_t half = (uint8_t)(ptx_shape_dims(insn->shape).k / 2);
    if (capability == 90)
        return (struct mma_sum){
            .fraction = 25, .block = half, .kept = 23, .emulated = MMA_BY_HALVES};
    return (struct mma_sum){.fraction = 25, .block = 32, .kept = 23};
}

static struct mma_sum matrix_sum_of(const struct ptx_insn *insn, int capability) {
    unsigned bits = ptx_element_bits(insn->type2), i = 0;
    if (bits == 8) return sum_of_bytes(insn, capability);
    while (TENSOR_CORES[i].capability > capability) i++;
    struct mma_sum sum = {.fraction = TENSOR_CORES[i].fraction,
                          .block = (uint8_t)(TENSOR_CORES[i].row_bytes * 8u / bits),
                          .kept = 23};
    if (ptx_is_quarter_mma(insn) && capability >= 75) sum.emulated = MMA_BY_FMA;
    return sum;
}

/* ---- Fragments ---- */

/* From a column to the next in a matrix as machine/mma.h has it, and the columns. per: k that
 * make an element. */
static unsigned column_length(struct ptx_dims dims, enum ptx_fragment fragment, unsigned per) {
    return fragment == PTX_FRAGMENT_B ? dims.k / per : MMA_ROWS;
}

static unsigned columns_of(struct ptx_dims dims, enum ptx_fragment fragment, unsigned per) {
    return fragment == PTX_FRAGMENT_A ? dims.k / per : dims.n;
}

/* Index of an element among the matrices. */
static uint16_t matrix_index_of(struct ptx_dims dims, enum ptx_fragment fragment, unsigned per,
                                const struct ptx_place *p) {
    unsigned row = fragment == PTX_FRAGMENT_B ? p->row / per : p->row;
    unsigned column = fragment == PTX_FRAGMENT_A ? p->column / per : p->column;
    unsigned before = p->matrix * columns_of(dims, fragment, per) + column;
    return (uint16_t)(before * column_length(dims, fragment, per) + row);
}

static void set_fragment(struct decoder *d, struct mma *mma, const struct ptx_insn *insn,
                         enum ptx_fragment fragment) {
    const struct ptx_operand *o = &insn->operand[fragment];
    struct mma_fragment *to = &mma->fragments[fragment];
    to->n = (uint8_t)ptx_fragment_registers(insn, (int)fragment);
    to->type = ptx_fragment_type(insn, fragment);
    unsigned width = to->type == PTX_F64 ? 8 : 4, per = to->type == PTX_B1 ? 32 : 1;
    if (o->kind == PTX_OPERAND_VECTOR)
        memcpy(to->refs, vector_refs(d, o, width), to->n * sizeof *to->refs);
    else
        to->refs[0] = source_typed(d, o, to->type == PTX_F64 ? PTX_F64 : PTX_B32);
    for (unsigned i = 0; i < to->n; i++)
        for (unsigned lane = 0; lane < WARP_SIZE; lane++) {
            struct ptx_place place = ptx_fragment_place(insn, fragment, lane, i);
            to->first[i][lane] = matrix_index_of(mma->dims, fragment, per, &place);
            to->step = (uint16_t)(place.down ? 1 : column_length(mma->dims, fragment, per));
        }
}

static bool decode_mma(struct decoder *d, const struct ptx_insn *insn) {
    bool is_float = insn->type2 >= PTX_F16 && insn->type2 <= PTX_E5M2;
    bool bytes = insn->type2 == PTX_E4M3 || insn->type2 == PTX_E5M2;
    if (d->capability < TENSOR_CAPABILITY || (bytes && d->capability < 89)) {
        emit_unsupported(d, insn);
        return true;
    }
    struct mma *mma = kernel_alloc(d, sizeof *mma);
    mma->dims = ptx_shape_dims(insn->shape);
    mma->matrices = ptx_is_quarter_mma(insn) ? 4 : 1;
    mma->satfinite = insn->satfinite;
    mma->boolop = insn->boolop;
    mma->round = insn->round;
    if (is_float) mma->sum = matrix_sum_of(insn, d->capability);
    for (int fragment = PTX_FRAGMENT_D; fragment <= PTX_FRAGMENT_C; fragment++)
        set_fragment(d, mma, insn, (enum ptx_fragment)fragment);
    emit(d, d->handlers.mma, insn)->mma = mma;
    return true;
}

/* ---- Moves ---- */

/* ldmatrix {d...}, [a] and stmatrix [a], {b...}: the addresses of the rows are those of the lanes,
 * 8 for a matrix. */
static bool decode_matrix_access(struct decoder *d, const struct ptx_insn *insn) {
    bool loads = insn->op == PTX_LDMATRIX;
    const struct ptx_operand *value = &insn->operand[loads ? 0 : 1];
    struct op *op = emit(d, loads ? d->handlers.ldmatrix : d->handlers.stmatrix, insn);
    op->vector = insn->vector;
    if (value->kind == PTX_OPERAND_VECTOR) {
        op->refs = vector_refs(d, value, 4);
    } else {
        uint32_t *refs = kernel_alloc(d, sizeof *refs);
        *refs = source_typed(d, value, PTX_B32);
        op->refs = refs;
    }
    set_address(d, op, &insn->operand[loads ? 1 : 0], PTX_SHARED);
    op->mem.alloc_cache = d->kernel->nalloc_caches++;
    return true;
}

static bool decode_movmatrix(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, d->handlers.movmatrix, insn);
    op->d = destination(d, &insn->operand[0]);
    op->a = source(d, insn, 1);
    return true;
}

bool decode_matrix(struct decoder *d, const struct ptx_insn *insn) {
    switch ((enum ptx_opcode)insn->op) {
    case PTX_MMA: return decode_mma(d, insn);
    case PTX_LDMATRIX:
    case PTX_STMATRIX: return decode_matrix_access(d, insn);
    case PTX_MOVMATRIX: return decode_movmatrix(d, insn);
    default: return false;
    }
}
