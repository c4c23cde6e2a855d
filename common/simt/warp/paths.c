/*
 * warp/paths.c: divergence and reconvergence within a warp.
 *
 * A warp is a set of paths. A path is a group of lanes with one program counter. A branch that
 * splits a path makes a reconvergence at the branch's immediate post-dominator. The reconvergence
 * knows which lanes will come and which are there. When all are there, they go on as one path. A
 * lane that exits is taken off all reconvergences that expect it. Reconvergences nest through their
 * parents. A call is a reconvergence at the instruction after it.
 *
 *      if (p) A; else B; C
 *      path {A, lanes p}  path {B, the others}  -->  reconvergence at C {all}  -->  path {C, all}
 *
 *      struct warp         current path: active, frame, reconvergence, rows[ROWS_REGS]; its pc is
 * the op that runs paths[0 .. n-1]   all other paths, ready or waiting; the last ready one runs
 * next struct reconvergence mask              lanes that will come      arrived   lanes that are
 * here: in no path until the others come
 *
 * Each live lane is in the current path, in one of paths[], or in the arrived mask of one
 * reconvergence. So there are at most 32 paths. The functions' contracts are in machine/machine.h.
 *
 * On a GPU, reconvergence only saves time: since Volta, lanes may run apart. So when a warp's lanes
 * spin, waiting for lanes that wait in a reconvergence, these may go on alone (path_turn_over).
 * That gives the forward progress of independent thread scheduling.
 */
#include "simt/machine/machine.h"

#include "lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* A point at pc inside the current path's reconvergence, for its frame. All active lanes are
 * expected. Points are taken from the worker's spare list, so a branch in a loop allocates once. */
static struct reconvergence *reconvergence_new(struct warp *w, const struct op *pc) {
    struct worker *worker = w->worker;
    struct reconvergence *point = worker->spare_reconvergences;
    if (point) {
        worker->spare_reconvergences = point->parent;
    } else {
        point = need(calloc(1, sizeof *point));
        point->next_owned = worker->owned_reconvergences;
        worker->owned_reconvergences = point;
    }
    *point = (struct reconvergence){.parent = w->reconvergence,
                                    .next_owned = point->next_owned,
                                    .pc = pc,
                                    .frame = w->frame,
                                    .mask = w->active};
    return point;
}

/* The point of a call is part of the callee's frame: its last lane has left the function, so the
 * frame is free. */
static void reconvergence_free(struct worker *worker, struct reconvergence *point) {
    if (point->callee) {
        frame_free(worker, point->callee);
        return;
    }
    point->parent = worker->spare_reconvergences;
    worker->spare_reconvergences = point;
}

/* A loop comes to its branch again and again with the same post-dominator: the innermost point is
 * used again if it is for pc in this frame. */
struct reconvergence *path_reconvergence_at(struct warp *w, const struct op *pc) {
    struct reconvergence *point = w->reconvergence;
    if (!point || point->pc != pc || point->frame != w->frame || point->callee)
        w->reconvergence = reconvergence_new(w, pc);
    return w->reconvergence;
}

void path_push(struct warp *w, const struct op *pc, struct frame *frame,
               struct reconvergence *point, uint32_t mask) {
    w->paths[w->npaths++] =
        (struct path){.pc = pc, .frame = frame, .reconvergence = point, .mask = mask};
}

/* Keep the order of the others: it decides which path runs next. */
static void path_remove(struct warp *w, int i) {
    if (i == --w->npaths) return;
    memmove(w->paths + i, w->paths + i + 1, (size_t)(w->npaths - i) * sizeof *w->paths);
}

/* The last ready path is the one pushed most recently, so nested branches end before outer ones. */
const struct op *path_next(struct warp *w) {
    for (const struct path *path = w->paths + w->npaths; path-- > w->paths;) {
        if (path->wait != WAIT_NONE) continue;
        const struct op *pc = path->pc;
        w->active = path->mask;
        w->frame = path->frame;
        w->reconvergence = path->reconvergence;
        w->rows[ROWS_REGS] = path->frame->regs;
        path_remove(w, (int)(path - w->paths));
        return pc;
    }
    w->active = 0;
    return NULL;
}

/* No more lanes are expected: those that arrived go on as one path. mask is 0 if all exited or went
 * on without it. */
static void reconvergence_finish(struct warp *w, struct reconvergence *point) {
    if (point->mask) path_push(w, point->pc, point->frame, point->parent, point->mask);
    reconvergence_free(w->worker, point);
}

void path_arrive(struct warp *w, struct reconvergence *point, uint32_t lanes) {
    point->arrived |= lanes;
    if (point->arrived == point->mask) reconvergence_finish(w, point);
}

/* The lanes left the function, or exited. A point that waited for no others is finished now; parent
 * is read before, as finishing frees the point. */
void path_leave(struct warp *w, struct reconvergence *from, const struct reconvergence *until,
                uint32_t lanes) {
    for (struct reconvergence *point = from, *parent; point && point != until; point = parent) {
        parent = point->parent;
        point->mask &= ~lanes;
        if (point->arrived == point->mask) reconvergence_finish(w, point);
    }
}

