/* chrome.c: first every activity gets its row, then the rows, the activities and the arrows are
 * written as events. The format is Google's "Trace Event Format"; its times are in microseconds. */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/memory.h"
#include "names.h"

enum row_kind { API_CALLS, COPIES, STREAM, RANGES };
enum { HOST = -1, NO_ROW = -1, ROWS_OF_A_KIND = 1 << 16 };

/* A row of the picture. */
struct row {
    enum row_kind kind;
    int process, device;   /* device: HOST for API calls */
    uint64_t number;       /* of the host thread or the stream; 0 for copies */
    const char *direction; /* of copies: HtoD; else "" */
    int lane;              /* from 0; further rows take what overlaps */
    int group, place;      /* what viewers call process and thread, from 1 */
    uint64_t end_ns;       /* of the row's last activity so far */
};

struct picture {
    FILE *out;
    const struct activities *activities;
    const char *device;
    bool modelled;
    const char *process_name;
    struct row *rows;
    int row_count;
    int *main_row, *copy_row; /* of each activity: its index in rows */
    unsigned long events, arrows;
};

/* ---- Rows ---- */

static bool same_group(const struct row *a, const struct row *b) {
    return a->process == b->process && a->device == b->device;
}

/* Adds the row at the end of those of its kind, in its group or a new one. Returns its index. */
static int add_row(struct picture *p, struct row row) {
    int groups = 0, before = 0;
    for (int i = 0; i < p->row_count; i++) {
        const struct row *other = &p->rows[i];
        if (same_group(other, &row)) row.group = other->group;
        before += same_group(other, &row) && other->kind == row.kind;
        groups = other->group > groups ? other->group : groups;
    }
    if (!row.group) row.group = groups + 1;
    row.place = (int)row.kind * ROWS_OF_A_KIND + before + 1;
    p->rows = need(realloc(p->rows, ((size_t)p->row_count + 1) * sizeof *p->rows));
    p->rows[p->row_count] = row;
    return p->row_count++;
}

/* Finds the first lane that is free when the activity starts, and takes it. Viewers draw activities
 * of one row that overlap wrongly. */
static int take_row(struct picture *p, struct row like, const struct timeline_row *activity) {
    int found = NO_ROW;
    for (int i = 0; i < p->row_count && found == NO_ROW; i++) {
        if (!(same_group(&p->rows[i], &like) && p->rows[i].kind == like.kind &&
              p->rows[i].number == like.number &&
              strcmp(p->rows[i].direction, like.direction) == 0))
            continue;
        if (p->rows[i].end_ns <= activity->start_ns) found = i;
        like.lane++;
    }
    if (found == NO_ROW) found = add_row(p, like);
    p->rows[found].end_ns = activity->end_ns;
    return found;
}

static void place(struct picture *p, size_t i) {
    const struct activity *a = &p->activities->items[i];
    const struct timeline_row *row = a->row;
    struct row like = {.process = a->process, .device = row->device, .direction = ""};
    p->main_row[i] = p->copy_row[i] = NO_ROW;
    if (a->hidden || row->record == TIMELINE_PAGES) return;
    if (row->record == TIMELINE_API || row->record == TIMELINE_RANGE) {
        like.kind = row->record == TIMELINE_API ? API_CALLS : RANGES;
        like.device = HOST;
        like.number = row->thread;
    } else {
        like.kind = STREAM;
        like.number = (uint64_t)row->stream;
    }
    p->main_row[i] = take_row(p, like, row);
    if (row->record != TIMELINE_MEMCPY) return;
    like.kind = COPIES;
    like.number = 0;
    like.direction = row->name;
    p->copy_row[i] = take_row(p, like, row);
}

/* ---- Events ---- */

static void begin_event(struct picture *p, char phase, const struct row *row, const char *name) {
    fprintf(p->out, "%s\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"name\":", p->events++ ? "," : "",
            phase, row->group, row->place);
    json_put_string(p->out, name);
}

static void put_time(FILE *out, const char *member, uint64_t ns) {
    fprintf(out, ",\"%s\":%llu.%03llu", member, (unsigned long long)(ns / 1000),
            (unsigned long long)(ns % 1000));
}

/* Writes the name of a row or group. */
static void put_label(struct picture *p, const char *kind, const struct row *row, char *label) {
    begin_event(p, 'M', row, kind);
    fputs(",\"args\":{\"name\":", p->out);
    json_put_string(p->out, label);
    fputs("}}", p->out);
    free(label);
}

static char *group_label(const struct picture *p, const struct row *row) {
    if (row->device == HOST && p->process_name) return need_text("%s", p->process_name);
    if (row->device == HOST) return need_text("Process %d", row->process);
    return need_text("%s (%d) of process %d%s", p->device, row->device, row->process,
                     p->modelled ? ", times modelled" : "");
}

