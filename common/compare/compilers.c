/* compilers.c: `compare compilers`: does clang's program do what nvcc's does?
 *
 * The files are metrics.csv of one lab, from both compilers' programs. What the lab's source decides (sectors,
 * requests, bank conflicts) must be the same in both. What the compiler decides may differ: instructions, branches,
 * registers and so occupancy, and what follows from them. Writes all metrics side by side, and prints how many are the
 * same and the first that must be and are not. The overview has a row for each lab and kernel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "judge.h"
#include "tables.h"
#include "write.h"

enum { MOST_PRINTED = 20, SHORT = 64 };

struct lab {
    struct table nvcc, clang;
};

/* ---- One value by both ---- */

static const char same[] = "same", different[] = "", must_be_same[] = "MUST BE THE SAME", missing[] = "MISSING";

/* One metric of one launch; "" where a compiler's program lacks it. */
struct both {
    const struct launch *launch;
    const char *nvcc, *clang, *verdict;
};

static bool equal(const struct lab *lab, int nvcc, int clang) {
    return cell_number(lab->nvcc.csv, nvcc, "value") == cell_number(lab->clang.csv, clang, "value") ||
           is_cell(lab->nvcc.csv, nvcc, "value", csv_get(lab->clang.csv, clang, "value"));
}

/* The values of a row of nvcc's table, or of clang's. */
static struct both both_of(const struct lab *lab, const struct table *table, int row) {
    const struct launch *launch = &table->launches[row];
    const char *metric = launch->cell[METRIC];
    int nvcc = table_find(&lab->nvcc, launch, metric), clang = table_find(&lab->clang, launch, metric);
    const char *verdict = nvcc < 0 || clang < 0        ? missing
                          : equal(lab, nvcc, clang)    ? same
                          : bound_of(metric).by_source ? must_be_same
                                                       : different;
    return (struct both){launch, csv_get(lab->nvcc.csv, nvcc, "value"), csv_get(lab->clang.csv, clang, "value"),
                         verdict};
}

static bool is_bad(const struct both *b) {
    return b->verdict == must_be_same || b->verdict == missing;
}

/* ---- All values of a lab ---- */

static void put(const struct both *b, FILE *out) {
    const char *const *cell = b->launch->cell;
    fprintf(out, "%-4s %-28s %-36s %16s %16s  %s\n", cell[STEP], cell[KERNEL], cell[METRIC], b->nvcc, b->clang,
            b->verdict);
}

/* The i-th value: those of nvcc's rows, then of clang's that nvcc lacks. False: clang's row was among nvcc's. */
static bool value_at(const struct lab *lab, int i, struct both *b) {
    bool of_nvcc = i < lab->nvcc.rows;
    *b = of_nvcc ? both_of(lab, &lab->nvcc, i) : both_of(lab, &lab->clang, i - lab->nvcc.rows);
    return of_nvcc || b->verdict == missing;
}

static void put_all(const void *of, FILE *out) {
    const struct lab *lab = of;
    struct both b;
    fprintf(out, "%-4s %-28s %-36s %16s %16s  \n", "step", "kernel", "metric", "nvcc", "clang");
    for (int i = 0; i < lab->nvcc.rows + lab->clang.rows; i++)
        if (value_at(lab, i, &b)) put(&b, out);
}

static int judge(const struct lab *lab, const char *name) {
    int values = 0, equals = 0, bad = 0, all = lab->nvcc.rows + lab->clang.rows;
    struct both b;
    for (int i = 0; i < all; i++) {
        if (!value_at(lab, i, &b)) continue;
        values++;
        equals += b.verdict == same;
        bad += is_bad(&b);
    }
    printf("%s: %d of %d values are the same; sectors, requests and conflicts %s\n", name, equals, values,
           bad ? "NOT ALL" : "all");
    for (int i = 0, put_so_far = 0; i < all && put_so_far < MOST_PRINTED; i++)
        if (value_at(lab, i, &b) && is_bad(&b) && ++put_so_far) put(&b, stdout);
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
    snprintf(text, SHORT, !is_number ? "n/a" : value == floor(value) ? "%s" : "%.0s%.4g", cell, value);
}

