/* child.c: fork, wait at a gate, exec, wait. */
#include "child.h"

#include "lib/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_SECONDS                                                                              \
    3 /* from an interrupt to SIGKILL, for a program that ignores the interrupt                    \
       */

static volatile sig_atomic_t running_group; /* process group of the child, 0 for none */
static volatile sig_atomic_t interrupt_signal;

void arguments_add(struct arguments *a, const char *argument) {
    a->items = need(realloc(a->items, ((size_t)a->count + 2) * sizeof *a->items));
    a->items[a->count] = need(strdup(argument));
    a->items[++a->count] = NULL;
}

void arguments_free(struct arguments *a) {
    for (int i = 0; i < a->count; i++) free(a->items[i]);
    free(a->items);
    memset(a, 0, sizeof *a);
}

static volatile sig_atomic_t time_is_up;

/* Passes the first interrupt on to the child, and the end of its time as SIGTERM. A second one, or
 * the alarm after it, kills the child. */
static void on_signal(int number) {
    int saved = errno;
    bool again = interrupt_signal != 0 || time_is_up;
    if (number == SIGALRM && !again) time_is_up = 1;
    if (number != SIGALRM && !interrupt_signal) interrupt_signal = number;
    if (running_group > 0)
        kill(-(pid_t)running_group, again ? SIGKILL : number == SIGALRM ? SIGTERM : number);
    alarm(GRACE_SECONDS);
    errno = saved;
}

static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
enum { CAUGHT = sizeof caught / sizeof *caught };

/* Gives the terminal to a process group if labprof or its child has it. Otherwise the kernel would
 * stop a program that reads from it. */
static void give_terminal(pid_t group) {
    pid_t owner = tcgetpgrp(STDIN_FILENO);
    if (owner > 0 && (owner == getpgrp() || owner == running_group)) tcsetpgrp(STDIN_FILENO, group);
}

/* Runs in the child: waits at the gate, then becomes the program. */
static void be_the_program(int gate, int problem, char *const command[],
                           char *const environment[]) {
    char byte;
    for (int k = 0; k < CAUGHT; k++) signal(caught[k], SIG_DFL);
    signal(SIGTTOU, SIG_DFL);
    setpgid(0, 0);
    while (read(gate, &byte, 1) < 0 && errno == EINTR)
        ;
    for (int i = 0; environment[i]; i++) putenv(environment[i]);
    execvp(command[0], command);
    int reason = errno;
    if (write(problem, &reason, sizeof reason) < 0) _exit(126);
    _exit(127);
}

bool child_create(struct child *child, char *const command[], char *const environment[]) {
    int gate[2], problem[2];
    if (pipe2(gate, O_CLOEXEC) != 0) return false;
    if (pipe2(problem, O_CLOEXEC) != 0) {
        close(gate[0]);
        close(gate[1]);
        return false;
    }
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CAUGHT; i++) sigaction(caught[i], &action, NULL);
    signal(SIGTTOU, SIG_IGN); /* taking the terminal back must not stop labprof */
    child->pid = fork();
    if (child->pid == 0) {
        close(gate[1]);
        be_the_program(gate[0], problem[1], command, environment);
    }
    close(gate[0]);
    close(problem[1]);
    child->go = gate[1];
    child->problem = problem[0];
    if (child->pid < 0) return false;
    setpgid(child->pid, child->pid);
    running_group = child->pid;
    return true;
}

/* Waits for the child's end, takes the terminal back and stops passing signals on. Returns
 * waitpid's status. */
static int reap(struct child *child) {
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    alarm(0);
    if (interrupt_signal || time_is_up)
        kill(-child->pid, SIGKILL); /* the processes that the program left running */
    give_terminal(getpgrp());
    running_group = 0;
    close(child->problem);
    return status;
}

struct child_end child_run(struct child *child, unsigned timeout) {
    struct child_end end = {0};
    give_terminal(child->pid);
    alarm(timeout);
    close(child->go); /* opens the gate */
    if (interrupt_signal) kill(-child->pid, SIGKILL);
    while (read(child->problem, &end.start_errno, sizeof end.start_errno) < 0 && errno == EINTR)
        ;
    int status = reap(child);
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.status = end.signal ? 128 + end.signal : WEXITSTATUS(status);
    end.interrupt = interrupt_signal ? interrupt_signal : end.signal == SIGINT ? SIGINT : 0;
    end.timed_out = time_is_up;
    end.interrupted = end.interrupt != 0;
    return end;
}

void child_cancel(struct child *child) {
    kill(child->pid, SIGKILL);
    close(child->go);
    reap(child);
}

static bool executable(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return false;
    errno = EACCES;
    return S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool find_program(const char *name, char *path, size_t size) {
    const char *search = getenv("PATH");
    if (strchr(name, '/') || !search) {
        snprintf(path, size, "%s", name);
        return executable(path);
    }
    while (*search) {
        size_t length = strcspn(search, ":");
        snprintf(path, size, "%.*s/%s", (int)length, search, name);
        if (executable(path)) return true;
        search += length + (search[length] == ':');
    }
    errno = ENOENT;
    return false;
}
