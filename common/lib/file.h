/* file.h: read a file. Writing one is outfile.h's. */
#pragma once

#include <stddef.h>

/* The whole file as one string, to be freed; *size, unless size is NULL, does not count the zero
 * byte after it. NULL with errno if it cannot be read. */
char *read_whole_file(const char *path, size_t *size);
