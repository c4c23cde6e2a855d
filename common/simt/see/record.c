/*
 * see/record.c: write down what the warps of the chosen block do.
 *
 * A step runs before its instruction, so what the instruction writes and counts is not known
 * yet. It is taken up later: values when a lane of the same warp comes to its next step, counters
 * when any step of the same host thread runs, or when the block ends.
 *
 *      step of A          A           step of B          B
 *      event of A                     values, counters
 *                                     of A; event of B
 */
#include "see.h"
#include "source.h"

#include "lib/die.h"
#include "lib/memory.h"
#include "simt/decode/decode.h"
#include "simt/machine/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* of a page's events and rows. Fewer warps are recorded where they would be more */
#define MAX_BYTES   4000000
#define EVENT_BYTES 20 /* of an event in the page, on average, without its rows' numbers */
#define ROW_BYTES   6  /* of such a number */
#define MAX_NAME    512
#define MAX_STACK   8 /* calls in calls that are shown */

/* An event whose results are not known yet. A warp has one for each of its paths at most. */
struct see_pending {
    uint32_t event;
    char *regs; /* the frame */
};

static struct see_options options;
static bool is_open;
static unsigned long launches[SEE_KERNELS]; /* of each chosen kernel so far */
static struct recording *recorded[SEE_KERNELS];
static struct recording *parent; /* the recorded launch that is not over yet, its children in it */

/* ---- Growing ---- */

static void *more(void *items, uint32_t n, uint32_t *space, size_t size) {
    if (n < *space) return items;
    *space = *space ? 2 * *space : 1024;
    return need(realloc(items, *space * size));
}

/* ---- Counters ---- */

/* Give the last event what the worker has counted since. */
static void record_take_counts(struct recording *r) {
    if (!r->counting) return;
    const uint64_t *now = (const uint64_t *)&r->worker->counters,
                   *before = (const uint64_t *)&r->before;
    struct see_event *event = &r->events[r->nevents - 1];
    event->counts = r->ncounts;
    for (uint32_t i = 0; i < COUNTER_COUNT; i++) {
        if (now[i] == before[i] || !see_is_of_instructions(i)) continue;
        r->counts = more(r->counts, r->ncounts, &r->count_capacity, sizeof *r->counts);
        r->counts[r->ncounts++] = (struct see_count){i, (uint32_t)(now[i] - before[i])};
        event->ncounts++;
    }
    r->counting = false;
}

/* ---- Values ---- */

static const struct ptx_reg *record_register_of(const struct see_step *step,
                                                const struct see_value *value) {
    return &step->function->regs[value->reg];
}

/* Bytes of a row's element; 0: a predicate; 16 is shown as its lower half. */
static unsigned width_of(const struct ptx_reg *reg) {
    unsigned size = ptx_type_size((enum ptx_type)reg->type);
    return reg->type == PTX_PRED ? 0 : size > 4 ? 8 : 4;
}

/* The row of a 128-bit register is as far apart as two 64-bit ones: only its width of 64 is
 * shown. */
static uint32_t take_row(char *const rows[ROWS_COUNT], const struct see_step *step,
                         const struct see_value *value, uint32_t mask) {
    return see_row(rows[REF_KIND(value->ref)] + value->ref,
                   width_of(record_register_of(step, value)), mask);
}

/* Write down what the event's instruction has written. */
static void take_results(struct recording *r, const struct see_pending *pending,
                         const struct warp *w) {
    struct see_event *event = &r->events[pending->event];
    char *rows[ROWS_COUNT];
    memcpy(rows, w->rows, sizeof rows);
    rows[ROWS_REGS] = pending->regs;
    for (uint32_t i = 0; i < event->step->nwrites; i++)
        event->values[event->step->nreads + i] =
            take_row(rows, event->step, &event->step->writes[i], event->guard);
}

