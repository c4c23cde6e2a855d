/* guard.h: may this text of a student go into the instructor's program?
 *
 * What runs cannot reach what judges it: kernels run in the simulator, functions for the CPU apart (apart.h). So the
 * text may say what it likes; it is refused only where it would not stay in its place: it ends the function that it is
 * the body of, is read by the preprocessor, hides from this reader what the compiler sees, or keeps a variable from one
 * launch to the next, so that a later one need not do what is measured. */
#ifndef GRADE_GUARD_H
#define GRADE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* False with a reason (a sentence's beginning, "line N: a ...") when the text is refused; lines are counted from
 * first_line. */
bool guard_allows(const char *text, size_t first_line, char *reason, size_t size);

#endif
