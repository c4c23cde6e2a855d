/* sandbox_start.c: see sandbox_start.h. bubblewrap copies the files from memory. So the sandboxed user needs no access
 * to the grader's folders, and no temporary file stays on disk. */
#include "sandbox_start.h"

#include "sandbox_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS_FD = 3, BACK_FD = 4, FIRST_FILE_FD = 16, MAX_ARGUMENTS = 1024 };

/* ---- The command line ---- */

struct arguments {
    const char *items[MAX_ARGUMENTS];
    size_t n;
};

static void add(struct arguments *arguments, const char *item) {
    if (arguments->n + 1 < MAX_ARGUMENTS) arguments->items[arguments->n++] = item;
}

static void add_all(struct arguments *arguments, const char *const *items) {
    for (; *items != NULL; items++) add(arguments, *items);
}

#define ADD(arguments, ...) add_all(arguments, (const char *const[]){__VA_ARGS__, NULL})

/* Formats an argument. It is never freed, because the process becomes another program. */
static const char *print(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *print(const char *format, ...) {
    char *text;
    va_list values;
    va_start(values, format);
    if (vasprintf(&text, format, values) < 0) _exit(1);
    va_end(values);
    return text;
}

/* Shows the system's programs and libraries, and no user's files. */
static void add_system(struct arguments *a, const struct sandbox_job *job) {
    ADD(a, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts");
    ADD(a, "--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL");
    ADD(a, "--hostname", "sandbox", "--ro-bind", "/usr", "/usr", "--ro-bind-try", "/bin", "/bin");
    ADD(a, "--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64");
    ADD(a, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--ro-bind-try", "/etc/ld.so.cache");
    ADD(a, "/etc/ld.so.cache", "--proc", "/proc", "--dev", "/dev");
    ADD(a, "--size", "4096", "--tmpfs", "/dev/shm", "--remount-ro", "/dev");
    ADD(a, "--perms", "0755", "--size", print("%zu", job->limits.disk), "--tmpfs", "/tmp", "--chdir", "/tmp");
    if (job->show != NULL && strncmp(job->show, "/usr/", 5) != 0) ADD(a, "--ro-bind", job->show, job->show);
}

/* Adds the variables that the job sees, and no others: NAME, VALUE, ... */
static void add_variables(struct arguments *a, const char *home, const struct sandbox_job *job) {
    ADD(a, "HOME", home, "TMPDIR", home, "LC_ALL", "C", "PATH", "/usr/bin:/bin");
    if (job->environment != NULL) add_all(a, job->environment);
    if (job->rows) ADD(a, "LABS_GRADER", print("%d", ROWS_FD));
}

static void add_environment(struct arguments *a, const struct sandbox_job *job) {
    struct arguments variables = {.n = 0};
    add_variables(&variables, "/tmp", job);
    ADD(a, "--clearenv");
    for (size_t i = 0; i < variables.n; i += 2) ADD(a, "--setenv", variables.items[i], variables.items[i + 1]);
}

static void add_inside(struct arguments *a, const struct sandbox_job *job, bool alone) {
    const struct sandbox_limits *limits = &job->limits;
    ADD(a, "../grade/inside", print("%zu", limits->address_space), print("%u", limits->cpu_seconds));
    ADD(a, print("%u", limits->processes), print("%zu", limits->disk), alone ? "1" : "0");
    ADD(a, job->take != NULL ? job->take : "", "--");
    add_all(a, (const char *const *)job->command);
}

/* ---- Files ---- */

/* Puts the file into memory. Returns a descriptor for bubblewrap to read. */
static int as_memory(const struct sandbox_file *file) {
    int fd = memfd_create("file", 0);
    const char *data = file->data;
    for (size_t done = 0; fd >= 0 && done < file->size;) {
        ssize_t n = write(fd, data + done, file->size - done);
        if (n <= 0) return -1;
        done += (size_t)n;
    }
    if (fd >= 0) lseek(fd, 0, SEEK_SET);
    return fd;
}

static void add_file(struct arguments *a, const struct sandbox_file *file) {
    int low = as_memory(file), fd = fcntl(low, F_DUPFD, FIRST_FILE_FD);
    close(low);
    ADD(a, "--perms", file->program ? "0555" : "0444", "--file", print("%d", fd));
    ADD(a, print("/grade/%s", file->name));
}

/* Reads build/bin/inside, which lies beside this program. */
static bool read_inside(struct sandbox_file *file) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "inside");
    if (length < 0) return false;
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, "inside");
    return sandbox_read(file, path, "inside");
}

/* ---- Becoming the sandbox ---- */

/* Becomes an unused user: root's processes have no limit to their number. */
static void stop_being_root(void) {
    if (geteuid() == 0 && !sandbox_become_user(sandbox_unused_user())) _exit(1);
}

