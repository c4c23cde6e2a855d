/*
 * run/profile.c: writes the profile file that run/profile.h describes. The column lists below give
 * header, values and the NAs of failed launches, so that these agree.
 */
#include "profile.h"

#include "lib/rowfile.h"
#include "simt/device/current.h"
#include "simt/device/gpu.h"
#include "simt/machine/launch.h"
#include "simt/time/timing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HZ_PER_MHZ      1e6
#define BPS_PER_GBS     1e9
#define WHAT_IF_COLUMNS (int)(sizeof(struct what_if) / sizeof(double))

static struct rowfile *file; /* at most one profile is open */
static unsigned long launches;
static bool what_if; /* SIMT_WHAT_IF */

/* The columns after the counters: COLUMN(name, expression). Without an expression, the name is a
 * member of struct timing. */
#define GPU_COLUMNS(COLUMN)                                                                        \
    COLUMN(sms, gpu->sms)                                                                          \
    COLUMN(clock_hz, gpu->clock_mhz *HZ_PER_MHZ)                                                   \
    COLUMN(dram_peak_bps, gpu->dram_gbs *BPS_PER_GBS)                                              \
    COLUMN(l2_peak_bps, gpu->l2_bytes_per_cycle * gpu->clock_mhz * HZ_PER_MHZ)                     \
    COLUMN(fp32_per_sm, gpu->fp32_per_sm)                                                          \
    COLUMN(fp64_per_sm, gpu->fp64_per_sm)                                                          \
    COLUMN(threads_per_sm, gpu->threads_per_sm)                                                    \
    COLUMN(schedulers_per_sm, gpu->schedulers_per_sm)                                              \
    COLUMN(memory_clock_hz, gpu->memory_clock_mhz *HZ_PER_MHZ)                                     \
    COLUMN(stack_bytes, launch->stack_bytes)                                                       \
    COLUMN(reserved_shared, gpu->shared_reserved_per_block)                                        \
    COLUMN(shared_config, launch->occupancy.shared_config)                                         \
    COLUMN(resident_blocks, launch->occupancy.blocks_per_sm)                                       \
    COLUMN(limit_registers, launch->occupancy.by_registers)                                        \
    COLUMN(limit_shared, launch->occupancy.by_shared)                                              \
    COLUMN(limit_blocks, launch->occupancy.by_blocks)                                              \
    COLUMN(limit_warps, launch->occupancy.by_warps)                                                \
    COLUMN(stream, launch->stream_number)                                                          \
    COLUMN(device_number, device_current())

#define TIMING_COLUMNS_BEFORE(COLUMN)                                                              \
    COLUMN(achieved_occupancy)                                                                     \
    COLUMN(elapsed_cycles)                                                                         \
    COLUMN(active_cycles)

#define TIMING_COLUMNS_AFTER(COLUMN)                                                               \
    COLUMN(dram_read_bytes)                                                                        \
    COLUMN(dram_write_bytes)                                                                       \
    COLUMN(l2_read_sectors)                                                                        \
    COLUMN(l2_write_sectors)                                                                       \
    COLUMN(l1_hit_rate)                                                                            \
    COLUMN(pipe_cycles)                                                                            \
    COLUMN(load_store_cycles)                                                                      \
    COLUMN(divergence_cycles)                                                                      \
    COLUMN(l1_cycles)                                                                              \
    COLUMN(send_cycles)                                                                            \
    COLUMN(l2_cycles)                                                                              \
    COLUMN(eligible_warps)                                                                         \
    COLUMN(stall_barrier)                                                                          \
    COLUMN(stall_membar)                                                                           \
    COLUMN(stall_long_scoreboard)                                                                  \
    COLUMN(stall_short_scoreboard)                                                                 \
    COLUMN(stall_wait)                                                                             \
    COLUMN(stall_drain)                                                                            \
    COLUMN(stall_branch)                                                                           \
    COLUMN(stall_throttle)                                                                         \
    COLUMN(stall_not_selected)

unsigned long profile_number(void) {
    return ++launches;
}

bool profile_is_open(void) {
    return rowfile_is_open(file);
}

bool profile_has_what_ifs(void) {
    return what_if;
}

