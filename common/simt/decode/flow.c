/*
 * decode/flow.c: makes the flow of a kernel's machine code (machine/flow.h).
 *
 * Which machine blocks stand for a pass of a PTX block: ptxas moves instructions, copies them when
 * it unrolls, and makes one of several. So the PTX block's instructions vote: each tells how often
 * every machine block has it, and most agree.
 */
#include "flow.h"
#include "cost.h"

#include "lib/memory.h"
#include "simt/image/machine_code.h"
#include "simt/machine/flow.h"

#include <stdlib.h>
#include <string.h>

#define WIDE_OF_HI    4 /* products that the upper half of one of 64 bits becomes */
#define MOST_VOTING   5 /* machine instructions: of what becomes more, some are in rare ways */
#define ACCESS_VOTES  4 /* of what is never moved out of its loop or left out */
#define LOOP_VOTES    4
#define COUNTER_VOTES 16 /* of a counter that grows by several steps at once */
#define STEPS         UINT16_MAX
#define FAR           4 /* blocks, from a copy of a loop to the unrolled loop */
/* of what stands 2, 4 ... times as often in one block as in another: most of what does not is a
 * loop's counter */
#define UNROLLED_VOTES 4

enum { ONCE = 1, ALWAYS }; /* counts for its PTX block, for each block that has it */

/* A block in which something stands. */
struct place {
    uint32_t block, times, insns, guarded, offset;
};

struct flow_maker {
    struct flow *flow;
    const struct machine_code *code;
    uint32_t *block_of; /* by machine instruction */
    int capability;
    const struct kernel *kernel;
    uint8_t *counted; /* by PTX instruction: ONCE: its operation is in flow->moved; ALWAYS: no */
    struct place *places;
    uint32_t nplaces, *part_block; /* by part */
    bool *loops;                   /* by machine block: it lies in a loop */
};

/* ---- Blocks ---- */

static bool flow_ends(const struct machine_insn *m) {
    return m->kind == MACHINE_BRANCH || m->kind == MACHINE_EXIT || m->kind == MACHINE_RETURN ||
           m->kind == MACHINE_CALL;
}

static void flow_find_blocks(struct flow_maker *f) {
    const struct machine_code *code = f->code;
    uint8_t *leads = need(calloc(code->n + 1, 1));
    leads[0] = 1;
    for (uint32_t i = 0; i < code->n; i++) {
        if (code->insns[i].target >= 0) leads[code->insns[i].target] = 1;
        if (flow_ends(&code->insns[i])) leads[i + 1] = 1;
    }
    for (uint32_t i = 0; i < code->ncases; i++) leads[code->cases[i]] = 1;
    for (uint32_t i = 0; i < code->n; i++) {
        if (leads[i]) f->flow->blocks[f->flow->nblocks++] = (struct flow_block){.from = i};
        f->block_of[i] = f->flow->nblocks - 1;
        f->flow->blocks[f->flow->nblocks - 1].to = i + 1;
    }
    for (uint32_t i = 0; i < code->ncases; i++)
        f->flow->cases[f->flow->ncases++] = f->block_of[code->cases[i]];
    free(leads);
}

static void flow_link(struct flow_maker *f, uint32_t index) {
    struct flow_block *block = &f->flow->blocks[index];
    const struct machine_insn *last = &f->code->insns[block->to - 1];
    bool conditional = last->guard != NO_GUARD || last->conditional;
    block->target = last->target >= 0 && !last->apart ? f->block_of[last->target] : FLOW_NONE;
    block->next = index + 1 < f->flow->nblocks ? index + 1 : FLOW_NONE;
    block->calls = last->kind == MACHINE_CALL;
    block->returns = last->kind == MACHINE_RETURN;
    for (uint32_t i = block->from; i < block->to; i++) block->meets |= f->code->insns[i].meets;
    block->ends = last->kind == MACHINE_EXIT;
    block->chooses = last->chooses;
    if (flow_ends(last) && !conditional && !block->calls) block->next = FLOW_NONE;
}

