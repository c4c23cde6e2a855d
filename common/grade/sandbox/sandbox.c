/* sandbox.c: watches a sandbox, reads its output and stops it. start.c sets one up. */
#include "sandbox.h"

#include "lib/memory.h"
#include "start.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 25, WORD_BYTES = 16, ROWS_LIMIT = 1 << 20, SIGNALLED = 128 };

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

/* Reads available bytes. Returns false if the stream exceeds its limit and may not. */
static bool drain(struct stream *stream) {
    char buffer[1 << 16];
    ssize_t got = read(stream->fd, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) {
        close(stream->fd);
        stream->fd = -1;
        return true;
    }
    size_t room = stream->limit - stream->bytes->size, n = (size_t)got < room ? (size_t)got : room;
    append(stream->bytes, buffer, n);
    return (size_t)got <= room || stream->dropped;
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
    for (size_t i = 0; i < n; i++) {
        if (polled[i].fd >= 0 && polled[i].revents != 0) fits = drain(&streams[i]) && fits;
    }
    return fits;
}

static bool any_open(const struct stream *streams, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (streams[i].fd >= 0) return true;
    }
    return false;
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

/* Watches the command until its streams close or it exceeds a limit. *cpu gets the most processor
 * seconds seen. No other record remains of processes whose parents did not wait for them. */
static enum sandbox_end watch(const struct sandbox *sandbox, const struct sandbox_job *job,
                              struct stream *streams, size_t n, double *cpu) {
    const struct sandbox_limits *limits = &job->limits;
    double begin = now(), look = 0;
    while (any_open(streams, n)) {
        if (!take_output(streams, n)) return SANDBOX_OUTPUT;
        double time = now();
        if (time > begin + limits->seconds) return SANDBOX_TIME;
        if (time < look) continue;
        look = time + TICK_MS * 1e-3;
        if (sandbox_memory(sandbox->child) > limits->memory) return SANDBOX_MEMORY;
        if (job->budget == NULL) continue;
        *cpu = larger(*cpu, sandbox_cpu(sandbox->child) - sandbox->cpu_seconds);
        const struct sandbox_budget left = left_of(job->budget, time - begin, *cpu);
        if (sandbox_spent(&left)) return SANDBOX_BUDGET;
    }
    return SANDBOX_ENDED;
}

/* ---- The rows ---- */

/* Makes a random word that nothing in the sandbox can guess. */
static bool make_word(char word[2 * WORD_BYTES + 1]) {
    unsigned char random[WORD_BYTES];
    if (getrandom(random, sizeof random, 0) != sizeof random) return false;
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

/* Removes the mark S that init.c sends first. Without it the sandbox was not set up. */
static void strip_started_mark(struct sandbox_outcome *outcome) {
    struct sandbox_bytes *taken = &outcome->taken;
    if (taken->size == 0) {
        if (outcome->end == SANDBOX_ENDED) outcome->end = SANDBOX_FAILED;
        return;
    }
    memmove(taken->data, taken->data + 1, taken->size); /* with the zero byte after */
    taken->size--;
}

/* The exit code that init.c answers with. If something ended init.c, that was a signal. */
static int answer(const struct sandbox *sandbox) {
    int status;
    bool answered = recv(sandbox->control, &status, sizeof status, MSG_DONTWAIT) == sizeof status;
    return answered ? status : SIGNALLED + SIGKILL;
}

static void collect(struct sandbox *sandbox, const struct sandbox_job *job,
                    const struct sandbox_ways *ways, struct sandbox_outcome *outcome) {
    struct stream streams[SANDBOX_WAYS] = {
        {ways->out[0], job->limits.output, &outcome->out, true},
        {ways->error[0], job->limits.output, &outcome->error, false},
        {ways->back[0], job->limits.disk + 1, &outcome->taken, false},
        {ways->rows[0], ROWS_LIMIT, &outcome->rows, false},
    };
    double begin = now(), cpu = 0;
    outcome->end = watch(sandbox, job, streams, SANDBOX_WAYS, &cpu);
    cpu = larger(cpu, sandbox_cpu(sandbox->child) - sandbox->cpu_seconds);
    sandbox->cpu_seconds += cpu;
    if (job->budget != NULL) *job->budget = left_of(job->budget, now() - begin, cpu);
    outcome->status = answer(sandbox);
    for (size_t i = 0; i < SANDBOX_WAYS; i++) {
        if (streams[i].fd >= 0) close(streams[i].fd);
    }
    strip_started_mark(outcome);
}

/* Appends what bubblewrap said: why there is no sandbox. */
static void add_messages(const struct sandbox *sandbox, struct sandbox_bytes *error) {
    char text[4096];
    ssize_t n = pread(sandbox->messages, text, sizeof text, 0);
    if (n > 0) append(error, text, (size_t)n);
}

static void make_strings(struct sandbox_outcome *outcome) {
    struct sandbox_bytes *all[] = {&outcome->out, &outcome->error, &outcome->rows, &outcome->taken};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) append(all[i], "", 0);
}

void sandbox_run_in(struct sandbox *sandbox, const struct sandbox_job *job, bool unsafe,
                    struct sandbox_outcome *outcome) {
    struct sandbox_ways ways;
    char word[2 * WORD_BYTES + 1] = "", why[256] = "no random numbers";
    memset(outcome, 0, sizeof *outcome);
    if (sandbox_spent(job->budget)) {
        outcome->end = SANDBOX_BUDGET;
    } else if (!make_word(word) ||
               (sandbox->child == 0 && !sandbox_start(sandbox, job, unsafe, why, sizeof why)) ||
               !sandbox_send(sandbox, job, word, &ways, why, sizeof why)) {
        outcome->end = SANDBOX_FAILED;
        append(&outcome->error, why, strlen(why));
    } else {
        collect(sandbox, job, &ways, outcome);
        if (outcome->end == SANDBOX_FAILED) add_messages(sandbox, &outcome->error);
    }
    /* What a signal ended may be init.c. */
    if (outcome->end != SANDBOX_ENDED || outcome->status > SIGNALLED) sandbox_close(sandbox);
    make_strings(outcome);
    keep_true_rows(&outcome->rows, word);
}

void sandbox_run(const struct sandbox_job *job, bool unsafe, struct sandbox_outcome *outcome) {
    struct sandbox sandbox = {.child = 0};
    sandbox_run_in(&sandbox, job, unsafe, outcome);
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
