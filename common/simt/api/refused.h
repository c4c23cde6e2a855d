/* api/refused.h: failed launches that the program never asks about. Call all of it with the lock held. */
#ifndef SIMT_API_REFUSED_H
#define SIMT_API_REFUSED_H

#include "launch.h"

/* A launch of this thread failed, and <<<>>> could not say so. request->function may be NULL. */
void rt_refused_note(const struct rt_request *request, cudaError_t error);
/* The thread asked for its last error. */
void rt_refused_asked(void);
/* One line on stderr if there are any, and each counts as an error for --check. To be called at exit. */
void rt_refused_report(void);

#endif
