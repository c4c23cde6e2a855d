/* labs.c: `compare labs`: does the simulator count what the hardware counts?
 *
 * The files are metrics.csv of a lab. Prints a summary of each comparison, and writes it whole as
 * Markdown. The overview has a row for every kernel of all of them. `compare truth` judges the
 * times.
 *
 * REASONS.tsv (columns metric, kernel, within, reason; kernel * is any) explains differences.
 * `within` is the distance that the reason allows, in the measure of the metric's bound, such as
 * percent. - allows nothing: the reason is only printed. The first row that fits counts. */
#include <stdio.h>
#include <stdlib.h>

#include "labs.h"

#include "lib/memory.h"

static int compare_one(struct comparison *c, const struct arguments *a) {
    int counts[BEYOND + 1];
    if (!labs_read(c, a->reasons, a->files)) return CANNOT_COMPARE;
    printf("%s\n\n", c->name);
    labs_put_summary(c, stdout);
    printf("\n");
    labs_count(c, counts);
    if (!write_file(a->output, labs_put_all, c)) return CANNOT_COMPARE;
    return counts[BEYOND] ? NOT_WITHIN : ALL_WITHIN;
}

int compare_labs(const struct arguments *a, int count) {
    struct overview all = {.labs = need(calloc((size_t)count, sizeof *all.labs))};
    int worst = ALL_WITHIN; /* stops where something cannot be compared */
    while (all.count < count && worst != CANNOT_COMPARE) {
        int status = compare_one(&all.labs[all.count], &a[all.count]);
        all.count++;
        if (status > worst) worst = status;
    }
    if (worst != CANNOT_COMPARE && !write_file(a->overview, labs_put_overview, &all))
        worst = CANNOT_COMPARE;
    for (int i = 0; i < all.count; i++) labs_free(&all.labs[i]);
    free(all.labs);
    return worst;
}
