/*
 * decode/polls.c: which loads may a thread repeat until another thread writes?
 *
 * Volatile and ordered loads, and those that another thread's write always reaches: .cv, and .cg
 * where a loop repeats it at one address. The loop may stand in a caller:
 *
 *      loop:  call look         look:  ld.acquire r, [a]      marked by calls_find_repeated()
 *             bra loop                 ret
 *
 * And which compare-and-swaps does a thread repeat until it has success?
 */
#include "decode.h"

enum { OLD_VALUE = 2, NEW_VALUE }; /* operands of a compare-and-swap */

/* ---- Functions that a loop calls ---- */

/* Mark the functions that an instruction may call; through a pointer, all but the kernel. True:
 * some were not marked. */
static bool mark_called(struct kernel *kernel, const struct ptx_function *function,
                        const struct ptx_insn *insn) {
    const struct ptx_operand *callee = &insn->operand[1];
    bool any = callee->kind != PTX_OPERAND_FUNCTION, news = false;
    const struct ptx_function *called =
        any ? NULL : function->module->functions[callee->func].definition;
    for (int32_t c = 1; c < kernel->ncodes; c++) {
        struct code *code = kernel->codes[c];
        if (code->repeated) continue;
        code->repeated = any || code->function == called;
        news |= code->repeated;
    }
    return news;
}

static bool mark_calls_of(struct kernel *kernel, const struct code *code) {
    const struct ptx_function *function = code->function;
    bool news = false;
    for (int32_t i = 0; i < function->ninsns; i++)
        if (function->insns[i].op == PTX_CALL && (code->repeated || inside_loop(function, i)))
            news |= mark_called(kernel, function, &function->insns[i]);
    return news;
}

void calls_find_repeated(struct kernel *kernel) {
    for (bool again = true; again;) {
        again = false;
        for (int32_t c = 0; c < kernel->ncodes; c++)
            again |= mark_calls_of(kernel, kernel->codes[c]);
    }
}

/* ---- Loads ---- */

bool is_repeated(const struct code *code, const struct ptx_insn *insn) {
    return code->repeated || inside_loop(code->function, (int32_t)(insn - code->function->insns));
}

static bool writes(const struct ptx_insn *insn, int32_t reg) {
    for (int k = 0; k < ptx_destinations(insn); k++) {
        const struct ptx_operand *to = &insn->operand[k];
        if (to->kind == PTX_OPERAND_REG && to->reg == reg) return true;
        for (int v = 0; to->kind == PTX_OPERAND_VECTOR && v < to->nvec; v++)
            if (to->vec[v] == reg) return true;
    }
    return false;
}

/* Does the innermost loop around a load leave the register of its address as it is? */
static bool stays_at_one_address(const struct ptx_function *function, int32_t index) {
    int32_t reg = function->insns[index].operand[1].reg, end = index, i;
    const struct ptx_insn *insns = function->insns;
    while (end < function->ninsns &&
           (insns[end].op != PTX_BRA || insns[end].operand[0].target > index))
        end++;
    if (end == function->ninsns) return false;
    for (i = insns[end].operand[0].target; i < end && !writes(&insns[i], reg); i++)
        ;
    return i == end;
}

/* order: r, relaxed; a, acquire; q, .acq_rel. cache: v, .cv; g, .cg. */
bool load_may_poll(const struct code *code, const struct ptx_insn *insn) {
    bool ordered = insn->order == 'r' || insn->order == 'a' || insn->order == 'q';
    if (insn->is_volatile || ordered || insn->cache == 'v') return true;
    return insn->cache == 'g' &&
           (code->repeated ||
            stays_at_one_address(code->function, (int32_t)(insn - code->function->insns)));
}

/* ---- Compare-and-swaps ---- */

static bool computes(const struct ptx_insn *insn) {
    return insn->op == PTX_ADD || insn->op == PTX_SUB || insn->op == PTX_MUL ||
           insn->op == PTX_MAD || insn->op == PTX_FMA;
}

/* A compare-and-swap of the same word in a loop further on; NULL: none. */
static const struct ptx_insn *tried_again(const struct code *code, const struct ptx_insn *insn) {
    const struct ptx_insn *end = code->function->insns + code->function->ninsns, *next = insn + 1;
    while (next < end && (next->op != PTX_ATOM || next->sub != PTX_ATOM_CAS ||
                          next->operand[1].reg != insn->operand[1].reg || !is_repeated(code, next)))
        next++;
    return next < end ? next : NULL;
}

/* Where the new value of a compare-and-swap comes from, past copies in its loop; NULL: unknown. */
static const struct ptx_insn *source_of(const struct code *code, const struct ptx_insn *swap) {
    const struct ptx_insn *insns = code->function->insns;
    const struct ptx_operand *value = &swap->operand[NEW_VALUE];
    int32_t i = (int32_t)(swap - insns);
    for (; value->kind == PTX_OPERAND_REG; value = &insns[i].operand[1]) {
        for (i--; i >= 0 && !writes(&insns[i], value->reg); i--)
            ;
        if (i < 0) return NULL;
        bool copies = insns[i].op == PTX_MOV || insns[i].op == PTX_CVT;
        if (!copies || !is_repeated(code, &insns[i])) return &insns[i];
    }
    return NULL;
}

/* Does the program compare what it found there with something? */
static bool is_compared(const struct code *code, const struct ptx_insn *swap) {
    const struct ptx_insn *insn = code->function->insns, *end = insn + code->function->ninsns;
    for (; insn < end; insn++)
        for (int k = 1; insn->op == PTX_SETP && k < insn->noperands; k++)
            if (insn->operand[k].kind == PTX_OPERAND_REG && writes(swap, insn->operand[k].reg))
                return true;
    return false;
}

bool is_retried(const struct code *code, const struct ptx_insn *insn) {
    if (insn->sub != PTX_ATOM_CAS || !is_compared(code, insn)) return false;
    if (!is_repeated(code, insn)) insn = tried_again(code, insn);
    const struct ptx_insn *source = insn ? source_of(code, insn) : NULL;
    return source && is_repeated(code, source) && computes(source);
}

const struct ptx_insn *selecting_load(const struct code *code, const struct ptx_insn *insn) {
    const struct ptx_insn *insns = code->function->insns, *source;
    if (insn->sub != PTX_ATOM_CAS || !is_repeated(code, insn)) return NULL;
    if (!(source = source_of(code, insn)) || is_repeated(code, source)) return NULL;
    int32_t old = insn->operand[OLD_VALUE].reg;
    for (insn--; insn >= insns; insn--) {
        if (!writes(insn, old)) continue;
        if (insn->op == PTX_LD) return is_repeated(code, insn) ? NULL : insn;
        if (insn->op != PTX_MOV || insn->operand[1].kind != PTX_OPERAND_REG) return NULL;
        old = insn->operand[1].reg;
    }
    return NULL;
}
