/*
 * machine/machine.h: a kernel that is decoded, and what runs it: warps, blocks, workers, the grid.
 * Operations are in op.h.
 */
#pragma once

#include "lane_pattern.h"
#include "launch.h"
#include "op.h"
#include "simt/device/counters.h"
#include "simt/device/gpu.h"
#include "simt/device/memory.h"
#include "simt/device/touched.h"
#include "simt/ptx/ptx.h"
#include "trace.h"
#include "uops.h"

#define FULL_MASK       0xFFFFFFFFu
#define ROW32           (WARP_SIZE * 4u)
#define ROW64           (WARP_SIZE * 8u)
#define ROW_ALIGN       128u
#define NAMED_BARRIERS  16 /* and PTX_CLUSTER_BARRIER */
#define MAX_BLOCK_WARPS 32
/* Partitions of the memory of GPUs until 2010, 256 bytes each in turn. */
#define PARTITIONS      8
#define PARTITION_BYTES 256

/* + offset in the parameter block: generic address of a parameter */
#define PARAM_WINDOW 0x5C00000000000000ull

/*
 * Registers of a frame, in bytes from its beginning. A predicate is a mask of 4 bytes.
 *
 *   0             4             8                12           code->rows32  code->rows64
 *   | always true | carry flags | unused results | predicates | 32-bit rows | 64-bit rows, wider
 */
#define PRED_TRUE_OFFSET  0u
#define CARRY_OFFSET      4u
#define PRED_SINK_OFFSET  8u
#define PRED_FIRST_OFFSET 12u

#define POISON 0xFF /* bytes of registers, shared and local memory that were not written: NaN */

struct undefined_row;

/* A register that may be read before it is written. */
struct unset {
    uint32_t offset, bytes;        /* of its row in the frame */
    const struct ptx_insn *reader; /* the first */
    uint32_t site; /* --check: the reader's number in reports, plus 1; 0: none yet */
};

/* A decoded function. */
struct code {
    const struct ptx_function *function;
    struct op *ops;
    int32_t nops;
    uint32_t frame_size;     /* bytes of its register frame */
    uint32_t rows32, rows64; /* where in the frame its 32-bit and its wider registers begin;
                                predicates come first */
    uint32_t local_bytes;    /* local memory of one call */
    uint32_t id;             /* index in kernel->codes */
    uint32_t first_reg;      /* its registers' numbers in the kernel's uops begin here */
    uint32_t first_insn;     /* its instructions' numbers in the kernel begin here */
    bool repeated;           /* it may be called in a loop */
    struct unset *unset;
    int32_t nunset;
};

/* How a row of the launch, block or warp is filled. */
enum fill_kind { FILL_BITS, FILL_PARAM, FILL_SREG, FILL_VARIABLE };
struct fill {
    uint8_t kind, width; /* bytes of an element: 4, 8; 0: a predicate mask */
    uint8_t size;        /* parameter: bytes read */
    bool is_signed;
    uint32_t offset; /* among the rows of its kind */
    uint64_t bits; /* FILL_BITS: the value; FILL_PARAM: byte in the parameter block; FILL_SREG: enum
                      ptx_sreg; FILL_VARIABLE: added to the variable's address */
    const struct ptx_var *var;
};

struct fills {
    struct fill *items;
    uint32_t n, capacity, bytes;
};