/* The first value of the metric that the kernel has: nvcc's and clang's, or one where they look the same. */
static void put_metric(const struct lab *lab, const char *kernel, const char *metric, FILE *out) {
    char nvcc[SHORT] = "", clang[SHORT] = "";
    for (int row = 0; row < lab->nvcc.rows; row++) {
        const char *const *cell = lab->nvcc.launches[row].cell;
        if (!same_kernel(cell[KERNEL], kernel) || strcmp(cell[METRIC], metric) != 0) continue;
        struct both b = both_of(lab, &lab->nvcc, row);
        shorten(b.nvcc, nvcc);
        shorten(b.clang, clang);
        break;
    }
    fprintf(out, strcmp(nvcc, clang) == 0 ? " %s |" : " %s / %s |", nvcc, clang);
}

static bool seen_before(const struct table *t, int row) {
    for (int before = 0; before < row; before++)
        if (same_kernel(t->launches[before].cell[KERNEL], t->launches[row].cell[KERNEL])) return true;
    return false;
}

/* A kernel that runs in several shapes or sizes is shown as it runs first. */
static void put_lab(const struct lab *lab, FILE *out) {
    for (int row = 0; row < lab->nvcc.rows; row++) {
        const char *const *cell = lab->nvcc.launches[row].cell;
        if (seen_before(&lab->nvcc, row)) continue;
        fprintf(out, "| %s | `%.*s` |", cell[LAB], (int)strcspn(cell[KERNEL], "("), cell[KERNEL]);
        for (int i = 0; i < COLUMNS; i++) put_metric(lab, cell[KERNEL], columns[i], out);
        fputc('\n', out);
    }
}

static void put_overview(const void *of, FILE *out) {
    const struct overview *o = of;
    fprintf(
        out,
        "# Labs compiled by clang beside nvcc, on the simulator\n\nGenerated by `make record-front`, of the complete "
        "programs at one of their check sizes; %s.\n"
        "Sectors, requests and bank conflicts must be the same, and are. Instructions are the compiler's, and with "
        "them branches,\nloads of shared memory that it joins, additions that it does before the program runs. "
        "Registers are estimated where there\nis no machine code, and with them occupancy. Where there is one "
        "number, it is both's; otherwise nvcc's / clang's.\n\n| lab | kernel |",
        o->versions);
    for (int i = 0; i < COLUMNS; i++) fprintf(out, " %s |", columns[i]);
    fputs("\n|---|---|", out);
    for (int i = 0; i < COLUMNS; i++) fputs("--:|", out);
    fputc('\n', out);
    for (int i = 0; i < o->count; i++) put_lab(&o->labs[i], out);
}

/* ---- The whole ---- */

static int compare_one(struct lab *lab, const struct arguments *a) {
    static const char *const needed[] = {"lab", "step", "kernel", "grid", "block", "metric", "value", NULL};
    bool ok = table_read(&lab->nvcc, a->files[0], needed) && table_read(&lab->clang, a->files[1], needed) &&
              write_file(a->output, put_all, lab);
    return ok ? judge(lab, a->output ? a->output : a->files[0]) : CANNOT_COMPARE;
}

int compare_compilers(const struct arguments *a, int count) {
    struct overview all = {.versions = a->versions, .labs = allocate((size_t)count, sizeof *all.labs)};
    int worst = a->overview && !a->versions ? BAD_CALL : ALL_WITHIN;
    while (all.count < count && worst < CANNOT_COMPARE) {
        int status = compare_one(&all.labs[all.count], &a[all.count]);
        all.count++;
        if (status > worst) worst = status;
    }
    if (worst < CANNOT_COMPARE && !write_file(a->overview, put_overview, &all)) worst = CANNOT_COMPARE;
    for (int i = 0; i < all.count; i++) {
        table_free(&all.labs[i].nvcc);
        table_free(&all.labs[i].clang);
    }
    free(all.labs);
    return worst;
}