/* The line of column names. put_row() has the same order. */
static void profile_put_header(FILE *out, const void *unused) {
    (void)unused;
    fputs(
        "launch,kernel,mangled,grid,block,dynamic_shared,static_shared,registers,device,cc,status",
        out);
    for (int i = 0; i < COUNTER_COUNT; i++) fprintf(out, ",%s", counter_names[i]);
#define COLUMN(name, ...) fputs("," #name, out);
    COLUMN(time_ns)
    COLUMN(theoretical_occupancy)
    TIMING_COLUMNS_BEFORE(COLUMN)
    GPU_COLUMNS(COLUMN)
    TIMING_COLUMNS_AFTER(COLUMN)
#undef COLUMN
    fputs(",parent", out);
#define WITHOUT(NAME, name) ",without_" #name "_ns"
    if (what_if)
        fputs(
#include "simt/time/without.def"
            ",without_all_ns,roof_ns", out);
    putc('\n', out);
}

bool profile_open(const char *path) {
    const char *wanted = getenv("SIMT_WHAT_IF");
    what_if = wanted && *wanted && strcmp(wanted, "0") != 0;
    file = rowfile_open("profile", path, profile_put_header);
    return file;
}

/* A number with all its digits, integers as such. */
static void profile_put_number(FILE *out, double value) {
    fprintf(out, ",%.15g", value);
}

static void put_missing(FILE *out, int n) {
    while (n-- > 0) fputs(",NA", out);
}

static void put_status(FILE *out, const struct launch *launch) {
    if (launch->sampled && !launch->failure)
        fprintf(out, ",sampled %" PRIu64 " of %" PRIu64, launch->sampled,
                shape_blocks(&launch->shape));
    else
        fprintf(out, ",%s", launch->failure ? launch->failure : "ok");
}

/* From launch to status. */
static void put_identity(FILE *out, const struct launch *launch) {
    fprintf(out, "%lu,%s,%s,(%u %u %u),(%u %u %u),%zu,%zu,%d,%s (simt),%d.%d",
            launch->number ? launch->number : profile_number(), launch->name, launch->name,
            launch->shape.grid[0], launch->shape.grid[1], launch->shape.grid[2],
            launch->shape.block[0], launch->shape.block[1], launch->shape.block[2],
            launch->shape.dynamic_shared, launch->static_shared, launch->registers,
            launch->gpu->product, launch->gpu->cc_major, launch->gpu->cc_minor);
    put_status(out, launch);
}

/* From time_ns to the stalls. NA: modelled values of a launch without timing. */
static void put_model(FILE *out, const struct launch *launch) {
    const struct timing *timing = launch->timing;
    const struct gpu *gpu = launch->gpu;
#define COLUMN(name, ...) timing ? profile_put_number(out, timing->name) : put_missing(out, 1);
    COLUMN(time_ns)
    profile_put_number(out, launch->occupancy.fraction);
    TIMING_COLUMNS_BEFORE(COLUMN)
#undef COLUMN
#define COLUMN(name, expression) profile_put_number(out, expression);
    GPU_COLUMNS(COLUMN)
#undef COLUMN
#define COLUMN(name, ...) timing ? profile_put_number(out, timing->name) : put_missing(out, 1);
    TIMING_COLUMNS_AFTER(COLUMN)
#undef COLUMN
}

/* Number of columns between status and parent. The 2: time_ns and theoretical_occupancy. */
static int columns_after_status(void) {
    int n = COUNTER_COUNT + 2;
#define COLUMN(...) n++;
    TIMING_COLUMNS_BEFORE(COLUMN)
    GPU_COLUMNS(COLUMN)
    TIMING_COLUMNS_AFTER(COLUMN)
#undef COLUMN
    return n;
}

static void put_what_if(FILE *out, const struct timing *timing) {
    const double *values = (const double *)&timing->what_if;
    for (int i = 0; i < WHAT_IF_COLUMNS; i++) profile_put_number(out, values[i]);
}

/* A row: all columns in the order of profile_put_header(). */
static void put_row(FILE *out, const void *context) {
    const struct launch *launch = context;
    put_identity(out, launch);
    if (launch->failure) {
        put_missing(out, columns_after_status());
    } else {
#define COUNTER(name, meaning) fprintf(out, ",%llu", (unsigned long long)launch->counters.name);
#include "simt/device/counters.def"
        put_model(out, launch);
    }
    fprintf(out, ",%lu", launch->parent);
    if (what_if && launch->timing && !launch->failure)
        put_what_if(out, launch->timing);
    else if (what_if)
        put_missing(out, WHAT_IF_COLUMNS);
    putc('\n', out);
}

void profile_write(const struct launch *launch) {
    rowfile_add(file, put_row, launch);
}

void profile_close(void) {
    rowfile_close(file);
}
