/*
 * time/sm.c: the multiprocessor: places for blocks and warps, and the schedulers' cycle. A struct
 * sm belongs to one host thread.
 *
 *   warps[]   slot i belongs to scheduler i % nschedulers   live: has a warp
 *   blocks[]  place of a resident block                     present: warps that still hold slots
 */
#include "sm.h"

#include "lib/memory.h"
#include "traffic.h"
#include "without.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cycles for which an instruction of a warp occupies a pipe of one scheduler. lanes: of the pipe,
 * in the whole multiprocessor. */
static uint32_t interval(const struct gpu *gpu, int lanes) {
    uint32_t n = lanes > 0 ? (uint32_t)(WARP_SIZE * gpu->schedulers_per_sm / lanes) : 1;
    return n ? n : 1;
}

/* Pipes that are not named here take an instruction each cycle. */
static void set_intervals(struct sm *sm, const struct gpu *gpu) {
    for (int i = 0; i < PIPE_COUNT; i++) sm->interval[i] = 1;
    sm->interval[PIPE_FP32] = interval(gpu, gpu->fp32_per_sm);
    sm->interval[PIPE_INT] = sm->interval[PIPE_MAD] = interval(gpu, gpu->int32_per_sm);
    sm->interval[PIPE_FP64] = interval(gpu, gpu->fp64_per_sm);
    sm->interval[PIPE_SFU] = interval(gpu, gpu->sfu_per_sm);
}

void sm_open(struct sm *sm, const struct sm_setup *setup) {
    const struct gpu *gpu = setup->gpu;
    memset(sm, 0, sizeof *sm);
    sm->setup = setup;
    sm->accounts = setup->insn_cycles || setup->watch;
    sm->nslots = (uint32_t)gpu->threads_per_sm / WARP_SIZE;
    if (sm->nslots > SM_MAX_WARPS) sm->nslots = SM_MAX_WARPS;
    sm->nschedulers = (uint32_t)gpu->schedulers_per_sm;
    if (sm->nschedulers > SM_MAX_SCHEDULERS) sm->nschedulers = SM_MAX_SCHEDULERS;
    set_intervals(sm, gpu);
    sm->regs = need(calloc((size_t)sm->nslots * (setup->kernel->nregs + 1), sizeof *sm->regs));
    memory_model_open(&sm->memory, gpu, setup->active_sms, setup->shared_bytes);
    sm->memory.always_l1 = lacks(setup->removed, WITHOUT_L1);
    sm->memory.always_l2 = lacks(setup->removed, WITHOUT_L2);
    if (lacks(setup->removed, WITHOUT_DIVERGENCE))
        sm->packs =
            need(calloc((size_t)SM_MAX_BLOCKS * setup->kernel->ntallies, sizeof *sm->packs));
    sm->memory.rates = setup->rates;
    sm->memory.fill = setup->fill;
    sm->memory.l2 = setup->l2;
    sm->memory.l2_near = setup->l2_near;
    sm->memory.live_warps = &sm->live_warps;
    sm->memory.trace = setup->trace;
    sm->memory.dram.read *= setup->rates.fetched;
    sm->memory.in_step = setup->trace->in_step >= IN_STEP;
    sm_code_open(sm);
    for (uint32_t i = 0; i < sm->nslots; i++)
        sm->warps[i].regs = sm->regs + (size_t)i * (setup->kernel->nregs + 1);
    for (uint32_t i = 0; i < sm->nschedulers; i++)
        sm->schedulers[i].wake = sm->next[i] = UINT64_MAX;
}

void sm_close(struct sm *sm) {
    memory_model_close(&sm->memory);
    sm_code_close(sm);
    sector_set_free(&sm->turns);
    free(sm->packs);
    free(sm->regs);
}

/* ---- Blocks ---- */

void sm_forget_packs(struct sm *sm, uint32_t block) {
    uint32_t n = sm->setup->kernel->ntallies;
    if (sm->packs) memset(sm->packs + (size_t)block * n, 0, n * sizeof *sm->packs);
}

/* A place for a block, slots for its warps, and the dispatcher's turn. */
bool sm_has_room(const struct sm *sm) {
    return sm->live_blocks < sm->setup->resident &&
           sm->live_warps + sm->setup->trace->warps_per_block <= sm->nslots &&
           sm->next_dispatch <= (double)sm->now;
}

