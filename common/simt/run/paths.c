/*
 * run/paths.c: divergence and reconvergence within a warp.
 *
 * A warp is a set of paths, groups of lanes with one program counter. A branch that splits a path makes a meet at the
 * branch's immediate post-dominator: it knows which lanes will come and which are there, and when all are there they go
 * on as one path. A lane that exits is taken off all meets that expect it. Meets nest through their parents; a call is
 * a meet at the instruction behind it.
 *
 *      if (p) A; else B; C        path {A, lanes p}  path {B, the others}  --> meet at C {all}  --> path {C, all}
 *
 * Meets make lanes wait only for speed. So when a warp's lanes spin, waiting for lanes that wait in a meet, the latter
 * may go on alone: see path_turn_over. That gives the forward progress of independent thread scheduling.
 */
#include "simt/machine/machine.h"

#include <stdlib.h>
#include <string.h>

static struct meet *meet_new(struct warp *w, const struct op *pc) {
    struct worker *worker = w->worker;
    struct meet *meet = worker->spare_meets;
    if (meet) {
        worker->spare_meets = meet->parent;
    } else {
        meet = calloc(1, sizeof *meet);
        meet->next_owned = worker->owned_meets;
        worker->owned_meets = meet;
    }
    *meet = (struct meet){
        .parent = w->meet, .next_owned = meet->next_owned, .pc = pc, .frame = w->frame, .mask = w->active};
    return meet;
}

static void meet_free(struct worker *worker, struct meet *meet) {
    if (meet->callee) {
        frame_free(worker, meet->callee);
        return;
    }
    meet->parent = worker->spare_meets;
    worker->spare_meets = meet;
}

/* The meet at pc for the current path: the innermost one if it is there already (loops), else a new one. */
struct meet *path_meet_at(struct warp *w, const struct op *pc) {
    struct meet *meet = w->meet;
    if (!meet || meet->pc != pc || meet->frame != w->frame || meet->callee) w->meet = meet_new(w, pc);
    return w->meet;
}

void path_push(struct warp *w, const struct op *pc, struct frame *frame, struct meet *meet, uint32_t mask) {
    w->paths[w->npaths++] = (struct path){.pc = pc, .frame = frame, .meet = meet, .mask = mask};
}

static void path_remove(struct warp *w, int i) {
    w->npaths--;
    memmove(w->paths + i, w->paths + i + 1, (size_t)(w->npaths - i) * sizeof *w->paths);
}

/* Make the most recent ready path the current one; NULL if all wait, or none is left. */
const struct op *path_next(struct warp *w) {
    for (int i = w->npaths - 1; i >= 0; i--) {
        if (w->paths[i].wait != WAIT_NONE) continue;
        struct path path = w->paths[i];
        path_remove(w, i);
        w->active = path.mask;
        w->frame = path.frame;
        w->meet = path.meet;
        w->area[AREA_REGS] = path.frame->regs;
        return path.pc;
    }
    w->active = 0;
    return NULL;
}

/* All lanes a meet still expects are there: let them go on. */
static void meet_finish(struct warp *w, struct meet *meet) {
    if (meet->mask) path_push(w, meet->pc, meet->frame, meet->parent, meet->mask);
    meet_free(w->worker, meet);
}

void path_arrive(struct warp *w, struct meet *meet, uint32_t lanes) {
    meet->arrived |= lanes;
    if (meet->arrived == meet->mask) meet_finish(w, meet);
}

/* Lanes will not come to the meets between from and until: they left the function, or exited. */
void path_leave(struct warp *w, struct meet *from, const struct meet *until, uint32_t lanes) {
    for (struct meet *meet = from, *parent; meet && meet != until; meet = parent) {
        parent = meet->parent;
        meet->mask &= ~lanes;
        if (meet->arrived == meet->mask) meet_finish(w, meet);
    }
}

