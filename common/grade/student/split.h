/* split.h: splits a lab's program in two: the instructor's program, which judges, and the
 * student's, which runs apart (process.h).
 *
 * A region is the body of a function of the same name. A function for the GPU runs in the simulator
 * and cannot reach the judge. A function for the CPU moves to the student's program. A lab without
 * functions for the CPU is not split. */
#pragma once

#include "lib/source.h"

#include <stdbool.h>
#include <stdio.h>

/* Is any region's function for the CPU (on_host), or any for the GPU? */
bool split_any(const struct source *source, bool on_host);

/* Writes the instructor's program, without any line of the solution's regions. Regions for the GPU
 * have their TODO; regions for the CPU ask the student's process. Returns false with a message in
 * error. */
bool split_put_judge(FILE *out, const struct source *source);

/* Writes the tail of the student's program: the table of functions that the judge can ask for, and
 * of kernels that these may launch. */
void split_put_student(FILE *out, const struct source *source);
