/*
 * check/report.c: one report per defect, worded as compute-sanitizer words it, with a count.
 *
 * What is found again at the same lines of the same kernel is counted, not told again. Races are
 * one defect where they share a line: a missing barrier in a loop, or in a row of statements, lets
 * many pairs of accesses race. Reports are printed when the launch that brought them to light has
 * ended, in the order in which they were found.
 *
 *   site    an instruction in a kernel, by number      sites[]       the decoder makes them
 *   known   a pair of sites, or one, and its report    all_known[]   finds a defect again, cheaply
 *   report  a defect, its lines, text and count        reports[]     line + line -> one report
 *
 * All of it lives as long as the process. Checked grids run on one host thread, so nothing is
 * locked.
 */
#include "simt/machine/report.h"
#include "check.h"
#include "lib/memory.h"
#include "simt/device/current.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* lines of a program that one race is known by; more pairs open a new report */
#define MAX_LINES 16
#define TEXT_SIZE 2048
#define NO_SITE   UINT32_MAX

enum defect { DEFECT_BOUNDS, DEFECT_RACE, DEFECT_UNINITIALISED, DEFECT_UNSET, DEFECT_SYNC };

/* How far apart the two threads of a race are. */
enum scope { SCOPE_WARP, SCOPE_BLOCK, SCOPE_GRID };

/* A line of the program. */
struct line {
    const char *kernel, *file;
    int32_t line;
};

struct report {
    enum defect defect;
    const char *kind; /* space, or sentence */
    struct line lines[MAX_LINES];
    int nlines;
    char *head, *tail; /* its text before and after the count */
    unsigned long count;
    bool is_printed, is_dropped;
    enum scope scope; /* of the race that the text tells */
};

/* Two sites whose race is known, or one (other: NO_SITE). */
struct known {
    uint32_t site, other;
    const char *kind;
    struct report *report;
};

static struct site *sites;
static uint32_t nsites, site_capacity;
static struct report **reports;
static size_t nreports;
static struct known *all_known;
static size_t nknown, last_known;

/* ---- Sites ---- */

uint32_t site_new(const struct site *site) {
    if (nsites == site_capacity) {
        site_capacity = site_capacity ? 2 * site_capacity : 256;
        sites = need(realloc(sites, site_capacity * sizeof *sites));
    }
    sites[nsites] = *site;
    return nsites++;
}

uint32_t site_variable(uint32_t site, const struct ptx_var **variable) {
    *variable = sites[site].variable;
    return sites[site].variable_at;
}

/* The source line of a site, or the line in the PTX where there is no line information. */
static struct line report_line_of(const struct site *site) {
    struct line line = {.kernel = site->kernel->name};
    text_source(site->function->module, site->insn, &line.file, &line.line);
    return line;
}

static bool same_line(struct line a, struct line b) {
    return a.line == b.line && strcmp(a.kernel, b.kernel) == 0 && strcmp(a.file, b.file) == 0;
}

/* ---- Finding the report of a defect ---- */

/* Is the line one of those that the report covers? */
static bool has_line(const struct report *report, struct line line) {
    for (int i = 0; i < report->nlines; i++)
        if (same_line(report->lines[i], line)) return true;
    return false;
}

/* A report covers MAX_LINES lines; further ones are not added. */
static void report_add_line(struct report *report, struct line line) {
    if (has_line(report, line) || report->nlines == MAX_LINES) return;
    report->lines[report->nlines++] = line;
}

/* The report of this defect at one of the lines; NULL: none. kind is compared by its text. */
static struct report *report_with(enum defect defect, const char *kind, struct line a,
                                  struct line b) {
    for (size_t i = 0; i < nreports; i++) {
        struct report *report = reports[i];
        if (report->defect != defect || strcmp(report->kind, kind) != 0) continue;
        if (has_line(report, a) || has_line(report, b)) return report;
    }
    return NULL;
}

static struct report *report_new(enum defect defect, const char *kind) {
    struct report *report = need(calloc(1, sizeof *report));
    reports = need(realloc(reports, (nreports + 1) * sizeof *reports));
    *report = (struct report){.defect = defect, .kind = kind};
    return reports[nreports++] = report;
}

/* The report of a pair of sites; NULL: a new pair. The search begins at the pair found last: loops
 * repeat it. */
static struct report *find_known(uint32_t site, uint32_t other, const char *kind) {
    for (size_t n = 0; n < nknown; n++) {
        size_t i = (last_known + n) % nknown;
        if (all_known[i].site != site || all_known[i].other != other || all_known[i].kind != kind)
            continue;
        last_known = i;
        return all_known[i].report;
    }
    return NULL;
}

