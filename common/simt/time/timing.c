/*
 * time/timing.c: the time model.
 *
 *   kernel time = a fixed start and end + the way to the last multiprocessor's first block + the
 *   busiest one's cycles
 *
 * The fixed part is the time of a kernel that does nothing: one block's start and its code's way
 * from the L2 are in it.
 *
 * Some blocks of every launch write down what their warps do (machine/trace.h). A model of one
 * multiprocessor (time/sm.h) replays them: schedulers, scoreboard, pipes, load/store unit, L1, and
 * its share of the L2, the DRAM and the dispatcher. It has as many blocks to run as the busiest
 * multiprocessor has; after a few rounds the rest is extrapolated (time/replay.h). What reaches the
 * DRAM follows from exact footprints (time/traffic.h). gpus.tsv has the latencies and bandwidths
 * and says where they come from; none is fitted to a kernel of this project.
 *
 * What the model does not know: instruction caches, without machine code the order of instructions,
 * address translation, the memory controllers' page and bank state, which data lie in which of the
 * L2's halves, clocks that change.
 */
#include "timing.h"
#include "flow_walk.h"

#include "lib/memory.h"
#include "persistent_blocks.h"
#include "replay.h"
#include "simt/device/gpu.h"
#include "simt/device/l2.h"
#include "traffic.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define APART     0.1 /* what another 512 bytes add to the square of the fullest slice's share */
#define CODE_UNIT 256 /* bytes of code that come from DRAM together */
/* that the address divergence unit takes for an instruction: by ncu on an H200, for labs 1 to 10 */
#define DIVERGENCE_CYCLES 2

/* Blocks of a multiprocessor at one time, 1 to SM_MAX_BLOCKS. */
static uint32_t timing_resident_blocks(const struct gpu *gpu, const struct launch *launch) {
    int blocks = launch->occupancy.blocks_per_sm;
    int warps = ((int)shape_threads(&launch->shape) + WARP_SIZE - 1) / WARP_SIZE;
    if (lacks(launch->removed, WITHOUT_OCCUPANCY)) blocks = gpu->threads_per_sm / WARP_SIZE / warps;
    return blocks < 1 ? 1 : blocks > SM_MAX_BLOCKS ? SM_MAX_BLOCKS : (uint32_t)blocks;
}

/* Repetitions of the replayed blocks touch other data, until they have all that the grid touches.
 * In the host's memory each has its own. */
static uint64_t places_of(const struct launch *launch) {
    const struct trace *trace = launch->trace;
    double replayed = fmax(1, (double)trace->replayed_sectors);
    if (trace->n && trace->traced[0].to_host) return trace->blocks / trace->n + 1;
    return (uint64_t)fmax(1, round((double)launch->counters.footprint_sectors / replayed));
}

/* Blocks of the busiest multiprocessor. */
static uint64_t share_of(const struct gpu *gpu, const struct launch_shape *shape) {
    return (shape_blocks(shape) + (uint64_t)gpu->sms - 1) / (uint64_t)gpu->sms;
}

/* Until the multiprocessor that is filled last has its first block: the dispatcher hands out all
 * blocks before, or as many as fit. Where more rounds follow, multiprocessors that began early take
 * more blocks, so half of it counts. */
static double fill_cycles(const struct gpu *gpu, const struct launch *launch) {
    double room = gpu->sms * (double)timing_resident_blocks(gpu, launch),
           blocks = (double)shape_blocks(&launch->shape);
    return gpu->block_dispatch_cycles * (blocks <= room ? blocks : room / 2);
}

static struct sm_setup setup_of(const struct gpu *gpu, const struct launch *launch,
                                const struct trace *replayed, const struct traffic *traffic) {
    return (struct sm_setup){
        .gpu = gpu,
        .kernel = launch->kernel,
        .trace = replayed,
        .issues = replay_issues(replayed),
        .resident = timing_resident_blocks(gpu, launch),
        .shared_bytes = launch->occupancy.shared_config,
        .removed = launch->removed,
        .active_sms = (double)shape_blocks(&launch->shape) / (double)share_of(gpu, &launch->shape),
        .rates = traffic->rates,
        .places = places_of(launch),
        .l2 = launch->l2,
        .l2_near = launch->l2_near,
        .fill = fill_cycles(gpu, launch),
        .insn_cycles = launch->insn_cycles,
        .watch = launch->watch,
    };
}

