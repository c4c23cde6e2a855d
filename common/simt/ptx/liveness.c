/*
 * ptx/liveness.c: computes where each register lives, and which registers share a slot of the
 * interpreter's register file.
 *
 * Liveness on one thread's control-flow graph is enough for a lockstep machine, for this reason.
 * The register file is [slot][lane]: each lane is a column. An instruction writes only the columns
 * of the lanes that execute it, and reads a lane's values from that lane's column. (shfl, vote and
 * match read other lanes' columns, but only of lanes that execute the same instruction, where the
 * source lives too.) So a column gets exactly the writes of its thread, in that thread's order,
 * whatever the other lanes do. A lane that waits at a reconvergence point, or for the other side of
 * a branch, keeps its values, even if a slot holds one register in this column and another register
 * in the column of another lane. Two registers may share a slot if no thread ever holds both values
 * at one time. Liveness along the thread's paths tells exactly this.
 *
 * Three rules follow. A predicated write does not end the old value's life: the lane may keep it. A
 * write must be masked even if its register is dead afterwards. An instruction's destinations never
 * share a slot with its sources, so the interpreter may write a destination before it has read all
 * sources.
 */
#include "liveness.h"

#include <stdlib.h>

/* ---- What an instruction reads and writes ---- */

static void add_use(struct refs *refs, int32_t reg) {
    if (reg >= 0) refs->use[refs->nuse++] = reg;
}

static void add_def(struct refs *refs, int32_t reg) {
    if (reg >= 0) refs->def[refs->ndef++] = reg;
}

void find_refs(const struct ptx_insn *insn, struct refs *refs) {
    int ndest = insn->op == PTX_UNSUPPORTED ? 0 : ptx_destinations(insn);
    refs->nuse = refs->ndef = 0;
    add_use(refs, insn->pred);
    for (int i = 0; i < insn->noperands; i++) {
        const struct ptx_operand *operand = &insn->operand[i];
        void (*add)(struct refs *, int32_t) = i < ndest ? add_def : add_use;
        add(refs, operand->reg);
        add(refs, operand->reg2);
        for (int k = 0; k < operand->nvec; k++) add(refs, operand->vec[k]);
    }
}

int ptx_dying(const struct ptx_insn *insn, int32_t registers[PTX_MAX_DYING]) {
    struct refs refs;
    int n = 0;
    find_refs(insn, &refs);
    for (int k = 0; k < refs.nuse && k < PTX_MAX_DYING; k++)
        if (insn->last_uses >> k & 1) registers[n++] = refs.use[k];
    return n;
}

/* ---- Unread results ---- */

static bool has_reduction(const struct ptx_insn *insn) {
    return insn->op == PTX_ATOM && insn->operand[0].kind == PTX_OPERAND_REG &&
           insn->sub != PTX_ATOM_EXCH && insn->sub != PTX_ATOM_CAS;
}

/* Drops unread results of atomic operations. nvcc leaves an atom in the PTX; ptxas makes it a
 * reduction, RED. */
static void drop_unread_results(const struct cfg *cfg, struct ptx_function *function) {
    bool *is_read = arena_array(cfg->arena, (size_t)function->nregs + 1, sizeof *is_read);
    struct refs refs;
    for (int32_t i = 0; i < function->ninsns; i++) {
        find_refs(&function->insns[i], &refs);
        for (int k = 0; k < refs.nuse; k++) is_read[refs.use[k]] = true;
    }
    for (int32_t i = 0; i < function->ninsns; i++) {
        struct ptx_operand *result = function->insns[i].operand;
        if (!has_reduction(&function->insns[i]) || is_read[result->reg]) continue;
        result->kind = PTX_OPERAND_SINK;
        result->reg = -1;
    }
}

/* ---- Liveness ---- */

