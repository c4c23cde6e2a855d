/* pages.c: the pages as text and as CSV. */
#include "pages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "labprof/names.h"
#include "lib/csv.h"
#include "lib/memory.h"

#define ASKED "Command line profiler metrics" /* the title of what --metrics asks for */

/* A metric to print. */
struct shown {
    const char *label; /* "": its name */
    struct ncu_metric metric;
};

/* A table to print: a section, or what --metrics asks for (section NULL). */
struct part {
    const struct section *section;
    const char *title;
    struct shown *metrics;
    int count, missing; /* missing: of the section, left out */
};

struct parts {
    struct part *items;
    int count;
};

static void add_metric(struct part *part, const char *label, const struct ncu_metric *metric) {
    part->metrics = need(realloc(part->metrics, ((size_t)part->count + 1) * sizeof *part->metrics));
    part->metrics[part->count++] = (struct shown){label, *metric};
}

static struct parts make_parts(const struct report *r) {
    struct parts parts = {need(calloc((size_t)r->sections->count + 1, sizeof(struct part))), 0};
    for (int i = 0; i < r->sections->count; i++) {
        const struct section *section = &r->sections->items[i];
        if (!section->wanted) continue;
        struct part *part = &parts.items[parts.count++];
        *part = (struct part){section, section->title, NULL, 0, 0};
        for (int k = 0; k < section->count; k++) {
            struct ncu_metric metric;
            if (ncu_metric_find(r->metrics, section->metrics[k].name, &metric))
                add_metric(part, section->metrics[k].label, &metric);
            else
                part->missing++;
        }
    }
    if (r->asked_count) {
        struct part *part = &parts.items[parts.count++];
        *part = (struct part){NULL, ASKED, NULL, 0, 0};
        for (int k = 0; k < r->asked_count; k++) add_metric(part, "", &r->asked[k]);
    }
    return parts;
}

static void free_parts(struct parts *parts) {
    for (int i = 0; i < parts->count; i++) free(parts->items[i].metrics);
    free(parts->items);
}

/* The value in the unit that is printed. The launch has no value of a section's metric: NaN, too.
 */
static double value_in(const struct report *r, const struct shown *shown,
                       const struct launch *launch, char unit[UNIT_SIZE]) {
    struct profile_row row = launch_row(launch);
    double value = ncu_metric_value(&shown->metric, &row);
    if (r->options->base_units)
        snprintf(unit, UNIT_SIZE, "%s", shown->metric.unit);
    else
        value *= scale_unit(value, shown->metric.unit, unit);
    return value;
}

/* What stands in the column Metric Name. */
static void metric_label(const struct report *r, const struct shown *shown, char *text,
                         size_t size) {
    bool labels = r->options->labels && *shown->label;
    bool names = r->options->names || !*shown->label;
    snprintf(text, size, "%s%s%s%s", labels ? shown->label : "", labels && names ? " (" : "",
             names ? shown->metric.name : "", labels && names ? ")" : "");
}

static const char *kernel_text(const struct report *r, const struct launch *launch) {
    enum name_base base = r->options->print_base;
    return base == NAME_FUNCTION  ? launch->base
           : base == NAME_MANGLED ? launch->mangled
                                  : launch->name;
}

/* "(1024, 1, 1)" */
static void dimensions(const struct launch *launch, const char *shape, char text[64]) {
    unsigned d[3];
    parse_dimensions(csv_get(launch->process->profile, launch->row, shape), d);
    snprintf(text, 64, "(%u, %u, %u)", d[0], d[1], d[2]);
}

static const char *cell(const struct launch *launch, const char *column) {
    return csv_get(launch->process->profile, launch->row, column);
}

/* Prints the process's line where another one begins. */
static void put_process(const struct report *r, int i) {
    const struct launch *launch = &r->record->launches[i];
    if (i == 0 || launch[-1].process != launch->process)
        fprintf(r->out, "[%ld] %s@127.0.0.1\n", launch->process->pid, launch->process->name);
}

static void put_heading(const struct report *r, const struct launch *launch) {
    char grid[64], block[64];
    dimensions(launch, "grid", grid);
    dimensions(launch, "block", block);
    fprintf(r->out, "  %s %sx%s, Context 1, Stream %s, Device %s, CC %s\n", kernel_text(r, launch),
            grid, block, cell(launch, "stream"), cell(launch, "device_number"), cell(launch, "cc"));
}

/* ---- Details ---- */

