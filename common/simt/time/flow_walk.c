/*
 * time/flow_walk.c: the ways of traced threads through the machine code (machine/flow.h).
 *
 * A thread's word is the row of PTX blocks that it entered. Its way is the cheapest path of machine
 * blocks that spells the word: of those with the fewest contradictions, the one with the fewest
 * instructions, as ptxas' fast ways and unrolled loops are there to be taken. It is found step by
 * step through the word, with the best node of each machine block at each place (Viterbi).
 *
 * Which threads of a warp go together is flow_merge.c's.
 *
 * Blocks that were not traced count like the traced ones, PTX block by PTX block.
 */
#include "flow_walk.h"
#include "flow_walker.h"
#include "uop_lists.h"

#include "lib/memory.h"
#include "simt/machine/flow.h"
#include "simt/machine/machine.h"
#include "simt/machine/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONTRADICTION (1ull << 40) /* costs more than any instructions, */
#define WEAK          (1ull << 20) /* and so does a contradiction to what one instruction says */
#define LOOK_AHEAD    4            /* entries of the word that a step may leap over */
#define MOST_WORSE    3            /* contradictions more than the best at a place */
#define MOST_STEPS    400000       /* of all ways together: further warps are left out, */
#define LAST_STEPS    1600000      /* and the last one, where it takes so many */
#define SURE          2            /* from this strength on, no pass may be left out */
#define MOST_DOUBT    0.25         /* contradictions, of all entries */
#define BYPASS        64   /* instructions: a way that is not taken where another one is as good */
#define REST          16   /* the same of a run that is not in the most unrolled copy */
#define ROUTINE       1000 /* the same of a subroutine that ptxas added, for rare operands */
#define BORROW        2000 /* the same of an entry that is taken before its turn */
#define BORROW_AHEAD  100  /* entries of the word */
#define ROUNDS        6    /* in which PTX blocks are left out that contradict their own traces */
#define OFTEN         0.45 /* contradictions, of a PTX block's entries, for which it is left out */
#define MOST_KEPT     4000000 /* words and blocks, from one walk to the next */
#define ROUND_KEY     0x9E3779B97F4A7C15ull
#define MOST_DEPTH    6 /* of calls in calls: a recursion is not followed further */

struct node {
    uint64_t cost;
    uint32_t block, at; /* before it, so much of the word is spelled */
    uint32_t owes;      /* struct spelled's */
    uint32_t calls;     /* the calls that it is in, as index in walker->calls; 0: none */
    uint32_t before;    /* node; FLOW_NONE: the first */
    uint32_t next;      /* of those at the same place */
    bool done;
};

struct call_site {
    uint32_t back, parent, depth; /* the block that it returns to */
};

/* How far the word is spelled. */
struct spelled {
    uint32_t at, owes; /* owes: a tally whose next entry was taken before; FLOW_NONE: none */
    uint64_t cost;
    bool stopped; /* by an entry over which LEAPS goes */
};

/* ---- Nodes ---- */

static uint32_t call_into(struct walker *w, uint32_t back, uint32_t parent) {
    for (uint32_t i = 1; i < w->ncalls; i++)
        if (w->calls[i].back == back && w->calls[i].parent == parent) return i;
    if (w->ncalls + 1 >= w->call_capacity) {
        w->call_capacity = w->call_capacity ? 2 * w->call_capacity : 64;
        w->calls = need(realloc(w->calls, w->call_capacity * sizeof *w->calls));
    }
    if (!w->ncalls) w->calls[w->ncalls++] = (struct call_site){0};
    w->calls[w->ncalls] = (struct call_site){back, parent, w->calls[parent].depth + 1};
    return w->ncalls++;
}

