/* Tests of the profile writer: a complete table at every moment, in its place at the end whatever
 * the end, and a clear refusal. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/csv.h"
#include "lib/die.h"
#include "simt/device/gpu.h"
#include "simt/run/profile.h"
#include "simt/time/timing.h"
#include "unit.h"

static char folder[] = "/tmp/test_profile.XXXXXX";
static char path[64];

static struct launch launch_of(const char *failure, const struct timing *timing) {
    char error[256];
    struct launch launch = {
        .name = "_Z6kernelPi",
        .shape = {.grid = {16384, 1, 1}, .block = {1024, 1, 1}},
        .registers = 16,
        .gpu = gpu_find("h200", error, sizeof error),
        .failure = failure,
        .occupancy = {2, 64, 1.0, 1024, 32768, "warps"},
        .counters = {.inst_executed = 123456789012345ull, .gld_sectors = 7},
        .timing = timing,
    };
    return launch;
}

static void write_rows(int n) {
    struct timing timing = {.time_ns = 1234.5, .stall_barrier = 10};
    for (int i = 0; i < n; i++) {
        struct launch launch = launch_of(NULL, &timing);
        profile_write(&launch);
    }
}

/* Run body in a child with a profile open. Returns wait's status. */
static int in_child(void (*body)(void)) {
    pid_t child = fork();
    if (child == 0) {
        if (!profile_open(path)) _exit(99);
        body();
        profile_close();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/* The finished profile. It must parse, with as many rows as launches. */
static struct csv *read_back(size_t rows) {
    struct csv *table = csv_read(path, &CSV_COMMAS);
    if (!table) print_error("%s\n", failure);
    assert_non_null(table);
    assert_int_equal(csv_rows(table), rows);
    return table;
}

static void three_rows(void) {
    write_rows(3);
}

TEST(a_row_per_launch) {
    assert_int_equal(in_child(three_rows), 0);
    struct csv *table = read_back(3);
    assert_string_equal(csv_get(table, 2, "launch"), "3");
    assert_string_equal(csv_get(table, 0, "kernel"), "_Z6kernelPi");
    assert_string_equal(csv_get(table, 0, "grid"), "(16384 1 1)");
    assert_string_equal(csv_get(table, 0, "device"), "NVIDIA H200 (simt)");
    assert_string_equal(csv_get(table, 0, "cc"), "9.0");
    assert_string_equal(csv_get(table, 0, "status"), "ok");
    assert_string_equal(csv_get(table, 0, "inst_executed"), "123456789012345");
    assert_string_equal(csv_get(table, 0, "time_ns"), "1234.5");
    assert_string_equal(csv_get(table, 0, "sms"), "132");
    assert_string_equal(csv_get(table, 0, "clock_hz"), "1980000000");
    assert_string_equal(csv_get(table, 0, "dram_peak_bps"), "4800000000000");
    csv_free(table);
}

static void failures(void) {
    struct launch refused = launch_of("cudaErrorInvalidConfiguration", NULL),
                  untimed = launch_of(NULL, NULL);
    profile_write(&refused);
    profile_write(&untimed);
}

TEST(what_is_not_known_is_na) {
    assert_int_equal(in_child(failures), 0);
    struct csv *table = read_back(2);
    assert_string_equal(csv_get(table, 0, "status"), "cudaErrorInvalidConfiguration");
    assert_string_equal(csv_get(table, 0, "inst_executed"), "NA");
    assert_string_equal(csv_get(table, 0, "stall_barrier"), "NA");
    assert_string_equal(csv_get(table, 1, "gld_sectors"), "7");
    assert_string_equal(csv_get(table, 1, "theoretical_occupancy"), "1");
    assert_string_equal(csv_get(table, 1, "time_ns"), "NA");
    csv_free(table);
}

static void crash(void) {
    write_rows(2);
    abort();
}

TEST(a_crash_leaves_a_valid_file) {
    int status = in_child(crash);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    csv_free(read_back(2));
}

static void fork_and_leave(void) {
    write_rows(1);
    if (fork() == 0) {
        write_rows(1);
        profile_close();
        _exit(0);
    }
    wait(NULL);
    write_rows(1);
}

TEST(a_forked_child_does_not_meddle) {
    assert_int_equal(in_child(fork_and_leave), 0);
    csv_free(read_back(2));
}

TEST(refuses_what_it_cannot_write) {
    assert_false(profile_open("/nonexistent/profile.csv"));
    assert_non_null(strstr(failure, "/nonexistent/profile.csv"));
    assert_non_null(strstr(failure, "No such file"));
}

/* Text of a file, at most size - 1 bytes of it. */
static const char *text_of(const char *name, char *text, size_t size) {
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(a_link_is_followed) {
    char after[80], text[4096];
    struct stat status;
    unlink(path);
    snprintf(after, sizeof after, "%s/after.csv", folder);
    for (int there = 0; there <= 1; there++) { /* first a link to what is not there yet */
        assert_int_equal(symlink("after.csv", path), 0);
        assert_int_equal(in_child(three_rows), 0);
        assert_int_equal(lstat(path, &status), 0);
        assert_true(S_ISLNK(status.st_mode));
        assert_memory_equal(text_of(after, text, sizeof text), "launch,kernel,", 14);
        unlink(path);
    }
    unlink(after);
}

TEST(a_pipe_is_written_to) {
    char text[65536];
    struct stat status;
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(in_child(three_rows), 0);
    ssize_t n = read(reader, text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = '\0';
    assert_memory_equal(text, "launch,kernel,", 14);
    assert_non_null(strstr(text, "\n3,_Z6kernelPi,"));
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    close(reader);
    unlink(path);
}

/* Its rows stand after what the program has printed, and nothing is lost. */
TEST(what_stdout_goes_to_is_not_replaced) {
    char text[65536];
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(path, "w", stdout)) _exit(98);
        printf("before\n");
        fflush(stdout);
        if (!profile_open("/proc/self/fd/1")) _exit(99);
        profile_close();
        printf("after\n");
        fflush(stdout);
        _exit(0);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    assert_int_equal(ended, 0);
    text_of(path, text, sizeof text);
    assert_memory_equal(text, "before\nlaunch,kernel,", 21);
    assert_non_null(strstr(text, "\nafter\n"));
    unlink(path);
}

int before_all(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/profile.csv", folder);
    return 0;
}

/* Nothing else may have been left in the folder: rmdir says so. */
int after_all(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}
