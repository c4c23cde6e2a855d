/* compilers.c: `compare compilers`: does clang's program do what nvcc's does?
 *
 * The files are metrics.csv of one lab, from both compilers' programs. Metrics that the source
 * decides must be equal: sectors, requests, bank conflicts. Metrics that the compiler decides may
 * differ: instructions, branches, registers and so occupancy. Writes all metrics side by side.
 * Prints how many are equal, and the first ones that are not but must be. The overview has a row
 * for each lab and kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#include "lib/memory.h"

enum { MOST_PRINTED = 20, SHORT = 64 };

static const char same[] = "same", different[] = "", must_be_same[] = "MUST BE THE SAME",
                  missing[] = "MISSING";

/* One metric of one launch; "" where a compiler's program lacks it. */
struct both {
    const char *const *cell; /* of the launch */
    const char *nvcc, *clang, *verdict;
};

struct lab {
    struct table nvcc, clang;
    struct both *values; /* nvcc's rows, then clang's that nvcc lacks */
    int count;
};

/* ---- Joining ---- */

static const char *verdict_of(const struct lab *lab, const char *metric, int nvcc, int clang) {
    if (nvcc < 0 || clang < 0) return missing;
    if (cell_number(lab->nvcc.csv, nvcc, "value") == cell_number(lab->clang.csv, clang, "value") ||
        csv_is(lab->nvcc.csv, nvcc, "value", csv_get(lab->clang.csv, clang, "value")))
        return same;
    return bound_of(metric).by_source ? must_be_same : different;
}

/* Adds the rows of one of the two tables. */
static void join(struct lab *lab, const struct table *table) {
    for (int row = 0; row < table->rows; row++) {
        const struct launch *launch = &table->launches[row];
        const char *metric = launch->cell[METRIC];
        int nvcc = table_find(&lab->nvcc, launch, metric),
            clang = table_find(&lab->clang, launch, metric);
        if (table == &lab->clang && nvcc >= 0) continue;
        lab->values[lab->count++] = (struct both){
            launch->cell, csv_get(lab->nvcc.csv, nvcc, "value"),
            csv_get(lab->clang.csv, clang, "value"), verdict_of(lab, metric, nvcc, clang)};
    }
}

static bool lab_read(struct lab *lab, char **files) {
    static const char *const needed[] = {"lab",   "step",   "kernel", "grid",
                                         "block", "metric", "value",  NULL};
    if (!table_read(&lab->nvcc, files[0], needed) || !table_read(&lab->clang, files[1], needed))
        return false;
    lab->values = need(calloc((size_t)(lab->nvcc.rows + lab->clang.rows), sizeof *lab->values));
    join(lab, &lab->nvcc);
    join(lab, &lab->clang);
    return true;
}

/* ---- All values of a lab ---- */

static void put(const struct both *b, FILE *out) {
    fprintf(out, "%-4s %-28s %-36s %16s %16s  %s\n", b->cell[STEP], b->cell[KERNEL],
            b->cell[METRIC], b->nvcc, b->clang, b->verdict);
}

static void put_all(const void *of, FILE *out) {
    const struct lab *lab = of;
    fprintf(out, "%-4s %-28s %-36s %16s %16s  \n", "step", "kernel", "metric", "nvcc", "clang");
    for (int i = 0; i < lab->count; i++) put(&lab->values[i], out);
}

static bool is_bad(const struct both *b) {
    return b->verdict == must_be_same || b->verdict == missing;
}

/* Prints a line on the whole, and the first values that are bad. */
static int judge(const struct lab *lab, const char *name) {
    int equals = 0, bad = 0, printed = 0;
    for (int i = 0; i < lab->count; i++) {
        equals += lab->values[i].verdict == same;
        bad += is_bad(&lab->values[i]);
    }
    printf("%s: %d of %d values are the same; sectors, requests and conflicts %s\n", name, equals,
           lab->count, bad ? "NOT ALL" : "all");
    for (int i = 0; i < lab->count && printed < MOST_PRINTED; i++)
        if (is_bad(&lab->values[i]) && ++printed) put(&lab->values[i], stdout);
    return bad ? NOT_WITHIN : ALL_WITHIN;
}

/* ---- The overview ---- */

