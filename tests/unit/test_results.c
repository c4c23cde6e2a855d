/* Tests of the lookup of measured numbers: what is a value, what is not available, and what is a
 * misspelt name. */
#include <unistd.h>

#include <math.h>

#include "lib/die.h"
#include "lib/results.h"
#include "unit.h"

static const char RUN[] =
    "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,"
    "device\n"
    "3,1,first,(2 1 1),(32 1 1),0.5,0.4,0.6,100,1,ok,modelled,NVIDIA H200 (simt)\n"
    "3,2,second,(2 1 1),(32 1 1),NA,NA,NA,NA,NA,todo,modelled,NVIDIA H200 (simt)\n"
    "3,3,third,(2 1 1),(32 1 1),0.1,0.1,0.1,9,5,\"WRONG (index 0, got 1, want 2)\",modelled,x\n"
    "3,4,empty,(0 1 1),(32 1 1),NA,NA,NA,NA,NA,ok,modelled,x\n";
static const char METRICS[] =
    "lab,step,kernel,grid,block,metric,value,unit,backend,device\n"
    "3,1,first,(2 1 1),(32 1 1),inst_per_warp,12.5,inst/warp,simt,NVIDIA H200 (simt)\n"
    "3,1,first,(2 1 1),(32 1 1),stall_sync,NA,%,simt,NVIDIA H200 (simt)\n"
    "3,1,first,(2 1 1),(32 1 1),odd,12x,%,simt,NVIDIA H200 (simt)\n";

/* A temporary file with that text; the caller unlinks and frees its name. */
static char *file_with(const char *text) {
    char *path = strdup("/tmp/test_results.XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    return path;
}

static bool add(struct results *results, const char *name, const char *run, const char *metrics) {
    char *run_path = file_with(run), *metrics_path = metrics == NULL ? NULL : file_with(metrics);
    bool added = results_add(results, name, run_path, metrics_path);
    unlink(run_path);
    free(run_path);
    if (metrics_path != NULL) unlink(metrics_path);
    free(metrics_path);
    return added;
}

TEST(finds_launches_by_their_shape) {
    static const char SWEEP[] = "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,"
                                "bandwidth_gbs,speedup,status,clock,device\n"
                                "2,1,sum,(2 4 1),(32 16 1),0.5,0.5,0.5,1,1,ok,modelled,x\n"
                                "2,1,sum,(4 2 1),(16 32 1),0.25,0.25,0.25,1,1,ok,modelled,x\n"
                                "2,2,wave,(264 1 1),(64 1 1),2,2,2,1,1,ok,modelled,x\n"
                                "2,2,wave,(265 1 1),(64 1 1),3,3,3,1,1,ok,modelled,x\n";
    struct results results = {.sources = 0};
    double value;
    char kernel[RESULTS_NAME];
    assert_true(results_add_absent(&results, "unrecorded"));
    assert_true(add(&results, "sim", SWEEP, NULL));
    assert_int_equal(results_number(&results, "sim.sum@16x32.time_ms", &value), RESULTS_VALUE);
    assert_true(value == 0.25);
    assert_int_equal(results_number(&results, "sim.wave@g264.time_ms", &value), RESULTS_VALUE);
    assert_int_equal(results_number(&results, "sim.sum@8x8.time_ms", &value), RESULTS_UNKNOWN);
    assert_int_equal(results_number(&results, "unrecorded.sum.time_ms", &value), RESULTS_ABSENT);
    assert_true(results_kernel(&results, "", 1, kernel, sizeof kernel));
    assert_string_equal(kernel, "sum@16x32");
    assert_true(results_kernel(&results, "", 2, kernel, sizeof kernel));
    assert_string_equal(kernel, "wave@g264x1");
    assert_false(results_kernel(&results, "", 4, kernel, sizeof kernel));
    results_free(&results);
}

TEST(finds_numbers_of_runs_and_metrics) {
    struct results results = {.sources = 0};
    double value;
    assert_true(add(&results, "sim", RUN, METRICS));
    assert_int_equal(results_number(&results, "first.time_ms", &value), RESULTS_VALUE);
    assert_true(value == 0.5);
    assert_int_equal(results_number(&results, "sim.first.inst_per_warp", &value), RESULTS_VALUE);
    assert_true(value == 12.5);
    results_free(&results);
}

TEST(tells_why_there_is_no_number) {
    static const struct {
        const char *name;
        enum results_state state;
    } CASES[] = {{"first.stall_sync", RESULTS_NA},
                 {"first.odd", RESULTS_NA},
                 {"empty.time_ms", RESULTS_NA},
                 {"second.time_ms", RESULTS_TODO},
                 {"second.inst_per_warp", RESULTS_TODO},
                 {"third.time_ms", RESULTS_WRONG},
                 {"first.no_metric", RESULTS_UNKNOWN},
                 {"nobody.time_ms", RESULTS_UNKNOWN},
                 {"gpu.first.time_ms", RESULTS_UNKNOWN},
                 {"first", RESULTS_UNKNOWN},
                 {"", RESULTS_UNKNOWN},
                 {"first.kernel", RESULTS_UNKNOWN}};
    struct results results = {.sources = 0};
    assert_true(add(&results, "sim", RUN, METRICS));
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        double value = 1;
        assert_int_equal(results_number(&results, CASES[i].name, &value), CASES[i].state);
        assert_true(isnan(value)); /* never a guessed number */
    }
    results_free(&results);
}

