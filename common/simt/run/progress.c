/*
 * run/progress.c: the time, and what is said on stderr about kernels that take long.
 *
 * Any worker may call these functions. shown_ns and told of struct grid are atomic, so that one
 * worker prints.
 */
#include "run.h"

#include "simt/machine/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NS_PER_S  1000000000ll
#define S_PER_MIN 60

/* On a terminal, one line is written over twice a second. Elsewhere lines stay, so the time between
 * them doubles. */
#define SHOW_AFTER_NS (2 * NS_PER_S)
#define SHOW_EVERY_NS (NS_PER_S / 2)
#define LINE_AFTER_NS (10 * NS_PER_S)
#define LINE_LENGTH   80 /* of a terminal: one that wraps cannot be written over */

#define TELL_AFTER_NS (20 * NS_PER_S) /* without a block that ends: tell the user */

static int64_t read_clock(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) clock_gettime(CLOCK_MONOTONIC, &now); /* in a browser */
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* The three clocks of run/run.h. */
int64_t now_ns(void) {
    return read_clock(CLOCK_MONOTONIC);
}

int64_t tick_ns(void) {
    return read_clock(CLOCK_MONOTONIC_COARSE);
}

int64_t thread_ns(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* When to show progress next. shown: when it was shown last; 0: not yet. */
static int64_t due_ns(const struct grid *grid, int64_t shown) {
    if (grid->on_terminal) return shown ? shown + SHOW_EVERY_NS : grid->started_ns + SHOW_AFTER_NS;
    return shown ? shown + (shown - grid->started_ns) : grid->started_ns + LINE_AFTER_NS;
}

/* The kernel, and the source line where the block is. */
static void add_source_line(struct text *text, const struct block *block) {
    const struct path *path;
    const struct ptx_function *kernel = block->worker->kernel->entry;
    bool runs = block_current(block, &path);
    text_place(text, kernel, runs ? path->frame->code->function : kernel,
               runs ? path->pc->insn : NULL);
}

/* The same in few characters: "spin at wait.cu:12". */
static void add_short_place(struct text *text, const struct block *block) {
    const struct path *path;
    const struct ptx_function *kernel = block->worker->kernel->entry;
    const char *file;
    int32_t line;
    char name[256];
    struct text whole = {name, sizeof name};
    text_name(&whole, kernel->name);
    text_add(text, "%.*s", (int)strcspn(name, "(<"), name);
    if (!block_current(block, &path) || !path->pc->insn) return;
    if (!text_source(path->frame->code->function->module, path->pc->insn, &file, &line)) return;
    text_add(text, " at %s:%d", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
}

/* What the rest of the blocks takes, if each takes as long as those that have ended did. */
static void add_rest(struct text *text, uint64_t done, uint64_t blocks, double seconds) {
    if (!done) return;
    double rest = seconds * (double)(blocks - done) / (double)done;
    if (rest < 2 * S_PER_MIN)
        text_add(text, ", about %.0f s left", ceil(rest));
    else
        text_add(text, ", about %.0f min left", rest / S_PER_MIN);
}

/* Print the progress line, with the place of the calling worker's block. */
static void show(const struct block *block, int64_t ns) {
    struct grid *grid = block->worker->grid;
    uint64_t done = __atomic_load_n(&grid->done_blocks, __ATOMIC_RELAXED);
    char line[1024];
    struct text text = {line, grid->on_terminal ? LINE_LENGTH : sizeof line};
    text_add(&text, "simt: %lld s, %llu of %llu blocks have ended", (long long)(ns / NS_PER_S),
             (unsigned long long)done, (unsigned long long)grid->to_run);
    add_rest(&text, done, grid->to_run, (double)ns / NS_PER_S);
    text_add(&text, ": ");
    if (grid->on_terminal)
        add_short_place(&text, block);
    else
        add_source_line(&text, block);
    report_print(grid->on_terminal ? "\r%s\033[K" : "%s\n", line);
}

void progress_show(const struct block *block) {
    struct grid *grid = block->worker->grid;
    int64_t now = now_ns(), shown = __atomic_load_n(&grid->shown_ns, __ATOMIC_RELAXED);
    if (now < due_ns(grid, shown)) return;
    /* Of the workers that find progress due, the one that changes shown_ns prints. */
    bool mine = __atomic_compare_exchange_n(&grid->shown_ns, &shown, now, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED);
    if (mine) show(block, now - grid->started_ns);
}

void progress_tell(const struct block *block, int64_t without_end_ns) {
    struct grid *grid = block->worker->grid;
    if (grid->limit_ns || without_end_ns < TELL_AFTER_NS) return;
    if (__atomic_exchange_n(&grid->told, true, __ATOMIC_RELAXED)) return;
    char line[1024];
    struct text text = {line, sizeof line};
    add_source_line(&text, block);
    progress_clear(grid);
    report_note("no block has ended for %lld s; the kernel may loop forever: %s",
                (long long)(TELL_AFTER_NS / NS_PER_S), line);
    report_note("it goes on; SIMT_TIMEOUT=seconds stops such a kernel");
}

void progress_idle(const struct block *block) {
    struct grid *grid = block->worker->grid;
    if (grid->warned_idle) return;
    grid->warned_idle = true;
    char line[1024];
    struct text text = {line, sizeof line};
    add_source_line(&text, block);
    progress_clear(grid);
    report_note("the kernel waits for what nothing on the device writes: %s", line);
    report_note("what the program itself stores in pinned or managed memory arrives, and work in "
                "streams that need not wait "
                "for this kernel goes on; other CUDA calls wait for it");
}

/* A note that is printed over the progress line would leave its end standing. */
void progress_clear(const struct grid *grid) {
    if (grid->on_terminal && grid->shown_ns) report_print("\r\033[K");
}
