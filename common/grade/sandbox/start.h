/* start.h: sets up a sandbox, for sandbox.c. */
#ifndef GRADE_SANDBOX_START_H
#define GRADE_SANDBOX_START_H

#include "sandbox.h"

enum { SANDBOX_WAYS = 4 };

/* What leads out of a job: output, errors, the file that it leaves, rows. The first of a pair is to
 * be read, the second is the job's; -1: none. */
struct sandbox_ways {
    int out[2], error[2], back[2], rows[2];
};

/* Sets up the sandbox for the job, and those that follow. Returns false with a reason in why, for
 * example where no sandbox is possible. The caller calls sandbox_close. */
bool sandbox_start(struct sandbox *sandbox, const struct sandbox_job *job, bool unsafe, char *why,
                   size_t size);

/* Has the sandbox run the job's command, and sends the word to the lab's harness. The caller closes
 * what is to be read. Returns false with a reason in why. */
bool sandbox_send(const struct sandbox *sandbox, const struct sandbox_job *job, const char *word,
                  struct sandbox_ways *ways, char *why, size_t size);

/* Seconds of processor time that this process, its living descendants and their ended, awaited
 * children have used. */
double sandbox_cpu(pid_t process);

/* Bytes of unshared main memory of this process and its descendants. */
size_t sandbox_memory(pid_t process);

#endif