/* Instructions of the whole grid over those of the blocks that were replayed for it. All sums are
 * scaled by it: traces may be cut off, and traced blocks may do more or less than others. */
static double work_ratio(const struct launch *launch, const struct sm_sums *all) {
    return all->traced > 0 ? (double)launch->counters.inst_executed / all->traced : 1;
}

/* What the warps waited for, as shares of their time. */
static void take_stalls(const struct sm_sums *sums, struct timing *t) {
    double percent = sums->warp_cycles > 0 ? 100 / sums->warp_cycles : 0;
#define STALL(NAME, name) t->stall_##name = percent * sums->stall[STALL_##NAME];
#include "stalls.def"
}

/* How many times the grid fills the GPU. */
static double rounds_of(const struct gpu *gpu, const struct launch *launch) {
    return (double)shape_blocks(&launch->shape) /
           (gpu->sms * (double)timing_resident_blocks(gpu, launch));
}

/* ---- From the busiest multiprocessor to all of them ---- */

#define EXACT_ROUNDS 3     /* where there are more, a block less is as much less of everything */
#define ALONE_ISSUES 20000 /* a replay of fewer instructions is not worth a second host thread */

/* A replay that may run on a thread of its own. */
struct replaying {
    const struct sm_setup *setup;
    uint64_t share;
    struct sm_sums sums;
    bool done; /* something was traced */
};

static void *run_replay(void *argument) {
    struct replaying *r = argument;
    r->done = replay(r->setup, r->share, &r->sums);
    return NULL;
}

/* Replay the busiest multiprocessor and one that has a block less, side by side where the launch
 * has host threads. */
static void replay_both(const struct launch *launch, struct replaying *busiest,
                        struct replaying *less) {
    pthread_t thread;
    bool long_enough = (double)less->share * busiest->setup->issues > ALONE_ISSUES;
    bool beside =
        launch->threads != 1 && long_enough && !pthread_create(&thread, NULL, run_replay, less);
    run_replay(busiest);
    if (beside)
        pthread_join(thread, NULL);
    else
        run_replay(less);
}

/* What the replay of a launch gave, with this traffic. */
struct replayed {
    struct traffic_rates rates;
    bool whole;                  /* of the busiest multiprocessor: replay_is_whole() */
    struct sm_sums busiest, all; /* of the busiest multiprocessor, of all */
    bool done;                   /* something was traced */
    bool shared_out;             /* blocks took their work from a counter: persistent_blocks.h */
};

/* Fill the sums of all multiprocessors together. */
static void replay_all(const struct gpu *gpu, const struct launch *launch,
                       const struct sm_setup *setup, struct replayed *replayed) {
    uint64_t share = share_of(gpu, &launch->shape);
    /* that have share blocks */
    double busy = (double)(shape_blocks(&launch->shape) - (share - 1) * (uint64_t)gpu->sms);
    struct sm_setup uncounted = *setup;
    uncounted.active_sms = gpu->sms;
    uncounted.insn_cycles = NULL;
    uncounted.watch = NULL;
    struct replaying most = {.setup = setup, .share = share},
                     less = {.setup = &uncounted, .share = share - 1};
    if (busy < gpu->sms && share > 1 && share <= (uint64_t)EXACT_ROUNDS * setup->resident)
        replay_both(launch, &most, &less);
    else
        run_replay(&most);
    replayed->done = most.done;
    replayed->whole = replay_is_whole(setup, share);
    if (!less.done) sm_sums_add(&less.sums, &most.sums, (double)(share - 1) / (double)share);
    replayed->busiest = most.sums;
    sm_sums_add(&replayed->all, &most.sums, busy);
    sm_sums_add(&replayed->all, &less.sums, gpu->sms - busy);
}

static struct traffic traffic_of(const struct gpu *gpu, const struct launch *launch) {
    struct traffic traffic;
    struct counters counters = launch->counters;
    struct trace trace = *launch->trace;
    without_footprint(launch->removed, &counters, &trace);
    traffic_find(gpu, &counters, &trace, fmax(1, rounds_of(gpu, launch)), launch->l2_found,
                 &traffic);
    without_traffic(launch->removed, &traffic);
    return traffic;
}

