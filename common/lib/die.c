#include "die.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *die_name;
_Thread_local char failure[FAILURE_SIZE];

bool fail_with(const char *format, ...) {
    char sentence[FAILURE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    strcpy(failure, sentence);
    return false;
}

/* Prints "BEGIN: SENTENCE" as one line, though other threads print too. */
static _Noreturn void end(int status, const char *begin, const char *format, va_list arguments) {
    fflush(stdout);
    flockfile(stderr);
    fprintf(stderr, "%s: ", begin);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    _exit(status);
}

void die(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    end(status, die_name ? die_name : program_invocation_short_name, format, arguments);
}

void die_at(int status, const char *path, int line, const char *format, ...) {
    char place[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    snprintf(place, sizeof place, "%s:%d", path, line);
    end(status, place, format, arguments);
}
