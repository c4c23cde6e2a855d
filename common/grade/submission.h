/* submission.h: finds and reads a student's submission: a .cu file, a folder with one in it, or an archive. */
#ifndef GRADE_SUBMISSION_H
#define GRADE_SUBMISSION_H

#include "kit.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the text of the submission's PROGRAM.cu, or of its only .cu file, to be freed. Line ends become "\n". Opens
 * archives in the sandbox. Returns NULL with a reason for the student: no file, several files, a link, a file that is
 * too large or not a text, an archive with paths that lead out of it. */
char *submission_read(const struct kit *kit, const char *path, char *reason, size_t size);

#endif
