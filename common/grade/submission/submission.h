/* submission.h: finds and reads a student's submission: a .cu file, a folder with one in it, or an
 * archive. */
#pragma once

#include "unpack.h"

#include <stdbool.h>
#include <stddef.h>

/* Endings of names, as extended regular expressions. */
#define ENDING_PROGRAM    "[.]cu"
#define ENDING_COMPRESSED "[.](gz|bz2|xz)"
#define ENDING_ARCHIVE    "([.](zip|tgz|tar|tar" ENDING_COMPRESSED "))"

/* Returns where the name's ending begins, if it is one of these; else NULL. Ignores case. */
const char *submission_ending(const char *name, const char *endings);

/* A file in the student's folder that names what was left out of it. */
#define SUBMISSION_LEFT_OUT ".left-out"

/* What was handed in, in texts whose line ends are "\n". */
struct submission {
    char *program;  /* PROGRAM.cu, or the only .cu file; NULL: see the reason */
    char *answers;  /* the answers.md beside it, in the same folder or archive; NULL: none */
    char *left_out; /* from SUBMISSION_LEFT_OUT, on one line; NULL: nothing */
};

/* Reads what lies at the path. lab: the path of the lab's program, such as
 * solutions/lab3-reduction/reduction.cu, whose file and folder names count. Follows no links, and
 * opens archives in the sandbox. A program that is handed in alone has no answers: what lies beside
 * it may be another student's. Where there is no program, the reason says for the student why: no
 * file, several files, a link, a file that is too large or not a text, an archive with paths that
 * lead out of it. Free with submission_free. */
void submission_read(struct submission *submission, const char *path, const char *lab,
                     struct sandbox_budget *budget, char *reason, size_t size);
void submission_free(struct submission *submission);
