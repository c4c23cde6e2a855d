/* die.h: end a program that cannot go on. */
#ifndef LIB_DIE_H
#define LIB_DIE_H

/* The name before the sentence; NULL: the program's. */
extern const char *die_name;

/* Flush standard output, print "NAME: SENTENCE" on standard error, and exit with status, which is
 * not 0. Functions registered with atexit() are not called: they may wait for a lock that the
 * caller holds. */
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same about a place in a file: "PATH:LINE: SENTENCE". */
_Noreturn void die_at(int status, const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
