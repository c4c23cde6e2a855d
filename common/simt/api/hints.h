/* api/hints.h: hints at a program's end, about its times. Call the functions with the lock held, or at exit. */
#ifndef SIMT_API_HINTS_H
#define SIMT_API_HINTS_H

#include <stdbool.h>

/* Counts a kernel of the host that took ns of modelled time, with all its nested launches. machine_code: the time is
 * that of machine code, not of PTX alone. */
void rt_hint_kernel(double ns, bool machine_code);
/* Notes that the program measures with events. */
void rt_hint_event(void);
/* Prints the hints on stderr, a line each. Call it at exit. */
void rt_hints_report(void);

#endif
