/* start.c: see start.h. bubblewrap copies the files from memory. So the sandboxed
 * user needs no access to the grader's folders, and no temporary file stays on disk. */
#include "start.h"

#include "folder.h"
#include "lib/die.h"
#include "lib/memory.h"

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

/* Descriptors in the sandbox: of rows, of the answers, and of the commands. FIRST_FREE_FD lies
 * above all that have a meaning there. */
enum {
    ROWS_FD = 3,
    BACK_FD = 5,
    COMMAND_FD = 7,
    FIRST_FREE_FD = 16,
    MAX_ARGUMENTS = 1024,
    SIGNALLED = 128
};

/* The first program in a sandbox. Sets the limits, and then runs the commands that come: the name
 * of the file to send back, the number of words, the words, each with a zero byte. After a command
 * it ends the processes that are left, if all of this user are its own ("alone"), and answers
 * STATUS SIZE, and the file's bytes if it is a plain one. What the shell itself says of signals is
 * dropped. */
static const char INIT[] =
    "exec 6>&2 2>/dev/null\n"
    "ulimit -c 0 -n 256 -v $1 -t $2 -u $3 -f $4 && printf S >&5 || exit 127\n"
    "alone=$5\n"
    "while IFS= read -rd '' -u 7 take && IFS= read -rd '' -u 7 words; do\n"
    "    command=()\n"
    "    while [ ${#command[@]} -lt $words ] && IFS= read -rd '' -u 7 word; do\n"
    "        command+=(\"$word\")\n"
    "    done\n"
    "    shopt -s dotglob nullglob\n"
    "    left=(*) && [ ${#left[@]} = 0 ] || rm -rf -- \"${left[@]}\"\n"
    "    \"${command[@]}\" 2>&6 5>&- 6>&- 7<&-\n"
    "    status=$?\n"
    "    [ $alone = 0 ] || kill -KILL -1\n"
    "    if [ -f \"$take\" ] && [ ! -L \"$take\" ]; then\n"
    "        printf '%s %s\\n' $status \"$(stat -c %s -- \"$take\")\" >&5\n"
    "        cat -- \"$take\" >&5\n"
    "    else\n"
    "        printf '%s 0\\n' $status >&5\n"
    "    fi\n"
    "done";

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
    ADD(a, "--unshare-user", "--unshare-ipc", "--unshare-pid", "--as-pid-1", "--unshare-net");
    ADD(a, "--unshare-uts");
    ADD(a, "--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session",
        "--cap-drop", "ALL");
    ADD(a, "--hostname", "sandbox", "--ro-bind", "/usr", "/usr", "--ro-bind-try", "/bin", "/bin");
    ADD(a, "--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64");
    ADD(a, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives", "--ro-bind-try",
        "/etc/ld.so.cache");
    ADD(a, "/etc/ld.so.cache", "--proc", "/proc", "--dev", "/dev");
    ADD(a, "--size", "4096", "--tmpfs", "/dev/shm", "--remount-ro", "/dev");
    ADD(a, "--perms", "0755", "--size", print("%zu", job->limits.disk), "--tmpfs", "/tmp",
        "--chdir", "/tmp");
    if (job->show != NULL && strncmp(job->show, "/usr/", 5) != 0)
        ADD(a, "--ro-bind", job->show, job->show);
}

/* Adds the variables that the job sees, and no others: NAME, VALUE, ... */
static void add_variables(struct arguments *a, const char *home, const struct sandbox_job *job) {
    ADD(a, "HOME", home, "TMPDIR", home, "LC_ALL", "C", "PATH", "/usr/bin:/bin");
    if (job->environment != NULL) add_all(a, job->environment);
    if (job->rows) ADD(a, "LABS_GRADER", print("%d", ROWS_FD));
}

