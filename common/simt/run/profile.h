/*
 * run/profile.h: the profile file: one CSV row per kernel launch, at the path in SIMT_PROFILE.
 *
 * Columns, in order:
 *   launch              1 for the first launch of the process, and so on; launches that failed
 *                       count too
 *   kernel, mangled     the name as in the PTX, in both
 *   grid, block         "(16384 1 1)"
 *   dynamic_shared, static_shared   bytes per block
 *   registers           per thread
 *   device, cc          "NVIDIA H200 (simt)", 9.0
 *   status              ok; `sampled N of M`: counts and times are scaled up from N of its M blocks
 *                       (run/sample.h); or the error's name: a launch that was refused or faulted
 *                       has NA in all columns that follow
 *   (counters)          every counter of device/counters.def under its name
 *   time_ns             modelled kernel time, as a profiler gives it
 *   theoretical_occupancy, achieved_occupancy   0 to 1; the second is modelled
 *   elapsed_cycles      modelled: time in multiprocessor clock cycles
 *   active_cycles       modelled: cycles in which a multiprocessor had a block, averaged over them
 *   sms, clock_hz, dram_peak_bps, l2_peak_bps   of the virtual GPU
 *   fp32_per_sm, fp64_per_sm, threads_per_sm, schedulers_per_sm   of the virtual GPU
 *   memory_clock_hz     of the virtual GPU's DRAM
 *   stack_bytes         cudaLimitStackSize
 *   reserved_shared     bytes of each block's shared memory that the system keeps
 *   shared_config       bytes set aside as shared memory for such a launch; the rest is the L1
 *   resident_blocks     most blocks on a multiprocessor
 *   limit_registers, limit_shared, limit_blocks, limit_warps   the same by one limit alone
 *   stream              as the timeline numbers it (lib/timeline.h)
 *   device_number       from 0
 *   dram_read_bytes, dram_write_bytes, l2_read_sectors, l2_write_sectors   modelled traffic
 *   l1_hit_rate         modelled: percent of the sectors that loads found in the L1
 *   pipe_cycles, load_store_cycles, divergence_cycles, l1_cycles, send_cycles, l2_cycles
 *                       modelled: how long units were busy (time/timing.h)
 *   eligible_warps      modelled: warps of a multiprocessor that could issue, averaged over its
 *                       active cycles
 *   stall_barrier ... stall_not_selected   modelled: reasons for which warps did not issue, in
 *                                          percent of the cycles in
 *                       which warps were active
 *   parent              launch number of the kernel that launched it; 0: the host did
 * Modelled columns are NA with SIMT_NO_TIMING=1. With SIMT_PTX_COUNTS=1 instructions and branches
 * are estimated from the PTX even where there is machine code: the same for every compiler, as the
 * grader wants them. With SIMT_WHAT_IF=1 the columns without_..._ns, without_all_ns and roof_ns
 * follow (time/without.def).
 *
 * A kernel that launches others: its row, counters and times, includes all that was launched from
 * it, as the row of a profiler on a GPU does; the others' rows come before it, with their parent's
 * number.
 *
 * Every row is complete on disk before the launch returns; lib/rowfile.h says what becomes of the
 * file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct launch;

/* Starts a profile at path; the first %p in path becomes the process id. Returns false, with a
 * sentence in failure, if it cannot be written. */
bool profile_open(const char *path);
bool profile_is_open(void);
/* Has it columns for a launch's time without one thing? SIMT_WHAT_IF=1 when it was opened. */
bool profile_has_what_ifs(void);
/* The next launch number. A kernel takes its own before those that it launches take theirs. */
unsigned long profile_number(void);
/* Append the launch's row; nothing where no profile is open. */
void profile_write(const struct launch *launch);
/* Give the file its final name. Safe to call again. */
void profile_close(void);
