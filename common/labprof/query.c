/* query.c: lists the metrics and events. */
#include "query.h"

#include <string.h>

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
        if (route->backend == BACKEND_SIMT && metric_is_modelled(m))
            fprintf(out, " (modelled by simt, not counted)");
        else if (route->backend == BACKEND_SIMT && *m->simt_note)
            fprintf(out, " (NA on simt: %s)", m->simt_note);
        else if (route->backend == BACKEND_NCU && *m->ncu_note)
            fprintf(out, " (%s)", m->ncu_note);
        else if (route->backend == BACKEND_NVPROF && !m->nvprof_name)
            fprintf(out, " (NA: nvprof does not have it)");
        else if (route->backend == BACKEND_NVPROF && *m->nvprof_note)
            fprintf(out, " (%s)", m->nvprof_note);
        fprintf(out, "\n\n");
    }
}
