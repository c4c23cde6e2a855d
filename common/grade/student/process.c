/* process.c: the judge's side of process.h. It starts the student's program, lets the program run
 * in its turns, and checks its system calls. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* EXIT_CANNOT: this machine cannot run a student's process; the student is not to blame. FD_LIFTED
 * lies above the descriptors that the student's program gets. The kernel adds CALL_ENDED to the
 * signal of a stop at the end of a system call. */
enum {
    EXIT_ENDED = 1,
    EXIT_CANNOT = 125,
    SECONDS = 10,
    CALL_ENDED = 0x80,
    FD_LIFTED = 16,
    FDS = 4096
};
enum { NOT_READY = 600 }; /* a cudaError_t: the answer to a query, no error */
#define MOST_SHARED                                                                                \
    ((size_t)1 << 30)              /* bytes of each shared area; RLIMIT_FSIZE may make it less     \
                                    */
#define MOST_OWN ((size_t)2 << 30) /* bytes of address space beside the shared areas */

struct area {
    char *begin;
    size_t bytes, used;
    int file;
    bool mapped; /* the student's program has mapped the area */
};

static struct {
    pid_t process; /* 0: not started */
    struct turn *turn;
    struct area inputs, outputs, copied;
    size_t arrays;    /* in use */
    const char *name; /* of the running function */
    bool executed;    /* the student's program has started */
    int last_error;   /* the GPU's last cudaError_t */
    uintptr_t watch_begin, watch_end, fault, open[2];
    size_t most, changes;
    bool closed; /* the student's process has closed the watched array since the call began */
} student = {.name = "the program"};

static void cannot(const char *what) {
    fprintf(stderr, "students' code for the CPU cannot be run apart here: %s: %s\n", what,
            strerror(errno));
    _exit(EXIT_CANNOT);
}

/* ---- Starting ---- */

static void make_area(struct area *area, char *at, size_t bytes) {
    area->file = memfd_create("shared", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    area->bytes = bytes;
    if (area->file < 0 || ftruncate(area->file, (off_t)bytes) != 0) cannot("no shared memory");
    area->begin =
        mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, area->file, 0);
    if (area->begin != at) cannot("the addresses of the shared memory are taken");
}