/* A decoded kernel. The workers of a launch only read it. */
struct kernel {
    uint64_t number; /* of all that were ever prepared, from 1 */
    const struct ptx_function *entry;
    const struct isa *isa;
    struct code **codes; /* codes[0] is the entry */
    int32_t ncodes;
    struct fills fills[ROWS_COUNT];
    struct block_cost *costs;   /* by tally index */
    struct uop_list *uop_lists; /* by tally index: what the time model replays */
    struct flow *flow;          /* of its machine code; NULL: none (machine/flow.h) */
    bool machine_code;          /* they are machine code's, not estimated from PTX */
    uint32_t *uop_regs;         /* registers that the uops name */
    uint32_t nuop_regs, uop_reg_capacity, nuop_lists;
    uint32_t nplaces;              /* of machine instructions: uop->at is below */
    uint32_t nregs;                /* registers of all its functions */
    uint32_t ninsns;               /* instructions of all its functions */
    const struct see_step **steps; /* by instruction: see/see.h; NULL: no step is wanted */
    uint32_t ntallies, tally_capacity;
    uint32_t nalloc_caches; /* memory operations: each remembers its last allocation */
    uint32_t static_shared;
    uint32_t reserved_shared; /* bytes before these variables that the GPU keeps */
    bool asks_reserved;       /* for where they are: cooperative groups use them */
    uint32_t local_bytes;
    struct shared_place *shared; /* where each .shared variable lies */
    int32_t nshared;
    uint32_t dynamic_align;
    bool recursive; /* calls through pointers or in a cycle: the stack has no static bound */
    bool serial;    /* results may depend on the order of blocks: see decode/block_order.c */
    bool waits;     /* may wait for what other blocks or the host write: see there */
    bool repeats;   /* does the same where it finds the same: see run/repeat.c */
    /* what it stores to (decode/stored.c); NULL: its blocks run in order anyway */
    struct stored *stored;
    bool cooperative_grid; /* reads the grid barrier's address */
    bool prints;           /* calls printf somewhere */
    void **kept;           /* memory of its operations' tables */
    size_t nkept, kept_capacity;
};

/* Compares addresses alone: a pointer to a function in device code is the address of its
 * ptx_function, or of nothing. NULL: the kernel has no such function. */
static inline const struct code *kernel_code(const struct kernel *kernel, const void *function) {
    for (int32_t i = 0; i < kernel->ncodes; i++)
        if (kernel->codes[i]->function == function) return kernel->codes[i];
    return NULL;
}

/* The number of an instruction in the kernel, function by function. 0 where it is none of them. */
static inline uint32_t kernel_insn(const struct kernel *kernel, const struct ptx_insn *insn) {
    for (int32_t i = 0; i < kernel->ncodes; i++) {
        const struct ptx_function *f = kernel->codes[i]->function;
        if (insn >= f->insns && insn < f->insns + f->ninsns)
            return kernel->codes[i]->first_insn + (uint32_t)(insn - f->insns);
    }
    return 0;
}

struct shared_place {
    const struct ptx_var *var;
    uint32_t offset;
};

/* ---- A warp at work ---- */

/* Where the lanes of a branch, or of a call, come together again. Points nest: parent is the next
 * one around. Lanes in arrived are in no path until all lanes of mask are there (warp/paths.c). */
struct reconvergence {
    struct reconvergence *parent, *next_owned;
    const struct op *pc;
    struct frame *frame; /* to go on in */
    uint32_t mask;       /* lanes that will come */
    uint32_t arrived;    /* lanes that are here */
    /* of a call: the frame to free when all have returned; NULL: of a branch */
    struct frame *callee;
};

/* One call of a function. A warp's frames are linked by caller; lanes of one warp may be in
 * different frames. */
struct frame {
    struct frame *caller, *next_owned;
    const struct code *code;
    const struct call *call;            /* NULL: the kernel itself */
    struct reconvergence reconvergence; /* where its lanes return to */
    uint32_t local_base;                /* of its local memory */
    uint32_t local_top;                 /* end of it, alloca included */
    char *regs;
    struct undefined_row *undefined; /* --check: by register; NULL: not checked */
};

enum wait { WAIT_NONE, WAIT_BARRIER, WAIT_COLLECTIVE };

/* Lanes that run together: a program counter and a mask. */
struct path {
    const struct op *pc;
    struct frame *frame;
    struct reconvergence *reconvergence;
    uint32_t mask;
    uint32_t needs; /* WAIT_COLLECTIVE: lanes that must take part, its lanes included */
    uint32_t
        awaited;  /* --check: those of them that had something else to do when it began to wait */
    uint8_t wait; /* enum wait */
    uint8_t barrier; /* WAIT_BARRIER: which */
};

/* 32 threads, or fewer in the last warp of a block. Only the worker that runs its block touches it.
 */