static void put_part(const struct report *r, const struct part *part, const struct launch *launch) {
    static const char *const header[] = {"Metric Name", "Metric Unit", "Metric Value"};
    struct table_row *rows = need(calloc((size_t)part->count + 1, sizeof *rows));
    struct profile_row row = launch_row(launch);
    struct hint hint;
    int n = 0;
    for (int i = 0; i < part->count; i++) {
        char unit[UNIT_SIZE];
        double value = value_in(r, &part->metrics[i], launch, unit);
        if (isnan(value) && part->section) continue;
        metric_label(r, &part->metrics[i], rows[n].cells[0], sizeof rows[n].cells[0]);
        snprintf(rows[n].cells[1], sizeof rows[n].cells[1], "%s", unit);
        format_number(value, r->options->print_fp, rows[n].cells[2]);
        n++;
    }
    bool hinted =
        part->section && r->options->rules && hint_find(r->metrics, part->section, &row, &hint);
    if (n || hinted) fprintf(r->out, "    Section: %s\n", part->title);
    if (n) {
        print_table(r->out, header, 3, rows, n);
        putc('\n', r->out);
    }
    if (hinted) {
        hint_print(r->out, &hint);
        putc('\n', r->out);
    }
    free(rows);
}

static void put_quoted(FILE *out, bool first, const char *text) {
    if (!first) putc(',', out);
    csv_put_quoted(out, "", text);
}

static void put_cells(FILE *out, const char *const *cells) {
    for (int i = 0; cells[i]; i++) put_quoted(out, i == 0, cells[i]);
}

static const char *const columns[] = {"ID",          "Process ID", "Process Name", "Host Name",
                                      "Kernel Name", "Context",    "Stream",       "Block Size",
                                      "Grid Size",   "Device",     "CC",           NULL};

/* The cells of these columns. */
static void put_launch(const struct report *r, int id) {
    const struct launch *launch = &r->record->launches[id];
    char number[32], pid[32], grid[64], block[64];
    snprintf(number, sizeof number, "%d", id);
    snprintf(pid, sizeof pid, "%ld", launch->process->pid);
    dimensions(launch, "grid", grid);
    dimensions(launch, "block", block);
    const char *const cells[] = {number,
                                 pid,
                                 launch->process->name,
                                 "127.0.0.1",
                                 kernel_text(r, launch),
                                 "1",
                                 cell(launch, "stream"),
                                 block,
                                 grid,
                                 cell(launch, "device_number"),
                                 cell(launch, "cc"),
                                 NULL};
    put_cells(r->out, cells);
}

static void put_part_csv(const struct report *r, const struct part *part, int id, bool rules) {
    const struct launch *launch = &r->record->launches[id];
    struct profile_row row = launch_row(launch);
    struct hint hint;
    for (int i = 0; i < part->count; i++) {
        char unit[UNIT_SIZE], value[NUMBER_SIZE], label[256];
        double number = value_in(r, &part->metrics[i], launch, unit);
        if (isnan(number) && part->section) continue;
        metric_label(r, &part->metrics[i], label, sizeof label);
        format_number(number, r->options->print_fp, value);
        put_launch(r, id);
        putc(',', r->out);
        const char *const cells[] = {part->title, label, unit, value, NULL};
        put_cells(r->out, cells);
        fputs(rules ? ",\n" : "\n", r->out);
    }
    if (!rules || !part->section || !hint_find(r->metrics, part->section, &row, &hint)) return;
    char saved[32];
    snprintf(saved, sizeof saved, "%.4g", hint.saved);
    const char *const cells[] = {part->section->id, "",       "",    "",  hint.rule, "OPT",
                                 hint.text,         "global", saved, NULL};
    put_launch(r, id);
    putc(',', r->out);
    put_cells(r->out, cells);
    putc('\n', r->out);
}

void print_details(const struct report *r) {
    static const char *const values[] = {"Section Name", "Metric Name", "Metric Unit",
                                         "Metric Value", NULL},
                             *const rule_columns[] = {"Rule Name",         "Rule Type",
                                                      "Rule Description",  "Estimated Speedup Type",
                                                      "Estimated Speedup", NULL};
    struct parts parts = make_parts(r);
    bool rules = r->options->rules && parts.count && parts.items[0].section;
    if (r->options->csv) {
        put_cells(r->out, columns);
        putc(',', r->out);
        put_cells(r->out, values);
        if (rules) putc(',', r->out);
        if (rules) put_cells(r->out, rule_columns);
        putc('\n', r->out);
    }
    for (int i = 0; i < r->record->launch_count; i++) {
        if (!r->options->csv) {
            put_process(r, i);
            put_heading(r, &r->record->launches[i]);
        }
        for (int k = 0; k < parts.count; k++)
            if (r->options->csv)
                put_part_csv(r, &parts.items[k], i, rules);
            else
                put_part(r, &parts.items[k], &r->record->launches[i]);
    }
    free_parts(&parts);
}