/* Come to a block; a dearer way there than a known one is dropped. */
static void come(struct walker *w, uint32_t block, struct spelled to, uint32_t calls,
                 uint32_t before) {
    if (block == FLOW_NONE) return;
    for (uint32_t i = w->first[to.at]; i != FLOW_NONE; i = w->nodes[i].next) {
        struct node *node = &w->nodes[i];
        if (node->block != block || node->calls != calls || node->owes != to.owes) continue;
        if (node->cost <= to.cost) return;
        if (!node->done) {
            node->cost = to.cost;
            node->before = before;
            return;
        }
    }
    if (w->nnodes == w->node_capacity) {
        w->node_capacity = w->node_capacity ? 2 * w->node_capacity : 4096;
        w->nodes = need(realloc(w->nodes, w->node_capacity * sizeof *w->nodes));
    }
    w->nodes[w->nnodes] = (struct node){.cost = to.cost,
                                        .block = block,
                                        .at = to.at,
                                        .owes = to.owes,
                                        .calls = calls,
                                        .before = before,
                                        .next = w->first[to.at]};
    w->first[to.at] = w->nnodes++;
}

/* ---- Steps ---- */

#define MOST_PARTS 512

/* How a pass of a block takes from the word: each part that is there; also by leaping over an
 * entry that nothing stands for; or without the parts under predicates; or with one of a later
 * entry, as ptxas moves what needs no memory ahead of branches. */
enum taking { TAKES, LEAPS, SPARES, BORROWS, TAKINGS };

static bool comes_soon(const uint32_t *word, uint32_t n, uint32_t at, uint32_t tally) {
    for (uint32_t i = at; i < n && i < at + BORROW_AHEAD; i++)
        if (word[i] == tally) return true;
    return false;
}

/* What a pass of a block takes from the word; the cost grows by what is not there. */
static struct spelled flow_take(struct walker *w, const struct flow_block *block,
                                const uint32_t *word, uint32_t n, struct spelled to,
                                enum taking taking, double blame) {
    const struct flow_part *parts = w->flow->parts + block->parts;
    uint32_t nparts = block->nparts < MOST_PARTS ? block->nparts : MOST_PARTS, missing = 0;
    uint32_t left[MOST_PARTS];
    for (uint32_t i = 0; i < nparts; i++) {
        bool spared = taking == SPARES && parts[i].optional;
        left[i] = w->strength[parts[i].tally] && !spared ? parts[i].runs : 0;
        missing += left[i];
    }
    uint32_t leapt = 0, at = to.at;
    uint64_t price = 0, taken_price = 0;
    while (at < n) {
        uint32_t i = 0;
        if (word[at] == to.owes && !leapt) {
            to.owes = FLOW_NONE;
            to.at = ++at;
            continue;
        }
        while (i < nparts && (parts[i].tally != word[at] || !left[i])) i++;
        if (i < nparts) {
            left[i]--;
            price += parts[i].is_spare ? BYPASS : parts[i].is_rest ? REST : 0;
            if (price >= taken_price + CONTRADICTION) w->contradicting[parts[i].tally] += blame;
            missing--;
            to.at = ++at;
            taken_price = price;
            leapt = 0;
            continue;
        }
        bool weak = w->strength[word[at]] < SURE;
        if (!missing || ++leapt > LOOK_AHEAD) break;
        if (!weak && taking != LEAPS) {
            to.stopped = true;
            break;
        }
        price += weak ? WEAK : CONTRADICTION;
        at++;
    }
    to.cost += taken_price;
    for (uint32_t i = 0; i < nparts; i++) {
        if (parts[i].optional || !left[i]) continue;
        if (taking == BORROWS && left[i] == 1 && to.owes == FLOW_NONE &&
            w->flow->movable[parts[i].tally] && comes_soon(word, n, to.at, parts[i].tally)) {
            to.owes = parts[i].tally;
            to.cost += BORROW;
            continue;
        }
        bool weak = w->strength[parts[i].tally] < SURE;
        to.cost += left[i] * (weak ? WEAK : CONTRADICTION);
        if (!weak) w->contradicting[parts[i].tally] += left[i] * blame;
    }
    return to;
}