static void flow_mark_loops(struct flow_maker *f) {
    for (uint32_t i = 0; i < f->flow->nblocks; i++) {
        const struct flow_block *block = &f->flow->blocks[i];
        if (block->calls || block->target == FLOW_NONE || block->target > i) continue;
        for (uint32_t k = block->target; k <= i; k++) f->loops[k] = true;
    }
}

/* What is reached without the subroutines that ptxas adds, and without the other ways of shuffles
 * and votes for warps whose threads are apart. */
static void flow_reach(const struct flow_maker *f, uint32_t index, bool *reached) {
    while (index != FLOW_NONE && !reached[index]) {
        const struct flow_block *block = &f->flow->blocks[index];
        const struct ptx_insn *last = f->flow->insns[block->to - 1];
        reached[index] = true;
        if (block->target != FLOW_NONE && (!block->calls || (last && last->op == PTX_CALL)))
            flow_reach(f, block->target, reached);
        for (uint32_t i = 0; block->chooses && i < f->flow->ncases; i++)
            flow_reach(f, f->flow->cases[i], reached);
        index = block->next;
    }
}

/* The block is made from no PTX block. */
static void forget_block(struct flow_maker *f, const struct flow_block *block) {
    for (uint32_t i = block->from; i < block->to; i++) f->flow->insns[i] = NULL;
}

static void forget_routines(struct flow_maker *f) {
    bool *reached = need(calloc(f->flow->nblocks + 1, sizeof *reached));
    flow_reach(f, 0, reached);
    for (uint32_t b = 0; b < f->flow->nblocks; b++) {
        struct flow_block *block = &f->flow->blocks[b];
        if (!reached[b]) forget_block(f, block);
    }
    for (uint32_t b = 0; b < f->flow->nblocks; b++) {
        struct flow_block *block = &f->flow->blocks[b];
        block->is_rare = block->calls && block->target != FLOW_NONE && !reached[block->target];
    }
    free(reached);
}

/* Where the threads of a warp do an atomic on one address, all of them, ptxas adds up what they
 * add: of the one PTX instruction there are two ways then. What belongs to the one of whole warps
 * would be a second pass. */
static void find_combining(struct flow_maker *f) {
    for (uint32_t b = 1; b < f->flow->nblocks; b++) {
        struct flow_block *block = &f->flow->blocks[b], *before = block - 1;
        const struct ptx_insn *insn = f->flow->insns[before->to - 1];
        if (before->next != b || before->target != b + 1 || !insn ||
            ptx_kind(insn) != PTX_KIND_ATOMIC)
            continue;
        bool combines = true;
        for (uint32_t i = block->from; i < block->to; i++)
            combines &= !f->flow->insns[i] || f->flow->insns[i] == insn;
        if (!combines) continue;
        block->combines = true;
        forget_block(f, block);
    }
}

/* ---- What a pass counts ---- */

/* Is the operation under a predicate that the PTX does not have? */
static bool is_predicated(const struct flow_maker *f, uint32_t i) {
    const struct ptx_insn *insn = f->flow->insns[i];
    return f->code->insns[i].guard != NO_GUARD && insn && insn->pred < 0;
}

static bool is_spare(const struct flow *flow, const struct flow_block *block, uint32_t tally) {
    for (uint32_t i = 0; i < block->nparts; i++)
        if (flow->parts[block->parts + i].tally == tally)
            return flow->parts[block->parts + i].is_spare;
    return false;
}

/* Where an operation counts: in the block, or in the PTX block that it came from, once, where
 * ptxas put all that it made of it under predicates; NULL: nowhere. Under a predicate in place of a
 * selection are rare cases. */
static struct block_cost *place_of_flop(struct flow_maker *f, struct flow_block *block,
                                        uint32_t i) {
    if (!is_predicated(f, i)) return &block->cost;
    if (f->flow->tallies[i] == block->tally || is_spare(f->flow, block, f->flow->tallies[i]))
        return NULL;
    uint8_t *counted = &f->counted[kernel_insn(f->kernel, f->flow->insns[i])];
    if (*counted == ALWAYS) return &block->cost;
    if (*counted == ONCE) return NULL;
    *counted = ONCE;
    return &f->flow->moved[f->flow->tallies[i]];
}

