/*
 * run/run.h: blocks and warps while they run. Private to this room.
 *
 * Unless said otherwise, a function is called by the worker's thread and touches that worker's
 * blocks only.
 */
#pragma once

#include "simt/machine/machine.h"

enum block_state {
    BLOCK_RUNNING,  /* has more to do */
    BLOCK_SPINNING, /* only looked at memory that others may change: see warp/polls.c */
    BLOCK_DONE,
    BLOCK_FAILED
};

/* run/operand_rows.c: allocate and fill the rows of one kind. block: NULL for rows of a launch;
 * warp: only for rows of a warp. */
void operand_rows_fill(const struct worker *worker, enum operand_rows kind, char *rows,
                       const struct block *block, const struct warp *warp);
char *operand_rows_new(const struct kernel *kernel, enum operand_rows kind);

/* run/block.c */
/* Set block number index of the grid up, in launch order, in new memory or in that of an earlier
 * block. */
struct block *block_start(struct worker *worker, uint64_t index);
/* Give each of its warps that can run a turn. */
enum block_state block_turn(struct block *block);
/* It is done or has failed: pass its printf text on, keep its memory for another block. */
void block_end(struct block *block);
/* Free its memory. */
void block_delete(struct block *block);

/* run/worker.c: run blocks of the grid until none is left. Returns NULL. */
void *worker_run(void *worker);
/* The block has run for a while: look at the clock, show progress. True: the block was stopped with
 * a fault, as no block of the grid has ended for longer than the limit. */
bool worker_stops(struct worker *worker, struct block *block);
/* Prepare a worker of the grid. atomic: other workers run blocks too, so atomics need atomic host
 * instructions. The first thread calls it for each worker. */
void worker_open(struct worker *worker, struct grid *grid, bool atomic);
/* Free its memory. It has ended, and its counters were collected. */
void worker_close(struct worker *worker);

/* run/grid.c: start the other host threads if the launch has lasted ALONE_NS. Only the first
 * worker's thread calls it. */
void grid_call_helpers(struct grid *grid);
/* All traced blocks have ended: call launch.traced, if other host threads run other blocks
 * meanwhile. Called once, by any worker's thread. */
void grid_traced(struct grid *grid);

/* run/progress.c */
int64_t now_ns(void);    /* of a clock that never steps back */
int64_t tick_ns(void);   /* the same, a few milliseconds late, but cheap */
int64_t thread_ns(void); /* processor time of this thread: it stands still while the thread waits */
/* Show how far the grid is, and where this block is, if it is time for that. Any worker's thread
 * may call it. */
void progress_show(const struct block *block);
/* No block has ended for that long: say once that the kernel may loop
 * forever. */
void progress_tell(const struct block *block, int64_t without_end_ns);
/* All blocks only look at memory: say once that what they wait for may never come. */
void progress_idle(const struct block *block);
/* Wipe the progress line off a terminal before something else is printed. */
void progress_clear(const struct grid *grid);

/* run/block.c: a warp of the block that can go on, or if there is none, one that waits; *path:
 * where its lanes are. NULL: all have exited. */
struct warp *block_current(const struct block *block, const struct path **path);

/* run/bench.c: append a line about the launch to the file in SIMT_BENCH, if it is set. */
void bench_note(const struct grid *grid, unsigned threads, const struct counters *counters);

/* run/output.c: printf text of blocks, put in block order. */
struct grid_output *output_new(void);
/* Take the block's text. Safe from any worker's thread. */
void output_add(struct grid_output *output, struct block *block);
/* Pass on what is there so far, in block order. */
void output_flush(struct grid_output *output);
/* The same, and free output. */
void output_print(struct grid_output *output);
/* Free output. What is in it is not passed on. */
void output_drop(struct grid_output *output);
