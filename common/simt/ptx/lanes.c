/*
 * ptx/lanes.c: what is certain of a register in the lanes of a warp before the kernel runs.
 *
 *   FIXED   one value in the whole launch: parameters, %ntid, immediates, sums of them
 *   SAME    one value in lanes that run together: a loop's counter, %ctaid, a load from there
 *   STEPS   always the same distances: %tid.x; base + 4 * %tid.x
 *   ANY     nothing is certain
 *
 * All writes of a register have one answer. Distances take for granted that %tid lies alike in all
 * warps of a block; whoever uses them asks for that. A divergence analysis (R. Karrenberg, S. Hack,
 * "Improving Performance of OpenCL on CPUs", 2012): lanes that a branch separates come together at
 * its reconvergence alone. A register that is written on the way and lives there may have come from
 * different writes, or from different runs of a loop.
 */
#include "liveness.h"

#include <string.h>

enum kind { UNKNOWN, FIXED, SAME, STEPS, ANY };

struct lanes {
    uint8_t kind;
    bool bits;    /* STEPS: the lanes differ in bits in which the warps' values are zero */
    bool widened; /* STEPS: of 32 bits, and extended: where it wraps, distances change */
    int32_t made; /* STEPS: the instruction, or beyond them the special register, that made them */
};

struct analysis {
    const struct liveness *live;
    const struct ptx_function *function;
    struct lanes *now, *next; /* by register */
    bool *mixed;              /* register: ANY, as lanes may have it from different writes */
    int32_t *writes;
    bool *seen, *split; /* by block: of a search; its last branch separates lanes */
    int32_t *stack;     /* of the search */
};

static struct lanes of_kind(enum kind kind) {
    return (struct lanes){.kind = (uint8_t)kind, .made = -1};
}

static struct lanes of_sreg(const struct analysis *a, uint8_t sreg) {
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
    case PTX_SREG_LANEID: return (struct lanes){STEPS, true, false, a->function->ninsns + sreg};
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z:
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z: return of_kind(FIXED);
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z:
    case PTX_SREG_WARPID: return of_kind(SAME);
    default: return of_kind(ANY);
    }
}

static struct lanes of_operand(const struct analysis *a, const struct ptx_operand *o) {
    struct lanes most = of_kind(FIXED);
    switch (o->kind) {
    case PTX_OPERAND_REG: return a->now[o->reg];
    case PTX_OPERAND_SREG: return of_sreg(a, o->sreg);
    case PTX_OPERAND_MEMORY: return o->reg >= 0 ? a->now[o->reg] : most;
    case PTX_OPERAND_VARIABLE:
        return of_kind(o->var_space == PTX_LOCAL || o->var_space == PTX_FRAME ? SAME : FIXED);
    case PTX_OPERAND_VECTOR:
        for (int i = 0; i < o->nvec; i++) {
            if (o->vec_is_imm >> i & 1 || o->vec[i] < 0) continue;
            struct lanes one = a->now[o->vec[i]];
            if (one.kind == UNKNOWN) return one;
            if (one.kind > most.kind) most = of_kind(one.kind == STEPS ? ANY : one.kind);
        }
        return most;
    case PTX_OPERAND_IMM: return most;
    default: return of_kind(ANY);
    }
}

/* ---- What an instruction makes of its operands ---- */

static bool is_word(uint8_t type) {
    unsigned size = ptx_type_size(type);
    return (size == 4 || size == 8) && type != PTX_F32 && type != PTX_F64 && type <= PTX_S64;
}

/* x + y, or x - y. */
static struct lanes sum(struct lanes x, struct lanes y, bool negates, int32_t i) {
    if (y.kind < STEPS && x.kind == STEPS) return x.bits = false, x;
    if (x.kind < STEPS && y.kind == STEPS && !negates) return y.bits = false, y;
    if (x.kind == ANY || y.kind == ANY || (x.widened | y.widened)) return of_kind(ANY);
    return (struct lanes){STEPS, false, false, i};
}

/* x times, or shifted by, a FIXED value. small: one that is written down. */
static struct lanes multiple(struct lanes x, struct lanes by, bool small, int32_t i) {
    if (x.kind != STEPS || by.kind != FIXED || (x.widened && !small)) return of_kind(ANY);
    return (struct lanes){STEPS, false, x.widened, i};
}

static bool is_small(const struct ptx_operand *o) {
    return o->kind == PTX_OPERAND_IMM && o->bits < 1u << 16;
}

