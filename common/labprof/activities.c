/* activities.c: reads timelines, names their rows and finds the API call that caused each. */
#include "activities.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/memory.h"
#include "names.h"

/* A timeline's name for a record, and nvprof's. Programs have few names and many activities. */
struct activity_name {
    enum timeline_record record;
    const char *given; /* belongs to the timeline */
    char *printed;
};

bool activity_on_gpu(const struct activity *a) {
    enum timeline_record record = a->row->record;
    return record == TIMELINE_KERNEL || record == TIMELINE_MEMCPY || record == TIMELINE_MEMSET;
}

static bool is_on_device(const struct timeline_row *row) {
    return row->record != TIMELINE_API && row->record != TIMELINE_RANGE;
}

double activity_ns(const struct activity *a) {
    return (double)(a->row->end_ns - a->row->start_ns);
}

/* ---- Names ---- */

static char *printed_name(const struct timeline_row *row) {
    switch (row->record) {
    case TIMELINE_KERNEL: return kernel_shown_name(row->name);
    case TIMELINE_MEMCPY: return need_text("[CUDA memcpy %s]", row->name);
    case TIMELINE_MEMSET: return need_text("[CUDA memset]");
    default: return need_text("%s", row->name);
    }
}

static const char *name_of(struct activities *a, const struct timeline_row *row) {
    for (size_t i = 0; i < a->name_count; i++)
        if (a->names[i].record == row->record && strcmp(a->names[i].given, row->name) == 0)
            return a->names[i].printed;
    a->names = need(realloc(a->names, (a->name_count + 1) * sizeof *a->names));
    a->names[a->name_count] = (struct activity_name){row->record, row->name, printed_name(row)};
    return a->names[a->name_count++].printed;
}

/* ---- Reading ---- */

static bool has_times(const struct timeline_row *row) {
    return row->record != TIMELINE_TRUST && row->record != TIMELINE_NAME;
}

static bool read_process(struct activities *a, const char *path) {
    struct timeline timeline;
    /* The process' number comes after the first dot: timeline.4711.csv. */
    const char *slash = strrchr(path, '/'), *dot = strchr(slash ? slash : path, '.');
    if (!timeline_read(&timeline, path)) return false;
    a->timelines = need(realloc(a->timelines, (a->timeline_count + 1) * sizeof *a->timelines));
    a->timelines[a->timeline_count++] = timeline;
    a->items = need(realloc(a->items, (a->count + timeline.count + 1) * sizeof *a->items));
    /* The recorder's times count from when it was loaded, which is before the first record. */
    uint64_t first = UINT64_MAX;
    for (size_t k = 0; k < timeline.count; k++)
        if (has_times(&timeline.rows[k]) && timeline.rows[k].start_ns < first)
            first = timeline.rows[k].start_ns;
    for (size_t i = 0; i < timeline.count; i++) {
        struct timeline_row *row = &timeline.rows[i];
        if (row->record == TIMELINE_TRUST) a->trust = row->name;
        if (row->record == TIMELINE_NAME) name_keep(row->thread, row->stream, row->name);
        if (!has_times(row)) continue;
        row->start_ns -= first;
        row->end_ns -= first;
        a->items[a->count++] = (struct activity){
            .row = row, .name = name_of(a, row), .process = dot ? atoi(dot + 1) : 0};
    }
    return true;
}

/* Sorts by start. An API call comes before what it caused, a range before those within it. */
static int by_start(const void *a, const void *b) {
    const struct timeline_row *x = ((const struct activity *)a)->row,
                              *y = ((const struct activity *)b)->row;
    if (x->start_ns != y->start_ns) return x->start_ns < y->start_ns ? -1 : 1;
    if (x->record == TIMELINE_RANGE && y->record == TIMELINE_RANGE)
        return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
    return (y->record == TIMELINE_API) - (x->record == TIMELINE_API);
}

/* ---- Causes ---- */

