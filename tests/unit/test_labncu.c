/* labncu's names, numbers, metrics and the file of -o. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "labncu/format.h"
#include "labncu/options.h"
#include "labncu/record.h"
#include "labncu/sections.h"
#include "labncu/values.h"
#include "labprof/names.h"
#include "lib/die.h"
#include "unit.h"

static struct metrics metrics;
static struct csv *profile;

/* A launch of lab 3's first kernel, as an H200's Nsight Compute and simt count it. */
static const char launch[] =
    "launch,mangled,grid,block,status,parent,inst_executed,branch,divergent_branch,"
    "thread_inst_executed,sms,schedulers_per_sm,time_ns,active_cycles,elapsed_cycles,gld_sectors,"
    "theoretical_occupancy,achieved_occupancy,threads_per_sm,dram_read_bytes\n"
    "1,_Z16reduceNeighboredPiS_j,(16384 1 1),(1024 1 1),ok,0,177176576,11010048,3129344,"
    "5066702848,132,4,244650,478208,479100.7,16760832,1,0.95,2048,67112248\n";

int before_all(void **state) {
    (void)state;
    if (!metrics_read(&metrics, "common/labprof/metrics.tsv")) fail_msg("%s", failure);
    profile = csv_parse(launch, strlen(launch), "launch", &CSV_COMMAS);
    return profile ? 0 : -1;
}

int after_all(void **state) {
    (void)state;
    csv_free(profile);
    metrics_free(&metrics);
    return 0;
}

TEST(spells_names_as_ncu_does) {
    static const char *const cases[][2] = {
        {"_Z16reduceNeighboredPiS_j", "reduceNeighbored(int *, int *, unsigned int)"},
        {"_Z7reduce0IiEvPKT_PS0_j", "void reduce0<int>(const T1 *, T1 *, unsigned int)"},
        {"_Z20reduceCompleteUnrollILj1024EEvPiS0_j",
         "void reduceCompleteUnroll<(unsigned int)1024>(int *, int *, unsigned int)"},
        {"_Z1kILb1ELi32EfEvPT1_", "void k<(bool)1, (int)32, float>(T3 *)"},
        {"_Z16referenceProductPKfS0_Pdi",
         "referenceProduct(const float *, const float *, double *, int)"},
        {"_ZN12_GLOBAL__N_15innerEPPi", "<unnamed>::inner(int **)"},
        {"plain_c_name", "plain_c_name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = kernel_name_ncu(cases[i][0]);
        assert_string_equal(name, cases[i][1]);
        free(name);
    }
}

TEST(writes_numbers_as_ncu_does) {
    static const struct {
        double value;
        bool decimals;
        const char *text;
    } cases[] = {
        {525639, false, "525,639"},  {520554.068182, false, "520,554.07"}, {0, false, "0"},
        {71.577381, false, "71.58"}, {16777216, true, "16,777,216.00"},    {-1234, false, "-1,234"},
        {NAN, false, "n/a"}};
    char text[NUMBER_SIZE], unit[UNIT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        format_number(cases[i].value, cases[i].decimals, text);
        assert_string_equal(text, cases[i].text);
    }
    assert_true(fabs(8192 * scale_unit(8192, "byte/block", unit) - 8.192) < 1e-9);
    assert_string_equal(unit, "Kbyte/block");
    assert_true(fabs(350624 * scale_unit(350624, "ns", unit) - 350.624) < 1e-9);
    assert_string_equal(unit, "us");
    assert_true(scale_unit(5e5, "cycle", unit) == 1);
    assert_string_equal(unit, "cycle");
}

/* The H200's values of the counted ones are those of Nsight Compute 2025.3. */
TEST(finds_metrics_by_ncus_names_and_suffixes) {
    static const struct {
        const char *name, *unit;
        double value;
        bool modelled;
    } cases[] = {
        {"smsp__inst_executed.sum", "inst", 177176576, false},
        {"smsp__inst_executed.avg", "inst", 335561.696970, false},
        {"smsp__thread_inst_executed_per_inst_executed.ratio", "", 28.5969114, false},
        {"smsp__sass_average_branch_targets_threads_uniform.pct", "%", 71.577381, false},
        {"smsp__sass_branch_targets_threads_divergent.avg", "branches", 5926.787879, false},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", 16760832, false},
        {"launch__thread_count", "thread", 16777216, false},
        {"sm__warps_active.avg.pct_of_peak_sustained_active", "%", 95, true},
        {"sm__inst_executed.avg.per_cycle_active", "inst/cycle", 177176576 / 132. / 478208, true},
        {"dram__bytes_read.sum", "byte", 67112248, true},
        {"dram__bytes_read.sum.per_second", "byte/s", 67112248 / 244650e-9, true},
        {"gpu__time_duration.sum", "ns", 244650, true},
        {"gpc__cycles_elapsed.max", "cycle", 479101, true}, /* whole, as ncu's */
    };
    struct profile_row row = {profile, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ncu_metric metric;
        if (!ncu_metric_find(&metrics, cases[i].name, &metric)) fail_msg("no %s", cases[i].name);
        double value = ncu_metric_value(&metric, &row);
        if (!(fabs(value / cases[i].value - 1) < 1e-8))
            fail_msg("%s: %.9g, not %.9g", cases[i].name, value, cases[i].value);
        assert_string_equal(metric.unit, cases[i].unit);
        assert_int_equal(metric.modelled, cases[i].modelled);
    }
}

TEST(gives_no_metric_that_simt_has_not) {
    static const char *const names[] = {
        "dram__cycles_elapsed.sum", "smsp__inst_executed.max",
        "smsp__inst_executed",      "lts__t_sectors_op_read.sum.per_second",
        "nosuch__metric.sum",       "inst_executed"};
    struct ncu_metric metric;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ncu_metric_find(&metrics, names[i], &metric)) fail_msg("found %s", names[i]);
}

