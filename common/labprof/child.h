/* child.h: the profiled program as a child process, in a process group of its own so that Ctrl-C ends all of it. */
#ifndef LABPROF_CHILD_H
#define LABPROF_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A command line under construction, NULL-terminated at every moment. */
struct arguments {
    char **items;
    int count;
};

void arguments_add(struct arguments *arguments, const char *argument); /* a copy of it */
void arguments_free(struct arguments *arguments);

struct child {
    pid_t pid;
    int go;      /* write end: the child waits for a byte before it starts the program */
    int problem; /* read end: errno of a program that could not be started */
};

struct child_end {
    int status; /* as a shell has it: the exit code, or 128 and the signal */
    int signal; /* that ended it, 0 if it exited */
    int start_errno;
    bool interrupted; /* labprof was told to stop: Ctrl-C, SIGTERM, SIGHUP */
    int interrupt;    /* by this signal */
};

/* Makes the child, which does nothing yet. environment is NAME=VALUE strings to add, NULL-terminated. False with errno
 * set. */
bool child_create(struct child *child, char *const command[], char *const environment[]);

/* Lets it start the program and waits for its end. */
struct child_end child_run(struct child *child);

/* Ends a child that was not let go. */
void child_cancel(struct child *child);

/* Where a shell would find the program: copies its path. False with errno set: not found, not executable. */
bool find_program(const char *name, char *path, size_t size);

#endif
