/* steps.h: what becomes of a submission, step by step. */
#ifndef GRADE_STEPS_H
#define GRADE_STEPS_H

#include "kit.h"

enum { REASON_SIZE = 1024 };

enum step_state {
    STEP_TAKEN,   /* the student's text is in the program */
    STEP_TODO,    /* nothing has been written yet */
    STEP_MISSING, /* the marks are not there, or damaged */
    STEP_REFUSED, /* the guard does not let the text in */
    STEP_BROKEN,  /* does not compile, and is taken out, so that the others do; or crashes, or never ends */
};

/* One region of the solution and, as they have the same names, the step that it is for. */
struct step {
    const char *name;
    enum step_state state;
    char reason[REASON_SIZE];  /* of STEP_REFUSED and STEP_BROKEN */
    char *text;                /* the student's lines; NULL for STEP_MISSING */
    size_t line;               /* of the first of them in the student's file, counted from 1 */
    bool seen;                 /* has been run and judged */
    char wrong[REASON_SIZE];   /* the first wrong result; "" if none */
    char order[REASON_SIZE];   /* the same in the cases that are about the order of accesses */
    char unclean[REASON_SIZE]; /* what the checker found first; "" if nothing */
    char launch[REASON_SIZE];  /* the first launch by a kernel that is asked for and not there; "" if none */
};

struct steps {
    struct step items[SOURCE_MAX_REGIONS];
    size_t n;
    char *above; /* lines that the regions need above them: cooperative groups, where the student includes them */
};

/* Cut the submission into steps: those of the solution, in its order. */
void steps_make(struct steps *steps, const struct kit *kit, const struct source *submission);
void steps_free(struct steps *steps);

/* The step of that name; NULL: a given one. */
struct step *steps_find(struct steps *steps, const char *name);

/* Set the state, with a reason. */
void step_fail(struct step *step, enum step_state state, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* All steps that are taken are not judged: the submission has used up what it may take. */
void steps_give_up(struct steps *steps, const struct kit *kit);

/* The program to compile for the GPU, to be freed: the instructor's, with the text of the steps for the GPU that are
 * taken; if `only` is not NULL, of that one alone. Elsewhere the TODO stands. Messages about a student's lines have the
 * student's line numbers. */
char *steps_merge(const struct steps *steps, const struct kit *kit, const struct step *only);
/* The same with the steps for the CPU, and what makes it the student's program (split.h). */
char *steps_merge_apart(const struct steps *steps, const struct kit *kit, const struct step *only);

#endif