/* The last replays, each at the place of its key. A launch like one before is not replayed
 * again. */
#define KNOWN_REPLAYS 1024
static struct {
    uint64_t key;
    struct replayed replayed;
} known[KNOWN_REPLAYS];
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

/* What the L2 holds of the lines that replayed blocks touch: a sum, as tables have no order. */
static uint64_t held_of(const struct l2 *l2, const struct trace *trace) {
    uint64_t sum = 0;
    for (uint32_t b = 0; l2 && b < trace->n; b++)
        for (uint64_t at = 0, line; sector_set_next(&trace->traced[b].touched, &at, &line);) {
            const struct l2_group group = l2_look(l2, line * LINE_SECTORS);
            for (uint64_t sector = line * LINE_SECTORS; sector < (line + 1) * LINE_SECTORS;
                 sector++) {
                bool copied;
                double held = l2_group_holds(&group, sector, &copied) + copied;
                if (held > 0) sum += hash_bytes(sector, &held, sizeof held);
            }
        }
    return sum;
}

/* All that a replay depends on. 0: it must take place. */
static uint64_t key_of(const struct launch *launch, const struct sm_setup *setup) {
    struct gpu gpu = *setup->gpu;
    gpu.kernel_ns = 0;
    uint32_t removed = setup->removed & ~(1u << WITHOUT_LAUNCH | 1u << WITHOUT_TAIL);
    double numbers[] = {(double)shape_blocks(&launch->shape),
                        (double)setup->kernel->number,
                        setup->issues,
                        setup->resident,
                        (double)setup->shared_bytes,
                        setup->active_sms,
                        setup->rates.cold_share,
                        setup->rates.fetched,
                        setup->rates.written,
                        setup->rates.fullest,
                        setup->l2_near,
                        (double)setup->places,
                        removed};
    if (setup->insn_cycles || setup->watch || !setup->trace->hash) return 0;
    uint64_t hash = setup->trace->hash + held_of(setup->l2, setup->trace);
    return hash_bytes(hash_bytes(hash, &gpu, sizeof gpu), numbers, sizeof numbers);
}

static bool recall(uint64_t key, struct replayed *replayed) {
    pthread_mutex_lock(&known_lock);
    bool found = key && known[key % KNOWN_REPLAYS].key == key;
    if (found) *replayed = known[key % KNOWN_REPLAYS].replayed;
    pthread_mutex_unlock(&known_lock);
    return found;
}

static void remember(uint64_t key, const struct replayed *replayed) {
    pthread_mutex_lock(&known_lock);
    known[key % KNOWN_REPLAYS].key = key;
    known[key % KNOWN_REPLAYS].replayed = *replayed;
    pthread_mutex_unlock(&known_lock);
}

static struct replayed replay_launch(const struct gpu *gpu, const struct launch *launch,
                                     const struct traffic *traffic) {
    struct trace chosen;
    if (launch->insn_cycles)
        memset(launch->insn_cycles, 0,
               launch->kernel->ninsns * INSN_CYCLES * sizeof *launch->insn_cycles);
    if (launch->watch) watch_clear(launch->watch);
    persistent_blocks_open(launch->kernel, launch->trace, &chosen);
    struct sm_setup setup = setup_of(gpu, launch, &chosen, traffic);
    struct replayed replayed = {.rates = setup.rates};
    uint64_t key = key_of(launch, &setup);
    if (!recall(key, &replayed)) {
        struct flow_shares shares;
        setup.shares = flow_shares(launch->kernel, &chosen, &shares) ? &shares : NULL;
        replay_all(gpu, launch, &setup, &replayed);
        flow_shares_free(&shares);
        remember(key, &replayed);
    }
    persistent_blocks_close(&chosen);
    replayed.shared_out = chosen.n < launch->trace->n;
    return replayed;
}

struct replayed *timing_replay(const struct gpu *gpu, const struct launch *launch) {
    struct gpu changed = without_gpu(gpu, launch->removed);
    struct traffic traffic = traffic_of(&changed, launch);
    struct replayed *replayed = need(malloc(sizeof *replayed));
    *replayed = replay_launch(&changed, launch, &traffic);
    return replayed;
}