struct warp {
    uint32_t active; /* lanes of the current path */
    uint32_t live;   /* lanes that have not exited */
    /* what a reference is added to, so less its kind; rows[ROWS_REGS]: the current frame's
     * registers */
    char *rows[ROWS_COUNT];
    char *own_rows; /* ROWS_WARP */
    struct worker *worker;
    struct block *block;
    struct reconvergence *reconvergence; /* the current path's */
    struct frame *frame, *root;          /* the current path's, the kernel's own */
    int32_t fuel;                        /* backward branches until the next warp's turn */
    bool gave_way;                       /* its last turn ended before a store: its fuel lasts on */
    bool polled; /* touched something other threads may be changing since the turn began */
    uint8_t npaths;
    uint32_t lanes_mask; /* what lanes32 shows */
    /* lanes_mask spread out: all ones where the bit is set */
    _Alignas(64) uint32_t lanes32[WARP_SIZE];
    uint32_t index;           /* in the block */
    uint32_t launched;        /* lanes it began with */
    struct warp_trace *trace; /* NULL: nothing is written down */
    struct async_copies
        *copies;   /* cp.async that its lanes have not waited for; NULL: there never was one */
    char *local;   /* local memory, words of the lanes interleaved */
    uint64_t inst; /* its %clock: machine instructions of this warp, or of one it waited for */
    uint32_t times_gave_way; /* since its last barrier */
    /* The other paths: ready ones and waiting ones. Last, as seldom more than one is there: what
     * all operations touch lies in few lines of the host's cache. */
    struct path paths[WARP_SIZE];
};

/* The row that a reference names. */
static inline void *row(const struct warp *w, uint32_t ref) {
    return w->rows[REF_KIND(ref)] + ref;
}

/* The lanes that execute op: those of the current path whose guard holds. An instruction without a
 * guard names the predicate that always holds. */
static inline uint32_t guard(const struct warp *w, const struct op *op) {
    return w->active & (*(const uint32_t *)(w->rows[ROWS_REGS] + op->guard) ^ op->guard_flip);
}

/* Mostly all: hosts without an instruction for it take long to count the others. */
static inline uint32_t count_lanes(uint32_t lanes) {
    return lanes == FULL_MASK ? WARP_SIZE : (uint32_t)__builtin_popcount(lanes);
}

/* A named barrier of a block. All zeros: nobody has come. */
struct barrier {
    uint32_t arrived;    /* threads */
    uint32_t expected;   /* 0: all that have not exited */
    uint32_t warps_seen; /* bit by warp */
    uint32_t votes;      /* bar.red: threads whose predicate held */
    uint32_t voters;
    uint64_t inst; /* the latest arrival's, by the warp's own count */
};

/* What a block looked at in its turn that others may change, and the bytes it saw there. */
#define MAX_POLLS 8
struct polls {
    struct poll {
        const char *at; /* on the host */
        uint32_t bytes;
        uint64_t seen; /* a digest of them */
    } of[MAX_POLLS];
    uint8_t n;
    bool incomplete; /* it looked at more, or at shared memory */
};

/* A block that is resident: from block_start() to block_end() in one worker. Its memory then serves
 * another block. */
/* What kernels print, one record for each printf: its length, 4 bytes, and its text. Where there
 * are more than a GPU's buffer holds, the first ones are dropped. */
struct printed {
    char *bytes;
    size_t length, capacity;
    uint64_t records, lost;
};

struct block {
    struct worker *worker;
    uint64_t index; /* linear, in launch order */
    uint32_t ctaid[3];
    struct warp *warps;
    uint32_t nwarps;
    uint8_t unopened; /* bit 0 until the first load, bit 1 until the first store, of the grid's
                         first PARTITIONS blocks */
    uint8_t warp_order[MAX_BLOCK_WARPS]; /* in which warps take turns */
    bool reordered;                      /* and it is a new one since this round of turns began */
    uint32_t live_threads;
    uint32_t live_warps;
    struct barrier barriers[PTX_CLUSTER_BARRIER + 1];
    uint32_t barriers_begun; /* bit by barrier: threads have come */
    uint32_t barriers_passed;
    char *shared;
    char *rows;      /* ROWS_BLOCK */
    bool failed;     /* a fault was raised */
    bool progressed; /* a warp did something other than wait in its turn */
    bool polled;
    bool polled_before_barrier; /* since it began, a warp polled and then came to a barrier */
    uint32_t yield_rounds; /* rounds of turns in which warps gave way, and nothing else was done
                      than that and polling */
    struct polls polls;
    struct nested *nested;     /* calls of the device runtime; NULL: none yet */
    struct check_block *check; /* NULL: not checked */
    struct printed output;
};

