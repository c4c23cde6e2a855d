/* labs.h: one lab measured twice, on a GPU and on the simulator, launch by launch.
 *
 * labs.c is the command. labs_read.c reads both sides. labs_report.c judges the metrics; truth.c
 * judges times. labs_report.c writes the tables of one lab, labs_overview.c the table of all labs.
 */
#pragma once

#include "compare.h"

enum { LABS_LAUNCHES = 512, LABS_METRICS = 256 };

/* One of the two measurements of a lab. */
struct side {
    struct table metrics;
    const char *device;
};

/* The reference is the GPU; the other side is the simulator. */
struct comparison {
    char name[256]; /* of the recording: lab2, lab1-debug */
    struct side reference, other;
    struct csv *reasons;                   /* NULL: none given */
    struct launch launches[LABS_LAUNCHES]; /* on both sides; METRIC is "" */
    bool has_shapes[LABS_LAUNCHES];        /* the step launches the kernel more than once */
    int launch_count;
    int left_out; /* launches of the reference alone; the other side has other launches of their
                     steps */
    const char *metrics[LABS_METRICS]; /* of the reference; judged ones first */
    int metric_count;
};

/* ---- labs_read.c ---- */

/* Reads both sides and matches their launches. files: metrics.csv of the reference, then of the
 * other side. reasons may be NULL. False with a sentence in failure: a file cannot be read or lacks
 * a column, there is no launch, or the other side lacks a step. Free with labs_free either way. */
bool labs_read(struct comparison *c, const char *reasons, char **files);
void labs_free(struct comparison *c);

/* Does the reference have the metric of any launch? */
bool labs_recorded(const struct comparison *c, const char *metric);
/* A metric of a launch, by its index; NaN where a side has no value. */
struct pair labs_values(const struct comparison *c, const char *metric, int launch);

/* ---- labs_report.c ---- */

enum verdict {
    WITHIN,    /* within the bound, or the reference has no value */
    EXPLAINED, /* beyond the bound, but a reason allows it */
    BEYOND     /* beyond bound and reason, or missing */
};

struct judgement {
    struct pair values;
    double distance; /* in the bound's measure; NaN: a value is missing */
    enum verdict verdict;
};

/* Judges one launch, by its index. */
struct judgement labs_judge(const struct comparison *c, const struct bound *bound, int launch);

/* The worst of several judgements: by verdict, then by distance relative to the bound. A missing
 * value is worst. All zero: none yet. */
struct worst {
    bool judged;
    struct bound bound;
    struct judgement found;
    int launch;
};
/* Judges one more launch. Ignores it if the bound is SHOWN or the reference has no value. */
void labs_worsen(struct worst *worst, const struct comparison *c, struct bound bound, int launch);

/* Counts the judgements of each verdict. */
void labs_count(const struct comparison *c, int counts[BEYOND + 1]);

const char *labs_verdict_name(enum verdict verdict);
void labs_put_distance(FILE *out, const struct bound *bound, double distance);
/* Markdown: a row for each judged quantity. */
void labs_put_summary(const struct comparison *c, FILE *out);
/* The whole comparison as Markdown. For write_file; comparison is a struct comparison. */
void labs_put_all(const void *comparison, FILE *out);

/* ---- labs_overview.c ---- */

struct overview {
    struct comparison *labs;
    int count;
};

/* One Markdown table of all comparisons, a row for each kernel. For write_file; overview is a
 * struct overview. */
void labs_put_overview(const void *overview, FILE *out);
