/* find.h: which file of a student's folder counts. */
#ifndef GRADE_FIND_H
#define GRADE_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* Endings of names, as extended regular expressions for names in small letters. */
#define FIND_PROGRAM    "[.]cu"
#define FIND_COMPRESSED "[.](gz|bz2|xz)"
#define FIND_ARCHIVE    "([.](zip|tgz|tar|tar" FIND_COMPRESSED "))"

/* Where the name's ending, one of these, begins; NULL if it ends otherwise. Capital letters count as small ones. */
const char *find_ending(const char *name, const char *endings);

/* The file in the folder or below it that is called `wanted`, else the only .cu file, else the only archive. Links are
 * not followed; hidden files are not looked at. Returns a path that lasts until the next call, or NULL with a reason.
 */
const char *find_program(const char *folder, const char *wanted, char *reason, size_t size);

bool find_is_archive(const char *path);
bool find_is_program(const char *path);

#endif
