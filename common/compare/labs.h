/* labs.h: a lab measured twice, on a GPU and on the simulator, launch by launch.
 *
 * labs_read.c reads both sides, labs_order.c judges the order of their times; labs_report.c judges the rest and writes
 * the tables of one lab, labs_overview.c the table of all. labs.c is the command. */
#ifndef COMPARE_LABS_H
#define COMPARE_LABS_H

#include <stdbool.h>
#include <stdio.h>

#include "judge.h"
#include "tables.h"

enum { LABS_LAUNCHES = 512, LABS_METRICS = 256, LABS_LAUNCH_NAME = 256 };

/* One of the two measurements of a lab. */
struct side {
    struct table run, metrics;
    const char *device;
};

/* Two launches of which one is slower in the reference, by more than a tenth, and not slower on the other side. */
struct reversal {
    int slower, faster; /* launches */
    struct pair ratios; /* the time of the slower over that of the faster */
    int row;            /* of the list of open reversals; -1: not in it */
};

struct comparison {
    char name[256]; /* of the recording: lab2, lab1-debug */
    struct side reference, other;
    struct csv *reasons;    /* NULL: none given */
    const struct csv *open; /* the list of open reversals, of all recordings; NULL: none given */
    struct reversal *reversals;
    int reversal_count;
    struct launch launches[LABS_LAUNCHES]; /* that both sides have; their METRIC is "" */
    bool has_shapes[LABS_LAUNCHES];        /* the step launches the kernel more than once */
    int launch_count;
    int left_out; /* launches of the reference that the other side does not make, of steps of which it makes some */
    const char *metrics[LABS_METRICS]; /* of the reference; judged ones first */
    int metric_count;
};

/* ---- labs_read.c ---- */

/* Reads both sides and matches their launches. files: run.csv and metrics.csv of the
 * reference, then of the other side.
 * reasons may be NULL; open must outlive the comparison. False with a message on stderr: a file that cannot be read or
 * lacks a column, no launch, or a step of which the other side has none. Free with labs_free either way. */
bool labs_read(struct comparison *c, const char *reasons, const struct csv *open, char **files);
void labs_free(struct comparison *c);

/* Whether the reference has recorded a metric. */
bool labs_recorded(const struct comparison *c, const char *metric);
/* A metric of a launch; of "time", milliseconds, which a launch that did not end well lacks. */
struct pair labs_values(const struct comparison *c, const char *metric, int launch);

/* ---- labs_report.c ---- */

enum verdict {
    WITHIN,    /* within its bound, or the reference has no value */
    EXPLAINED, /* farther apart, as far as a reason allows */
    OPEN,      /* a reversal that is in the list of open ones */
    BEYOND     /* farther than that, missing, or a reversal that is not in the list */
};

struct judgement {
    struct pair values;
    double distance; /* as the bound's measure tells it; NaN where a value is missing */
    enum verdict verdict;
};

struct judgement labs_judge(const struct comparison *c, const struct bound *bound, int launch);
/* How many of all judgements, those of the order included, came to each verdict. */
void labs_count(const struct comparison *c, int counts[BEYOND + 1]);

const char *labs_verdict_name(enum verdict verdict);
void labs_put_distance(FILE *out, const struct bound *bound, double distance);
/* The summary: a row for each judged quantity. */
void labs_put_summary(const struct comparison *c, FILE *out);
/* A line for each reversal that is not in the list, or not with these ratios, and each row of the list that is gone. */
void labs_put_wrong_order(const struct comparison *c, FILE *out);
/* The whole comparison as Markdown: of a struct comparison, for write_file. */
void labs_put_all(const void *comparison, FILE *out);

/* ---- labs_order.c ---- */

/* No reason excuses an order of two times. A reversal that is known stands in a list (columns recording, slower,
 * faster, measured, simulated: both ratios of the two times), and must leave it when it is mended. */

/* Fills c->reversals. */
void labs_find_reversals(struct comparison *c);
/* OPEN: in the list, with these ratios; else BEYOND. */
enum verdict labs_judge_reversal(const struct comparison *c, const struct reversal *r);
/* Is the row of the list about this recording, and the order of its launches right? */
bool labs_reversal_is_gone(const struct comparison *c, int row);
/* Adds one for each reversal and each row that is gone; one WITHIN if there is neither. */
void labs_count_order(const struct comparison *c, int counts[BEYOND + 1]);
/* The worst of these verdicts. */
enum verdict labs_judge_order(const struct comparison *c);
/* As the list names a launch: step and kernel; the shape where the step launches the kernel in several; and its turn
 * from the second on. */
void labs_launch_name(const struct comparison *c, int launch, char name[LABS_LAUNCH_NAME]);
/* Spearman's rho of the times. */
double labs_rank_correlation(const struct comparison *c);

/* ---- labs_overview.c ---- */

struct overview {
    struct comparison *labs;
    int count;
};

/* All comparisons in one Markdown table, a row for each kernel: of a struct overview, for write_file. */
void labs_put_overview(const void *overview, FILE *out);

#endif
