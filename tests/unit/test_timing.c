/* Tests of the time model: it repeats itself, more work never takes less time, and each term governs where its resource
 * does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simt/gpu.h"
#include "simt/timing.h"

#define SECTOR 32

static const struct gpu *gpu(const char *name) {
    char error[256];
    const struct gpu *found = gpu_find(name, error, sizeof error);
    assert_non_null(found);
    return found;
}

static struct timing model(const char *name, uint64_t blocks, int block, const struct counters *counters) {
    struct timing_launch launch = {.blocks = blocks, .threads_per_block = block, .counters = counters};
    struct occupancy_kernel kernel = {16, 0, 1024, 49152, -1};
    struct timing timing;
    assert_true(occupancy_find(gpu(name), &kernel, block, 0, &launch.occupancy));
    timing_kernel(gpu(name), &launch, &timing);
    return timing;
}

/* A kernel that reads bytes once, coalesced, ten instructions a warp, one load each. */
static struct counters reading(uint64_t bytes, uint64_t blocks, int block) {
    uint64_t warps = blocks * (uint64_t)block / 32;
    return (struct counters){
        .inst_executed = 10 * warps,
        .thread_inst_executed = 320 * warps,
        .warps_launched = warps,
        .blocks_launched = blocks,
        .gld_requests = warps,
        .gld_sectors = bytes / SECTOR,
        .gld_bytes = bytes,
        .footprint_read_sectors = bytes / SECTOR,
        .path_inst = 10 * blocks,
        .path_loads = blocks,
        .path_far_loads = blocks,
    };
}

static void repeats_itself(void **state) {
    struct counters c = reading(1 << 26, 16384, 1024);
    (void)state;
    struct timing first = model("h200", 16384, 1024, &c), second = model("h200", 16384, 1024, &c);
    assert_memory_equal(&first, &second, sizeof first);
}

static void an_empty_kernel_takes_its_launch(void **state) {
    struct counters c = {.inst_executed = 1, .thread_inst_executed = 32, .path_inst = 1};
    (void)state;
    struct timing t = model("h200", 1, 32, &c);
    assert_true(t.time_ns >= gpu("h200")->launch_ns);
    assert_true(t.time_ns < gpu("h200")->launch_ns + 100);
}

/* Reading 1 GiB cannot beat the datasheet's bandwidth, and comes near it. */
static void a_stream_is_bound_by_memory(void **state) {
    static const char *const names[] = {"gtx1060", "t4", "a100", "h200"};
    uint64_t bytes = 1ull << 30, blocks = bytes / 16 / 256;
    struct counters c = reading(bytes, blocks, 256);
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct timing t = model(names[i], blocks, 256, &c);
        double gbs = (double)bytes / t.time_ns;
        assert_true(gbs < gpu(names[i])->dram_gbs);
        assert_true(gbs > 0.8 * gpu(names[i])->dram_gbs);
        assert_true(t.dram_ns >= t.issue_ns && t.dram_ns >= t.l2_ns && t.dram_ns >= t.latency_ns);
    }
}

/* Adding to any counter that stands for work never makes a kernel faster. */
static void more_work_takes_no_less(void **state) {
    static const size_t counters[] = {
        offsetof(struct counters, inst_executed),
        offsetof(struct counters, gld_sectors),
        offsetof(struct counters, gst_sectors),
        offsetof(struct counters, shared_ld_wavefronts),
        offsetof(struct counters, footprint_read_sectors),
        offsetof(struct counters, footprint_write_sectors),
        offsetof(struct counters, flop_dp_fma),
        offsetof(struct counters, inst_integer),
        offsetof(struct counters, path_inst),
        offsetof(struct counters, path_barriers),
        offsetof(struct counters, path_shared),
        offsetof(struct counters, red_sectors),
    };
    struct counters base = reading(1 << 24, 4096, 256);
    double before = model("t4", 4096, 256, &base).time_ns;
    (void)state;
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++) {
        struct counters more = base;
        *(uint64_t *)((char *)&more + counters[i]) += 1ull << 32;
        assert_true(model("t4", 4096, 256, &more).time_ns > before);
    }
}

static void bank_conflicts_cost_time(void **state) {
    struct counters free_of = reading(1 << 20, 4096, 256), conflicting = free_of;
    (void)state;
    free_of.shared_ld_wavefronts = 1 << 20;
    conflicting.shared_ld_wavefronts = 32 << 20;
    struct timing few = model("h200", 4096, 256, &free_of), many = model("h200", 4096, 256, &conflicting);
    assert_true(many.time_ns > 2 * few.time_ns);
    assert_true(many.shared_ns > 31 * few.shared_ns && many.shared_ns < 33 * few.shared_ns);
}

/* A grid one block larger than what fits at once takes a second wave. */
static void the_last_wave_counts(void **state) {
    struct counters full = reading(0, 264, 1024), over = reading(0, 265, 1024);
    (void)state;
    struct timing one = model("h200", 264, 1024, &full), two = model("h200", 265, 1024, &over);
    assert_true(two.latency_ns > 1.9 * one.latency_ns);
    assert_true(one.achieved_occupancy > 0.99);
    assert_true(two.achieved_occupancy > 0.4 && two.achieved_occupancy < 0.6);
}

static void small_grids_leave_room(void **state) {
    struct counters c = reading(1 << 12, 1, 256);
    (void)state;
    assert_true(model("h200", 1, 256, &c).device_share < 0.01);
    c = reading(1 << 26, 16384, 1024);
    assert_true(model("h200", 16384, 1024, &c).device_share == 1);
}

static void achieved_is_never_more_than_theoretical(void **state) {
    (void)state;
    for (uint64_t blocks = 1; blocks < 5000; blocks = blocks * 3 / 2 + 1) {
        struct counters c = reading(blocks * 1024, blocks, 256);
        struct timing t = model("a100", blocks, 256, &c);
        assert_true(t.achieved_occupancy > 0 && t.achieved_occupancy <= 1);
    }
}

static void copies_are_bound_by_their_buses(void **state) {
    const struct gpu *t4 = gpu("t4");
    (void)state;
    assert_true(timing_host_copy_ns(t4, 0) > 0);
    assert_true((1 << 30) / timing_host_copy_ns(t4, 1 << 30) < t4->pcie_gbs);
    assert_true(2.0 * (1 << 30) / timing_device_copy_ns(t4, 1 << 30) < t4->dram_gbs);
    assert_true(timing_fill_ns(t4, 1 << 30) < timing_device_copy_ns(t4, 1 << 30));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_itself),
        cmocka_unit_test(an_empty_kernel_takes_its_launch),
        cmocka_unit_test(a_stream_is_bound_by_memory),
        cmocka_unit_test(more_work_takes_no_less),
        cmocka_unit_test(bank_conflicts_cost_time),
        cmocka_unit_test(the_last_wave_counts),
        cmocka_unit_test(small_grids_leave_room),
        cmocka_unit_test(achieved_is_never_more_than_theoretical),
        cmocka_unit_test(copies_are_bound_by_their_buses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
