/* truth.c: `compare truth`: modelled times against measured ones, and what is asked of them;
 * `compare order`: the order of neighbours alone.
 *
 * Each comparison is a table of a GPU and the same of simt: run.csv of a lab, a table of `compare
 * collect`, or twice one table of programs by others (suite, program, kernel, grid, block,
 * gpu_time, simt_time in ns).
 *
 * REASONS.tsv says why times and metrics are off: a row for each cause, a fact about the model. of:
 * the quantities; launches: patterns of GROUP/KERNEL, both separated by spaces. A reason excuses
 * nothing: every launch counts. */
#include <math.h>
#include <string.h>

#include "truth.h"

#include "lib/die.h"

enum { LEAST_KERNELS = 400, LEAST_PROGRAMS = 150, LEAST_FAMILY = 30 };
#define CLOSE_IN_EACH_LAB 85.0 /* percent of a lab's launches */
#define LARGEST_LAG       2.0  /* points that the held-back third may be behind the rest */

/* ---- What is asked ---- */

static const struct part of_labs = {OF_LABS, NULL, ALL_THIRDS},
                         of_others = {OF_OTHERS, NULL, ALL_THIRDS},
                         of_counted = {OF_COUNTED, NULL, ALL_THIRDS};
static const struct quantity time_far_long = {
    "time_1_6_long", "time within 1.6 times, of those of at least 6 µs", TIME, FACTOR, 1.6, 0.006};

/* The rows of the table so far. */
struct asked {
    const struct truth *t;
    FILE *out;
    bool all_reached;
};

/* A row: what is asked, what was found, and of how many. NaN is not enough. */
static void put_row(struct asked *a, bool reached, const char *what, const char *least,
                    double found, int decimals, int count, const char *of) {
    fprintf(a->out, "| %s | %s | ", what, least);
    put_number(a->out, found, decimals);
    fprintf(a->out, " | %s | %d %s |\n", reached ? "reached" : "**missed**", count, of);
    a->all_reached &= reached;
}

static void put_share(struct asked *a, const char *of, const struct quantity *q, struct part part,
                      double least) {
    char what[256], asked[32];
    struct score score = truth_score(a->t, q, part);
    snprintf(what, sizeof what, "%s: %s, %%", of, q->title);
    snprintf(asked, sizeof asked, "at least %g", least);
    put_row(a, score.share >= least, what, asked, score.share, 1, score.launches, "launches");
}

/* The held-back third beside the rest. */
static void put_held_back(struct asked *a, const struct quantity *q) {
    char what[256], asked[64], of[32];
    struct score tuned = truth_score(a->t, q, (struct part){OF_LABS, NULL, TUNED}),
                 held = truth_score(a->t, q, (struct part){OF_LABS, NULL, HELD_BACK});
    snprintf(what, sizeof what, "Labs, held-back third: %s, %%", q->title);
    snprintf(asked, sizeof asked, "at least %.1f, the rest's less %g", tuned.share - LARGEST_LAG,
             LARGEST_LAG);
    snprintf(of, sizeof of, "launches, the rest %d", tuned.launches);
    put_row(a, held.share >= tuned.share - LARGEST_LAG, what, asked, held.share, 1, held.launches,
            of);
}

struct groups {
    int all, close;
};

static void count_group(const struct truth *t, struct part part, void *with) {
    struct groups *groups = with;
    struct score score = truth_score(t, &quantities[TIME_CLOSE], part);
    if (!(part.suites & OF_LABS) || score.launches == 0) return;
    groups->all++;
    groups->close += score.share >= CLOSE_IN_EACH_LAB;
}

struct orders {
    int all, reversed;
    FILE *out; /* NULL: only counted */
};