static struct spelled dearer(struct spelled to, uint64_t more) {
    to.cost += more;
    return to;
}

static void leave(struct walker *w, uint32_t index, struct spelled to) {
    struct node node = w->nodes[index];
    const struct flow_block *block = &w->flow->blocks[node.block];
    to.cost += block->to - block->from;
    if (block->calls && block->target != FLOW_NONE) {
        if (w->calls[node.calls].depth >= MOST_DEPTH) return;
        come(w, block->target, dearer(to, block->is_rare ? ROUTINE : 0),
             call_into(w, block->next, node.calls), index);
    } else if (block->returns && node.calls) {
        come(w, w->calls[node.calls].back, to, w->calls[node.calls].parent, index);
    } else {
        bool asks = block->next != FLOW_NONE && w->flow->blocks[block->next].combines;
        bool leaps = block->bypasses || (asks && w->whole_warp);
        come(w, block->target, dearer(to, leaps ? BYPASS : 0), node.calls, index);
        come(w, block->next, dearer(to, asks && !leaps ? BYPASS : 0), node.calls, index);
        for (uint32_t i = 0; block->chooses && i < w->flow->ncases; i++)
            come(w, w->flow->cases[i], to, node.calls, index);
    }
}

/* The node at the place that is cheapest and not done. */
static uint32_t cheapest(const struct walker *w, uint32_t at) {
    uint32_t best = FLOW_NONE;
    for (uint32_t i = w->first[at]; i != FLOW_NONE; i = w->nodes[i].next)
        if (!w->nodes[i].done && (best == FLOW_NONE || w->nodes[i].cost < w->nodes[best].cost))
            best = i;
    return best;
}

/* What it costs to leave out a part of the word. */
static uint64_t left_out(const struct walker *w, const uint32_t *word, uint32_t at, uint32_t end) {
    uint64_t cost = 0;
    for (; at < end; at++) cost += w->strength[word[at]] < SURE ? WEAK : CONTRADICTION;
    return cost;
}

/* May it take something else than TAKES, which came to here? */
static bool differs(struct spelled first, const struct flow_block *block, enum taking taking) {
    return taking == LEAPS    ? first.stopped
           : taking == SPARES ? block->has_optional
                              : block->has_movable;
}

/* Find the cheapest last node of the word. whole: the thread came to its end. */
static uint32_t flow_search(struct walker *w, const uint32_t *word, uint32_t n, bool whole,
                            uint64_t *best_cost) {
    uint32_t best = FLOW_NONE;
    *best_cost = UINT64_MAX;
    w->nnodes = 0;
    if (n + 1 > w->place_capacity) {
        w->place_capacity = 2 * (n + 1);
        w->first = need(realloc(w->first, w->place_capacity * sizeof *w->first));
    }
    for (uint32_t i = 0; i <= n; i++) w->first[i] = FLOW_NONE;
    come(w, 0, (struct spelled){.owes = FLOW_NONE}, 0, FLOW_NONE);
    uint64_t lowest = 0, rest = left_out(w, word, 0, n); /* of the word, from the place on */
    for (uint32_t place = 0; place <= n; place++) {
        uint64_t here = UINT64_MAX;
        for (uint32_t i; (i = cheapest(w, place)) != FLOW_NONE;) {
            struct node *node = &w->nodes[i];
            node->done = true;
            if (here == UINT64_MAX) here = node->cost > lowest ? node->cost : lowest;
            if (node->cost > here + MOST_WORSE * CONTRADICTION) continue;
            if (++w->steps > LAST_STEPS) return FLOW_NONE;
            const struct flow_block *block = &w->flow->blocks[node->block];
            struct spelled came = {.at = place, .owes = node->owes, .cost = node->cost},
                           first = {0};
            for (enum taking taking = TAKES; taking < TAKINGS; taking++) {
                if (taking != TAKES && !differs(first, block, taking)) continue;
                struct spelled to = flow_take(w, block, word, n, came, taking, 0);
                if (taking == TAKES)
                    first = to;
                else if (to.at == first.at && to.owes == first.owes)
                    continue;
                uint64_t end = to.cost + rest - left_out(w, word, place, to.at) + block->to -
                               block->from + (to.owes != FLOW_NONE ? CONTRADICTION : 0);
                if ((block->ends || (!whole && to.at == n)) && end < *best_cost) {
                    *best_cost = end;
                    best = i;
                }
                leave(w, i, to);
            }
        }
        if (place < n) rest -= left_out(w, word, place, place + 1);
    }
    return best;
}

