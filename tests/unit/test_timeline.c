/* Tests of the timeline file: what is written is read back, by several threads too; damaged files
 * are refused with their line. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/die.h"
#include "lib/timeline.h"
#include "unit.h"

static char folder[] = "/tmp/test_timeline.XXXXXX";
static char path[64];

static const struct timeline_row kernel = {.record = TIMELINE_KERNEL,
                                           .name = "_Z6kernelPi",
                                           .start_ns = 10,
                                           .end_ns = 20,
                                           .context = 1,
                                           .stream = 13,
                                           .correlation = 4,
                                           .grid = {1 << 20, 2, 3},
                                           .block = {32, 4, 1},
                                           .registers = 16,
                                           .static_shared = 128,
                                           .dynamic_shared = 1024};
static const struct timeline_row copy = {.record = TIMELINE_MEMCPY,
                                         .name = "PtoP",
                                         .end_ns = UINT64_MAX,
                                         .device = 1,
                                         .context = 2,
                                         .stream = 7,
                                         .correlation = 5,
                                         .bytes = 5000000000,
                                         .source = "device:0",
                                         .target = "device:1"};
static const struct timeline_row fill = {
    .record = TIMELINE_MEMSET, .name = "", .bytes = 4, .target = "device"};
static const struct timeline_row host = {
    .record = TIMELINE_HOST, .name = "cudaLaunchHostFunc", .stream = 7};
static const struct timeline_row call = {
    .record = TIMELINE_API, .name = "cudaMalloc", .correlation = 1, .thread = 2, .status = 2};

/* Run body in a child with a timeline open. Returns wait's status. */
static int in_child(void (*body)(void)) {
    pid_t child = fork();
    if (child == 0) {
        if (!timeline_open(path)) _exit(99);
        body();
        timeline_close();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

static struct timeline read_back(size_t rows) {
    struct timeline timeline;
    bool ok = timeline_read(&timeline, path);
    if (!ok) print_error("%s\n", failure);
    assert_true(ok);
    assert_int_equal(timeline.count, rows);
    return timeline;
}

static void one_of_each(void) {
    const struct timeline_row *rows[] = {&kernel, &copy, &fill, &host, &call};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) timeline_write(rows[i]);
}

TEST(every_record_is_read_back) {
    assert_int_equal(in_child(one_of_each), 0);
    struct timeline timeline = read_back(5);
    const struct timeline_row *row = timeline.rows;
    assert_int_equal(row[0].record, TIMELINE_KERNEL);
    assert_string_equal(row[0].name, kernel.name);
    assert_int_equal(row[0].start_ns, 10);
    assert_int_equal(row[0].end_ns, 20);
    assert_int_equal(row[0].stream, 13);
    assert_memory_equal(row[0].grid, kernel.grid, sizeof kernel.grid);
    assert_memory_equal(row[0].block, kernel.block, sizeof kernel.block);
    assert_int_equal(row[0].registers, 16);
    assert_int_equal(row[0].static_shared, 128);
    assert_int_equal(row[0].dynamic_shared, 1024);
    assert_int_equal(row[1].record, TIMELINE_MEMCPY);
    assert_true(row[1].end_ns == UINT64_MAX);
    assert_int_equal(row[1].device, 1);
    assert_int_equal(row[1].context, 2);
    assert_true(row[1].bytes == 5000000000);
    assert_string_equal(row[1].source, "device:0");
    assert_string_equal(row[1].target, "device:1");
    assert_int_equal(row[2].record, TIMELINE_MEMSET);
    assert_string_equal(row[2].source, "");
    assert_string_equal(row[2].target, "device");
    assert_int_equal(row[3].record, TIMELINE_HOST);
    assert_int_equal(row[4].record, TIMELINE_API);
    assert_int_equal(row[4].thread, 2);
    assert_int_equal(row[4].status, 2);
    timeline_free(&timeline);
}

enum { THREADS = 8, ROWS = 200 };

static void *write_calls(void *number) {
    struct timeline_row row = call;
    row.thread = (uint64_t)(uintptr_t)number;
    for (int i = 0; i < ROWS; i++) timeline_write(&row);
    return NULL;
}

static void all_threads_write(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, write_calls, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

TEST(threads_write_whole_rows) {
    size_t rows[THREADS] = {0};
    assert_int_equal(in_child(all_threads_write), 0);
    struct timeline timeline = read_back((size_t)THREADS * ROWS);
    for (size_t i = 0; i < timeline.count; i++) rows[timeline.rows[i].thread]++;
    for (int i = 0; i < THREADS; i++) assert_int_equal(rows[i], ROWS);
    timeline_free(&timeline);
}

static void crash(void) {
    one_of_each();
    abort();
}

TEST(a_crash_leaves_a_valid_file) {
    int status = in_child(crash);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    struct timeline timeline = read_back(5);
    timeline_free(&timeline);
}

TEST(the_path_may_name_the_process) {
    char pattern[64];
    int status;
    snprintf(pattern, sizeof pattern, "%s/%%p.csv", folder);
    pid_t child = fork();
    if (child == 0) {
        bool ok = timeline_open(pattern);
        timeline_close();
        _exit(ok ? 0 : 99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    snprintf(pattern, sizeof pattern, "%s/%d.csv", folder, (int)child);
    assert_int_equal(unlink(pattern), 0);
}

TEST(refuses_what_it_cannot_write) {
    assert_false(timeline_open("/nonexistent/timeline.csv"));
    assert_string_equal(
        failure, "cannot write the timeline /nonexistent/timeline.csv: No such file or directory");
}

TEST(a_full_disk_is_refused) {
    assert_false(timeline_open("/dev/full"));
    assert_string_equal(failure, "cannot write the timeline /dev/full: No space left on device");
}

/* ---- Damaged files ---- */

#define HEADER                                                                                     \
    "record,name,start_ns,end_ns,device,context,stream,correlation,bytes,source,target,grid,"      \
    "block,registers,"                                                                             \
    "static_shared,dynamic_shared,thread,status\n"

static void check_refused(const char *text, const char *why) {
    char wanted[256];
    struct timeline timeline;
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    assert_false(timeline_read(&timeline, path));
    snprintf(wanted, sizeof wanted, "%s%s", path, why);
    assert_string_equal(failure, wanted);
}

TEST(damaged_files_are_refused) {
    check_refused("", ": not a timeline: its columns are others");
    check_refused("record,name\n", ": not a timeline: its columns are others");
    check_refused(HEADER "graph,x,1,2,0,1,7,1,,,,,,,,,,\n",
                  ":2: the cell in column record is not valid");
    check_refused(HEADER "host,x,-1,2,0,1,7,1,,,,,,,,,,\n",
                  ":2: the cell in column start_ns is not valid");
    check_refused(HEADER "host,x,2,1,0,1,7,1,,,,,,,,,,\n",
                  ":2: the cell in column end_ns is not valid");
    check_refused(HEADER "host,x,1,2,0,1,7,1,,,,,,,,,,\nhost,x,1,2,0,1\n",
                  ":3: the cell in column stream is not valid");
    check_refused(HEADER "kernel,x,1,2,0,1,7,1,,,,(1 1 1),(1 1),9,0,0,,\n",
                  ":2: the cell in column block is not valid");
    check_refused(HEADER "api,x,1,2,,,,1,,,,,,,,,0,99999999999\n",
                  ":2: the cell in column status is not valid");
}

int before_all(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/timeline.csv", folder);
    return 0;
}

/* Nothing else may have been left in the folder: rmdir says so. */
int after_all(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}
