/* guard.h: may this text of a student go into the instructor's program?
 *
 * A region is a function's body. Its text may compute; it may not reach outside: no preprocessor, no brace that closes
 * what it did not open, no assembly, no names of the harness, no files, no processes, and no call of what would do the
 * task for it. What the solution's own region does is allowed in that region. The sandbox is what keeps the machine
 * safe; the guard keeps the grading honest, and tells a student in words what is not allowed. */
#ifndef GRADE_GUARD_H
#define GRADE_GUARD_H

#include "tools/source.h"

#include <stdbool.h>
#include <stddef.h>

struct names; /* a set of identifiers */

struct guard {
    struct names *reserved; /* declared by the harness, or functions of the program that are not for the GPU */
    const struct source *solution;
};

/* Learn which names are reserved: those that the headers (texts, headers_n of them) declare outside of functions, and
 * the functions of the solution's program that run on the host, or that are kernels. */
struct guard guard_make(const struct source *solution, const char *const *headers, size_t headers_n);
void guard_free(struct guard *guard);

/* Judge the region of that name, with this text. False with a reason (a sentence's beginning, "line N: a ...") when it
 * is refused; lines are counted from first_line. */
bool guard_allows(const struct guard *guard, const char *region, const char *text, size_t first_line, char *reason,
                  size_t size);

#endif
