/*
 * timing.c: the first time model.
 *
 *   time = launch overhead + the largest of these terms, each a lower bound that some part of the GPU sets:
 *
 *   dispatch  one block a clock is handed to the multiprocessors
 *   issue     warp instructions, one a clock and scheduler; those for narrower lanes (integer, double, special) at
 *             those lanes' rate
 *   l1        sectors through the L1, four a clock (128 bytes) and multiprocessor
 *   shared    passes over the banks, one a clock and multiprocessor
 *   l2        sectors that the L1 does not have, all stores (it writes through) and atomics, over the L2's width
 *   dram      sectors touched for the first time, and those that the L2 could not keep, over the memory's bandwidth
 *   latency   waves of blocks, one after another. A block lasts as long as its warps' instructions take through its
 *             schedulers, and on top of that the latencies that its longest warp waits for: dependent instructions,
 *             near and far loads, shared memory, barriers
 *
 * Work is dealt to the multiprocessors in whole blocks, so a grid that does not fill the last round leaves some of them
 * idle: the throughput terms count the rounds of the busiest one.
 *
 * Near and far: a load is near when its block has touched its sectors before, and then hits the L1. The share of far
 * loads among the loads of the longest warps is taken for all loads. The L2 keeps what the blocks that run at the same
 * time share, if that fits; what does not fit is fetched again.
 *
 * Sources: widths, lanes and latencies are gpus.tsv's, which names its own. DRAM_SHARE: copies reach 83 % (V100, Jia et
 * al. 2018) to 92 % (H100, BabelStream) of the datasheet's bandwidth. L2_SHARE: loads reach 76 % (V100) and 78 % (T4)
 * of the L2's width (Jia et al. 2018, 2019). PCIE_SHARE and PCIE_LATENCY_NS: bandwidthTest's usual 12 to 13 of PCIe
 * 3's 15.75 GB/s, and its time for a few bytes. One block a clock: as GPGPU-Sim deals them. INDEPENDENT: about two
 * instructions of a thread are ready at any time. No figure is fitted to a kernel of this project.
 *
 * What the model does not know: contention for one address, stores of parts of sectors (which cost an L2 more than
 * whole ones), dependence between kernels through the caches, warps that end long before their block does, the memory
 * controllers' page and bank state, clocks that change.
 */
#include "timing.h"

#include "gpu.h"
#include "memory.h"

#include <math.h>
#include <string.h>

#define WARP_SIZE            32
#define DRAM_SHARE           0.88
#define L2_SHARE             0.77
#define PCIE_SHARE           0.8
#define PCIE_LATENCY_NS      8000.0
#define L1_SECTORS_PER_CYCLE 4.0
#define BLOCKS_PER_CYCLE     1.0
#define INDEPENDENT          2.0

/* What the terms are made from: sizes of the launch, per block and in rounds. */
struct shape {
    double blocks;
    double rounds;   /* blocks that the busiest multiprocessor runs */
    double waves;    /* rounds of as many blocks as fit at once */
    double resident; /* blocks on a multiprocessor at once, no more than there are */
    double cycle_ns;
};

static struct shape shape_of(const struct gpu *gpu, const struct timing_launch *launch) {
    struct shape shape;
    double fit = launch->occupancy.blocks_per_sm > 0 ? launch->occupancy.blocks_per_sm : 1;
    shape.blocks = (double)launch->blocks;
    shape.rounds = ceil(shape.blocks / gpu->sms);
    shape.waves = ceil(shape.blocks / (gpu->sms * fit));
    shape.resident = fmin(fit, shape.rounds);
    shape.cycle_ns = 1000.0 / gpu->clock_mhz;
    return shape;
}

/* Nanoseconds for total units of work, spread over the blocks, at rate units a cycle and multiprocessor. */
static double per_sm_ns(const struct shape *shape, double total, double rate) {
    return total / shape->blocks * shape->rounds / rate * shape->cycle_ns;
}

