/* unpack.h: takes submissions out of zip and tar archives. unpack.sh opens the archives in the
 * sandbox. */
#ifndef GRADE_UNPACK_H
#define GRADE_UNPACK_H

#include "grade/sandbox/sandbox.h"

#include <stdbool.h>
#include <stddef.h>

/* How to unpack. */
struct unpacker {
    const char *script; /* the path of unpack.sh */
    struct sandbox_budget
        *budget; /* what grading may still take; NULL: only the sandbox's limits */
    bool unsafe; /* run even without a sandbox */
};

/* Takes one file out of the archive: the file called `wanted`, else the only one whose name matches
 * the extended regular expression `other`. The caller frees file->data. Returns false with a
 * reason: a damaged or too large archive, no such file or several, paths that lead out of the
 * archive, links. */
bool unpack_file(const struct unpacker *with, const struct sandbox_bytes *archive,
                 const char *wanted, const char *other, struct sandbox_bytes *file, char *why,
                 size_t size);

/* Writes the submissions of a class into the folder, which must exist and be empty. archive is the
 * path of the one archive that a learning platform exports. Drops the folder that contains all
 * submissions, and the files that platforms add. Names what is left out on standard error: a
 * top-level file that is neither a program nor an archive, a path that leads out of the archive, a
 * link, a name that cannot be. Of the latter two it also writes a line, the name and the reason,
 * into the file UNPACK_LEFT_OUT of the student's folder. Returns false with a reason, as
 * unpack_file does. */
#define UNPACK_LEFT_OUT ".left-out"
bool unpack_class(const struct unpacker *with, const char *archive, const char *folder, char *why,
                  size_t size);

#endif
