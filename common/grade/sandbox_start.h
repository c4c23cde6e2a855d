/* sandbox_start.h: sets up a sandbox, for sandbox.c. */
#ifndef GRADE_SANDBOX_START_H
#define GRADE_SANDBOX_START_H

#include "sandbox.h"

#include <limits.h>
#include <sys/types.h>

enum { SANDBOX_WAYS = 4 }; /* out, error, back, rows */

/* A started sandbox. */
struct sandbox_start {
    pid_t child;                /* leader of a separate process group */
    int out, error, back, rows; /* descriptors to read from; rows is -1 if the job wants none */
    char folder[PATH_MAX];      /* of a sandbox without bubblewrap (sandbox_folder.h); "": bubblewrap */
    uid_t user;                 /* who runs the job in the folder; 0: an unsafe run, by the user who grades */
};

/* Starts the job's command, and sends the word to the lab's harness. Returns false with a reason in why, for example
 * where no sandbox is possible. The caller closes the descriptors, waits for the child and calls sandbox_clear. */
bool sandbox_start(const struct sandbox_job *job, bool unsafe, const char *word, struct sandbox_start *start, char *why,
                   size_t size);

/* Ends what still runs in a sandbox without bubblewrap, and removes its folder. Call it after the command's end. */
void sandbox_clear(struct sandbox_start *start);

/* Seconds of processor time that this process, its living descendants and their ended, awaited children have used. */
double sandbox_cpu(pid_t process);

/* Bytes of unshared main memory of this process and its descendants. */
size_t sandbox_memory(pid_t process);

#endif