static void count_order(const struct neighbours *n, void *with) {
    struct orders *orders = with;
    orders->all++;
    if (!truth_is_reversed(n)) return;
    orders->reversed++;
    if (!orders->out) return;
    fprintf(orders->out,
            "%s: step %s, %s %s %s, takes %.2f times as long as step %s, %s %s %s, on the GPU and ",
            n->slower->group, n->slower->cell[STEP], n->slower->cell[KERNEL], n->slower->cell[GRID],
            n->slower->cell[BLOCK], n->ratios.reference, n->faster->cell[STEP],
            n->faster->cell[KERNEL], n->faster->cell[GRID], n->faster->cell[BLOCK]);
    put_number(orders->out, n->ratios.other, 2);
    fprintf(orders->out, " times on simt\n");
}

static int count_programs(const struct truth *t) {
    int programs = 0;
    for (int i = 0; i < t->count; i++) {
        int k = 0;
        if (t->launches[i].suite != FOREIGN) continue;
        while (k < i && !(t->launches[k].suite == FOREIGN &&
                          strcmp(t->launches[k].group, t->launches[i].group) == 0 &&
                          strcmp(t->launches[k].program, t->launches[i].program) == 0))
            k++;
        programs += k == i;
    }
    return programs;
}

static void put_others(struct asked *a) {
    int kernels = truth_score(a->t, &quantities[TIME_FAR], of_others).launches;
    double rho = truth_spearman(a->t, of_others), error = truth_mean_error(a->t, of_others);
    put_row(a, kernels >= LEAST_KERNELS, "Programs by others: kernels", "at least 400", kernels, 0,
            count_programs(a->t), "programs");
    put_row(a, count_programs(a->t) >= LEAST_PROGRAMS, "Programs by others", "at least 150",
            count_programs(a->t), 0, kernels, "kernels");
    put_share(a, "Programs by others", &quantities[TIME_FAR], of_others, 90);
    put_share(a, "Programs by others", &time_far_long, of_others, 95);
    put_row(a, error <= 15, "Programs by others: mean absolute error of the time, %", "at most 15",
            error, 1, kernels, "launches");
    put_row(a, rho >= 0.95, "Programs by others: rank correlation", "at least 0.95", rho, 3,
            kernels, "launches");
}

struct families {
    unsigned int suites;
    int all, close;
};

static void count_family(const struct truth *t, struct part part, void *with) {
    struct families *families = with;
    struct score score = truth_score(t, &quantities[TIME_FAR], part);
    if (part.suites != families->suites || score.launches < LEAST_FAMILY) return;
    families->all++;
    families->close += score.share >= 90;
}

/* Random kernels that are held back, and the families; less: points less than with machine code. */
static void put_random(struct asked *a, const char *of, unsigned int suite, double less) {
    struct part held = {suite, NULL, HELD_BACK};
    struct families families = {suite, 0, 0};
    double error = truth_mean_error(a->t, held), rho = truth_spearman(a->t, held);
    int launches = truth_score(a->t, &quantities[TIME_FAR], held).launches;
    char what[128], least[32];
    if (launches == 0) return;
    snprintf(what, sizeof what, "%s, held-back half", of);
    put_share(a, what, &quantities[TIME_CLOSE], held, 88 - less);
    put_share(a, what, &quantities[TIME_FAR], held, 98 - less);
    snprintf(what, sizeof what, "%s, held-back half: mean absolute error of the time, %%", of);
    snprintf(least, sizeof least, "at most %g", 10 + less);
    put_row(a, error <= 10 + less, what, least, error, 1, launches, "launches");
    snprintf(what, sizeof what, "%s, held-back half: rank correlation", of);
    snprintf(least, sizeof least, "at least %.2f", 0.98 - less / 100);
    put_row(a, rho >= 0.98 - less / 100, what, least, rho, 3, launches, "launches");
    truth_each_group(a->t, count_family, &families);
    snprintf(what, sizeof what, "%s: families with at least 90 %% within 1.6 times", of);
    snprintf(least, sizeof least, "all %d", families.all);
    put_row(a, families.close == families.all, what, least, families.close, 0, families.all,
            "families");
}