TEST(keeps_the_worst_of_an_expression) {
    struct results results = {.sources = 0};
    assert_true(add(&results, "sim", RUN, METRICS));
    struct results_use use = {.results = &results, .worst = RESULTS_VALUE};
    assert_true(results_lookup(&use, "first.time_ms") == 0.5);
    assert_int_equal(use.worst, RESULTS_VALUE);
    results_lookup(&use, "first.stall_sync");
    results_lookup(&use, "first.nothing");
    results_lookup(&use, "first.stall_sync");
    assert_int_equal(use.worst, RESULTS_UNKNOWN);
    assert_string_equal(use.name, "first.nothing");
    results_free(&results);
}

TEST(knows_the_device_and_the_kernels) {
    struct results results = {.sources = 0};
    assert_true(add(&results, "sim", RUN, NULL));
    assert_string_equal(results_device(&results, "sim"), "NVIDIA H200 (simt)");
    assert_string_equal(results_device(&results, "gpu"), "");
    assert_true(results_simulated(&results, ""));
    char kernel[RESULTS_NAME];
    assert_true(results_kernel(&results, "", 3, kernel, sizeof kernel));
    assert_string_equal(kernel, "empty");
    assert_false(results_kernel(&results, "", 4, kernel, sizeof kernel));
    results_free(&results);
}

TEST(refuses_tables_that_are_none) {
    struct results results = {.sources = 0};
    assert_false(add(&results, "sim", "step,kernel\n1,first\n", NULL));
    assert_non_null(strstr(failure, "has no column time_ms"));
    assert_false(add(&results, "sim", RUN, "kernel,metric,value,device\n"));
    assert_non_null(strstr(failure, "has no rows"));
    assert_false(results_add(&results, "sim", "/nowhere/run.csv", NULL));
    assert_non_null(strstr(failure, "/nowhere/run.csv"));
    assert_int_equal(results.sources, 0);
}

static bool add_argument(struct results *results, const char *text, const char *run) {
    char *path = strdup("/tmp/test_results.XXXXXX.tsv"), argument[128];
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    snprintf(argument, sizeof argument, "old=%s%s", path, run);
    bool added = results_add_argument(results, argument);
    unlink(path);
    free(path);
    return added;
}

TEST(finds_figures_of_a_run) {
    static const char FIGURES[] = "run\tkernel\tquantity\tvalue\twhere\n"
                                  "book\tsum@32x16\ttime_ms\t0.5\tpage 1\n"
                                  "book\tmax\tipc\t2\tpage 2\n"
                                  "other\tsum@32x16\ttime_ms\t7\tpage 3\n";
    struct results results = {.sources = 0};
    double value;
    assert_true(add_argument(&results, FIGURES, ":book"));
    assert_int_equal(results_number(&results, "old.sum@32x16.time_ms", &value), RESULTS_VALUE);
    assert_float_equal(value, 0.5, 0);
    assert_int_equal(results_number(&results, "old.max.time_ms", &value), RESULTS_NA);
    assert_int_equal(results_number(&results, "old.sum@32x16.gflops", &value), RESULTS_UNKNOWN);
    results_free(&results);
    assert_false(add_argument(&results, "run\tkernel\n", ":book"));
    assert_non_null(strstr(failure, "has no column quantity"));
    assert_false(add_argument(&results, FIGURES, ""));
    assert_non_null(strstr(failure, "has no column constant"));
}
