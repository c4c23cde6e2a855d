/* results.h: look up numbers of one or several runs by name, for texts and claims.
 *
 * A source is a run.csv and the metrics.csv that belongs to it. A number has the name
 * KERNEL.COLUMN, or SOURCE.KERNEL.COLUMN where there are several sources; COLUMN is a metric of
 * metrics.csv or one of run.csv's numbers (step, time_ms, time_min_ms, time_max_ms, bandwidth_gbs,
 * speedup, and gflops, l1_misses, llc_misses where it has them). Without a source's name the first
 * source is used. If a step launches a kernel in several shapes, the block follows an @, as in
 * sumMatrix@32x16, or the grid an @g, as in wave@g264; without them the first launch is used. If it
 * launches a kernel with several arguments, they are part of the name, as in strideLoad(4).
 *
 * A source may also be common/simt/gpus.tsv or another table of constants: SOURCE.COLUMN.ROW is the
 * cell in that column of the row whose first cell says ROW, as in gpus.h200.sms. Or it is a run of
 * common/compare/notes.tsv, whose columns are run, kernel, quantity and value:
 * SOURCE.KERNEL.QUANTITY is a value of that run, with the kernel as the table has it. A kernel that
 * the run lacks is not available; a quantity that no kernel of the run has is misspelt. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { RESULTS_SOURCES = 16, RESULTS_NAME = 64 };

struct csv;

/* Is this kernel of run.csv or metrics.csv the step's? After the name there may be an argument, as
 * in strideLoad(4), or a template's. */
bool results_is_of(const char *kernel, const char *step);

struct results {
    struct {
        char name[RESULTS_NAME];
        struct csv *run,
            *metrics;     /* metrics may be NULL; both are where nothing has been recorded yet */
        struct csv *rows; /* in their place: a table of constants, or of figures */
        char figures[RESULTS_NAME]; /* of a table of figures: the run; else empty */
    } source[RESULTS_SOURCES];
    int sources;
};

/* Adds a source. metrics_path may be NULL. False with "PATH: why" in failure: a file that cannot be
 * read, or has no rows, or lacks a column. */
bool results_add(struct results *results, const char *name, const char *run_path,
                 const char *metrics_path);
/* Adds the source that a program's argument names: NAME=RUN.csv,METRICS.csv or NAME=RUN.csv;
 * NAME=TABLE.tsv for a table of constants, NAME=TABLE.tsv:RUN for a run of a table of figures;
 * NAME= for one that has not been recorded yet. The argument is cut up. False as above. */
bool results_add_argument(struct results *results, char *argument);
/* Adds a source of which nothing has been recorded yet: each of its numbers is RESULTS_ABSENT. */
bool results_add_absent(struct results *results, const char *name);
void results_free(struct results *results);

/* How a number may be there or not. */
enum results_state {
    RESULTS_VALUE,   /* *value is set */
    RESULTS_NA,      /* the device has no such counter, or the step was not timed */
    RESULTS_ABSENT,  /* the source has not been recorded yet */
    RESULTS_TODO,    /* the step is still to do */
    RESULTS_WRONG,   /* the step gave a wrong result or an error: its numbers mean nothing */
    RESULTS_UNKNOWN, /* no such source, kernel or column: a misspelt name */
};
enum results_state results_number(const struct results *results, const char *name, double *value);

/* What an expression's names came to: results_lookup is an expr_lookup (common/lib/expr.h) whose
 * context is this. */
struct results_use {
    const struct results *results;
    enum results_state worst; /* of the names looked up so far; begin with RESULTS_VALUE */
    char name[RESULTS_NAME];  /* the first name of that state */
};
double results_lookup(void *use, const char *name);

/* Has nothing been recorded yet of this source? */
bool results_is_absent(const struct results *results, const char *source);

/* The processor that the source's first step on the CPU ran on; "" if it has none. */
const char *results_processor(const struct results *results, const char *source);

/* The device, as metrics.csv or else run.csv names it, and whether it is the simulator. "" for a
 * source that does not exist or has not been recorded. */
const char *results_device(const struct results *results, const char *source);
bool results_simulated(const struct results *results, const char *source);

/* The i-th kernel of a source's run.csv (for "" the first source that has been recorded), with its
 * block (@32x16) if it is there in several, or its grid (@g264) if it is there with that block
 * several times; false after the last. */
bool results_kernel(const struct results *results, const char *source, int i, char *kernel,
                    size_t size);
