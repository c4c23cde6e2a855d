/*
 * decode/machine_blocks.c: uop lists from machine code. ptxas knows what PTX does not say: the
 * order of instructions, which loads become one wide load, what is spilled, which branch became a
 * predicate. The line table leads from each machine instruction to the PTX instruction it was made
 * from, so a basic block of the machine code can stand for a basic block of the PTX, whose tally
 * the trace names:
 *
 *   - a machine block belongs to the PTX block of its barrier, or of the first of its memory
 *     accesses and shuffles in the PTX's order: where ptxas made two blocks one, the other has an
 *     empty list;
 *   - several machine blocks of one PTX block with the same accesses are a loop that ptxas
 *     unrolled: the list of n copies stands for n runs of the block in a row;
 *   - several with different accesses are one list.
 */
#include "cost.h"
#include "decode.h"
#include "flow.h"

#include "lib/memory.h"
#include "simt/image/machine_code.h"
#include "simt/machine/flow.h"
#include "simt/machine/uops.h"

#include <stdlib.h>
#include <string.h>

#define MOST_COMPARED  4096 /* instructions of a block: comparing them all takes quadratic time */
#define DOUBT          1.6  /* times longer or shorter than its PTX block is estimated to be */
#define LEAST_EXPECTED 3    /* instructions: of shorter blocks the estimate tells nothing */
#define MOST_BYTES     16   /* of a thread's access */
#define MOST_COPIED    5 /* machine instructions that a PTX instruction may become to tell copies */

struct machine_block {
    uint32_t from, to; /* instructions */
    int32_t tally;     /* of the PTX block it belongs to, -1: none */
    bool integers;     /* its PTX block has no access and no floating-point arithmetic */
    uint32_t copies;   /* of the access that it has most often */
};

struct machine_blocks {
    struct decoder *d;
    const struct machine_code *code;
    const struct ptx_insn **insns; /* by machine instruction: what it was made from, or NULL */
    struct machine_block *items;
    uint32_t n;
};

/* ---- Instructions ---- */

static bool is_access(const struct machine_insn *m) {
    return m->kind == MACHINE_LOAD || m->kind == MACHINE_STORE || m->kind == MACHINE_SHUFFLE ||
           m->kind == MACHINE_BLOCK_BARRIER;
}

/* Does it keep on the stack, or fetch from there, what the PTX has in a register? */
static bool is_spill(const struct machine_insn *m, const struct ptx_insn *insn) {
    bool of_ptx = insn && touches_memory(insn);
    return m->local ? !of_ptx || insn->space != PTX_LOCAL : !of_ptx;
}

static enum pipe pipe_of_kind(const struct machine_insn *m, const struct ptx_insn *insn) {
    switch ((enum machine_kind)m->kind) {
    case MACHINE_FMA: return PIPE_FP32;
    case MACHINE_IMAD: return PIPE_MAD;
    case MACHINE_FP64: return PIPE_FP64;
    case MACHINE_SFU: return PIPE_SFU;
    case MACHINE_TENSOR: return PIPE_TENSOR;
    case MACHINE_LOAD:
    case MACHINE_STORE: return PIPE_MEMORY;
    case MACHINE_CONSTANT:
        return touches_memory(insn) && insn->space == PTX_CONST ? PIPE_MEMORY : PIPE_SREG;
    case MACHINE_SHUFFLE: return PIPE_SHUFFLE;
    case MACHINE_SPECIAL: return PIPE_SREG;
    case MACHINE_BRANCH:
    case MACHINE_CALL:
    case MACHINE_RETURN:
    case MACHINE_EXIT: return PIPE_CONTROL;
    case MACHINE_BLOCK_BARRIER: return PIPE_BARRIER;
    case MACHINE_FENCE: return PIPE_FENCE;
    case MACHINE_UNIFORM:
    case MACHINE_NOTHING: return PIPE_NONE;
    default: return PIPE_INT;
    }
}

/* ---- Blocks ---- */

static bool ends(const struct machine_insn *m) {
    return m->kind == MACHINE_BRANCH || m->kind == MACHINE_EXIT || m->kind == MACHINE_RETURN;
}

