/* file.c: reads a file for a job. */
#include "sandbox.h"

#include "lib/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

bool sandbox_read(struct sandbox_file *file, const char *path, const char *name) {
    struct stat status;
    FILE *stream = fopen(path, "rb");
    char *data = NULL;
    bool read = stream != NULL && fstat(fileno(stream), &status) == 0;
    if (read) data = need(calloc(1, (size_t)status.st_size + 1));
    read = read && fread(data, 1, (size_t)status.st_size, stream) == (size_t)status.st_size;
    int error = errno;
    if (read)
        *file = (struct sandbox_file){name, data, (size_t)status.st_size,
                                      (status.st_mode & S_IXUSR) != 0};
    else
        free(data);
    if (stream != NULL) fclose(stream);
    errno = error;
    return read;
}