/* ---- Raw ---- */

static int by_name(const void *one, const void *other) {
    return strcmp(((const struct shown *)one)->metric.name,
                  ((const struct shown *)other)->metric.name);
}

/* All metrics of the parts once, by name. */
static struct part all_metrics(const struct parts *parts) {
    struct part all = {NULL, "", NULL, 0, 0};
    for (int i = 0; i < parts->count; i++)
        for (int k = 0; k < parts->items[i].count; k++)
            add_metric(&all, parts->items[i].metrics[k].label, &parts->items[i].metrics[k].metric);
    if (all.count) qsort(all.metrics, (size_t)all.count, sizeof *all.metrics, by_name);
    int n = 0;
    for (int i = 0; i < all.count; i++)
        if (n == 0 || by_name(&all.metrics[n - 1], &all.metrics[i]) != 0)
            all.metrics[n++] = all.metrics[i];
    all.count = n;
    return all;
}

/* A cell of the raw page: whole numbers stay so where ncu counts them so, in names without a
 * suffix.
 */
static void raw_number(const struct report *r, const struct shown *shown, double value,
                       const char *unit, char text[NUMBER_SIZE]) {
    if (*unit)
        format_raw(value, !strchr(shown->metric.name, '.') && value == floor(value), text);
    else
        format_number(value, r->options->print_fp, text);
}

/* The units are those of the first launch: a column has one. */
static void put_raw_csv(const struct report *r, const struct part *all) {
    const struct record *record = r->record;
    put_cells(r->out, columns);
    for (int i = 0; i < all->count; i++) put_quoted(r->out, false, all->metrics[i].metric.name);
    putc('\n', r->out);
    for (int c = 0; columns[c]; c++) put_quoted(r->out, c == 0, "");
    for (int i = 0; i < all->count; i++) {
        char unit[UNIT_SIZE] = "";
        if (record->launch_count) value_in(r, &all->metrics[i], &record->launches[0], unit);
        put_quoted(r->out, false, unit);
    }
    putc('\n', r->out);
    for (int id = 0; id < record->launch_count; id++) {
        put_launch(r, id);
        for (int i = 0; i < all->count; i++) {
            const struct shown *shown = &all->metrics[i];
            char unit[UNIT_SIZE] = "", text[NUMBER_SIZE];
            struct profile_row first = launch_row(&record->launches[0]),
                               row = launch_row(&record->launches[id]);
            double value = ncu_metric_value(&shown->metric, &row), factor = 1;
            if (!r->options->base_units)
                factor =
                    scale_unit(ncu_metric_value(&shown->metric, &first), shown->metric.unit, unit);
            raw_number(r, shown, value * factor, shown->metric.unit, text);
            put_quoted(r->out, false, text);
        }
        putc('\n', r->out);
    }
}

static void put_raw(const struct report *r, const struct part *all) {
    static const char *const header[] = {"Metric Name", "Metric Unit", "Metric Value"};
    struct table_row *rows = need(calloc((size_t)all->count + 1, sizeof *rows));
    for (int id = 0; id < r->record->launch_count; id++) {
        const struct launch *launch = &r->record->launches[id];
        put_process(r, id);
        put_heading(r, launch);
        for (int i = 0; i < all->count; i++) {
            char unit[UNIT_SIZE];
            double value = value_in(r, &all->metrics[i], launch, unit);
            snprintf(rows[i].cells[0], sizeof rows[i].cells[0], "%s", all->metrics[i].metric.name);
            snprintf(rows[i].cells[1], sizeof rows[i].cells[1], "%s", unit);
            format_number(value, r->options->print_fp, rows[i].cells[2]);
        }
        print_table(r->out, header, 3, rows, all->count);
        putc('\n', r->out);
    }
    free(rows);
}

void print_raw(const struct report *r) {
    struct parts parts = make_parts(r);
    struct part all = all_metrics(&parts);
    if (r->options->csv)
        put_raw_csv(r, &all);
    else
        put_raw(r, &all);
    free(all.metrics);
    free_parts(&parts);
}

