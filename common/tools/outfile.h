/* outfile.h: a file that is either written whole or not at all. The text goes to a temporary file in the same folder,
 * which takes the name at the end. What is no plain file (/dev/null, a pipe) is written directly. */
#ifndef TOOLS_OUTFILE_H
#define TOOLS_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct outfile {
    FILE *file;
    char path[PATH_MAX];
    char temporary[PATH_MAX + 8]; /* "" when path is written directly */
};

/* Opens the temporary file. False with errno set when path cannot be written. */
bool outfile_open(struct outfile *out, const char *path);

/* Closes it and gives it its name. False with errno set, and nothing changed at path, when something went wrong (a full
 * disk). */
bool outfile_commit(struct outfile *out);

/* Closes and removes the temporary file; path is as it was. Harmless after a commit. */
void outfile_drop(struct outfile *out);

#endif
