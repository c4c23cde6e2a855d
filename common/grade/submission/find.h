/* find.h: finds the file to grade in a student's folder. */
#ifndef GRADE_FIND_H
#define GRADE_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* Endings of names, as extended regular expressions for lower-case names. */
#define FIND_PROGRAM    "[.]cu"
#define FIND_COMPRESSED "[.](gz|bz2|xz)"
#define FIND_ARCHIVE    "([.](zip|tgz|tar|tar" FIND_COMPRESSED "))"

/* Returns where the name's ending begins, if it is one of these; else NULL. Ignores case. */
const char *find_ending(const char *name, const char *endings);

/* Finds the file called `wanted` in the folder or below it, else the only .cu file, else the only
 * archive. Follows no links and skips hidden files. Returns a path that is valid until the next
 * call, or NULL with a reason. */
const char *find_program(const char *folder, const char *wanted, char *reason, size_t size);

/* Does the path end like an archive, or like a program? Neither opens the file. */
bool find_is_archive(const char *path);
bool find_is_program(const char *path);

#endif
