/* sandbox.h: run a program that nobody trusts.
 *
 * The command sees a system of its own (bubblewrap): /usr and the libraries read-only, no network, no other process, no
 * home; the files it is given in ../grade, read-only; and an empty folder to work in, of limited size, which vanishes
 * at the end. Nothing comes out but what is printed, one file, and the rows that a lab's harness sends
 * (harness/grader.h).
 *
 *     ../grade/NAME    the files of the job
 *     .                the folder to work in
 */
#ifndef GRADE_SANDBOX_H
#define GRADE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct sandbox_file {
    const char *name; /* under ../grade; may have folders in it */
    const void *data;
    size_t size;
    bool program; /* may be executed */
};

/* Read a file that is called name in the sandbox; name is kept, not copied. Behind its data, which is to be freed,
 * stands a zero byte that is not counted. False: it could not be read; errno says why, and *file is as it was. */
bool sandbox_read(struct sandbox_file *file, const char *path, const char *name);

struct sandbox_limits {
    unsigned int seconds;     /* by the clock on the wall */
    unsigned int cpu_seconds; /* of one process */
    size_t memory;            /* bytes that all processes together may use */
    size_t address_space;     /* bytes of one process, used or not */
    unsigned int processes;
    size_t output; /* bytes on stdout, of which more are thrown away, and as many on stderr, of which more end it */
    size_t disk;   /* bytes in the working folder, and of the file that is brought back */
};

/* What several jobs may take together; each of them makes it less. */
struct sandbox_budget {
    double seconds;     /* by the clock on the wall */
    double cpu_seconds; /* of all processes together */
};

struct sandbox_job {
    char *const *command; /* ends with NULL */
    const struct sandbox_file *files;
    size_t files_n;
    const char *show;               /* one more folder to be seen, read-only, at its own path; NULL: none */
    const char *const *environment; /* NAME, VALUE, ..., NULL; besides PATH, HOME and LC_ALL; may be NULL */
    const char *take;               /* name of a file in the working folder to bring back; NULL: none */
    bool rows;                      /* the command is a lab's program, whose rows are wanted */
    struct sandbox_limits limits;
    struct sandbox_budget *budget; /* NULL: none */
};

enum sandbox_end {
    SANDBOX_ENDED,  /* by itself: see status */
    SANDBOX_TIME,   /* stopped: too long */
    SANDBOX_MEMORY, /* stopped: too much memory */
    SANDBOX_OUTPUT, /* stopped: too many messages on stderr */
    SANDBOX_BUDGET, /* stopped, or not even begun: the budget was used up */
    SANDBOX_FAILED, /* there was no sandbox, and nothing was run: see error */
};

struct sandbox_bytes {
    char *data; /* a zero byte follows */
    size_t size;
};

struct sandbox_outcome {
    enum sandbox_end end;
    int status;                            /* exit code, 128 + signal if killed */
    struct sandbox_bytes out, error, rows; /* rows: those with the right word, without it */
    struct sandbox_bytes taken;
};

/* Has one of the two been used up? */
bool sandbox_spent(const struct sandbox_budget *budget);

/* Run the job. Never ends the program; free the outcome with sandbox_free. Without bubblewrap nothing is run, unless
 * `unsafe`: then only the limits hold. */
void sandbox_run(const struct sandbox_job *job, bool unsafe, struct sandbox_outcome *outcome);

void sandbox_free(struct sandbox_outcome *outcome);

/* Why the command did not end by itself, as half a sentence; NULL if it did. */
const char *sandbox_reason(const struct sandbox_outcome *outcome);

#endif
