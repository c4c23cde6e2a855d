/*
 * run/profile.c: writes the profile file that run/profile.h describes.
 *
 * Each row is rendered in memory and written at once, without a buffer: a crash leaves whole rows. The column lists
 * below give header, values and the NAs of failed launches, so that these agree.
 */
#include "profile.h"

#include "lib/memory.h"
#include "simt/device/gpu.h"
#include "simt/machine/report.h"
#include "simt/time/timing.h"

#include "lib/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HZ_PER_MHZ  1e6
#define BPS_PER_GBS 1e9

/* At most one profile is open. */
static struct outfile target;
static int file = -1; /* its descriptor: what is written there must not wait in a buffer, should the program crash */
static pid_t owner;   /* a forked child must not finish its parent's file */
static unsigned long launches;

/* The columns behind the counters: COLUMN(name, expression). Without an expression, the name is a member of struct
 * timing. */
#define GPU_COLUMNS(COLUMN)                                                                                            \
    COLUMN(sms, gpu->sms)                                                                                              \
    COLUMN(clock_hz, gpu->clock_mhz *HZ_PER_MHZ)                                                                       \
    COLUMN(dram_peak_bps, gpu->dram_gbs *BPS_PER_GBS)                                                                  \
    COLUMN(l2_peak_bps, gpu->l2_bytes_per_cycle * gpu->clock_mhz * HZ_PER_MHZ)                                         \
    COLUMN(fp32_per_sm, gpu->fp32_per_sm)                                                                              \
    COLUMN(fp64_per_sm, gpu->fp64_per_sm)                                                                              \
    COLUMN(threads_per_sm, gpu->threads_per_sm)                                                                        \
    COLUMN(schedulers_per_sm, gpu->schedulers_per_sm)

#define TIMING_COLUMNS_BEFORE(COLUMN)                                                                                  \
    COLUMN(achieved_occupancy)                                                                                         \
    COLUMN(elapsed_cycles)                                                                                             \
    COLUMN(active_cycles)

#define TIMING_COLUMNS_AFTER(COLUMN)                                                                                   \
    COLUMN(dram_read_bytes)                                                                                            \
    COLUMN(dram_write_bytes)                                                                                           \
    COLUMN(l2_read_sectors)                                                                                            \
    COLUMN(l2_write_sectors)                                                                                           \
    COLUMN(l1_hit_rate)                                                                                                \
    COLUMN(eligible_warps)                                                                                             \
    COLUMN(stall_barrier)                                                                                              \
    COLUMN(stall_membar)                                                                                               \
    COLUMN(stall_long_scoreboard)                                                                                      \
    COLUMN(stall_short_scoreboard)                                                                                     \
    COLUMN(stall_wait)                                                                                                 \
    COLUMN(stall_drain)                                                                                                \
    COLUMN(stall_branch)                                                                                               \
    COLUMN(stall_throttle)                                                                                             \
    COLUMN(stall_not_selected)

unsigned long profile_number(void) {
    return ++launches;
}

bool profile_is_open(void) {
    return file >= 0;
}

/* Write all bytes, also where write() takes them in parts or a signal interrupts it. False: errno tells why. */
static bool write_all(const char *bytes, size_t size) {
    while (size) {
        ssize_t done = write(file, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

/* A profile that cannot be continued is removed, not left half-written under its name. */
static void give_up(void) {
    report_note("cannot write the profile %s: %s", target.path, strerror(errno));
    outfile_drop(&target);
    file = -1;
}

/* The line of column names. put_row() has the same order. */
static void put_header(FILE *out) {
    fputs("launch,kernel,mangled,grid,block,dynamic_shared,static_shared,registers,device,cc,status", out);
    for (int i = 0; i < COUNTER_COUNT; i++) fprintf(out, ",%s", counter_names[i]);
#define COLUMN(name, ...) fputs("," #name, out);
    COLUMN(time_ns)
    COLUMN(theoretical_occupancy)
    TIMING_COLUMNS_BEFORE(COLUMN)
    GPU_COLUMNS(COLUMN)
    TIMING_COLUMNS_AFTER(COLUMN)
#undef COLUMN
    fputs(",parent\n", out);
}

/* Put the file in place, then end by the signal's default action. */
static void on_signal(int number) {
    profile_close();
    signal(number, SIG_DFL);
    raise(number);
}

/* Finish the profile when a signal ends the program. Signals that the program handles are left to it. */
static void catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) signal(numbers[i], on_signal);
    }
}

