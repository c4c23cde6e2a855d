/* api/launch/refused.h: failed launches that the program does not notice. Call the functions with
 * the lock held. */
#pragma once

#include "launch.h"

/* Notes a failed <<<>>> launch of this thread. launch->function may be NULL. */
void rt_refused_note(const struct launch *launch, cudaError_t error);
/* Notes that this thread asked for its last error. */
void rt_refused_asked(void);
/* Prints one line on stderr if there are such launches, and counts each as an error for --check.
 * Call it at exit. */
void rt_refused_report(void);