static void find_blocks(struct machine_blocks *b) {
    uint8_t *leads = need(calloc(b->code->n + 1, 1));
    leads[0] = 1;
    for (uint32_t i = 0; i < b->code->n; i++) {
        const struct machine_insn *m = &b->code->insns[i];
        if (m->target >= 0) leads[m->target] = 1;
        if (ends(m)) leads[i + 1] = 1;
    }
    for (uint32_t i = 0; i < b->code->ncases; i++) leads[b->code->cases[i]] = 1;
    for (uint32_t i = 0; i < b->code->n; i++) {
        if (leads[i])
            b->items[b->n++] = (struct machine_block){.from = i, .tally = -1, .copies = 1};
        b->items[b->n - 1].to = i + 1;
    }
    free(leads);
}

static struct machine_block *block_at(struct machine_blocks *b, uint32_t insn) {
    uint32_t i = 0;
    while (b->items[i].to <= insn) i++;
    return &b->items[i];
}

/* Mark what can be reached without a call. Subroutines that ptxas adds, for division's rare cases,
 * are left out. */
static void reach(struct machine_blocks *b, struct machine_block *block, uint8_t *seen) {
    while (block && !seen[block - b->items]) {
        seen[block - b->items] = 1;
        const struct machine_insn *last = &b->code->insns[block->to - 1];
        if (last->kind == MACHINE_BRANCH && last->target >= 0)
            reach(b, block_at(b, (uint32_t)last->target), seen);
        for (uint32_t i = 0; last->chooses && i < b->code->ncases; i++)
            reach(b, block_at(b, b->code->cases[i]), seen);
        bool falls = !ends(last) || last->guard != NO_GUARD ||
                     (last->kind == MACHINE_BRANCH && last->target < 0 && !last->chooses);
        block = falls && block + 1 < b->items + b->n ? block + 1 : NULL;
    }
}

/* Does the block call a subroutine that ptxas added? It is on the way to a rare case then. */
static bool calls_subroutine(const struct machine_blocks *b, const struct machine_block *block) {
    for (uint32_t i = block->from; i < block->to; i++)
        if (b->code->insns[i].kind == MACHINE_CALL && (!b->insns[i] || b->insns[i]->op != PTX_CALL))
            return true;
    return false;
}

/* The tally of the PTX block that a machine instruction with a PTX instruction is from. */
static int32_t tally_at(const struct machine_blocks *b, uint32_t i) {
    return b->d->tally_of[b->insns[i] - b->d->function->insns];
}

static bool is_guarded(const struct machine_insn *m) {
    return m->guard != NO_GUARD;
}

/* The tally of the PTX block that most of its instructions are from. always: of those without a
 * guard. */
static int32_t majority(const struct machine_blocks *b, const struct machine_block *block,
                        bool always) {
    int32_t best = -1;
    uint32_t most = 0;
    for (uint32_t i = block->from; i < block->to; i++) {
        if (!b->insns[i] || (always && is_guarded(&b->code->insns[i]))) continue;
        int32_t tally = tally_at(b, i);
        uint32_t same = 0;
        for (uint32_t k = block->from; k < block->to; k++)
            same += b->insns[k] && tally_at(b, k) == tally &&
                    !(always && is_guarded(&b->code->insns[k]));
        if (same > most) {
            most = same;
            best = tally;
        }
    }
    return best;
}

static bool has_of(const struct machine_blocks *b, const struct machine_block *block,
                   int32_t tally) {
    for (uint32_t i = block->from; i < block->to; i++)
        if (b->insns[i] && tally_at(b, i) == tally) return true;
    return false;
}

/* Where ptxas made selections of a branch around the PTX block, the machine block has instructions
 * of the block after it, too: to this one all warps come. */
