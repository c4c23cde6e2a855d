/* trial.h: run a submission's program on the hidden cases, and see what becomes of each step. */
#ifndef GRADE_TRIAL_H
#define GRADE_TRIAL_H

#include "steps.h"

#include "lib/results.h"

/* Build the program, and run each step alone in each case. Afterwards each step that is still taken has been seen, and
 * is wrong, unclean or neither; one that crashes, or never ends, is broken. results has the numbers of the case of kind
 * "metrics", also of the given steps that the rubric compares with. False with an error of the grader itself. */
bool trial_run(struct steps *steps, const struct kit *kit, struct results *results, char *error, size_t size);

#endif
