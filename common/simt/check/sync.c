/*
 * check/sync.c: what orders the accesses of two threads, and synchronisation that not all threads
 * reach.
 *
 * Ordered is
 *
 *   - what the threads of a block did before and after a barrier of the block. (A barrier that
 *     names only some of the threads counts for all: a race may be missed, none is made up.)
 *   - what lanes of a warp did before and after an operation that they took part in together, with
 *     one mask: __syncwarp, and also shuffles, votes and matches, although these promise the order
 * of values only.
 *   - what a thread did before a fence that an atomic, volatile, relaxed or releasing store
 *     follows, and what another did after it looked by an operation of this kind at a word (a flag,
 *     a ticket, a lock) that was stored then or later. A relaxed or releasing look needs a fence or
 *     a barrier of the block after it.
 *     All threads of the first one's warp count as fenced and as storing, for other blocks all of
 *     its block, since a barrier before the fence would make them so, and a later store by anyone
 * counts as the first one's. A fence of block scope orders only within the block. For what the
 * thread had read, an atomic or volatile store is enough.
 *
 *       block 0:  result = x;  __threadfence();  atomicAdd(&ticket, 1)
 *                                  |                  :
 *                              published              v
 *       block 1:                             acquired: atomicAdd(&ticket, 1);  y = result
 *
 *   - what an earlier launch did, and what an earlier block did in the shared memory that a later
 *     one has.
 *
 * That threads of a warp run in step, or meet again after a branch, orders nothing: since Volta
 * they need not.
 */
#include "check.h"

#include "lib/memory.h"
#include "simt/machine/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 16 /* jumps that are followed to the end of a kernel */

static epoch now = 1;

epoch check_now(void) {
    return now;
}

/* ---- Epochs in order ---- */

static void epochs_add(struct epochs *list, epoch when) {
    if (list->n == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 8;
        list->items = need(realloc(list->items, list->capacity * sizeof *list->items));
    }
    list->items[list->n++] = when;
}

/* The first epoch later than `when`; 0: none. The list rises, so this is a binary search. */
static epoch first_after(const struct epochs *list, epoch when) {
    uint32_t low = 0, high = list->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (list->items[middle] > when)
            high = middle;
        else
            low = middle + 1;
    }
    return low < list->n ? list->items[low] : 0;
}

/* ---- Life ---- */

/* The checked grid that runs now: a grid that waits for its children is its outer one. */
static struct check_grid *innermost;

/* A grid begins at a new epoch: all accesses of earlier launches have smaller ones. */
struct check_grid *check_grid_open(const struct grid *grid) {
    struct check_grid *check = need(calloc(1, sizeof *check));
    check->outer = innermost;
    check->nblocks = grid->nblocks;
    check->start = ++now;
    innermost = check;
    check->blocks = need(calloc(grid->nblocks, sizeof *check->blocks));
    return check;
}

static void published_free(struct published *published) {
    free(published->fences.items);
    free(published->reads.items);
    free(published->signals.items);
}

/* The grid around this one continues at a new epoch: what happened before counts as ordered. */
void check_grid_close(struct check_grid *check) {
    innermost = check->outer;
    if (innermost) innermost->start = ++now;
    for (uint64_t i = 0; i < check->nblocks; i++) {
        if (!check->blocks[i]) continue;
        published_free(check->blocks[i]);
        free(check->blocks[i]);
    }
    free(check->blocks);
    free(check);
}

struct check_grid *check_grid_put_aside(void) {
    struct check_grid *check = innermost;
    innermost = NULL;
    return check;
}

void check_grid_take_back(struct check_grid *check) {
    innermost = check;
    if (check) check->start = ++now;
}