/* What was replayed before, if that was with this traffic. */
static struct replayed replayed_with(const struct gpu *gpu, const struct launch *launch,
                                     const struct traffic *traffic) {
    const struct replayed *before = launch->replayed;
    bool serves = before && memcmp(&before->rates, &traffic->rates, sizeof before->rates) == 0;
    return serves ? *before : replay_launch(gpu, launch, traffic);
}

/* ---- The longest block ---- */

#define LONGER    1.25 /* than what is known of all traced ones */
#define LONG_LOOK 100  /* instructions: where one of so many is a look, blocks may have waited */

/* Instructions of the block's longest warp, as far as they were written down. */
static double longest_written(const struct kernel *kernel, const struct block_trace *block) {
    double most = 0;
    bool full = false;
    for (uint32_t w = 0; w < block->nwarps; w++) {
        full |= block->warps[w].full;
        most = fmax(most, warp_issues(kernel, &block->warps[w]));
    }
    return full ? most : (double)block->longest;
}

/* Cycles of the grid's longest block, if no traced one is about as long, or its trace is cut off:
 * those of the longest traced one alone on a multiprocessor, stretched. 0 where one is as long, and
 * where blocks wait for each other, as how long each is has no meaning then. */
static double longest_cycles(const struct gpu *gpu, const struct launch *launch,
                             const struct traffic *traffic) {
    struct trace alone = *launch->trace;
    struct block_trace longest = {0};
    struct replayed replayed = {0};
    double written;
    for (uint32_t i = 0; i < alone.n; i++)
        if (alone.traced[i].longest > longest.longest) longest = alone.traced[i];
    written = longest_written(launch->kernel, &longest);
    if (alone.polls * LONG_LOOK > alone.longest || !(written > 0) ||
        (double)alone.longest < LONGER * written)
        return 0;
    longest.issues = block_issues(launch->kernel, &longest);
    alone.n = 1;
    alone.hash ^= alone.hash != 0; /* not that of all blocks */
    alone.traced = &longest;
    struct sm_setup setup = setup_of(gpu, launch, &alone, traffic);
    setup.insn_cycles = NULL;
    setup.watch = NULL;
    uint64_t key = key_of(launch, &setup);
    if (!recall(key, &replayed)) {
        struct flow_shares shares;
        setup.shares = flow_shares(launch->kernel, &alone, &shares) ? &shares : NULL;
        replay(&setup, 1, &replayed.busiest);
        flow_shares_free(&shares);
        remember(key, &replayed);
    }
    return replayed.busiest.cycles * (double)alone.longest / written;
}

/* ---- The launch ---- */

/* The DRAM's time for what the launch moves: no launch takes less. */
static double dram_cycles(const struct gpu *gpu, const struct traffic *traffic) {
    double read = traffic->dram_read_sectors / gpu->dram_read_share;
    double written = traffic->dram_write_sectors / gpu->dram_write_share;
    return (read + written) * SECTOR_BYTES * gpu->clock_mhz / (gpu->dram_gbs * 1e3);
}

/* The L2's time for atomics. Those on SLICE_LINES neighbours follow each other, others are worked
 * on at the same time unless chance puts them into one slice: the fullest one takes longest. On an
 * H200, 2, 4, 8 and 32 times 512 bytes are done 2, 3.9, 6.3 and 13 times as fast as 512 alone. */
static double atomic_cycles(const struct counters *counters, double cycles) {
    double apart = fmax(1, (double)counters->footprint_write_lines / SLICE_LINES);
    return cycles / apart * sqrt(1 + APART * (apart - 1));
}

/* How long each unit was busy. */
static void take_busy(const struct gpu *gpu, const struct launch *launch, const struct sm_sums *all,
                      double work, struct timing *t) {
    double pipe = 0, sharing = fmin((double)shape_blocks(&launch->shape), gpu->sms);
    for (int i = 0; i < PIPE_COUNT; i++) pipe = fmax(pipe, all->pipe[i]);
    t->pipe_cycles = pipe * work / gpu->sms / gpu->schedulers_per_sm;
    t->load_store_cycles = all->load_store * work / gpu->sms;
    t->divergence_cycles = DIVERGENCE_CYCLES * all->divergence * work / gpu->sms;
    t->l1_cycles = all->memory.l1_cycles * work / gpu->sms;
    t->send_cycles = all->memory.send_cycles * work / gpu->sms;
    t->l2_cycles = all->memory.l2_cycles * work / sharing;
}

