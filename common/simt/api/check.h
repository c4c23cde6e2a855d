/* api/check.h: what --check adds at the end of the program. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* With SIMT_CHECK=1: lists the leaked device memory and prints the count of errors. If there are
 * errors, ends the process with exit status SIMT_CHECK_STATUS (default 1). Call it at exit. */
void rt_check_report(void);
/* With SIMT_CHECK=1: reports all memory that is still allocated as leaked. Call it before the
 * device is reset. */
void rt_check_leaks(int device);
/* With SIMT_CHECK=1: reports, once for each place in the program, that a copy of this kind calls
 * memory of the device the host's; or the other way round, which is refused and no error of its
 * own. side: source or target. */
void rt_check_kind(enum cudaMemcpyKind kind, const char *side, bool refused);
/* The same of a copy of bytes whose ranges overlap. */
void rt_check_overlap(const void *to, const void *from, size_t size);
/* The same of a copy to the host, called from there, of bytes of which nobody wrote one. */
void rt_check_unwritten(uintptr_t from, size_t size, const void *caller);
/* Counts an error that another function has printed. */
void rt_check_count(void);