/* ---- Ways ---- */

/* Put each contradiction of the way that ends at this node down to a PTX block. */
static void blame(struct walker *w, const uint32_t *word, uint32_t n, uint32_t last) {
    uint32_t after = FLOW_NONE;
    for (uint32_t i = last; i != FLOW_NONE; after = i, i = w->nodes[i].before) {
        const struct node *node = &w->nodes[i];
        const struct flow_block *block = &w->flow->blocks[node->block];
        const struct spelled came = {.at = node->at, .owes = node->owes};
        enum taking taking = TAKINGS;
        while (--taking > TAKES) {
            struct spelled to = flow_take(w, block, word, n, came, taking, 0);
            if (after != FLOW_NONE && to.at == w->nodes[after].at &&
                to.owes == w->nodes[after].owes)
                break;
        }
        flow_take(w, block, word, n, came, taking, 1);
    }
}

static struct flow_way flow_way(struct walker *w, const uint32_t *word, uint32_t n, bool whole) {
    uint64_t cost, before = w->steps;
    uint32_t last = flow_search(w, word, n, whole, &cost);
    struct flow_way way = {.steps = w->steps - before};
    if (last == FLOW_NONE) {
        way.doubts = n;
        return way;
    }
    way.doubts = (double)(cost / CONTRADICTION);
    if (way.doubts > 0) blame(w, word, n, last);
    for (uint32_t i = last; i != FLOW_NONE; i = w->nodes[i].before) way.n++;
    way.blocks = need(calloc(way.n + 1, sizeof *way.blocks));
    uint32_t at = way.n;
    for (uint32_t i = last; i != FLOW_NONE; i = w->nodes[i].before) {
        uint32_t depth = w->nodes[i].calls ? w->calls[w->nodes[i].calls].depth : 0;
        way.blocks[--at] = w->nodes[i].block << 8 | (depth < 255 ? depth : 255);
    }
    return way;
}

/* The way that spells the word, which is found once. */
static const struct flow_way *way_of(struct walker *w, const uint32_t *word, uint32_t n,
                                     bool whole) {
    uint64_t key = w->round + whole + 2 * w->whole_warp;
    for (uint32_t i = 0; i < n; i++)
        key = (key ^ (word[i] + 1)) * 0x9E3779B97F4A7C15ull ^ key >> 29;
    struct flow_way *way = &w->ways->of[key % FLOW_WAYS];
    bool same = way->word && way->key == key && way->nword == n &&
                memcmp(way->word, word, n * sizeof *word) == 0;
    if (same && way->walk == w->ways->walks) return way;
    for (uint32_t i = 0; i < n; i++) w->words[word[i]]++;
    if (same && way->n && !way->doubts) {
        way->walk = w->ways->walks;
        w->searched += way->steps;
        w->steps += way->steps;
        return way;
    }
    free(way->word);
    free(way->blocks);
    *way = flow_way(w, word, n, whole);
    w->searched += way->steps;
    way->walk = w->ways->walks;
    w->ways->kept += n + way->n;
    way->key = key;
    way->nword = n;
    way->word = need(malloc((n + 1) * sizeof *way->word));
    memcpy(way->word, word, n * sizeof *word);
    return way;
}

/* ---- Warps ---- */

