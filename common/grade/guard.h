/* guard.h: decides whether a student's text may go into the instructor's program.
 *
 * The student's code cannot reach the judge: kernels run in the simulator, functions for the CPU in another process
 * (apart.h). So any text is allowed that stays in its place. A text is refused if it ends the function whose body it
 * is, if it uses the preprocessor, if the compiler would read it otherwise than this reader, or if it keeps a variable
 * from one launch to the next: a later launch could then skip the measured work. */
#ifndef GRADE_GUARD_H
#define GRADE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false with a reason ("line N: a ...", to begin a sentence) if the text is refused. first_line is the number
 * of the text's first line. */
bool guard_allows(const char *text, size_t first_line, char *reason, size_t size);

#endif
