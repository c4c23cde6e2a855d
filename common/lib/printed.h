/*
 * printed.h: a program that could not print all it had to say has failed. What goes to a full disk is lost in silence
 * unless somebody looks: printf leaves it in a buffer, and nobody reads what the flush at exit returns.
 */
#ifndef TOOLS_PRINTED_H
#define TOOLS_PRINTED_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Has all text reached stdout? If not, says so on stderr. */
static inline bool printed_all(void) {
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed = fflush(stdout) != 0 || failed;
    if (failed)
        fprintf(stderr, "%s: cannot write all of its output: %s\n", program_invocation_short_name,
                errno ? strerror(errno) : "a write failed");
    return !failed;
}

static inline void printed_end(void) {
    if (!printed_all()) _exit(EXIT_FAILURE);
}

/* To be called first in main: the program exits with 1, whatever it meant to, where not all could be printed. */
static inline void printed_check_at_exit(void) {
    if (atexit(printed_end) != 0) abort();
}

#endif