/* The word of a lane, without what the machine code shows no pass of. */
static uint32_t word_of(const struct walker *w, const struct warp_trace *trace, uint32_t lane,
                        uint32_t *word) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < trace->nenters; i++)
        if (trace->enters[i].lanes >> lane & 1 && w->strength[trace->enters[i].tally])
            word[n++] = trace->enters[i].tally;
    return n;
}

static void count_lists(struct walker *w, const struct warp_trace *trace) {
    for (uint32_t at = 0; at < trace->nenters;) {
        const struct uop_list *list = uop_list_at(w->kernel, trace, &at);
        if (list->machine) w->lists[list->number] += w->alike;
    }
}

/* All of a warp go this way, so nothing parts them, and they wait for nobody. */
static void pass_together(struct walker *w, const struct flow_way *way, uint32_t lanes) {
    uint32_t threads = (uint32_t)__builtin_popcount(lanes);
    for (uint32_t i = 0; i < way->n; i++) {
        w->warps[way->blocks[i] >> 8] += w->alike;
        w->threads[way->blocks[i] >> 8] += w->alike * threads;
    }
    w->steps += way->n;
}

/* The lanes that enter the same blocks as this one. */
static uint32_t companions(const struct warp_trace *trace, uint32_t lane, uint32_t lanes) {
    for (uint32_t i = 0; i < trace->nenters && lanes != 1u << lane; i++)
        lanes &=
            trace->enters[i].lanes >> lane & 1 ? trace->enters[i].lanes : ~trace->enters[i].lanes;
    return lanes;
}

static void walk_warp(struct walker *w, const struct warp_trace *trace) {
    uint32_t all = 0, ngroups = 0;
    bool same = true;
    double doubts = 0, entries = 0;
    for (uint32_t i = 0; i < trace->nenters; i++) all |= trace->enters[i].lanes;
    for (uint32_t i = 0; i < trace->nenters; i++) same &= trace->enters[i].lanes == all;
    w->steps += trace->nenters;
    w->whole_warp = same && all == ~0u;
    uint32_t *word = need(malloc((trace->nenters + 1) * sizeof *word));
    struct flow_group groups[WARP_SIZE];
    const struct flow_way *only = NULL;
    for (uint32_t left = all; left; ngroups++) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), n = word_of(w, trace, lane, word);
        uint32_t lanes = same ? all : companions(trace, lane, left);
        left &= ~lanes;
        const struct flow_way *way = way_of(w, word, n, !trace->full);
        doubts += way->doubts;
        entries += n;
        if (lanes == all) only = way;
        uint32_t *blocks = only ? NULL : need(malloc((way->n + 1) * sizeof *blocks));
        if (blocks && way->n) memcpy(blocks, way->blocks, way->n * sizeof *blocks);
        groups[ngroups] = (struct flow_group){lanes, way->n, blocks};
    }
    bool whole = w->steps <= LAST_STEPS;
    w->doubts += whole ? w->alike * doubts : 0;
    w->entries += whole ? w->alike * entries : 0;
    if (whole && only)
        pass_together(w, only, all);
    else if (whole)
        flow_merge(w, groups, ngroups);
    for (uint32_t g = 0; g < ngroups; g++) free(groups[g].blocks);
    for (uint32_t i = 0; i < trace->nenters && whole; i++) {
        w->traced_warps[trace->enters[i].tally] += w->alike;
        w->traced_threads[trace->enters[i].tally] +=
            w->alike * (uint32_t)__builtin_popcount(trace->enters[i].lanes);
    }
    if (whole) count_lists(w, trace);
    free(word);
}

static bool are_alike(const struct warp_trace *one, const struct warp_trace *other) {
    return one->nenters == other->nenters && one->full == other->full &&
           memcmp(one->enters, other->enters, one->nenters * sizeof *one->enters) == 0;
}

/* Warps that follow one that did the same: counted together. */
struct row_of_warps {
    const struct warp_trace *first;
    uint64_t steps; /* of each after the first */
    double more;
};