static bool test(const word *set, int32_t bit) {
    return set[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}

static void set_bit(word *set, int32_t bit) {
    set[bit / WORD_BITS] |= (word)1 << bit % WORD_BITS;
}

static void make_global(struct liveness *live, int32_t reg) {
    if (live->global[reg] >= 0) return;
    live->reg[live->nglobals] = reg;
    live->global[reg] = live->nglobals++;
}

/* Numbers the registers that some block reads before it surely writes them: only these live across
 * blocks. */
static void number_globals(struct liveness *live) {
    const struct ptx_function *function = live->cfg->function;
    /* block plus 1 */
    int32_t *written = arena_array(live->cfg->arena, (size_t)function->nregs, sizeof *written);
    struct refs refs;
    live->global = arena_array(live->cfg->arena, (size_t)function->nregs, sizeof *live->global);
    live->reg = arena_array(live->cfg->arena, (size_t)function->nregs, sizeof *live->reg);
    for (int32_t r = 0; r < function->nregs; r++) live->global[r] = -1;
    for (int32_t b = 0; b < live->cfg->nblocks; b++) {
        for (int32_t i = live->cfg->blocks[b].start; i < live->cfg->blocks[b].end; i++) {
            find_refs(&function->insns[i], &refs);
            for (int k = 0; k < refs.nuse; k++) {
                if (written[refs.use[k]] != b + 1) make_global(live, refs.use[k]);
            }
            for (int k = 0; k < refs.ndef && kills(&function->insns[i]); k++)
                written[refs.def[k]] = b + 1;
        }
    }
}

/* Collects what block b reads before it writes it, and what it surely writes. */
static void summarise_block(struct liveness *live, int32_t b) {
    const struct ptx_function *function = live->cfg->function;
    word *exposed = set_of(live, live->exposed, b), *killed = set_of(live, live->killed, b);
    struct refs refs;
    for (int32_t i = live->cfg->blocks[b].start; i < live->cfg->blocks[b].end; i++) {
        find_refs(&function->insns[i], &refs);
        for (int k = 0; k < refs.nuse; k++) {
            int32_t number = live->global[refs.use[k]];
            if (number >= 0 && !test(killed, number)) set_bit(exposed, number);
        }
        for (int k = 0; k < refs.ndef && kills(&function->insns[i]); k++) {
            if (live->global[refs.def[k]] >= 0) set_bit(killed, live->global[refs.def[k]]);
        }
    }
}

/* Updates a block's sets from its successors' sets. Returns whether the set at its start grew. */
static bool update_block(struct liveness *live, int32_t b) {
    const struct block *block = &live->cfg->blocks[b];
    word *in = set_of(live, live->in, b), *out = set_of(live, live->out, b);
    const word *exposed = set_of(live, live->exposed, b), *killed = set_of(live, live->killed, b);
    bool grew = false;
    for (int32_t s = 0; s < block->nsuccessors; s++) {
        const word *next = set_of(live, live->in, block->successors[s]);
        for (int32_t w = 0; w < live->words; w++) out[w] |= next[w];
    }
    for (int32_t w = 0; w < live->words; w++) {
        word now = exposed[w] | (out[w] & ~killed[w]);
        grew |= now != in[w];
        in[w] = now;
    }
    return grew;
}

static void find_liveness(struct liveness *live) {
    size_t nblocks = (size_t)live->cfg->nblocks;
    number_globals(live);
    live->words = (live->nglobals + WORD_BITS - 1) / WORD_BITS;
    size_t total = nblocks * (size_t)live->words;
    live->in = arena_array(live->cfg->arena, total, sizeof(word));
    live->out = arena_array(live->cfg->arena, total, sizeof(word));
    live->exposed = arena_array(live->cfg->arena, total, sizeof(word));
    live->killed = arena_array(live->cfg->arena, total, sizeof(word));
    for (int32_t b = 0; b < live->cfg->nblocks; b++) summarise_block(live, b);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = live->cfg->nblocks - 1; b >= 0; b--) changed |= update_block(live, b);
    }
}