/* Makes the areas, in whole pages. */
static void share_memory(void) {
    struct rlimit largest;
    size_t bytes = MOST_SHARED;
    if (getrlimit(RLIMIT_FSIZE, &largest) == 0 && largest.rlim_cur < bytes)
        bytes = largest.rlim_cur;
    bytes -= bytes % (size_t)sysconf(_SC_PAGESIZE);
    make_area(&student.inputs, STUDENT_INPUTS, bytes);
    make_area(&student.outputs, STUDENT_OUTPUTS, bytes);
    /* The student's process never maps this area. */
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
    student.copied.bytes = bytes;
    student.copied.begin = mmap(STUDENT_COPIED, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (student.copied.begin != STUDENT_COPIED) cannot("the addresses of copied arrays are taken");
    /* The judge's mapping stays writable; later mappings cannot be. */
    if (fcntl(student.inputs.file, F_ADD_SEALS,
              F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) != 0 ||
        fcntl(student.outputs.file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
        cannot("shared memory cannot be sealed");
    student.turn = (struct turn *)student.outputs.begin;
    student.outputs.used = TURN_BYTES;
}

static void limit(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit both;
    if (getrlimit(resource, &both) != 0) _exit(EXIT_CANNOT);
    if (hard < both.rlim_max) both.rlim_max = hard;
    both.rlim_cur = soft < both.rlim_max ? soft : both.rlim_max;
    if (setrlimit(resource, &both) != 0) _exit(EXIT_CANNOT);
}

/* Runs in the child. Only the two areas stay open, and the process can undo none of its limits. */
static void become_student(void) {
    int inputs = fcntl(student.inputs.file, F_DUPFD, FD_LIFTED),
        outputs = fcntl(student.outputs.file, F_DUPFD, FD_LIFTED);
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu", student.inputs.bytes);
    char *const arguments[] = {"student", bytes, NULL}, *const environment[] = {NULL};
    if (dup2(inputs, STUDENT_INPUTS_FD) < 0 || dup2(outputs, STUDENT_OUTPUTS_FD) < 0)
        _exit(EXIT_CANNOT);
    for (int fd = 0; fd < FDS; fd++)
        if (fd != STUDENT_INPUTS_FD && fd != STUDENT_OUTPUTS_FD) close(fd);
    limit(RLIMIT_CPU, SECONDS, SECONDS + 1);
    limit(RLIMIT_AS, MOST_OWN + 2 * student.inputs.bytes, MOST_OWN + 2 * student.inputs.bytes);
    limit(RLIMIT_CORE, 0, 0);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0 || !student_filter())
        _exit(EXIT_CANNOT);
    execve(STUDENT_PROGRAM, arguments, environment);
    _exit(EXIT_CANNOT);
}

/* ---- Ending ---- */

/* Ends the judge, because the student's process has ended or must end. */
static void end(const char *why) {
    if (!student.executed) {
        errno = EPERM;
        cannot("a process cannot be traced and filtered");
    }
    fflush(stdout);
    fprintf(stderr, "%s %s", student.name, why);
    if (student.last_error != 0)
        fprintf(stderr, ": %s", student_gpu.error_text(student.last_error));
    fprintf(stderr, "\n");
    _exit(EXIT_ENDED);
}

/* ---- System calls of the student's process ---- */

static bool maps(struct area *area, int file, int protection, const uint64_t *a) {
    bool right = !area->mapped && a[0] == (uintptr_t)area->begin && a[1] == area->bytes &&
                 a[2] == (uint64_t)protection && a[3] == (MAP_SHARED | MAP_FIXED) &&
                 (int)a[4] == file && a[5] == 0;
    area->mapped = area->mapped || right;
    return right;
}

/* May the process open this page? Only the page of its last fault, and only while fewer than two
 * are open. */
static bool may_open(uintptr_t page) {
    int place = student.open[0] == 0 ? 0 : 1;
    if (page != student.fault || student.open[place] != 0) return false;
    student.open[place] = page;
    student.fault = 0;
    return true;
}

static bool may_protect(const uint64_t *a) {
    const uintptr_t begin = a[0], bytes = a[1], page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (student.watch_end == 0 || student.changes >= student.most) return true;
    if (a[2] != PROT_NONE) return !student.closed || (bytes == page && may_open(begin));
    if (begin == student.watch_begin && begin + bytes == student.watch_end) {
        student.closed = true;
        student.open[0] = student.open[1] = 0;
    } else if (bytes == page) {
        /* Note that the page is closed now, if it was one of the two open pages. */
        for (int i = 0; i < 2; i++)
            if (student.open[i] == begin) student.open[i] = 0;
    }
    return true;
}

static bool may_execute(void) {
    bool first = !student.executed;
    student.executed = true;
    return first;
}

/* Checks the system call at which the process was stopped. While pages are watched, the process
 * also stops at the end of each checked call, which must not have failed: the judge has already
 * noted its effect. Returns true if the call was the yield: it is the judge's turn. */
static bool look_at_call(void) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, student.process, (void *)sizeof info, &info) <= 0)
        cannot("ptrace");
    bool fine = true;
    if (info.op == PTRACE_SYSCALL_INFO_EXIT && info.exit.is_error)
        end("was stopped: its pages cannot be watched");
    if (info.op != PTRACE_SYSCALL_INFO_SECCOMP) return false;
    switch (info.seccomp.nr) {
    case SYS_sched_yield: return true;
    case SYS_mmap:
        fine =
            maps(&student.inputs, STUDENT_INPUTS_FD, PROT_READ, info.seccomp.args) ||
            maps(&student.outputs, STUDENT_OUTPUTS_FD, PROT_READ | PROT_WRITE, info.seccomp.args);
        break;
    case SYS_mprotect: fine = may_protect(info.seccomp.args); break;
    case SYS_execve: fine = may_execute(); break;
    default: fine = false;
    }
    if (!fine) end("was stopped: it asked the system for what only the grader may have");
    return false;
}

/* Is it in the area, from this offset on? */
static bool is_in(const struct area *area, size_t least, const void *array, size_t bytes) {
    const size_t at = (uintptr_t)array - (uintptr_t)area->begin;
    return at >= least && at <= area->bytes && bytes <= area->bytes - at;
}

/* Returns the signal to deliver to the process. Counts a fault in the watched array. */
static int look_at_signal(int number) {
    siginfo_t info;
    if (number == SIGXCPU) end("ran too long and was stopped");
    if (number != SIGSEGV || ptrace(PTRACE_GETSIGINFO, student.process, NULL, &info) != 0)
        return number;
    if (is_in(&student.copied, 0, info.si_addr, 1))
        end("was stopped: its CPU code reads an input that copies and kernels alone may read");
    const uintptr_t at = (uintptr_t)info.si_addr, page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (info.si_code <= 0 || at < student.watch_begin || at >= student.watch_end) return number;
    student.changes++;
    student.fault = at - at % page;
    return number;
}