/* Take up what lanes of the warp have left open. They are after the instruction now. */
static void record_settle(struct recording *r, const struct warp *w, uint32_t lanes) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->npending; i++) {
        const struct see_event *event = &r->events[r->pending[i].event];
        if (event->warp == w->index && event->active & lanes)
            take_results(r, &r->pending[i], w);
        else
            r->pending[kept++] = r->pending[i];
    }
    r->npending = kept;
}

/* ---- Events ---- */

static bool is_chosen(const struct recording *r, const struct warp *w) {
    return w->block->index == r->block && w->index >= r->options.from && w->index <= r->options.to;
}

/* The lanes' addresses. Those of shared memory are offsets in the block's. */
static uint32_t take_addresses(const struct warp *w, const struct see_access *access,
                               uint32_t mask) {
    uint64_t addresses[WARP_SIZE];
    uint64_t base = (uint64_t)access->offset + (access->in_frame ? w->frame->local_base : 0);
    const char *at = row(w, access->ref);
    for (int l = 0; l < WARP_SIZE; l++)
        addresses[l] =
            base + (access->is_short ? ((const uint32_t *)at)[l] : ((const uint64_t *)at)[l]);
    return see_row(addresses, 8, mask);
}

/* The calls that the warp is in, the innermost first: "84 through", a line and what it calls, with
 * a tab between them. */
static uint32_t take_stack(const struct warp *w) {
    char text[MAX_STACK * (MAX_NAME + 12)], *end = text;
    const struct frame *frame = w->frame;
    for (int i = 0; i < MAX_STACK && frame->call; i++, frame = frame->caller) {
        const char *file;
        char name[MAX_NAME];
        int32_t line;
        bool known = text_source(frame->call->caller->module, frame->call->insn, &file, &line);
        text_name(&(struct text){name, sizeof name}, frame->code->function->name);
        name[strcspn(name, "(")] = '\0';
        end += sprintf(end, "%s%d %s", i ? "\t" : "", known ? (int)line : 0, name);
    }
    return end > text ? see_text(text) + 1 : 0;
}

static void record_note(struct recording *r, struct warp *w, const struct op *op) {
    const struct see_step *step = op->step;
    r->events = more(r->events, r->nevents, &r->event_capacity, sizeof *r->events);
    struct see_event *event = &r->events[r->nevents];
    *event =
        (struct see_event){.step = step, .warp = w->index, .active = w->active, .live = w->live};
    event->guard = guard(w, op);
    event->stack = take_stack(w);
    for (uint32_t i = 0; i < step->nreads; i++)
        event->values[i] = take_row(w->rows, step, &step->reads[i], event->active);
    for (uint32_t i = 0; i < step->nwrites; i++)
        event->values[step->nreads + i] = see_row("\0\0\0", 0, 0);
    for (uint32_t i = 0; i < step->naccesses; i++)
        event->addresses[i] = take_addresses(w, &step->accesses[i], event->guard & step->lanes);
    if (step->nwrites)
        r->pending[r->npending++] = (struct see_pending){r->nevents, w->rows[ROWS_REGS]};
    r->nevents++;
    r->bytes += EVENT_BYTES + (size_t)(step->nreads + step->nwrites) * ROW_BYTES;
    r->worker = w->worker;
    r->before = w->worker->counters;
    r->counting = true;
}

/* Bytes of all recordings so far are as many as they may be: their part of a page. */
static bool is_too_long(void) {
    size_t bytes = see_rows_bytes();
    uint32_t n = 0;
    for (uint32_t i = 0; i < options.nkernels; i++)
        if (recorded[i]) bytes += recorded[i]->bytes, n++;
    return bytes > (size_t)MAX_BYTES * n / options.nkernels;
}

/* Count the recording's bytes, and mark the rows that it uses. */
static void take_bytes(struct recording *r, bool *used) {
    r->bytes = 0;
    for (uint32_t i = 0; i < r->nevents; i++) {
        const struct see_event *event = &r->events[i];
        uint32_t nvalues = event->step->nreads + event->step->nwrites;
        for (uint32_t v = 0; v < nvalues; v++) used[event->values[v]] = true;
        for (uint32_t a = 0; a < event->step->naccesses; a++) used[event->addresses[a]] = true;
        if (event->stack) used[event->stack - 1] = true;
        r->bytes += EVENT_BYTES + (size_t)nvalues * ROW_BYTES;
    }
}

