/*
 * see/trace.c: the warps' cycles as a file for other viewers.
 *
 *   kanata   Konata's text format 0004 (https://github.com/shioyadan/Konata): a line for each begin and end, by cycle
 *   chrome   Chrome's trace event JSON, for chrome://tracing and Perfetto: a cycle is shown as a microsecond
 *   page     as the recording's "times" has it, for the page of another GPU
 */
#include "see.h"

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

/* A begin or an end of a stretch. An instruction is a warp's stretches up to the one in which it issues. */
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

/* All marks of a warp, behind n. insns: instructions so far. */
static size_t mark_warp(struct mark *marks, size_t n, const struct watched_warp *warp, uint32_t *insns) {
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

/* What the left pane shows: the instruction that the stretches end with. */
static void put_label(FILE *out, const struct recording *r, const struct mark *mark) {
    const struct warp_wait *wait = mark->wait;
    while (wait->reason != CYCLES_ISSUING && wait + 1 < mark->warp->waits + mark->warp->n) wait++;
    fprintf(out, "I\t%u\t%u\t%u\nL\t%u\t0\tblock %u warp %u: ", mark->insn, mark->insn, mark->warp->slot, mark->insn,
            mark->warp->block, mark->warp->warp);
    if (wait->insn) see_put_ptx(out, r->kernel->entry->module, wait->insn);
    putc('\n', out);
}

static void put_mark(FILE *out, const struct recording *r, const struct mark *mark) {
    if (mark->begins && mark->is_first) put_label(out, r, mark);
    fprintf(out, "%c\t%u\t0\t%s\n", mark->begins ? 'S' : 'E', mark->insn, reason_name(mark->wait->reason));
    if (!mark->begins && mark->is_last) fprintf(out, "R\t%u\t%u\t0\n", mark->insn, mark->insn);
}

static void put_kanata(FILE *out, const struct recording *r) {
    struct mark *marks = need(calloc(2 * (size_t)r->watch.nwaits + 1, sizeof *marks));
    uint32_t insns = 0;
    uint64_t now = 0;
    size_t n = 0;
    for (uint32_t w = 0; w < r->watch.nwarps; w++) n = mark_warp(marks, n, &r->watch.warps[w], &insns);
    qsort(marks, n, sizeof *marks, by_cycle);
    fputs("Kanata\t0004\nC=\t0\n", out);
    for (size_t i = 0; i < n; i++) {
        if (marks[i].cycle > now) fprintf(out, "C\t%" PRIu64 "\n", marks[i].cycle - now);
        now = marks[i].cycle;
        put_mark(out, r, &marks[i]);
    }
    free(marks);
}

/* ---- Chrome ---- */

static void put_stretch(FILE *out, const struct recording *r, const struct watched_warp *warp,
                        const struct warp_wait *wait, uint64_t from) {
    const struct ptx_module *module = r->kernel->entry->module;
    const char *file;
    int32_t line;
    fprintf(out,
            ",\n{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
            ",\"pid\":%d,\"tid\":%u,\"args\":{\"block\":%u,\"warp\":%u",
            reason_name(wait->reason), from, wait->cycles, (int)warp->slot % r->gpu->schedulers_per_sm, warp->slot,
            warp->block, warp->warp);
    if (wait->insn && text_source(module, wait->insn, &file, &line)) fprintf(out, ",\"line\":%d", (int)line);
    if (wait->insn) fputs(",\"ptx\":", out), see_put_ptx(out, module, wait->insn);
    fputs("}}", out);
}

static void put_chrome(FILE *out, const struct recording *r) {
    fputs("{\"otherData\":{\"unit\":\"a cycle, shown as a microsecond\"},\"traceEvents\":[", out);
    for (int i = 0; i < r->gpu->schedulers_per_sm; i++)
        fprintf(out, "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":\"scheduler %d\"}}",
                i ? ",\n" : "\n", i, i);
    for (uint32_t w = 0; w < r->watch.nwarps; w++) {
        uint64_t from = r->watch.warps[w].born;
        for (uint32_t i = 0; i < r->watch.warps[w].n; from += r->watch.warps[w].waits[i++].cycles)
            put_stretch(out, r, &r->watch.warps[w], &r->watch.warps[w].waits[i], from);
    }
    fputs("\n]}\n", out);
}

bool see_trace(const struct recording *r, char *error, size_t error_size) {
    static void (*const put[])(FILE *, const struct recording *) = {
        [TRACE_CHROME] = put_chrome, [TRACE_KANATA] = put_kanata, [TRACE_PAGE] = see_time};
    const char *path = r->options.trace;
    struct outfile out;
    bool opened = outfile_open(&out, path);
    if (opened) put[r->options.format](out.file, r);
    bool ok = opened && outfile_commit(&out);
    if (!ok) snprintf(error, error_size, "%s: %s", path, strerror(errno));
    return ok;
}