/* The last allocation a memory operation found. */
struct alloc_cache {
    uint64_t start, end;
    uint64_t from, to; /* the part of it whose pages are marked as touched */
    intptr_t delta;
    uint8_t *loads, *stores; /* by sector from start's; NULL while not counting */
    struct race_line *races; /* machine/races.h: by line; NULL: not followed */
    uint64_t lines;          /* where the line of address 0 would be; 0: words are noted, too */
    bool watched;            /* not only saved */
    bool readonly;
    uint8_t remote_kind; /* ACCESS_HOST or ACCESS_PEER; 0: the device's own memory */
};

/* How often a basic block was entered: by warps, and by threads (lanes active then). */
struct tally {
    uint64_t warps, threads;
};

/* One host thread's share of a launch. It fills whole cache lines, so that no other thread writes
 * to one of them. */
struct worker {
    _Alignas(128) struct grid *grid;
    const struct kernel *kernel;
    struct alloc_cache *alloc_caches;
    struct lane_patterns *lane_patterns; /* by alloc_cache too */
    uint64_t generation;                 /* of device/memory.c when the alloc_caches were filled */
    struct tally *tallies;
    struct counters counters;
    char *launch_rows;
    uint32_t first_shared;       /* address of what a block may access of its shared memory */
    uint32_t shared_bytes;       /* of a block, from address 0 on */
    uint32_t local_stride;       /* bytes of local memory of a thread */
    bool atomic;                 /* other host threads run blocks of this grid */
    bool selected;               /* a traced warp has tried a swap of OP_SELECTS */
    uint8_t steady;              /* OP_STEADY where %tid lies alike in all warps; 0: it does not */
    struct frame **spare_frames; /* by code id */
    struct reconvergence *spare_reconvergences;
    struct frame *owned_frames; /* all that it made, in use or spare */
    struct reconvergence *owned_reconvergences;
    struct block **blocks; /* resident */
    struct block **spare_blocks;
    uint32_t nblocks, nspare;
    uint64_t turn_count;       /* of its blocks */
    uint64_t longest;          /* of the warps that have ended, in instructions */
    uint64_t polls;            /* looks of its warps at what others may change */
    uint64_t last_change_turn; /* when a block last started or ended */
    uint64_t seen_done;        /* blocks of the grid that had ended at seen_ns */
    int64_t seen_ns;           /* of processor time */
    int64_t seen_tick_ns;      /* the same moment on the clock */
    int64_t idle_ns;           /* since when its blocks only look at memory; 0: they do not */
    int64_t looked_ns;         /* when it looked at the clock last */
    bool is_first;
    struct race_sharers {
        struct race_sharer *slots; /* capacity of them: a hash table */
        size_t n, capacity;
    } race_sharers;
    struct race_saves *race_saves;
    /* what each instruction counts, for see/source.h; NULL: not wanted */
    struct source_counts *source;
};

/* The launch as a whole, shared by all workers. While they run, fields marked atomic change only by
 * atomic operations, and fault and output are locked. */
struct grid {
    struct launch *launch;
    const struct kernel *kernel;
    void *params;
    uint64_t nblocks;
    uint64_t to_run;       /* blocks to run: nblocks, or fewer (run/sample.h) */
    const uint64_t *order; /* their indices, ascending; NULL: all blocks */
    uint32_t block_threads;
    uint64_t next_block;  /* atomic */
    uint64_t done_blocks; /* atomic */
    uint64_t fault_block; /* lowest block that failed; UINT64_MAX: none. Atomic */
    struct fault *fault;
    int64_t limit_ns; /* of a processor's time in which no block ends; 0: none */
    int64_t started_ns;
    int64_t started_clock; /* what clock() gave then: processor time of all threads */
    int64_t shown_ns;      /* when progress was shown last; 0: not yet. Atomic */
    bool told;             /* that it may loop forever. Atomic */
    bool warned_idle;      /* that its blocks only look at memory */
    bool on_terminal;      /* stderr is one */
    uint64_t id;
    uint32_t shared_bytes, local_stride, resident_blocks;
    struct crew *crew;
    bool traced_first; /* blocks that are traced come before the others */
    struct grid_output *output;
    struct touched touched;     /* before a block waited, and at the end */
    uint8_t partitions[2];      /* a bit for each where these blocks load, store first. Atomic */
    uint64_t workspace_address; /* cooperative launch: the grid barrier */
    struct check_grid *check;   /* NULL: not checked */
    struct races *races;        /* NULL: blocks are not watched for races */
};

