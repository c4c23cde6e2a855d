/* run/run.h: blocks and warps while they run. Private to run/block.c, run/worker.c and run/grid.c. */
#ifndef SIMT_RUN_RUN_H
#define SIMT_RUN_RUN_H

#include "simt/machine/machine.h"

enum block_state {
    BLOCK_RUNNING,  /* has more to do */
    BLOCK_SPINNING, /* only looked at memory that others may change */
    BLOCK_DONE,
    BLOCK_FAILED
};

/* run/operand_rows.c: allocate and fill the rows of one kind. */
void operand_rows_fill(const struct worker *worker, enum operand_rows kind, char *rows, const struct block *block,
                       const struct warp *warp);
char *operand_rows_new(const struct kernel *kernel, enum operand_rows kind);

/* run/block.c */
struct block *block_start(struct worker *worker, uint64_t index);
enum block_state block_turn(struct block *block);
void block_end(struct block *block);
void block_delete(struct block *block);

/* run/worker.c: run blocks of the grid until none is left. */
void worker_run(struct worker *worker);
/* The block has run for a while: look at the clock, show progress. True: it was stopped, as no block of the grid has
 * ended for too long. */
bool worker_stops(struct worker *worker, struct block *block);
void worker_open(struct worker *worker, struct grid *grid, bool atomic);
void worker_close(struct worker *worker);

/* run/grid.c: start the other host threads, if the launch has lasted long enough. Only the first one calls it. */
void grid_call_helpers(struct grid *grid);

/* run/progress.c */
int64_t now_ns(void);
int64_t tick_ns(void);   /* the same to a few milliseconds, and cheap */
int64_t thread_ns(void); /* of the processor that this thread has used: a busy machine does not make it run faster */
/* Show how far the grid is, and where this block is, if it is time for that. */
void progress_show(const struct block *block);
/* The block has run for that long, and none has ended: say once that the kernel may loop forever. */
void progress_tell(const struct block *block, int64_t without_end_ns);
/* All blocks only look at memory: say once that what they wait for may never come. */
void progress_idle(const struct block *block);
void progress_clear(const struct grid *grid);

/* run/block.c: a warp of the block that can go on, or if there is none, one that waits; *path: where its lanes are.
 * NULL: all have exited. */
struct warp *block_current(const struct block *block, const struct path **path);

/* run/bench.c */
void bench_note(const struct grid *grid, unsigned threads, const struct counters *counters);

/* run/output.c: printf text of blocks, put in block order. */
struct grid_output *output_new(void);
void output_add(struct grid_output *output, struct block *block);
/* Pass on what is there so far. */
void output_flush(struct grid_output *output);
/* The same, and free output. */
void output_print(struct grid_output *output);

#endif
