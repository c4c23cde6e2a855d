/*
 * run/repeat.h: launches that repeat an earlier one. What a kernel does depends on its shape, its
 * parameters and the memory that it touches. A launch that finds all of these as an earlier launch
 * found them would do the same, so it is not run: what the earlier one stored is stored, and its
 * counters and its time are taken.
 *
 *   launch 1         runs; the bytes that it touched are known then
 *   launch 2         the same kernel, shape and parameters: copies these bytes before and after it
 *                    runs
 *   launch 3, 4 ..   finds the bytes as launch 2 did, and about as many of them in the L2: stores
 *                    what changed, and does not run
 *                    finds others: runs, and is what the next one is compared with
 *
 * Not followed: kernels that read the time, print, allocate, launch, use textures, or may wait for
 * the host; launches that are checked, recorded, sampled, cooperative or made by a kernel.
 */
#pragma once

#include "simt/machine/launch.h"
#include "simt/time/timing.h"

struct repeat;

/* What is known of launches like this one. NULL: it is not followed. Good until the next call. */
struct repeat *repeat_open(const struct launch *launch);
/* Does the launch repeat an earlier one? Then stores what that one stored, and fills in its
 * counters and its time, which timing_after_previous() has to complete. */
bool repeat_serves(struct repeat *repeat, struct counters *counters, struct timing *timing);
/* The launch is going to run: copy the bytes that it is expected to touch. */
void repeat_begin(struct repeat *repeat);
/* Its grid has ended, and its marks of sectors are still there: take the bytes that it touched. */
void repeat_take_touched(struct repeat *repeat, const struct counters *counters);
/* It has ended without a fault or a race. */
void repeat_end(struct repeat *repeat, const struct counters *counters,
                const struct timing *timing);
/* It has ended with one: nothing is kept of it. */
void repeat_drop(struct repeat *repeat);
/* Kernels are freed: forget all launches. */
void repeat_forget_all(void);