static int32_t after_branches(const struct machine_blocks *b, const struct machine_block *block,
                              int32_t tally) {
    const struct ptx_function *f = b->d->function;
    int32_t first = 0;
    while (first < f->ninsns && b->d->tally_of[first] != tally) first++;
    for (int32_t i = 0; i < first; i++) {
        int32_t after = f->insns[i].op == PTX_BRA ? f->insns[i].reconverge : -1;
        if (after <= first || after >= f->ninsns || b->d->tally_of[after] == tally) continue;
        if (has_of(b, block, b->d->tally_of[after])) return b->d->tally_of[after];
    }
    return tally;
}

/* The tally of the PTX block that the machine block stands for. Where ptxas made a branch around
 * some work predicates, that is the block after it, with the barrier, or in a loop the one before:
 * all warps come there. */
static int32_t tally_of_block(const struct machine_blocks *b, const struct machine_block *block) {
    const struct ptx_insn *first = NULL;
    int32_t target = b->code->insns[block->to - 1].target;
    bool guarded = false, loops = target >= (int32_t)block->from && target < (int32_t)block->to;
    for (uint32_t i = block->from; i < block->to; i++) {
        if (b->insns[i] && b->code->insns[i].kind == MACHINE_BLOCK_BARRIER) return tally_at(b, i);
        bool anchors = b->insns[i] && is_access(&b->code->insns[i]) &&
                       (touches_memory(b->insns[i]) || b->code->insns[i].kind >= MACHINE_SHUFFLE);
        bool skipped = anchors && loops && is_guarded(&b->code->insns[i]);
        guarded |= skipped;
        anchors = anchors && !skipped;
        if (anchors && (!first || b->insns[i] < first)) first = b->insns[i];
    }
    if (first) return b->d->tally_of[first - b->d->function->insns];
    int32_t most = majority(b, block, guarded);
    return most < 0 ? most : after_branches(b, block, most);
}

/* Is it an access or floating-point arithmetic of the PTX? Shuffles of an atomic are not: ptxas
 * adds up the lanes of a warp with them before it makes one access. */
static bool is_distinct(const struct machine_blocks *b, uint32_t i) {
    uint8_t kind = b->code->insns[i].kind;
    bool arithmetic = kind == MACHINE_FMA || kind == MACHINE_FP64;
    if (!b->insns[i]) return false;
    if (touches_memory(b->insns[i])) return kind == MACHINE_LOAD || kind == MACHINE_STORE;
    return arithmetic || kind == MACHINE_SHUFFLE || kind == MACHINE_BLOCK_BARRIER;
}

/* What tells copies of a block: what is distinct; in a block of integers alone, all but its
 * branch. */
static bool marks(const struct machine_blocks *b, const struct machine_block *block, uint32_t i) {
    return block->integers ? b->insns[i] && !ends(&b->code->insns[i]) : is_distinct(b, i);
}

/* ptxas may cut an access into several, of the words that are used: how many of the block's
 * accesses make up the one of the PTX. They differ in their place in it. */
static uint32_t parts_of(const struct machine_blocks *b, const struct machine_block *block,
                         uint32_t insn) {
    const struct ptx_insn *whole = b->insns[insn];
    unsigned bytes = 0, places = 0;
    if (whole && is_access(&b->code->insns[insn]) && ptx_accesses(whole))
        bytes = whole->vector * ptx_type_size(whole->type);
    if (bytes > MOST_BYTES || bytes <= b->code->insns[insn].width) return 1;
    for (uint32_t i = block->from; i < block->to; i++)
        if (b->insns[i] == whole && b->code->insns[i].opcode == b->code->insns[insn].opcode)
            places |= 1u << (uint32_t)b->code->insns[i].offset % bytes;
    return (uint32_t)__builtin_popcount(places);
}

/* How often the block has a machine instruction: the same opcode, made from the same PTX
 * instruction. */
static uint32_t count_in(const struct machine_blocks *b, const struct machine_block *block,
                         uint32_t insn) {
    uint32_t n = 0;
    for (uint32_t i = block->from; i < block->to; i++)
        n += b->insns[i] == b->insns[insn] &&
             b->code->insns[i].opcode == b->code->insns[insn].opcode && marks(b, block, i);
    if (n < 2) return n;
    uint16_t weight = own_weight(b->insns[insn], b->d->capability);
    uint32_t alike = flow_alike(&b->code->insns[insn], b->insns[insn], weight);
    return alike > 1 ? (n + alike - 1) / alike : n / parts_of(b, block, insn);
}

