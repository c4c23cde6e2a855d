/*
 * Tests of theoretical occupancy, against values computed by hand from the tables of the CUDA C++ Programming Guide:
 * registers are given to a warp in units of 256 and lie in four partitions of 16384; shared memory has 1 KiB a block
 * reserved from 8.0 on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simt/gpu.h"
#include "simt/occupancy.h"

static const struct example {
    const char *gpu;
    int registers;
    size_t statics;
    int block;
    size_t dynamic;
    int blocks, warps; /* expected, per multiprocessor */
    double fraction;
    const char *limit;
} examples[] = {
    /* threads: 2048, 1024, 1536 a multiprocessor */
    {"gtx1060", 16, 0, 1024, 0, 2, 64, 1.0, NULL},
    {"t4", 16, 0, 1024, 0, 1, 32, 1.0, NULL},
    {"rtx3090", 16, 0, 1024, 0, 1, 32, 2.0 / 3, "warps"},
    {"rtx3090", 40, 0, 256, 0, 6, 48, 1.0, NULL},
    {"h200", 28, 0, 1024, 0, 2, 64, 1.0, NULL},
    /* blocks: 32, 16, 24 */
    {"gtx1060", 16, 0, 32, 0, 32, 32, 0.5, "blocks"},
    {"t4", 16, 0, 32, 0, 16, 16, 0.5, "blocks"},
    {"rtx4090", 16, 0, 32, 0, 24, 24, 0.5, "blocks"},
    {"h200", 16, 0, 32, 0, 32, 32, 0.5, "blocks"},
    /* registers: 65 * 32 = 2080 -> 2304 a warp, 7 warps a partition, 28, 3 blocks of 8 */
    {"t4", 64, 0, 256, 0, 4, 32, 1.0, NULL},
    {"t4", 65, 0, 256, 0, 3, 24, 0.75, "registers"},
    /* 33 * 32 = 1056 -> 1280, 12 a partition, 48: one block of 32 */
    {"h200", 33, 0, 1024, 0, 1, 32, 0.5, "registers"},
    /* 40 * 32 = 1280, 12, 48: 8 blocks of 6 warps */
    {"gtx1060", 40, 0, 192, 0, 8, 48, 0.75, "registers"},
    /* 48 * 32 = 1536, 10, 40: 5 blocks of 8 */
    {"rtx3090", 48, 0, 256, 0, 5, 40, 40.0 / 48, "registers"},
    /* shared memory: 48 KiB and the reserve, 4 times in 228 KiB */
    {"h200", 16, 49152, 128, 0, 4, 16, 0.25, "shared memory"},
    {"a100", 16, 0, 256, 65536, 2, 16, 0.25, "shared memory"},
    {"v100", 16, 0, 64, 98304, 1, 2, 2.0 / 64, "shared memory"},
    {"t4", 16, 16384, 128, 16384, 2, 8, 0.25, "shared memory"},
    /* what does not run at all */
    {"h200", 16, 0, 256, 232449, 0, 0, 0.0, "shared memory"},
    {"t4", 128, 0, 1024, 0, 0, 0, 0.0, "registers"},
};

static void check(const struct example *example) {
    char error[256];
    struct occupancy found;
    const struct gpu *gpu = gpu_find(example->gpu, error, sizeof error);
    struct occupancy_kernel kernel = {example->registers, example->statics, 1024, gpu->shared_per_block_optin, -1};
    assert_true(occupancy_find(gpu, &kernel, example->block, example->dynamic, &found));
    if (found.blocks_per_sm != example->blocks)
        print_error("%s, %d registers, block %d\n", example->gpu, example->registers, example->block);
    assert_int_equal(found.blocks_per_sm, example->blocks);
    assert_int_equal(found.warps_per_sm, example->warps);
    assert_true(found.fraction > example->fraction - 1e-9 && found.fraction < example->fraction + 1e-9);
    if (example->limit) assert_string_equal(found.limit, example->limit);
}

static void agrees_with_hand_computed_values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) check(&examples[i]);
}

static void refuses_an_empty_block(void **state) {
    char error[256];
    struct occupancy found;
    struct occupancy_kernel kernel = {16, 0, 1024, 49152, -1};
    (void)state;
    assert_false(occupancy_find(gpu_find("t4", error, sizeof error), &kernel, 0, 0, &found));
}

/* What is said to be available for two blocks is enough for two and too much for three. */
static void available_shared_memory_is_what_fits(void **state) {
    char error[256];
    struct occupancy found;
    struct occupancy_kernel kernel = {16, 1024, 1024, 232448 - 1024, -1};
    size_t bytes;
    (void)state;
    const struct gpu *gpu = gpu_find("h200", error, sizeof error);
    assert_true(occupancy_available_shared(gpu, &kernel, 2, 256, &bytes));
    assert_true(occupancy_find(gpu, &kernel, 256, bytes, &found));
    assert_int_equal(found.blocks_per_sm, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_hand_computed_values),
        cmocka_unit_test(refuses_an_empty_block),
        cmocka_unit_test(available_shared_memory_is_what_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