/* Count one occurrence. Returns its report; where *is_new is set, the caller writes its text. kind:
 * a string constant, since find_known() compares pointers. */
static struct report *report_count(enum defect defect, const char *kind, uint32_t site,
                                   uint32_t other, bool *is_new) {
    struct report *report = find_known(site, other, kind);
    *is_new = false;
    if (!report) {
        struct line a = report_line_of(&sites[site]),
                    b = report_line_of(&sites[other == NO_SITE ? site : other]);
        report = report_with(defect, kind, a, b);
        *is_new = !report;
        if (!report) report = report_new(defect, kind);
        report_add_line(report, a);
        report_add_line(report, b);
        all_known = need(realloc(all_known, (nknown + 1) * sizeof *all_known));
        all_known[last_known = nknown++] = (struct known){site, other, kind, report};
    }
    report->count++;
    return report;
}

/* Give the report its text, in place of an earlier one. head goes before the count, tail after
 * it. */
static void report_set_text(struct report *report, const char *head, const char *tail) {
    free(report->head);
    free(report->tail);
    report->head = need(strdup(head));
    report->tail = need(strdup(tail));
}

/* ---- Texts ---- */

/* The line of the program that a site is at. */
static void add_site(struct text *text, const struct site *site) {
    text_place(text, site->kernel, site->function, site->insn);
}

/* Where the compiler inlined the functions of these sites: the lines that call them. */
static void add_callers(struct text *text, const struct site *a, const struct site *b) {
    const char *files[2];
    int32_t lines[2];
    bool first = text_caller(a->function->module, a->insn, &files[0], &lines[0]);
    bool second = text_caller(b->function->module, b->insn, &files[1], &lines[1]);
    if (first) text_add(text, REPORT_MORE "called from %s:%d\n", files[0], lines[0]);
    bool same = first && second && lines[0] == lines[1] && strcmp(files[0], files[1]) == 0;
    if (second && !same) text_add(text, REPORT_MORE "called from %s:%d\n", files[1], lines[1]);
}

/* The thread and the block of an access. */
static void add_who(struct text *text, const struct warp *w, uint32_t thread, uint64_t block) {
    const struct launch_shape *shape = &w->worker->grid->launch->shape;
    text_thread(text, shape, thread);
    text_add(text, " in ");
    text_block(text, shape, block);
}

/* The line about the address: its place in the allocation, or for shared memory the offset. */
static void add_address(struct text *text, uint64_t address, bool is_shared) {
    const struct allocation *in = is_shared ? NULL : memory_find(address, 1);
    text_add(text, REPORT_MORE "Address 0x%llx", (unsigned long long)address);
    if (!in) {
        text_add(text, "\n");
        return;
    }
    text_add(text, ": byte %llu of the allocation at 0x%llx of size %zu bytes",
             (unsigned long long)(address - in->address), (unsigned long long)in->address,
             in->size);
    if (in->name)
        text_add(text, " (variable %s)\n", in->name);
    else
        text_add(text, " (allocation %llu)\n", (unsigned long long)in->serial);
}

static const char *access_title(uint8_t flags) {
    return flags & ACCESS_ATOMIC ? "Atomic" : flags & ACCESS_WRITE ? "Write" : "Read";
}

/* How far apart the lane of r is from the thread of the earlier access. */
static enum scope scope_of(const struct check_request *r, const struct access *earlier) {
    if (!r->is_shared && earlier->block != (uint32_t)r->w->block->index) return SCOPE_GRID;
    return earlier->thread / WARP_SIZE == r->w->index ? SCOPE_WARP : SCOPE_BLOCK;
}

/* What would remove the race. */
static const char *hint(const struct check_request *r, const struct access *earlier) {
    enum scope scope = scope_of(r, earlier);
    if (earlier->when == NOT_YET)
        return "cp.async has not been waited for: put cp.async.wait_group or "
               "__pipeline_wait_prior() between the two";
    if (r->flags & earlier->flags & ACCESS_WRITE && earlier->site == r->site &&
        !(r->flags & ACCESS_ATOMIC))
        return "threads store different values to one place, and any of them may be the one that "
               "stays";
    if (check_lacks_fence(r->w, earlier))
        return "a flag was read by a relaxed load, which orders nothing: read it with "
               "memory_order_acquire";
    if (scope == SCOPE_GRID)
        return "blocks run in any order: use atomics, or let another launch do the second part";
    if (scope == SCOPE_BLOCK)
        return "threads of a block run in any order: put __syncthreads() between the two accesses";
    return r->flags & earlier->flags & ACCESS_VOLATILE
               ? "lanes of a warp need not run in step, and volatile does not change that: put "
                 "__syncwarp() between "
                 "the two accesses"
               : "lanes of a warp need not run in step: put __syncwarp() between the two accesses";
}

