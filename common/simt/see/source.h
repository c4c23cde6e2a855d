/*
 * see/source.h: `simt --source FILE.csv`: what each line of a kernel's source counts, over all
 * blocks of each launch.
 *
 * Each worker counts by instruction, without locks; the sums do not depend on how the blocks are
 * spread. What an instruction counts each time it is executed follows from the tallies of its basic
 * block. The rest (sectors, passes, divergence) is what the worker's counters rise by between an
 * instruction's step and the next one.
 *
 * The file has a row for each launch and line that counts something, by file and line. Columns, in
 * order:
 *   launch, parent   as in the profile (run/profile.h). What a launch launched has rows under its
 *                    own number
 *   kernel           mangled
 *   file, line       of the source. "" and 0: the compiler names none; with -lineinfo that is the
 *                    kernel's first instructions alone. Code of the toolkit's headers is the line's
 *                    that called it
 *   (counters)       those counters of device/counters.def that instructions raise. Their sum over
 *                    a launch's lines is the counter in the profile's row, if it launched nothing
 *   ideal_sectors    that requests to global memory, atomics left out, need at least for the bytes
 *                    that their threads ask for; what gld_sectors and gst_sectors have beyond them
 *                    is what Nsight Compute calls excessive
 *   stall_barrier ... stall_not_selected, issuing
 *                    modelled: the cycles that warps waited to issue the line's instructions, by
 *                    reason, or issued
 * them, in percent of all cycles of the launch's warps. Their sums over the lines are the launch's
 * stall_ columns in the profile. The replayed blocks tell how lines share them. NA without timing
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "simt/machine/machine.h"
#include "simt/time/timing.h"

struct see_step;
struct source;

/* Starts the file at path; the first %p in path becomes the process id. False, with a sentence in
 * failure, if it cannot be written. */
bool source_open(const char *path);
bool source_is_open(void);
/* Give the file its final name. Safe to call again. */
void source_close(void);

/* The counts of a launch, all zero; NULL where no file is open. */
struct source *source_new(const struct kernel *kernel);
void source_drop(struct source *source);
/* Takes the time model's cycles (insn_cycles of struct launch). */
double *source_insn_cycles(const struct source *source);
/* Append the launch's rows; nothing for NULL. */
void source_write(struct source *source, const struct launch *launch);

/* A worker of the launch begins, ends, comes to a step. */
void source_worker_open(struct worker *worker);
void source_worker_close(struct worker *worker);
void source_step(struct worker *worker, const struct see_step *step);
/* Add what the worker has counted. */
void source_collect(struct source *source, struct worker *worker);
