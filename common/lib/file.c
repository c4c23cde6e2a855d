#include "file.h"

#include "memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

char *read_whole_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "r");
    if (file == NULL) return NULL;
    char *text = NULL;
    size_t ignored;
    FILE *memory = need(open_memstream(&text, size != NULL ? size : &ignored));
    char buffer[1 << 16];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) fwrite(buffer, 1, got, memory);
    bool failed = ferror(file);
    int why = errno;
    fclose(file);
    fclose(memory);
    if (!failed) return text;
    free(text);
    errno = why;
    return NULL;
}