static char *row_label(const struct row *row) {
    char lane[16] = "";
    if (row->lane) snprintf(lane, sizeof lane, " (%d)", row->lane + 1);
    if (row->kind == COPIES) return need_text("Copies %s%s", row->direction, lane);
    bool stream = row->kind == STREAM;
    const char *name = name_kept(stream ? 0 : row->number, stream ? (int)row->number : 0);
    return need_text("%s %llu%s%s%s",
                     stream                ? "Stream"
                     : row->kind == RANGES ? "NVTX ranges of thread"
                                           : "API calls of thread",
                     (unsigned long long)row->number, name ? ", " : "", name ? name : "", lane);
}

static void put_activity(struct picture *p, const struct activity *a, int on) {
    const struct timeline_row *row = a->row;
    begin_event(p, 'X', &p->rows[on], a->name);
    put_time(p->out, "ts", row->start_ns);
    put_time(p->out, "dur", row->end_ns - row->start_ns);
    fprintf(p->out, ",\"args\":{\"correlation\":%llu", (unsigned long long)row->correlation);
    if (row->record == TIMELINE_API)
        fprintf(p->out, ",\"status\":%d", row->status);
    else if (row->record != TIMELINE_RANGE)
        fprintf(p->out, ",\"stream\":%d", row->stream);
    if (row->record == TIMELINE_KERNEL) {
        fprintf(p->out, ",\"grid\":\"(%u %u %u)\",\"block\":\"(%u %u %u)\"", row->grid[0],
                row->grid[1], row->grid[2], row->block[0], row->block[1], row->block[2]);
        fprintf(p->out, ",\"registers per thread\":%d", row->registers);
        fprintf(p->out, ",\"static shared bytes\":%llu", (unsigned long long)row->static_shared);
        fprintf(p->out, ",\"dynamic shared bytes\":%llu", (unsigned long long)row->dynamic_shared);
    }
    if (row->record == TIMELINE_MEMCPY || row->record == TIMELINE_MEMSET) {
        /* GB/s here are 10^9 bytes a second. */
        fprintf(p->out, ",\"bytes\":%llu", (unsigned long long)row->bytes);
        if (row->end_ns > row->start_ns)
            fprintf(p->out, ",\"GB/s\":%.3f",
                    (double)row->bytes / (double)(row->end_ns - row->start_ns));
        if (*row->source) fputs(",\"source\":", p->out);
        if (*row->source) json_put_string(p->out, row->source);
        fputs(",\"target\":", p->out);
        json_put_string(p->out, row->target);
    }
    fputs("}}", p->out);
}

static void put_arrow_end(struct picture *p, char phase, const struct row *row, uint64_t ns) {
    begin_event(p, phase, row, "causes");
    fprintf(p->out, ",\"cat\":\"arrow\",\"id\":%lu%s", p->arrows,
            phase == 'f' ? ",\"bp\":\"e\"" : "");
    put_time(p->out, "ts", ns);
    putc('}', p->out);
}

/* Writes an arrow from the call to the activity. */
static void put_arrow(struct picture *p, const struct activity *a, int on) {
    int from = a->call ? p->main_row[a->call - p->activities->items] : NO_ROW;
    if (from == NO_ROW) return;
    p->arrows++;
    put_arrow_end(p, 's', &p->rows[from], a->call->row->start_ns);
    put_arrow_end(p, 'f', &p->rows[on], a->row->start_ns);
}

void chrome_write(FILE *out, const struct activities *activities, const char *device, bool modelled,
                  const char *process_name) {
    struct picture p = {.out = out,
                        .activities = activities,
                        .device = device,
                        .modelled = modelled,
                        .process_name = process_name};
    p.main_row = need(calloc(activities->count + 1, sizeof *p.main_row));
    p.copy_row = need(calloc(activities->count + 1, sizeof *p.copy_row));
    for (size_t i = 0; i < activities->count; i++) place(&p, i);
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    for (int i = 0; i < p.row_count; i++) {
        const struct row *row = &p.rows[i];
        bool first = true;
        for (int j = 0; j < i; j++) first &= p.rows[j].group != row->group;
        if (first) put_label(&p, "process_name", row, group_label(&p, row));
        put_label(&p, "thread_name", row, row_label(row));
        begin_event(&p, 'M', row, "thread_sort_index");
        fprintf(p.out, ",\"args\":{\"sort_index\":%d}}", row->place);
    }
    for (size_t i = 0; i < activities->count; i++) {
        const struct activity *a = &activities->items[i];
        if (p.main_row[i] != NO_ROW) {
            put_activity(&p, a, p.main_row[i]);
            put_arrow(&p, a, p.main_row[i]);
        }
        if (p.copy_row[i] != NO_ROW) put_activity(&p, a, p.copy_row[i]);
    }
    fputs("\n]}\n", out);
    free(p.main_row);
    free(p.copy_row);
    free(p.rows);
}
