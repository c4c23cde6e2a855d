/* sandbox_start.h: setting up a sandbox, for sandbox.c. */
#ifndef GRADE_SANDBOX_START_H
#define GRADE_SANDBOX_START_H

#include "sandbox.h"

#include <limits.h>
#include <sys/types.h>

enum { SANDBOX_WAYS = 4 }; /* out, error, back, rows */

struct sandbox_start {
    pid_t child;                /* leads a process group of its own */
    int out, error, back, rows; /* to read from; rows is -1 where none are wanted */
    char folder[PATH_MAX];      /* of an unsafe run; "" otherwise */
};

/* Start the job's command; the harness is sent this word. False with a reason in why: no bubblewrap, say. */
bool sandbox_start(const struct sandbox_job *job, bool unsafe, const char *word, struct sandbox_start *start, char *why,
                   size_t size);

/* When all is over: remove the folder of an unsafe run. */
void sandbox_clear(struct sandbox_start *start);

/* Seconds of processor time that this process and all below it have used, and those below it that have ended. */
double sandbox_cpu(pid_t process);

/* Bytes of main memory that this process and all below it have for themselves. */
size_t sandbox_memory(pid_t process);

#endif