/* Forget the rows that no event names any more. */
static void drop_rows(void) {
    uint32_t n;
    see_rows(&n);
    bool *used = need(calloc(n + 1, sizeof *used));
    for (uint32_t i = 0; i < options.nkernels; i++)
        if (recorded[i]) take_bytes(recorded[i], used);
    see_rows_keep(used);
    free(used);
}

/* Too much for a page: go on with the first half of the warps. False: there is one warp alone. */
static bool take_fewer_warps(struct recording *r) {
    uint32_t last = r->options.to < r->nwarps ? r->options.to : r->nwarps - 1, kept = 0, open = 0;
    if (r->options.from >= last) return false;
    r->options.to = (r->options.from + last) / 2;
    for (uint32_t i = 0, p = 0; i < r->nevents; i++) {
        bool pending = p < r->npending && r->pending[p].event == i,
             keep = r->events[i].warp <= r->options.to;
        if (pending && keep) r->pending[open++] = (struct see_pending){kept, r->pending[p].regs};
        if (keep) r->events[kept++] = r->events[i];
        p += pending;
    }
    r->nevents = kept;
    r->npending = open;
    drop_rows();
    return true;
}

const struct op *see_step(struct warp *w, const struct op *op) {
    struct recording *r = w->worker->grid->launch->see;
    if (w->worker->source) source_step(w->worker, op->step);
    if (!r) return op + 1;
    if (__atomic_load_n(&r->worker, __ATOMIC_RELAXED) == w->worker) record_take_counts(r);
    if (!is_chosen(r, w) || r->full) return op + 1;
    record_settle(r, w, w->active);
    while (is_too_long() && !r->full) r->full = !take_fewer_warps(r);
    if (!r->full && is_chosen(r, w)) record_note(r, w, op);
    return op + 1;
}

void see_block_end(struct recording *r, const struct block *block) {
    if (r->worker == block->worker) record_take_counts(r);
    if (block->index != r->block) return;
    for (uint32_t i = 0; i < block->nwarps; i++) record_settle(r, &block->warps[i], FULL_MASK);
    r->worker = NULL;
}

/* ---- Which launch ---- */

bool see_open(void) {
    if (!see_read_options(&options)) return false;
    is_open = options.path || options.trace;
    if (is_open) decode_watch = see_decode;
    return true;
}

bool see_is_open(void) {
    return is_open;
}

static char *cpp_name(const char *mangled) {
    char name[MAX_NAME];
    struct text text = {name, sizeof name};
    text_name(&text, mangled);
    return need(strdup(name));
}

static uint64_t block_index(const uint32_t block[3], const uint32_t grid[3]) {
    return block[0] + (uint64_t)grid[0] * (block[1] + (uint64_t)grid[1] * block[2]);
}

static struct recording *recording_new(const struct launch *launch, char *name) {
    struct recording *r = need(calloc(1, sizeof *r));
    uint32_t threads = launch->shape.block[0] * launch->shape.block[1] * launch->shape.block[2];
    r->options = options;
    r->kernel = launch->kernel;
    r->name = name;
    r->shape = launch->shape;
    r->depth = launch->depth;
    r->gpu = launch->gpu;
    r->block = block_index(options.block, launch->shape.grid);
    r->nwarps = (threads + WARP_SIZE - 1) / WARP_SIZE;
    r->pending = need(calloc((size_t)MAX_BLOCK_WARPS * WARP_SIZE, sizeof *r->pending));
    r->params = need(calloc(1, launch->kernel->entry->param_bytes + 1));
    r->allocations = see_allocations();
    memcpy(r->params, launch->params, launch->kernel->entry->param_bytes);
    return r;
}