static void take_averages(const struct gpu *gpu, const struct sm_sums *all, double work,
                          struct timing *t) {
    t->active_cycles = all->active * work / gpu->sms;
    t->achieved_occupancy = all->warp_cycles / all->active * WARP_SIZE / gpu->threads_per_sm;
    t->eligible_warps = all->eligible / all->active;
    t->l1_hit_rate =
        all->memory.l1_loads > 0 ? 100 - 100 * all->memory.l1_misses / all->memory.l1_loads : 0;
    t->l2_read_sectors = (all->memory.l1_misses - all->memory.peer_loads) * work;
    t->l2_write_sectors = (all->memory.l2_stores - all->memory.peer_stores) * work;
}

/* Bytes read before the first instruction: the code, in whole units, and what every launch reads. A
 * nested launch finds both in the L2. */
static double start_bytes(const struct gpu *gpu, const struct launch *launch) {
    if (launch->depth) return 0;
    return gpu->kernel_read_bytes + CODE_UNIT * ceil((double)launch->code_bytes / CODE_UNIT);
}

/* Cycles of the multiprocessor that ends last, which may have more to do than others; of each,
 * where all have equal work. A launch with no block for some has none to spread. */
static double last_cycles(const struct gpu *gpu, const struct launch *launch,
                          const struct replayed *replayed, double work) {
    bool equal = lacks(launch->removed, WITHOUT_TAIL) && share_of(gpu, &launch->shape) > 1;
    if (equal) return replayed->all.cycles / gpu->sms * work;
    return replayed->busiest.cycles * (replayed->whole ? fmax(1, work) : work);
}

static void timing_model(const struct gpu *gpu, const struct launch *launch, struct timing *t) {
    struct traffic traffic = traffic_of(gpu, launch);
    struct replayed replayed = replayed_with(gpu, launch, &traffic);
    double cycle_ns = 1000.0 / gpu->clock_mhz, cycles = 0;
    memset(t, 0, sizeof *t);
    t->dram_read_bytes = traffic.dram_read_sectors * SECTOR_BYTES + start_bytes(gpu, launch);
    t->dram_write_bytes = traffic.dram_write_sectors * SECTOR_BYTES;
    if (replayed.done) {
        double work = work_ratio(launch, &replayed.all);
        double replayed_cycles =
            fmax(0, last_cycles(gpu, launch, &replayed, work) - gpu->l2_latency_cycles);
        double atomics = atomic_cycles(&launch->counters, replayed.all.memory.atomic_cycles * work);
        double fill = lacks(launch->removed, WITHOUT_LAUNCH) ? 0 : fill_cycles(gpu, launch);
        cycles = fmax(fill + fmax(replayed_cycles, dram_cycles(gpu, &traffic)), atomics);
        if (!replayed.shared_out) cycles = fmax(cycles, longest_cycles(gpu, launch, &traffic));
        take_averages(gpu, &replayed.all, work, t);
        t->dram_read_bytes += replayed.all.memory.local_loads * work * SECTOR_BYTES;
        t->dram_write_bytes += replayed.all.memory.local_stores * work * SECTOR_BYTES;
        take_busy(gpu, launch, &replayed.all, work, t);
        take_stalls(&replayed.all, t);
    }
    t->time_ns = gpu->kernel_ns + cycles * cycle_ns;
    t->fresh_bytes = traffic.fresh_bytes;
    t->stored_bytes =
        (double)launch->counters.footprint_write_sectors * SECTOR_BYTES - t->dram_write_bytes;
    t->elapsed_cycles = t->time_ns / cycle_ns;
    t->rounds = rounds_of(gpu, launch);
}

void timing_kernel(const struct gpu *gpu, const struct launch *launch, struct timing *t) {
    struct gpu changed = without_gpu(gpu, launch->removed);
    timing_model(&changed, launch, t);
}

void timing_after_previous(const struct gpu *gpu, double dirty, struct timing *t) {
    double displaced = traffic_displaced(gpu, dirty, t->fresh_bytes);
    t->event_ns =
        t->time_ns + fmax(0, gpu->launch_ns - gpu->kernel_ns) + displaced / gpu->l2_displace_gbs;
    t->dirty = traffic_dirty(gpu, dirty - displaced, fmax(0, t->stored_bytes));
}
