/* truth.h: modelled times against measured ones, launch by launch: of the labs at their default
 * sizes and at three sizes, of programs by others, and of random kernels (random/kernels.c), with
 * machine code and from PTX alone.
 *
 * truth_read.c reads and joins the measurements, truth_score.c computes shares and correlations,
 * truth_order.c finds neighbours in another order. truth.c is the command and what is asked.
 * truth_report.c writes the table. */
#pragma once

#include "compare.h"

/* Where a launch was recorded. */
enum suite { DEFAULT_SIZE, THREE_SIZES, FOREIGN, RANDOM, RANDOM_PTX, SUITES };

/* The quantities of a launch. Tables that lack one have NaN. */
enum value {
    TIME,         /* ms */
    OCCUPANCY,    /* achieved, in points: 0 to 100 */
    STALL_SYNC,   /* percent */
    DRAM,         /* bytes, read and written */
    INSTRUCTIONS, /* warps executed */
    BRANCHES,
    FLOPS, /* single precision */
    VALUES
};

enum { GROUP_NAME = 64 };

/* A launch that the GPU ran and timed. */
struct timed {
    enum suite suite;
    char group[GROUP_NAME]; /* what is scored together: a recording such as lab1-debug, others'
                               suite, or a family of random kernels */
    int ladder;          /* launches of one run have the same number, and lie in the run's order */
    const char *program; /* FOREIGN */
    const char *model;   /* the commit of the model that simt's time is from; "" or NULL:
                            not recorded */
    const char *const *cell;   /* as struct launch has them */
    bool held_back;            /* by truth_is_held_back; of random kernels, by their seed */
    bool on_simt;              /* simt's table has the launch */
    struct pair value[VALUES]; /* reference: the GPU's; other: the model's, NaN where it failed */
};

/* A file of the GPU's measurements and simt's, which is the same table for programs by others. */
struct recording {
    struct table gpu, simt;
};

struct truth {
    struct recording *recordings;
    struct timed *launches;
    struct csv *reasons; /* NULL: none given */
    const char *plot;    /* where the report finds the plot; NULL: it has none */
    const char *model; /* the commit of the model that the random kernels are from; NULL: none, and
                          no row is old */
    const char *gpu_device, *simt_device;
    int recording_count, count;
};

/* ---- truth_read.c ---- */

/* Is the launch one of the third that no constant was set by? Where the SHA-256 of kernel, grid and
 * block, as Nsight Compute prints them, is a multiple of 3. */
bool truth_is_held_back(const struct launch *launch);

/* Is the launch's time from another model than the random kernels'? */
bool truth_is_old(const struct truth *t, const struct timed *launch);

/* Reads the recordings of count comparisons, GPU.csv and SIMT.csv each, and the reasons. Leaves out
 * launches that the GPU did not time, and functions of the CPU. False with a sentence in failure: a
 * file cannot be read or lacks a column, there is no launch, or a reason is about none. Free with
 * truth_free either way. */
bool truth_read(struct truth *t, const struct arguments *a, int count);
void truth_free(struct truth *t);

/* The first reason that is given for a quantity of a launch; NULL: none. */
const char *truth_reason(const struct truth *t, enum value value, const struct timed *launch);

/* ---- truth_score.c ---- */

/* A part of the launches. */
enum third { ALL_THIRDS, TUNED, HELD_BACK, THIRDS };
struct part {
    unsigned int suites; /* bit i: enum suite i */
    const char *group;   /* NULL: all */
    enum third third;
};
enum {
    OF_LABS = 1 << DEFAULT_SIZE | 1 << THREE_SIZES,
    OF_OTHERS = 1 << FOREIGN,
    OF_RANDOM = 1 << RANDOM,
    OF_RANDOM_PTX = 1 << RANDOM_PTX,
    OF_COUNTED = OF_LABS | OF_RANDOM /* where the GPU's instructions are recorded */
};

/* How far a value may be off. */
struct quantity {
    const char *name;  /* in scores */
    const char *title; /* in tables */
    enum value value;
    enum measure measure;
    double limit; /* largest distance within the bound */
    double least; /* launches with a smaller value on the GPU are left out */
};
enum {
    TIME_CLOSE,
    TIME_FAR,
    INSTRUCTIONS_NEAR,
    BRANCHES_NEAR,
    FLOPS_NEAR,
    OCCUPANCY_NEAR,
    STALL_NEAR,
    DRAM_NEAR,
    QUANTITIES
};
extern const struct quantity quantities[QUANTITIES];

/* Has the part the launch, and simt the launch? */
bool truth_in_part(const struct timed *launch, struct part part);
/* NaN: the GPU has no value. Infinite: only the model has none. */
double truth_distance(const struct quantity *quantity, const struct timed *launch);

struct score {
    int launches; /* with a value on the GPU */
    double share; /* of these, within the limit, in percent; NaN without launches */
};
struct score truth_score(const struct truth *t, const struct quantity *quantity, struct part part);
/* Mean of |modelled / measured - 1| of the times, in percent. NaN if a launch has no modelled time.
 */
double truth_mean_error(const struct truth *t, struct part part);
/* Pearson's correlation of the times' logarithms; Spearman's of the times. */
double truth_pearson(const struct truth *t, struct part part);
double truth_spearman(const struct truth *t, struct part part);

/* Calls visit with each part that is a group of one suite, in the order of the recordings. */
void truth_each_group(const struct truth *t,
                      void (*visit)(const struct truth *t, struct part part, void *with),
                      void *with);

/* ---- truth_order.c ---- */

/* Two neighbours, launches or steps, of which one takes over 10 % longer on the GPU. A step's
 * launch is its fastest. */
struct neighbours {
    const struct timed *slower, *faster; /* the GPU's */
    struct pair ratios; /* of their times; other is at most 1 if simt has another order */
};

/* Calls visit with all neighbours that have an order, of the suites. */
void truth_each_order(const struct truth *t, unsigned int suites,
                      void (*visit)(const struct neighbours *n, void *with), void *with);
bool truth_is_reversed(const struct neighbours *n);

/* ---- truth.c ---- */

/* Writes what is asked as a Markdown table. False if something is missed. */
bool truth_put_asked(const struct truth *t, FILE *out);

/* ---- truth_report.c ---- */

/* For write_file; truth is a struct truth: the whole table; every launch; the points of the plot.
 */
void truth_put_report(const void *truth, FILE *out);
void truth_put_launches(const void *truth, FILE *out);
void truth_put_points(const void *truth, FILE *out);
/* The kinds of random kernels, for simt/api/trust.c. */
void truth_put_trust(const void *truth, FILE *out);
/* For write_scores. */
void truth_put_scores(const void *truth, struct scores *scores);