/* Render with put and write the text at once. False: it could not be written. */
static bool emit(void (*put)(FILE *, const void *), const void *context) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    put(out, context);
    bool ok = fclose(out) == 0 && write_all(text, size);
    free(text);
    return ok;
}

static void put_header_only(FILE *out, const void *unused) {
    (void)unused;
    put_header(out);
}

/* A forked child has the file too: owner keeps it from writing there. */
bool profile_open(const char *path, char *error, size_t error_size) {
    owner = getpid();
    file = outfile_open(&target, path) ? fileno(target.file) : -1;
    if (file < 0 || !emit(put_header_only, NULL)) {
        snprintf(error, error_size, "cannot write the profile %s: %s", path, strerror(errno));
        outfile_drop(&target);
        file = -1;
        return false;
    }
    catch_signals();
    return true;
}

/* A number with all its digits, integers as such. */
static void put_number(FILE *out, double value) {
    fprintf(out, ",%.15g", value);
}

static void put_missing(FILE *out, int n) {
    while (n-- > 0) fputs(",NA", out);
}

/* From launch to status. */
static void put_identity(FILE *out, const struct profile_row *row) {
    fprintf(out, "%lu,%s,%s,(%u %u %u),(%u %u %u),%zu,%zu,%d,%s (simt),%d.%d,%s",
            row->launch ? row->launch : profile_number(), row->kernel, row->kernel, row->shape.grid[0],
            row->shape.grid[1], row->shape.grid[2], row->shape.block[0], row->shape.block[1], row->shape.block[2],
            row->shape.dynamic_shared, row->static_shared, row->registers, row->gpu->product, row->gpu->cc_major,
            row->gpu->cc_minor, row->failure ? row->failure : "ok");
}

/* The counters, in the order of counters.def. */
static void put_counters(FILE *out, const struct counters *counters) {
#define COUNTER(name, meaning) fprintf(out, ",%llu", (unsigned long long)counters->name);
#include "simt/device/counters.def"
}

/* From time_ns to the stalls. NA: modelled values of a launch without timing. */
static void put_model(FILE *out, const struct profile_row *row) {
    const struct timing *timing = row->timing;
    const struct gpu *gpu = row->gpu;
#define COLUMN(name, ...) timing ? put_number(out, timing->name) : put_missing(out, 1);
    COLUMN(time_ns)
    put_number(out, row->occupancy.fraction);
    TIMING_COLUMNS_BEFORE(COLUMN)
#undef COLUMN
#define COLUMN(name, expression) put_number(out, expression);
    GPU_COLUMNS(COLUMN)
#undef COLUMN
#define COLUMN(name, ...) timing ? put_number(out, timing->name) : put_missing(out, 1);
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

/* A row: all columns in the order of put_header(). */
static void put_row(FILE *out, const void *context) {
    const struct profile_row *row = context;
    put_identity(out, row);
    if (row->failure) {
        put_missing(out, columns_after_status());
    } else {
        put_counters(out, &row->counters);
        put_model(out, row);
    }
    fprintf(out, ",%lu\n", row->parent);
}

void profile_write(const struct profile_row *row) {
    if (file >= 0 && getpid() == owner && !emit(put_row, row)) give_up();
}

/* A signal handler calls this, so it writes its message itself. */
void profile_close(void) {
    if (file < 0 || getpid() != owner) return;
    close(file);
    file = -1;
    if (!outfile_place(&target)) {
        static const char message[] = "simt: cannot put the profile in its place\n";
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0) return;
    }
}
