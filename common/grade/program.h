/* program.h: compile a submission, in the sandbox. */
#ifndef GRADE_PROGRAM_H
#define GRADE_PROGRAM_H

#include "steps.h"

/* Build the program with the steps that are taken. Steps that do not compile are found out and become STEP_BROKEN, with
 * the compiler's words. True with the program's bytes, to be freed with free(program->data), or false with an error of
 * the grader itself. */
bool program_build(struct steps *steps, const struct kit *kit, struct sandbox_bytes *program, char *error, size_t size);

#endif