/* ---- Summary ---- */

/* Are both launches of one kernel and shape, on one device? */
static bool alike(const struct launch *a, const struct launch *b) {
    static const char *const same[] = {"mangled", "grid", "block", "device_number"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(cell(a, same[i]), cell(b, same[i])) != 0) return false;
    return a->process == b->process;
}

/* Puts each launch into the group of the first one that is like it: group[i] is that one's place.
 */
static int *make_groups(const struct record *record) {
    int *group = need(calloc((size_t)record->launch_count + 1, sizeof *group));
    for (int i = 0; i < record->launch_count; i++)
        for (group[i] = 0; group[i] < i; group[i]++)
            if (group[group[i]] == group[i] &&
                alike(&record->launches[group[i]], &record->launches[i]))
                break;
    return group;
}

/* Minimum, maximum and average of a metric over a group; false: a launch has no value. */
static bool sum_up(const struct report *r, const struct shown *shown, const int *group, int first,
                   double values[3]) {
    double sum = 0;
    int count = 0;
    for (int i = first; i < r->record->launch_count; i++) {
        if (group[i] != first) continue;
        struct profile_row row = launch_row(&r->record->launches[i]);
        double value = ncu_metric_value(&shown->metric, &row);
        if (isnan(value)) return false;
        values[0] = count ? fmin(values[0], value) : value;
        values[1] = count ? fmax(values[1], value) : value;
        sum += value;
        count++;
    }
    values[2] = sum / count;
    return count > 0;
}

static void put_summary_part(const struct report *r, const struct part *part, const int *group,
                             int first) {
    static const char *const header[] = {"Metric Name", "Metric Unit", "Minimum", "Maximum",
                                         "Average"};
    struct table_row *rows = need(calloc((size_t)part->count + 1, sizeof *rows));
    int n = 0;
    for (int i = 0; i < part->count; i++) {
        const struct shown *shown = &part->metrics[i];
        double values[3], factor = 1;
        char unit[UNIT_SIZE];
        if (!sum_up(r, shown, group, first, values)) continue;
        snprintf(unit, sizeof unit, "%s", shown->metric.unit);
        if (!r->options->base_units) factor = scale_unit(values[2], shown->metric.unit, unit);
        metric_label(r, shown, rows[n].cells[0], sizeof rows[n].cells[0]);
        snprintf(rows[n].cells[1], sizeof rows[n].cells[1], "%s", unit);
        for (int k = 0; k < 3; k++) format_number(values[k] * factor, true, rows[n].cells[2 + k]);
        n++;
    }
    if (n) {
        fprintf(r->out, "    Section: %s\n", part->title);
        print_table(r->out, header, 5, rows, n);
        putc('\n', r->out);
    }
    free(rows);
}

static int by_title(const void *one, const void *other) {
    return strcmp(((const struct part *)one)->title, ((const struct part *)other)->title);
}

static void put_summary_csv(const struct report *r, const struct part *part, const int *group,
                            int first, int launches) {
    const struct launch *launch = &r->record->launches[first];
    for (int i = 0; i < part->count; i++) {
        const struct shown *shown = &part->metrics[i];
        double values[3], factor = 1;
        char unit[UNIT_SIZE], texts[3][NUMBER_SIZE], label[256], pid[32], count[32], grid[64],
            block[64];
        if (!sum_up(r, shown, group, first, values)) continue;
        snprintf(unit, sizeof unit, "%s", shown->metric.unit);
        if (!r->options->base_units) factor = scale_unit(values[2], shown->metric.unit, unit);
        for (int k = 0; k < 3; k++) format_number(values[k] * factor, true, texts[k]);
        metric_label(r, shown, label, sizeof label);
        snprintf(pid, sizeof pid, "%ld", launch->process->pid);
        snprintf(count, sizeof count, "%d", launches);
        dimensions(launch, "grid", grid);
        dimensions(launch, "block", block);
        const char *const cells[] = {pid,
                                     launch->process->name,
                                     "127.0.0.1",
                                     kernel_text(r, launch),
                                     block,
                                     grid,
                                     cell(launch, "device_number"),
                                     cell(launch, "cc"),
                                     count,
                                     part->title,
                                     label,
                                     unit,
                                     texts[0],
                                     texts[1],
                                     texts[2],
                                     NULL};
        put_cells(r->out, cells);
        putc('\n', r->out);
    }
}

