/* start.c: see start.h. bubblewrap copies the files from memory. So the sandboxed
 * user needs no access to the grader's folders, and no temporary file stays on disk. */
#include "start.h"

#include "folder.h"
#include "init.h"

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

enum { FIRST_FILE_FD = 16, MAX_ARGUMENTS = 1024 };

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

static void add_environment(struct arguments *a, const struct sandbox_job *job) {
    struct arguments variables = {.n = 0};
    add_variables(&variables, "/tmp", job);
    ADD(a, "--clearenv");
    for (size_t i = 0; i < variables.n; i += 2)
        ADD(a, "--setenv", variables.items[i], variables.items[i + 1]);
}

static void add_init(struct arguments *a, const struct sandbox_job *job, bool alone) {
    const struct sandbox_limits *limits = &job->limits;
    ADD(a, "../grade/sandbox-init", print("%zu", limits->address_space),
        print("%u", limits->cpu_seconds));
    ADD(a, print("%u", limits->processes), print("%zu", limits->disk), alone ? "1" : "0");
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

/* Reads build/bin/sandbox-init, which lies beside this program. */
static bool read_init(struct sandbox_file *file) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "sandbox-init");
    if (length < 0) return false;
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, "sandbox-init");
    return sandbox_read(file, path, "sandbox-init");
}

/* ---- Becoming the sandbox ---- */

/* Becomes an unused user: root's processes have no limit to their number. */
static void stop_being_root(void) {
    if (geteuid() == 0 && !sandbox_become_user(sandbox_unused_user())) _exit(1);
}

static void become_bubblewrap(const struct sandbox_job *job, const struct sandbox_file *init) {
    struct arguments a = {.n = 0};
    add(&a, "bwrap");
    add_system(&a, job);
    add_file(&a, init);
    for (size_t i = 0; i < job->files_n; i++) add_file(&a, &job->files[i]);
    add_environment(&a, job);
    ADD(&a, "--remount-ro", "/", "--");
    add_init(&a, job, true);
    stop_being_root();
    execvp("bwrap", (char *const *)a.items);
}

/* Becomes init.c in the folder. Returns only on failure. */
static void become_in_folder(const struct sandbox_job *job, const struct sandbox_file *init,
                             const struct sandbox *sandbox) {
    struct arguments variables = {.n = 0}, a = {.n = 0};
    add_variables(&variables, print("%s/tmp", sandbox->folder), job);
    add_init(&a, job, sandbox->user != 0);
    clearenv();
    for (size_t i = 0; i < variables.n; i += 2)
        setenv(variables.items[i], variables.items[i + 1], 1);
    if (sandbox_enter_folder(sandbox->folder, sandbox->user, init, job))
        execv(a.items[0], (char *const *)a.items);
}

/* ---- Starting ---- */

/* Copies the descriptor to a number above all those that have a meaning in the sandbox. */
static int lift(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FILE_FD);
}

static void place_descriptors(int control, int messages) {
    int nothing = open("/dev/null", O_RDONLY);
    control = lift(control), messages = lift(messages);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, ROWS_FD);
    dup2(messages, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    dup2(control, CONTROL_FD);
    for (int fd = CONTROL_FD + 1; fd < FIRST_FILE_FD; fd++) close(fd);
}

static void in_child(const struct sandbox_job *job, const struct sandbox_file *init,
                     const struct sandbox *sandbox, int control) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    place_descriptors(control, sandbox->messages);
    if (sandbox->folder[0] == '\0')
        become_bubblewrap(job, init);
    else
        become_in_folder(job, init, sandbox);
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

/* Chooses bubblewrap (folder ""), or makes a folder. Returns false with a reason if neither is
 * possible. */
static bool choose_folder(const struct sandbox_job *job, bool unsafe, struct sandbox *sandbox,
                          char *why, size_t size) {
    sandbox->folder[0] = '\0';
    return bubblewrap_runs(job) ||
           sandbox_make_folder(unsafe, sandbox->folder, &sandbox->user, why, size);
}