/* Which operations are done without a predicate somewhere, in an unrolled loop mostly. */
static void mark_always(struct flow_maker *f) {
    for (uint32_t i = 0; i < f->code->n; i++)
        if (f->code->insns[i].flop && f->flow->insns[i] && !is_predicated(f, i))
            f->counted[kernel_insn(f->kernel, f->flow->insns[i])] = ALWAYS;
}

static void count_flop(struct block_cost *cost, char flop) {
    cost->flop_sp_add += flop == 'a';
    cost->flop_sp_mul += flop == 'm';
    cost->flop_sp_fma += flop == 'f';
}

static void flow_count(struct flow_maker *f, struct flow_block *block) {
    struct block_cost *cost = &block->cost;
    for (uint32_t i = block->from; i < block->to; i++) {
        const struct machine_insn *m = &f->code->insns[i];
        cost->inst_executed++;
        cost->thread_inst_executed++;
        bool branches = m->kind == MACHINE_CALL || m->kind == MACHINE_RETURN || m->branches;
        cost->branch += branches;
        cost->branch_targets_threads += branches;
        struct block_cost *place = m->flop ? place_of_flop(f, block, i) : NULL;
        if (place) count_flop(place, m->flop);
    }
}

/* ---- Votes ---- */

/* A PTX instruction and an opcode of the machine: where in the code they stand. */
struct voter {
    uint32_t tally, from; /* from: the first in the order of instructions */
    struct place *places;
    uint32_t blocks;  /* places */
    uint64_t pattern; /* the same for all that stand equally often in the same blocks */
    uint32_t copies, votes;
    bool simple;  /* it becomes few machine instructions */
    bool counts;  /* it is a loop's counter */
    bool unrolls; /* it stands 2, 4 ... times as often in one block as in another */
};

/* By how much a loop's counter grows in the PTX; 0: it is none. */
static int64_t counter_step(const struct ptx_insn *insn) {
    bool counts =
        (insn->op == PTX_ADD || insn->op == PTX_SUB) && insn->operand[0].kind == PTX_OPERAND_REG &&
        insn->operand[1].kind == PTX_OPERAND_REG && insn->operand[0].reg == insn->operand[1].reg &&
        insn->operand[2].kind == PTX_OPERAND_IMM;
    return counts ? (int32_t)insn->operand[2].bits : 0;
}

/* For how many runs the machine instruction makes a counter's steps; 0: it makes none. */
static uint32_t steps_of(const struct flow_maker *f, uint32_t i) {
    int64_t step = counter_step(f->flow->insns[i]), added = f->code->insns[i].added;
    bool steps = step && added && added % step == 0 && llabs(added / step) < 256;
    return steps ? (uint32_t)llabs(added / step) : 0;
}

/* Two machine instructions of one voter: those of a counter's steps are alike. */
static uint16_t voter_opcode(const struct flow_maker *f, uint32_t i) {
    return steps_of(f, i) ? STEPS : f->code->insns[i].opcode;
}

static __thread const struct flow_maker *voting; /* for qsort */

static int by_voter(const void *one, const void *other) {
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    const struct flow *flow = voting->flow;
    if (flow->tallies[a] != flow->tallies[b]) return flow->tallies[a] < flow->tallies[b] ? -1 : 1;
    if (flow->insns[a] != flow->insns[b]) return flow->insns[a] < flow->insns[b] ? -1 : 1;
    uint16_t x = voter_opcode(voting, a), y = voter_opcode(voting, b);
    if (x != y) return x < y ? -1 : 1;
    return (a > b) - (a < b);
}

static bool same_voter(const struct flow_maker *f, uint32_t a, uint32_t b) {
    return f->flow->insns[a] == f->flow->insns[b] && voter_opcode(f, a) == voter_opcode(f, b);
}

