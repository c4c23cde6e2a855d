/* claims.c: checks the handouts' claims about kernels against measurements. `claims --help` lists
 * the options.
 *
 * A row of the claims is a handout's sentence in numbers: step's metric RELATION bound. The
 * relation is one of < <= = >= >. The bound is an expression (expr.h) over KERNEL.METRIC, or
 * NAME.KERNEL.METRIC for another source (results.h). The sentence's mark names `id`
 * (handouts/marks.awk). `on` tells where the claim holds: any, sim (the simulator), gpu (a real
 * GPU), or a device's full name. Prints TAP, a line for each row. Skips claims about values that
 * the device does not have, and about steps still to do. Exit code 0: all hold; 1: one fails, or
 * none was checked; 2: a bad call or file. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/expr.h"
#include "lib/printed.h"
#include "lib/results.h"

enum { EXIT_BROKEN = 1, EXIT_USAGE = 2 };

struct options {
    const char *claims, *lab, *run, *metrics;
    char *also[RESULTS_SOURCES];
    size_t also_n;
};

struct tally {
    int held, broken, skipped;
};

static const struct argp_option OPTIONS[] = {
    {"claims", 'c', "FILE", 0, "The claims, such as handouts/claims.tsv", 0},
    {"lab", 'l', "NUMBER", 0, "Check those about this lab", 0},
    {"run", 'r', "RUN.csv", 0, "The lab's times", 0},
    {"metrics", 'm', "METRICS.csv", 0, "The lab's metrics", 0},
    {"also", 'a', "SOURCE", 0,
     "A further run, NAME=RUN.csv,METRICS.csv, or a table of named rows, NAME=TABLE.tsv", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
    struct options *options = state->input;
    switch (key) {
    case 'c': options->claims = value; return 0;
    case 'l': options->lab = value; return 0;
    case 'r': options->run = value; return 0;
    case 'm': options->metrics = value; return 0;
    case 'a':
        if (options->also_n == RESULTS_SOURCES - 1)
            argp_error(state, "--also %s: there are too many sources", value);
        options->also[options->also_n++] = value;
        return 0;
    case ARGP_KEY_END:
        if (!options->claims || !options->lab || !options->run || !options->metrics)
            argp_error(state, "--claims, --lab, --run and --metrics are all needed");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = take,
    .doc = "Check the handouts' claims about a lab's kernels against measurements."};

/* Is a claim with this `on` about this device? */
static bool is_about(const char *on, const struct results *results) {
    bool simulated = results_simulated(results, "");
    if (strcmp(on, "any") == 0) return true;
    if (strcmp(on, "sim") == 0) return simulated;
    if (strcmp(on, "gpu") == 0) return !simulated;
    return strcmp(on, results_device(results, "")) == 0;
}

static bool holds(double value, const char *relation, double bound) {
    if (strcmp(relation, "<") == 0) return value < bound;
    if (strcmp(relation, "<=") == 0) return value <= bound;
    if (strcmp(relation, ">") == 0) return value > bound;
    if (strcmp(relation, "=") == 0) return value == bound;
    return value >= bound;
}

static bool is_relation(const char *text) {
    static const char *const RELATIONS[] = {"<", "<=", "=", ">=", ">"};
    for (size_t i = 0; i < sizeof RELATIONS / sizeof *RELATIONS; i++)
        if (strcmp(text, RELATIONS[i]) == 0) return true;
    return false;
}

/* One row of the claims. */
struct claim {
    int line;
    const char *id, *relation, *bound, *anchor, *says;
    char subject[RESULTS_NAME * 2]; /* KERNEL.METRIC */
};

/* Reads a row. A bad row ends the program: an unread claim must not look checked. */
static struct claim read_claim(const struct csv *claims, int row) {
    struct claim claim = {.line = csv_line(claims, row),
                          .id = csv_get(claims, row, "id"),
                          .relation = csv_get(claims, row, "relation"),
                          .bound = csv_get(claims, row, "bound"),
                          .anchor = csv_get(claims, row, "anchor"),
                          .says = csv_get(claims, row, "says")};
    snprintf(claim.subject, sizeof claim.subject, "%s.%s", csv_get(claims, row, "step"),
             csv_get(claims, row, "metric"));
    if (is_relation(claim.relation)) return claim;
    die(EXIT_USAGE, "line %d: relation %s: give < <= = >= or >", claim.line, claim.relation);
    return claim;
}

/* The value of the bound; `use` collects the state of its names. */
static double read_bound(const struct claim *claim, struct results_use *use) {
    double bound;
    if (expr_eval(claim->bound, results_lookup, use, &bound)) return bound;
    die(EXIT_USAGE, "line %d: bound %.80s: %s", claim->line, claim->bound, failure);
    return NAN;
}

/* Prints the claim's line and counts it. */
static void report(const struct claim *claim, const struct results_use *use, double value,
                   double bound, struct tally *tally) {
    int number = tally->held + tally->broken + tally->skipped + 1;
    if (use->worst == RESULTS_UNKNOWN || use->worst == RESULTS_WRONG) {
        printf("not ok %d - %s: %s: %s %s\n", number, claim->id, claim->subject,
               use->worst == RESULTS_WRONG ? "its step failed:" : "the results have no", use->name);
        tally->broken++;
    } else if (use->worst != RESULTS_VALUE) {
        printf("ok %d - %s: %s # skip %s is %s\n", number, claim->id, claim->subject, use->name,
               use->worst == RESULTS_TODO ? "still to do" : "not available on this device");
        tally->skipped++;
    } else {
        bool ok = holds(value, claim->relation, bound);
        printf("%s %d - %s: %s = %.10g %s %.10g [%s]: %s (%s)\n", ok ? "ok" : "not ok", number,
               claim->id, claim->subject, value, claim->relation, bound, claim->bound, claim->says,
               claim->anchor);
        tally->held += ok;
        tally->broken += !ok;
    }
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    argp_err_exit_status = EXIT_USAGE;
    struct options options = {.also_n = 0};
    argp_parse(&ARGP, argc, argv, 0, NULL, &options);
    static const char *const COLUMNS[] = {"lab",   "id", "step",   "metric", "relation",
                                          "bound", "on", "anchor", "says",   NULL};
    struct csv *claims = csv_read_columns(options.claims, &CSV_TABS, COLUMNS);
    if (claims == NULL) die(EXIT_USAGE, "%s", failure);
    struct results results = {.sources = 0};
    struct tally tally = {0};
    if (!results_add(&results, "run", options.run, options.metrics)) die(EXIT_USAGE, "%s", failure);
    for (size_t i = 0; i < options.also_n; i++)
        if (!results_add_argument(&results, options.also[i])) die(EXIT_USAGE, "--also %s", failure);
    printf("# claims about lab %s, checked on %s\n", options.lab, results_device(&results, ""));
    for (int row = 0; row < csv_rows(claims); row++) {
        if (!csv_is(claims, row, "lab", options.lab)) continue;
        if (is_about(csv_get(claims, row, "on"), &results)) {
            struct claim claim = read_claim(claims, row);
            struct results_use use = {.results = &results, .worst = RESULTS_VALUE};
            double bound = read_bound(&claim, &use), value = results_lookup(&use, claim.subject);
            report(&claim, &use, value, bound, &tally);
        }
    }
    printf("1..%d\n# %d hold, %d do not, %d could not be checked here\n",
           tally.held + tally.broken + tally.skipped, tally.held, tally.broken, tally.skipped);
    results_free(&results);
    csv_free(claims);
    return tally.broken == 0 && tally.held > 0 ? 0 : EXIT_BROKEN;
}