/* Count those after the first, whose steps are counted. */
static void end_row(struct walker *w, struct row_of_warps *row) {
    uint64_t steps = w->steps;
    w->alike = row->more;
    if (row->more > 0) walk_warp(w, row->first);
    w->steps = steps;
    *row = (struct row_of_warps){0};
}

static void walk_next(struct walker *w, struct row_of_warps *row, const struct warp_trace *warp) {
    if (row->first && are_alike(row->first, warp)) {
        row->more++;
        w->steps += row->steps;
        return;
    }
    end_row(w, row);
    uint64_t before = w->steps - w->searched;
    w->alike = 1;
    walk_warp(w, warp);
    row->first = warp;
    row->steps = w->steps - w->searched - before;
}

static void walk_all(struct walker *w, const struct trace *trace) {
    struct row_of_warps row = {0};
    for (uint32_t i = 0; i < trace->n; i++) {
        const struct block_trace *block = &trace->traced[trace_replayed(trace->n, i)];
        for (uint32_t k = 0; k < block->nwarps && w->steps < MOST_STEPS; k++)
            if (block->warps[k].nenters) walk_next(w, &row, &block->warps[k]);
    }
    end_row(w, &row);
}

/* ---- All blocks ---- */

/* Of the grid over those of the traced warps. */
static double ratio_of(double all, double traced) {
    return traced > 0 ? all / traced : 0;
}

/* What the traced warps did in the machine block, times this, is what the grid did. */
struct share {
    double warps, threads;
};

/* The tally of a PTX block whose warps are to the machine block's what all are to the traced ones:
 * of a block that stands for none, of one that as many traced warps entered as passed it. */
static uint32_t measure_of(const struct walker *w, uint32_t index) {
    const struct flow_block *block = &w->flow->blocks[index];
    uint32_t tally = 0;
    if (block->tally != FLOW_NONE && w->traced_warps[block->tally] > 0) tally = block->tally;
    if (block->nparts || w->traced_warps[tally] == w->warps[index]) return tally;
    for (uint32_t i = 0; i < w->kernel->ntallies; i++)
        if (w->warps[index] > 0 && w->traced_warps[i] == w->warps[index]) return i;
    return tally;
}

static struct share share_of_block(const struct walker *w, const struct tally *all,
                                   uint32_t index) {
    uint32_t tally = measure_of(w, index);
    return (struct share){ratio_of((double)all[tally].warps, w->traced_warps[tally]),
                          ratio_of((double)all[tally].threads, w->traced_threads[tally])};
}

/* Sums of doubles: of a sample's blocks counts are scaled. */
struct flow_sums {
    double divergent_branch;
#define BLOCK_COUNTER(name, unit, meaning) double name;
#define COUNTER(name, meaning)
#include "simt/device/counters.def"
};

static void flow_sum(const struct walker *w, const struct trace *trace, struct counters *counters) {
    const struct tally *all = trace->tallies;
    struct flow_sums sums = {0};
    double estimated = 0;
    for (uint32_t i = 0; i < w->kernel->ntallies; i++) {
        double threads = (double)all[i].threads;
        estimated += (double)all[i].warps * w->kernel->costs[i].inst_executed;
        sums.flop_sp_add += threads * w->flow->moved[i].flop_sp_add;
        sums.flop_sp_mul += threads * w->flow->moved[i].flop_sp_mul;
        sums.flop_sp_fma += threads * w->flow->moved[i].flop_sp_fma;
    }
    double scale = estimated > 0 ? (double)counters->inst_executed / estimated : 1;
    for (uint32_t b = 0; b < w->flow->nblocks; b++) {
        const struct flow_block *block = &w->flow->blocks[b];
        struct share share = share_of_block(w, all, b);
        double warps = w->warps[b] * share.warps, threads = w->threads[b] * share.threads;
        sums.divergent_branch += w->divergent[b] * share.warps;
#define BLOCK_COUNTER(name, unit, meaning) sums.name += unit * block->cost.name;
#define COUNTER(name, meaning)
#include "simt/device/counters.def"
    }
#define TAKE(name) counters->name = (uint64_t)llround(scale * sums.name)
    TAKE(inst_executed);
    TAKE(thread_inst_executed);
    TAKE(branch);
    TAKE(divergent_branch);
    TAKE(branch_targets_threads);
    TAKE(flop_sp_add);
    TAKE(flop_sp_mul);
    TAKE(flop_sp_fma);
#undef TAKE
}