/* ---- Live ranges ---- */

struct range {
    int32_t reg, first, last; /* first and last: instructions; first > last: never used */
};

static void liveness_extend(struct range *range, int32_t at) {
    if (at < range->first) range->first = at;
    if (at > range->last) range->last = at;
}

/* Extends the ranges of all registers in a set to an instruction. */
static void extend_set(const struct liveness *live, const word *set, int32_t at,
                       struct range *ranges) {
    for (int32_t w = 0; w < live->words; w++)
        for (word bits = set[w]; bits; bits &= bits - 1)
            liveness_extend(&ranges[live->reg[w * WORD_BITS + __builtin_ctzll(bits)]], at);
}

/* Finds each register's range: one interval, from the first to the last instruction where it
 * lives. */
static void find_ranges(const struct liveness *live, struct range *ranges) {
    const struct ptx_function *function = live->cfg->function;
    struct refs refs;
    for (int32_t r = 0; r < function->nregs; r++) ranges[r] = (struct range){r, INT32_MAX, -1};
    for (int32_t b = 0; b < live->cfg->nblocks; b++) {
        const struct block *block = &live->cfg->blocks[b];
        extend_set(live, set_of(live, live->in, b), block->start, ranges);
        extend_set(live, set_of(live, live->out, b), block->end - 1, ranges);
    }
    for (int32_t i = 0; i < function->ninsns; i++) {
        find_refs(&function->insns[i], &refs);
        for (int k = 0; k < refs.ndef; k++) liveness_extend(&ranges[refs.def[k]], i);
        for (int k = 0; k < refs.nuse; k++) liveness_extend(&ranges[refs.use[k]], i);
    }
}

/* ---- Slots ---- */

enum slot_class { SLOT_PRED, SLOT_32, SLOT_64, SLOT_128, SLOT_CLASSES };

static enum slot_class slot_class_of(const struct ptx_reg *reg) {
    unsigned size = ptx_type_size(reg->type);
    return reg->type == PTX_PRED ? SLOT_PRED : size <= 4 ? SLOT_32 : size == 8 ? SLOT_64 : SLOT_128;
}

/* Slots of one class: a heap of taken slots, ordered by where they become free, and a stack of free
 * slots (the last freed is warmest in the cache). */
struct slots {
    struct taken {
        int32_t last, slot;
    } * heap;
    int32_t nheap;
    int32_t *free;
    int32_t nfree, count;
};

static void heap_push(struct slots *slots, struct taken item) {
    int32_t at = slots->nheap++;
    for (; at > 0 && slots->heap[(at - 1) / 2].last > item.last; at = (at - 1) / 2)
        slots->heap[at] = slots->heap[(at - 1) / 2];
    slots->heap[at] = item;
}

static struct taken heap_pop(struct slots *slots) {
    struct taken top = slots->heap[0], item = slots->heap[--slots->nheap];
    int32_t at = 0;
    for (int32_t child; (child = 2 * at + 1) < slots->nheap; at = child) {
        if (child + 1 < slots->nheap && slots->heap[child + 1].last < slots->heap[child].last)
            child++;
        if (slots->heap[child].last >= item.last) break;
        slots->heap[at] = slots->heap[child];
    }
    slots->heap[at] = item;
    return top;
}

/* Takes a slot for a range: that of a range which ended before, or a new slot. */
static int32_t take_slot(struct slots *slots, const struct range *range) {
    while (slots->nheap && slots->heap[0].last < range->first)
        slots->free[slots->nfree++] = heap_pop(slots).slot;
    int32_t slot = slots->nfree ? slots->free[--slots->nfree] : slots->count++;
    heap_push(slots, (struct taken){range->last, slot});
    return slot;
}

