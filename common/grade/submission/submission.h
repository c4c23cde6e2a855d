/* submission.h: finds and reads a student's submission: a .cu file, a folder with one in it, or an
 * archive. */
#ifndef GRADE_SUBMISSION_H
#define GRADE_SUBMISSION_H

#include "grade/rubric/lab_files.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the text of the submission's PROGRAM.cu, or of its only .cu file, to be freed. Line ends
 * become "\n". Opens archives in the sandbox. Returns NULL with a reason for the student: no file,
 * several files, a link, a file that is too large or not a text, an archive with paths that lead
 * out of it. */
char *submission_read(const struct lab_files *lab, const char *path, char *reason, size_t size);

/* Returns the text of the answers.md beside that program, in the same folder or archive, to be
 * freed; NULL if there is none, or none that can be read. A program that is handed in alone has
 * none: what lies beside it may be another student's. */
char *submission_answers(const struct lab_files *lab, const char *path);

/* Returns what unpack_class has left out of the student's folder, on one line, to be freed; NULL:
 * nothing. */
char *submission_left_out(const char *path);

#endif
