#include "remarks.h"

#include <math.h>
#include <string.h>

/* What metrics.tsv's simt_note begins with where simt's value is no count of machine code. */
#define MODELLED  "modelled"
#define ESTIMATED "estimated from the PTX"

static bool any_value_missing(const struct samples *samples, int metric) {
    for (int i = 0; i < samples->count; i++)
        if (is_asked(samples, &samples->items[i], metric) &&
            isnan(samples->items[i].values[metric].average))
            return true;
    return false;
}

/* Why a metric has no value. */
static const char *reason(enum backend_kind backend, const struct metric *metric) {
    if (backend == BACKEND_NVPROF)
        return metric->nvprof_name ? "nvprof gave no number" : "nvprof does not have it";
    if (backend == BACKEND_NCU) return "ncu does not count it on this GPU";
    if (metric_is_modelled(metric)) return "the time model was off";
    return *metric->simt_note ? metric->simt_note : "simt gave no number";
}

/* How the back end's value differs from the metric's description; "" where it does not. */
static const char *difference(enum backend_kind backend, const struct metric *metric) {
    static const char modelled[] = "modelled: ";
    const char *note = metric->simt_note;
    switch (backend) {
    case BACKEND_NCU: return metric->ncu_note;
    case BACKEND_NVPROF: return metric->nvprof_note;
    default:
        if (!backend_has(backend, metric) || strcmp(note, MODELLED) == 0 ||
            strcmp(note, ESTIMATED) == 0)
            return "";
        return note + (strncmp(note, modelled, strlen(modelled)) == 0 ? strlen(modelled) : 0);
    }
}

/* Names in one line the wanted metrics whose note begins so. */
static void print_noted(FILE *out, const char *prefix, const char *title, const char *note,
                        const struct metric_list *wanted) {
    bool any = false;
    for (int k = 0; k < wanted->count; k++) {
        const struct metric *metric = wanted->items[k];
        if (metric->kind == KIND_WHAT_IF || strncmp(metric->simt_note, note, strlen(note)) != 0)
            continue;
        fprintf(out, "%s%s%s", any ? ", " : prefix, any ? "" : title, metric->name);
        any = true;
    }
    if (any) putc('\n', out);
}

void print_remarks(FILE *out, const char *prefix, enum backend_kind backend,
                   const struct metric_list *wanted, const struct samples *samples) {
    if (backend == BACKEND_SIMT) {
        print_noted(out, prefix, "modelled, not counted: ", MODELLED, wanted);
        print_noted(out, prefix, ESTIMATED ": ", ESTIMATED, wanted);
    }
    for (int i = 0; i < wanted->count; i++) {
        const struct metric *m = wanted->items[i];
        if (m->kind == KIND_WHAT_IF) continue;
        const char *note = difference(backend, m);
        if (*note) fprintf(out, "%s%s: %s\n", prefix, m->name, note);
        if (any_value_missing(samples, i))
            fprintf(out, "%s%s is NA: %s\n", prefix, m->name, reason(backend, m));
    }
}

/* ---- The list of all ---- */

enum { NAME_WIDTH = 32 };

void print_query(const struct metrics *metrics, bool events, const struct route *route, FILE *out) {
    fprintf(out, "Available %s:\n%*s   %s\n", events ? "Events" : "Metrics", NAME_WIDTH, "Name",
            "Description");
    fprintf(out, "Device 0 (%s):\n", *route->device ? route->device : backend_name(route->backend));
    for (int i = 0; i < metrics->count; i++) {
        const struct metric *m = &metrics->rows[i];
        if (m->kind != (events ? KIND_EVENT : KIND_METRIC)) continue;
        fprintf(out, "%*s:  %s", NAME_WIDTH, m->name, m->description);
        /* Print what a back end adds to a metric's description. */
        if (route->backend == BACKEND_SIMT && strcmp(m->simt_note, MODELLED) == 0)
            fprintf(out, " (modelled by simt, not counted)");
        else if (route->backend == BACKEND_SIMT && *m->simt_note)
            fprintf(out, " (%s%s)",
                    backend_has(BACKEND_SIMT, m) ? "" : "NA on simt: ", m->simt_note);
        else if (route->backend == BACKEND_NCU && *m->ncu_note)
            fprintf(out, " (%s)", m->ncu_note);
        else if (route->backend == BACKEND_NVPROF && !m->nvprof_name)
            fprintf(out, " (NA: nvprof does not have it)");
        else if (route->backend == BACKEND_NVPROF && *m->nvprof_note)
            fprintf(out, " (%s)", m->nvprof_note);
        fprintf(out, "\n\n");
    }
}
