/* labs_overview.c: every kernel of all labs in one table. */
#include <math.h>
#include <string.h>

#include "labs.h"

/* The launches of one kernel in one step. */
struct row {
    const struct launch *first;
    int launches;
    struct worst group[GROUPS];
};

static void put_group(const struct worst *group, FILE *out) {
    if (group->judged && group->bound.measure == EQUAL && group->found.distance == 0)
        fprintf(out, "equal");
    else if (group->judged)
        labs_put_distance(out, &group->bound, group->found.distance);
    if (group->found.verdict != WITHIN)
        fprintf(out, " %s", labs_verdict_name(group->found.verdict));
    fprintf(out, " | ");
}

static bool same_row(const struct launch *a, const struct launch *b) {
    return strcmp(a->cell[STEP], b->cell[STEP]) == 0 &&
           same_kernel(a->cell[KERNEL], b->cell[KERNEL]);
}

static bool seen_before(const struct comparison *c, int launch) {
    for (int i = 0; i < launch; i++)
        if (same_row(&c->launches[i], &c->launches[launch])) return true;
    return false;
}

static void put_lab(const struct comparison *c, FILE *out) {
    for (int i = 0; i < c->launch_count; i++) {
        struct row row = {0};
        if (seen_before(c, i)) continue;
        for (int k = i; k < c->launch_count; k++)
            if (same_row(&c->launches[i], &c->launches[k])) {
                if (row.launches++ == 0) row.first = &c->launches[k];
                for (int j = 0; j < c->metric_count; j++) {
                    struct bound bound = bound_of(c->metrics[j]);
                    if (bound.measure != SHOWN) labs_worsen(&row.group[bound.group], c, bound, k);
                }
            }
        enum verdict worst = WITHIN;
        fprintf(out, "| %s | %s | `%.*s` | %d | ", c->name, row.first->cell[STEP],
                (int)strcspn(row.first->cell[KERNEL], "("), row.first->cell[KERNEL], row.launches);
        for (int g = 0; g < GROUPS; g++) {
            put_group(&row.group[g], out);
            if (row.group[g].found.verdict > worst) worst = row.group[g].found.verdict;
        }
        fprintf(out, "%s |\n", labs_verdict_name(worst));
    }
}

/* Does an earlier row give the same reason? */
static bool given_before(const struct comparison *c, int row) {
    for (int i = 0; i < row; i++)
        if (csv_is(c->reasons, i, "reason", csv_get(c->reasons, row, "reason"))) return true;
    return false;
}

void labs_put_overview(const void *overview, FILE *out) {
    const struct comparison *all = ((const struct overview *)overview)->labs;
    int count = ((const struct overview *)overview)->count;
    fprintf(out, "# All labs: %s against %s\n\n", all[0].other.device, all[0].reference.device);
    fprintf(out, "Made by `compare` from the recorded measurements; do not edit. How many values "
                 "of metrics agree. Times are in [the truth table](../truth.md).\n\n");
    fprintf(out, "| recording | kernels' launches | within bounds | explained | not "
                 "|\n|---|--:|--:|--:|--:|\n");
    for (int k = 0; k < count; k++) {
        int counts[BEYOND + 1];
        labs_count(&all[k], counts);
        fprintf(out, "| [%s](%s-simt.md) | %d | %d | %d | %d |\n", all[k].name, all[k].name,
                all[k].launch_count, counts[WITHIN], counts[EXPLAINED], counts[BEYOND]);
    }
    fprintf(out,
            "\nEvery kernel, with the largest difference in its launches: of sectors and requests "
            "counted, of bank conflicts for each request, of\nratios in points of a percentage, "
            "and of instructions executed. `explained`: for a reason that is given below.\n\n"
            "| recording | step | kernel | launches | sectors, requests | conflicts a request | "
            "ratios | instructions | |\n|---|--:|---|--:|--:|--:|--:|--:|---|\n");
    for (int i = 0; i < count; i++) put_lab(&all[i], out);
    fprintf(out, "\nWhy what is explained differs:\n\n");
    for (int i = 0; i < count; i++) {
        const struct csv *reasons = all[i].reasons;
        for (int row = 0; reasons && row < csv_rows(reasons); row++) {
            /* Only reasons with a number in `within` explain. Each stands once, after all metrics
             * and kernels that it explains. */
            if (csv_is(reasons, row, "within", "-") || given_before(&all[i], row)) continue;
            const char *separator = "", *reason = csv_get(reasons, row, "reason");
            fprintf(out, "- %s, ", all[i].name);
            for (int k = row; k < csv_rows(reasons); k++) {
                if (!csv_is(reasons, k, "reason", reason)) continue;
                fprintf(out, "%s%s", separator, csv_get(reasons, k, "metric"));
                if (!csv_is(reasons, k, "kernel", "*"))
                    fprintf(out, " of `%s`", csv_get(reasons, k, "kernel"));
                separator = ", ";
            }
            fprintf(out, ": %s\n", reason);
        }
    }
}