/* Is the race between the lines that the report's text names? These are its first lines:
 * write_race() came right after they were added. */
static bool tells_lines(const struct report *report, const struct check_request *r,
                        const struct access *earlier) {
    struct line first = report->lines[0], second = report->lines[report->nlines > 1];
    struct line a = report_line_of(&sites[r->site]), b = report_line_of(&sites[earlier->site]);
    return (same_line(a, first) && same_line(b, second)) ||
           (same_line(a, second) && same_line(b, first));
}

/* The write comes first, as in racecheck's reports. The later access is the lane's. */
static void write_race(struct report *report, const struct check_request *r, uint32_t lane,
                       const struct access *earlier) {
    char head[TEXT_SIZE], tail[TEXT_SIZE];
    struct text text = {head, sizeof head}, more = {tail, sizeof tail};
    uint64_t block = r->w->block->index;
    bool write_first = earlier->flags & ACCESS_WRITE;
    struct access later = {.site = r->site, .flags = r->flags};
    const struct access *first = write_first ? earlier : &later,
                        *second = write_first ? &later : earlier;
    text_add(&text, REPORT_HEAD "Error: Race reported between %s access at ",
             access_title(first->flags));
    add_site(&text, &sites[first->site]);
    text_add(&text, "\n" REPORT_MORE "and %s access at ", access_title(second->flags));
    add_site(&text, &sites[second->site]);
    text_add(&more, REPORT_MORE "by ");
    add_who(&more, r->w, earlier->thread, r->is_shared ? block : earlier->block);
    text_add(&more, " and then ");
    add_who(&more, r->w, r->w->index * WARP_SIZE + lane, block);
    text_add(&more, ", in %s memory\n", r->is_shared ? "__shared__" : "__global__");
    add_address(&more, r->address[lane], r->is_shared);
    add_callers(&more, &sites[first->site], &sites[second->site]);
    text_add(&more, REPORT_MORE "Hint: %s\n", hint(r, earlier));
    report_set_text(report, head, tail);
    report->scope = scope_of(r, earlier);
}

/* Of a race between two lines the report tells the hazard of the widest scope: its remedy serves
 * the others too, while
 * __syncwarp() would not help where a __syncthreads() is missing. */
void report_race(const struct check_request *r, uint32_t lane, const struct access *earlier) {
    bool is_new;
    struct report *report = report_count(DEFECT_RACE, r->is_shared ? "__shared__" : "__global__",
                                         r->site, earlier->site, &is_new);
    bool is_wider = !is_new && !report->is_printed && scope_of(r, earlier) > report->scope;
    if (is_new || (is_wider && tells_lines(report, r, earlier)))
        write_race(report, r, lane, earlier);
}

/* The text about a read of bytes that nobody wrote. */
static void write_uninitialised(struct report *report, struct warp *w, uint32_t site, uint32_t lane,
                                uint64_t address, uint32_t bytes) {
    char head[TEXT_SIZE], tail[TEXT_SIZE];
    struct text text = {head, sizeof head}, more = {tail, sizeof tail};
    text_add(&text,
             REPORT_HEAD "Uninitialized %s memory read of size %u byte%s\n" REPORT_MORE "at ",
             report->kind, bytes, bytes == 1 ? "" : "s");
    add_site(&text, &sites[site]);
    text_add(&more, REPORT_MORE "by ");
    add_who(&more, w, w->index * WARP_SIZE + lane, w->block->index);
    text_add(&more, "\n");
    add_address(&more, address, strcmp(report->kind, "__global__") != 0);
    report_set_text(report, head, tail);
}

void report_uninitialised(struct warp *w, uint32_t site, uint32_t lane, const char *space,
                          uint64_t address, uint32_t bytes) {
    bool is_new;
    struct report *report = report_count(DEFECT_UNINITIALISED, space, site, NO_SITE, &is_new);
    if (is_new) write_uninitialised(report, w, site, lane, address, bytes);
}

/* A report of a site alone: sentence, place, thread, and a line of detail or NULL. */
static void report_at(struct warp *w, enum defect defect, uint32_t site, uint32_t lane,
                      const char *what, const char *detail) {
    char head[TEXT_SIZE], tail[TEXT_SIZE];
    struct text text = {head, sizeof head}, more = {tail, sizeof tail};
    bool is_new;
    struct report *report = report_count(defect, what, site, NO_SITE, &is_new);
    if (!is_new) return;
    text_add(&text, REPORT_HEAD "%s\n" REPORT_MORE "at ", what);
    add_site(&text, &sites[site]);
    text_add(&more, REPORT_MORE "by ");
    add_who(&more, w, w->index * WARP_SIZE + lane, w->block->index);
    text_add(&more, "\n");
    if (detail) text_add(&more, REPORT_MORE "%s\n", detail);
    report_set_text(report, head, tail);
}

