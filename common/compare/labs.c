/* labs.c: `compare labs`: does the simulator say what the hardware says?
 *
 * The files are those of a lab: run.csv with the times, metrics.csv with the metrics. Prints a summary of each
 * comparison, and writes it whole as Markdown. The overview has a row for every kernel of all of them.
 *
 * REASONS.tsv (columns metric, kernel, within, reason; kernel * is any) explains differences. `within` is the distance
 * that the reason allows, in the measure of the metric's bound, such as percent. - allows nothing: the reason is only
 * printed. The first row that fits counts.
 *
 * Two launches whose times differ by more than 10 % in the reference must be in the same order on the other side. No
 * reason excuses a reversal. OPEN.tsv (columns recording, slower, faster, and the ratios measured and simulated) lists
 * the known ones. A reversal that is not listed fails. A listed reversal that is gone fails, too. With an overview
 * every row must be about one of the recordings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "labs.h"

#include "lib/memory.h"

static int compare_one(struct comparison *c, const struct arguments *a, const struct csv *open) {
    int counts[BEYOND + 1];
    if (!labs_read(c, a->reasons, open, a->files)) return CANNOT_COMPARE;
    labs_find_reversals(c);
    printf("%s\n\n", c->name);
    labs_put_summary(c, stdout);
    labs_put_wrong_order(c, stdout);
    printf("\n");
    labs_count(c, counts);
    if (!write_file(a->output, labs_put_all, c)) return CANNOT_COMPARE;
    return counts[BEYOND] ? NOT_WITHIN : ALL_WITHIN;
}

static bool is_compared(const struct overview *all, const char *recording) {
    for (int i = 0; i < all->count; i++)
        if (strcmp(all->labs[i].name, recording) == 0) return true;
    return false;
}

/* Is each listed reversal about one of the recordings? Prints the first that is not. */
static bool list_is_used(const struct overview *all, const struct csv *open) {
    for (int row = 0; open && row < csv_rows(open); row++) {
        const char *recording = csv_get(open, row, "recording");
        if (is_compared(all, recording)) continue;
        printf("the list of open reversals is about %s, of which there is no recording\n", recording);
        return false;
    }
    return true;
}

/* Returns the worst status. Stops where something cannot be compared. */
static int compare_all(struct overview *all, const struct arguments *a, int count, const struct csv *open) {
    int worst = ALL_WITHIN;
    while (all->count < count && worst != CANNOT_COMPARE) {
        int status = compare_one(&all->labs[all->count], &a[all->count], open);
        all->count++;
        if (status > worst) worst = status;
    }
    if (worst == CANNOT_COMPARE || !a->overview) return worst;
    if (!list_is_used(all, open)) worst = NOT_WITHIN;
    return write_file(a->overview, labs_put_overview, all) ? worst : CANNOT_COMPARE;
}

int compare_labs(const struct arguments *a, int count) {
    static const char *const columns[] = {"recording", "slower", "faster", "measured", "simulated", NULL};
    struct overview all = {.labs = need(calloc((size_t)count, sizeof *all.labs))};
    struct csv *open = a->reversals ? read_columns(a->reversals, &CSV_TABS, columns) : NULL;
    int status = a->reversals && !open ? CANNOT_COMPARE : compare_all(&all, a, count, open);
    for (int i = 0; i < all.count; i++) labs_free(&all.labs[i]);
    csv_free(open);
    free(all.labs);
    return status;
}
