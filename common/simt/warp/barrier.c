/*
 * warp/barrier.c: bar.sync, bar.arrive and bar.red. Since Volta a barrier counts threads, not
 * warps: lanes of a diverged warp arrive one path at a time, and threads that have exited are not
 * waited for.
 *
 *      bar.sync 1, 64             arrived
 *        warp 0, all lanes          32      its path waits
 *        warp 1, lanes 0 to 15      48      the path waits; lanes 16 to 31 are on another path
 *        warp 1, lanes 16 to 31     64      complete: all three paths go on, the barrier is as new
 */
#include "simt/check/check.h"

#include <stdio.h>
#include <string.h>

/* A lane's value of a 32-bit operand. */
static uint32_t row32(const struct warp *w, uint32_t ref, int lane) {
    return ((const uint32_t *)row(w, ref))[lane];
}

/* Are all there? A barrier without a thread count waits for the threads of the block that have not
 * exited. */
static bool is_complete(const struct block *block, const struct barrier *barrier) {
    if (barrier->expected) return barrier->arrived >= barrier->expected;
    return barrier->arrived && barrier->arrived >= block->live_threads;
}

/* Write bar.red's result for the lanes of a waiting path, in the frame that the path had when it
 * arrived. */
static void write_result(const struct path *path, const struct barrier *barrier) {
    const struct op *op = path->pc;
    char *regs = path->frame->regs;
    uint32_t *d = (uint32_t *)(regs + op->d);
    if (op->sub == PTX_BAR_RED_POPC) {
        for (uint32_t rest = path->mask; rest; rest &= rest - 1)
            d[__builtin_ctz(rest)] = barrier->votes;
    } else if (op->sub == PTX_BAR_RED_AND || op->sub == PTX_BAR_RED_OR) {
        bool holds =
            op->sub == PTX_BAR_RED_AND ? barrier->votes == barrier->voters : barrier->votes > 0;
        *d = (*d & ~path->mask) | (holds ? path->mask : 0);
    }
}

/* The less often a warp gave way since its last barrier, the sooner it goes on, as on a GPU
 * (tests/programs/side_by_side.cu). The order of equals stands for that of a GPU, which no program
 * may rely on: the one that came to the barrier last is first, then the others by number. */
static void order_turns(struct block *block, uint32_t latest) {
    for (uint32_t n = 0, times = 0, next; n < block->nwarps; times = next) {
        next = UINT32_MAX;
        for (uint32_t k = 0; k < block->nwarps; k++) {
            uint32_t i = k == 0 ? latest : k - (k <= latest);
            uint32_t gave_way = block->warps[i].times_gave_way;
            if (gave_way == times)
                block->warp_order[n++] = (uint8_t)i;
            else if (gave_way > times && gave_way < next)
                next = gave_way;
        }
    }
    block->reordered = true;
}

/* Let all paths go on that wait at barrier id, in every warp. The checker looks at them first,
 * while they still wait. latest: the warp that came last. */
static void barrier_release(struct block *block, uint8_t id, uint32_t latest) {
    struct barrier *barrier = &block->barriers[id];
    if (block->check) check_barrier(block, id);
    order_turns(block, latest);
    for (struct warp *w = block->warps; w < block->warps + block->nwarps; w++) {
        for (struct path *path = w->paths; path < w->paths + w->npaths; path++) {
            if (path->wait != WAIT_BARRIER || path->barrier != id) continue;
            if (barrier->voters) write_result(path, barrier);
            path->wait = WAIT_NONE;
            path->pc++;
            w->times_gave_way = 0;
            if (w->inst < barrier->inst) w->inst = barrier->inst;
        }
    }
    *barrier = (struct barrier){0};
    block->barriers_begun &= ~(1u << id);
    block->barriers_passed++;
    block->progressed = true;
}

void barrier_recheck(struct block *block) {
    for (uint32_t rest = block->barriers_begun; rest; rest &= rest - 1) {
        uint8_t id = (uint8_t)__builtin_ctz(rest);
        if (is_complete(block, &block->barriers[id])) barrier_release(block, id, 0);
    }
}

/* Threads that the arriving lanes count for. A thread count is in whole warps, so the first lanes
 * of a warp also count for those that it lacks: exited ones, or none in a last, partial warp. */
static uint32_t arrivals(const struct warp *w, struct barrier *barrier, uint32_t lanes) {
    uint32_t n = count_lanes(lanes);
    bool first = !(barrier->warps_seen >> w->index & 1);
    barrier->warps_seen |= 1u << w->index;
    return barrier->expected && first ? n + WARP_SIZE - (uint32_t)__builtin_popcount(w->live) : n;
}

/* bar.red: count the lanes whose predicate holds, and all lanes that voted. */
static void vote(struct warp *w, const struct op *op, struct barrier *barrier, uint32_t lanes) {
    uint32_t holds = *(const uint32_t *)row(w, op->c) ^ op->c_flip;
    barrier->votes += (uint32_t)__builtin_popcount(holds & lanes);
    barrier->voters += (uint32_t)__builtin_popcount(lanes);
}

static bool is_reduction(const struct op *op) {
    return op->sub == PTX_BAR_RED_POPC || op->sub == PTX_BAR_RED_AND || op->sub == PTX_BAR_RED_OR;
}

/* Operands: a, which barrier; b, how many threads (0: all); c, bar.red's predicate. bar.arrive
 * counts its lanes and goes on; the others wait as a path until the barrier is complete. */
const struct op *barrier_arrive(struct warp *w, const struct op *op, uint32_t lanes) {
    int first = __builtin_ctz(lanes);
    uint32_t id = row32(w, op->a, first);
    if (id >= NAMED_BARRIERS && op->sub != PTX_BAR_CLUSTER_WAIT)
        return fault_raise(w, op, SIM_ERROR_LAUNCH, first,
                           "Barrier %u does not exist: there are 16", id);
    struct barrier *barrier = &w->block->barriers[id];
    if (lanes != w->active) path_step_aside(w, op, w->active & ~lanes);
    barrier->expected = row32(w, op->b, first);
    barrier->arrived += arrivals(w, barrier, lanes);
    w->block->barriers_begun |= 1u << id;
    if (barrier->inst < w->inst) barrier->inst = w->inst;
    if (is_reduction(op)) vote(w, op, barrier, lanes);
    if (w->trace)
        trace_passes(w->trace, op->insn, ACCESS_BARRIER,
                     op->sub == PTX_BAR_ARRIVE ? ACCESS_LEAVES : 0, barrier->expected, 0);
    w->worker->counters.barriers++;
    w->block->progressed = true;
    w->block->polled_before_barrier |= w->polled;
    /* First wait, then release: the lanes that complete the barrier are released with the
     * others. */
    if (op->sub != PTX_BAR_ARRIVE) path_wait(w, op, WAIT_BARRIER)->barrier = (uint8_t)id;
    bool complete = is_complete(w->block, barrier);
    if (complete) barrier_release(w->block, (uint8_t)id, w->index);
    if (op->sub == PTX_BAR_ARRIVE) return op + 1;
    bool turn_ends = complete ? w->block->live_warps > 1 : w->npaths == 1;
    return turn_ends ? NULL : path_next(w);
}
