/* child.h: the profiled program as a child process. It leads a separate process group, so that
 * Ctrl-C ends all its processes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A growing command line. It starts zeroed; after the first word items always ends with NULL. */
struct arguments {
    char **items;
    int count;
};

void arguments_add(struct arguments *arguments, const char *argument); /* appends a copy */
void arguments_free(struct arguments *arguments);

/* A started child. child_create fills it in. */
struct child {
    pid_t pid;
    int go;      /* write end: the child waits for a byte before it starts the program */
    int problem; /* read end: errno of a program that could not be started */
};

/* How the child ended. */
struct child_end {
    int status; /* as in a shell: the exit code, or 128 + signal */
    int signal; /* the signal that ended it; 0: it exited */
    /* why the program could not be started; 0: it started */
    int start_errno;
    bool timed_out;   /* --timeout ended it */
    bool interrupted; /* labprof was told to stop by Ctrl-C, SIGTERM or SIGHUP */
    int interrupt;    /* the signal that told it; 0: none */
};

/* Forks the child, which waits at a gate and does not start the program yet. environment lists
 * NAME=VALUE strings to add and ends with NULL. Returns false with errno set. End every created
 * child by child_run or child_cancel. */
bool child_create(struct child *child, char *const command[], char *const environment[]);

/* Lets the child start the program, and waits for its end. After so many seconds, if not 0, the
 * program gets SIGTERM, and SIGKILL if that does not end it. */
struct child_end child_run(struct child *child, unsigned timeout);

/* Kills a child that has not started the program. */
void child_cancel(struct child *child);

/* Finds the program as a shell does, and copies its path to path (at most size bytes). Returns
 * false with errno: ENOENT if it is not found, EACCES if it is not an executable file. */
bool find_program(const char *name, char *path, size_t size);