static void add_init(struct arguments *a, const struct sandbox_job *job, bool alone) {
    const struct sandbox_limits *limits = &job->limits;
    const bool any = limits->address_space == (size_t)-1;
    ADD(a, "bash", "-c", INIT, "init");
    ADD(a, any ? "unlimited" : print("%zu", limits->address_space >> 10));
    ADD(a, print("%u", limits->cpu_seconds), print("%u", limits->processes));
    ADD(a, print("%zu", limits->disk >> 10), alone ? "1" : "0");
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

/* ---- Becoming the sandbox ---- */

/* Becomes an unused user: root's processes have no limit to their number. */
static void stop_being_root(void) {
    if (geteuid() == 0 && !sandbox_become_user(sandbox_unused_user())) _exit(1);
}

static void become_bubblewrap(const struct sandbox_job *job) {
    struct arguments a = {.n = 0};
    add(&a, "bwrap");
    add_system(&a, job);
    for (size_t i = 0; i < job->files_n; i++) {
        int low = as_memory(&job->files[i]), fd = fcntl(low, F_DUPFD, FIRST_FREE_FD);
        close(low);
        ADD(&a, "--perms", job->files[i].program ? "0555" : "0444", "--file", print("%d", fd));
        ADD(&a, print("/grade/%s", job->files[i].name));
    }
    struct arguments variables = {.n = 0};
    add_variables(&variables, "/tmp", job);
    ADD(&a, "--clearenv");
    for (size_t k = 0; k < variables.n; k += 2)
        ADD(&a, "--setenv", variables.items[k], variables.items[k + 1]);
    ADD(&a, "--remount-ro", "/", "--");
    add_init(&a, job, true);
    stop_being_root();
    execvp("bwrap", (char *const *)a.items);
}

/* Returns only on failure. */
static void become_in_folder(const struct sandbox_job *job, const struct sandbox *sandbox) {
    struct arguments variables = {.n = 0}, a = {.n = 0};
    add_variables(&variables, print("%s/tmp", sandbox->folder), job);
    add_init(&a, job, sandbox->user != 0);
    clearenv();
    for (size_t i = 0; i < variables.n; i += 2)
        setenv(variables.items[i], variables.items[i + 1], 1);
    if (sandbox_enter_folder(sandbox->folder, sandbox->user, job))
        execvp(a.items[0], (char *const *)a.items);
}

/* ---- Starting ---- */

/* Gives the job its ends of the ways, under their numbers, and no other descriptor. */
static void place_descriptors(const int ends[SANDBOX_WAYS]) {
    static const int places[SANDBOX_WAYS] = {STDOUT_FILENO, STDERR_FILENO, BACK_FD, ROWS_FD,
                                             COMMAND_FD};
    int lifted[SANDBOX_WAYS];
    for (int i = 0; i < SANDBOX_WAYS; i++)
        lifted[i] = ends[i] >= 0 ? fcntl(ends[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD) : -1;
    int nothing = fcntl(open("/dev/null", O_RDONLY), F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    for (int fd = 0; fd < FIRST_FREE_FD; fd++) close(fd);
    dup2(nothing, STDIN_FILENO);
    for (int i = 0; i < SANDBOX_WAYS; i++)
        if (lifted[i] >= 0) dup2(lifted[i], places[i]);
}

static void in_child(const struct sandbox_job *job, const struct sandbox *sandbox,
                     const int ends[SANDBOX_WAYS]) {
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    place_descriptors(ends);
    if (sandbox->folder[0] == '\0')
        become_bubblewrap(job);
    else
        become_in_folder(job, sandbox);
    dprintf(STDERR_FILENO, "cannot start: %s\n", strerror(errno));
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

static void close_open(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Opens the pipes, and the socket for rows. ends: the sandbox's. */
static bool open_ways(int ways[SANDBOX_WAYS], int ends[SANDBOX_WAYS], bool rows) {
    bool open = true;
    for (int i = 0; i < SANDBOX_WAYS; i++) {
        int pair[2] = {-1, -1};
        if (i != WAY_ROWS)
            open = pipe2(pair, O_CLOEXEC) == 0 && open;
        else if (rows)
            open = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 && open;
        ways[i] = pair[i == WAY_COMMAND], ends[i] = pair[i != WAY_COMMAND];
        if (i <= WAY_ROWS && ways[i] >= 0) fcntl(ways[i], F_SETFL, O_NONBLOCK);
    }
    return open;
}

bool sandbox_start(struct sandbox *sandbox, const struct sandbox_job *job) {
    int ends[SANDBOX_WAYS];
    *sandbox = (struct sandbox){.child = 0};
    signal(SIGPIPE, SIG_IGN); /* a sandbox that has ended takes no command */
    if (!bubblewrap_runs(job) && !sandbox_make_folder(sandbox->folder, &sandbox->user))
        return false;
    sandbox->child = open_ways(sandbox->ways, ends, job->rows) ? fork() : -1;
    if (sandbox->child == 0) in_child(job, sandbox, ends);
    const bool started = sandbox->child > 0;
    if (started)
        setpgid(sandbox->child, sandbox->child);
    else
        fail_with("cannot prepare a sandbox: %s", strerror(errno));
    for (int i = 0; i < SANDBOX_WAYS; i++) {
        close_open(&ends[i]);
        if (!started) close_open(&sandbox->ways[i]);
    }
    if (!started && sandbox->folder[0] != '\0')
        sandbox_remove_folder(sandbox->folder, sandbox->user);
    if (!started) *sandbox = (struct sandbox){.child = 0};
    return started;
}

void sandbox_close(struct sandbox *sandbox) {
    if (sandbox->child == 0) return;
    kill(-sandbox->child, SIGKILL);
    while (waitpid(sandbox->child, NULL, 0) < 0 && errno == EINTR) {
    }
    for (int i = 0; i < SANDBOX_WAYS; i++) close_open(&sandbox->ways[i]);
    if (sandbox->folder[0] != '\0') sandbox_remove_folder(sandbox->folder, sandbox->user);
    *sandbox = (struct sandbox){.child = 0};
}

bool sandbox_send(const struct sandbox *sandbox, const struct sandbox_job *job, const char *word) {
    size_t n = 0;
    while (job->command[n] != NULL) n++;
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    fprintf(out, "%s%c%zu%c", job->take != NULL ? job->take : "", 0, n, 0);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%c", job->command[i], 0);
    fclose(out);
    if (job->rows) dprintf(sandbox->ways[WAY_ROWS], "%s\n", word);
    const bool sent = write(sandbox->ways[WAY_COMMAND], text, size) == (ssize_t)size;
    free(text);
    return sent;
}