/* The lowest free place; the caller has seen that there is one. */
static uint32_t free_block(const struct sm *sm) {
    uint32_t i = 0;
    while (sm->blocks[i].present) i++;
    return i;
}

/* A free slot of the scheduler with the fewest warps, so that schedulers have equal work. */
static uint32_t free_slot(const struct sm *sm) {
    uint32_t best = sm->nslots, least = UINT32_MAX;
    for (uint32_t index = 0; index < sm->nschedulers; index++) {
        uint32_t load = 0, first = sm->nslots;
        for (uint32_t i = index; i < sm->nslots; i += sm->nschedulers) {
            load += sm->warps[i].live;
            if (!sm->warps[i].live && i < first) first = i;
        }
        if (first < sm->nslots && (load < least || (load == least && first < best))) {
            best = first;
            least = load;
        }
    }
    return best;
}

/* The first warps find nothing in the caches. Their code comes from the L2. The kernel's
 * parameters, which it reads first, take another trip. */
static void wait_for_code(struct sm *sm, struct sm_warp *warp) {
    uint64_t code = (uint64_t)sm->setup->gpu->l2_latency_cycles;
    uint64_t parameters = sm->setup->kernel->entry->param_bytes ? 2 * code : code;
    if (warp->issued >= parameters) return;
    if (warp->issued < code) {
        sm_stall(sm, warp, STALL_BRANCH, (double)(code - warp->issued));
        warp->issued = code;
    }
    warp->free = parameters;
    warp->stall = STALL_SHORT_SCOREBOARD;
}

/* Put a warp into a free slot from cycle `born` on, with all registers ready. Its first instruction
 * is there later. */
static void start_warp(struct sm *sm, const struct warp_trace *trace, uint32_t block, uint64_t salt,
                       uint64_t born, uint64_t cycle) {
    uint32_t slot = free_slot(sm), index = slot % sm->nschedulers, turn = slot / sm->nschedulers;
    struct sm_warp *warp = &sm->warps[slot];
    uint64_t *regs = warp->regs;
    memset(regs, 0, sm->setup->kernel->nregs * sizeof *regs);
    if (!sm->live_warps) sm->active_from = born;
    *warp = (struct sm_warp){.trace = trace,
                             .block = block,
                             .scheduler = (uint8_t)index,
                             .turn = (uint8_t)turn,
                             .salt = salt,
                             .rank = (uint64_t)sm->sums.blocks,
                             .born = born,
                             .issued = cycle,
                             .free = cycle,
                             .stall = STALL_WAIT,
                             .live = true,
                             .regs = regs};
    sm_stall(sm, warp, STALL_BRANCH, (double)(cycle - born));
    sm->live_warps++;
    sm->schedulers[index].of_block[block] |= 1ull << turn;
    sm->blocks[block].live_warps++;
    sm->blocks[block].present++;
    wait_for_code(sm, warp);
    sm_fetch(sm, warp);
}

/* Tell who watches that the warp comes next. */
static void announce(struct sm *sm, const struct block_trace *trace, uint32_t warp_index,
                     uint64_t born) {
    if (!sm->setup->watch) return;
    struct watched_warp warp = {.slot = free_slot(sm),
                                .block = (uint32_t)sm->sums.blocks,
                                .warp = warp_index,
                                .index = trace->index,
                                .born = born};
    watch_start(sm->setup->watch, &warp);
}

/* The blocks that fill the multiprocessor come one right after the other; their start is part of
 * the kernel's. A later block takes the place of one that has ended. All multiprocessors then wait
 * for blocks, and the dispatcher serves them in turn. */
void sm_start_block(struct sm *sm, const struct block_trace *trace, uint64_t copy) {
    const struct gpu *gpu = sm->setup->gpu;
    bool fills = sm->sums.blocks < sm->setup->resident;
    uint32_t block = free_block(sm);
    double first = (double)sm->now + (fills ? 0 : gpu->block_start_cycles);
    uint64_t born = (uint64_t)(first - (fills ? 0 : gpu->block_ready_cycles));
    double turn = gpu->block_dispatch_cycles * (fills ? 1 : sm->setup->active_sms);
    sm->blocks[block] = (struct sm_block){0};
    sm_forget_packs(sm, block);
    for (uint32_t i = 0; i < trace->nwarps; i++) {
        if (!trace->warps[i].nenters) continue;
        announce(sm, trace, i, born);
        start_warp(sm, &trace->warps[i], block, copy % sm->setup->places << SALT_SHIFT, born,
                   (uint64_t)(first + i * gpu->warp_start_cycles));
    }
    if (sm->blocks[block].present) sm->oldest[sm->live_blocks++] = block;
    sm->next_dispatch = fmax(sm->next_dispatch, (double)sm->now) + turn;
    sm->sums.blocks++;
    sm->sums.traced += trace->issues + trace->spun;
}

