/* time/what_if.c: what each bottleneck of a launch costs: its time without it, from the same trace.
 * The parts need not add up: what one thing hides, another one takes. */
#include "simt/device/gpu.h"
#include "simt/device/memory.h"
#include "timing.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define REPLAYS    (WITHOUT_COUNT + 1) /* the last one without all */
#define MOST_PEERS 16                  /* host threads */

#define NEGLIGIBLE 5.0 /* percent of the warps' time */

/* Does the launch spend time on it? If not, its time without it needs no replay. */
static bool is_there(const struct gpu *gpu, const struct launch *launch, const struct timing *t,
                     enum without what) {
    const struct counters *c = &launch->counters;
    uint64_t moved = c->gld_sectors + c->gst_sectors, bytes = c->gld_bytes + c->gst_bytes;
    uint64_t local = c->local_ld_requests + c->local_st_requests;
    int warps = (int)(shape_threads(&launch->shape) + WARP_SIZE - 1) / WARP_SIZE;
    bool atomics = c->atom_requests + c->red_requests + c->shared_atom_requests > 0;
    double memory = t->stall_long_scoreboard + t->stall_throttle + t->stall_drain;
    switch (what) {
    case WITHOUT_CONFLICTS: return c->shared_ld_conflicts + c->shared_st_conflicts > 0;
    case WITHOUT_SECTORS: return moved * SECTOR_BYTES > bytes || local;
    case WITHOUT_DIVERGENCE: return c->thread_inst_executed < c->inst_executed * WARP_SIZE;
    case WITHOUT_BARRIERS: return t->stall_barrier > NEGLIGIBLE;
    case WITHOUT_ATOMICS: return atomics;
    case WITHOUT_LATENCY: return memory + t->stall_membar > NEGLIGIBLE;
    case WITHOUT_DRAM:
    case WITHOUT_L1:
    case WITHOUT_L2: return memory > NEGLIGIBLE || atomics;
    case WITHOUT_ISSUE: return t->stall_not_selected + t->stall_throttle > NEGLIGIBLE;
    case WITHOUT_OCCUPANCY:
        return launch->occupancy.blocks_per_sm * warps < gpu->threads_per_sm / WARP_SIZE;
    default: return true;
    }
}

/* What several threads work on. */
struct replays {
    const struct gpu *gpu;
    const struct launch *launch;
    struct timing *timing;
    int next; /* atomic */
};

static void *run_replays(void *argument) {
    struct replays *r = argument;
    struct what_if *what_if = &r->timing->what_if;
    for (int i; (i = __atomic_fetch_add(&r->next, 1, __ATOMIC_RELAXED)) < REPLAYS;) {
        struct launch launch = *r->launch;
        struct timing timing = {.time_ns = r->timing->time_ns};
        launch.removed |= i < WITHOUT_COUNT ? 1u << i : WITHOUT_ALL;
        launch.replayed = NULL;
        launch.insn_cycles = NULL;
        launch.watch = NULL;
        launch.threads = 1;
        bool all = i == WITHOUT_COUNT;
        if (all || is_there(r->gpu, &launch, r->timing, (enum without)i))
            timing_kernel(r->gpu, &launch, &timing);
        *(all ? &what_if->without_all_ns : &what_if->without_ns[i]) = timing.time_ns;
    }
    return NULL;
}

/* The launch's data once at the DRAM's peak, or its arithmetic at that of its pipes. */
static double roof_ns(const struct gpu *gpu, const struct counters *c) {
    double bytes = (double)(c->footprint_read_sectors + c->footprint_write_sectors) * SECTOR_BYTES;
    double single = (double)(c->flop_sp_add + c->flop_sp_mul + c->flop_sp_fma),
           both = (double)(c->flop_dp_add + c->flop_dp_mul + c->flop_dp_fma);
    double cycles = (single / gpu->fp32_per_sm + both / gpu->fp64_per_sm) / gpu->sms;
    return fmax(bytes / gpu->dram_gbs, cycles * 1000 / gpu->clock_mhz);
}

void timing_what_if(const struct gpu *gpu, const struct launch *launch, struct timing *timing) {
    struct replays replays = {gpu, launch, timing, 0};
    pthread_t threads[MOST_PEERS];
    long cores = launch->threads ? launch->threads : sysconf(_SC_NPROCESSORS_ONLN);
    int peers = 0, wanted = (int)fmin((double)cores - 1, MOST_PEERS);
    while (peers < wanted && !pthread_create(&threads[peers], NULL, run_replays, &replays)) peers++;
    run_replays(&replays);
    while (peers > 0) pthread_join(threads[--peers], NULL);
    timing->what_if.roof_ns = roof_ns(gpu, &launch->counters);
}

void timing_what_if_add(struct timing *timing, double ns) {
    struct what_if *what_if = &timing->what_if;
    for (int i = 0; i < WITHOUT_COUNT; i++) what_if->without_ns[i] += ns;
    what_if->without_all_ns += ns;
}
