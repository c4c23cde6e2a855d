/* sm.c: the multiprocessor: places for blocks and warps, and the schedulers' cycle. */
#include "sm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARP_LANES 32

/* Cycles that an instruction of a warp occupies a pipe of one scheduler that has so many lanes in the multiprocessor.
 */
static uint32_t interval(const struct gpu *gpu, int lanes) {
    uint32_t n = lanes > 0 ? (uint32_t)(WARP_LANES * gpu->schedulers_per_sm / lanes) : 1;
    return n ? n : 1;
}

static void set_intervals(struct sm *sm, const struct gpu *gpu) {
    for (int i = 0; i < PIPE_COUNT; i++) sm->interval[i] = 1;
    sm->interval[PIPE_FP32] = interval(gpu, gpu->fp32_per_sm);
    sm->interval[PIPE_INT] = sm->interval[PIPE_MAD] = interval(gpu, gpu->int32_per_sm);
    sm->interval[PIPE_FP64] = interval(gpu, gpu->fp64_per_sm);
    sm->interval[PIPE_SFU] = interval(gpu, gpu->sfu_per_sm);
}

bool sm_open(struct sm *sm, const struct sm_setup *setup) {
    const struct gpu *gpu = setup->gpu;
    memset(sm, 0, sizeof *sm);
    sm->setup = setup;
    sm->nslots = (uint32_t)gpu->threads_per_sm / WARP_LANES;
    if (sm->nslots > SM_MAX_WARPS) sm->nslots = SM_MAX_WARPS;
    sm->nschedulers = (uint32_t)gpu->schedulers_per_sm;
    if (sm->nschedulers > SM_MAX_SCHEDULERS) sm->nschedulers = SM_MAX_SCHEDULERS;
    set_intervals(sm, gpu);
    sm->regs = calloc((size_t)sm->nslots * (setup->kernel->nregs + 1), sizeof *sm->regs);
    bool ok = memory_model_open(&sm->memory, gpu, setup->active_sms, setup->shared_bytes);
    sm->memory.cold_share = setup->cold_share;
    sm->memory.written_share = setup->written_share;
    for (uint32_t i = 0; sm->regs && i < sm->nslots; i++)
        sm->warps[i].regs = sm->regs + (size_t)i * (setup->kernel->nregs + 1);
    return ok && sm->regs;
}

void sm_close(struct sm *sm) {
    memory_model_close(&sm->memory);
    free(sm->regs);
}

/* ---- Blocks ---- */

bool sm_has_room(const struct sm *sm) {
    return sm->live_blocks < sm->setup->resident && sm->live_warps + sm->setup->trace->warps_per_block <= sm->nslots &&
           sm->next_dispatch <= (double)sm->now;
}

static uint32_t free_block(const struct sm *sm) {
    uint32_t i = 0;
    while (sm->blocks[i].present) i++;
    return i;
}

/* A free place of the scheduler with the fewest warps, so that they have equal work. */
static uint32_t free_slot(const struct sm *sm) {
    uint32_t load[SM_MAX_SCHEDULERS] = {0}, best = sm->nslots;
    for (uint32_t i = 0; i < sm->nslots; i++) load[i % sm->nschedulers] += sm->warps[i].live;
    for (uint32_t i = 0; i < sm->nslots; i++) {
        bool better = best == sm->nslots || load[i % sm->nschedulers] < load[best % sm->nschedulers];
        if (!sm->warps[i].live && better) best = i;
    }
    return best;
}

static void start_warp(struct sm *sm, const struct warp_trace *trace, uint32_t block, uint64_t salt, uint64_t cycle) {
    struct sm_warp *warp = &sm->warps[free_slot(sm)];
    uint64_t *regs = warp->regs;
    memset(regs, 0, sm->setup->kernel->nregs * sizeof *regs);
    *warp = (struct sm_warp){.trace = trace,
                             .block = block,
                             .salt = salt,
                             .born = cycle,
                             .issued = cycle,
                             .free = cycle,
                             .stall = STALL_WAIT,
                             .live = true,
                             .regs = regs};
    sm->live_warps++;
    sm->blocks[block].live_warps++;
    sm->blocks[block].present++;
    sm_fetch(sm, warp);
}

void sm_start_block(struct sm *sm, const struct block_trace *trace, uint64_t copy) {
    const struct gpu *gpu = sm->setup->gpu;
    uint32_t block = free_block(sm);
    double first = (double)sm->now + gpu->block_start_cycles;
    sm->live_blocks++;
    sm->blocks[block] = (struct sm_block){0};
    for (uint32_t i = 0; i < trace->nwarps; i++)
        if (trace->warps[i].n)
            start_warp(sm, &trace->warps[i], block, copy << 44, (uint64_t)(first + i * gpu->warp_start_cycles));
    if (!sm->blocks[block].present) sm->live_blocks--;
    sm->next_dispatch = fmax(sm->next_dispatch, (double)sm->now) + gpu->block_dispatch_cycles * sm->setup->active_sms;
    sm->sums.blocks++;
}

/* ---- A cycle ---- */

static void keep_least(uint64_t *least, uint64_t value) {
    if (value < *least) *least = value;
}

/* The warp of this scheduler to issue now; NULL: none can. *next: when one may. */
static struct sm_warp *choose(struct sm *sm, struct sm_scheduler *scheduler, uint32_t index, uint64_t *next) {
    uint32_t n = sm->nslots / sm->nschedulers;
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t turn = (scheduler->last + i) % n;
        struct sm_warp *warp = &sm->warps[turn * sm->nschedulers + index];
        if (!warp->live || warp->waiting) continue;
        if (warp->draining && warp->ready <= sm->now) {
            sm_end_warp(sm, warp);
            keep_least(next, sm->now + 1); /* there may be room for a block now */
            continue;
        }
        uint64_t free = warp->ready > sm->now ? warp->ready : sm_pipe_free(sm, scheduler, warp);
        warp->throttled |= warp->ready <= sm->now && free > sm->now;
        if (free <= sm->now) {
            scheduler->last = turn;
            return warp;
        }
        keep_least(next, free);
    }
    return NULL;
}

/* All warps wait at barriers, as what was traced of them ends at different places: let them go on. */
static void release_all(struct sm *sm) {
    for (uint32_t i = 0; i < SM_MAX_BLOCKS; i++)
        if (sm->blocks[i].live_warps && sm->blocks[i].arrived) sm_release_barrier(sm, i);
}

void sm_step(struct sm *sm, uint64_t until) {
    uint64_t next = UINT64_MAX;
    bool issued = false;
    for (uint32_t i = 0; i < sm->nschedulers; i++) {
        struct sm_scheduler *scheduler = &sm->schedulers[i];
        if (scheduler->free > sm->now) {
            keep_least(&next, scheduler->free);
            continue;
        }
        struct sm_warp *warp = choose(sm, scheduler, i, &next);
        if (!warp) continue;
        sm_issue(sm, scheduler, warp);
        issued = true;
    }
    if (!issued && next == UINT64_MAX && sm->live_warps) release_all(sm);
    if (!sm->live_warps) next = until;
    keep_least(&next, issued || next == UINT64_MAX ? sm->now + 1 : until);
    sm->now = next > sm->now ? next : sm->now + 1;
    sm->sums.cycles = (double)sm->now;
}

uint64_t sm_end(const struct sm *sm) {
    double end = fmax((double)sm->now, fmax(sm->memory.unit_free, fmax(sm->memory.l2_free, sm->memory.dram_free)));
    return (uint64_t)end;
}
