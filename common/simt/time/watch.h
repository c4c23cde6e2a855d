/* time/watch.h: what the warps of one multiprocessor waited for, cycle by cycle, as the time model
 * replays them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ptx_insn;

/* A stretch of a warp's cycles. It begins where the one before ends. */
struct warp_wait {
    uint64_t cycles;
    const struct ptx_insn
        *insn;      /* that waits, or issues; NULL: the warp has not come to its first */
    uint8_t reason; /* enum stall; CYCLES_ISSUING */
};

struct watched_warp {
    uint32_t slot; /* of the multiprocessor; slot % schedulers is its scheduler */
    /* the nth block that the multiprocessor took, from 0, and the warp's index in it */
    uint32_t block, warp;
    uint64_t index; /* in the grid, of the traced block that stands for it */
    uint64_t born;  /* cycle of the launch */
    struct warp_wait *waits;
    uint32_t n, space;
};

struct watch {
    struct watched_warp *warps;
    uint32_t nwarps, space;
    uint32_t of_slot[64]; /* the warp that has the slot, in warps */
    uint32_t nwaits;
    bool full; /* more waits than are kept: what came later is missing */
};

/* Forget what was seen: a replay begins. */
void watch_clear(struct watch *watch);
/* A warp takes a slot. */
void watch_start(struct watch *watch, const struct watched_warp *warp);
/* The slot's warp spends its next cycles so. */
void watch_add(struct watch *watch, uint32_t slot, const struct warp_wait *wait);
