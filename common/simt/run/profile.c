/*
 * run/profile.c: writes the profile file that run/profile.h describes. The column lists below give
 * header, values and the NAs of failed launches, so that these agree.
 */
#include "profile.h"

#include "lib/rowfile.h"
#include "simt/device/gpu.h"
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
    COLUMN(schedulers_per_sm, gpu->schedulers_per_sm)

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

static void put_status(FILE *out, const struct profile_row *row) {
    if (row->sampled && !row->failure)
        fprintf(out, ",sampled %" PRIu64 " of %" PRIu64, row->sampled, shape_blocks(&row->shape));
    else
        fprintf(out, ",%s", row->failure ? row->failure : "ok");
}

/* From launch to status. */
static void put_identity(FILE *out, const struct profile_row *row) {
    fprintf(out, "%lu,%s,%s,(%u %u %u),(%u %u %u),%zu,%zu,%d,%s (simt),%d.%d",
            row->launch ? row->launch : profile_number(), row->kernel, row->kernel,
            row->shape.grid[0], row->shape.grid[1], row->shape.grid[2], row->shape.block[0],
            row->shape.block[1], row->shape.block[2], row->shape.dynamic_shared, row->static_shared,
            row->registers, row->gpu->product, row->gpu->cc_major, row->gpu->cc_minor);
    put_status(out, row);
}

/* The counters, in the order of counters.def. */
static void profile_put_counters(FILE *out, const struct counters *counters) {
#define COUNTER(name, meaning) fprintf(out, ",%llu", (unsigned long long)counters->name);
#include "simt/device/counters.def"
}

/* From time_ns to the stalls. NA: modelled values of a launch without timing. */
static void put_model(FILE *out, const struct profile_row *row) {
    const struct timing *timing = row->timing;
    const struct gpu *gpu = row->gpu;
#define COLUMN(name, ...) timing ? profile_put_number(out, timing->name) : put_missing(out, 1);
    COLUMN(time_ns)
    profile_put_number(out, row->occupancy.fraction);
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
    const struct profile_row *row = context;
    put_identity(out, row);
    if (row->failure) {
        put_missing(out, columns_after_status());
    } else {
        profile_put_counters(out, &row->counters);
        put_model(out, row);
    }
    fprintf(out, ",%lu", row->parent);
    if (what_if && row->timing)
        put_what_if(out, row->timing);
    else if (what_if)
        put_missing(out, WHAT_IF_COLUMNS);
    putc('\n', out);
}

void profile_write(const struct profile_row *row) {
    rowfile_add(file, put_row, row);
}

void profile_close(void) {
    rowfile_close(file);
}
