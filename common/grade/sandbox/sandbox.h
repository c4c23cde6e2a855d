/* sandbox.h: runs an untrusted program.
 *
 * Where bubblewrap can run, it gives the command a separate system: /usr and the libraries
 * read-only, no network, no other processes, no home. The job's files lie read-only in ../grade.
 * The working folder is empty, limited in size, and vanishes at the end. Only three things come
 * out: the printed output, one file, and the rows that a lab's harness sends (harness/grader.h).
 * Where it cannot run, as in most containers, root runs the command as another user
 * (folder.h).
 *
 *     ../grade/NAME    the files of the job
 *     .                the folder to work in */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A file for the sandbox. */
struct sandbox_file {
    const char *name; /* path under ../grade */
    const void *data;
    size_t size;
    bool program; /* may be executed */
};

/* Reads the file at path. In the sandbox it is called name, which is not copied. The caller frees
 * the data; a zero byte follows it, not counted in size. Returns false with errno if the file
 * cannot be read; *file is then unchanged. */
bool sandbox_read(struct sandbox_file *file, const char *path, const char *name);

/* What a job may use. */
struct sandbox_limits {
    unsigned int seconds;     /* by the clock on the wall */
    unsigned int cpu_seconds; /* of one process */
    size_t memory;            /* bytes that all processes together may use */
    size_t address_space;     /* bytes of one process, used or not */
    unsigned int processes;
    size_t output; /* bytes on stdout, where more are dropped, and as many on stderr, where more end
                      the command */
    size_t disk;   /* bytes of the working folder, and of the file that comes back */
};

/* What several jobs may use together. Each job reduces it. */
struct sandbox_budget {
    double seconds;     /* by the clock on the wall */
    double cpu_seconds; /* of all processes together */
};

struct sandbox_job {
    char *const *command; /* ends with NULL */
    const struct sandbox_file *files;
    size_t files_n;
    const char *show; /* one more folder, visible read-only at the same path; NULL: none */
    const char *const
        *environment; /* NAME, VALUE, ..., NULL; besides PATH, HOME and LC_ALL; may be NULL */
    const char *take; /* name of a file in the working folder to bring back; NULL: none */
    bool rows;        /* the command is a lab's program, and the caller wants its rows */
    struct sandbox_limits limits;
    struct sandbox_budget *budget; /* NULL: none */
};

enum sandbox_end {
    SANDBOX_ENDED,  /* the command ended: see status */
    SANDBOX_TIME,   /* stopped: too long */
    SANDBOX_MEMORY, /* stopped: too much memory */
    SANDBOX_OUTPUT, /* stopped: too many messages on stderr */
    SANDBOX_BUDGET, /* stopped, or not started: the budget is used up */
    SANDBOX_FAILED, /* no sandbox, and nothing was run: see error */
};

struct sandbox_bytes {
    char *data; /* a zero byte follows */
    size_t size;
};

struct sandbox_outcome {
    enum sandbox_end end;
    int status; /* exit code, 128 + signal if killed */
    struct sandbox_bytes out, error,
        rows; /* rows: the lines with the right word, without the word */
    struct sandbox_bytes taken;
};

/* Is one of the two budgets used up? NULL: never. */
bool sandbox_spent(const struct sandbox_budget *budget);

/* What leads into a sandbox and out of it: output, errors, answers, rows; commands. */
enum { WAY_OUT, WAY_ERROR, WAY_BACK, WAY_ROWS, WAY_COMMAND, SANDBOX_WAYS };

/* A sandbox for jobs that run one after the other; {0}: not started. It has the files, `show`,
 * environment and limits of its first job. After each job its processes are ended; before each the
 * working folder is emptied. */
struct sandbox {
    pid_t child;            /* leader of a separate process group */
    int ways[SANDBOX_WAYS]; /* -1: none */
    bool begun;             /* S has come */
    double cpu_seconds;     /* taken from budgets */
    char folder[PATH_MAX];  /* of a sandbox without bubblewrap (folder.h); "": bubblewrap */
    uid_t user; /* who runs the jobs in the folder; 0: an unsafe run, by the user who grades */
};

/* Runs the job and waits for it. Starts the sandbox if that is not done, and closes it if the job
 * does not end by itself. Free the outcome with sandbox_free, whatever its end. Where neither
 * bubblewrap nor another user is possible, nothing is run, unless UNSAFE=1 in the environment asks
 * for it: then only the limits protect the system. */
void sandbox_run_in(struct sandbox *sandbox, const struct sandbox_job *job,
                    struct sandbox_outcome *outcome);

/* Ends all processes of the sandbox. */
void sandbox_close(struct sandbox *sandbox);

/* Runs the job in a sandbox that has no other job. */
void sandbox_run(const struct sandbox_job *job, struct sandbox_outcome *outcome);

/* Frees the outcome's bytes. */
void sandbox_free(struct sandbox_outcome *outcome);

/* Why the command was stopped or did not run, as a clause; NULL: it ended by itself. */
const char *sandbox_reason(const struct sandbox_outcome *outcome);
