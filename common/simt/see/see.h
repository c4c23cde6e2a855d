/*
 * see/see.h: `simt --see FILE.html`: what the warps of one block do, instruction by instruction, in
 * a page that a browser shows (common/see).
 *
 *   see/options.c   what is asked for, from the SIMT_SEE_* variables
 *   see/decode.c    puts a step before each instruction
 *   see/record.c    a step runs: it is written down if its block is the chosen one
 *   see/rows.c      the values of a warp's lanes, each different row once
 *   see/json.c      the recording as JSON, whose format common/see/README.md describes
 *   see/time.c      what warps waited for, as JSON
 *   see/trace.c     the same for other viewers
 *   see/page.c      the page around it
 *   see/source.c    a step runs, in any block: what its line counts (see/source.h)
 *
 * Without --see and --source no step is decoded, so nothing runs slower.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "simt/machine/machine.h"
#include "simt/time/watch.h"

/* ---- For the runtime ---- */

/* Reads the SIMT_SEE_* variables and, where SIMT_SEE names a file, prepares to record. False, with
 * a message in error, where one of them makes no sense or the file cannot be written. */
bool see_open(void);
bool see_is_open(void);
/* A launch begins. Returns the recording if it is the launch to record; NULL: it is not. */
struct recording *see_launch(const struct launch *launch);
/* Where the time model puts what the launch's warps waited for; NULL for NULL. */
struct watch *see_watch(struct recording *recording);
/* That launch has ended. failure: what stopped it, or NULL. */
void see_launched(struct recording *recording, const char *failure);
/* Writes the page. False, with a message in error, where nothing could be recorded or written: then
 * there is no file. */
bool see_close(void);

/* ---- Options (see/options.c) ---- */

#define SEE_FORMAT  4 /* of the recording: common/see/README.md */
#define SEE_KERNELS 2 /* side by side */
#define SEE_LAST    0 /* the last launch by the host */

struct see_options {
    const char *path;  /* of the page; NULL: none */
    const char *trace; /* of the file for other viewers; NULL: none */
    enum see_trace_format { TRACE_CHROME, TRACE_KANATA, TRACE_PAGE } format; /* its format */
    char *beside; /* such a file of TRACE_PAGE's, of another GPU, for the page; NULL: none */
    const char *kernels[SEE_KERNELS]; /* to stand side by side: their names; "": any */
    uint32_t nkernels;
    unsigned long nth; /* which of a kernel's launches, from 1; SEE_LAST */
    uint32_t block[3]; /* which block */
    uint32_t from, to; /* which of its warps, both included */
};

bool see_read_options(struct see_options *options);

/* ---- Steps (see/decode.c) ---- */

/* An operand whose values are shown: a register. */
struct see_value {
    int32_t reg;
    uint32_t ref; /* its row */
};

/* Where an instruction accesses memory. */
struct see_access {
    uint32_t ref;   /* the row of addresses, 32 bits wide where is_short, */
    int64_t offset; /* to be added; and the frame's place in local memory where in_frame */
    uint8_t space;  /* enum ptx_space */
    bool is_short, in_frame;
};

#define SEE_VALUES   12
#define SEE_ACCESSES 2 /* a copy: to shared memory, from global memory */
#define NO_TALLY     UINT32_MAX

/* An instruction, as the recording's "instructions" has it. */
struct see_step {
    uint32_t number; /* from 0, in the order of decoding */
    const struct ptx_insn *insn;
    const struct ptx_function *function;
    struct block_cost cost;    /* what it counts for, each time a warp comes to it */
    struct block_cost guarded; /* the same, for the threads whose guard holds */
    uint32_t in_kernel;        /* its number in the kernel */
    uint32_t tally;            /* that counts how often warps come to it */
    uint32_t guarded_tally;    /* and its guarded threads; NO_TALLY: none does */
    struct see_value reads[SEE_VALUES], writes[SEE_VALUES];
    uint32_t nreads, nwrites;
    struct see_access accesses[SEE_ACCESSES];
    uint32_t naccesses;
    uint32_t bytes; /* of a lane's access */
    uint32_t lanes; /* whose addresses count */
    struct see_step *next;
};

handler see_step;

struct decoder;
/* insn was decoded to operations from first on: put its step before them. */
void see_decode(struct decoder *d, const struct ptx_insn *insn, int32_t first);