/* Lanes work on whole warps: a divergent instruction takes as long as a full one. */
static double lanes_ns(const struct shape *shape, const struct counters *c, double thread_instructions, int lanes) {
    double fill = c->inst_executed ? (double)c->thread_inst_executed / ((double)c->inst_executed * WARP_SIZE) : 1;
    return fill > 0 && lanes > 0 ? per_sm_ns(shape, thread_instructions / fill, lanes) : 0;
}

static double issue_ns(const struct gpu *gpu, const struct shape *shape, const struct counters *c) {
    double single = (double)(c->flop_sp_add + c->flop_sp_mul + c->flop_sp_fma);
    double twice = (double)(c->flop_dp_add + c->flop_dp_mul + c->flop_dp_fma);
    double ns = per_sm_ns(shape, (double)c->inst_executed, gpu->schedulers_per_sm);
    ns = fmax(ns, lanes_ns(shape, c, (double)c->inst_integer, gpu->int32_per_sm));
    ns = fmax(ns, lanes_ns(shape, c, single, gpu->fp32_per_sm));
    ns = fmax(ns, lanes_ns(shape, c, twice, gpu->fp64_per_sm));
    return fmax(ns, lanes_ns(shape, c, (double)c->flop_sp_special, gpu->sfu_per_sm));
}

static double l1_ns(const struct shape *shape, const struct counters *c) {
    double sectors = (double)(c->gld_sectors + c->gst_sectors + c->local_ld_sectors + c->local_st_sectors);
    return per_sm_ns(shape, sectors, L1_SECTORS_PER_CYCLE);
}

static double shared_ns(const struct shape *shape, const struct counters *c) {
    return per_sm_ns(shape, (double)(c->shared_ld_wavefronts + c->shared_st_wavefronts + c->shared_atom_wavefronts), 1);
}

/* Sectors that loads bring from the L2: of far loads, and each sector at least once. */
static double l2_loads(const struct counters *c) {
    double far = c->path_loads ? (double)c->path_far_loads / (double)c->path_loads : 1;
    return fmax((double)c->footprint_read_sectors, (double)c->gld_sectors * far);
}

static void find_l2(const struct gpu *gpu, const struct shape *shape, const struct counters *c, struct timing *t) {
    double atomics = (double)(c->atom_sectors + c->red_sectors);
    t->l2_read_sectors = l2_loads(c);
    t->l2_write_sectors = (double)c->gst_sectors + atomics;
    double bytes = (t->l2_read_sectors + t->l2_write_sectors) * SECTOR_BYTES;
    t->l2_ns = bytes / (gpu->l2_bytes_per_cycle * L2_SHARE) * shape->cycle_ns;
}

/* The part of what running blocks share that the L2 cannot hold. */
static double l2_overflow(const struct gpu *gpu, const struct shape *shape, const struct counters *c) {
    double footprint = (double)(c->footprint_read_sectors + c->footprint_write_sectors) * SECTOR_BYTES;
    double working = footprint / shape->waves;
    return working > (double)gpu->l2_bytes ? 1 - (double)gpu->l2_bytes / working : 0;
}

static void find_dram(const struct gpu *gpu, const struct shape *shape, const struct counters *c, struct timing *t) {
    double overflow = l2_overflow(gpu, shape, c);
    double first_reads = (double)c->footprint_read_sectors, first_writes = (double)c->footprint_write_sectors;
    double again_reads = fmax(0, t->l2_read_sectors - first_reads) * overflow;
    double again_writes = fmax(0, t->l2_write_sectors - first_writes) * overflow;
    t->dram_read_bytes = (first_reads + again_reads) * SECTOR_BYTES;
    t->dram_write_bytes = (first_writes + again_writes) * SECTOR_BYTES;
    t->dram_ns = (t->dram_read_bytes + t->dram_write_bytes) / (gpu->dram_gbs * DRAM_SHARE);
}

