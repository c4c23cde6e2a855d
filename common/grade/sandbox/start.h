/* start.h: starts a job in a sandbox, for sandbox.c. */
#ifndef GRADE_SANDBOX_START_H
#define GRADE_SANDBOX_START_H

#include "sandbox.h"

#include <limits.h>
#include <sys/types.h>

/* What leads out of a job: output, errors, the file that it leaves, rows. */
enum { WAY_OUT, WAY_ERROR, WAY_BACK, WAY_ROWS, SANDBOX_WAYS };

/* A running job. */
struct sandbox {
    pid_t child;            /* leader of a separate process group */
    int ways[SANDBOX_WAYS]; /* to be read and closed by the caller; -1: none */
    char folder[PATH_MAX];  /* of a sandbox without bubblewrap (folder.h); "": bubblewrap */
    uid_t user; /* who runs the job in the folder; 0: an unsafe run, by the user who grades */
};

/* Starts the job. The way back brings the letter S when its limits are set, and then the file that
 * it leaves. Returns false with a reason in why, for example where no sandbox is possible. */
bool sandbox_start(struct sandbox *sandbox, const struct sandbox_job *job, bool unsafe, char *why,
                   size_t size);

/* Waits for the job's end, or ends it at once, and clears up. Returns its exit code, 128 + signal
 * if killed, and the processor time of its processes that were waited for. */
int sandbox_end(struct sandbox *sandbox, bool at_once, double *cpu_seconds);

#endif
