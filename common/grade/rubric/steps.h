/* steps.h: a submission step by step. */
#pragma once

#include "lab_files.h"

#include "guard/merge.h"
#include "lib/answers.h"

enum { REASON_SIZE = 1024 };

enum step_state {
    STEP_TAKEN,   /* the student's text is in the program */
    STEP_TODO,    /* the TODO is still there */
    STEP_MISSING, /* the marks are missing or damaged */
    STEP_REFUSED, /* the guard refuses the text */
    STEP_BROKEN,  /* does not compile, crashes or never ends; it is left out, so that the others
                     compile */
};

/* One region of the solution, and the step of the same name. */
struct step {
    const char *name;
    enum step_state state;
    char reason[REASON_SIZE]; /* of STEP_REFUSED and STEP_BROKEN */
    char *text;               /* the student's lines; NULL for STEP_MISSING */
    size_t line;              /* number of the first of these lines in the student's file, from 1 */
    bool predicted, answered; /* a number is predicted of the step; its question is answered */
    bool seen;                /* the step was run and judged */
    bool in_case;             /* STEP_BROKEN: in a run of a case */
    char wrong[REASON_SIZE];  /* the first wrong result; "" if none */
    char order[REASON_SIZE];  /* the same, in the cases of kind order */
    char unclean[REASON_SIZE]; /* the checker's first finding; "": none */
    char launch[REASON_SIZE];  /* the first wrong nested launch; "": none */
    char copied[128];          /* whose text it has; "": its own, or nobody has asked */
};

struct steps {
    struct step items[SOURCE_MAX_REGIONS];
    size_t n;
    char *above; /* lines of the student that the regions need above them: those about cooperative
                    groups */
    struct piece helpers;              /* the student's own functions and constants */
    char above_fails[REASON_SIZE / 2]; /* why they were left out; "": they were not */
};

/* Cuts the submission into the solution's steps, in the solution's order. The names belong to the
 * lab. Free the steps with steps_free. */
void steps_make(struct steps *steps, const struct lab_files *lab, const struct source *submission);
void steps_free(struct steps *steps);

/* Notes which steps are predicted and answered. */
void steps_take_answers(struct steps *steps, const struct answers *answers);

/* The step of that name; NULL: the student has no such region. */
struct step *steps_find(struct steps *steps, const char *name);

/* Is the step's text a part of that of the earlier step, in the solution or in the submission?
 * Other names, brackets, semicolons and comments make no difference. */
bool steps_copies(struct steps *steps, const struct lab_files *lab, const struct step *step,
                  const char *earlier);

/* Sets the state, with a printf reason. */
void step_fail(struct step *step, enum step_state state, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Leaves out the lines above the regions; why: a line of the compiler's. */
void steps_drop_above(struct steps *steps, const char *why);

/* Marks all taken steps as not judged, because the submission has used up its budget. */
void steps_give_up(struct steps *steps, const struct lab_files *lab);

/* Fills in a piece for each region: the text of the taken steps for the CPU (on_host) or for the
 * GPU, or of step `only` alone if it is not NULL. The texts stay the steps'. Returns how many have
 * a text. */
size_t steps_pieces(struct piece *pieces, const struct steps *steps, const struct lab_files *lab,
                    const struct step *only, bool on_host);
/* Returns the instructor's program with these pieces, to be freed; see merge_put. on_host: with the
 * tail of the student's program (split.h). */
char *steps_merge(const struct steps *steps, const struct lab_files *lab,
                  const struct piece *pieces, const char *mark, bool on_host);