void report_unset(struct warp *w, uint32_t site, uint32_t lane) {
    report_at(w, DEFECT_UNSET, site, lane,
              "Uninitialized variable: its value is used, and was never set", NULL);
}

void report_shuffle(struct warp *w, uint32_t site, uint32_t lane, uint32_t source,
                    const char *why) {
    char detail[128];
    snprintf(detail, sizeof detail, "lane %u %s; the value that it would give is used", source,
             why);
    report_at(w, DEFECT_SYNC, site, lane,
              "Barrier error detected. Shuffle from a lane that does not take part.", detail);
}

static void write_bounds(struct report *report, const struct check_request *r, uint32_t lane) {
    char head[TEXT_SIZE], tail[TEXT_SIZE];
    struct text text = {head, sizeof head}, more = {tail, sizeof tail};
    const struct site *site = &sites[r->site];
    bool is_local = site->variable->space == PTX_LOCAL;
    text_add(&text, REPORT_HEAD "Invalid %s %s of size %u byte%s\n" REPORT_MORE "at ",
             is_local ? "__local__" : "__shared__", report->kind, r->bytes,
             r->bytes == 1 ? "" : "s");
    add_site(&text, site);
    text_add(&more, REPORT_MORE "by ");
    add_who(&more, r->w, r->w->index * WARP_SIZE + lane, r->w->block->index);
    text_add(&more, "\n" REPORT_MORE "Access to 0x%llx is out of bounds of ",
             (unsigned long long)r->address[lane]);
    if (is_local)
        text_add(&more, "the function's local variables, which have %llu bytes\n",
                 (unsigned long long)site->variable->size);
    else
        text_name(&more, site->variable->name),
            text_add(&more, ", which has %llu bytes from 0x%x on; other shared memory lies there\n",
                     (unsigned long long)site->variable->size, site->variable_at);
    report_set_text(report, head, tail);
}

void report_bounds(const struct check_request *r, uint32_t lane) {
    bool is_new;
    const char *kind = r->flags & ACCESS_ATOMIC  ? "atomic"
                       : r->flags & ACCESS_WRITE ? "write"
                                                 : "read";
    struct report *report = report_count(DEFECT_BOUNDS, kind, r->site, NO_SITE, &is_new);
    if (is_new) write_bounds(report, r, lane);
}

/* The site of a misused barrier or warp-wide operation, made at its first misuse. */
static uint32_t site_of(const struct ptx_function *kernel, const struct ptx_function *function,
                        const struct ptx_insn *insn) {
    for (size_t i = 0; i < nknown; i++)
        if (sites[all_known[i].site].insn == insn && sites[all_known[i].site].kernel == kernel)
            return all_known[i].site;
    return site_new(&(struct site){.insn = insn, .function = function, .kernel = kernel});
}

void report_sync(struct warp *w, const struct ptx_function *function, const struct ptx_insn *insn,
                 int lane, const char *what, const char *detail) {
    uint32_t site = site_of(w->worker->kernel->entry, function, insn);
    report_at(w, DEFECT_SYNC, site, (uint32_t)lane, what, detail);
}

/* ---- Telling ---- */

static const char *unit(const struct report *report) {
    bool one = report->count == 1;
    if (report->defect == DEFECT_RACE) return one ? "hazard" : "hazards";
    return one ? "occurrence" : "occurrences";
}

/* Is there a race at the same line in the same space? Then the read found nothing written because
 * it came too early, and the race tells that. */
static bool is_explained(const struct report *report) {
    if (report->defect != DEFECT_UNINITIALISED) return false;
    const struct report *race =
        report_with(DEFECT_RACE, report->kind, report->lines[0], report->lines[0]);
    return race != NULL;
}

/* Reports that a race explains are neither printed nor counted as defects. */
void report_launch(void (*flush)(int device)) {
    bool any = false;
    for (size_t i = 0; i < nreports; i++)
        if (!reports[i]->is_printed && is_explained(reports[i]))
            reports[i]->is_printed = reports[i]->is_dropped = true;
    for (size_t i = 0; i < nreports; i++) {
        struct report *report = reports[i];
        if (report->is_printed) continue;
        if (!any) flush(device_current());
        any = report->is_printed = true;
        report_print("%s [%lu %s]\n%s", report->head, report->count, unit(report), report->tail);
    }
}

unsigned long check_defects(void) {
    unsigned long n = order_defects();
    for (size_t i = 0; i < nreports; i++) n += !reports[i]->is_dropped;
    return n;
}
