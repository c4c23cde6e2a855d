/* sandbox.c: watches a sandbox, reads its output and stops it. start.c sets one up. */
#include "sandbox.h"

#include "lib/die.h"
#include "lib/file.h"
#include "lib/memory.h"
#include "start.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 25, WORD_BYTES = 16, ROWS_LIMIT = 1 << 20, SIGNALLED = 128, TEXT_SIZE = 64 };

bool sandbox_read(struct sandbox_file *file, const char *path, const char *name) {
    struct stat status;
    size_t size;
    if (stat(path, &status) != 0) return false;
    char *data = read_whole_file(path, &size);
    if (data != NULL)
        *file = (struct sandbox_file){name, data, size, (status.st_mode & S_IXUSR) != 0};
    return data != NULL;
}

/* ---- Reading what comes out ---- */

struct stream {
    int fd;       /* -1: closed */
    size_t limit; /* bytes that the stream may bring */
    struct sandbox_bytes *bytes;
    bool dropped; /* drops bytes over the limit; otherwise they end the command */
};

static void append(struct sandbox_bytes *bytes, const char *data, size_t n) {
    bytes->data = need(realloc(bytes->data, bytes->size + n + 1));
    memcpy(bytes->data + bytes->size, data, n);
    bytes->size += n;
    bytes->data[bytes->size] = '\0';
}

/* Reads all available bytes. Returns false if the stream exceeds its limit and may not. */
static bool drain(struct stream *stream) {
    static char buffer[1 << 16];
    for (bool fits = true;;) {
        ssize_t got = stream->fd >= 0 ? read(stream->fd, buffer, sizeof buffer) : -1;
        if (got == 0) stream->fd = -1;
        if (got <= 0 || !fits) return fits;
        size_t room = stream->limit - stream->bytes->size;
        append(stream->bytes, buffer, (size_t)got < room ? (size_t)got : room);
        fits = (size_t)got <= room || stream->dropped;
    }
}

/* ---- What a job uses ---- */

struct use {
    size_t memory;      /* bytes of resident pages that belong to no file and no shared memory */
    double cpu_seconds; /* of living processes, and of ended ones that were waited for */
};

/* Adds what this process and its descendants use, from /proc: statm is in pages; fields 14 to 17 of
 * stat, after the name, which may contain any character, are user and system time in ticks, its
 * own and its children's. */
