/* rubric.h: gives points. A row of rubric.tsv is one thing that earns a step points:
 *
 *     step       the step's name
 *     points     a number
 *     feedback   a hint, for who misses them
 *     what       correct    right results in all cases
 *                clean      the same, and the checker finds no stray access, race or misused
 *                           barrier
 *                order      the same, and memory is gone through in the right order, by the cases
 *                           of kind order
 *                launches   the step's kernel launches what the bound says, in the case of kind
 *                           metrics (launches.h); otherwise the step earns nothing at all
 *                must       the bound, METRIC RELATION EXPRESSION, holds, or the bound is clean,
 *                           and the checker finds nothing but leaks; otherwise as above
 *                unlike     the text is not that of the step that the bound names (steps_copies)
 *                predicted  a number is predicted in the submission's answers.md (lib/answers.h),
 *                           whatever the step does
 *                answered   the step's question is answered there, in any words; a person may
 *                           read them
 *                else       a metric in the case of kind metrics (METRIC@SHAPE for one of several
 *                           launches, strideLoad(4).METRIC where they differ in an argument), a
 *                           count of that of kind calls (process.h), or an expression over them,
 *                           as in shared_ld_bank_conflict / shared_load
 *                idea WHAT  one of these that shows the step's idea. Where it fails, the step's
 *                           other rows, all but those about answers.md, earn at most a fifth of
 *                           the step's points together: right results without the idea
 *     bound      of launches  a kernel, and its launches at each depth (launches.h)
 *                of a metric  < <= > or >=, and an expression over KERNEL.METRIC names
 *                             (lib/results.h) */
#pragma once

#include "steps.h"

#include "lib/results.h"

enum { SCORE_ROWS = 256, DETAIL_SIZE = 1536 };

/* The verdict on one row. */
struct score {
    const char *step, *what, *feedback;
    double points, earned;
    bool idea, good,
        answer; /* it shows the step's idea; what it asks for is there; it is about answers.md */
    char detail[DETAIL_SIZE]; /* what is right or wrong, for the student */
    bool of_case;             /* the detail tells which hidden case is wrong, and how */
};

struct scores {
    struct score rows[SCORE_ROWS];
    size_t n;
    double points, earned; /* sums over all rows */
};

/* What the rows of taken steps name: given steps, which have no region, and metrics. */
struct rubric_names {
    char given[SOURCE_MAX_REGIONS][RESULTS_NAME];
    size_t n;
    char metrics[2048]; /* separated by commas */
};

/* Collects these names. Returns false with a message: too many, or a malformed expression. */
bool rubric_names(struct rubric_names *names, const struct lab_files *lab, struct steps *steps);

/* Judges all rows. Returns false with a message if the rubric is malformed. The strings in scores
 * belong to the lab. */
bool rubric_judge(struct scores *scores, const struct lab_files *lab, struct steps *steps,
                  const struct results *results);

/* The earned and the possible points of the rows of one step; step NULL: of all steps. */
struct points {
    double earned, possible;
};
struct points rubric_points(const struct scores *scores, const char *step);