static int by_first(const void *a, const void *b) {
    const struct range *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* Assigns slots by linear scan (M. Poletto, V. Sarkar, "Linear Scan Register Allocation", 1999). It
 * never runs out of slots. */
static void share_slots(const struct cfg *cfg, struct ptx_function *function,
                        struct range *ranges) {
    struct slots slots[SLOT_CLASSES] = {0};
    for (int c = 0; c < SLOT_CLASSES; c++) {
        slots[c].heap = arena_array(cfg->arena, (size_t)function->nregs + 1, sizeof *slots[c].heap);
        slots[c].free = arena_array(cfg->arena, (size_t)function->nregs + 1, sizeof *slots[c].free);
    }
    qsort(ranges, (size_t)function->nregs, sizeof *ranges, by_first);
    for (int32_t i = 0; i < function->nregs; i++) {
        struct ptx_reg *reg = &function->regs[ranges[i].reg];
        if (ranges[i].last >= 0) reg->slot = take_slot(&slots[slot_class_of(reg)], &ranges[i]);
        /* only refused instructions use it */
        else
            reg->slot = 0;
    }
    function->nslots_pred = slots[SLOT_PRED].count;
    function->nslots_32 = slots[SLOT_32].count;
    function->nslots_64 = slots[SLOT_64].count;
    function->nslots_128 = slots[SLOT_128].count;
}

/* ---- All of it ---- */

static const struct ptx_insn *first_reader_of(const struct ptx_function *function, int32_t reg) {
    struct refs refs;
    for (int32_t i = 0; i < function->ninsns; i++) {
        find_refs(&function->insns[i], &refs);
        for (int k = 0; k < refs.nuse; k++)
            if (refs.use[k] == reg) return &function->insns[i];
    }
    return NULL;
}

/* Lists the registers that a path from the first block reads, and has not surely written before. */
static void list_unset_registers(const struct liveness *live, struct ptx_function *function) {
    function->unset =
        arena_array(function->module->arena, (size_t)live->nglobals + 1, sizeof *function->unset);
    function->nunset = 0;
    for (int32_t g = 0; live->cfg->nblocks && g < live->nglobals; g++)
        if (test(set_of(live, live->in, 0), g))
            function->unset[function->nunset++] =
                (struct ptx_unset){live->reg[g], first_reader_of(function, live->reg[g])};
}

/* Marks where each value is read for the last time, scanning each block backwards. */
static void mark_last_uses(const struct liveness *live, struct ptx_function *function) {
    int32_t *alive_in = arena_array(live->cfg->arena, (size_t)function->nregs + 1,
                                    sizeof *alive_in); /* block plus 1 */
    struct refs refs;
    for (int32_t b = 0; b < live->cfg->nblocks; b++) {
        const struct block *block = &live->cfg->blocks[b];
        for (int32_t g = 0; g < live->nglobals; g++)
            if (test(set_of(live, live->out, b), g)) alive_in[live->reg[g]] = b + 1;
        for (int32_t i = block->end - 1; i >= block->start; i--) {
            struct ptx_insn *insn = &function->insns[i];
            find_refs(insn, &refs);
            insn->last_uses = 0;
            for (int k = 0; k < refs.ndef && kills(insn); k++) alive_in[refs.def[k]] = 0;
            for (int k = 0; k < refs.nuse; k++) {
                if (alive_in[refs.use[k]] != b + 1 && k < PTX_MAX_DYING) insn->last_uses |= 1u << k;
                alive_in[refs.use[k]] = b + 1;
            }
        }
    }
}

void cfg_assign_slots(const struct cfg *cfg, struct ptx_function *function) {
    size_t nregs = (size_t)function->nregs;
    struct liveness live = {.cfg = cfg};
    struct range *ranges = arena_array(cfg->arena, nregs + 1, sizeof *ranges);
    drop_unread_results(cfg, function);
    find_liveness(&live);
    list_unset_registers(&live, function);
    find_ranges(&live, ranges);
    mark_last_uses(&live, function);
    find_lanes(&live, function);
    share_slots(cfg, function, ranges);
    function->live_registers = machine_registers(&live, function);
}
