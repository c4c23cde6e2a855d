/* compare.h: two measurements of the same labs set side by side, launch by launch, and judged.
 *
 * compare_read.c reads and matches them; compare_judge.c says how far apart they may be, and are, compare_order.c
 * whether their times are in the same order; compare_write.c writes the tables of one lab, compare_overview.c the one
 * of all. */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/csv.h"

enum { COMPARE_LAUNCHES = 512, COMPARE_METRICS = 256, COMPARE_LAUNCH_NAME = 256 };

/* One of the two measurements of a lab. */
struct side {
    struct csv *run, *metrics;
    const char *device;
};

/* A launch that both sides have: a lab may launch a kernel several times in one step, in several shapes or in the same
 * one. */
struct launch {
    const char *step, *kernel, *grid, *block;
    int occurrence;  /* how many launches just like it came before */
    bool has_shapes; /* the step launches the kernel more than once */
};

/* Both values of one thing in one launch; NaN where a side has none. */
struct pair {
    double reference, other;
};

/* Two launches of which one is slower in the reference, by more than a tenth, and not slower on the other side. */
struct reversal {
    int slower, faster;
    struct pair ratios; /* the time of the slower over that of the faster */
    int row;            /* of the list of open reversals; -1: not in it */
};

struct comparison {
    char name[256]; /* of the recording: lab2, lab1-debug */
    struct side reference, other;
    struct csv *reasons; /* NULL: none given */
    struct csv *open;    /* the list of open reversals, of all recordings; NULL: none given */
    struct reversal *reversals;
    int reversal_count;
    struct launch launches[COMPARE_LAUNCHES];
    int launch_count;
    int left_out; /* launches of the reference that the other side does not make, of steps of which it makes some */
    const char *metrics[COMPARE_METRICS]; /* of the reference; judged ones first */
    int metric_count;
};

/* ---- compare_read.c ---- */

struct compare_files {
    const char *reasons; /* NULL: none */
    const char *open;    /* the list of open reversals; NULL: none */
    const char *reference_run, *reference_metrics, *run, *metrics;
};

/* Reads both sides and matches their launches by step, kernel, grid and block. False with a message on stderr: a file
 * that cannot be read or lacks a column, no launch, or a step of which the other side has none. Free with compare_free
 * either way. */
bool compare_read(struct comparison *c, const struct compare_files *files);
void compare_free(struct comparison *c);

/* Whether two names are of one kernel: what a launch has in parentheses, as in strideLoad(4), does not count. */
bool compare_same_kernel(const char *a, const char *b);
/* Whether the reference has recorded a metric. */
bool compare_recorded(const struct comparison *c, const char *metric);
struct pair compare_metric(const struct comparison *c, const char *metric, int launch);
/* Milliseconds; NaN where a launch did not end well. */
struct pair compare_time(const struct comparison *c, int launch);

/* ---- compare_judge.c ---- */

/* How far apart two values may be. */
enum bound_kind {
    BOUND_SAME,    /* not at all */
    BOUND_POINTS,  /* so many percentage points */
    BOUND_PERCENT, /* so many percent of the reference */
    BOUND_FACTOR,  /* so many times as much, or as little */
    BOUND_RATE,    /* so much for each request that the reference counted */
    BOUND_NONE     /* shown, not judged */
};

/* What kind of thing it is that must agree: the columns of the overview. */
enum bound_group { GROUP_SECTORS, GROUP_SHARED, GROUP_RATIO, GROUP_INSTRUCTIONS, GROUP_TIME, GROUPS, GROUP_NONE };

struct bound {
    const char *metric;
    enum bound_kind kind;
    double limit;
    enum bound_group group;
    const char *requests; /* BOUND_RATE: the metric that counts them */
};

/* The bound of a metric, or of a launch's "time". */
struct bound compare_bound(const char *metric);
/* The i-th metric that has a bound, times not among them; NULL after the last. */
const struct bound *compare_bounded(int i);

enum verdict {
    WITHIN,    /* within its bound, or nothing to hold it against */
    EXPLAINED, /* farther apart, as far as a reason allows */
    OPEN,      /* a reversal that is in the list of open ones */
    BEYOND     /* farther than that, missing, or a reversal that is not in the list */
};

struct judgement {
    struct pair values;
    double distance; /* in the terms of the bound; NaN where a value is missing */
    enum verdict verdict;
    int reason; /* EXPLAINED: row of the reasons; else -1 */
};

struct judgement compare_judge(const struct comparison *c, const struct bound *bound, int launch);

/* How many of all judgements, those of the order included, came to each verdict. */
void compare_count(const struct comparison *c, int counts[BEYOND + 1]);

/* ---- compare_order.c ---- */

/* No reason excuses an order of two times. A reversal that is known stands in a list (columns recording, slower,
 * faster, measured, simulated: both ratios of the two times), and must leave it when it is mended. */

/* Fills c->reversals. False with a message when there is no memory. */
bool compare_find_reversals(struct comparison *c);
/* OPEN: in the list, with these ratios; else BEYOND. */
enum verdict compare_judge_reversal(const struct comparison *c, const struct reversal *r);
/* Is the row of the list about this recording, and the order of its launches right? */
bool compare_is_gone(const struct comparison *c, int row);
/* The worst verdict on the order: that of a reversal, or BEYOND where a row of the list is gone. */
enum verdict compare_judge_order(const struct comparison *c);
/* Adds one for each reversal and each row that is gone; one WITHIN if there is neither. */
void compare_count_order(const struct comparison *c, int counts[BEYOND + 1]);
/* As the list names a launch: step and kernel; the shape where the step launches the kernel in several; and its turn
 * from the second on. */
void compare_launch_name(const struct launch *l, char *name, size_t size);
/* Spearman's rho of the times; NaN when fewer than two launches have both. */
double compare_rank_correlation(const struct comparison *c);

/* ---- compare_write.c ---- */

/* A number, a distance or a verdict as text, for tables. */
void compare_put_number(FILE *out, double value);
void compare_put_distance(FILE *out, const struct bound *bound, double distance);
const char *compare_verdict(enum verdict verdict);

/* The summary: a row for each judged quantity. */
void compare_put_summary(const struct comparison *c, FILE *out);
/* A line for each reversal that is not in the list, or not with these ratios, and each row of the list that is gone. */
void compare_put_wrong_order(const struct comparison *c, FILE *out);
/* The whole comparison as Markdown. */
void compare_put_all(const struct comparison *c, FILE *out);

/* ---- compare_overview.c ---- */

/* All comparisons in one Markdown table: a row for each kernel. */
void compare_put_overview(const struct comparison *comparisons, int count, FILE *out);

#endif
