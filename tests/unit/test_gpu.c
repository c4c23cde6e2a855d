/* Tests of the table of virtual GPUs: every row complete and plausible, derived figures as their
 * rules say, unknown names answered with the names there are. */
#include <math.h>
#include <stdbool.h>

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/expr.h"
#include "simt/device/gpu.h"
#include "unit.h"

TEST(finds_the_gpus_the_labs_name) {
    static const char *const names[] = {"gtx1060", "rtx2070", "t4", "rtx3090", "a100", "h200"};
    char error[256];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct gpu *gpu = gpu_find(names[i], error, sizeof error);
        assert_non_null(gpu);
        assert_string_equal(gpu->name, names[i]);
    }
}

TEST(an_h200_is_an_h200) {
    char error[256];
    const struct gpu *gpu = gpu_find("h200", error, sizeof error);
    assert_string_equal(gpu->product, "NVIDIA H200");
    assert_int_equal(gpu->sms, 132);
    assert_int_equal(gpu->clock_mhz, 1980);
    assert_true(gpu->dram_bytes ==
                150109880320); /* cudaDeviceProp.totalGlobalMem; nvidia-smi counts 0.6 GB more */
    assert_int_equal(gpu->l2_bytes, 60 << 20);
    assert_true(gpu->dram_gbs == 4800);
}

/* ncu's lock: what lies beyond the multiprocessors keeps its time. */
TEST(a_gpu_at_its_base_clock) {
    char error[256];
    const struct gpu *gpu = gpu_find("h200", error, sizeof error), *slow = gpu_at_base(gpu);
    const struct gpu *unknown = gpu_find("t4", error, sizeof error);
    assert_int_equal(slow->clock_mhz, 1500);
    double before = (double)gpu->dram_latency_cycles / gpu->clock_mhz,
           now = (double)slow->dram_latency_cycles / slow->clock_mhz;
    assert_true(fabs(now - before) < 1e-3);
    assert_true(fabs(slow->l2_bytes_per_cycle * slow->clock_mhz -
                     gpu->l2_bytes_per_cycle * gpu->clock_mhz) < 1);
    assert_int_equal(slow->alu_latency_cycles, gpu->alu_latency_cycles);
    assert_ptr_equal(gpu_at_base(unknown), unknown);
}

TEST(an_unknown_name_lists_the_known) {
    char error[512];
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

TEST(every_row_is_plausible) {
    int n;
    const struct gpu *gpus = gpu_all(&n);
    assert_true(n >= 6);
    for (int i = 0; i < n; i++) {
        check_bandwidth(&gpus[i]);
        check_latencies(&gpus[i]);
        check_limits(&gpus[i]);
    }
}

TEST(only_what_our_programs_measured_is_measured) {
    char error[256];
    assert_true(gpu_find("h200", error, sizeof error)->measured);
    assert_false(gpu_find("t4", error, sizeof error)->measured);
    assert_false(gpu_find("gtx1060", error, sizeof error)->measured);
}

TEST(names_differ) {
    int n;
    const struct gpu *gpus = gpu_all(&n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) assert_string_not_equal(gpus[i].name, gpus[j].name);
}

/* ---- Derived figures ---- */

/* Where a rule stands: its names are rows of its own column, or GPU.ROW. */
struct rule_place {
    const struct csv *table;
    const char *gpu;
};

static double cell(const struct csv *table, const char *gpu, const char *constant) {
    for (int row = 0; row < csv_rows(table); row++)
        if (!strcmp(csv_at(table, row, 0), constant)) return atof(csv_get(table, row, gpu));
    return NAN;
}

static double find_figure(void *context, const char *name) {
    const struct rule_place *place = context;
    char gpu[32];
    int length = 0;
    if (sscanf(name, "%31[^.].%n", gpu, &length) != 1 || !length)
        return cell(place->table, place->gpu, name);
    return csv_column(place->table, gpu) < 0 ? NAN : cell(place->table, gpu, name + length);
}

/* Does the list, as in "h100, h200: measured", name the word? */
static bool lists(const char *part, const char *word) {
    size_t length = strlen(word), list = strcspn(part, ":");
    for (const char *at = part; at < part + list; at += strcspn(at, ",:") + 2)
        if (!strncmp(at, word, length) && strcspn(at, ",:") == length) return true;
    return false;
}

/* The part about that GPU, of a source like "h200: measured [CAL]; others: derived =
 * h200.launch_ns, in words". NULL: none. */
static const char *source_of(const char *source, const char *gpu) {
    const char *found = NULL;
    for (const char *part = source; part;
         part = strstr(part, "; ") ? strstr(part, "; ") + 2 : NULL) {
        if (lists(part, gpu) || (!found && (lists(part, "others") || lists(part, "all"))))
            found = part;
        if (lists(part, gpu)) break;
    }
    return found;
}

/* Figures are rounded: whole ones to the next whole number, others to half a percent. */
static double rounding(const char *constant, double value) {
    static const char *const fractions[] = {
#define GPU_CONSTANT(type, name, unit, meaning) #type[0] == 'd' ? #name : "",
#include "simt/device/gpu.def"
    };
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++)
        if (!strcmp(fractions[i], constant)) return 0.005 * fabs(value);
    return 0.5 + 1e-9;
}

