/* rowfile.c: the open files are in a list that the signal handler closes. */
#include "rowfile.h"

#include "die.h"
#include "memory.h"
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rowfile {
    const char *what;
    char *pattern; /* its path, before a process id is put in */
    rowfile_put *header;
    struct outfile target;
    int descriptor; /* -1: closed */
    pid_t owner;    /* the process that opened it */
    pthread_mutex_t lock;
    struct rowfile *next;
};

static struct rowfile *files; /* all that were opened, newest first */

static const char *program(void) {
    return die_name ? die_name : program_invocation_short_name;
}

bool rowfile_is_open(const struct rowfile *file) {
    return file && file->descriptor >= 0;
}

/* Writes all bytes, also if write() takes them in parts or a signal interrupts it. Returns false
 * with errno set. */
static bool write_all(int descriptor, const char *bytes, size_t size) {
    while (size) {
        ssize_t done = write(descriptor, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

/* Prints the row in memory, then writes it. Returns false with errno set. */
static bool emit(struct rowfile *file, rowfile_put *put, const void *row) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    put(out, row);
    bool ok = fclose(out) == 0 && write_all(file->descriptor, text, size);
    free(text);
    return ok;
}

/* Closes and removes the file. */
static void drop(struct rowfile *file) {
    int reason = errno;
    file->descriptor = -1;
    outfile_drop(&file->target);
    errno = reason;
}

/* Uses only what a signal handler may call. */
void rowfile_close(struct rowfile *file) {
    if (!rowfile_is_open(file) || getpid() != file->owner) return;
    close(file->descriptor);
    file->descriptor = -1;
    if (outfile_place(&file->target)) return;
    const char *parts[] = {program(), ": cannot put the ", file->what, " in its place\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0) return;
}

/* Closes the files, then ends by the signal's default action. */
static void on_signal(int number) {
    for (struct rowfile *file = files; file; file = file->next) rowfile_close(file);
    signal(number, SIG_DFL);
    raise(number);
}

void rowfile_catch(void (*handler)(int)) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGSEGV,
                                  SIGBUS, SIGABRT, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            signal(numbers[i], handler);
    }
}

/* Opens the file of this process. Returns false with a message in failure. */
static bool open_own(struct rowfile *file) {
    char path[PATH_MAX];
    /* Copy pattern to path, with the process id in place of the first %p. */
    const char *pattern = file->pattern, *place = strstr(pattern, "%p");
    if (place)
        snprintf(path, PATH_MAX, "%.*s%d%s", (int)(place - pattern), pattern, (int)getpid(),
                 place + 2);
    else
        snprintf(path, PATH_MAX, "%s", pattern);
    file->owner = getpid();
    file->descriptor = outfile_open(&file->target, path) ? fileno(file->target.file) : -1;
    if (file->descriptor >= 0 && emit(file, file->header, NULL)) return true;
    drop(file);
    return fail_with("cannot write the %s %s: %s", file->what, path, strerror(errno));
}

struct rowfile *rowfile_open(const char *what, const char *pattern, rowfile_put *header) {
    struct rowfile *file = need(calloc(1, sizeof *file));
    file->what = what;
    file->pattern = need(strdup(pattern));
    file->header = header;
    pthread_mutex_init(&file->lock, NULL);
    if (!open_own(file)) {
        free(file->pattern);
        free(file);
        return NULL;
    }
    file->next = files;
    files = file;
    rowfile_catch(on_signal);
    return file;
}

/* In a forked child: leaves the parent's file alone, and begins another if it can have a name. */
static void open_again(struct rowfile *file) {
    close(file->descriptor);
    file->descriptor = -1;
    file->owner = getpid();
    pthread_mutex_init(&file->lock, NULL);
    if (file->target.lock >= 0) close(file->target.lock);
    if (!strstr(file->pattern, "%p"))
        fail_with("the %s %s lacks what a forked process does: a %%p in its name makes one file "
                  "for each process",
                  file->what, file->pattern);
    else if (open_own(file))
        return;
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", program(), failure);
}

void rowfile_add(struct rowfile *file, rowfile_put *put, const void *row) {
    if (!rowfile_is_open(file)) return;
    if (getpid() != file->owner) open_again(file);
    pthread_mutex_lock(&file->lock);
    if (rowfile_is_open(file) && !emit(file, put, row)) {
        drop(file);
        fflush(stdout);
        fprintf(stderr, "%s: cannot write the %s %s: %s\n", program(), file->what,
                file->target.path, strerror(errno));
    }
    pthread_mutex_unlock(&file->lock);
}
