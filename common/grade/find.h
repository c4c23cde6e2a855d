/* find.h: which file of a student's folder counts. */
#ifndef GRADE_FIND_H
#define GRADE_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* The file in the folder or below it that is called `wanted`, else the only .cu file, else the only archive. Links are
 * not followed; hidden files are not looked at. Returns a path that lasts until the next call, or NULL with a reason.
 */
const char *find_program(const char *folder, const char *wanted, char *reason, size_t size);

/* By its name: zip, or tar in one of its forms. */
bool find_is_archive(const char *path);
bool find_is_program(const char *path);

#endif