/* Does its number in a block tell how often the block is copied? A square root or a division
 * becomes many instructions, some of them alike. */
static bool tells_copies(const struct machine_blocks *b, const struct machine_block *block,
                         uint32_t i) {
    if (!marks(b, block, i) || tally_at(b, i) != block->tally) return false;
    uint16_t weight = own_weight(b->insns[i], b->d->capability);
    return weight <= MOST_COPIED && flow_alike(&b->code->insns[i], b->insns[i], weight);
}

/* By what factor the block's instructions are more or fewer than those of so many runs of its PTX
 * block would be. 1: as expected. */
static double surprise(double instructions, uint32_t copies, double expected) {
    double ratio = instructions / (copies * expected);
    return ratio < 1 ? 1 / ratio : ratio;
}

/* Where the marks tell a number that the block's length contradicts, another number for which there
 * are marks may fit. A tensor product's length says nothing: the PTX's one is several of the
 * machine's. */
static void doubt_copies(const struct machine_blocks *b, struct machine_block *block,
                         const uint32_t *votes, uint32_t size) {
    double expected = b->d->kernel->costs[block->tally].inst_executed, instructions = 0;
    for (uint32_t i = block->from; i < block->to; i++) {
        if (b->code->insns[i].kind == MACHINE_TENSOR) return;
        instructions += b->insns[i] && tally_at(b, i) == block->tally;
    }
    if (expected < LEAST_EXPECTED || instructions < expected) return;
    double told = surprise(instructions, block->copies, expected), least = told / DOUBT;
    if (told < DOUBT) return;
    for (uint32_t n = 1; n <= size; n++) {
        if (votes[n] < n || surprise(instructions, n, expected) >= least) continue;
        least = surprise(instructions, n, expected);
        block->copies = n;
    }
}

/* How many runs of its PTX block the block stands for: as many as most of its marks are copied. The
 * counter and the comparison of an unrolled loop are not: where there are as many of them as of
 * others, the others tell. */
static void count_copies(const struct machine_blocks *b, struct machine_block *block) {
    uint32_t size = block->to - block->from, best = 0;
    if (size > MOST_COMPARED) return;
    /* by the number of copies: instructions */
    uint32_t *votes = need(calloc(size + 1, sizeof *votes));
    for (uint32_t i = block->from; i < block->to; i++)
        if (tells_copies(b, block, i)) votes[count_in(b, block, i)]++;
    for (uint32_t n = 1; n <= size; n++) {
        if (votes[n] / n < best + !block->integers || !votes[n]) continue;
        best = votes[n] / n;
        block->copies = n;
    }
    if (block->tally >= 0) doubt_copies(b, block, votes, size);
    free(votes);
}

/* Are the blocks copies of one PTX block, unrolled differently? */
static bool share_a_mark(const struct machine_blocks *b, const struct machine_block *one,
                         const struct machine_block *other) {
    for (uint32_t i = one->from; i < one->to; i++)
        if (marks(b, one, i) && count_in(b, other, i)) return true;
    return false;
}

/* ---- Lists ---- */

static bool is_atomic(const struct ptx_insn *insn) {
    return insn && ptx_kind(insn) == PTX_KIND_ATOMIC;
}

/* The register that has the address of a memory instruction, -1: none. */
static int32_t address_register(const struct ptx_insn *insn) {
    for (int i = 0; i < insn->noperands; i++)
        if (insn->operand[i].kind == PTX_OPERAND_MEMORY) return insn->operand[i].reg;
    return -1;
}

/* Where ptxas knows that a warp's threads share the address, one of them does the atomic: it adds
 * their values up by REDUX, or counts the threads by POPC, once for several atomics on one
 * address. */
static bool is_combined(const struct machine_blocks *b, const struct ptx_insn *insn) {
    if (!is_atomic(insn)) return false;
    for (uint32_t i = 0; i < b->code->n; i++) {
        const struct ptx_insn *other = b->code->insns[i].combines ? b->insns[i] : NULL;
        if (is_atomic(other) && address_register(other) == address_register(insn)) return true;
    }
    return false;
}

