/* printed.h: standard output: its colours, and a program fails if its text could not be written.
 * printf only fills a buffer, and exit() ignores the result of the last flush: without this check,
 * output to a full disk would be lost silently. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Flush stdout. Returns whether all text was written; if not, prints why on stderr. */
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

/* Call this first in main: the program then exits with 1 if some output could not be written. */
static inline void printed_check_at_exit(void) {
    if (atexit(printed_end) != 0) abort();
}

/* Does standard output get colours: a terminal, and NO_COLOR is not set (no-color.org)? */
static inline bool printed_in_colour(void) {
    const char *off = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && (off == NULL || off[0] == '\0');
}
