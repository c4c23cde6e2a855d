/* compare_order.c: which launches are in another order by their times than in the reference? */
#include "labs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/stats.h"

#define SAME_TIME 1.1  /* measured times closer than that have no order */
#define DRIFT     0.05 /* by how much a ratio in the list may differ from the one found, relative to it */

/* ---- The list of open reversals ---- */

void compare_launch_name(const struct launch *l, char *name, size_t size) {
    int length = snprintf(name, size, "%s %s", l->step, l->kernel);
    if (l->has_shapes && (size_t)length < size)
        length += snprintf(name + length, size - (size_t)length, " %s %s", l->grid, l->block);
    if (l->occurrence > 0 && (size_t)length < size)
        snprintf(name + length, size - (size_t)length, " #%d", l->occurrence + 1);
}

static bool is_about(const struct comparison *c, int row) {
    return strcmp(csv_get(c->open, row, "recording"), c->name) == 0;
}

static bool names(const struct comparison *c, int row, const char *column, int launch) {
    char name[COMPARE_LAUNCH_NAME];
    compare_launch_name(&c->launches[launch], name, sizeof name);
    return strcmp(csv_get(c->open, row, column), name) == 0;
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

static bool add_reversal(struct comparison *c, const struct pair *times, int slower, int faster) {
    struct reversal r = {
        .slower = slower,
        .faster = faster,
        .ratios = {times[slower].reference / times[faster].reference, times[slower].other / times[faster].other},
        .row = find_open(c, slower, faster)};
    struct reversal *more = realloc(c->reversals, ((size_t)c->reversal_count + 1) * sizeof *more);
    if (!more) {
        fprintf(stderr, "compare: out of memory\n");
        return false;
    }
    c->reversals = more;
    c->reversals[c->reversal_count++] = r;
    return true;
}

static bool is_reversed(struct pair slower, struct pair faster) {
    return slower.reference > SAME_TIME * faster.reference && slower.other <= faster.other; /* false for NaN */
}

bool compare_find_reversals(struct comparison *c) {
    struct pair times[COMPARE_LAUNCHES];
    for (int i = 0; i < c->launch_count; i++) times[i] = compare_time(c, i);
    for (int i = 0; i < c->launch_count; i++)
        for (int k = 0; k < c->launch_count; k++)
            if (is_reversed(times[i], times[k]) && !add_reversal(c, times, i, k)) return false;
    return true;
}

enum verdict compare_judge_reversal(const struct comparison *c, const struct reversal *r) {
    if (r->row < 0) return BEYOND;
    bool near = is_near(csv_get(c->open, r->row, "measured"), r->ratios.reference) &&
                is_near(csv_get(c->open, r->row, "simulated"), r->ratios.other);
    return near ? OPEN : BEYOND;
}

bool compare_is_gone(const struct comparison *c, int row) {
    if (!is_about(c, row)) return false;
    for (int i = 0; i < c->reversal_count; i++)
        if (c->reversals[i].row == row) return false;
    return true;
}

static int count_gone(const struct comparison *c) {
    int gone = 0;
    for (int row = 0; c->open && row < csv_rows(c->open); row++) gone += compare_is_gone(c, row);
    return gone;
}

void compare_count_order(const struct comparison *c, int counts[BEYOND + 1]) {
    int gone = count_gone(c);
    for (int i = 0; i < c->reversal_count; i++) counts[compare_judge_reversal(c, &c->reversals[i])]++;
    counts[BEYOND] += gone;
    if (c->reversal_count + gone == 0) counts[WITHIN]++;
}

enum verdict compare_judge_order(const struct comparison *c) {
    int counts[BEYOND + 1] = {0};
    compare_count_order(c, counts);
    return counts[BEYOND] ? BEYOND : counts[OPEN] ? OPEN : WITHIN;
}

/* ---- Rank correlation ---- */

double compare_rank_correlation(const struct comparison *c) {
    double x[COMPARE_LAUNCHES], y[COMPARE_LAUNCHES];
    int count = 0;
    for (int i = 0; i < c->launch_count; i++) {
        struct pair p = compare_time(c, i);
        if (isnan(p.reference) || isnan(p.other)) continue;
        x[count] = p.reference;
        y[count++] = p.other;
    }
    return stats_spearman(x, y, count);
}