/* Votes of what the voter is made from. */
static uint32_t votes_of(const struct flow_maker *f, uint32_t i, const struct voter *voter) {
    const struct machine_insn *m = &f->code->insns[i];
    bool accesses = m->kind == MACHINE_LOAD || m->kind == MACHINE_STORE ||
                    m->kind == MACHINE_SHUFFLE || m->kind == MACHINE_BLOCK_BARRIER;
    bool loops = false, sums = false, nested = false;
    for (uint32_t k = 0; k < voter->blocks; k++) {
        const struct place *place = &voter->places[k];
        bool itself = f->flow->blocks[place->block].target == place->block;
        loops |= f->loops[place->block];
        sums |= steps_of(f, i) && place->times > 1;
        nested |= place->times > 1 && f->loops[place->block] && !itself;
    }
    if (m->kind == MACHINE_NOTHING || (flow_ends(m) && f->flow->insns[i]->op != PTX_CALL)) return 0;
    if (sums && nested) return 0;
    return (accesses ? ACCESS_VOTES : sums && loops ? COUNTER_VOTES : 1) * (loops ? LOOP_VOTES : 1);
}

uint32_t flow_alike(const struct machine_insn *m, const struct ptx_insn *insn, uint16_t weight) {
    bool special =
        ptx_kind(insn) == PTX_KIND_FUNCTION || insn->op == PTX_DIV || insn->op == PTX_REM;
    if (weight < 2 || ptx_accesses(insn)) return 1;
    if (special) return m->kind == MACHINE_SFU;
    if (!is_integer_type(insn->type) || ptx_type_size(insn->type) != 8) return 1;
    if (insn->op == PTX_MUL && insn->hi) return m->wide ? WIDE_OF_HI : 0;
    return m->wide ? 1 : 2;
}

/* Find where the voter of order[from, to) stands. An instruction that becomes several of the
 * machine's stands as many times in each block: that is divided out. */
static void find_pattern(struct flow_maker *f, const uint32_t *order, uint32_t to,
                         struct voter *voter) {
    const struct ptx_insn *insn = f->flow->insns[order[voter->from]];
    uint16_t weight = own_weight(insn, f->capability);
    uint32_t every = 0, alike = flow_alike(&f->code->insns[order[voter->from]], insn, weight);
    voter->places = f->places + f->nplaces;
    for (uint32_t i = voter->from; i < to; i++) {
        uint32_t block = f->block_of[order[i]], steps = steps_of(f, order[i]);
        struct place *last = voter->blocks ? &voter->places[voter->blocks - 1] : NULL;
        if (!last || last->block != block) {
            last = &voter->places[voter->blocks++];
            *last = (struct place){.block = block};
            f->nplaces++;
        }
        if (!steps || f->code->insns[order[i]].grows)
            last->times += steps ? steps : 1;
        else if (steps > last->offset) /* of one of several copies */
            last->offset = steps;
        last->insns++;
        last->guarded += f->code->insns[order[i]].guard != NO_GUARD;
    }
    for (struct place *place = voter->places; place < voter->places + voter->blocks; place++) {
        if (place->times < place->offset) place->times = place->offset;
        every = (uint32_t)gcd(place->times, every);
    }
    voter->simple = weight <= MOST_VOTING;
    voter->counts = steps_of(f, order[voter->from]) > 0;
    voter->pattern = 1;
    bool doubles = voter->simple && voter->blocks > 1;
    for (uint32_t k = 0; k < voter->blocks; k++) {
        struct place *place = &voter->places[k];
        if (voter->blocks > 1 && !voter->counts)
            place->times /= every;
        else if (alike)
            place->times = (place->times + alike - 1) / alike;
        voter->copies += place->times;
        voter->unrolls |= place->times > 1;
        doubles &= (place->times & (place->times - 1)) == 0;
        uint64_t word = (uint64_t)place->block << 16 | place->times;
        voter->pattern = (voter->pattern ^ word) * 0x9E3779B97F4A7C15ull;
        voter->pattern ^= voter->pattern >> 31;
    }
    voter->unrolls &= doubles;
    voter->votes = alike ? votes_of(f, order[voter->from], voter) : 0;
}