/* Leave out a PTX block whose parts contradict most of what it did. False: there is none. */
static bool leave_out(struct walker *w) {
    uint32_t worst = 0;
    for (uint32_t i = 1; i < w->kernel->ntallies; i++)
        if (w->contradicting[i] > w->contradicting[worst]) worst = i;
    if (w->contradicting[worst] <= OFTEN * w->words[worst]) return false;
    w->strength[worst] = 0;
    return true;
}

static void begin_round(struct walker *w) {
    memset(w->warps, 0, 3 * w->flow->nblocks * sizeof *w->warps);
    memset(w->lists, 0, w->kernel->nuop_lists * sizeof *w->lists);
    memset(w->traced_warps, 0, 4 * (size_t)w->kernel->ntallies * sizeof *w->traced_warps);
    w->doubts = w->entries = 0;
    w->steps = w->searched = 0;
    w->ways->walks++;
    w->round = 0;
    for (uint32_t i = 0; i < w->kernel->ntallies; i++)
        if (!w->strength[i] && w->flow->strength[i]) w->round = (w->round + i + 1) * ROUND_KEY;
}

bool flow_walk(struct walker *w, const struct kernel *kernel, const struct trace *trace) {
    const struct flow *flow = kernel->flow;
    *w = (struct walker){.kernel = kernel, .flow = flow};
    if (!flow || flow->lacks) return false;
    size_t n = 3 * (size_t)flow->nblocks + 4 * (size_t)kernel->ntallies + kernel->nuop_lists;
    w->warps = need(calloc(n + 1, sizeof(double)));
    w->threads = w->warps + flow->nblocks;
    w->divergent = w->threads + flow->nblocks;
    w->traced_warps = w->divergent + flow->nblocks;
    w->traced_threads = w->traced_warps + kernel->ntallies;
    w->contradicting = w->traced_threads + kernel->ntallies;
    w->words = w->contradicting + kernel->ntallies;
    w->lists = w->words + kernel->ntallies;
    w->strength = need(malloc(kernel->ntallies + 1));
    memcpy(w->strength, flow->strength, kernel->ntallies);
    w->ways = __atomic_exchange_n(&kernel->flow->ways, NULL, __ATOMIC_ACQ_REL);
    if (!w->ways) w->ways = need(calloc(1, sizeof *w->ways));
    call_into(w, FLOW_NONE, 0);
    for (int round = 0; round < ROUNDS; round++) {
        begin_round(w);
        walk_all(w, trace);
        if (!w->doubts || !leave_out(w)) break;
    }
    return w->entries > 0 && w->doubts <= MOST_DOUBT * w->entries;
}

void flow_walk_close(struct walker *w) {
    struct flow_ways *keeps = w->ways;
    if (keeps && keeps->kept > MOST_KEPT) {
        flow_ways_free(keeps);
        keeps = NULL;
    }
    if (keeps) flow_ways_free(__atomic_exchange_n(&w->kernel->flow->ways, keeps, __ATOMIC_ACQ_REL));
    free(w->warps);
    free(w->strength);
    free(w->nodes);
    free(w->first);
    free(w->calls);
}

bool flow_counters(const struct kernel *kernel, const struct trace *trace,
                   struct counters *counters) {
    struct walker w;
    bool sure = trace->tallies && flow_walk(&w, kernel, trace);
    if (sure) flow_sum(&w, trace, counters);
    if (trace->tallies) flow_walk_close(&w);
    return sure;
}
