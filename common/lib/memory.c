#include "memory.h"

#include "die.h"

#include <stdarg.h>
#include <stdio.h>

void *need(void *memory) {
    if (!memory) die(OUT_OF_MEMORY, "out of memory");
    return memory;
}

char *need_text(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    return need(text);
}
