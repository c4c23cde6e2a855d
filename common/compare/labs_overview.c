/* labs_overview.c: every kernel of all labs in one table. */
#include <math.h>
#include <string.h>

#include "labs.h"

/* The launches of one kernel in one step, and how far apart the two sides are at worst. */
struct row {
    const struct launch *first;
    int launches;
    struct {
        bool judged;
        struct bound bound; /* of the metric that is worst off */
        double distance;
        enum verdict verdict;
    } group[GROUPS];
};

/* Worse first by the verdict, then by how much of the bound it takes; what has no value is the worst there is. */
static bool is_worse(const struct row *row, const struct bound *bound, const struct judgement *j) {
    enum bound_group g = bound->group;
    if (!row->group[g].judged || j->verdict > row->group[g].verdict) return true;
    if (j->verdict < row->group[g].verdict || isnan(row->group[g].distance)) return false;
    if (isnan(j->distance)) return true;
    double limit = bound->limit > 0 ? bound->limit : 1, old = row->group[g].bound.limit;
    return j->distance / limit > row->group[g].distance / (old > 0 ? old : 1);
}

static void add_metric(struct row *row, const struct comparison *c, const char *metric, int launch) {
    struct bound bound = bound_of(metric);
    if (bound.measure == SHOWN) return;
    struct judgement j = labs_judge(c, &bound, launch);
    if (isnan(j.values.reference) || !is_worse(row, &bound, &j)) return;
    row->group[bound.group].judged = true;
    row->group[bound.group].bound = bound;
    row->group[bound.group].distance = j.distance;
    row->group[bound.group].verdict = j.verdict;
}

static void add_launch(struct row *row, const struct comparison *c, int launch) {
    if (row->launches++ == 0) row->first = &c->launches[launch];
    for (int i = 0; i < c->metric_count; i++) add_metric(row, c, c->metrics[i], launch);
    add_metric(row, c, "time", launch);
}

static void put_group(const struct row *row, enum bound_group g, FILE *out) {
    if (row->group[g].judged && row->group[g].bound.measure == EQUAL && row->group[g].distance == 0)
        fprintf(out, "equal");
    else if (row->group[g].judged)
        labs_put_distance(out, &row->group[g].bound, row->group[g].distance);
    if (row->group[g].judged && row->group[g].verdict != WITHIN)
        fprintf(out, " %s", labs_verdict_name(row->group[g].verdict));
    fprintf(out, " | ");
}

static void put_row(const struct comparison *c, const struct row *row, FILE *out) {
    enum verdict worst = WITHIN;
    fprintf(out, "| %s | %s | `%.*s` | %d | ", c->name, row->first->cell[STEP],
            (int)strcspn(row->first->cell[KERNEL], "("), row->first->cell[KERNEL], row->launches);
    for (int g = 0; g < GROUPS; g++) {
        put_group(row, (enum bound_group)g, out);
        if (row->group[g].judged && row->group[g].verdict > worst) worst = row->group[g].verdict;
    }
    fprintf(out, "%s |\n", labs_verdict_name(worst));
}

static bool same_row(const struct launch *a, const struct launch *b) {
    return strcmp(a->cell[STEP], b->cell[STEP]) == 0 && same_kernel(a->cell[KERNEL], b->cell[KERNEL]);
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
            if (same_row(&c->launches[i], &c->launches[k])) add_launch(&row, c, k);
        put_row(c, &row, out);
    }
}

static const char *reason_cell(const struct comparison *c, int row, const char *column) {
    return csv_get(c->reasons, row, column);
}

/* Does an earlier row give the same reason? */
static bool given_before(const struct comparison *c, int row) {
    for (int i = 0; i < row; i++)
        if (strcmp(reason_cell(c, i, "reason"), reason_cell(c, row, "reason")) == 0) return true;
    return false;
}

/* A reason, behind all that it is given for. */
static void put_reason(const struct comparison *c, int row, FILE *out) {
    const char *separator = "";
    fprintf(out, "- %s, ", c->name);
    for (int i = row; i < csv_rows(c->reasons); i++) {
        if (strcmp(reason_cell(c, i, "reason"), reason_cell(c, row, "reason")) != 0) continue;
        const char *kernel = reason_cell(c, i, "kernel");
        fprintf(out, "%s%s", separator, reason_cell(c, i, "metric"));
        if (strcmp(kernel, "*") != 0) fprintf(out, " of `%s`", kernel);
        separator = ", ";
    }
    fprintf(out, ": %s\n", reason_cell(c, row, "reason"));
}

/* Reasons that do more than comment are those of what is `explained`. */
static void put_reasons(const struct comparison *c, FILE *out) {
    for (int row = 0; c->reasons && row < csv_rows(c->reasons); row++)
        if (strcmp(reason_cell(c, row, "within"), "-") != 0 && !given_before(c, row)) put_reason(c, row, out);
}

static void put_counts(const struct comparison *all, int count, FILE *out) {
    fprintf(out,
            "| recording | kernels' launches | within bounds | explained | open | not |\n|---|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < count; i++) {
        int counts[BEYOND + 1];
        labs_count(&all[i], counts);
        fprintf(out, "| [%s](%s-simt.md) | %d | %d | %d | %d | %d |\n", all[i].name, all[i].name, all[i].launch_count,
                counts[WITHIN], counts[EXPLAINED], counts[OPEN], counts[BEYOND]);
    }
}

void labs_put_overview(const void *overview, FILE *out) {
    const struct comparison *all = ((const struct overview *)overview)->labs;
    int count = ((const struct overview *)overview)->count;
    fprintf(out, "# All labs: %s against %s\n\n", all[0].other.device, all[0].reference.device);
    fprintf(out, "Made by `compare` from the recorded measurements; do not edit. How many values of metrics, times and "
                 "orders of "
                 "times agree. `open`: pairs of launches whose times are in the wrong order, and are known to be.\n\n");
    put_counts(all, count, out);
    fprintf(
        out,
        "\nEvery kernel, with the largest difference in its launches: of sectors and requests counted, of bank "
        "conflicts for each request, of\nratios in points of a percentage, of instructions executed and of times. "
        "`explained`: for a reason that is given below.\n\n"
        "| recording | step | kernel | launches | sectors, requests | conflicts a request | ratios | instructions | "
        "time | |\n|---|--:|---|--:|--:|--:|--:|--:|--:|---|\n");
    for (int i = 0; i < count; i++) put_lab(&all[i], out);
    fprintf(out, "\nWhy what is explained differs:\n\n");
    for (int i = 0; i < count; i++) put_reasons(&all[i], out);
}
