/* report.h: what comes out of grading: for the student, and for the systems that instructors use. */
#ifndef GRADE_REPORT_H
#define GRADE_REPORT_H

#include "rubric.h"

#include <stdio.h>

/* One submission, graded. */
struct graded {
    const struct kit *kit;
    const char *student;
    const char *refused; /* nothing was graded, and why; NULL if it was */
    struct scores scores;
};

/* For people. With colours if colour. Nothing of the solution, and no seed. */
void report_text(const struct graded *graded, FILE *out, bool colour);

/* Gradescope's results.json: a test for each step. */
void report_gradescope(const struct graded *graded, FILE *out);

/* Autolab's line: points by step. */
void report_autolab(const struct graded *graded, FILE *out);

/* A head and a row: student,lab,points,of,STEP...,note. */
void report_row(const struct graded *graded, FILE *out);

#endif