/* Of the operands' kinds one at least is STEPS, none is UNKNOWN. */
static struct lanes with_steps(const struct analysis *a, int32_t i) {
    const struct ptx_insn *insn = &a->function->insns[i];
    struct lanes x = of_operand(a, &insn->operand[1]), y = of_kind(ANY), result;
    if (insn->noperands > 2) y = of_operand(a, &insn->operand[2]);
    if (!is_word(insn->type) || insn->sat || insn->hi) return of_kind(ANY);
    bool right = y.kind == STEPS;
    switch (insn->op) {
    case PTX_MOV:
    case PTX_CVTA: return x;
    case PTX_CVT:
        if (!is_word(insn->type2)) return of_kind(ANY);
        x.bits = false;
        x.widened =
            ptx_type_size(insn->type) == 8 && (x.widened || ptx_type_size(insn->type2) == 4);
        return x;
    case PTX_ADD:
    case PTX_SUB: return sum(x, y, insn->op == PTX_SUB, i);
    case PTX_MUL:
    case PTX_MAD:
        result =
            x.kind < STEPS && y.kind < STEPS
                ? of_kind(SAME)
                : multiple(right ? y : x, right ? x : y, is_small(&insn->operand[!right + 1]), i);
        result.widened |= result.kind == STEPS && insn->wide;
        return insn->op == PTX_MUL ? result
                                   : sum(result, of_operand(a, &insn->operand[3]), false, i);
    case PTX_SHL:
        result = multiple(x, y, is_small(&insn->operand[2]) && insn->operand[2].bits < 16, i);
        result.bits = x.bits;
        return result;
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
    case PTX_SHR:
        if (right && insn->op != PTX_SHR) result = x, x = y, y = result;
        if (!x.bits || x.widened || y.kind != FIXED) return of_kind(ANY);
        return (struct lanes){STEPS, true, false, i};
    default: return of_kind(ANY);
    }
}

/* Does it compute its result from its operands alone? */
static bool computes(const struct ptx_insn *insn) {
    switch (insn->op) {
    case PTX_ADDC:
    case PTX_SUBC:
    case PTX_MADC: return false;
    case PTX_SET:
    case PTX_SETP:
    case PTX_SELP:
    case PTX_SLCT:
    case PTX_MOV:
    case PTX_CVT:
    case PTX_CVTA: return true;
    default: return ptx_kind(insn) == PTX_KIND_ARITHMETIC || ptx_kind(insn) == PTX_KIND_FUNCTION;
    }
}

static struct lanes of_result(const struct analysis *a, int32_t i) {
    const struct ptx_insn *insn = &a->function->insns[i];
    bool loads = insn->op == PTX_LD && (insn->space == PTX_GLOBAL || insn->space == PTX_SHARED ||
                                        insn->space == PTX_CONST || insn->space == PTX_KPARAM);
    if (!loads && !computes(insn)) return of_kind(ANY);
    enum kind most = FIXED, least = ANY;
    for (int k = ptx_destinations(insn); k < insn->noperands; k++) {
        enum kind kind = of_operand(a, &insn->operand[k]).kind;
        most = kind > most ? kind : most;
        least = kind < least ? kind : least;
    }
    if (least == UNKNOWN) return of_kind(UNKNOWN);
    if (loads) return of_kind(most > SAME ? ANY : insn->space == PTX_KPARAM ? most : SAME);
    return most == STEPS ? with_steps(a, i) : of_kind(most);
}

/* ---- All registers ---- */

static bool is_same(const struct analysis *a, int32_t reg) {
    return a->now[reg].kind <= SAME;
}

/* A register that has x from one write, y from another. */
static struct lanes join(struct lanes x, struct lanes y) {
    if (x.kind == UNKNOWN) return y;
    if (y.kind == UNKNOWN) return x;
    if (x.kind <= SAME && y.kind <= SAME) return of_kind(SAME);
    if (x.kind != STEPS || y.kind != STEPS || x.made != y.made) return of_kind(ANY);
    return x.bits &= y.bits, x.widened |= y.widened, x;
}

static void write(struct analysis *a, const struct ptx_insn *insn, int32_t reg,
                  struct lanes lanes) {
    if (insn->pred >= 0 && !is_same(a, insn->pred)) lanes = of_kind(ANY);
    if (a->writes[reg] > 1 && lanes.kind == FIXED) lanes.kind = SAME;
    a->next[reg] = join(a->next[reg], lanes);
    if (a->mixed[reg]) a->next[reg] = of_kind(ANY);
}