static void become_bubblewrap(const struct sandbox_job *job, const struct sandbox_file *inside) {
    struct arguments a = {.n = 0};
    add(&a, "bwrap");
    add_system(&a, job);
    add_file(&a, inside);
    for (size_t i = 0; i < job->files_n; i++) add_file(&a, &job->files[i]);
    add_environment(&a, job);
    ADD(&a, "--remount-ro", "/", "--");
    add_inside(&a, job, true);
    stop_being_root();
    execvp("bwrap", (char *const *)a.items);
}

/* Becomes the job in the folder. Returns only on failure. */
static void become_in_folder(const struct sandbox_job *job, const struct sandbox_file *inside,
                             const struct sandbox_start *start) {
    struct arguments variables = {.n = 0}, a = {.n = 0};
    add_variables(&variables, print("%s/tmp", start->folder), job);
    add_inside(&a, job, start->user != 0);
    clearenv();
    for (size_t i = 0; i < variables.n; i += 2) setenv(variables.items[i], variables.items[i + 1], 1);
    if (sandbox_enter_folder(start->folder, start->user, inside, job)) execv(a.items[0], (char *const *)a.items);
}

/* ---- Starting ---- */

struct ways {
    int out[2], error[2], back[2], rows[2];
};

/* Opens the pipes for output, errors and the file, and the socket for rows. */
static bool open_ways(struct ways *ways, bool rows) {
    int *pairs[] = {ways->out, ways->error, ways->back};
    memset(ways, -1, sizeof *ways);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pipe2(pairs[i], O_CLOEXEC) != 0) return false;
    }
    return !rows || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ways->rows) == 0;
}

/* Copies the descriptor to a number above all those that the command gets. */
static int lift(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FILE_FD);
}

static void place_descriptors(const struct ways *ways) {
    int nothing = open("/dev/null", O_RDONLY);
    int out = lift(ways->out[1]), error = lift(ways->error[1]), back = lift(ways->back[1]), rows = lift(ways->rows[1]);
    dup2(nothing, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
    dup2(back, BACK_FD);
    if (ways->rows[1] >= 0)
        dup2(rows, ROWS_FD);
    else
        close(ROWS_FD);
    for (int fd = BACK_FD + 1; fd < FIRST_FILE_FD; fd++) close(fd);
}

static void in_child(const struct sandbox_job *job, const struct sandbox_file *inside, const struct ways *ways,
                     const struct sandbox_start *start) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    place_descriptors(ways);
    if (start->folder[0] == '\0')
        become_bubblewrap(job, inside);
    else
        become_in_folder(job, inside, start);
    fprintf(stderr, "cannot start: %s\n", strerror(errno));
    _exit(1);
}

/* Becomes `true` in a sandbox like the job's, to see whether there can be one. */
static void try_bubblewrap(const struct sandbox_job *job) {
    struct arguments a = {.n = 0};
    add(&a, "bwrap");
    add_system(&a, job);
    ADD(&a, "--", "true");
    stop_being_root();
    dup2(open("/dev/null", O_RDWR), STDERR_FILENO);
    execvp("bwrap", (char *const *)a.items);
    _exit(1);
}

/* Is bubblewrap here, and does the system let it make namespaces? Found out once. */
static bool bubblewrap_runs(const struct sandbox_job *job) {
    static enum { UNKNOWN, RUNS, FAILS } known = UNKNOWN;
    int status = 1;
    if (known != UNKNOWN) return known == RUNS;
    pid_t child = fork();
    if (child == 0) try_bubblewrap(job);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    known = status == 0 ? RUNS : FAILS;
    return known == RUNS;
}

/* Chooses bubblewrap (folder ""), or makes a folder. Returns false with a reason if neither is possible. */
static bool choose_folder(const struct sandbox_job *job, bool unsafe, struct sandbox_start *start, char *why,
                          size_t size) {
    start->folder[0] = '\0';
    return bubblewrap_runs(job) || sandbox_make_folder(unsafe, start->folder, &start->user, why, size);
}

static void close_ends(struct ways *ways, int which) {
    close(ways->out[which]);
    close(ways->error[which]);
    close(ways->back[which]);
    if (ways->rows[which] >= 0) close(ways->rows[which]);
}

bool sandbox_start(const struct sandbox_job *job, bool unsafe, const char *word, struct sandbox_start *start, char *why,
                   size_t size) {
    struct sandbox_file inside = {0};
    struct ways ways;
    if (!choose_folder(job, unsafe, start, why, size)) return false;
    if (!read_inside(&inside) || !open_ways(&ways, job->rows)) {
        snprintf(why, size, "cannot prepare a sandbox: %s", strerror(errno));
        sandbox_clear(start);
        return false;
    }
    start->child = fork();
    if (start->child == 0) in_child(job, &inside, &ways, start);
    setpgid(start->child, start->child);
    free((void *)inside.data);
    close_ends(&ways, 1);
    start->out = ways.out[0], start->error = ways.error[0], start->back = ways.back[0], start->rows = ways.rows[0];
    if (job->rows) dprintf(start->rows, "%s\n", word);
    return start->child > 0;
}

void sandbox_clear(struct sandbox_start *start) {
    if (start->folder[0] != '\0') sandbox_remove_folder(start->folder, start->user);
}
