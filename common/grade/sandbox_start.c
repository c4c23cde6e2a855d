/* sandbox_start.c: see sandbox_start.h. bubblewrap copies the files from memory. So the sandboxed user needs no access
 * to the grader's folders, and no temporary file stays on disk. */
#include "sandbox_start.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/source.h"

/* Unused user ids, one for each sandbox that root starts: 61184 to 65279, which systemd reserves for dynamic users. */
enum { FIRST_USER = 61184, USERS = 4096 };
enum { ROWS_FD = 3, BACK_FD = 4, FIRST_FILE_FD = 16, MAX_ARGUMENTS = 1024, TEXT_SIZE = 32 };

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

static void add_environment(struct arguments *a, const char *home, const struct sandbox_job *job) {
    ADD(a, "--clearenv", "--setenv", "HOME", home, "--setenv", "TMPDIR", home, "--setenv", "LC_ALL", "C");
    ADD(a, "--setenv", "PATH", "/usr/bin:/bin");
    for (size_t i = 0; job->environment != NULL && job->environment[i] != NULL; i += 2)
        ADD(a, "--setenv", job->environment[i], job->environment[i + 1]);
    if (job->rows) ADD(a, "--setenv", "LABS_GRADER", print("%d", ROWS_FD));
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
    ADD(a, "--perms", file->program ? "0555" : "0444", "--ro-bind-data", print("%d", fd));
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
    if (geteuid() != 0) return;
    gid_t nobody = FIRST_USER + (gid_t)getpid() % USERS;
    if (setgroups(0, NULL) != 0 || setresgid(nobody, nobody, nobody) != 0 || setresuid(nobody, nobody, nobody) != 0)
        _exit(1);
}

static void become_bubblewrap(const struct sandbox_job *job, const struct sandbox_file *inside) {
    struct arguments a = {.n = 0};
    add(&a, "bwrap");
    add_system(&a, job);
    add_file(&a, inside);
    for (size_t i = 0; i < job->files_n; i++) add_file(&a, &job->files[i]);
    add_environment(&a, "/tmp", job);
    ADD(&a, "--remount-ro", "/", "--");
    add_inside(&a, job, true);
    stop_being_root();
    execvp("bwrap", (char *const *)a.items);
}

/* Writes a file under FOLDER/grade, and makes its parents. */
static bool write_under(const char *folder, const struct sandbox_file *file) {
    char path[2 * PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/grade/%s", folder, file->name);
    for (char *slash = path + strlen(folder) + 1; slash < path + length && (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
        *slash = '/';
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, file->program ? 0755 : 0644);
    bool written = fd >= 0 && write(fd, file->data, file->size) == (ssize_t)file->size;
    return fd >= 0 && close(fd) == 0 && written;
}

/* Runs without bubblewrap: the same files and limits, but the whole system within reach. Returns only on failure. */
static void become_unsafe(const struct sandbox_job *job, const struct sandbox_file *inside, const char *folder) {
    struct arguments a = {.n = 0};
    char work[PATH_MAX + 8];
    snprintf(work, sizeof work, "%s/tmp", folder);
    bool ready = write_under(folder, inside) && mkdir(work, 0755) == 0 && chdir(work) == 0;
    for (size_t i = 0; i < job->files_n && ready; i++) ready = write_under(folder, &job->files[i]);
    if (!ready) return;
    for (size_t i = 0; job->environment != NULL && job->environment[i] != NULL; i += 2)
        setenv(job->environment[i], job->environment[i + 1], 1);
    if (job->rows) setenv("LABS_GRADER", print("%d", ROWS_FD), 1);
    add_inside(&a, job, false);
    execvp(a.items[0], (char *const *)a.items);
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
                     const char *folder) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    place_descriptors(ways);
    if (folder[0] == '\0')
        become_bubblewrap(job, inside);
    else
        become_unsafe(job, inside, folder);
    fprintf(stderr, "cannot start: %s\n", strerror(errno));
    _exit(1);
}

static bool have_bubblewrap(void) {
    return system("command -v bwrap >/dev/null 2>&1") == 0;
}

/* Chooses bubblewrap (folder ""), or makes a folder for an unsafe run. Returns false with a reason if neither is
 * possible. */
static bool choose_folder(bool unsafe, char folder[PATH_MAX], char *why, size_t size) {
    folder[0] = '\0';
    if (have_bubblewrap()) return true;
    snprintf(why, size,
             "bubblewrap is missing, and submissions are not run without it: `make setup` installs it "
             "(UNSAFE=1 runs them all the same)");
    if (!unsafe) return false;
    strcpy(folder, "/tmp/grade-XXXXXX");
    snprintf(why, size, "cannot make a folder in /tmp");
    return mkdtemp(folder) != NULL;
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
    if (!choose_folder(unsafe, start->folder, why, size)) return false;
    if (!read_inside(&inside) || !open_ways(&ways, job->rows)) {
        snprintf(why, size, "cannot prepare a sandbox: %s", strerror(errno));
        return false;
    }
    start->child = fork();
    if (start->child == 0) in_child(job, &inside, &ways, start->folder);
    setpgid(start->child, start->child);
    free((void *)inside.data);
    close_ends(&ways, 1);
    start->out = ways.out[0], start->error = ways.error[0], start->back = ways.back[0], start->rows = ways.rows[0];
    if (job->rows) dprintf(start->rows, "%s\n", word);
    return start->child > 0;
}

void sandbox_clear(struct sandbox_start *start) {
    if (start->folder[0] == '\0') return;
    pid_t remover = fork();
    if (remover == 0) {
        execlp("rm", "rm", "-rf", "--", start->folder, (char *)NULL);
        _exit(1);
    }
    waitpid(remover, NULL, 0);
}

/* ---- Memory ---- */

/* Bytes of resident pages that belong to no file and no shared memory. */
static size_t own_memory(pid_t process) {
    char path[TEXT_SIZE];
    unsigned long pages = 0, resident = 0, shared = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%lu %lu %lu", &pages, &resident, &shared) != 3) resident = shared = 0;
    fclose(file);
    return (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Calls add for each child of this process. */
static void each_child(pid_t process, void (*add)(pid_t, void *), void *sum) {
    char path[2 * TEXT_SIZE];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    while (fscanf(file, "%d", &child) == 1) add(child, sum);
    fclose(file);
}

static void add_memory(pid_t process, void *sum) {
    *(size_t *)sum += own_memory(process);
    each_child(process, add_memory, sum);
}

size_t sandbox_memory(pid_t process) {
    size_t sum = 0;
    add_memory(process, &sum);
    return sum;
}

/* ---- Processor time ---- */

/* Adds utime, stime, cutime and cstime: fields 14 to 17 of /proc/PID/stat, in ticks. The name before them may contain
 * any character. */
static void add_cpu(pid_t process, void *sum) {
    char path[TEXT_SIZE], line[1024] = "";
    unsigned long user = 0, system = 0;
    long children_user = 0, children_system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    const char *fields = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    fclose(file);
    if (fields != NULL && sscanf(fields, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu %ld %ld", &user,
                                 &system, &children_user, &children_system) == 4)
        *(double *)sum +=
            (double)(user + system + (unsigned long)(children_user + children_system)) / (double)sysconf(_SC_CLK_TCK);
    each_child(process, add_cpu, sum);
}

double sandbox_cpu(pid_t process) {
    double sum = 0;
    add_cpu(process, &sum);
    return sum;
}
