/*
 * time/sm.h: a model of one multiprocessor that replays traced blocks, cycle by cycle. Private to
 * sm*.c and time/replay.c.
 *
 *            dispatcher ── a block, when a place is free and it is this multiprocessor's turn
 *                │
 *   ┌────────────┴───────────────────────────────┐
 *   │ scheduler 0   scheduler 1   ...            │   each issues one instruction a cycle, of a warp
 *   │ warps 0 4 ..  warps 1 5 ..                 │   whose operands are ready and whose pipe is
 *   │ fp32 int fp64 sfu   (pipes of a scheduler) │   free: of the oldest block, in turn
 *   │            load/store unit, L1, shared     │   time/sm_memory.c
 *   └────────────┬───────────────────────────────┘
 *                L2, DRAM: this multiprocessor's share of both, first come first served
 *
 * Times are cycles of the multiprocessor's clock from the launch on.
 */
#pragma once

#include "sm_memory.h"
#include "timing.h"
#include "watch.h"

#include "simt/image/machine_code.h"

#define SM_MAX_SCHEDULERS 8
#define SM_MAX_WARPS      MOST_SLOTS
#define SM_MAX_BLOCKS     32
#define RETRY_WORDS       64 /* apart */

/* What the model needs to know of the launch. */
struct sm_setup {
    const struct gpu *gpu;
    const struct kernel *kernel;
    const struct trace *trace;
    double issues;         /* machine instructions of a traced block, on average */
    uint32_t resident;     /* blocks that fit at once */
    uint64_t shared_bytes; /* set aside for all of them */
    double active_sms; /* that share the L2, the DRAM and the dispatcher: all blocks over those of
                          this multiprocessor */
    struct traffic_rates rates;
    const struct l2 *l2; /* what it held before; NULL: nothing */
    bool l2_near;        /* as in struct launch */
    double fill;         /* cycles in which all multiprocessors get their first block */
    uint64_t places;     /* how many times as much the grid touches as the replayed blocks */
    double *insn_cycles; /* as in struct launch; NULL: not wanted */
    struct watch *watch; /* the same */
    const struct flow_shares *shares; /* NULL: each uop once */
    uint32_t removed;                 /* bits of time/without.h */
};

/* Sums over what was replayed. */
struct sm_sums {
    double cycles, blocks; /* time; blocks that were dispatched */
    double active;         /* cycles in which there were warps */
    double issued;         /* machine instructions */
    double traced;         /* those of the blocks that were dispatched, as traces have them */
    double warp_cycles;    /* of warps between start and end */
    double eligible; /* cycles in which warps could have issued, those included in which they did */
    double stall[STALL_COUNT];
    double pipe[PIPE_COUNT];       /* cycles of all schedulers' pipes */
    double load_store, divergence; /* instructions of these units (enum uop_unit) */
    struct memory_sums memory;
};

/* Lines of machine code. */
struct code_cache {
    uint32_t *lines; /* set by set, the newest first: number + 1 */
    uint8_t *flags;  /* of each line; NULL: all code fits in the schedulers' */
    uint32_t sets, ways;
};

/* A warp that replays its trace. A register's word is cycle << 4 | stall: when its value is there,
 * and which stall waits for it. */
struct sm_warp {
    const struct warp_trace *trace;
    uint32_t at;                     /* the next of its trace's enters */
    uint32_t accesses, accesses_end; /* of the current list, in the trace */
    const struct uop_list *list;
    uint32_t next;          /* uop of the list */
    uint32_t line;          /* of machine code that it has, + 1 */
    float repeats, taken;   /* passes of lists, and instructions, that are left over (struct
                               flow_shares) */
    uint8_t waits;          /* barriers that passed-over uops wait for */
    bool again;             /* it goes through the list once more */
    const struct uop *last; /* that it issued; NULL: none yet */
    enum pipe queue; /* the pipe that it needs. Accesses that stay in the multiprocessor need what
                        shuffles need: PIPE_SHUFFLE */
    uint32_t block;  /* its place among the resident blocks */
    uint8_t scheduler, turn; /* of its slot */
    uint64_t salt;           /* keeps its sectors apart from those of other copies of the block */
    uint64_t rank;           /* of its block: the older, the lower */
    uint64_t born, issued;   /* issued: after the instruction before */
    uint64_t free;           /* when the next one may issue */
    uint64_t ready;          /* when the next one's operands are there */
    uint64_t stored;         /* when its last store is acknowledged */
    uint8_t stall;           /* what it waits for until then */
    bool live, waiting, draining; /* waiting: at a barrier */
    int lanes;                    /* that are in its list */
    int balance;                  /* lanes it did for others, less those done for it (is_carried) */
    bool has_printed;
    uint64_t *regs;                      /* when each is there: cycle << 4 | stall */
    struct waits reads[WAIT_KINDS];      /* what its reads waited */
    uint64_t barriers[MACHINE_BARRIERS]; /* the same of machine code's barrier registers */
};

struct sm_block {
    uint32_t live_warps;            /* that have not come to their end */
    uint32_t arrived;               /* of those, at the barrier */
    uint32_t present;               /* that still take a place */
    double retry_free[RETRY_WORDS]; /* when its next warp may add to a float in shared memory */
};