/* Does an instruction count it? What is counted when a block begins or a launch ends belongs to
 * none. */
static inline bool see_is_of_instructions(uint32_t counter) {
    bool launched = counter >= COUNTER_warps_launched && counter <= COUNTER_threads_launched;
    bool footprint =
        counter >= COUNTER_load_partitions && counter <= COUNTER_footprint_partial_lines;
    return !launched && !footprint;
}

/* ---- A recording (see/record.c) ---- */

/* One instruction of one warp. Rows are numbers in see/rows.c. */
struct see_event {
    const struct see_step *step;
    uint32_t warp;
    uint32_t active, guard; /* lanes that came to it, and those among them that execute it */
    uint32_t live;          /* lanes of the warp that have not exited */
    uint32_t stack;         /* row of the calls that they are in, plus 1; 0: in none */
    uint32_t addresses[SEE_ACCESSES]; /* rows of the lanes' addresses */
    uint32_t values[2 * SEE_VALUES];  /* rows: what it reads, then what it writes */
    uint32_t counts, ncounts;         /* in recording.counts */
};

/* A counter that an event raised, beyond what its instruction counts each time. */
struct see_count {
    uint32_t counter; /* COUNTER_... */
    uint32_t by;
};

struct recording {
    struct see_options options;
    const struct kernel *kernel;
    char *name; /* of the kernel, in C++ */
    struct launch_shape shape;
    const struct gpu *gpu;
    unsigned char *params;
    char *allocations; /* JSON: they may be freed when the page is written */
    uint64_t block;    /* index in launch order */
    unsigned depth;    /* of its launch */
    struct see_child { /* what it launched, launches of one kernel and shape together */
        char *name;
        struct launch_shape shape;
        uint32_t count;
    } * children;
    uint32_t nchildren, child_capacity;
    uint32_t nwarps;
    bool full; /* more than the page may have */
    char *failure;
    struct see_event *events;
    uint32_t nevents, event_capacity;
    size_t bytes; /* of the events in the page */
    struct see_count *counts;
    uint32_t ncounts, count_capacity;
    struct worker *worker;  /* that runs the block; NULL: not begun, or over */
    struct counters before; /* its counters at the last event */
    bool counting;          /* the last event's counters are not written down yet */
    struct watch watch;
    struct see_pending *pending;
    uint32_t npending;
};

/* The block ends: called for each block of a launch that is recorded. */
void see_block_end(struct recording *recording, const struct block *block);

/* ---- Rows (see/rows.c) ---- */

/* The number of a text. */
uint32_t see_text(const char *text);
/* The number of the text of a row: the values of the lanes of mask, width 4 or 8 bytes each, or a
 * predicate's (0). */
uint32_t see_row(const void *row, unsigned width, uint32_t mask);
/* The texts, by number. */
const char *const *see_rows(uint32_t *n);
/* Bytes of all texts in the page. */
size_t see_rows_bytes(void);
/* Empty the texts of which used, by number, is false. */
void see_rows_keep(const bool *used);

/* ---- The page ---- */

/* The live allocations as JSON, to be freed (see/json.c). */
char *see_allocations(void);
struct see_step *see_steps(void);
#define SEE_PTX_BYTES 400
/* The instruction's PTX up to its semicolon, on one line (see/json.c). */
void see_ptx(const struct ptx_module *module, const struct ptx_insn *insn,
             char text[SEE_PTX_BYTES]);
/* The same as a JSON text. */
void see_put_ptx(FILE *out, const struct ptx_module *module, const struct ptx_insn *insn);
/* What warps waited for on the launch's GPU: an element of the recording's member "times"
 * (see/time.c). */
void see_time(FILE *out, const struct recording *recording);
#define SEE_TIME_START "{\"format\":%d," /* how it begins, with SEE_FORMAT */
/* Appends the recordings to out (see/json.c). */
void see_json(FILE *out, struct recording *const *recordings, uint32_t n);
/* Writes the cycles of the recorded launch's warps to options.trace (see/trace.c). False, with a
 * message: it cannot. */
bool see_trace(const struct recording *recording);
/* Writes the page with the recordings (see/page.c). False, with a message in error, where it
 * cannot. */
bool see_page(struct recording *const *recordings, uint32_t n);
