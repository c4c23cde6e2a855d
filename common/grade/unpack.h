/* unpack.h: submissions out of zip and tar archives. unpack.sh opens them in the sandbox. */
#ifndef GRADE_UNPACK_H
#define GRADE_UNPACK_H

#include "sandbox.h"

#include <stdbool.h>
#include <stddef.h>

struct unpacker {
    const char *script;            /* the path of unpack.sh */
    struct sandbox_budget *budget; /* what grading may take in all; NULL: no limit but the sandbox's */
    bool unsafe;                   /* run without bubblewrap where there is none */
};

/* Take one file out of the archive: the one called `wanted`, else the only .cu file. program->data is to be freed.
 * False with a reason: damaged, too large, no such file or several, paths that lead out of the archive, links. */
bool unpack_program(const struct unpacker *with, const struct sandbox_bytes *archive, const char *wanted,
                    struct sandbox_bytes *program, char *why, size_t size);

/* Write a class's submissions, out of the one archive that a learning platform exports, into the folder, which must be
 * there and be empty: without the folder that all of them are in, without the files that platforms add. A file beside
 * the students' folders that is neither a program nor an archive is left out and named on standard error. False with a
 * reason, as unpack_program. */
bool unpack_class(const struct unpacker *with, const char *archive, const char *folder, char *why, size_t size);

#endif
