/* Tests of how long loads from DRAM take, and which of many multiprocessors waits longest, in the
 * constants of a GPU that there is not. */

#include "simt/device/memory.h"
#include "simt/time/slowest.h"
#include "unit.h"

#include <math.h>

enum { LATENCY = 700, SPREAD = 200, BUSY_WAIT = 300, WRITE_WAIT = 800, BYTES = 32 };

/* One multiprocessor, and a sector a cycle in both directions. */
static const struct gpu gpu = {.dram_gbs = BYTES,
                               .clock_mhz = 1000,
                               .dram_read_share = 1,
                               .dram_write_share = 1,
                               .dram_latency_cycles = LATENCY,
                               .dram_spread_cycles = SPREAD,
                               .dram_busy_wait_cycles = BUSY_WAIT,
                               .dram_write_wait_cycles = WRITE_WAIT};

static struct dram dram;

int before_each(void **state) {
    (void)state;
    dram_open(&dram, &gpu, 1);
    return 0;
}

int after_each(void **state) {
    (void)state;
    dram_close(&dram);
    return 0;
}

static void assert_about(double got, double want, double within) {
    if (got < want - within || got > want + within)
        fail_msg("%g, not %g within %g", got, want, within);
}

/* Mean of what a load takes of n pages, of which one is asked for every so many cycles from a cycle
 * on. */
static double mean_of(uint64_t first, int n, double from, double apart) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double at = from + i * apart;
        sum += dram_read(&dram, at, (first + (uint64_t)i) * PAGE_SECTORS, 1) - at;
    }
    return sum / n;
}

TEST(the_mean_is_the_latency_and_nothing_is_faster_than_the_floor) {
    for (int i = 0; i < 1000; i++) {
        double at = i * 10000.0, took = dram_read(&dram, at, (uint64_t)i * PAGE_SECTORS, 1) - at;
        assert_true(took >= LATENCY - SPREAD);
    }
    assert_about(mean_of(5000, 2000, 1e8, 10000), LATENCY, 0.02 * LATENCY);
}

TEST(a_page_has_one_time_wherever_it_lies) {
    double first = dram_read(&dram, 0, 160, 1), neighbour = dram_read(&dram, 1e6, 161, 1) - 1e6;
    assert_about(neighbour, first, 1e-6);
    struct dram other;
    dram_open(&other, &gpu, 1);
    assert_about(dram_read(&other, 0, 1 << 20, 1), first, 1e-6); /* the first page there, too */
    dram_close(&other);
}

TEST(the_slowest_of_several_is_slower) {
    double slowest = 0;
    for (uint64_t i = 0; i < 64; i++) {
        double took = dram_read(&dram, 1e4 * (double)i, i * PAGE_SECTORS, 1) - 1e4 * (double)i;
        slowest = took > slowest ? took : slowest;
    }
    assert_true(slowest > LATENCY + 2 * SPREAD);
    assert_true(slowest < LATENCY + 2.4 * SPREAD);
}

TEST(a_busy_dram_lets_wait_longer) {
    double half = mean_of(0, 20000, 0, 2); /* half of the time */
    assert_about(half, LATENCY + BUSY_WAIT / 4.0, 0.05 * LATENCY);
}

TEST(more_than_it_can_give_queues) {
    double last = 0;
    for (uint64_t i = 0; i < 10000; i++) last = dram_read(&dram, 0, i * PAGE_SECTORS, 1);
    assert_true(
        last >
        10000 -
            SPREAD); /* as many cycles, less the window that may be made up for, and the floor */
}

/* A read that others share takes its part of the bandwidth, and as long as any. */
TEST(a_shared_read_takes_a_part_of_the_bandwidth) {
    double last = 0;
    for (uint64_t i = 0; i < 10000; i++) last = dram_read(&dram, 0, i * PAGE_SECTORS, 0.25);
    assert_true(last > 2500 - SPREAD && last < 2500 + LATENCY + 8 * SPREAD + BUSY_WAIT);
}

/* Beside stores for a quarter of the time, and loads for next to none. */
TEST(loads_wait_for_stores) {
    double sum = 0;
    for (int i = 0; i < 4000; i++) {
        double at = 40.0 * i;
        dram_write(&dram, at, 10);
        if (i % 10 == 9) sum += dram_read(&dram, at, (uint64_t)i * PAGE_SECTORS, 1) - at;
    }
    assert_about(sum / 400, LATENCY + WRITE_WAIT / 4.0 + BUSY_WAIT / 16.0, 0.06 * LATENCY);
}

TEST(what_was_long_ago_does_not_matter) {
    for (int i = 0; i < 1000; i++) dram_write(&dram, i, 1);
    assert_about(mean_of(0, 2000, 1e6, 10000), LATENCY, 0.02 * LATENCY);
}

/* ---- The slowest of many multiprocessors ---- */

enum { END = 5000 };

/* The median of the last ends of n multiprocessors, in cycles after END: each has one warp, which
 * read one sector that did not wait. */
static double last_of(enum wait_kind kind, double n, double fill) {
    struct slowest slowest = {.n = 0};
    struct waits waits[WAIT_KINDS] = {{.n = 0}};
    waits[kind].n = 1;
    slowest_end(&slowest, waits, END);
    return slowest_last(&slowest, &dram, n, fill) - END;
}

/* With a chance of a half all of n are below: each with the n-th root of it. */
TEST(the_last_of_many_waits_as_the_slowest_does) {
    for (double n = 10; n < 2000; n *= 10) {
        double longer = 1 - pow(0.5, 1 / n), scale = SPREAD / 0.9027;
        assert_about(last_of(WAIT_DRAM, n, 0), scale * pow(-log(longer), 1 / 1.5), 0.05 * SPREAD);
    }
    assert_about(last_of(WAIT_FAR, 1000, 0), 250, 2);
    assert_in_range(last_of(WAIT_COPY, 10, 0), 200, 300);
    assert_in_range(last_of(WAIT_COPY, 1000, 0), LATENCY, LATENCY + 2 * SPREAD);
}

TEST(who_begins_earlier_may_wait_longer) {
    double together = last_of(WAIT_DRAM, 100, 0), apart = last_of(WAIT_DRAM, 100, 400);
    assert_true(apart < together - SPREAD);
    assert_true(apart > SPREAD / 4.0);
    assert_about(last_of(WAIT_DRAM, 100, 5000), 0, 0);
}

TEST(no_wait_makes_no_end_later) {
    struct slowest slowest = {.n = 0};
    const struct waits none[WAIT_KINDS] = {{.n = 0}};
    slowest_end(&slowest, none, END);
    assert_about(slowest_last(&slowest, &dram, 100, 0), END, 0);
}

/* Ranks draw what the tails say. */
TEST(what_the_l2_holds_waits_by_rank) {
    int near = 0, missed = 0;
    double sum = 0;
    for (int i = 0; i < 256; i++) {
        near += slowest_wait(&dram, WAIT_FAR, (uint8_t)i) == 0;
        missed += slowest_wait(&dram, WAIT_COPY, (uint8_t)i) > LATENCY - SPREAD;
        sum += slowest_wait(&dram, WAIT_COPY, (uint8_t)i) / 256;
    }
    assert_in_range(near, 180, 190);
    assert_in_range(missed, 2, 3);
    assert_about(sum, 157, 5);
}