TEST(has_sections_of_known_metrics) {
    struct sections sections;
    if (!sections_read(&sections, "common/labncu/sections.tsv")) fail_msg("%s", failure);
    assert_int_equal(sections.count, 24);
    assert_true(sections_pick_set(&sections, "basic"));
    int wanted = 0;
    for (int i = 0; i < sections.count; i++) wanted += sections.items[i].wanted;
    assert_int_equal(wanted, 4);
    assert_true(sections_pick(&sections, "InstructionStats,regex:^Warp"));
    for (int i = 0; i < sections.count; i++) wanted -= sections.items[i].wanted;
    assert_int_equal(wanted, -2);
    assert_false(sections_pick(&sections, "NoSuch"));
    assert_false(sections_pick_set(&sections, "nosuch"));
    sections_free(&sections);
}

TEST(refuses_what_is_no_file_of_results) {
    static const char *const texts[] = {
        "", "labncu results 1\n", "labncu results 1\ntrust \nprocess 1 a\nlaunch\n1\n", "NVR"};
    char path[] = "/tmp/test_labncu.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct record record;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, texts[i], strlen(texts[i]), 0), (int)strlen(texts[i]));
        assert_false(record_read(&record, path));
        record_free(&record);
    }
    close(fd);
    unlink(path);
}

TEST(reads_ncus_options) {
    struct ncu_options o;
    char *argv[] = {"labncu",  "-k",  "regex:^a", "-c2",           "--set=full",
                    "--page",  "raw", "--csv",    "--replay-mode", "kernel",
                    "./a.out", "-k",  NULL};
    assert_true(ncu_options_parse(&o, 12, argv));
    assert_int_equal(o.count, 2);
    assert_string_equal(o.kernel_name, "regex:^a");
    assert_string_equal(o.set, "full");
    assert_true(o.page == PAGE_RAW && o.csv && o.notes.count == 1);
    assert_string_equal(o.command[1], "-k");
    static char *const wrong[][2] = {{"--nosuch", "unrecognised option '--nosuch'"},
                                     {"--page=nosuch", "the argument is invalid"},
                                     {"--launch-count=x", "the argument is invalid"},
                                     {"--replay-mode=range", "simt counts everything in one run"},
                                     {"--section", "the required argument"},
                                     {"--csv", "which program?"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(ncu_options_parse(&o, 2, (char *[]){"labncu", wrong[i][0], NULL}));
        assert_non_null(strstr(failure, wrong[i][1]));
    }
}
