/* program.h: compiles a submission in the sandbox. */
#pragma once

#include "steps.h"

/* The GPU that grading simulates, so that a metric has the same value everywhere, and the machine
 * code for it. */
#define GRADING_GPU  "h200"
#define GRADING_CODE "sm_90"

/* The programs of a submission: the instructor's program with the student's kernels, and the
 * program with the student's functions for the CPU, empty if there are none. */
struct program {
    struct sandbox_bytes judge, student;
};

/* Builds the program from the steps that are taken. A step that does not compile becomes
 * STEP_BROKEN with the compiler's message. Returns true with the program, to be freed with
 * program_free; or false: the lab's budget is used up, or else the failure is the grader's. */
bool program_build(struct steps *steps, const struct lab_files *lab, struct program *program);
void program_free(struct program *program);