static void add_use(pid_t process, struct use *use) {
    char path[TEXT_SIZE], line[1024] = "";
    unsigned long resident = 0, shared = 0, own[2] = {0, 0};
    long children[2] = {0, 0};
    pid_t child;
    snprintf(path, sizeof path, "/proc/%d/statm", process);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%*u %lu %lu", &resident, &shared) == 2)
        use->memory += (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
    if (file != NULL) fclose(file);
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    file = fopen(path, "r");
    const char *name_end = file != NULL && fgets(line, sizeof line, file) ? strrchr(line, ')') : "";
    if (file != NULL) fclose(file);
    if (sscanf(name_end, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu %ld %ld", &own[0],
               &own[1], &children[0], &children[1]) == 4)
        use->cpu_seconds += (double)(own[0] + own[1] + (unsigned long)(children[0] + children[1])) /
                            (double)sysconf(_SC_CLK_TCK);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
    file = fopen(path, "r");
    while (file != NULL && fscanf(file, "%d", &child) == 1) add_use(child, use);
    if (file != NULL) fclose(file);
}

/* ---- Watching ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Waits up to TICK_MS for output and reads it. Returns false if a stream exceeds its limit. */
static bool take_output(struct stream *streams, size_t n) {
    struct pollfd polled[SANDBOX_WAYS];
    for (size_t i = 0; i < n; i++)
        polled[i] = (struct pollfd){.fd = streams[i].fd, .events = POLLIN};
    if (poll(polled, n, TICK_MS) < 0) return true;
    bool fits = true;
    for (size_t i = 0; i < n; i++) fits = drain(&streams[i]) && fits;
    return fits;
}

/* Has the whole answer come? `begun`: S is not a part of it. */
static bool is_answer(const struct sandbox_bytes *back, bool begun) {
    const char *line = back->size > 0 ? back->data + !begun : "", *end = strchr(line, '\n');
    int status;
    size_t size;
    return end != NULL && sscanf(line, "%d %zu", &status, &size) == 2 &&
           back->size - (size_t)(end + 1 - back->data) >= size;
}

bool sandbox_spent(const struct sandbox_budget *budget) {
    return budget != NULL && (budget->seconds <= 0 || budget->cpu_seconds <= 0);
}

/* The rest of the job's budget after these seconds. */
static struct sandbox_budget left_of(const struct sandbox_budget *budget, double seconds,
                                     double cpu_seconds) {
    return (struct sandbox_budget){budget->seconds - seconds, budget->cpu_seconds - cpu_seconds};
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Watches the command until its answer comes or it exceeds a limit. *cpu gets the most processor
 * seconds seen. No other record remains of processes whose parents did not wait for them. */
static enum sandbox_end watch(const struct sandbox *sandbox, const struct sandbox_job *job,
                              struct stream *streams, size_t n, double *cpu) {
    const struct sandbox_limits *limits = &job->limits;
    double begin = now(), look = 0;
    while (streams[WAY_BACK].fd >= 0 && !is_answer(streams[WAY_BACK].bytes, sandbox->begun)) {
        if (!take_output(streams, n)) return SANDBOX_OUTPUT;
        double time = now();
        if (time > begin + limits->seconds) return SANDBOX_TIME;
        if (time < look) continue;
        look = time + TICK_MS * 1e-3;
        struct use use = {0};
        add_use(sandbox->child, &use);
        *cpu = larger(*cpu, use.cpu_seconds - sandbox->cpu_seconds);
        if (use.memory > limits->memory) return SANDBOX_MEMORY;
        if (job->budget == NULL) continue;
        const struct sandbox_budget left = left_of(job->budget, time - begin, *cpu);
        if (sandbox_spent(&left)) return SANDBOX_BUDGET;
    }
    return SANDBOX_ENDED;
}

/* ---- The rows ---- */

/* Makes a random word that nothing in the sandbox can guess. */
static bool make_word(char word[2 * WORD_BYTES + 1]) {
    unsigned char random[WORD_BYTES];
    if (getrandom(random, sizeof random, 0) != sizeof random) return fail_with("no random numbers");
    for (int i = 0; i < WORD_BYTES; i++) snprintf(word + 2 * i, 3, "%02x", random[i]);
    return true;
}

/* Keeps the lines that begin with the word, and cuts the word off. */
static void keep_true_rows(struct sandbox_bytes *rows, const char *word) {
    struct sandbox_bytes kept = {NULL, 0};
    size_t length = strlen(word);
    append(&kept, "", 0);
    for (char *line = rows->data, *next; line != NULL && *line != '\0'; line = next) {
        char *end = strchr(line, '\n');
        next = end != NULL ? end + 1 : NULL;
        if (end == NULL || strncmp(line, word, length) != 0 || line[length] != ' ') continue;
        append(&kept, line + length + 1, (size_t)(next - line) - length - 1);
    }
    free(rows->data);
    *rows = kept;
}

/* ---- The whole ---- */

/* Takes the answer apart: the status, and the file. Without S nothing was run; without an answer
 * something has ended the sandbox. */
static void take_answer(struct sandbox *sandbox, struct sandbox_outcome *outcome) {
    struct sandbox_bytes *taken = &outcome->taken;
    const bool answered = is_answer(taken, sandbox->begun);
    const char *line = taken->size > 0 ? taken->data + !sandbox->begun : "";
    if (!sandbox->begun && taken->size == 0 && outcome->end == SANDBOX_ENDED)
        outcome->end = SANDBOX_FAILED;
    sandbox->begun = true;
    outcome->status = answered ? atoi(line) : SIGNALLED + SIGKILL;
    const size_t head = answered ? (size_t)(strchr(line, '\n') + 1 - taken->data) : taken->size;
    taken->size -= head;
    if (answered)
        memmove(taken->data, taken->data + head, taken->size + 1); /* with the zero byte */
}

static void collect(struct sandbox *sandbox, const struct sandbox_job *job,
                    struct sandbox_outcome *outcome) {
    const int *ways = sandbox->ways;
    struct stream streams[] = {
        {ways[WAY_OUT], job->limits.output, &outcome->out, true},
        {ways[WAY_ERROR], job->limits.output, &outcome->error, false},
        {ways[WAY_BACK], job->limits.disk + TEXT_SIZE, &outcome->taken, false},
        {ways[WAY_ROWS], ROWS_LIMIT, &outcome->rows, false},
    };
    const size_t n = sizeof streams / sizeof *streams;
    struct use use = {0};
    double begin = now(), cpu = 0;
    outcome->end = watch(sandbox, job, streams, n, &cpu);
    for (size_t i = 0; i < n && outcome->end == SANDBOX_ENDED; i++)
        if (!drain(&streams[i])) outcome->end = SANDBOX_OUTPUT;
    add_use(sandbox->child, &use);
    cpu = larger(cpu, use.cpu_seconds - sandbox->cpu_seconds);
    sandbox->cpu_seconds += cpu;
    if (job->budget != NULL) *job->budget = left_of(job->budget, now() - begin, cpu);
    take_answer(sandbox, outcome);
}

void sandbox_run_in(struct sandbox *sandbox, const struct sandbox_job *job,
                    struct sandbox_outcome *outcome) {
    char word[2 * WORD_BYTES + 1] = "";
    memset(outcome, 0, sizeof *outcome);
    if (sandbox_spent(job->budget)) {
        outcome->end = SANDBOX_BUDGET;
    } else if (!make_word(word) || (sandbox->child == 0 && !sandbox_start(sandbox, job))) {
        outcome->end = SANDBOX_FAILED;
        append(&outcome->error, failure, strlen(failure));
    } else {
        sandbox_send(sandbox, job, word); /* if it has ended, there is no answer */
        collect(sandbox, job, outcome);
    }
    /* What a signal ended may be the first program. */
    if (outcome->end != SANDBOX_ENDED || outcome->status > SIGNALLED) sandbox_close(sandbox);
    struct sandbox_bytes *all[] = {&outcome->out, &outcome->error, &outcome->rows, &outcome->taken};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) append(all[i], "", 0);
    keep_true_rows(&outcome->rows, word);
}

void sandbox_run(const struct sandbox_job *job, struct sandbox_outcome *outcome) {
    struct sandbox sandbox = {.child = 0};
    sandbox_run_in(&sandbox, job, outcome);
    sandbox_close(&sandbox);
}

void sandbox_free(struct sandbox_outcome *outcome) {
    free(outcome->out.data);
    free(outcome->error.data);
    free(outcome->rows.data);
    free(outcome->taken.data);
    memset(outcome, 0, sizeof *outcome);
}

const char *sandbox_reason(const struct sandbox_outcome *outcome) {
    switch (outcome->end) {
    case SANDBOX_TIME: return "it ran too long and was stopped";
    case SANDBOX_MEMORY: return "it used too much memory and was stopped";
    case SANDBOX_OUTPUT: return "it printed too much and was stopped";
    case SANDBOX_BUDGET: return "the submission as a whole took too long and was stopped";
    case SANDBOX_FAILED: return "the sandbox could not be set up";
    default: break;
    }
    switch (outcome->status - SIGNALLED) {
    case SIGXCPU:
    case SIGKILL: return "it ran too long and was stopped";
    case SIGXFSZ: return "it wrote too large a file and was stopped";
    default: return NULL;
    }
}