static void close_open(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Removes what there is besides processes. */
static void clear(struct sandbox *sandbox) {
    if (sandbox->folder[0] != '\0') sandbox_remove_folder(sandbox->folder, sandbox->user);
    close_open(&sandbox->control);
    close_open(&sandbox->messages);
    *sandbox = (struct sandbox){.child = 0};
}

bool sandbox_start(struct sandbox *sandbox, const struct sandbox_job *job, bool unsafe, char *why,
                   size_t size) {
    struct sandbox_file init = {0};
    int control[2] = {-1, -1};
    if (!choose_folder(job, unsafe, sandbox, why, size)) return false;
    bool ready =
        read_init(&init) && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0;
    sandbox->control = control[0];
    sandbox->messages = memfd_create("messages", MFD_CLOEXEC);
    ready = ready && sandbox->messages >= 0 && (sandbox->child = fork()) >= 0;
    if (!ready) snprintf(why, size, "cannot prepare a sandbox: %s", strerror(errno));
    if (ready && sandbox->child == 0) in_child(job, &init, sandbox, control[1]);
    if (ready) setpgid(sandbox->child, sandbox->child);
    if (!ready) clear(sandbox);
    free((void *)init.data);
    close_open(&control[1]);
    return ready;
}

void sandbox_close(struct sandbox *sandbox) {
    if (sandbox->child == 0) return;
    kill(-sandbox->child, SIGKILL);
    while (waitpid(sandbox->child, NULL, 0) < 0 && errno == EINTR) {
    }
    clear(sandbox);
}

/* ---- A job ---- */

/* Opens the pipes for output, errors and the file, and the socket for rows. */
static bool open_ways(struct sandbox_ways *ways, bool rows) {
    int *pairs[] = {ways->out, ways->error, ways->back};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pipe2(pairs[i], O_CLOEXEC) != 0) return false;
    }
    return !rows || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ways->rows) == 0;
}

/* Appends a word to the request, with its zero byte. Returns false if there is no room. */
static bool add_word(struct request *request, size_t *n, const char *word) {
    size_t length = strlen(word) + 1;
    if (length > sizeof request->text - *n) return false;
    memcpy(request->text + *n, word, length);
    *n += length;
    return true;
}

/* Sends the file's name, the command and the job's ends of the ways, as init.h says. */
static bool send_request(int control, const struct sandbox_job *job,
                         const struct sandbox_ways *ways) {
    static struct request request;
    const int ends[REQUEST_WAYS] = {ways->out[1], ways->error[1], ways->back[1], ways->rows[1]};
    const size_t bytes = (size_t)(REQUEST_WAYS - !job->rows) * sizeof(int);
    size_t n = 0;
    bool fits = add_word(&request, &n, job->take != NULL ? job->take : "");
    for (char *const *word = job->command; *word != NULL; word++)
        fits = fits && add_word(&request, &n, *word);
    errno = E2BIG;
    if (!fits) return false;
    struct iovec text = {request.text, n};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
    message.msg_control = request.ways.bytes;
    message.msg_controllen = CMSG_SPACE(bytes);
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(bytes)};
    memcpy(CMSG_DATA(head), ends, bytes);
    return sendmsg(control, &message, MSG_NOSIGNAL) == (ssize_t)n || errno == EPIPE;
}

bool sandbox_send(const struct sandbox *sandbox, const struct sandbox_job *job, const char *word,
                  struct sandbox_ways *ways, char *why, size_t size) {
    memset(ways, -1, sizeof *ways);
    bool sent = open_ways(ways, job->rows) && send_request(sandbox->control, job, ways);
    if (!sent) snprintf(why, size, "cannot ask the sandbox to run a command: %s", strerror(errno));
    int *pairs[SANDBOX_WAYS] = {ways->out, ways->error, ways->back, ways->rows};
    for (size_t i = 0; i < SANDBOX_WAYS; i++) {
        close_open(&pairs[i][1]);
        if (!sent) close_open(&pairs[i][0]);
    }
    if (sent && job->rows) dprintf(ways->rows[0], "%s\n", word);
    return sent;
}
