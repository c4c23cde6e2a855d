/* split.h: a lab's program as two: the instructor's part, which judges, and the student's, which runs apart (apart.h).
 *
 * A region is the body of a function for the GPU, which the simulator runs and which reaches nothing, or of one for the
 * CPU, which has the same name. Of a lab that has no function for the CPU nothing is split off. */
#ifndef GRADE_SPLIT_H
#define GRADE_SPLIT_H

#include "lib/source.h"

#include <stdbool.h>
#include <stdio.h>

/* Is this region the body of a function for the CPU? */
bool split_on_host(const struct source *source, const struct region *region);
/* Is any, and is any for the GPU? */
bool split_any_on_host(const struct source *source);
bool split_any_on_device(const struct source *source);

/* Write the instructor's program: no line of a solution is in it. Regions for the GPU have their TODO, those for the
 * CPU ask the student's process. False with a message in error. */
bool split_put_judge(FILE *out, const struct source *source, char *error, size_t size);

/* Write what goes behind the student's version of the program: the functions that can be asked for, and the kernels
 * that they may launch. */
void split_put_student(FILE *out, const struct source *source);

#endif
