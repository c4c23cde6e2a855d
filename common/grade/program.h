/* program.h: compile a submission, in the sandbox. */
#ifndef GRADE_PROGRAM_H
#define GRADE_PROGRAM_H

#include "steps.h"

/* What a submission becomes: the instructor's program, with the student's kernels, and the student's program with their
 * functions for the CPU, empty if there are none. */
struct program {
    struct sandbox_bytes judge, student;
};

/* Build the program with the steps that are taken. Steps that do not compile are found out and become STEP_BROKEN, with
 * the compiler's words. True with the program, to be freed with program_free, or false with an error of the grader
 * itself, or with "" where the kit's budget is used up. */
bool program_build(struct steps *steps, const struct kit *kit, struct program *program, char *error, size_t size);
void program_free(struct program *program);

#endif
