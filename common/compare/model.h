/* model.h: the time model and a GPU: the launches of two tables of `compare collect`, what is asked of the model, and
 * how much of it it reaches. */
#ifndef COMPARE_MODEL_H
#define COMPARE_MODEL_H

#include "judge.h"
#include "tables.h"

/* What the model is judged by, of one launch. */
enum value {
    TIME,       /* ms */
    OCCUPANCY,  /* achieved, in points: 0 to 100 */
    STALL_SYNC, /* percent */
    DRAM,       /* bytes, read and written */
    INSTRUCTIONS,
    VALUES
};

/* A launch that the GPU ran and timed. */
struct timed {
    int lab, step;
    const char *const *cell;   /* as struct launch has them; the size is small, medium or large */
    struct pair value[VALUES]; /* reference: the GPU's; other: the model's, NaN where it has no such launch */
};

/* Odd steps were looked at while the model was tuned, even ones were not. */
static inline bool is_tuned(const struct timed *launch) {
    return launch->step % 2 == 1;
}

struct joined {
    struct table gpu, model; /* launches point into them */
    const char *gpu_device, *model_device;
    struct timed *launches;
    int count;
};

/* Reads and joins; launches that the GPU refused or did not time are left out. False with a message on stderr: a file
 * that cannot be read, has no launches, or lacks a column. Free with joined_free either way. */
bool joined_read(struct joined *joined, const char *gpu_path, const char *model_path);
void joined_free(struct joined *joined);

/* ---- What is asked ---- */

/* Something that is to be right within a bound. */
struct quantity {
    const char *name;  /* for reasons and for the scores: time_1_25 */
    const char *title; /* for people: time within 1.25 times */
    double asked;      /* part of the launches that must be within the limit, 0 to 1; 0: told, not judged */
    enum value value;
    enum measure measure; /* of the distance */
    double limit;         /* the distance that is still within it */
    double least;         /* launches of which the GPU's value is smaller are left out */
};

enum { TIME_CLOSE, TIME_FAR, OCCUPANCY_NEAR, STALL_NEAR, STALL_NEAR_BARRIERS, DRAM_NEAR, DRAM_NEAR_LARGE, QUANTITIES };
extern const struct quantity quantities[QUANTITIES];

/* NaN: the GPU has no such figure, so nothing can be said. Infinite: only the model has none. */
double quantity_distance(const struct quantity *quantity, const struct timed *launch);

/* Within the limit? What the model does not say is not. */
bool is_within(const struct quantity *quantity, const struct timed *launch);

/* A part of the launches. */
enum half { EVERY_STEP, TUNED, HELD_BACK, HALVES };
struct part {
    enum half half;
    int lab;          /* 0: all */
    const char *size; /* NULL: all */
};

struct score {
    int launches, within; /* of which something can be said; and that are within the limit */
};
struct score score_of(const struct joined *joined, const struct quantity *quantity, struct part part);
/* Percent; NaN where there is no launch. */
double score_percent(struct score score);
/* Spearman's rho of the times of a part. */
double order_of(const struct joined *joined, struct part part);

#endif