/* A branch that lanes in taken take and the other active lanes do not; both exist. */
const struct op *path_diverge(struct warp *w, const struct op *op, uint32_t taken) {
    const struct op *next = op + 1;
    uint32_t others = w->active & ~taken;
    if (op->flags & OP_BRANCH) w->worker->counters.divergent_branch++;
    if (op->join) {
        struct meet *meet = path_meet_at(w, op->join);
        if (op->target == op->join) {
            meet->arrived |= taken;
            w->active = others;
            return next;
        }
        if (next == op->join) {
            meet->arrived |= others;
            w->active = taken;
            return op->target;
        }
    }
    path_push(w, op->target, w->frame, w->meet, taken);
    w->active = others;
    return next;
}

/* The current path is at op, where its meet is. True: all are there, and it goes on with all of them. False: it waits;
 * take the next. */
bool path_join(struct warp *w, const struct op *op) {
    struct meet *meet = w->meet;
    while (meet && meet->pc == op && meet->frame == w->frame && !meet->callee) {
        meet->arrived |= w->active;
        if (meet->arrived != meet->mask) return false;
        w->active = meet->mask;
        w->meet = meet->parent;
        meet_free(w->worker, meet);
        meet = w->meet;
    }
    return true;
}

const struct op *path_exit(struct warp *w, const struct op *op, uint32_t lanes) {
    struct block *block = w->block;
    w->live &= ~lanes;
    w->active &= ~lanes;
    block->live_threads -= (uint32_t)__builtin_popcount(lanes);
    block->progressed = true;
    if (!w->live) block->live_warps--;
    path_leave(w, w->meet, NULL, lanes);
    barrier_recheck(block);
    if (w->npaths) exchange_recheck(w);
    return w->active ? op + 1 : path_next(w);
}

/* Lanes of the current path go on behind op without the others, which execute op. */
void path_step_aside(struct warp *w, const struct op *op, uint32_t lanes) {
    path_push(w, op + 1, w->frame, w->meet, lanes);
    w->active &= ~lanes;
}

/* The current path waits at op; no path is current then. */
struct path *path_wait(struct warp *w, const struct op *op, enum wait wait) {
    path_push(w, op, w->frame, w->meet, w->active);
    struct path *path = &w->paths[w->npaths - 1];
    path->wait = (uint8_t)wait;
    w->active = 0;
    return path;
}

/* The lanes that wait in the meet go on without the others. */
static void meet_let_go(struct warp *w, struct meet *meet) {
    path_push(w, meet->pc, meet->frame, meet->parent, meet->arrived);
    meet->mask &= ~meet->arrived;
    meet->arrived = 0;
}

/* Lanes that wait in the meets around a path go on without it. */
static void release_waiting(struct warp *w, struct meet *meet) {
    for (; meet; meet = meet->parent)
        if (meet->arrived) meet_let_go(w, meet);
}

static bool ends_threads(const struct op *pc) {
    return pc->insn && pc->insn->pred < 0 && (pc->insn->op == PTX_RET || pc->insn->op == PTX_EXIT);
}

/* All paths wait, perhaps for lanes that wait in a meet around them. Lanes that a warp-wide operation wants go on from
 * there, and lanes whose meet is the end of the function end: the machine would not have held them. True: some go on.
 */
bool path_unblock(struct warp *w) {
    int waiting = w->npaths;
    for (int i = 0; i < waiting; i++) {
        uint32_t wanted = w->paths[i].wait == WAIT_EXCHANGE ? w->paths[i].needs : 0;
        for (struct meet *meet = w->paths[i].meet; meet; meet = meet->parent)
            if (meet->arrived & wanted || (meet->arrived && ends_threads(meet->pc))) meet_let_go(w, meet);
    }
    return w->npaths > waiting;
}

/* The warp's turn is over before next. Its other paths come first in the next one; if the current path looked at memory
 * that others may change, it may be spinning until lanes that wait for it do something, so these are let go. */
const struct op *path_turn_over(struct warp *w, const struct op *next) {
    struct path current = {.pc = next, .frame = w->frame, .meet = w->meet, .mask = w->active};
    memmove(w->paths + 1, w->paths, w->npaths * sizeof *w->paths);
    w->paths[0] = current;
    w->npaths++;
    w->active = 0;
    if (w->polled) {
        w->block->polled = true;
        release_waiting(w, current.meet);
    } else {
        w->block->progressed = true;
    }
    w->polled = false;
    return NULL;
}
