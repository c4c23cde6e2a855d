/*
 * see/trace.c: the warps' cycles as a file for other viewers.
 *
 *   kanata   Konata's text format 0004 (https://github.com/shioyadan/Konata): a line for each begin
 *            and end, by cycle
 *   chrome   Chrome's trace event JSON, for chrome://tracing and Perfetto: a cycle is shown as a
 *            microsecond
 *   page     as the recording's "times" has it, for the page of another GPU
 */
#include "see.h"

#include "lib/die.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "simt/machine/report.h"
#include "simt/time/timing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *reason_name(uint8_t reason) {
    static const char *const names[] = {
#define STALL(NAME, name) #name,
#include "simt/time/stalls.def"
        "issues"};
    return names[reason];
}

/* ---- Kanata ---- */

/* A begin or an end of a stretch. An instruction is a warp's stretches up to the one in which it
 * issues. */
struct mark {
    uint64_t cycle, number; /* of the mark: keeps the order of those of a cycle */
    const struct watched_warp *warp;
    const struct warp_wait *wait;
    uint32_t insn;
    bool begins, is_first, is_last;
};

static int by_cycle(const void *one, const void *other) {
    const struct mark *a = one, *b = other;
    if (a->cycle != b->cycle) return a->cycle < b->cycle ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* All marks of a warp, after n. insns: instructions so far. */
static size_t mark_warp(struct mark *marks, size_t n, const struct watched_warp *warp,
                        uint32_t *insns) {
    uint64_t cycle = warp->born;
    for (uint32_t i = 0; i < warp->n; i++) {
        const struct warp_wait *wait = &warp->waits[i];
        bool first = i == 0 || warp->waits[i - 1].reason == CYCLES_ISSUING;
        bool last = i + 1 == warp->n || wait->reason == CYCLES_ISSUING;
        *insns += first;
        struct mark mark = {cycle, n, warp, wait, *insns - 1, true, first, last};
        marks[n++] = mark;
        cycle += wait->cycles;
        mark = (struct mark){cycle, n, warp, wait, *insns - 1, false, first, last};
        marks[n++] = mark;
    }
    return n;
}

/* Numbers of instructions in the file: they begin and retire in ascending order. */
struct kanata {
    FILE *out;
    const struct recording *recording;
    uint32_t *ids; /* by mark.insn */
    uint32_t begun, retired;
};

/* The left pane has the instruction that the stretches end with, the tooltip its line. */
static void put_label(const struct kanata *k, const struct mark *mark, uint32_t id) {
    const struct ptx_module *module = k->recording->kernel->entry->module;
    const struct warp_wait *wait = mark->wait;
    const char *file;
    int32_t line;
    char text[SEE_PTX_BYTES] = "";
    while (wait->reason != CYCLES_ISSUING && wait + 1 < mark->warp->waits + mark->warp->n) wait++;
    fprintf(k->out, "I\t%u\t%u\t%u\nL\t%u\t0\tblock %u warp %u: ", id, id, mark->warp->slot, id,
            mark->warp->block, mark->warp->warp);
    if (wait->insn) see_ptx(module, wait->insn, text);
    fprintf(k->out, "%s\n", text);
    if (wait->insn && text_source(module, wait->insn, &file, &line))
        fprintf(k->out, "L\t%u\t1\tline %d\n", id, (int)line);
}

static void put_mark(struct kanata *k, const struct mark *mark) {
    if (mark->begins && mark->is_first) put_label(k, mark, k->ids[mark->insn] = k->begun++);
    uint32_t id = k->ids[mark->insn];
    fprintf(k->out, "%c\t%u\t0\t%s\n", mark->begins ? 'S' : 'E', id,
            reason_name(mark->wait->reason));
    if (!mark->begins && mark->is_last) fprintf(k->out, "R\t%u\t%u\t0\n", id, k->retired++);
}

static void put_kanata(FILE *out, const struct recording *r) {
    struct mark *marks = need(calloc(2 * (size_t)r->watch.nwaits + 1, sizeof *marks));
    struct kanata k = {out, r, need(calloc(r->watch.nwaits + 1, sizeof *k.ids)), 0, 0};
    uint32_t insns = 0;
    uint64_t now = 0;
    size_t n = 0;
    for (uint32_t w = 0; w < r->watch.nwarps; w++)
        n = mark_warp(marks, n, &r->watch.warps[w], &insns);
    qsort(marks, n, sizeof *marks, by_cycle);
    fputs("Kanata\t0004\nC=\t0\n", out);
    for (size_t i = 0; i < n; i++) {
        if (marks[i].cycle > now) fprintf(out, "C\t%" PRIu64 "\n", marks[i].cycle - now);
        now = marks[i].cycle;
        put_mark(&k, &marks[i]);
    }
    free(k.ids);
    free(marks);
}

/* ---- Chrome ---- */

/* What viewers call a process: a scheduler, from 1. Its threads are places for warps, from 1.
 * Viewers take 0 for the idle process. */
static int scheduler_of(const struct recording *r, const struct watched_warp *warp) {
    return 1 + (int)warp->slot % r->gpu->schedulers_per_sm;
}

static void put_names(FILE *out, const struct recording *r) {
    uint64_t named = 0; /* slots */
    for (int i = 0; i < r->gpu->schedulers_per_sm; i++)
        fprintf(out,
                "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":"
                "\"scheduler %d\"}}",
                i ? ",\n" : "\n", i + 1, i);
    for (uint32_t w = 0; w < r->watch.nwarps; w++) {
        const struct watched_warp *warp = &r->watch.warps[w];
        if (named >> warp->slot & 1) continue;
        named |= UINT64_C(1) << warp->slot;
        fprintf(out,
                ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"args\":{"
                "\"name\":\"place %u\"}}",
                scheduler_of(r, warp), warp->slot + 1, warp->slot);
    }
}

static void put_stretch(FILE *out, const struct recording *r, const struct watched_warp *warp,
                        const struct warp_wait *wait, uint64_t from) {
    const struct ptx_module *module = r->kernel->entry->module;
    const char *file;
    int32_t line;
    fprintf(out,
            ",\n{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
            ",\"pid\":%d,\"tid\":%u,\"args\":{\"block\":%u,\"warp\":%u",
            reason_name(wait->reason), from, wait->cycles, scheduler_of(r, warp), warp->slot + 1,
            warp->block, warp->warp);
    if (wait->insn && text_source(module, wait->insn, &file, &line))
        fprintf(out, ",\"line\":%d", (int)line);
    if (wait->insn) fputs(",\"ptx\":", out), see_put_ptx(out, module, wait->insn);
    fputs("}}", out);
}

static void put_chrome(FILE *out, const struct recording *r) {
    fputs("{\"otherData\":{\"unit\":\"a cycle, shown as a microsecond\"},\"traceEvents\":[", out);
    put_names(out, r);
    for (uint32_t w = 0; w < r->watch.nwarps; w++) {
        uint64_t from = r->watch.warps[w].born;
        for (uint32_t i = 0; i < r->watch.warps[w].n; from += r->watch.warps[w].waits[i++].cycles)
            put_stretch(out, r, &r->watch.warps[w], &r->watch.warps[w].waits[i], from);
    }
    fputs("\n]}\n", out);
}

bool see_trace(const struct recording *r) {
    static void (*const put[])(FILE *, const struct recording *) = {
        [TRACE_CHROME] = put_chrome, [TRACE_KANATA] = put_kanata, [TRACE_PAGE] = see_time};
    const char *path = r->options.trace;
    struct outfile out;
    bool opened = outfile_open(&out, path);
    if (opened) put[r->options.format](out.file, r);
    bool ok = opened && outfile_commit(&out);
    if (!ok) fail_with("%s: %s", path, strerror(errno));
    return ok;
}