/* taken goes to the target, the other active lanes go on after the branch; there are some of both.
 * Lanes whose way leads straight to the join arrive there at once and need no path. */
const struct op *path_diverge(struct warp *w, const struct op *op, uint32_t taken) {
    const struct op *next = op + 1;
    uint32_t others = w->active & ~taken;
    if (op->flags & OP_BRANCH) w->worker->counters.divergent_branch++;
    if (op->branch.join) {
        struct reconvergence *point = path_reconvergence_at(w, op->branch.join);
        if (op->branch.target == op->branch.join) {
            point->arrived |= taken;
            w->active = others;
            return next;
        }
        if (next == op->branch.join) {
            point->arrived |= others;
            w->active = taken;
            return op->branch.target;
        }
    }
    path_push(w, op->branch.target, w->frame, w->reconvergence, taken);
    w->active = others;
    return next;
}

/* Points that nest may lie at the same operation (the ends of two ifs): the loop joins all that are
 * complete. */
bool path_join(struct warp *w, const struct op *op) {
    struct reconvergence *point = w->reconvergence;
    while (point && point->pc == op && point->frame == w->frame && !point->callee) {
        point->arrived |= w->active;
        if (point->arrived != point->mask) return false;
        w->active = point->mask;
        w->reconvergence = point->parent;
        reconvergence_free(w->worker, point);
        point = w->reconvergence;
    }
    return true;
}

/* Barriers and collectives may have waited for these lanes alone, so both are looked at again. */
const struct op *path_exit(struct warp *w, const struct op *op, uint32_t lanes) {
    struct block *block = w->block;
    w->live &= ~lanes;
    w->active &= ~lanes;
    block->live_threads -= count_lanes(lanes);
    block->progressed = true;
    if (!w->live) block->live_warps--;
    path_leave(w, w->reconvergence, NULL, lanes);
    barrier_recheck(block);
    if (w->npaths) collective_recheck(w);
    return w->active ? op + 1 : path_next(w);
}

/* Lanes of the current path go on after op without the others, which execute op. */
void path_step_aside(struct warp *w, const struct op *op, uint32_t lanes) {
    path_push(w, op + 1, w->frame, w->reconvergence, lanes);
    w->active &= ~lanes;
}

/* The current path joins paths[] as one that waits. No path is current then. */
struct path *path_wait(struct warp *w, const struct op *op, enum wait wait) {
    path_push(w, op, w->frame, w->reconvergence, w->active);
    struct path *path = &w->paths[w->npaths - 1];
    path->wait = (uint8_t)wait;
    w->active = 0;
    return path;
}

/* Lanes that arrived go on after the point as a path. The point then expects only the others. */
static void reconvergence_let_go(struct warp *w, struct reconvergence *point) {
    path_push(w, point->pc, point->frame, point->parent, point->arrived);
    point->mask &= ~point->arrived;
    point->arrived = 0;
}

/* Let go of the lanes that wait at any point around the path. */
static void release_waiting(struct warp *w, struct reconvergence *point) {
    for (; point; point = point->parent)
        if (point->arrived) reconvergence_let_go(w, point);
}

/* Is the operation an unconditional return or exit? */
static bool ends_threads(const struct op *pc) {
    return pc->insn && pc->insn->pred < 0 && (pc->insn->op == PTX_RET || pc->insn->op == PTX_EXIT);
}

/* All paths wait, perhaps for lanes at a reconvergence around them. Two kinds of lanes may go on:
 * those that a warp-wide operation wants, and those at the end of the function. A GPU would not
 * have held them. True: some go on. New paths are pushed after `waiting`, so the loop sees only
 * the old ones. */
bool path_unblock(struct warp *w) {
    int waiting = w->npaths;
    for (int i = 0; i < waiting; i++) {
        uint32_t wanted = w->paths[i].wait == WAIT_COLLECTIVE ? w->paths[i].needs : 0;
        for (struct reconvergence *point = w->paths[i].reconvergence; point; point = point->parent)
            if (point->arrived & wanted || (point->arrived && ends_threads(point->pc)))
                reconvergence_let_go(w, point);
    }
    return w->npaths > waiting;
}

/* The current path becomes paths[0], the last to run: each path gets its turn. If it polled memory,
 * it may spin until a lane at one of its reconvergence points writes there, so the lanes at these
 * points are let go. */
const struct op *path_turn_over(struct warp *w, const struct op *next) {
    struct path current = {
        .pc = next, .frame = w->frame, .reconvergence = w->reconvergence, .mask = w->active};
    memmove(w->paths + 1, w->paths, w->npaths * sizeof *w->paths);
    w->paths[0] = current;
    w->npaths++;
    w->active = 0;
    if (w->polled) {
        w->block->polled = true;
        release_waiting(w, current.reconvergence);
    } else {
        w->block->progressed = true;
    }
    w->polled = false;
    return NULL;
}
