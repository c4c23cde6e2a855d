/* values.c: one table of metrics for labprof and labncu. Its ncu_expressions are read backwards:
 * where one is a multiple of an ncu metric, that metric is simt's value, divided by the factor. */
#include "values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/expr.h"

/* The lookup of an expression over ncu's metrics that knows one of them. */
struct one_metric {
    const char *name;
    double value;
};

static double look_up_one(void *context, const char *name) {
    const struct one_metric *one = context;
    return strcmp(name, one->name) == 0 ? one->value : NAN;
}

/* The factor by which the expression multiplies that metric; NaN: it is something else. */
static double multiple(const char *expression, const char *name) {
    struct one_metric one = {name, 1}, two = {name, 2};
    double first = NAN, second = NAN;
    if (!strstr(expression, name) || !expr_eval(expression, look_up_one, &one, &first) ||
        !expr_eval(expression, look_up_one, &two, &second))
        return NAN;
    return first != 0 && second == 2 * first ? first : NAN;
}

/* ncu's unit of a metric that stands under another name in the table. */
static const char *unit_by_name(const char *name) {
    static const struct {
        const char *part, *unit;
    } units[] = {{".pct", "%"},
                 {"_bytes", "byte"},
                 {"_sectors", "sector"},
                 {"inst_executed", "inst"},
                 {"inst_issued", "inst"},
                 {"_cycles", "cycle"},
                 {"_branch_targets", "branches"},
                 {"__warps", "warp"},
                 {"time_duration", "ns"}};
    if (strstr(name, "_per_inst_executed.ratio")) return "";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strstr(name, units[i].part)) return units[i].unit;
    return "";
}

static void set_unit(struct ncu_metric *metric) {
    const char *rate = strstr(metric->name, ".per_second")   ? "/s"
                       : strstr(metric->name, ".per_cycle_") ? "/cycle"
                                                             : "";
    const char *unit =
        metric->row->kind == KIND_NCU ? metric->row->unit : unit_by_name(metric->name);
    if (strcmp(unit, "-") == 0) unit = "";
    bool has_rate = strchr(unit, '/') || strcmp(unit, "hz") == 0 || strcmp(unit, "%") == 0;
    if (*rate == '/' && rate[1] == 's' && strcmp(unit, "cycle") == 0)
        snprintf(metric->unit, sizeof metric->unit, "hz");
    else
        snprintf(metric->unit, sizeof metric->unit, "%s%s", unit,
                 has_rate || !*unit || strcmp(unit, "warp") == 0 ? "" : rate);
}

/* Finds a row with a value of simt for the name itself. */
static bool find_row(const struct metrics *metrics, const char *name, struct ncu_metric *metric) {
    for (int i = 0; i < metrics->count; i++) {
        const struct metric *row = &metrics->rows[i];
        double scale = row->kind == KIND_NCU ? strcmp(row->name, name) == 0 ? 1 : NAN
                                             : multiple(row->ncu_expression, name);
        if (isnan(scale) || strcmp(row->simt_expression, "NA") == 0) continue;
        metric->row = row;
        metric->scale = scale;
        metric->modelled = metric_is_modelled(row);
        return true;
    }
    return false;
}

/* Of how many units of the GPU the metric is a sum, as an expression over the profile; NULL: simt
 * does not know. */
static const char *instances(const char *name) {
    if (strncmp(name, "smsp__", 6) == 0) return "sms * schedulers_per_sm";
    if (strncmp(name, "sm__", 4) == 0 || strncmp(name, "l1tex__", 7) == 0) return "sms";
    return NULL;
}

/* What a suffix divides the sum by. */
static const struct suffix {
    const char *text;
    bool average; /* by the number of units */
    const char *by;
} suffixes[] = {
    {".avg", true, NULL},
    {".sum.per_second", false, "(time_ns / 1e9)"},
    {".avg.per_second", true, "(time_ns / 1e9)"},
    {".sum.per_cycle_active", false, "active_cycles"},
    {".avg.per_cycle_active", true, "active_cycles"},
    {".sum.per_cycle_elapsed", false, "elapsed_cycles"},
    {".avg.per_cycle_elapsed", true, "elapsed_cycles"},
};

static bool find_sum(const struct metrics *metrics, const char *name, struct ncu_metric *metric) {
    const char *dot = strchr(name, '.');
    char sum[METRIC_NAME];
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++) {
        const struct suffix *suffix = &suffixes[i];
        const char *units = suffix->average ? instances(name) : "";
        if (strcmp(dot, suffix->text) != 0 || !units) continue;
        snprintf(sum, sizeof sum, "%.*s.sum", (int)(dot - name), name);
        if (!find_row(metrics, sum, metric)) return false;
        snprintf(metric->divisor, sizeof metric->divisor, "%s%s%s", units,
                 suffix->average && suffix->by ? " * " : "", suffix->by ? suffix->by : "");
        metric->modelled |= suffix->by != NULL;
        return true;
    }
    return false;
}

bool ncu_metric_find(const struct metrics *metrics, const char *name, struct ncu_metric *metric) {
    memset(metric, 0, sizeof *metric);
    snprintf(metric->name, sizeof metric->name, "%s", name);
    if (!find_row(metrics, name, metric) && !find_sum(metrics, name, metric)) return false;
    set_unit(metric);
    return true;
}

/* Does ncu count it in whole cycles? Simulated ones have fractions. */
static bool is_whole(const struct ncu_metric *metric) {
    const char *end = strrchr(metric->name, '.');
    return strcmp(metric->unit, "cycle") == 0 && end &&
           (strcmp(end, ".sum") == 0 || strcmp(end, ".max") == 0);
}

double ncu_metric_value(const struct ncu_metric *metric, struct profile_row *row) {
    double value = NAN, divisor = 1;
    if (!metric->row || !expr_eval(metric->row->simt_expression, profile_value, row, &value) ||
        (*metric->divisor && !expr_eval(metric->divisor, profile_value, row, &divisor)))
        return NAN;
    if (divisor == 0) return NAN;
    value = value / metric->scale / divisor;
    return is_whole(metric) ? round(value) : value;
}