/* Is that the kernel's name, without its types and arguments? */
static bool is_named(const char *cpp_name, const char *wanted) {
    size_t end = strcspn(cpp_name, "<("), length = strlen(wanted);
    if (!length) return true;
    if (end < length || memcmp(cpp_name + end - length, wanted, length) != 0) return false;
    return end == length || strchr(" :", cpp_name[end - length - 1]);
}

/* Counts a launch of chosen kernel number i: is it the one to record? Of the last, each is until
 * another comes. */
static bool is_wanted(uint32_t i, const struct launch *launch) {
    if (options.nth == SEE_LAST) return launch->depth == 0;
    return ++launches[i] == options.nth;
}

static void recording_free(struct recording *r) {
    if (!r) return;
    if (r == parent) parent = NULL;
    for (uint32_t i = 0; i < r->nchildren; i++) free(r->children[i].name);
    free(r->children);
    free(r->name);
    free(r->params);
    free(r->allocations);
    free(r->failure);
    free(r->events);
    free(r->counts);
    free(r->pending);
    watch_clear(&r->watch);
    free(r);
}

/* Launches come one by one, a launch's children before the next one. */
static void note_child(const struct launch *launch, const char *name) {
    if (!parent || launch->depth <= parent->depth) {
        parent = NULL;
        return;
    }
    if (launch->depth > parent->depth + 1) return;
    for (uint32_t i = 0; i < parent->nchildren; i++) {
        struct see_child *child = &parent->children[i];
        bool is_same = memcmp(&child->shape, &launch->shape, sizeof launch->shape) == 0 &&
                       strcmp(child->name, name) == 0;
        if (is_same) child->count++;
        if (is_same) return;
    }
    parent->children = more(parent->children, parent->nchildren, &parent->child_capacity,
                            sizeof *parent->children);
    parent->children[parent->nchildren++] =
        (struct see_child){need(strdup(name)), launch->shape, 1};
}

struct recording *see_launch(const struct launch *launch) {
    if (!is_open) return NULL;
    char *name = cpp_name(launch->kernel->entry->name);
    note_child(launch, name);
    for (uint32_t i = 0; i < options.nkernels; i++) {
        if (!is_named(name, options.kernels[i]) || !is_wanted(i, launch)) continue;
        recording_free(recorded[i]);
        return parent = recorded[i] = recording_new(launch, name);
    }
    free(name);
    return NULL;
}

void see_launched(struct recording *r, const char *failure) {
    r->failure = failure ? need(strdup(failure)) : NULL;
}

/* ---- The end ---- */

static bool is_inside(const struct recording *r) {
    for (int i = 0; i < 3; i++)
        if (r->options.block[i] >= r->shape.grid[i]) return false;
    return r->options.from < r->nwarps;
}

/* Why there is no page of kernel number i. */
static bool is_recorded(uint32_t i) {
    const struct recording *r = recorded[i];
    const char *path = options.path ? options.path : options.trace, *name = options.kernels[i];
    if (!r && launches[i])
        fail_with("%s: not written: a kernel named '%s' was launched %lu times", path, name,
                  launches[i]);
    else if (!r)
        fail_with("%s: not written: no kernel%s%s%s was launched", path, *name ? " named '" : "",
                  name, *name ? "'" : "");
    else if (!is_inside(r))
        fail_with("%s: not written: the grid of %s is (%u %u %u), of %u warps a block: there is no "
                  "block %u,%u,%u with "
                  "a warp %u",
                  path, r->name, r->shape.grid[0], r->shape.grid[1], r->shape.grid[2], r->nwarps,
                  options.block[0], options.block[1], options.block[2], options.from);
    else if (r->full)
        fail_with(
            "%s: not written: what one warp does is too long for a page: take a smaller problem",
            path);
    else
        return true;
    return false;
}

bool see_close(void) {
    if (!is_open) return true;
    for (uint32_t i = 0; i < options.nkernels; i++)
        if (!is_recorded(i)) return false;
    if (options.trace && !see_trace(recorded[0])) return false;
    return !options.path || see_page(recorded, options.nkernels);
}