/* ---- A cycle ---- */

/* Lower *least to value. */
static void keep_least(uint64_t *least, uint64_t value) {
    if (value < *least) *least = value;
}

void sm_sleep(struct sm *sm, const struct sm_warp *warp) {
    struct sm_scheduler *scheduler = &sm->schedulers[warp->scheduler];
    scheduler->asleep |= 1ull << warp->turn;
    scheduler->ready[warp->turn] = warp->ready;
    keep_least(&scheduler->wake, warp->ready);
    keep_least(&sm->next[warp->scheduler],
               warp->ready > scheduler->free ? warp->ready : scheduler->free);
}

/* The scheduler's warp that has this turn. */
static struct sm_warp *warp_at(struct sm *sm, uint32_t index, uint32_t turn) {
    return &sm->warps[turn * sm->nschedulers + index];
}

/* The warp's operands are there: it waits for its pipe. A warp that drained ends. */
static void wake_warp(struct sm *sm, struct sm_scheduler *scheduler, struct sm_warp *warp) {
    scheduler->asleep &= ~(1ull << warp->turn);
    if (warp->draining) {
        sm_end_warp(sm, warp);
        keep_least(&sm->next[warp->scheduler], sm->now + 1); /* there may be room for a block now */
        return;
    }
    scheduler->awake[warp->queue] |= 1ull << warp->turn;
    scheduler->queues |= 1u << warp->queue;
}

/* Wake the warps whose operands are there. */
static void wake(struct sm *sm, struct sm_scheduler *scheduler, uint32_t index) {
    uint64_t due = 0, next = UINT64_MAX;
    for (uint64_t rest = scheduler->asleep; rest; rest &= rest - 1) {
        uint32_t turn = (uint32_t)__builtin_ctzll(rest);
        bool is_due = scheduler->ready[turn] <= sm->now;
        due |= (uint64_t)is_due << turn;
        keep_least(&next, is_due ? UINT64_MAX : scheduler->ready[turn]);
    }
    scheduler->wake = next;
    for (; due; due &= due - 1)
        wake_warp(sm, scheduler, warp_at(sm, index, (uint32_t)__builtin_ctzll(due)));
}

/* The first whole cycle that is not before this time. */
static uint64_t cycle_from(double time) {
    int64_t cycle = time > 0 ? (int64_t)time : 0;
    return (uint64_t)cycle + ((double)cycle < time);
}

/* When the pipe of a queue takes another instruction. Memory accesses and shuffles go through the
 * load/store unit's queue, which all schedulers share. */
static uint64_t pipe_free(const struct sm *sm, const struct sm_scheduler *scheduler,
                          enum pipe pipe) {
    pipe = sm_pipe_taken(scheduler, pipe);
    if (pipe != PIPE_MEMORY && pipe != PIPE_SHUFFLE) return scheduler->pipe[pipe];
    return cycle_from(memory_model_accepts(&sm->memory, pipe == PIPE_MEMORY));
}

/* The awake warps whose pipe is free. The others are throttled. */
static uint64_t can_issue(struct sm *sm, struct sm_scheduler *scheduler, uint32_t index) {
    uint64_t can = 0;
    for (uint32_t rest = scheduler->queues; rest; rest &= rest - 1) {
        enum pipe pipe = (enum pipe)__builtin_ctz(rest);
        uint64_t free = pipe_free(sm, scheduler, pipe);
        if (free <= sm->now) {
            can |= scheduler->awake[pipe];
        } else {
            scheduler->throttled |= scheduler->awake[pipe];
            keep_least(&sm->next[index], free);
        }
    }
    return can;
}

/* Of these warps, one of the oldest block; among its warps, in turn after the last one. */
static uint32_t first_in_turn(const struct sm *sm, const struct sm_scheduler *scheduler,
                              uint64_t can) {
    uint64_t after = ~0ull << scheduler->last << 1, of_block;
    const uint32_t *block = sm->oldest;
    while (!(of_block = can & scheduler->of_block[*block])) block++;
    return (uint32_t)__builtin_ctzll(of_block & after ? of_block & after : of_block);
}

