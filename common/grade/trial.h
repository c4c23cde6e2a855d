/* trial.h: run a submission's program on the hidden cases, and see what becomes of each step. */
#ifndef GRADE_TRIAL_H
#define GRADE_TRIAL_H

#include "steps.h"

#include "tools/results.h"

/* Build and run until no step gets in the way of the others: one that crashes, or never ends, is taken out, and all is
 * run again without it. Afterwards each step that is still taken has been seen, and is wrong, unclean or neither;
 * results has the numbers of the case of kind "metrics". False with an error of the grader itself. */
bool trial_run(struct steps *steps, const struct kit *kit, struct results *results, char *error, size_t size);

#endif