/* Memory for the checks of a block, used again by later blocks, as struct block is. */
struct check_block *check_block_open(const struct block *block) {
    struct check_block *check = need(calloc(1, sizeof *check));
    check->warps = need(calloc(block->nwarps, sizeof *check->warps));
    size_t local = ((size_t)block->worker->local_stride * WARP_SIZE + 7) / 8;
    for (uint32_t i = 0; i < block->nwarps; i++)
        check->warps[i].local = local ? need(malloc(local)) : NULL;
    shadow_open(&check->shared, block->worker->shared_bytes, false, true);
    return check;
}

static bool kernel_reads_unset(const struct kernel *kernel) {
    bool any = false;
    for (int32_t i = 0; i < kernel->ncodes; i++) any |= kernel->codes[i]->nunset > 0;
    return any;
}

/* A block begins in memory that an earlier one had: clear what was written. Shadow words stay, as
 * their epochs are before start. */
void check_block_start(struct block *block) {
    struct check_block *check = block->check;
    const struct worker *worker = block->worker;
    size_t local = ((size_t)worker->local_stride * WARP_SIZE + 7) / 8;
    check->start = check->barrier = ++now;
    check->acquired = check->looked = 0;
    memset(check->shared.written, 0, check->shared.mapped_bits);
    shadow_mark(&check->shared, 0, worker->kernel->reserved_shared);
    if (check->pending) memset(check->pending, 0, worker->shared_bytes / 8 + 1);
    for (uint32_t i = 0; i < block->nwarps; i++) {
        check->warps[i].acquired = check->warps[i].looked = 0;
        struct published *published = &check->warps[i].published;
        published->fences.n = published->reads.n = published->signals.n = 0;
        check->warps[i].has_undefined = kernel_reads_unset(worker->kernel);
        if (local) memset(check->warps[i].local, 0, local);
    }
}

void check_block_close(struct check_block *check, uint32_t nwarps) {
    for (uint32_t i = 0; i < nwarps; i++) {
        free(check->warps[i].local);
        published_free(&check->warps[i].published);
    }
    shadow_close(&check->shared);
    free(check->pending);
    free(check->warps);
    free(check);
}

/* ---- What orders ---- */

/* What the block published, made at its first fence or signal. */
static struct published *published_by(struct check_grid *check, uint64_t block) {
    if (!check->blocks[block]) check->blocks[block] = need(calloc(1, sizeof **check->blocks));
    return check->blocks[block];
}

static void raise_epoch(epoch *to, epoch when) {
    if (*to < when) *to = when;
}

/* A fence is an epoch later than all accesses before it. */
void check_publish(struct warp *w, bool in_grid) {
    check_acquire(w, w->block->check->warps[w->index].looked, false);
    struct published *block = published_by(w->worker->grid->check, w->block->index),
                     *warp = &w->block->check->warps[w->index].published;
    now++;
    epochs_add(&warp->fences, now);
    if (in_grid) epochs_add(&block->fences, now);
    epochs_add(&warp->reads, now);
    epochs_add(&block->reads, now);
}

void check_signal(struct warp *w) {
    struct published *both[] = {published_by(w->worker->grid->check, w->block->index),
                                &w->block->check->warps[w->index].published};
    now++;
    for (int i = 0; i < 2; i++) epochs_add(&both[i]->reads, now);
    for (int i = 0; i < 2; i++) epochs_add(&both[i]->signals, now);
}

/* For what other blocks published, the look counts for the whole block. */
void check_acquire(struct warp *w, epoch when, bool relaxed) {
    struct check_block *block = w->block->check;
    struct check_warp *warp = &block->warps[w->index];
    raise_epoch(relaxed ? &warp->looked : &warp->acquired, when);
    raise_epoch(relaxed ? &block->looked : &block->acquired, when);
}

/* The handler of membar and fence: the interpreter has nothing else to do for them. */
const struct op *check_fence(struct warp *w, const struct op *op) {
    uint32_t lanes = guard(w, op);
    if (lanes) check_publish(w, op->check.publishes == PUBLISHES_TO_GRID);
    return op + 1;
}

/* The lanes meet: what any of them had ordered before it, all have now, and what they did
 * themselves. latest is the maximum of their rows of `ordered`. */
