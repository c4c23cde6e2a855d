/*
 * time/timing.h: the time model: how long a kernel or a copy would take on a virtual GPU, and what
 * its warps wait for. time/timing.c lists its assumptions.
 */
#pragma once

#include "launch_tree.h"
#include "simt/machine/launch.h"
#include "without.h"

/* Why a warp could not issue. */
enum stall {
#define STALL(NAME, name) STALL_##NAME,
#include "stalls.def"
    STALL_COUNT
};

/* Of one instruction: cycles that warps waited to issue it, by reason, and after them those in
 * which they issued it. A launch has them by instruction of the kernel (kernel_insn): what the
 * replayed warps waited for, on the busiest multiprocessor, until the blocks repeat each other. */
#define INSN_CYCLES    (STALL_COUNT + 1)
#define CYCLES_ISSUING STALL_COUNT

struct replayed;

/* A launch's time_ns without one thing, without all of them, and what no GPU of this peak is
 * faster than: its data once over the DRAM, and its arithmetic. */
struct what_if {
    double without_ns[WITHOUT_COUNT], without_all_ns, roof_ns;
};

/* Its modelled time and where that comes from. */
struct timing {
    double time_ns;  /* the kernel's whole time, as Nsight Compute gives it */
    double event_ns; /* the same between two events of the host's: with the launch, and with what is
                        in the L2 before */
    double later_ns; /* of them: after its own threads, which a profiler does not show */
    double dirty;    /* bytes in the L2 that the DRAM does not have, afterwards */
    /* what it brings into the L2, and what of its stores it leaves there */
    double fresh_bytes, stored_bytes;
    double dram_read_bytes, dram_write_bytes;
    double l2_read_sectors, l2_write_sectors;
    double l1_hit_rate; /* percent of the sectors that loads asked for */
    /* Cycles that these were busy, averaged over multiprocessors: the schedulers' busiest pipe, the
     * two units of enum uop_unit, the L1's data, the way to the L2, and the L2, for those that
     * share it. */
    double pipe_cycles, load_store_cycles, divergence_cycles, l1_cycles, send_cycles, l2_cycles;
    double elapsed_cycles,
        active_cycles;           /* of the clock; multiprocessors busy, averaged over them */
    double achieved_occupancy;   /* 0 to 1 */
    double eligible_warps;       /* of a multiprocessor, on average over its active cycles */
    double rounds;               /* the grid's blocks over those that the GPU holds at once */
    struct launch_sums launched; /* by the grid's threads, and by what they launched */
    /* Reasons for which a warp did not issue, in percent of the cycles in which warps were
     * active. */
#define STALL(NAME, name) double stall_##name;
#include "stalls.def"
    struct what_if what_if; /* if it is wanted */
};

/* Replay a launch's traced blocks while its other blocks still run. Its counters are those
 * expected. The replay serves timing_kernel() if the launch then moves as much between L2 and DRAM.
 * To be freed. */
struct replayed *timing_replay(const struct gpu *gpu, const struct launch *launch);
/* Model a launch, but for what timing_after_previous() fills in. Deterministic: the same counters
 * and trace give the same time, whatever was replayed before. */
void timing_kernel(const struct gpu *gpu, const struct launch *launch, struct timing *timing);
/* Fill what_if for a launch whose time is known, with all host threads that the launch may use. */
void timing_what_if(const struct gpu *gpu, const struct launch *launch, struct timing *timing);
/* What the launch launched takes that much more, whatever is removed. */
void timing_what_if_add(struct timing *timing, double ns);
/* What depends on the launches before it: event_ns and dirty. dirty: bytes in the L2 that the DRAM
 * does not have. */
void timing_after_previous(const struct gpu *gpu, double dirty, struct timing *timing);