/* The machine blocks in which the winner stands, as parts. */
static void take_parts(struct flow_maker *f, const struct voter *voters, uint32_t n,
                       const struct voter *best) {
    for (uint32_t k = 0; k < best->blocks; k++) {
        const struct place *place = &best->places[k];
        uint32_t guarded = 0, voted = 0;
        for (const struct voter *v = voters; v < voters + n; v++) {
            if (v->pattern != best->pattern || k >= v->blocks) continue;
            guarded += v->places[k].guarded;
            voted += v->places[k].insns;
        }
        f->part_block[f->flow->nparts] = place->block;
        f->flow->blocks[place->block].nparts++;
        f->flow->parts[f->flow->nparts++] =
            (struct flow_part){.tally = best->tally,
                               .runs = (uint8_t)(place->times < 255 ? place->times : 255),
                               .optional = 2 * guarded > voted};
    }
}

/* Does the voter stand wherever the counter does, as often as that counts? Of runs under
 * predicates the last one needs no counting. */
static bool contains(const struct voter *voter, const struct voter *counter) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < counter->blocks; i++) {
        while (k < voter->blocks && voter->places[k].block != counter->places[i].block) k++;
        if (k == voter->blocks) return false;
        bool more = voter->places[k].guarded && voter->places[k].times > counter->places[i].times;
        if (!more && voter->places[k].times != counter->places[i].times) return false;
    }
    return true;
}

/* PTX blocks without an access to memory: ptxas may move them ahead of a branch. */
static void find_movable(struct flow_maker *f) {
    memset(f->flow->movable, true, f->kernel->ntallies);
    for (uint32_t i = 0; i < f->code->n; i++)
        if (f->flow->insns[i] &&
            (ptx_accesses(f->flow->insns[i]) || f->flow->insns[i]->op == PTX_CALL))
            f->flow->movable[f->flow->tallies[i]] = false;
}

/* The voters of one tally choose. */
static void flow_vote(struct flow_maker *f, const struct voter *voters, uint32_t n) {
    const struct voter *best = NULL;
    uint32_t most = 0, agree = 0;
    for (const struct voter *v = voters; v < voters + n; v++) {
        uint32_t sum = 0;
        bool unrolls = v->unrolls;
        for (const struct voter *other = voters; other < voters + n; other++) {
            bool counter = other->counts && contains(v, other);
            if (other->pattern != v->pattern && !counter) continue;
            sum += other->votes;
            unrolls |= counter && other->unrolls;
        }
        uint32_t votes = sum * (v->simple ? v->blocks : 1) * (unrolls ? UNROLLED_VOTES : 1);
        bool more = best && v->copies > best->copies, less = best && v->copies < best->copies;
        if (!votes || votes < most || (best && votes == most && !(unrolls ? more : less))) continue;
        most = votes;
        agree = sum;
        best = v;
    }
    if (!best) return;
    agree = agree >= LOOP_VOTES ? agree / LOOP_VOTES : 1;
    f->flow->strength[best->tally] = (uint8_t)(agree > 255 ? 255 : agree);
    take_parts(f, voters, n, best);
}

static void flow_vote_all(struct flow_maker *f) {
    uint32_t n = 0, *order = need(calloc(f->code->n + 1, sizeof *order)), nvoters = 0;
    struct voter *voters = need(calloc(f->code->n + 1, sizeof *voters));
    for (uint32_t i = 0; i < f->code->n; i++)
        if (f->flow->insns[i]) order[n++] = i;
    voting = f;
    qsort(order, n, sizeof *order, by_voter);
    for (uint32_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && same_voter(f, order[from], order[to]);) to++;
        struct voter *voter = &voters[nvoters++];
        *voter = (struct voter){.tally = f->flow->tallies[order[from]], .from = from};
        find_pattern(f, order, to, voter);
    }
    for (uint32_t from = 0, to; from < nvoters; from = to) {
        for (to = from; to < nvoters && voters[to].tally == voters[from].tally;) to++;
        flow_vote(f, voters + from, to - from);
    }
    free(voters);
    free(order);
}