static struct uop uop_at(const struct machine_blocks *b, uint32_t i, const struct ptx_insn *any) {
    const struct machine_insn *m = &b->code->insns[i];
    const struct ptx_insn *insn = b->insns[i] ? b->insns[i] : any;
    struct uop uop = {.insn = insn, .issues = 1, .pipe = (uint8_t)pipe_of_kind(m, insn)};
    uop.units = uop_units((enum pipe)uop.pipe, m->kind == MACHINE_CONSTANT, m->thread);
    uop.stall = m->stall ? m->stall : 1;
    uop.waits = m->waits;
    uop.result_barrier = m->result_barrier;
    uop.source_barrier = m->source_barrier;
    uop.width = m->width;
    uop.wide = m->wide;
    uop.combined = is_combined(b, insn);
    uop.spills = uop.pipe == PIPE_MEMORY && is_spill(m, b->insns[i]);
    uop.stores = m->kind == MACHINE_STORE;
    uop.word = (uint16_t)((uint32_t)m->offset / 4);
    uop.at = i;
    uop.jumps = m->kind == MACHINE_CALL || m->kind == MACHINE_RETURN;
    return uop;
}

static bool is_issued(const struct machine_blocks *b, uint32_t i) {
    return b->insns[i] || b->code->insns[i].kind != MACHINE_NOTHING;
}

/* The PTX instruction that stands for those that come from none; NULL: the block has none. */
static const struct ptx_insn *first_insn(const struct machine_blocks *b,
                                         const struct machine_block *block) {
    uint32_t i = block->from;
    while (i < block->to && !b->insns[i]) i++;
    return i < block->to ? b->insns[i] : NULL;
}

/* Put the block's instructions after the list's. */
static void append_uops(struct machine_blocks *b, struct uop_list *list,
                        const struct machine_block *block) {
    struct uop *items = kernel_alloc(b->d, (list->n + block->to - block->from) * sizeof *items);
    const struct ptx_insn *any = first_insn(b, block);
    if (list->n) memcpy(items, list->items, list->n * sizeof *items);
    list->items = items;
    for (uint32_t i = block->from; i < block->to; i++) {
        if (!any || !is_issued(b, i)) continue;
        struct uop uop = uop_at(b, i, any);
        for (uint32_t k = 0; k < list->n; k++)
            uop.copy =
                (uint8_t)(uop.copy + (items[k].insn == uop.insn && items[k].pipe == uop.pipe));
        uop.copy = (uint8_t)(uop.copy / parts_of(b, block, i));
        items[list->n++] = uop;
    }
}

/* Insert into the chain of lists, of which the one for most runs comes first. */
static void insert(struct decoder *d, struct uop_list *first, struct uop_list other) {
    while (first->shorter && first->runs > other.runs) first = first->shorter;
    struct uop_list *moved = kernel_alloc(d, sizeof *moved);
    bool in_front = first->runs < other.runs;
    *moved = in_front ? *first : other;
    if (in_front)
        *first = other;
    else
        moved->shorter = first->shorter;
    first->shorter = moved;
}

/* Put the block into its tally's lists: after what is there, or as one more list if it is another
 * unrolling of that. */
static void add_block(struct machine_blocks *b, uint32_t index) {
    const struct machine_block *block = &b->items[index];
    struct uop_list *first = &b->d->kernel->uop_lists[block->tally];
    bool copies = false;
    for (uint32_t k = 0; k < index; k++)
        copies |= b->items[k].tally == block->tally && share_a_mark(b, &b->items[k], block);
    if (!copies) {
        append_uops(b, first, block);
        if (block->copies > first->runs) first->runs = block->copies;
        return;
    }
    for (const struct uop_list *list = first; list; list = list->shorter)
        if (list->runs == block->copies) return; /* the same again */
    struct uop_list other = {
        .runs = block->copies, .machine = true, .number = b->d->kernel->nuop_lists++};
    append_uops(b, &other, block);
    insert(b->d, first, other);
}