/* Cycles of a far load: from memory where it is the first to touch its sector, else from the L2. */
static double far_cycles(const struct gpu *gpu, const struct timing *t) {
    double cold = t->l2_read_sectors > 0 ? fmin(1, t->dram_read_bytes / SECTOR_BYTES / t->l2_read_sectors) : 0;
    return cold * gpu->dram_latency_cycles + (1 - cold) * gpu->l2_latency_cycles;
}

/* Cycles from a block's start to its end, averaged over the blocks. */
static double block_cycles(const struct gpu *gpu, const struct shape *shape, const struct counters *c,
                           const struct timing *t) {
    double near_loads = (double)(c->path_loads - c->path_far_loads);
    double waiting = (double)c->path_inst * gpu->alu_latency_cycles / INDEPENDENT;
    waiting += near_loads * gpu->l1_latency_cycles + (double)c->path_far_loads * far_cycles(gpu, t);
    waiting +=
        (double)c->path_shared * gpu->shared_latency_cycles + (double)c->path_barriers * gpu->barrier_latency_cycles;
    double issuing = (double)c->inst_executed / gpu->schedulers_per_sm;
    return (issuing + waiting) / shape->blocks;
}

static double largest_term(const struct timing *t) {
    double memory = fmax(fmax(t->dram_ns, t->l2_ns), fmax(t->l1_ns, t->shared_ns));
    return fmax(memory, fmax(t->dispatch_ns, fmax(t->issue_ns, t->latency_ns)));
}

/* Warps resident on average, as a part of those that a multiprocessor can hold: all that fit, but for the last wave;
 * fewer where blocks end faster than they are handed out. */
static double achieved_occupancy(const struct gpu *gpu, const struct shape *shape, const struct timing_launch *launch,
                                 double block_ns, const struct timing *t) {
    double fit = fmax(1, launch->occupancy.blocks_per_sm);
    double achieved = launch->occupancy.fraction * shape->blocks / (shape->waves * gpu->sms * fit);
    if (t->dispatch_ns < largest_term(t)) return achieved;
    double alive = shape->blocks * block_ns / t->dispatch_ns / gpu->sms; /* blocks on a multiprocessor at any time */
    return fmin(achieved, launch->occupancy.fraction * alive / fit);
}

void timing_kernel(const struct gpu *gpu, const struct timing_launch *launch, struct timing *t) {
    const struct counters *c = launch->counters;
    struct shape shape = shape_of(gpu, launch);
    memset(t, 0, sizeof *t);
    t->launch_ns = gpu->launch_ns;
    t->dispatch_ns = shape.blocks / BLOCKS_PER_CYCLE * shape.cycle_ns;
    t->issue_ns = issue_ns(gpu, &shape, c);
    t->l1_ns = l1_ns(&shape, c);
    t->shared_ns = shared_ns(&shape, c);
    find_l2(gpu, &shape, c, t);
    find_dram(gpu, &shape, c, t);
    double block_ns = block_cycles(gpu, &shape, c, t) * shape.cycle_ns;
    t->latency_ns = shape.waves * block_ns;
    double work_ns = largest_term(t);
    t->time_ns = t->launch_ns + work_ns;
    t->elapsed_cycles = t->time_ns / shape.cycle_ns;
    t->device_share = fmin(1, shape.blocks / (gpu->sms * fmax(1, launch->occupancy.blocks_per_sm)));
    double busy = shape.blocks / (shape.rounds * gpu->sms);
    t->active_cycles = work_ns / shape.cycle_ns * busy;
    t->achieved_occupancy = achieved_occupancy(gpu, &shape, launch, block_ns, t);
}

double timing_host_copy_ns(const struct gpu *gpu, size_t bytes) {
    return PCIE_LATENCY_NS + (double)bytes / (gpu->pcie_gbs * PCIE_SHARE);
}

double timing_device_copy_ns(const struct gpu *gpu, size_t bytes) {
    return gpu->launch_ns + 2.0 * (double)bytes / (gpu->dram_gbs * DRAM_SHARE);
}

double timing_fill_ns(const struct gpu *gpu, size_t bytes) {
    return gpu->launch_ns + (double)bytes / (gpu->dram_gbs * DRAM_SHARE);
}
