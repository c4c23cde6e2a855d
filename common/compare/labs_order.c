/* labs_order.c: pairs of launches whose times are in another order than in the reference. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "labs.h"

#include "lib/memory.h"

#define SAME_TIME 1.1  /* measured times within this factor have no order */
#define DRIFT     0.05 /* relative difference allowed between a listed ratio and the one found */

/* ---- The list of open reversals ---- */

void labs_launch_name(const struct comparison *c, int launch, char name[LABS_LAUNCH_NAME]) {
    const struct launch *l = &c->launches[launch];
    char shape[LABS_LAUNCH_NAME] = "", turn[16] = "";
    if (c->has_shapes[launch]) snprintf(shape, sizeof shape, " %s %s", l->cell[GRID], l->cell[BLOCK]);
    if (l->occurrence > 0) snprintf(turn, sizeof turn, " #%d", l->occurrence + 1);
    snprintf(name, LABS_LAUNCH_NAME, "%s %s%s%s", l->cell[STEP], l->cell[KERNEL], shape, turn);
}

static bool is_about(const struct comparison *c, int row) {
    return is_cell(c->open, row, "recording", c->name);
}

static bool names(const struct comparison *c, int row, const char *column, int launch) {
    char name[LABS_LAUNCH_NAME];
    labs_launch_name(c, launch, name);
    return is_cell(c->open, row, column, name);
}

/* The row of the list for two launches; -1 for none. */
static int find_open(const struct comparison *c, int slower, int faster) {
    for (int row = 0; c->open && row < csv_rows(c->open); row++)
        if (is_about(c, row) && names(c, row, "slower", slower) && names(c, row, "faster", faster)) return row;
    return -1;
}

static bool is_near(const char *listed, double found) {
    return fabs(strtod(listed, NULL) - found) <= DRIFT * found; /* false for what is no number */
}

/* ---- Reversals ---- */

static bool is_reversed(struct pair slower, struct pair faster) {
    return slower.reference > SAME_TIME * faster.reference && slower.other <= faster.other; /* false for NaN */
}

static struct reversal reversal_of(const struct comparison *c, const struct pair *times, int slower, int faster) {
    return (struct reversal){
        .slower = slower,
        .faster = faster,
        .ratios = {times[slower].reference / times[faster].reference, times[slower].other / times[faster].other},
        .row = find_open(c, slower, faster)};
}

static void fill_times(const struct comparison *c, struct pair times[LABS_LAUNCHES]) {
    for (int i = 0; i < c->launch_count; i++) times[i] = labs_values(c, "time", i);
}

void labs_find_reversals(struct comparison *c) {
    struct pair times[LABS_LAUNCHES];
    int count = c->launch_count, most = count * (count - 1) / 2; /* of two launches one is slower */
    fill_times(c, times);
    c->reversals = need(calloc((size_t)most, sizeof *c->reversals));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (is_reversed(times[i], times[k])) c->reversals[c->reversal_count++] = reversal_of(c, times, i, k);
}

enum verdict labs_judge_reversal(const struct comparison *c, const struct reversal *r) {
    if (r->row < 0) return BEYOND;
    bool near = is_near(csv_get(c->open, r->row, "measured"), r->ratios.reference) &&
                is_near(csv_get(c->open, r->row, "simulated"), r->ratios.other);
    return near ? OPEN : BEYOND;
}

bool labs_reversal_is_gone(const struct comparison *c, int row) {
    if (!is_about(c, row)) return false;
    for (int i = 0; i < c->reversal_count; i++)
        if (c->reversals[i].row == row) return false;
    return true;
}

void labs_count_order(const struct comparison *c, int counts[BEYOND + 1]) {
    int found = c->reversal_count;
    for (int i = 0; i < c->reversal_count; i++) counts[labs_judge_reversal(c, &c->reversals[i])]++;
    for (int row = 0; c->open && row < csv_rows(c->open); row++) {
        if (!labs_reversal_is_gone(c, row)) continue;
        counts[BEYOND]++;
        found++;
    }
    if (found == 0) counts[WITHIN]++;
}

enum verdict labs_judge_order(const struct comparison *c) {
    int counts[BEYOND + 1] = {0};
    labs_count_order(c, counts);
    return counts[BEYOND] ? BEYOND : counts[OPEN] ? OPEN : WITHIN;
}

/* ---- Rank correlation ---- */

double labs_rank_correlation(const struct comparison *c) {
    struct pair times[LABS_LAUNCHES];
    fill_times(c, times);
    return rank_correlation(times, c->launch_count);
}