/* A function that is called has its machine code in that of the kernel, after the kernel's own. */
static void reach_function(struct machine_blocks *b, uint8_t *seen) {
    for (uint32_t i = 0; i < b->n; i++)
        for (uint32_t k = b->items[i].from; k < b->items[i].to; k++) seen[i] |= b->insns[k] != NULL;
}

/* Say of each block of a tally whether all of them have integers alone. */
static void find_integers(struct machine_blocks *b) {
    uint8_t *distinct = need(calloc(b->d->kernel->ntallies, 1));
    for (struct machine_block *block = b->items; block < b->items + b->n; block++)
        for (uint32_t i = block->from; i < block->to && block->tally >= 0; i++)
            distinct[block->tally] |= is_distinct(b, i);
    for (struct machine_block *block = b->items; block < b->items + b->n; block++)
        block->integers = block->tally >= 0 && !distinct[block->tally];
    free(distinct);
}

/* The tally's lists stand for the block's instructions, also where they have those of a copy. */
static void own(const struct machine_blocks *b, const struct machine_block *block) {
    struct flow *flow = b->d->kernel->flow;
    const struct ptx_insn *any = first_insn(b, block);
    for (uint32_t i = block->from; any && i < block->to && flow && !flow->lacks; i++)
        if (is_issued(b, i) &&
            !pipe_happens(pipe_of_kind(&b->code->insns[i], b->insns[i] ? b->insns[i] : any)))
            flow->owners[i] = (uint32_t)block->tally;
}

/* Make the lists of the blocks that were reached. */
static void make_lists(struct machine_blocks *b, const uint8_t *seen) {
    const struct decoder *d = b->d;
    if (d->kernel->nplaces < b->code->n) d->kernel->nplaces = b->code->n;
    for (int32_t i = 0; i < d->function->ninsns; i++)
        d->kernel->uop_lists[d->tally_of[i]] =
            (struct uop_list){.runs = 1, .machine = true, .number = d->kernel->nuop_lists++};
    for (uint32_t i = 0; i < b->n; i++)
        if (seen[i] && !calls_subroutine(b, &b->items[i]))
            b->items[i].tally = tally_of_block(b, &b->items[i]);
    find_integers(b);
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->items[i].tally < 0) continue;
        count_copies(b, &b->items[i]);
        add_block(b, i);
        own(b, &b->items[i]);
    }
}

/* Does the function divide integers of 64 bits? ptxas has a subroutine for that, which is no rare
 * case, and how often it runs does not follow from the PTX's blocks. */
static bool divides_long(const struct ptx_function *f) {
    for (int32_t i = 0; i < f->ninsns; i++)
        if ((f->insns[i].op == PTX_DIV || f->insns[i].op == PTX_REM) &&
            (f->insns[i].type == PTX_S64 || f->insns[i].type == PTX_U64))
            return true;
    return false;
}

/* The kernel's machine code, if its table leads to the same PTX text. */
static const struct machine_code *code_of_kernel(const struct decoder *d) {
    const struct ptx_function *entry = d->kernel->entry;
    return entry->module == d->function->module ? entry->machine : NULL;
}

void uops_from_machine(struct decoder *d) {
    const struct machine_code *own = d->function->machine, *code = own ? own : code_of_kernel(d);
    if (!code || !code->n) return;
    struct machine_blocks b = {.d = d, .code = code};
    b.insns = need(calloc(code->n, sizeof *b.insns));
    b.items = need(calloc(code->n, sizeof *b.items));
    uint8_t *seen = need(calloc(code->n, 1));
    uint32_t known = machine_find_insns(d, code, b.insns);
    flow_note(d, code, b.insns);
    find_blocks(&b);
    if (own)
        reach(&b, b.items, seen);
    else
        reach_function(&b, seen);
    bool follows = !divides_long(d->function) && (own ? 2 * known >= code->n : known > 0);
    if (d->function->is_entry) d->kernel->machine_code = follows;
    if (follows) make_lists(&b, seen);
    free(seen);
    free(b.items);
    free(b.insns);
}
