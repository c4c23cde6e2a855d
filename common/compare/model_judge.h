/* judge.h: how well the model does: what is asked of it, and how much of it it reaches. */
#ifndef MODEL_JUDGE_H
#define MODEL_JUDGE_H

#include "model.h"

/* Something that is to be right within a bound. */
struct quantity {
    const char *name;  /* for reasons and for the scores: time_1_25 */
    const char *title; /* for people: time within 1.25 times */
    double asked;      /* part of the launches that must be within the bound, 0 to 1; 0: told, not judged */
    double bound;      /* the distance that is still within it */
    double (*distance)(const struct launch *launch); /* NaN: the GPU has no such figure, so nothing can be said */
};

enum { TIME_CLOSE, TIME_FAR, OCCUPANCY, STALL_SYNC, STALL_SYNC_BARRIERS, DRAM, DRAM_LARGE, QUANTITIES };
extern const struct quantity quantities[QUANTITIES];

/* A part of the launches. */
enum half { EVERY_STEP, TUNED, HELD_BACK, HALVES };
struct part {
    enum half half;
    int lab;          /* 0: all */
    const char *size; /* NULL: all */
};
bool in_part(const struct launch *launch, struct part part);

struct score {
    int launches, within; /* of which something can be said; and that are within the bound */
};
struct score score_of(const struct joined *joined, const struct quantity *quantity, struct part part);
/* Percent; NaN where there is no launch. */
double score_percent(struct score score);

/* Within the bound? What the model does not say is not. */
bool is_within(const struct quantity *quantity, const struct launch *launch);

/* Spearman's rho of the times of a part. */
double order_of(const struct joined *joined, struct part part);

#endif