/* Parts were made tally by tally: put those of a block together. */
static void sort_parts(struct flow_maker *f) {
    struct flow *flow = f->flow;
    struct flow_part *sorted = need(calloc(flow->nparts + 1, sizeof *sorted));
    uint32_t at = 0;
    for (uint32_t b = 0; b < flow->nblocks; b++) {
        flow->blocks[b].parts = at;
        for (uint32_t i = 0; i < flow->nparts; i++)
            if (f->part_block[i] == b) sorted[at++] = flow->parts[i];
    }
    free(flow->parts);
    flow->parts = sorted;
}

/* The PTX block that most of the block's instructions are from. */
static void flow_name_block(struct flow_maker *f, struct flow_block *block) {
    uint32_t most = 0;
    block->tally = FLOW_NONE;
    for (uint32_t i = block->from; i < block->to; i++) {
        uint32_t same = 0;
        for (uint32_t k = block->from; k < block->to && f->flow->insns[i] && k < block->from + 64;
             k++)
            same += f->flow->insns[k] && f->flow->tallies[k] == f->flow->tallies[i];
        if (same > most) {
            most = same;
            block->tally = f->flow->tallies[i];
        }
    }
    for (uint32_t i = 0; i < block->nparts; i++)
        if (!f->flow->parts[block->parts + i].optional) {
            block->tally = f->flow->parts[block->parts + i].tally;
            break;
        }
}

/* Do the blocks [from, to) stand for passes of the PTX block? */
static bool stands_for(const struct flow *flow, uint32_t from, uint32_t to, uint32_t tally) {
    for (uint32_t b = from; b < to; b++)
        for (uint32_t i = 0; i < flow->blocks[b].nparts; i++)
            if (flow->parts[flow->blocks[b].parts + i].tally == tally) return true;
    return false;
}

/* ptxas unrolls a loop by 4 and by 2 and asks before each whether so many rounds are left. Before
 * all it asks whether any are, and if not goes on to the last copy, which never happens. */
static void find_bypass(const struct flow *flow, struct flow_block *block) {
    uint32_t index = (uint32_t)(block - flow->blocks), last = block->target;
    if (block->next == FLOW_NONE || last == FLOW_NONE || last <= index + 1 || block->calls) return;
    for (uint32_t i = 0; i < FAR && last < flow->nblocks; i++) {
        const struct flow_block *way = &flow->blocks[last];
        if (way->nparts || (way->target != FLOW_NONE && way->target != last + 1)) break;
        last++;
    }
    const struct flow_block *copy = &flow->blocks[last];
    for (uint32_t i = 0; last < flow->nblocks && i < copy->nparts; i++)
        block->bypasses |= copy->target == last && stands_for(flow, index + 1, block->target,
                                                              flow->parts[copy->parts + i].tally);
}

/* Of a loop that ptxas unrolled, which blocks are for what is left. */
static void find_rests(struct flow_maker *f) {
    struct flow *flow = f->flow;
    uint8_t *most = need(calloc(f->kernel->ntallies + 1, 1));
    for (struct flow_part *part = flow->parts; part < flow->parts + flow->nparts; part++)
        if (part->runs > most[part->tally]) most[part->tally] = part->runs;
    for (struct flow_part *part = flow->parts; part < flow->parts + flow->nparts; part++)
        part->is_rest = part->runs < most[part->tally];
    free(most);
}

/* A loop that asks at its end would run once even if its bound were 0: ptxas asks for that before
 * an unrolled one and has a copy of the loop for it, which hardly ever happens. */
static void find_spare(const struct flow *flow, uint32_t index) {
    const struct flow_block *block = &flow->blocks[index];
    bool leapt = index && block->next == index + 1 && flow->blocks[index - 1].target == index + 1;
    for (uint32_t i = 0; i < block->nparts; i++) {
        struct flow_part *copy = &flow->parts[block->parts + i];
        if (copy->runs > 1 || !(copy->optional || leapt)) continue;
        for (uint32_t b = index + 1; b < flow->nblocks && b <= index + FAR; b++)
            for (uint32_t k = 0; k < flow->blocks[b].nparts; k++) {
                const struct flow_part *part = &flow->parts[flow->blocks[b].parts + k];
                copy->is_spare |=
                    part->tally == copy->tally && part->runs > 2 && flow->blocks[b].target == b;
            }
    }
}

