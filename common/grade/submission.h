/* submission.h: find and read what a student has handed in: a .cu file, a folder with one in it, or an archive. */
#ifndef GRADE_SUBMISSION_H
#define GRADE_SUBMISSION_H

#include "kit.h"

#include <stdbool.h>
#include <stddef.h>

/* The text of the submission's PROGRAM.cu (or of its only .cu file), to be freed; line ends become "\n". NULL with a
 * reason, for the student: nothing there, several, a link, too large, not a text, an archive with paths that lead out
 * of it. Archives are opened in the sandbox. */
char *submission_read(const struct kit *kit, const char *path, char *reason, size_t size);

#endif
