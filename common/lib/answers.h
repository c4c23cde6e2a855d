/* answers.h: a student's answers.md: what he predicts of each step, and his answer to its question.
 *
 *     ## reduceUnroll2                         a step
 *
 *     > What do half of the threads do here?   its question
 *
 *     - x before: 1.7                          a prediction: quantity and value
 *     - dram_read_throughput: 900 GB/s
 *
 *     Answer: they add.                        the answer: all text up to the next step that is
 * neither of these
 *
 * Whatever stands in the file, nothing in it is an error: a step may be missing, and each part of
 * it. */
#pragma once

#include "source.h"

#include <stdbool.h>
#include <stddef.h>

#define ANSWERS_NAME "answers.md"

enum { ANSWER_PREDICTIONS = 8 };

struct prediction {
    char quantity[SOURCE_NAME_SIZE]; /* x before, or the name of a metric */
    char *text;                      /* as written; "": none yet */
    size_t line;                     /* in the file, from 1 */
};

struct answer {
    char step[SOURCE_NAME_SIZE];
    size_t line; /* of the heading, from 1 */
    struct prediction predictions[ANSWER_PREDICTIONS];
    size_t predictions_n;
    char *text; /* valid UTF-8; "": none yet */
};

struct answers {
    struct answer items[SOURCE_MAX_REGIONS];
    size_t n;
};

/* Reads the text of an answers.md. Free with answers_free. */
void answers_parse(struct answers *answers, const char *text);
void answers_free(struct answers *answers);

/* The step's first section; NULL: none. */
const struct answer *answers_of(const struct answers *answers, const char *step);

/* The step's prediction of this quantity; "": none. */
const char *answer_prediction(const struct answer *answer, const char *quantity);

/* The step that the line is a heading of; false: it is no such heading. */
bool answers_heading(const char *line, char step[SOURCE_NAME_SIZE]);

/* The number that a prediction begins with: 1.7, 1,7 or ~900 GB/s. False: it begins with none. */
bool prediction_number(const char *text, double *number);
