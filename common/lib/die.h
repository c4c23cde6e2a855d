/* die.h: the one way in which a program of ours ends that cannot go on. */
#ifndef LIB_DIE_H
#define LIB_DIE_H

/* Who says why; NULL: the program's own name. */
extern const char *die_name;

/* End the program with that status, not 0. What it has printed so far goes out, then "NAME: SENTENCE" on standard
 * error. Nothing else is done: functions for exit() may need a lock that the caller holds. */
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same about a place in a file: "PATH:LINE: SENTENCE". */
_Noreturn void die_at(int status, const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