/* How many figures are derived; failure: the first that has no source or differs from its rule. */
static int check_rules(const struct csv *table) {
    int derived = 0;
    failure[0] = '\0';
    for (int row = 0; row < csv_rows(table); row++)
        for (int column = 2; column < csv_columns(table) - 1; column++) {
            const char *constant = csv_at(table, row, 0), *gpu = csv_header(table, column),
                       *source = source_of(csv_get(table, row, "source"), gpu);
            struct rule_place place = {table, gpu};
            char rule[256];
            double value = NAN, given = atof(csv_at(table, row, column));
            if (!source) {
                fail_with("%s of %s has no source", constant, gpu);
                return derived;
            }
            if (sscanf(source, "%*[^:]: derived = %255[^,;[]", rule) != 1) continue;
            derived++;
            if (!expr_eval(rule, find_figure, &place, &value)) return derived;
            if (fabs(given - value) <= rounding(constant, value)) continue;
            fail_with("%s of %s is %.10g; its rule, %s, gives %.10g", constant, gpu, given, rule,
                      value);
            return derived;
        }
    return derived;
}

TEST(derived_figures_are_what_their_rules_give) {
    struct csv *table = csv_read("common/simt/gpus.tsv", &CSV_TABS);
    if (!table) fail_msg("%s", failure);
    int derived = check_rules(table);
    csv_free(table);
    if (failure[0]) fail_msg("%s", failure);
    assert_true(derived > 100);
}

/* A table of two GPUs in which b's clock is 200 MHz. */
static void assert_rule(const char *cells_and_source, const char *want) {
    char text[512];
    snprintf(text, sizeof text,
             "constant\tunit\ta\tb\tsource\nclock_mhz\tMHz\t100\t200\tall: published\n%s\n",
             cells_and_source);
    struct csv *table = csv_parse(text, strlen(text), "table", &CSV_TABS);
    assert_non_null(table);
    check_rules(table);
    csv_free(table);
    assert_string_equal(failure, want);
}

TEST(a_figure_that_breaks_its_rule_is_named) {
    assert_rule("launch_ns\tns\t7\t14\ta: measured; others: derived = a.launch_ns * clock_mhz / "
                "a.clock_mhz, in words",
                "");
    assert_rule("launch_ns\tns\t7\t15\ta: measured; others: derived = a.launch_ns * clock_mhz / "
                "a.clock_mhz",
                "launch_ns of b is 15; its rule, a.launch_ns * clock_mhz / a.clock_mhz, gives 14");
    assert_rule("warp_start_cycles\tcycles\t1.19\t1\ta: measured; b: derived = a.warp_start_cycles",
                "warp_start_cycles of b is 1; its rule, a.warp_start_cycles, gives 1.19");
    assert_rule("launch_ns\tns\t7\t7\tb: derived = c.launch_ns; a: measured",
                "launch_ns of b is 7; its rule, c.launch_ns, gives nan");
    assert_rule("l2_bytes\tbytes\t23592960\t23593000\ta: measured; b: derived = a.l2_bytes",
                "l2_bytes of b is 23593000; its rule, a.l2_bytes, gives 23592960");
    assert_rule("launch_ns\tns\t7\t7\ta: measured", "launch_ns of b has no source");
}
