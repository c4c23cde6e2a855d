/* questions.h: a lab's steps as its source shows them.
 *
 *     / * ---- Step 2 ----
 *      *
 *      *     tid   0   1   2   3                the drawing
 *      *
 *      * Question: how many warps have nothing to do?
 *      * Metric: inst_per_warp
 *      * /
 *     __global__ void reduceNeighboredLess(...) {      the step's function
 *         ...
 *     } */
#pragma once

#include "source.h"

struct question {
    char name[SOURCE_NAME_SIZE];   /* of the step, and of its function */
    char *text;                    /* on one line; "": the step has no question */
    char metric[SOURCE_NAME_SIZE]; /* that explains the step; "": none */
    size_t comment, begin,
        end; /* lines: the comment's first, the function's first, and the one after its last */
};

struct questions {
    struct question items[SOURCE_MAX_REGIONS];
    size_t n;
};

/* Finds the step whose function has this name. Returns false if there is no such function. Free
 * with question_free. */
bool question_find(struct question *question, const struct source *source, const char *name);
void question_free(struct question *question);

/* Finds the steps of the table STEPS, in its order, as far as they have functions. Free with
 * questions_free. */
void questions_find(struct questions *questions, const struct source *source);
void questions_free(struct questions *questions);