bool truth_put_asked(const struct truth *t, FILE *out) {
    struct asked a = {t, out, true};
    double error = truth_mean_error(t, of_labs);
    fputs("| what | asked | found | | of |\n|---|---|--:|---|---|\n", out);
    struct orders orders = {0};
    truth_each_order(a.t, 1u << DEFAULT_SIZE, count_order, &orders);
    put_row(&a, orders.reversed == 0,
            "Labs, default sizes: neighbours in another order than on the GPU", "0",
            orders.reversed, 0, orders.all, "pairs");
    put_share(&a, "Labs", &quantities[TIME_FAR], of_labs, 97);
    char asked[32];
    struct groups groups = {0};
    truth_each_group(a.t, count_group, &groups);
    snprintf(asked, sizeof asked, "all %d", groups.all);
    put_row(&a, groups.close == groups.all,
            "Recordings of a lab: at least 85 % of the times within 1.25 times", asked,
            groups.close, 0, groups.all, "recordings");
    put_row(&a, error <= 13, "Labs: mean absolute error of the time, %", "at most 13", error, 1,
            truth_score(t, &quantities[TIME_FAR], of_labs).launches, "launches");
    put_held_back(&a, &quantities[TIME_CLOSE]);
    put_held_back(&a, &quantities[TIME_FAR]);
    put_random(&a, "Random kernels", OF_RANDOM, 0);
    put_random(&a, "Random kernels from PTX alone", OF_RANDOM_PTX, 5);
    if (truth_score(t, &quantities[TIME_FAR], of_others).launches) put_others(&a);
    for (int q = INSTRUCTIONS_NEAR; q <= FLOPS_NEAR; q++)
        if (truth_score(t, &quantities[q], of_counted).launches)
            put_share(&a, "Labs and random kernels", &quantities[q], of_counted, 98);
    put_share(&a, "Labs", &quantities[OCCUPANCY_NEAR], of_labs, 90);
    put_share(&a, "Labs", &quantities[STALL_NEAR], of_labs, 90);
    put_share(&a, "Labs", &quantities[DRAM_NEAR], of_labs, 95);
    return a.all_reached;
}

/* ---- The commands ---- */

int compare_truth(const struct arguments *a, int count) {
    struct truth t;
    int status = CANNOT_COMPARE;
    if (truth_read(&t, a, count) && write_file(a->output, truth_put_report, &t) &&
        write_file(a->every, truth_put_launches, &t) &&
        write_file(a->points, truth_put_points, &t) && write_file(a->trust, truth_put_trust, &t) &&
        write_scores(a->scores, "truth", truth_put_scores, &t))
        status = truth_put_asked(&t, stdout) ? ALL_WITHIN : NOT_WITHIN;
    truth_free(&t);
    return status;
}

static bool is_on_simt(const struct truth *t, int ladder) {
    for (int i = 0; i < t->count; i++)
        if (t->launches[i].ladder == ladder && t->launches[i].on_simt) return true;
    return false;
}

/* Has simt a launch of each run? */
static bool every_run_is_there(const struct truth *t) {
    for (int i = 0; i < t->count; i++) {
        if (is_on_simt(t, t->launches[i].ladder)) continue;
        return fail_with("%s: simt has none of the GPU's launches: run it at the recorded size",
                         t->launches[i].group);
    }
    return true;
}

int compare_order(const struct arguments *a, int count) {
    struct truth t;
    struct orders orders = {.out = stdout};
    bool ok = truth_read(&t, a, count) && every_run_is_there(&t);
    if (ok) {
        truth_each_order(&t, OF_LABS, count_order, &orders);
        printf("%d of %d pairs of neighbours in another order than on the GPU\n", orders.reversed,
               orders.all);
    }
    truth_free(&t);
    return !ok ? CANNOT_COMPARE : orders.reversed ? NOT_WITHIN : ALL_WITHIN;
}