/* Lets the process run until it is the judge's turn. */
static void give_turn(void) {
    enum __ptrace_request go_on = PTRACE_CONT;
    int status, number = 0;
    for (;;) {
        if (ptrace(go_on, student.process, NULL, (void *)(intptr_t)number) != 0 && errno != ESRCH)
            cannot("ptrace");
        while (waitpid(student.process, &status, __WALL) < 0)
            if (errno != EINTR) cannot("no process to wait for");
        if (!WIFSTOPPED(status)) {
            char why[128];
            if (WIFEXITED(status))
                snprintf(why, sizeof why, "ended the program, with exit code %d",
                         WEXITSTATUS(status));
            else
                snprintf(why, sizeof why, "crashed (%s)", strsignal(WTERMSIG(status)));
            end(why);
        }
        number = 0, go_on = PTRACE_CONT;
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
            if (look_at_call()) return;
            if (student.watch_end != 0) go_on = PTRACE_SYSCALL;
        } else if (WSTOPSIG(status) == (SIGTRAP | CALL_ENDED)) {
            look_at_call();
        } else if (status >> 16 == 0)
            number = look_at_signal(WSTOPSIG(status));
    }
}

static void start(void) {
    int status;
    share_memory();
    fflush(stdout);
    student.process = fork();
    if (student.process == 0) become_student();
    if (student.process < 0 || waitpid(student.process, &status, __WALL) < 0 ||
        !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, student.process, NULL,
               PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
                   PTRACE_O_EXITKILL) != 0)
        cannot("no traced process");
    close(student.inputs.file);
    close(student.outputs.file);
    give_turn();
}

/* ---- Arrays ---- */

static void *take(struct area *area, size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (student.process == 0) start();
    if (bytes > area->bytes - area->used) return NULL;
    char *array = area->begin + area->used;
    area->used += (bytes + page - 1) / page * page;
    if (area->used > area->bytes) area->used = area->bytes;
    student.arrays++;
    return array;
}

void *student_input(size_t bytes) {
    return take(&student.inputs, bytes);
}

void *student_output(size_t bytes) {
    return take(&student.outputs, bytes);
}

void *student_copied(size_t bytes) {
    return take(&student.copied, bytes);
}

void student_free(const void *array) {
    if (array == NULL || --student.arrays > 0) return;
    student.inputs.used = student.copied.used = 0;
    student.outputs.used = TURN_BYTES;
}

/* ---- The student's memory ---- */

bool student_is_output(const void *array, size_t bytes) {
    return is_in(&student.outputs, TURN_BYTES, array, bytes);
}

bool student_is_here(const void *array, size_t bytes) {
    return student_is_output(array, bytes) || is_in(&student.inputs, 0, array, bytes) ||
           is_in(&student.copied, 0, array, bytes);
}

bool student_read(void *to, const void *from, size_t bytes) {
    const struct iovec here = {to, bytes}, there = {(void *)from, bytes};
    return process_vm_readv(student.process, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

bool student_write(void *to, const void *from, size_t bytes) {
    const struct iovec here = {(void *)from, bytes}, there = {to, bytes};
    return process_vm_writev(student.process, &here, 1, &there, 1, 0) == (ssize_t)bytes;
}

/* ---- Calls ---- */

void student_watch(const void *array, size_t bytes, size_t changes) {
    student.watch_begin = (uintptr_t)array;
    student.watch_end = bytes > 0 ? student.watch_begin + bytes : 0;
    student.most = changes;
    if (bytes > 0) student.changes = 0;
}

size_t student_changes(void) {
    return student.changes;
}

/* Does on the GPU what the student's process asks for, and answers. */
static void serve(const struct turn *turn) {
    uint64_t value = 0;
    int error = 0;
    switch (turn->want) {
    case TURN_LAUNCH: error = student_gpu.launch(turn); break;
    case TURN_CALL: error = student_gpu.call(turn, &value); break;
    default: end("was stopped: it asked the judge for what there is not");
    }
    student.turn->answer = error;
    student.turn->value = value;
    if (error != NOT_READY) student.last_error = error;
}

uint64_t student_call(uint32_t step, const char *name, const uint64_t *words, size_t n, int *todo) {
    struct turn *turn = student.turn;
    if (student.process == 0) start();
    student.name = name;
    student.last_error = 0;
    student.changes = student.fault = student.open[0] = student.open[1] = 0;
    student.closed = false;
    turn->step = step;
    memcpy(turn->words, words, n * sizeof *words);
    turn->watch_begin = student.watch_begin;
    turn->watch_bytes = student.watch_end > 0 ? student.watch_end - student.watch_begin : 0;
    turn->watch_changes = student.most;
    student_count(STUDENT_asked, 1);
    for (;;) {
        give_turn();
        const struct turn turn = *student.turn;
        if (turn.want == TURN_DONE) {
            if (student.watch_end > 0 && !student.closed)
                end("was stopped: its array was not closed");
            student_count_returned();
            *todo = turn.todo;
            return turn.result;
        }
        serve(&turn);
    }
}
