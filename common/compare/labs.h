/* labs.h: one lab measured twice, on a GPU and on the simulator, launch by launch.
 *
 * labs.c is the command. labs_read.c reads both sides. labs_order.c judges the order of the times, labs_report.c the
 * rest. labs_report.c writes the tables of one lab, labs_overview.c the table of all labs. */
#ifndef COMPARE_LABS_H
#define COMPARE_LABS_H

#include "compare.h"

enum { LABS_LAUNCHES = 512, LABS_METRICS = 256, LABS_LAUNCH_NAME = 256 };

/* One of the two measurements of a lab. */
struct side {
    struct table run, metrics;
    const char *device;
};

/* Two launches: in the reference one takes over 10 % longer than the other, on the other side it does not. */
struct reversal {
    int slower, faster; /* launches */
    struct pair ratios; /* the time of the slower over that of the faster */
    int row;            /* in the list of open reversals; -1: not listed */
};

/* The reference is the GPU; the other side is the simulator. */
struct comparison {
    char name[256]; /* of the recording: lab2, lab1-debug */
    struct side reference, other;
    struct csv *reasons;    /* NULL: none given */
    const struct csv *open; /* the list of open reversals of all recordings; NULL: none given */
    struct reversal *reversals;
    int reversal_count;
    struct launch launches[LABS_LAUNCHES]; /* on both sides; METRIC is "" */
    bool has_shapes[LABS_LAUNCHES];        /* the step launches the kernel more than once */
    int launch_count;
    int left_out; /* launches of the reference alone; the other side has other launches of their steps */
    const char *metrics[LABS_METRICS]; /* of the reference; judged ones first */
    int metric_count;
};

/* ---- labs_read.c ---- */

/* Reads both sides and matches their launches. files: run.csv and metrics.csv of the reference, then of the other side.
 * reasons may be NULL. open must live as long as the comparison. False with a message on stderr: a file cannot be read
 * or lacks a column, there is no launch, or the other side lacks a step. Free with labs_free either way. */
bool labs_read(struct comparison *c, const char *reasons, const struct csv *open, char **files);
void labs_free(struct comparison *c);

/* Does the reference have the metric of any launch? */
bool labs_recorded(const struct comparison *c, const char *metric);
/* A metric of a launch, by its index. "time" is in milliseconds; NaN if the launch failed. */
struct pair labs_values(const struct comparison *c, const char *metric, int launch);

/* ---- labs_report.c ---- */

enum verdict {
    WITHIN,    /* within the bound, or the reference has no value */
    EXPLAINED, /* beyond the bound, but a reason allows it */
    OPEN,      /* a reversal in the list of open ones */
    BEYOND     /* beyond bound and reason, missing, or a reversal not in the list */
};

struct judgement {
    struct pair values;
    double distance; /* in the bound's measure; NaN: a value is missing */
    enum verdict verdict;
};

/* Judges one launch, by its index. */
struct judgement labs_judge(const struct comparison *c, const struct bound *bound, int launch);

/* The worst of several judgements: by verdict, then by distance relative to the bound. A missing value is worst. All
 * zero: none yet. */
struct worst {
    bool judged;
    struct bound bound;
    struct judgement found;
    int launch;
};
/* Judges one more launch. Ignores it if the bound is SHOWN or the reference has no value. */
void labs_worsen(struct worst *worst, const struct comparison *c, struct bound bound, int launch);

/* Counts the judgements of each verdict, the order of the times included. */
void labs_count(const struct comparison *c, int counts[BEYOND + 1]);

const char *labs_verdict_name(enum verdict verdict);
void labs_put_distance(FILE *out, const struct bound *bound, double distance);
/* Markdown: a row for each judged quantity. */
void labs_put_summary(const struct comparison *c, FILE *out);
/* A line for each reversal that the list lacks or has with other ratios, and for each listed one that is gone. */
void labs_put_wrong_order(const struct comparison *c, FILE *out);
/* The whole comparison as Markdown. For write_file; comparison is a struct comparison. */
void labs_put_all(const void *comparison, FILE *out);

/* ---- labs_order.c ---- */

/* Fills c->reversals. */
void labs_find_reversals(struct comparison *c);
/* OPEN if the list has the reversal with these ratios, else BEYOND. */
enum verdict labs_judge_reversal(const struct comparison *c, const struct reversal *r);
/* Is the listed row about this recording, and no reversal any more? */
bool labs_reversal_is_gone(const struct comparison *c, int row);
/* Counts each reversal, and each listed one that is gone; 1 WITHIN if there is neither. */
void labs_count_order(const struct comparison *c, int counts[BEYOND + 1]);
/* The worst of these verdicts. */
enum verdict labs_judge_order(const struct comparison *c);
/* The launch's name in the list: step, kernel, the shape if there are several, #N for the Nth launch of one shape. */
void labs_launch_name(const struct comparison *c, int launch, char name[LABS_LAUNCH_NAME]);
/* Spearman's rho of the times. */
double labs_rank_correlation(const struct comparison *c);

/* ---- labs_overview.c ---- */

struct overview {
    struct comparison *labs;
    int count;
};

/* One Markdown table of all comparisons, a row for each kernel. For write_file; overview is a struct overview. */
void labs_put_overview(const void *overview, FILE *out);

#endif
