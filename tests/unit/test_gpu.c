/* Tests of the table of virtual GPUs: every row complete and plausible, unknown names answered with the names there
 * are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "simt/device/gpu.h"

static void finds_the_gpus_the_labs_name(void **state) {
    static const char *const names[] = {"gtx1060", "rtx2070", "t4", "rtx3090", "a100", "h200"};
    char error[256];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct gpu *gpu = gpu_find(names[i], error, sizeof error);
        assert_non_null(gpu);
        assert_string_equal(gpu->name, names[i]);
    }
}

static void an_h200_is_an_h200(void **state) {
    char error[256];
    (void)state;
    const struct gpu *gpu = gpu_find("h200", error, sizeof error);
    assert_string_equal(gpu->product, "NVIDIA H200");
    assert_int_equal(gpu->sms, 132);
    assert_int_equal(gpu->clock_mhz, 1980);
    assert_true(gpu->dram_bytes == 150109880320); /* cudaDeviceProp.totalGlobalMem; nvidia-smi counts 0.6 GB more */
    assert_int_equal(gpu->l2_bytes, 60 << 20);
    assert_true(gpu->dram_gbs == 4800);
}

static void an_unknown_name_lists_the_known(void **state) {
    char error[512];
    (void)state;
    assert_null(gpu_find("h2000", error, sizeof error));
    assert_non_null(strstr(error, "h2000"));
    assert_non_null(strstr(error, "gtx1060"));
    assert_non_null(strstr(error, "h200"));
}

/* The bandwidth is what the bus and its clock give, two transfers a clock; vendors round it. */
static void check_bandwidth(const struct gpu *gpu) {
    double gbs = 2.0 * gpu->memory_clock_mhz * gpu->memory_bus_bits / 8 / 1000;
    assert_true(gpu->dram_gbs > 0.96 * gbs && gpu->dram_gbs < 1.01 * gbs);
}

static void check_latencies(const struct gpu *gpu) {
    assert_true(gpu->alu_latency_cycles > 0);
    assert_true(gpu->alu_latency_cycles < gpu->shared_latency_cycles);
    assert_true(gpu->shared_latency_cycles < gpu->l1_latency_cycles);
    assert_true(gpu->l1_latency_cycles < gpu->l2_latency_cycles);
    assert_true(gpu->l2_latency_cycles < gpu->dram_latency_cycles);
    assert_true(gpu->barrier_latency_cycles > 0 && gpu->launch_ns > 0);
}

static void check_limits(const struct gpu *gpu) {
    assert_true(gpu->shared_per_block <= gpu->shared_per_block_optin);
    assert_true(gpu->shared_per_block_optin + gpu->shared_reserved_per_block <= gpu->shared_per_sm);
    assert_true(gpu->shared_per_sm <= gpu->l1_bytes);
    assert_int_equal(gpu->threads_per_sm % 32, 0);
    assert_true(gpu->blocks_per_sm >= 16 && gpu->blocks_per_sm <= 32);
    assert_int_equal(gpu->registers_per_sm, 65536);
    assert_int_equal(gpu->schedulers_per_sm, 4);
}

static void every_row_is_plausible(void **state) {
    int n;
    (void)state;
    const struct gpu *gpus = gpu_all(&n);
    assert_true(n >= 6);
    for (int i = 0; i < n; i++) {
        check_bandwidth(&gpus[i]);
        check_latencies(&gpus[i]);
        check_limits(&gpus[i]);
    }
}

static void names_differ(void **state) {
    int n;
    (void)state;
    const struct gpu *gpus = gpu_all(&n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) assert_string_not_equal(gpus[i].name, gpus[j].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_gpus_the_labs_name),
        cmocka_unit_test(an_h200_is_an_h200),
        cmocka_unit_test(an_unknown_name_lists_the_known),
        cmocka_unit_test(every_row_is_plausible),
        cmocka_unit_test(names_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