static void meet(struct check_warp *check, uint32_t lanes) {
    epoch latest[WARP_SIZE] = {0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        const epoch *row = check->ordered[__builtin_ctz(rest)];
        for (int j = 0; j < WARP_SIZE; j++) latest[j] = row[j] > latest[j] ? row[j] : latest[j];
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) latest[__builtin_ctz(rest)] = now;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        memcpy(check->ordered[__builtin_ctz(rest)], latest, sizeof latest);
}

/* Those of the lanes that name the same ones of them as the first does. */
static uint32_t one_mask(uint32_t lanes, uint32_t all, const uint32_t members[WARP_SIZE]) {
    uint32_t named = members[__builtin_ctz(lanes)] & all, same = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        same |= (uint32_t)((members[l] & all) == named) << l;
    }
    return same;
}

void check_converge(struct warp *w, uint32_t lanes, const uint32_t members[WARP_SIZE]) {
    now++;
    for (uint32_t rest = lanes, together; rest; rest &= ~together) {
        together = one_mask(rest, lanes, members);
        meet(&w->block->check->warps[w->index], together);
    }
}

/* Have the two lanes met since the earlier access? */
static bool ordered_in_warp(const struct warp *w, uint32_t lane, const struct access *earlier) {
    return earlier->thread / WARP_SIZE == w->index &&
           w->block->check->warps[w->index].ordered[lane][earlier->thread % WARP_SIZE] >
               earlier->when;
}

/* When was the access published and then signalled? A read is published by the signal alone. 0:
 * never. */
static epoch signalled(const struct warp *w, const struct access *earlier, bool same_block) {
    const struct published *published =
        same_block ? &w->block->check->warps[earlier->thread / WARP_SIZE].published
                   : w->worker->grid->check->blocks[earlier->block];
    if (!published) return 0;
    bool writes = earlier->flags & ACCESS_WRITE;
    epoch fence = first_after(writes ? &published->fences : &published->reads, earlier->when);
    if (fence && writes) fence = first_after(&published->signals, fence);
    return fence;
}

/* Did this warp, or for accesses of another block this block, look at the signal or a later one? */
static bool ordered_by_fence(const struct warp *w, const struct access *earlier, bool same_block) {
    const struct check_block *check = w->block->check;
    epoch signal = signalled(w, earlier, same_block);
    return signal && (same_block ? check->warps[w->index].acquired : check->acquired) >= signal;
}

bool check_lacks_fence(const struct warp *w, const struct access *earlier) {
    epoch signal = signalled(w, earlier, earlier->block == (uint32_t)w->block->index);
    return signal && w->block->check->warps[w->index].looked >= signal;
}

/* From the cheapest question to the dearest: start of the grid or block, barrier, warp, fences. */
bool check_ordered(const struct warp *w, uint32_t lane, const struct access *earlier, bool shared) {
    const struct check_block *check = w->block->check;
    if (earlier->when < (shared ? check->start : w->worker->grid->check->start)) return true;
    bool same_block = shared || earlier->block == (uint32_t)w->block->index;
    if (same_block && (earlier->when < check->barrier || ordered_in_warp(w, lane, earlier)))
        return true;
    return ordered_by_fence(w, earlier, same_block);
}

/* ---- Barriers ---- */

/* Is it spelled bar..., the aligned form? __syncthreads() compiles to it; barrier... may stand in
 * several places. */
static bool is_aligned(const struct ptx_insn *insn) {
    return insn->spelling_length >= 4 && memcmp(insn->spelling, "bar.", 4) == 0;
}

/* The first path that waits at the barrier, and whether all wait at the same instruction. */
static const struct path *waiting_at(const struct block *block, uint8_t id, struct warp **warp,
                                     bool *together) {
    const struct path *first = NULL;
    *together = true;
    for (uint32_t i = 0; i < block->nwarps; i++)
        for (int p = 0; p < block->warps[i].npaths; p++) {
            const struct path *path = &block->warps[i].paths[p];
            if (path->wait != WAIT_BARRIER || path->barrier != id) continue;
            if (!first) first = path, *warp = &block->warps[i];
            *together &= path->pc->insn == first->pc->insn;
        }
    return first;
}

