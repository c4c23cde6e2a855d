/* class.h: the submissions of a class, in the order of their names. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct csv;

/* One submission: a file, folder or archive in the class's folder. */
struct entry {
    char *student; /* the student's name, unique in the class; names the folder of results */
    char *path;
};

/* A class. Set out, grader, jobs, task and tasks; class_list fills in the entries. */
struct class {
    struct entry *entries;
    size_t n;
    const char *out;     /* folder of results: students/NAME/..., grades.csv, summary.txt ... */
    char *const *grader; /* the grader's command without the arguments about one submission; ends
                            with NULL */
    size_t jobs;         /* submissions graded at a time */
    size_t task, tasks; /* of a cluster's job array: take every tasks-th entry, from entry `task` on
                           (from 0) */
};

/* Lists the folder's submissions, without hidden files. Returns false with errno if it cannot be
 * read. Free the entries with class_free. */
bool class_list(struct class *class, const char *folder);
void class_free(struct class *class);

/* Writes the submissions of a class into the folder, which must exist and be empty. archive is the
 * path of the one archive that a learning platform exports. Drops the folder that contains all
 * submissions, and the files that platforms add. Names what is left out on standard error: a
 * top-level file that is neither a program nor an archive, a path that leads out of the archive, a
 * link, a name that cannot be. Of the latter two it also writes a line, the name and the reason,
 * into the file SUBMISSION_LEFT_OUT of the student's folder.
 * Returns false with a reason in failure. */
bool class_unpack(const char *archive, const char *folder);

/* Makes the folder and its missing parents. Returns false with errno. Changes the path meanwhile,
 * and restores it. */
bool class_make_folder(char *path);

/* Writes the path of the student's folder of results. */
void class_folder(const struct class *class, const struct entry *entry, char folder[PATH_MAX]);

/* Reads the row.csv of a submission, which the caller frees with csv_free; NULL: it is not graded.
 */
struct csv *class_row(const struct class *class, const struct entry *entry);

/* Grades the entries of this task, `jobs` at a time, with a progress bar if standard error is a
 * terminal. Skips submissions that this grader has graded before. Returns false with a message on
 * standard error if some could not be graded. */
bool class_grade(const struct class *class);

/* Writes grades.csv, steps.csv (how many submissions have all, some or none of a step's points),
 * summary.txt and similar.txt (similar.h) from the graded submissions. Each file appears whole or
 * not at all. Returns false with a message on standard error. */
bool class_collect(const struct class *class);

/* A learning platform that names submissions and reads grades in its own way (export.c). */
struct platform;
/* Finds moodle or canvas; NULL: neither. */
const struct platform *class_platform(const char *name);

/* Writes what the platform reads into the folder upload of the results: grades.csv, with the title
 * as the assignment's name, and each report in feedback/. Names submissions that the platform has
 * not named on standard error, and leaves them out. Returns false with a message. */
bool class_export(const struct class *class, const struct platform *platform, const char *title);