static void note_choices(const struct flow *flow, struct flow_block *block) {
    for (uint32_t i = 0; i < block->nparts; i++) {
        block->has_optional |= flow->parts[block->parts + i].optional;
        block->has_movable |= flow->movable[flow->parts[block->parts + i].tally];
    }
}

/* ---- A kernel ---- */

void flow_note(struct decoder *d, const struct machine_code *code, const struct ptx_insn **insns) {
    struct flow *flow = d->kernel->flow;
    if (code != d->kernel->entry->machine) {
        if (flow) flow->lacks = true;
        return;
    }
    if (!flow) {
        flow = d->kernel->flow = need(calloc(1, sizeof *flow));
        flow->insns = need(calloc(code->n + 1, sizeof *flow->insns));
        flow->tallies = need(calloc(code->n + 1, sizeof *flow->tallies));
        flow->owners = need(malloc((code->n + 1) * sizeof *flow->owners));
        memset(flow->owners, -1, (code->n + 1) * sizeof *flow->owners); /* FLOW_NONE */
    }
    for (uint32_t i = 0; i < code->n; i++) {
        if (!insns[i]) continue;
        flow->insns[i] = insns[i];
        flow->tallies[i] = (uint32_t)d->tally_of[insns[i] - d->function->insns];
    }
}

void flow_make(const struct kernel *kernel, int capability) {
    if (!kernel->flow || kernel->flow->lacks || kernel->flow->blocks) return;
    struct flow_maker f = {.flow = kernel->flow,
                           .code = kernel->entry->machine,
                           .capability = capability,
                           .kernel = kernel};
    uint32_t n = f.code->n;
    f.block_of = need(calloc(n + 1, sizeof *f.block_of));
    f.part_block = need(calloc(n + 1, sizeof *f.part_block));
    f.places = need(calloc(n + 1, sizeof *f.places));
    f.loops = need(calloc(n + 1, sizeof *f.loops));
    f.flow->blocks = need(calloc(n + 1, sizeof *f.flow->blocks));
    f.flow->parts = need(calloc(n + 1, sizeof *f.flow->parts));
    f.flow->cases = need(calloc(f.code->ncases + 1, sizeof *f.flow->cases));
    f.flow->strength = need(calloc(kernel->ntallies + 1, 1));
    f.flow->movable = need(calloc(kernel->ntallies + 1, sizeof *f.flow->movable));
    f.flow->moved = need(calloc(kernel->ntallies + 1, sizeof *f.flow->moved));
    f.counted = need(calloc(kernel->ninsns + 1, 1));
    flow_find_blocks(&f);
    for (uint32_t b = 0; b < f.flow->nblocks; b++) {
        flow_link(&f, b);
    }
    forget_routines(&f);
    find_combining(&f);
    flow_mark_loops(&f);
    find_movable(&f);
    flow_vote_all(&f);
    sort_parts(&f);
    find_rests(&f);
    mark_always(&f);
    for (uint32_t b = 0; b < f.flow->nblocks; b++) {
        flow_name_block(&f, &f.flow->blocks[b]);
        find_bypass(f.flow, &f.flow->blocks[b]);
        find_spare(f.flow, b);
        note_choices(f.flow, &f.flow->blocks[b]);
        flow_count(&f, &f.flow->blocks[b]);
    }
    free(f.counted);
    free(f.block_of);
    free(f.part_block);
    free(f.places);
    free(f.loops);
}

void flow_free(struct flow *flow) {
    if (!flow) return;
    free(flow->blocks);
    free(flow->cases);
    free(flow->parts);
    free(flow->strength);
    free(flow->moved);
    free(flow->movable);
    free(flow->insns);
    free(flow->tallies);
    free(flow->owners);
    flow_ways_free(flow->ways);
    free(flow);
}