/* Sorts pointers by process and correlation. */
static int by_correlation(const void *a, const void *b) {
    const struct activity *x = *(struct activity *const *)a, *y = *(struct activity *const *)b;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    return (x->row->correlation > y->row->correlation) -
           (x->row->correlation < y->row->correlation);
}

/* Points each activity to its call, and each call to its first kernel. */
static void find_causes(struct activities *a) {
    struct activity **calls = need(calloc(a->count + 1, sizeof *calls));
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].row->record == TIMELINE_API) calls[count++] = &a->items[i];
    qsort(calls, count, sizeof(*calls), by_correlation);
    for (size_t i = 0; i < a->count; i++) {
        struct activity *item = &a->items[i];
        if (item->row->record == TIMELINE_API) continue;
        struct activity **found = bsearch(&item, calls, count, sizeof(*calls), by_correlation);
        if (!found) continue;
        item->call = *found;
        if (item->row->record == TIMELINE_KERNEL && !(*found)->kernel) (*found)->kernel = item;
    }
    free(calls);
}

bool activities_read(struct activities *a, const char *pattern) {
    glob_t found;
    bool ok = true;
    if (glob(pattern, 0, NULL, &found) != 0) return true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++) ok = read_process(a, found.gl_pathv[i]);
    globfree(&found);
    if (a->count) qsort(a->items, a->count, sizeof *a->items, by_start);
    find_causes(a);
    return ok;
}

void activities_free(struct activities *a) {
    for (size_t i = 0; i < a->name_count; i++) free(a->names[i].printed);
    for (size_t i = 0; i < a->timeline_count; i++) timeline_free(&a->timelines[i]);
    free(a->names);
    free(a->timelines);
    free(a->items);
    *a = (struct activities){0};
}

/* ---- Options that leave activities out ---- */

void activities_filter(struct activities *a, const struct filters *filters) {
    if (filters->count == 0 && !filters->devices) return;
    for (size_t n = 0; n < a->name_count; n++) {
        long invocation = 0;
        if (a->names[n].record != TIMELINE_KERNEL) continue;
        for (size_t i = 0; i < a->count; i++) {
            const struct timeline_row *row = a->items[i].row;
            struct place place = {row->device, row->context, row->stream};
            if (a->items[i].name == a->names[n].printed)
                a->items[i].hidden |= !filters_select(filters, row->name, place, ++invocation);
        }
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct timeline_row *row = a->items[i].row;
        if (is_on_device(row) && row->record != TIMELINE_KERNEL)
            a->items[i].hidden |= !filters_have_device(filters, row->device);
    }
}

void activities_hide_gpu(struct activities *a) {
    for (size_t i = 0; i < a->count; i++) a->items[i].hidden |= is_on_device(a->items[i].row);
}

/* The runtime's functions begin with cuda, the driver's with cu and a capital letter. */
void activities_hide_calls(struct activities *a, bool runtime, bool driver) {
    for (size_t i = 0; i < a->count; i++) {
        bool of_runtime = strncmp(a->items[i].name, "cuda", 4) == 0;
        if (a->items[i].row->record == TIMELINE_API)
            a->items[i].hidden |= of_runtime ? runtime : driver;
    }
}

/* Calls between cudaProfilerStart and cudaProfilerStop of their process are profiled, and so is
 * what they caused. */
void activities_hide_unprofiled(struct activities *a) {
    for (size_t t = 0; t < a->timeline_count; t++) {
        const struct timeline_row *first = a->timelines[t].rows,
                                  *end = first + a->timelines[t].count;
        bool on = false;
        for (size_t i = 0; i < a->count; i++) {
            struct activity *item = &a->items[i];
            if (item->row < first || item->row >= end || item->row->record != TIMELINE_API)
                continue;
            on = on && strcmp(item->name, "cudaProfilerStop") != 0;
            item->hidden |= !on;
            on = on || strcmp(item->name, "cudaProfilerStart") == 0;
        }
    }
    for (size_t i = 0; i < a->count; i++)
        if (a->items[i].row->record != TIMELINE_API)
            a->items[i].hidden |= !a->items[i].call || a->items[i].call->hidden;
}