void print_summed(const struct report *r) {
    static const char *const header[] = {
        "Process ID",  "Process Name", "Host Name",   "Kernel Name",
        "Block Size",  "Grid Size",    "Device",      "CC",
        "Invocations", "Section Name", "Metric Name", "Metric Unit",
        "Minimum",     "Maximum",      "Average",     NULL};
    const struct record *record = r->record;
    struct parts parts = make_parts(r);
    int *group = make_groups(record);
    qsort(parts.items, (size_t)parts.count, sizeof *parts.items, by_title);
    if (r->options->csv) {
        put_cells(r->out, header);
        putc('\n', r->out);
    }
    for (int i = 0; i < record->launch_count; i++) {
        const struct launch *launch = &record->launches[i];
        if (group[i] != i) continue;
        int launches = 0;
        for (int k = i; k < record->launch_count; k++) launches += group[k] == i;
        char grid[64], block[64];
        dimensions(launch, "grid", grid);
        dimensions(launch, "block", block);
        if (!r->options->csv) {
            put_process(r, i);
            fprintf(r->out, "  %s %sx%s, Device %s, CC %s, Invocations %d\n",
                    kernel_text(r, launch), grid, block, cell(launch, "device_number"),
                    cell(launch, "cc"), launches);
        }
        for (int k = 0; k < parts.count; k++)
            if (r->options->csv)
                put_summary_csv(r, &parts.items[k], group, i, launches);
            else
                put_summary_part(r, &parts.items[k], group, i);
    }
    free(group);
    free_parts(&parts);
}

/* ---- Trust ---- */

void print_trust(const struct report *r) {
    struct parts parts = make_parts(r);
    struct part all = all_metrics(&parts);
    const struct launch *first = &r->record->launches[0];
    int missing = 0, modelled = 0;
    for (int i = 0; i < parts.count; i++) missing += parts.items[i].missing;
    fprintf(r->out, "==PROF== labncu: back end simt (%s)\n", cell(first, "device"));
    for (int i = 0; i < all.count; i++) {
        if (!all.metrics[i].metric.modelled) continue;
        fprintf(r->out, "%s%s", modelled++ ? ", " : "==PROF== labncu: modelled, not counted: ",
                *all.metrics[i].label ? all.metrics[i].label : all.metrics[i].metric.name);
    }
    if (modelled) putc('\n', r->out);
    if (*r->record->trust) fprintf(r->out, "==PROF== labncu: %s\n", r->record->trust);
    if (missing)
        fprintf(r->out,
                "==PROF== labncu: %d metrics of these sections are left out, as simt does not give "
                "them; --query-metrics lists them\n",
                missing);
    free(all.metrics);
    free_parts(&parts);
}

static void put_known(const struct metrics *metrics, const struct metric *row, const char *name,
                      FILE *out) {
    struct ncu_metric metric;
    if (ncu_metric_find(metrics, name, &metric) && metric.row == row)
        fprintf(out, "%-78s %-16s %s%s\n", name, metric.unit, row->description,
                metric.modelled ? " (modelled)" : "");
}

/* Prints the metrics of ncu that the row gives a value for. */
static void put_known_of(const struct metrics *metrics, const struct metric *row, FILE *out) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789.";
    char name[METRIC_NAME];
    if (row->kind == KIND_NCU) put_known(metrics, row, row->name, out);
    for (const char *at = row->ncu_expression; row->kind != KIND_NCU && *at;) {
        size_t length = strspn(at, letters);
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (strstr(name, "__")) put_known(metrics, row, name, out);
        at += length ? length : 1;
    }
}

void print_known(const struct metrics *metrics, const struct sections *sections, FILE *out) {
    fprintf(out, "Metrics of simt; of those with .sum, also .avg, .sum.per_second, "
                 ".sum.per_cycle_active ...:\n");
    for (int i = 0; i < metrics->count; i++) {
        const struct metric *row = &metrics->rows[i];
        if (row->kind != KIND_WHAT_IF) put_known_of(metrics, row, out);
    }
    fprintf(out, "\nMetrics of sections that simt does not give:\n");
    for (int i = 0; i < sections->count; i++)
        for (int k = 0; k < sections->items[i].count; k++) {
            const struct section_metric *one = &sections->items[i].metrics[k];
            struct ncu_metric metric;
            if (!ncu_metric_find(metrics, one->name, &metric))
                fprintf(out, "%-78s %s: %s: %s\n", one->name, sections->items[i].id, one->label,
                        one->why);
        }
}