/* May a block access these bytes of its shared memory? */
static inline bool shared_is_inside(const struct worker *worker, uint64_t offset, uint64_t bytes) {
    return offset >= worker->first_shared && offset <= worker->shared_bytes &&
           bytes <= worker->shared_bytes - offset;
}

/* ---- Services for handlers ---- */

/* warp/paths.c: the paths of a warp. Functions that return an operation return the one to go on
 * with, or NULL when the warp has no path that can go on now. */
/* Add a path that is ready at pc; its lanes come together with others at point. */
void path_push(struct warp *w, const struct op *pc, struct frame *frame,
               struct reconvergence *point, uint32_t mask);
/* Make the most recent ready path the current one. */
const struct op *path_next(struct warp *w);
/* Some active lanes take the branch at op, the others do not; there are some of both. */
const struct op *path_diverge(struct warp *w, const struct op *op, uint32_t taken);
/* The current path has come to op, where its reconvergence is. True: all its lanes are there and go
 * on together. */
bool path_join(struct warp *w, const struct op *op);
/* The lanes exit at op. */
const struct op *path_exit(struct warp *w, const struct op *op, uint32_t lanes);
/* The warp's turn is over; the current path goes on at next in a later one. */
const struct op *path_turn_over(struct warp *w, const struct op *next);
/* All paths wait: let lanes go on that the hardware would not have held. True: there were some. */
bool path_unblock(struct warp *w);
/* The current path's reconvergence at pc, made where there is none. */
struct reconvergence *path_reconvergence_at(struct warp *w, const struct op *pc);
/* The lanes have come to the point. */
void path_arrive(struct warp *w, struct reconvergence *point, uint32_t lanes);
/* The lanes will not come to the points from `from` outwards, up to `until`, which is not one of
 * them. */
void path_leave(struct warp *w, struct reconvergence *from, const struct reconvergence *until,
                uint32_t lanes);
/* The current path waits at op. The caller says for which barrier or lanes; the path is good until
 * the next push. */
struct path *path_wait(struct warp *w, const struct op *op, enum wait wait);
/* The lanes go on after op; the others of the current path execute op. */
void path_step_aside(struct warp *w, const struct op *op, uint32_t lanes);

/* warp/call.c: calls of device functions by the lanes; the same results as above. */
const struct op *call_enter(struct warp *w, const struct op *op, const struct code *callee,
                            uint32_t lanes);
/* The lanes return from the current frame; from the kernel's own, they exit. */
const struct op *call_return(struct warp *w, const struct op *op, uint32_t lanes);
/* The function pointers are in operand a. */
const struct op *call_indirect(struct warp *w, const struct op *op, uint32_t lanes);
/* A frame for one call, with registers that are not set. */
struct frame *frame_new(struct worker *worker, const struct code *code);
void frame_free(struct worker *worker, struct frame *frame);

/* warp/barrier.c */
/* The lanes come to the barrier in operand a: they wait, or all that it waits for are there and go
 * on. */
const struct op *barrier_arrive(struct warp *w, const struct op *op, uint32_t lanes);
/* Threads have exited: release barriers that waited for none but them. */
void barrier_recheck(struct block *block);

/* warp/polls.c: the block saw these bytes of global memory. */
void polls_note(struct polls *polls, const char *at, uint64_t bytes);
/* Has nothing changed of all that the block saw in its turn? */
bool polls_unchanged(const struct polls *polls);

