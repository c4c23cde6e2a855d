/* report.h: the results of grading, for the student and for the systems that instructors use. */
#pragma once

#include "rubric.h"

#include <stdio.h>

/* One submission, graded. */
struct graded {
    const struct lab_files *lab;
    const char *student;
    const struct steps *steps;
    const char *answers; /* the submission's answers.md; NULL: none */
    bool refused;        /* nothing was graded */
    const char *note;    /* why, or what else is wrong with what was handed in; "": nothing */
    struct scores scores;
    const char *no_hints; /* why there are no hints; NULL: there are */
    bool hide_cases;      /* it is not yet said which hidden case is wrong, and how */
};

/* Prints the student's report. It shows nothing of the solution, and no seed. */
void report_text(const struct graded *graded, FILE *out);
/* The same with colours. */
void report_in_colour(const struct graded *graded, FILE *out);

/* Prints Gradescope's results.json, with a test for each step. */
void report_gradescope(const struct graded *graded, FILE *out);

/* Prints Autolab's line: points by step. */
void report_autolab(const struct graded *graded, FILE *out);

/* Prints a CSV head and row: student,lab,points,of,STEP...,note. */
void report_row(const struct graded *graded, FILE *out);
