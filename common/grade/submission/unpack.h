/* unpack.h: opens zip and tar archives. unpack.sh does so in the sandbox. */
#pragma once

#include "grade/sandbox/sandbox.h"

#include <stdbool.h>
#include <stddef.h>

struct unpacked_file {
    char *name;         /* control characters are replaced */
    const char *data;   /* programs and answers.md, cut one byte above their limit */
    const char *reason; /* why it must not be taken; NULL: here are the bytes */
    size_t size;
};

/* All files of an archive, without hidden ones and those of an operating system. */
struct unpacked {
    struct sandbox_bytes text; /* what the files point into */
    struct unpacked_file *items;
    size_t n;
};

/* The largest archive of a class, and the most bytes of its files. */
#define CLASS_BYTES (512 * MIB)

/* Unpacks a student's archive, or a class's, in which archives have their bytes, too, from the
 * project's folder. budget: what grading may still take; NULL: only the sandbox's limits. Returns
 * false with a reason in failure. Free with unpacked_free, also then. */
bool unpack(struct sandbox_budget *budget, const struct sandbox_bytes *archive, bool of_class,
            struct unpacked *unpacked);
void unpacked_free(struct unpacked *unpacked);