/*
 * One of the schedulers, with the pipes that are its alone. It looks only at warps whose next
 * instruction has its operands. Masks have a bit for each of its warps, by turn: slot /
 * nschedulers.
 *
 *   sm_fetch: asleep --- its operands are there ---> awake, by queue --- issued ---> sm_fetch, or
 *   waiting at a barrier
 */
struct sm_scheduler {
    uint32_t last;                    /* turn of the warp that issued last */
    uint64_t free;                    /* when it can issue again */
    uint64_t pipe[PIPE_COUNT];        /* when each pipe takes another instruction */
    uint64_t asleep;                  /* warps that wait for their operands */
    uint64_t ready[SM_MAX_WARPS];     /* when each of these has them */
    uint64_t wake;                    /* when the first of these has them; UINT64_MAX: none waits */
    uint64_t of_block[SM_MAX_BLOCKS]; /* its warps of each resident block, by the block's place */
    uint64_t awake[PIPE_COUNT];       /* warps that have them, by the pipe that they need */
    uint32_t queues;                  /* those of awake[] that are not empty, a bit each */
    uint64_t throttled;               /* awake warps whose pipe was not free */
    struct code_cache code;
    double code_free; /* when another line comes to it */
};

/* Without divergence, of a block's list: the warp that did it last, room for lanes of others, and
 * lanes of those that left their part to the next. */
struct sm_pack {
    struct sm_warp *carrier;
    int room, owed;
};

/* The multiprocessor: all state of a replay. */
struct sm {
    const struct sm_setup *setup;
    bool accounts; /* somebody wants to know how warps spend their cycles */
    bool later;    /* no block is of the first round */
    uint64_t now;
    uint32_t nslots, nschedulers;
    struct sm_warp warps[SM_MAX_WARPS];
    struct sm_block blocks[SM_MAX_BLOCKS];
    uint32_t oldest[SM_MAX_BLOCKS]; /* places of the live blocks, the oldest first */
    struct sm_scheduler schedulers[SM_MAX_SCHEDULERS];
    uint64_t next[SM_MAX_SCHEDULERS]; /* each has nothing to do before */
    uint32_t interval[PIPE_COUNT];    /* cycles between a scheduler's instructions on a pipe */
    uint32_t first; /* scheduler that is next at the load/store unit, which all share */
    uint32_t live_warps, live_blocks;
    uint64_t active_from; /* with warps since then, where there are any */
    double runtime_free;  /* when the device's runtime serves another warp */
    double barrier_free;  /* when the barriers' unit takes another warp */
    double next_dispatch; /* when the dispatcher comes by */
    uint64_t *regs;       /* of all warps */
    struct memory_model memory;
    struct code_cache code;
    double code_free;        /* when another line comes from the L2 */
    struct sector_set turns; /* without_access() */
    struct sm_pack *packs;   /* by block and tally; NULL: warps diverge */
    struct sm_sums sums;
};

/* Empty, at cycle 0. setup must live as long. */
void sm_open(struct sm *sm, const struct sm_setup *setup);
void sm_close(struct sm *sm);
/* Is there room for another block, now? */
bool sm_has_room(const struct sm *sm);
/* Start the traced block. copy is its repetition, counted from 1: repetitions touch different
 * data. */
void sm_start_block(struct sm *sm, const struct block_trace *trace, uint64_t copy);
/* Go on to the next cycle in which something can happen, or to `until`, whichever comes first. */
void sm_step(struct sm *sm, uint64_t until);
/* The sums of what has happened up to now. */
struct sm_sums sm_sums_now(const struct sm *sm);
/* The cycle at which everything that was begun is done. */
uint64_t sm_end(const struct sm *sm);

/* The warp waited so many cycles at the instruction that it issues now, or has issued last. */
void sm_stall(struct sm *sm, const struct sm_warp *warp, enum stall stall, double cycles);
/* Let the warp sleep until its next instruction's operands are there. */
void sm_sleep(struct sm *sm, const struct sm_warp *warp);

/* time/sm_code.c */
void sm_code_open(struct sm *sm);
void sm_code_close(struct sm *sm);
/* The warp, when it is free, comes to this place of its machine code: it waits if it must. */
void sm_code_fetch(struct sm *sm, struct sm_warp *warp, uint32_t at);

/* time/sm_issue.c */
/* Find a warp's next instruction, and when its operands are ready. A warp without one drains: it
 * ends when its stores are acknowledged. */
void sm_fetch(struct sm *sm, struct sm_warp *warp);
/* A drained warp gives its slot back. */
void sm_end_warp(struct sm *sm, struct sm_warp *warp);
/* Issue the warp's next instruction on its scheduler, now. throttled: it waited for its pipe. */
void sm_issue(struct sm *sm, struct sm_scheduler *scheduler, struct sm_warp *warp, bool throttled);
/* Of the two pipes of PIPE_EITHER, the one that is free first. */
static inline enum pipe sm_pipe_taken(const struct sm_scheduler *scheduler, uint8_t pipe) {
    if (pipe != PIPE_EITHER) return (enum pipe)pipe;
    return scheduler->pipe[PIPE_MAD] < scheduler->pipe[PIPE_INT] ? PIPE_MAD : PIPE_INT;
}
/* No warp takes along lanes of others of the block that come later. */
void sm_forget_packs(struct sm *sm, uint32_t block);
/* Let the block's waiting warps go on, after the barrier's latency. */
void sm_release_barrier(struct sm *sm, uint32_t block);