/* __syncthreads is for all threads of a block, at one place in the program. A GPU goes on when
 * those that have not exited wait, at any place. The program is wrong all the same. */
void check_barrier(struct block *block, uint8_t id) {
    const struct barrier *barrier = &block->barriers[id];
    uint32_t threads = block->worker->grid->block_threads, gone = threads - block->live_threads;
    struct warp *w = NULL;
    bool together;
    char detail[256];
    block->check->barrier = ++now;
    raise_epoch(&block->check->acquired, block->check->looked);
    const struct path *path = waiting_at(block, id, &w, &together);
    if (!path || barrier->expected || !is_aligned(path->pc->insn) || (!gone && together)) return;
    if (gone)
        snprintf(detail, sizeof detail,
                 "%u of the block's %u threads exited without coming here\n" HINT_BLOCK, gone,
                 threads);
    else
        snprintf(detail, sizeof detail,
                 "the block's other threads wait at another __syncthreads\n" HINT_BLOCK);
    report_sync(w, path->frame->code->function, path->pc->insn, __builtin_ctz(path->mask),
                "Barrier error detected. Divergent thread(s) in block.", detail);
}

/* ---- Warp-wide operations ---- */

/* Does the thread do nothing more from this operation on? */
static bool leads_to_exit(const struct frame *frame, const struct op *pc) {
    const struct ptx_function *function = frame->code->function;
    const struct op *end = frame->code->ops + frame->code->nops;
    while (pc < end && !pc->insn) pc++; /* the operations that begin a basic block */
    const struct ptx_insn *insn = pc < end ? pc->insn : NULL;
    if (!insn) return !frame->caller;
    for (int steps = 0; steps < MAX_STEPS && insn->pred < 0 && insn->op == PTX_BRA; steps++)
        insn = &function->insns[insn->operand[0].target];
    return insn->pred < 0 && (insn->op == PTX_EXIT || (insn->op == PTX_RET && !frame->caller));
}

uint32_t check_awaited(const struct warp *w, uint32_t lanes) {
    uint32_t leaving = 0;
    for (int i = 0; i < w->npaths; i++) {
        const struct path *path = &w->paths[i];
        if (leads_to_exit(path->frame, path->pc)) leaving |= path->mask;
        for (const struct reconvergence *point = path->reconvergence; point; point = point->parent)
            if (leads_to_exit(point->frame, point->pc)) leaving |= point->arrived;
    }
    return lanes & ~leaving;
}

/* Each lane that calls must name itself. Lanes that have exited must not be named where their
 * values are wanted.
 * __syncwarp does without them, but not without lanes that went on elsewhere while others waited,
 * and exited then. Lanes that the last warp of a block never had are not missed. */
void check_members(struct warp *w, const struct frame *frame, const struct op *op, uint32_t lanes,
                   uint32_t named, uint32_t awaited) {
    uint32_t gone = named & w->launched & ~w->live, unnamed = lanes & ~named;
    bool waits = op->collective.step == collective_none;
    char detail[256];
    if (waits) gone &= awaited;
    if (!op->collective.members || (!gone && !unnamed)) return;
    if (unnamed)
        snprintf(detail, sizeof detail,
                 "lanes 0x%08x call it with a mask, 0x%08x, that does not name them", unnamed,
                 named);
    else
        snprintf(detail, sizeof detail, "its mask, 0x%08x, names lanes that %s: 0x%08x\n" HINT_WARP,
                 named, waits ? "went another way and exited without coming here" : "have exited",
                 gone);
    report_sync(w, frame->code->function, op->insn, __builtin_ctz(lanes),
                unnamed ? "Barrier error detected. Invalid arguments."
                        : "Barrier error detected. Divergent thread(s) in warp.",
                detail);
}
