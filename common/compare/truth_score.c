/* truth_score.c: shares of launches within a limit, mean errors and correlations of parts of the
 * launches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

#include "lib/memory.h"

#define SOME_STALL 1.0 /* percent: warps wait at barriers */

const struct quantity quantities[QUANTITIES] = {
    [TIME_CLOSE] = {"time_1_25", "time within 1.25 times", TIME, FACTOR, 1.25, 0},
    [TIME_FAR] = {"time_1_6", "time within 1.6 times", TIME, FACTOR, 1.6, 0},
    [INSTRUCTIONS_NEAR] = {"instructions", "instructions within 2 %", INSTRUCTIONS, PERCENT, 2, 0},
    [BRANCHES_NEAR] = {"branches", "branches within 2 %", BRANCHES, PERCENT, 2, 0},
    [FLOPS_NEAR] = {"flops", "operations in single precision within 2 %", FLOPS, PERCENT, 2, 0},
    [OCCUPANCY_NEAR] = {"occupancy", "achieved_occupancy within 5 points", OCCUPANCY, POINTS, 5, 0},
    [STALL_NEAR] = {"stall_sync",
                    "stall_sync within 10 points, where it is at least 1 % on the GPU", STALL_SYNC,
                    POINTS, 10, SOME_STALL},
    [DRAM_NEAR] = {"dram", "DRAM bytes within 10 %", DRAM, PERCENT, 10, 0},
};

bool truth_in_part(const struct timed *l, struct part part) {
    if (!l->on_simt || !(part.suites >> l->suite & 1)) return false;
    if (part.third != ALL_THIRDS && l->held_back != (part.third == HELD_BACK)) return false;
    return !part.group || strcmp(part.group, l->group) == 0;
}

double truth_distance(const struct quantity *quantity, const struct timed *launch) {
    struct pair values = launch->value[quantity->value];
    if (!(values.reference >= quantity->least)) return NAN; /* so for NaN, too */
    double distance = distance_of(quantity->measure, values);
    return isnan(distance) ? INFINITY : distance;
}

struct score truth_score(const struct truth *t, const struct quantity *quantity, struct part part) {
    int within = 0;
    struct score score = {0, NAN};
    for (int i = 0; i < t->count; i++) {
        double distance = truth_distance(quantity, &t->launches[i]);
        if (!truth_in_part(&t->launches[i], part) || isnan(distance)) continue;
        score.launches++;
        within += distance <= quantity->limit;
    }
    if (score.launches > 0) score.share = 100.0 * within / score.launches;
    return score;
}

double truth_mean_error(const struct truth *t, struct part part) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < t->count; i++) {
        if (!truth_in_part(&t->launches[i], part)) continue;
        sum += distance_of(PERCENT, t->launches[i].value[TIME]);
        count++;
    }
    return sum / count;
}

/* ---- Correlations ---- */

static double identity(double x) {
    return x;
}

/* A correlation of the transformed times of a part. */
static double correlation(const struct truth *t, struct part part,
                          double (*of)(const struct pair *, int), double (*transform)(double)) {
    struct pair *times = need(calloc((size_t)t->count, sizeof *times));
    int count = 0;
    for (int i = 0; i < t->count; i++) {
        struct pair both = t->launches[i].value[TIME];
        if (truth_in_part(&t->launches[i], part))
            times[count++] = (struct pair){transform(both.reference), transform(both.other)};
    }
    double found = of(times, count);
    free(times);
    return found;
}

double truth_pearson(const struct truth *t, struct part part) {
    return correlation(t, part, linear_correlation, log);
}

double truth_spearman(const struct truth *t, struct part part) {
    return correlation(t, part, rank_correlation, identity);
}

/* ---- Groups ---- */

static bool is_first_of_group(const struct truth *t, int launch) {
    for (int i = 0; i < launch; i++)
        if (t->launches[i].suite == t->launches[launch].suite &&
            strcmp(t->launches[i].group, t->launches[launch].group) == 0)
            return false;
    return true;
}

void truth_each_group(const struct truth *t,
                      void (*visit)(const struct truth *t, struct part part, void *with),
                      void *with) {
    for (int i = 0; i < t->count; i++)
        if (is_first_of_group(t, i))
            visit(t, (struct part){1u << t->launches[i].suite, t->launches[i].group, ALL_THIRDS},
                  with);
}