static const char *const columns[] = {"inst_per_warp",
                                      "branch_efficiency",
                                      "warp_execution_efficiency",
                                      "achieved_occupancy",
                                      "flop_count_sp",
                                      "gld_transactions",
                                      "gst_transactions",
                                      "shared_load_transactions_per_request",
                                      "shared_store_transactions_per_request"};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct overview {
    const char *versions; /* of both compilers, as text */
    struct lab *labs;
    int count;
};

/* A value in four digits. */
static void shorten(const char *cell, char text[SHORT]) {
    double value = atof(cell);
    bool is_number = *cell && strcmp(cell, "NA") != 0;
    snprintf(text, SHORT,
             !is_number              ? "n/a"
             : value == floor(value) ? "%s"
                                     : "%.0s%.4g",
             cell, value);
}

/* The first value of the metric that the kernel has: nvcc's and clang's, or one where they look the
 * same. */
static void put_metric(const struct lab *lab, const char *kernel, const char *metric, FILE *out) {
    char nvcc[SHORT] = "", clang[SHORT] = "";
    for (int i = lab->count - 1; i >= 0; i--) {
        const struct both *b = &lab->values[i];
        if (!same_kernel(b->cell[KERNEL], kernel) || strcmp(b->cell[METRIC], metric) != 0) continue;
        shorten(b->nvcc, nvcc);
        shorten(b->clang, clang);
    }
    fprintf(out, strcmp(nvcc, clang) == 0 ? " %s |" : " %s / %s |", nvcc, clang);
}

static bool seen_before(const struct lab *lab, int value) {
    for (int i = 0; i < value; i++)
        if (same_kernel(lab->values[i].cell[KERNEL], lab->values[value].cell[KERNEL])) return true;
    return false;
}

/* A kernel that runs in several shapes or sizes is shown as it runs first. */
static void put_lab(const struct lab *lab, FILE *out) {
    for (int i = 0; i < lab->count; i++) {
        const char *const *cell = lab->values[i].cell;
        if (seen_before(lab, i)) continue;
        fprintf(out, "| %s | `%.*s` |", cell[LAB], (int)strcspn(cell[KERNEL], "("), cell[KERNEL]);
        for (int k = 0; k < COLUMNS; k++) put_metric(lab, cell[KERNEL], columns[k], out);
        fputc('\n', out);
    }
}

static void put_overview(const void *of, FILE *out) {
    const struct overview *o = of;
    fprintf(out,
            "# Labs compiled by clang beside nvcc, on the simulator\n\nGenerated by `make "
            "record-front`, of the complete programs at one of their check sizes; %s.\n"
            "Sectors, requests and bank conflicts must be the same, and are. Instructions are the "
            "compiler's, and with them branches,\nloads of shared memory that it joins, additions "
            "that it does before the program runs. Registers are estimated where there\nis no "
            "machine code, and with them occupancy. Where there is one number, it is both's; "
            "otherwise nvcc's / clang's.\n\n| lab | kernel |",
            o->versions);
    for (int i = 0; i < COLUMNS; i++) fprintf(out, " %s |", columns[i]);
    fputs("\n|---|---|", out);
    for (int i = 0; i < COLUMNS; i++) fputs("--:|", out);
    fputc('\n', out);
    for (int i = 0; i < o->count; i++) put_lab(&o->labs[i], out);
}

/* ---- The whole ---- */

int compare_compilers(const struct arguments *a, int count) {
    struct overview all = {.versions = a->versions,
                           .labs = need(calloc((size_t)count, sizeof *all.labs))};
    int worst = a->overview && !a->versions ? BAD_CALL : ALL_WITHIN;
    while (all.count < count && worst < CANNOT_COMPARE) {
        bool ok = lab_read(&all.labs[all.count], a[all.count].files) &&
                  write_file(a[all.count].output, put_all, &all.labs[all.count]);
        int status = ok ? judge(&all.labs[all.count],
                                a[all.count].output ? a[all.count].output : a[all.count].files[0])
                        : CANNOT_COMPARE;
        all.count++;
        if (status > worst) worst = status;
    }
    if (worst < CANNOT_COMPARE && !write_file(a->overview, put_overview, &all))
        worst = CANNOT_COMPARE;
    for (int i = 0; i < all.count; i++) {
        table_free(&all.labs[i].nvcc);
        table_free(&all.labs[i].clang);
        free(all.labs[i].values);
    }
    free(all.labs);
    return worst;
}
