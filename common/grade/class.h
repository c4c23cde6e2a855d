/* class.h: the submissions of a class, one after another in the order of their names. */
#ifndef GRADE_CLASS_H
#define GRADE_CLASS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* One submission: a file, folder or archive in the class's folder. */
struct entry {
    char *student; /* its name without .cu, .zip and the like; the whole name where two would be the same */
    char *path;
};

struct class {
    struct entry *entries;
    size_t n;
    const char *out;     /* folder of results: students/NAME/..., grades.csv, summary.txt ... */
    char *const *grader; /* the grader's command, without what is about one submission; ends with NULL */
    size_t jobs;         /* submissions at a time */
    size_t task, tasks;  /* of a cluster's array: take every tasks-th entry, from number task on (from 0) */
};

/* List the folder. False with errno if it cannot be read. Hidden files are left out. */
bool class_list(struct class *class, const char *folder);
void class_free(struct class *class);

/* The folder of a student's results. */
void class_folder(const struct class *class, const struct entry *entry, char folder[PATH_MAX]);

/* Grade the entries of this task, several at a time, with a progress bar if standard error is a terminal. Those that
 * have been graded before are not graded again. Returns how many could not be graded. */
size_t class_grade(const struct class *class);

/* Write grades.csv, steps.csv (how many had all, some, none of a step's points) and summary.txt from what has been
 * graded, whole or not at all. False with a message on standard error. */
bool class_collect(const struct class *class);

#endif
