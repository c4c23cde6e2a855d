/* Tests of what is said of a kernel that takes long and is not stopped. The clock is the test's. */
#include "kernel.h"

#include <unistd.h>

#include "simt/run/run.h"

#define S 1000000000ll

/* A grid whose first block has not ended; what it says goes to a file. */
struct slow {
    struct run run;
    struct grid grid;
    struct worker worker;
    struct block block;
    FILE *said;
    int stderr_fd;
};

static void open_slow(struct slow *slow) {
    memset(slow, 0, sizeof *slow);
    run_open(&slow->run, ".visible .entry k() { ret; }");
    slow->grid =
        (struct grid){.kernel = slow->run.kernel, .nblocks = 4, .to_run = 4, .done_blocks = 1};
    slow->worker.grid = &slow->grid;
    slow->worker.kernel = slow->run.kernel;
    slow->block.worker = &slow->worker;
    slow->said = tmpfile();
    slow->stderr_fd = dup(STDERR_FILENO);
    dup2(fileno(slow->said), STDERR_FILENO);
}

static void close_slow(struct slow *slow, char *text, size_t size) {
    dup2(slow->stderr_fd, STDERR_FILENO);
    close(slow->stderr_fd);
    rewind(slow->said);
    text[fread(text, 1, size - 1, slow->said)] = '\0';
    fclose(slow->said);
    run_close(&slow->run);
}

TEST(told_once_and_left_alone) {
    struct slow slow;
    char text[1024];
    open_slow(&slow);
    progress_tell(&slow.block, 19 * S);
    progress_tell(&slow.block, 21 * S);
    progress_tell(&slow.block, 40 * S);
    close_slow(&slow, text, sizeof text);
    assert_string_equal(text, "simt: no block has ended for 20 s; the kernel may loop forever: k\n"
                              "simt: it goes on; SIMT_TIMEOUT=seconds stops such a kernel\n");
}

TEST(not_told_where_it_will_be_stopped) {
    struct slow slow;
    char text[1024];
    open_slow(&slow);
    slow.grid.limit_ns = 60 * S;
    progress_tell(&slow.block, 40 * S);
    close_slow(&slow, text, sizeof text);
    assert_string_equal(text, "");
}

/* In a file lines are few: after 10 s, and then after twice the time each. */
TEST(lines_where_stderr_is_no_terminal) {
    struct slow slow;
    char text[1024];
    open_slow(&slow);
    slow.grid.started_ns = now_ns() - 9 * S;
    progress_show(&slow.block);
    slow.grid.started_ns = now_ns() - 11 * S;
    progress_show(&slow.block);
    progress_show(&slow.block);
    slow.grid.started_ns -= 12 * S;
    slow.grid.shown_ns -= 12 * S;
    slow.grid.done_blocks = 2;
    progress_show(&slow.block);
    close_slow(&slow, text, sizeof text);
    assert_string_equal(text, "simt: 11 s, 1 of 4 blocks have ended, about 34 s left: k\n"
                              "simt: 23 s, 2 of 4 blocks have ended, about 24 s left: k\n");
}

TEST(rest_in_minutes) {
    struct slow slow;
    char text[1024];
    open_slow(&slow);
    slow.grid.to_run = 61;
    slow.grid.started_ns = now_ns() - 60 * S;
    progress_show(&slow.block);
    close_slow(&slow, text, sizeof text);
    assert_string_equal(text, "simt: 60 s, 1 of 61 blocks have ended, about 60 min left: k\n");
}

/* Two seconds suffice on a terminal. The line begins anew each time. */
TEST(line_on_a_terminal) {
    struct slow slow;
    char text[1024];
    open_slow(&slow);
    slow.grid.on_terminal = true;
    slow.grid.started_ns = now_ns() - 1 * S;
    progress_show(&slow.block);
    slow.grid.done_blocks = 3;
    slow.grid.started_ns = now_ns() - 3 * S;
    progress_show(&slow.block);
    close_slow(&slow, text, sizeof text);
    assert_string_equal(text, "\rsimt: 3 s, 3 of 4 blocks have ended, about 2 s left: k\033[K");
}
