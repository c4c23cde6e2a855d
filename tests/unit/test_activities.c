/* Tests of labprof's view of a run's timelines: order, names, causes, what options hide, sums, and
 * the trace for viewers. */
#include <unistd.h>

#include "labprof/activities.h"
#include "labprof/tables.h"
#include "lib/die.h"
#include "unit.h"

static char folder[] = "/tmp/test_activities.XXXXXX";
static char pattern[64];

#define HEADER                                                                                     \
    "record,name,start_ns,end_ns,device,context,stream,correlation,bytes,source,target,grid,"      \
    "block,registers,"                                                                             \
    "static_shared,dynamic_shared,thread,status\n"

static void write_timeline(int process, const char *rows) {
    char path[96];
    snprintf(path, sizeof path, "%s/timeline.%d.csv", folder, process);
    FILE *out = fopen(path, "w");
    fprintf(out, "%s%s", HEADER, rows);
    fclose(out);
}

/* Two processes, in which the numbers of calls are the same. The times of each count from its first
 * record. */
int before_all(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(pattern, sizeof pattern, "%s/timeline.*", folder);
    write_timeline(11, "kernel,_Z1aPi,300,500,0,1,7,2,,,,(4 1 1),(32 1 1),16,0,0,,\n"
                       "api,cudaLaunchKernel,200,210,,,,2,,,,,,,,,1,0\n"
                       "api,cudaMalloc,100,190,,,,1,,,,,,,,,1,0\n"
                       "kernel,_Z1aPi,500,600,0,1,7,3,,,,(4 1 1),(32 1 1),16,0,0,,\n"
                       "memset,,700,710,0,1,7,9,64,,device,,,,,,,\n");
    write_timeline(12, "api,cudaLaunchKernel,250,260,,,,2,,,,,,,,,1,0\n"
                       "kernel,_Z1bPi,260,300,0,1,7,2,,,,(4 1 1),(32 1 1),16,0,0,,\n");
    return 0;
}

int after_all(void **state) {
    char path[96];
    (void)state;
    for (int process = 11; process <= 12; process++) {
        snprintf(path, sizeof path, "%s/timeline.%d.csv", folder, process);
        unlink(path);
    }
    return rmdir(folder);
}

static struct activities read_all(void) {
    struct activities a = {0};
    if (!activities_read(&a, pattern)) fail_msg("%s", failure);
    assert_int_equal(a.timeline_count, 2);
    assert_int_equal(a.count, 7);
    return a;
}

TEST(are_sorted_by_start_and_named) {
    static const struct {
        int process;
        const char *name;
    } wanted[] = {{11, "cudaMalloc"},       {12, "cudaLaunchKernel"}, {12, "b(int*)"},
                  {11, "cudaLaunchKernel"}, {11, "a(int*)"},          {11, "a(int*)"},
                  {11, "[CUDA memset]"}};
    struct activities a = read_all();
    for (size_t i = 0; i < a.count; i++) {
        assert_int_equal(a.items[i].process, wanted[i].process);
        assert_string_equal(a.items[i].name, wanted[i].name);
    }
    assert_ptr_equal(a.items[4].name, a.items[5].name);
    activities_free(&a);
}

/* Calls of another process with the same number cause nothing here, and what has no call stays
 * without one. */
TEST(know_the_call_that_caused_them) {
    struct activities a = read_all();
    assert_ptr_equal(a.items[4].call, &a.items[3]);
    assert_ptr_equal(a.items[3].kernel, &a.items[4]);
    assert_ptr_equal(a.items[2].call, &a.items[1]);
    assert_ptr_equal(a.items[1].kernel, &a.items[2]);
    assert_null(a.items[0].kernel);
    assert_null(a.items[5].call);
    assert_null(a.items[6].call);
    activities_free(&a);
}

TEST(are_hidden_by_the_filter_by_name_and_invocation) {
    struct activities a = read_all();
    struct filters filter = {0};
    assert_true(filters_add(&filter, "::a:2"));
    activities_filter(&a, &filter);
    for (size_t i = 0; i < a.count; i++) assert_int_equal(a.items[i].hidden, i == 2 || i == 4);
    filters_free(&filter);
    activities_free(&a);
}

TEST(no_timeline_is_no_error) {
    struct activities a = {0};
    assert_true(activities_read(&a, "/no/such/timeline.*"));
    assert_int_equal(a.count + a.timeline_count, 0);
    activities_free(&a);
}

/* The summary as CSV, without the lines above its units. */
static void assert_summary(const struct activities *a, const char *wanted) {
    struct options options = {.csv = true, .unit = TIME_NS};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct report report = {
        .out = out, .pid = 1, .options = &options, .device = "GPU", .activities = a};
    print_summary(&report, true, true);
    fclose(out);
    assert_string_equal(strstr(text, ",%,ns"), wanted);
    free(text);
}

TEST(are_added_up_by_name) {
    struct activities a = read_all();
    assert_summary(
        &a,
        ",%,ns,,ns,ns,ns,\n"
        "\"GPU activities\",85.714286,300.000000,2,150.000000,100.000000,200.000000,\"a(int*)\"\n"
        "\"GPU activities\",11.428571,40.000000,1,40.000000,40.000000,40.000000,\"b(int*)\"\n"
        "\"GPU activities\",2.857143,10.000000,1,10.000000,10.000000,10.000000,\"[CUDA memset]\"\n"
        "\"API calls\",81.818182,90.000000,1,90.000000,90.000000,90.000000,\"cudaMalloc\"\n"
        "\"API calls\",18.181818,20.000000,2,10.000000,10.000000,10.000000,\"cudaLaunchKernel\"\n");
    activities_free(&a);
}

/* Names may hold what JSON must escape. */
TEST(become_valid_json) {
    struct activities a = read_all();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    chrome_write(out, &a, "GPU \"\\\t", false, NULL);
    fclose(out);
    assert_non_null(strstr(text, "\"GPU \\\"\\\\\\u0009 (0) of process 12\""));
    assert_non_null(strstr(text, "\"ts\":0.200,\"dur\":0.200"));
    assert_null(strstr(text, "modelled"));
    free(text);
    activities_free(&a);
}