/* warp/collective.c */
/* The operands and results of one warp-wide operation, by lane. */
struct collective {
    uint32_t mask;         /* lanes taking part */
    uint64_t a[WARP_SIZE]; /* value */
    uint32_t b[WARP_SIZE], c[WARP_SIZE];
    uint32_t members[WARP_SIZE]; /* member mask of each lane */
    uint64_t result[WARP_SIZE];
    uint32_t pred; /* predicate operand before, predicate result after */
};
const struct op *collective_run(struct warp *w, const struct op *op);
void collective_recheck(struct warp *w);

/* machine/collective.c */
/* Source lane of a shuffle, and whether it is in range: if not, the lane itself. Names as in the
 * PTX manual. */
uint32_t collective_source(uint8_t kind, uint32_t lane, uint32_t b, uint32_t c, bool *in_range);
collective_step collective_shfl, collective_vote, collective_match, collective_redux,
    collective_elect, collective_none;

/* warp/fault.c */
const struct op *fault_raise(struct warp *w, const struct op *op, int error, int lane,
                             const char *format, ...) __attribute__((format(printf, 5, 6)));
void fault_passed(const struct warp *w, const struct op *op, int lane, uint64_t address,
                  uint32_t size);
const struct op *fault_access(struct warp *w, const struct op *op, int lane, uint64_t address,
                              uint32_t size, const char *what);
/* Was a fault raised in this block, or in an earlier one, so that it must stop? */
bool fault_stops(const struct block *block);

/* warp/local.c: local memory, words of 4 bytes of the 32 lanes side by side. */
bool local_read(struct warp *w, int lane, uint64_t offset, void *to, uint32_t size);
bool local_write(struct warp *w, int lane, uint64_t offset, const void *from, uint32_t size);

/* warp/spaces.c: any address, one lane at a time; false if it is not valid (nothing is raised). */
bool space_read(struct warp *w, int lane, uint64_t generic, void *to, uint32_t size);
bool space_write(struct warp *w, int lane, uint64_t generic, const void *from, uint32_t size);
/* Is this the address of a constant variable? */
bool space_is_constant(uint64_t generic);

/* decode/block_order.c: may the results of this kernel depend on the order in which its blocks run?
 */
bool block_order_matters(const struct kernel *kernel);
/* May it wait for what other blocks or the host write? True if it looks at memory in a loop, takes
 * tickets, or calls the device's runtime. */
bool block_waits(const struct kernel *kernel);
/* Does it do the same where it finds the same parameters and the same bytes in all
 * that it touches? */
bool kernel_repeats(const struct kernel *kernel);

/* run/grid.c: the block waits for what it launched: the grid stands still while that runs. Returns
 * the runtime's error; *stops: a kernel failed, and the block must not go on. */
int grid_wait(struct worker *worker, struct block *block, bool *stops);

/* run/builtins.c */
/* Value of argument i of the call at op in a lane. */
uint64_t builtin_argument(struct warp *w, const struct op *op, int lane, int i);
/* The first size bytes of argument i, which may be a structure. */
void builtin_argument_bytes(struct warp *w, const struct op *op, int lane, int i, void *to,
                            size_t size);
void builtin_return(struct warp *w, const struct op *op, int lane, uint64_t value);
/* Write down for the time model that the lanes call the device's runtime: ACCESS_MALLOC, _FREE or
 * _PRINT. */
void builtin_trace(struct warp *w, const struct op *op, enum access_kind kind, uint32_t mask);
/* Bytes that device malloc may give out (cudaLimitMallocHeapSize). */
void device_heap_set_limit(uint64_t bytes);
/* Has a kernel of the current device used its heap since the last reset? Its size is fixed then. */
bool device_heap_is_used(void);
void device_heap_reset(void);

/* run/device_printf.c */
/* Records that the current device's buffer holds: of that many bytes (cudaLimitPrintfFifoSize). */
void device_printf_set_limit(uint64_t bytes);
/* Has a kernel that may print been launched on the current device since the last reset? Its
 * buffer's size is fixed then: on an H200 even if no thread printed. */
bool device_printf_is_used(void);
void device_printf_use(void);
void device_printf_reset(void);
uint64_t device_printf_most(void);
/* Add records to those that the host will print. */
void device_print(const struct printed *more);
/* printf output of a device's kernels goes to stdout in block order; cudaDeviceSynchronize and exit
 * flush it. */
void device_printf_flush(int device);