/* The registers that a block writes and that live at the beginning of block `end`. */
static void mix(struct analysis *a, const struct block *block, int32_t end) {
    const struct liveness *live = a->live;
    const word *lives = set_of(live, live->in, end);
    struct refs refs;
    for (int32_t i = block->start; i < block->end; i++) {
        find_refs(&a->function->insns[i], &refs);
        for (int k = 0; k < refs.ndef; k++) {
            int32_t number = live->global[refs.def[k]];
            if (number >= 0 && lives[number / WORD_BITS] >> number % WORD_BITS & 1)
                a->mixed[refs.def[k]] = true;
        }
    }
}

/* Does the branch at the end of a block separate lanes? */
static bool separates(const struct analysis *a, const struct ptx_insn *insn) {
    return ptx_kind(insn) == PTX_KIND_BRANCH &&
           ((insn->pred >= 0 && !is_same(a, insn->pred)) ||
            (insn->op == PTX_BRX && of_operand(a, &insn->operand[0]).kind > SAME));
}

/* If the branch that ends block b separates lanes: all blocks between it and where they meet. */
static void part(struct analysis *a, int32_t b) {
    const struct cfg *cfg = a->live->cfg;
    const struct ptx_insn *insn = &a->function->insns[cfg->blocks[b].end - 1];
    int32_t end = 0, n = 0;
    if (a->split[b] || !separates(a, insn)) return;
    a->split[b] = true;
    if (insn->reconverge >= a->function->ninsns) return;
    while (cfg->blocks[end].start != insn->reconverge) end++;
    memset(a->seen, 0, (size_t)cfg->nblocks * sizeof *a->seen);
    a->seen[end] = true;
    for (const struct block *block = &cfg->blocks[b];; block = &cfg->blocks[a->stack[--n]]) {
        if (block != &cfg->blocks[b] || a->seen[b]) mix(a, block, end);
        for (int32_t s = 0; s < block->nsuccessors; s++) {
            int32_t next = block->successors[s];
            if (!a->seen[next]) a->seen[next] = true, a->stack[n++] = next;
        }
        if (!n) break;
    }
}

/* One look at all instructions. True: a register has changed. */
static bool sweep(struct analysis *a) {
    const struct ptx_function *f = a->function;
    struct refs refs;
    bool changed = false;
    for (int32_t b = 0; b < a->live->cfg->nblocks; b++) part(a, b);
    for (int32_t r = 0; r < f->nregs; r++) a->next[r] = of_kind(a->mixed[r] ? ANY : UNKNOWN);
    for (int32_t i = 0; i < f->ninsns; i++) {
        find_refs(&f->insns[i], &refs);
        struct lanes lanes = refs.ndef ? of_result(a, i) : of_kind(ANY);
        for (int k = 0; k < refs.ndef; k++) write(a, &f->insns[i], refs.def[k], lanes);
    }
    for (int32_t r = 0; r < f->nregs; r++) {
        changed |= a->now[r].kind != a->next[r].kind || a->now[r].made != a->next[r].made ||
                   a->now[r].bits != a->next[r].bits || a->now[r].widened != a->next[r].widened;
        a->now[r] = a->next[r];
    }
    return changed;
}

void find_lanes(const struct liveness *live, struct ptx_function *function) {
    struct arena *arena = live->cfg->arena;
    size_t nregs = (size_t)function->nregs + 1, nblocks = (size_t)live->cfg->nblocks + 1;
    struct analysis a = {.live = live, .function = function};
    struct refs refs;
    a.now = arena_array(arena, nregs, sizeof *a.now);
    a.next = arena_array(arena, nregs, sizeof *a.next);
    a.mixed = arena_array(arena, nregs, sizeof *a.mixed);
    a.writes = arena_array(arena, nregs, sizeof *a.writes);
    a.seen = arena_array(arena, nblocks, sizeof *a.seen);
    a.split = arena_array(arena, nblocks, sizeof *a.split);
    a.stack = arena_array(arena, nblocks, sizeof *a.stack);
    for (int32_t i = 0; i < function->ninsns; i++) {
        find_refs(&function->insns[i], &refs);
        for (int k = 0; k < refs.ndef; k++) a.writes[refs.def[k]]++;
    }
    for (int32_t i = 0; i < function->nunset; i++) a.mixed[function->unset[i].reg] = true;
    while (sweep(&a)) continue;
    for (int32_t i = 0; i < function->ninsns; i++) {
        struct ptx_insn *insn = &function->insns[i];
        int address = ptx_destinations(insn);
        bool accesses = ptx_accesses(insn) && insn->noperands > address;
        enum kind kind = accesses ? of_operand(&a, &insn->operand[address]).kind : ANY;
        insn->steady = kind == FIXED || kind == SAME || kind == STEPS;
        kind = computes(insn) ? of_result(&a, i).kind : ANY;
        insn->uniform = kind == FIXED || kind == SAME;
    }
}