/* A free scheduler's turn: a warp issues, if one can. sm->next becomes the cycle in which a warp
 * may issue. */
static bool schedule(struct sm *sm, uint32_t index) {
    struct sm_scheduler *scheduler = &sm->schedulers[index];
    sm->next[index] = UINT64_MAX;
    if (scheduler->wake <= sm->now) wake(sm, scheduler, index);
    uint64_t can = can_issue(sm, scheduler, index);
    keep_least(&sm->next[index], scheduler->wake);
    if (!can) return false;
    uint32_t turn = first_in_turn(sm, scheduler, can);
    struct sm_warp *warp = warp_at(sm, index, turn);
    enum pipe pipe = warp->queue;
    bool throttled = scheduler->throttled >> turn & 1;
    scheduler->last = turn;
    if (pipe == PIPE_MEMORY || pipe == PIPE_SHUFFLE) sm->first = (index + 1) % sm->nschedulers;
    scheduler->awake[pipe] &= ~(1ull << turn);
    scheduler->throttled &= ~(1ull << turn);
    if (!scheduler->awake[pipe]) scheduler->queues &= ~(1u << pipe);
    sm_issue(sm, scheduler, warp, throttled);
    sm->next[index] =
        scheduler->queues || scheduler->wake < scheduler->free ? scheduler->free : scheduler->wake;
    return true;
}

/* The scheduler's instructions of this cycle: one, or without limit all that can issue. */
static bool schedule_all(struct sm *sm, uint32_t index) {
    bool any = lacks(sm->setup->removed, WITHOUT_ISSUE), issued = schedule(sm, index);
    while (any && schedule(sm, index)) continue;
    return issued;
}

/* All warps wait at barriers, since traces that were cut off end at different places: let them go
 * on. */
static void release_all(struct sm *sm) {
    for (uint32_t i = 0; i < SM_MAX_BLOCKS; i++)
        if (sm->blocks[i].live_warps && sm->blocks[i].arrived) sm_release_barrier(sm, i);
}

/* The schedulers that have something to do now. What one does now gives the others nothing to do
 * before the next cycle. */
static uint32_t due_schedulers(const struct sm *sm) {
    uint32_t due = 0;
    for (uint32_t i = 0; i < sm->nschedulers; i++) due |= (uint32_t)(sm->next[i] <= sm->now) << i;
    return due;
}

/* One cycle of all schedulers. now then moves to the next cycle in which something can happen, so
 * idle cycles cost nothing. */
void sm_step(struct sm *sm, uint64_t until) {
    uint64_t next = UINT64_MAX;
    bool issued = false;
    uint32_t due = due_schedulers(sm), from_first = ~0u << sm->first;
    for (uint32_t rest = due & from_first; rest; rest &= rest - 1)
        issued |= schedule_all(sm, (uint32_t)__builtin_ctz(rest));
    for (uint32_t rest = due & ~from_first; rest; rest &= rest - 1)
        issued |= schedule_all(sm, (uint32_t)__builtin_ctz(rest));
    for (uint32_t i = 0; i < sm->nschedulers; i++) keep_least(&next, sm->next[i]);
    if (next == UINT64_MAX && !issued && sm->live_warps) release_all(sm);
    if (!sm->live_warps) next = until;
    keep_least(&next, issued || next == UINT64_MAX ? sm->now + 1 : until);
    sm->now = next > sm->now ? next : sm->now + 1;
    sm->sums.cycles = (double)sm->now;
}

/* The stretch with warps that is still under way counts up to now. */
struct sm_sums sm_sums_now(const struct sm *sm) {
    struct sm_sums sums = sm->sums;
    sums.memory = sm->memory.sums;
    if (sm->live_warps && sm->now > sm->active_from)
        sums.active += (double)(sm->now - sm->active_from);
    return sums;
}

/* Units that still work after the last warp has ended count: stores on their way to the DRAM. */
uint64_t sm_end(const struct sm *sm) {
    double end = fmax((double)sm->now,
                      fmax(sm->memory.unit_free, fmax(sm->memory.l2_free, sm->memory.dram.free)));
    end = fmax(end, sm->memory.retried);
    end = fmax(end, fmax(sm->memory.host.read_free, sm->memory.host.write_free));
    end = fmax(end, fmax(sm->memory.peer.read_free, sm->memory.peer.write_free));
    return (uint64_t)end;
}
