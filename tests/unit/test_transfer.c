/* Tests of how long copies and fills take: bound by what they pass through, and by the host's
 * caches. */

#include "lib/csv.h"
#include "lib/die.h"
#include "simt/time/transfer.h"
#include "unit.h"

static const size_t KIB = 1 << 10, MIB = 1 << 20, GIB = 1 << 30;

static const struct gpu *h200(void) {
    char error[256];
    const struct gpu *gpu = gpu_find("h200", error, sizeof error);
    if (!gpu) fail_msg("%s", error);
    return gpu;
}

static struct host_bytes pinned(size_t bytes) {
    return transfer_host_bytes(h200(), false, 0, bytes);
}

static struct host_bytes pageable(uintptr_t address, size_t bytes) {
    return transfer_host_bytes(h200(), true, address, bytes);
}

TEST(copies_are_bound_by_what_they_pass_through) {
    const struct gpu *gpu = h200();
    double bytes = (double)GIB;
    assert_true(bytes / transfer_to_device(gpu, pinned(GIB)).engine_ns < gpu->pcie_gbs);
    assert_true(bytes / transfer_to_host(gpu, pinned(GIB)).engine_ns < gpu->pcie_gbs);
    assert_true(2 * bytes / transfer_within(gpu, GIB).engine_ns < gpu->dram_gbs);
    assert_true(bytes / transfer_fill(gpu, GIB).engine_ns < gpu->dram_gbs);
    assert_true(bytes / transfer_to_peer(gpu, true, GIB).engine_ns > gpu->pcie_gbs); /* NVLink */
    assert_true(bytes / transfer_to_peer(gpu, false, GIB).engine_ns < gpu->pcie_gbs);
}

TEST(a_small_copy_has_a_way_to_go) {
    const struct gpu *gpu = h200();
    struct transfer copy = transfer_to_device(gpu, pinned(4));
    assert_float_equal(copy.way_ns + copy.engine_ns - transfer_event_way_ns(gpu),
                       gpu->pinned_copy_ns, 1);
    assert_int_equal(copy.kind, TRANSFER_BY_DEVICE);
}

TEST(pageable_memory_is_slower) {
    const struct gpu *gpu = h200();
    struct transfer to = transfer_to_device(gpu, pageable(0, MIB)),
                    from = transfer_to_host(gpu, pageable(0, MIB));
    assert_int_equal(to.kind, TRANSFER_STAGED);
    assert_int_equal(from.kind, TRANSFER_STAGED);
    assert_true(to.engine_ns > 2 * transfer_to_device(gpu, pinned(MIB)).engine_ns);
    assert_true(from.engine_ns > 2 * transfer_to_host(gpu, pinned(MIB)).engine_ns);
}

TEST(small_copies_go_inline) {
    const struct gpu *gpu = h200();
    struct transfer last = transfer_to_device(gpu, pageable(0, 64 * KIB));
    assert_int_equal(last.kind, TRANSFER_INLINE);
    assert_true(last.host_ns > 0 && last.host_ns < last.engine_ns);
    assert_int_equal(transfer_to_device(gpu, pageable(0, 64 * KIB + 1)).kind, TRANSFER_STAGED);
    assert_int_equal(transfer_to_host(gpu, pageable(0, 64 * KIB)).kind, TRANSFER_STAGED);
}

/* The H200's host holds 16 MiB. The addresses are far from those of the other tests. */
TEST(the_caches_hold_what_was_touched_last) {
    const uintptr_t a = GIB, b = 2 * GIB;
    for (size_t i = 0; i < 16; i++) pageable(a + i * MIB, MIB);
    assert_int_equal(pageable(a, 16 * MIB).far, 0);
    assert_int_equal(pageable(b, MIB).far, MIB);     /* displaces the first MiB at a */
    assert_int_equal(pageable(a + MIB, MIB).far, 0); /* ... which is not this one */
    assert_int_equal(pageable(a, MIB).far, MIB);
    assert_int_equal(pageable(b, 64 * MIB).far, 63 * MIB);
    assert_int_equal(pageable(b, 64 * MIB).far, 64 * MIB);
    assert_int_equal(pageable(b + 63 * MIB, KIB).far, 0);
}

/* What a profiler shows of copies of pinned memory, copies within the device and fills. Left out
 * are fills below 64 KiB, which took from 0.9 to 1.9 us, and copies of a MiB within the device,
 * which ran among other work. */
TEST(durations_are_those_that_were_recorded) {
    const struct gpu *gpu = h200();
    int compared = 0;
    struct csv *table = csv_read("plots/reference/h200/shown.csv", &CSV_COMMAS);
    if (!table) fail_msg("%s", failure);
    for (int row = 0; row < csv_rows(table); row++) {
        const char *name = csv_get(table, row, "name"), *source = csv_get(table, row, "source");
        size_t bytes = strtoull(csv_get(table, row, "bytes"), NULL, 10);
        double ns = atof(csv_get(table, row, "ns"));
        if (!strcmp(source, "pageable") || !strcmp(csv_get(table, row, "target"), "pageable") ||
            *name == 'P')
            continue;
        if ((!*name && bytes < 64 * KIB) || (!strcmp(name, "DtoD") && bytes <= MIB)) continue;
        struct transfer transfer = !*name                  ? transfer_fill(gpu, bytes)
                                   : !strcmp(name, "HtoD") ? transfer_to_device(gpu, pinned(bytes))
                                   : !strcmp(name, "DtoH") ? transfer_to_host(gpu, pinned(bytes))
                                                           : transfer_within(gpu, bytes);
        compared++;
        if (transfer.engine_ns > 1.3 * ns || ns > 1.3 * transfer.engine_ns)
            fail_msg("%s of %zu bytes: %.0f ns modelled, %.0f ns recorded", *name ? name : "fill",
                     bytes, transfer.engine_ns, ns);
    }
    csv_free(table);
    assert_true(compared > 10);
}
