/* die.h: say why something failed, or end a program that cannot go on. */
#pragma once

#include <stdbool.h>

/* The reason of this thread's last failure: a sentence without the program's name. */
enum { FAILURE_SIZE = 4096 };
extern _Thread_local char failure[FAILURE_SIZE];

/* Keeps the sentence in failure, and returns false. It may quote the failure before it. */
bool fail_with(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The name before the sentence; NULL: the program's. */
extern const char *die_name;

/* Flush standard output, print "NAME: SENTENCE" on standard error, and exit with status, which is
 * not 0. Functions registered with atexit() are not called: they may wait for a lock that the
 * caller holds. */
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same about a place in a file: "PATH:LINE: SENTENCE". */
_Noreturn void die_at(int status, const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
