/* measured.h: what a lab's last run measured of a step, in the words in which a student predicts
 * it. */
#pragma once

#include "lib/csv.h"

#include <stddef.h>

/* The quantity of the lab's table: the time of the step before it, over this step's. */
#define X_BEFORE "x before"

enum { MEASURED_SIZE = 64 };

/* Writes a quantity of the step, such as "1.84" or "4 to 32 sectors": x before, a column of
 * run.csv, or a metric of metrics.csv; over the step's launches with right results. Throughputs are
 * in GB/s. "" if it was not measured, or if x before would compare several launches. run and
 * metrics may be NULL. */
void measured_text(char text[MEASURED_SIZE], const struct csv *run, const struct csv *metrics,
                   const char *step, const char *quantity);
