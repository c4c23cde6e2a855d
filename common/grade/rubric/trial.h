/* trial.h: runs a submission's program on the hidden cases, and judges each step. */
#pragma once

#include "steps.h"

#include "lib/results.h"

/* Builds the program, and runs each step alone in each case. Wrong results and the checker's
 * findings go to the step's fields; a step that crashes or never ends becomes STEP_BROKEN. results,
 * zeroed before, gets the numbers of the case of kind "metrics" or "calls", also for the given
 * steps that the rubric names; the caller frees it. Returns false with a failure of the grader. If
 * the lab's budget is used up, the taken steps become STEP_BROKEN, and the function returns true.
 */
bool trial_run(struct steps *steps, const struct lab_files *lab, struct results *results);
