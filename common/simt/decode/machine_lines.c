/*
 * decode/machine_lines.c: which PTX instruction a machine instruction was made from. ptxas's table
 * leads to its line, which is not always enough.
 */
#include "decode.h"

#include "lib/memory.h"
#include "simt/image/machine_code.h"

#include <stdlib.h>

/* The PTX instruction on that line, NULL: none of this function's. */
static const struct ptx_insn *insn_on(const struct ptx_function *f, uint32_t line) {
    int32_t low = 0, high = f->ninsns;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if ((uint32_t)f->insns[middle].ptx_line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->ninsns && (uint32_t)f->insns[low].ptx_line == line ? &f->insns[low] : NULL;
}

/* 't': fetches from a texture, 's': accesses a surface, 0: neither. */
static char image_kind(const struct ptx_insn *insn) {
    enum ptx_kind kind = ptx_kind(insn);
    return kind == PTX_KIND_TEXTURE ? 't' : kind == PTX_KIND_SURFACE ? 's' : 0;
}

bool touches_memory(const struct ptx_insn *insn) {
    return ptx_accesses(insn) || insn->op == PTX_CP_ASYNC || insn->op == PTX_LDMATRIX ||
           insn->op == PTX_STMATRIX || image_kind(insn);
}

/* Is the PTX instruction of the kind of the machine instruction? */
static bool is_of_kind(const struct ptx_insn *insn, const struct machine_insn *m) {
    switch ((enum machine_kind)m->kind) {
    case MACHINE_LOAD:
    case MACHINE_STORE:
        return touches_memory(insn) && image_kind(insn) == m->object &&
               (m->object != 's' || (insn->op == PTX_SULD) == (m->kind == MACHINE_LOAD));
    case MACHINE_TENSOR: return insn->op == PTX_MMA;
    case MACHINE_SHUFFLE: return insn->op == PTX_MOVMATRIX;
    default: return false;
    }
}

/* ptxas's table has no lines of textures and surfaces: it leads to the line before, `first`.
 * Returns the first such instruction of that block, or else the next after it; first: there is
 * none. */
static const struct ptx_insn *first_with_object(const struct decoder *d,
                                                const struct ptx_insn *first) {
    const struct ptx_function *f = d->function;
    const int32_t *tally = d->tally_of;
    const struct ptx_insn *insn = first;
    while (insn > f->insns && tally[insn - f->insns - 1] == tally[first - f->insns]) insn--;
    while (insn < f->insns + f->ninsns && !image_kind(insn)) insn++;
    return insn < f->insns + f->ninsns ? insn : first;
}

/* Are both on one line of the PTX? wmma stands for several instructions
 * (ptx/parse_wmma.c). Or are they in one block, where the first uses a texture or a
 * surface? */
static bool may_be_meant(const struct decoder *d, const struct ptx_insn *first,
                         const struct ptx_insn *insn) {
    const struct ptx_insn *insns = d->function->insns;
    return image_kind(first) ? d->tally_of[insn - insns] == d->tally_of[first - insns]
                             : insn->ptx_line == first->ptx_line;
}

/* Of the PTX instructions that may be meant, take turns among those of the machine instruction's
 * kind. taken: by PTX instruction, how often. */
static const struct ptx_insn *next_meant(const struct decoder *d, const struct machine_insn *m,
                                         const struct ptx_insn *on_line, uint32_t *taken) {
    const struct ptx_function *f = d->function;
    const struct ptx_insn *first = m->object ? first_with_object(d, on_line) : on_line,
                          *part = NULL;
    for (const struct ptx_insn *insn = first;
         insn < f->insns + f->ninsns && may_be_meant(d, first, insn); insn++)
        if (is_of_kind(insn, m) && (!part || taken[insn - f->insns] < taken[part - f->insns]))
            part = insn;
    if (part) taken[part - f->insns]++;
    return part ? part : on_line;
}

uint32_t machine_find_insns(const struct decoder *d, const struct machine_code *code,
                            const struct ptx_insn **insns) {
    const struct ptx_function *f = d->function;
    uint32_t *taken = need(calloc((size_t)f->ninsns + 1, sizeof *taken)), known = 0;
    for (uint32_t i = 0; i < code->n; i++) {
        const struct ptx_insn *on_line = insn_on(f, code->insns[i].ptx_line);
        insns[i] = on_line ? next_meant(d, &code->insns[i], on_line, taken) : NULL;
        known += on_line != NULL;
    }
    free(taken);
    return known;
}
