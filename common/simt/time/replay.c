/*
 * time/replay.c: run traced blocks through the model of a multiprocessor, and extrapolate.
 *
 * The first blocks fill the multiprocessor, each later one takes the place of one that has ended.
 * Once places have changed hands for a while, rounds repeat each other: the time and all sums
 * between two dispatches far enough apart tell what each block more costs.
 *
 *   dispatches   1 .. R | R+1 .. 2R | 2R+1 ............. N |  (N+1 .. share)
 *                fill     settle      first mark     last mark   by the difference of the marks
 */
#include "replay.h"

#include "lib/memory.h"

#include <math.h>
#include <stdlib.h>

#define ENOUGH_ISSUES 150000  /* machine instructions to replay, if that gives rounds enough */
#define MOST_ISSUES   1000000 /* where even the first rounds have more, the replay is cut off */
#define FEWEST_ROUNDS 3

double replay_issues(const struct trace *trace) {
    double issues = 0;
    for (uint32_t b = 0; b < trace->n; b++) issues += trace->traced[b].issues;
    return trace->n ? issues / trace->n : 0;
}

/* How many of share blocks to replay: whole rounds of resident blocks, as many as give
 * ENOUGH_ISSUES instructions, at least FEWEST_ROUNDS. */
static uint64_t replayed(const struct sm_setup *setup, uint64_t share) {
    uint64_t rounds = (uint64_t)(ENOUGH_ISSUES / fmax(1, setup->issues * setup->resident));
    uint64_t n = setup->resident * (rounds > FEWEST_ROUNDS ? rounds : FEWEST_ROUNDS);
    return n < share ? n : share;
}

/* struct sm_sums is doubles only, so it is added as an array. */
void sm_sums_add(struct sm_sums *sums, const struct sm_sums *part, double times) {
    double *to = (double *)sums;
    const double *from = (const double *)part;
    for (size_t i = 0; i < sizeof *sums / sizeof *to; i++) to[i] += times * from[i];
}

static int replay_by_index(const void *one, const void *other) {
    uint64_t a = (*(const struct block_trace *const *)one)->index,
             b = (*(const struct block_trace *const *)other)->index;
    return (a > b) - (a < b);
}

/* Which n traced blocks to replay, to be freed. The traced blocks lie in the order of their work.
 * If n are all that the busiest multiprocessor has, each is the one with most work of an n-th of
 * them, and they come in the order of the grid: its last blocks may have more to do than its first,
 * and the kernel ends later then. */
static const struct block_trace **replay_order(const struct trace *trace, uint64_t n, bool all) {
    const struct block_trace **order = need(calloc(n, sizeof(void *)));
    for (uint64_t i = 0; i < n; i++)
        order[i] = &trace->traced[all ? (i * trace->n + n - 1) / n : trace_replayed(trace->n, i)];
    if (all) qsort(order, n, sizeof(void *), replay_by_index);
    return order;
}

struct marks {
    const struct block_trace **order;
    struct sm_sums first, last; /* at the dispatch of a block in the middle, and of the last one */
    double blocks;              /* dispatched in between */
};

/* Start blocks while there is room, up to n in all, and note the sums at the two marks. i /
 * trace->n tells copies of a traced block apart. */
static void replay_start_blocks(struct sm *sm, uint64_t n, struct marks *marks) {
    const struct trace *trace = sm->setup->trace;
    uint64_t settled = n > 2 * sm->setup->resident ? 2 * sm->setup->resident : sm->setup->resident;
    for (uint64_t i = (uint64_t)sm->sums.blocks; i < n && sm_has_room(sm); i++) {
        sm_start_block(sm, marks->order[i], i / trace->n + 1);
        if (i + 1 == settled) marks->first = sm_sums_now(sm);
        if (i + 1 == n) marks->last = sm_sums_now(sm);
    }
    marks->blocks = n > settled ? (double)(n - settled) : 0;
}

/* Replay n blocks to their end, or to MOST_ISSUES. */
static void replay_run(struct sm *sm, uint64_t n, struct marks *marks) {
    uint64_t until;
    while ((uint64_t)sm->sums.blocks < n || sm->live_warps) {
        replay_start_blocks(sm, n, marks);
        /* A step must not pass the next dispatch, if a block waits for it. */
        bool waits = (uint64_t)sm->sums.blocks < n && sm->live_blocks < sm->setup->resident;
        until = waits ? (uint64_t)ceil(sm->next_dispatch) : UINT64_MAX;
        sm_step(sm, until);
        if (sm->sums.issued > MOST_ISSUES) return;
    }
    const struct slowest *slowest = &sm->memory.slowest;
    double last = slowest_last(slowest, &sm->memory.dram, sm->setup->active_sms, sm->setup->fill);
    /* Where there are several rounds, multiprocessors that wait longer get fewer blocks. */
    if (n > sm->setup->resident) last = fmax(last, slowest->last);
    sm->sums.cycles = (double)sm_end(sm) + last - slowest->last;
}

bool replay_is_whole(const struct sm_setup *setup, uint64_t share) {
    return share <= setup->trace->n && replayed(setup, share) == share;
}

/* Replay enough of share blocks. Each further block adds what a block added between the marks. A
 * replay that was cut off is scaled up as a whole; returns its instructions, or 0. */
static double extrapolate(struct sm *sm, uint64_t share, struct sm_sums *sums) {
    uint64_t n = replayed(sm->setup, share);
    struct marks marks = {.order =
                              replay_order(sm->setup->trace, n, replay_is_whole(sm->setup, share))};
    double issues = 0;
    replay_run(sm, n, &marks);
    for (uint64_t i = 0; i < n; i++) issues += marks.order[i]->issues;
    free(marks.order);
    struct sm_sums all = sm_sums_now(sm), rounds = marks.last;
    *sums = (struct sm_sums){0};
    if (all.issued > MOST_ISSUES) {
        all.traced = all.issued;
        sm_sums_add(sums, &all, issues / all.issued * (double)share / (double)n);
        return all.issued;
    }
    sm_sums_add(&rounds, &marks.first, -1);
    sm_sums_add(sums, &all, 1);
    if (n < share) sm_sums_add(sums, &rounds, (double)(share - n) / marks.blocks);
    return 0;
}

/* Extrapolate from the first round on, or from a later one, when others have loaded before. */
static double replay_from(const struct sm_setup *setup, bool later, uint64_t share,
                          struct sm_sums *sums) {
    struct sm *sm = need(malloc(sizeof *sm));
    sm_open(sm, setup);
    sm->later = later;
    double cut_off = extrapolate(sm, share, sums);
    sm_close(sm);
    free(sm);
    return cut_off;
}

bool replay(const struct sm_setup *setup, uint64_t share, struct sm_sums *sums) {
    if (!(setup->issues > 0)) return false;
    double cut_off = replay_from(setup, false, share, sums);
    if (!(cut_off > 0) || !(sums->memory.dram_loads > 0)) return true;
    /* Only blocks of the first round, or as many as were seen, were like those seen. */
    double seen = fmax(setup->resident, cut_off / setup->issues) / (double)share;
    struct sm_sums first = *sums, later;
    struct sm_setup unwatched = *setup;
    if (seen >= 1) return true;
    unwatched.insn_cycles = NULL;
    unwatched.watch = NULL;
    replay_from(&unwatched, true, share, &later);
    *sums = (struct sm_sums){0};
    sm_sums_add(sums, &first, seen);
    sm_sums_add(sums, &later, 1 - seen);
    return true;
}
