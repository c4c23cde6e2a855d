/* run/repeat.c: the launches that later ones may repeat, and copies of the memory that they
 * touched. */
#include "repeat.h"

#include "lib/memory.h"
#include "simt/device/current.h"
#include "simt/device/l2.h"
#include "simt/device/touched.h"
#include "simt/machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REPEATS  64                  /* launches that are remembered */
#define COPIED_BYTES ((size_t)512 << 20) /* for all of them together */
#define PIECE_BYTES  ((size_t)64 << 10)
#define LONG_LAUNCH                                                                                \
    (1u << 20)          /* warp instructions of a launch that is followed from its first time on */
#define HELD_MORE   0.1 /* of its pieces: the launch then takes another time */
#define MOST_MISSES 6   /* between two copies, 1, 3, 7 ... 63 launches are left out */

/* Bytes in one allocation that a launch touched. Without padding: pieces are compared as bytes. */
struct piece {
    uint64_t address;
    size_t bytes;
    uint64_t serial; /* of the allocation */
};

struct pieces {
    struct piece *items;
    size_t n, capacity;
};

struct repeat {
    struct launch launch; /* what same_launch() compares */
    int device;
    uint64_t used;         /* when it was looked for last */
    bool near;             /* l2_near of the launch that it was looked for by */
    bool ran;              /* before */
    bool knows;            /* touched is known */
    bool finds;            /* and so is found */
    struct pieces touched; /* by an earlier run */
    struct pieces found;   /* by the run under way */
    char *before;          /* the pieces' bytes, one piece after the other; NULL: no copy */
    char **after;          /* by piece: its bytes after the run; NULL: it did not change */
    uint64_t *seen;        /* by piece: allocation->changed when it was as in before last */
    size_t copied;         /* bytes of before and after */
    uint64_t constants;    /* memory_constants() of the copies */
    double held;           /* of the pieces' beginnings: by the L2 before the run */
    bool complete;         /* counters, timing, before and after are those of one run */
    unsigned misses, left_out;
    struct counters counters;
    struct timing timing;
};

static struct repeat *repeats[MAX_REPEATS];
static size_t copied_bytes;
static uint64_t calls;

/* ---- Which launches ---- */

static bool may_be_skipped(const struct launch *launch) {
    const struct kernel *kernel = launch->kernel;
    bool whole = !launch->sample && !launch->check && !launch->see && launch->count;
    return whole && kernel->repeats && !launch->async && !launch->cooperative && !launch->depth;
}

/* Was it the same launch, as far as the caller says? */
static bool same_launch(const struct repeat *repeat, const struct launch *launch) {
    const struct launch *a = &repeat->launch, *b = launch;
    return a->kernel == b->kernel && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0 &&
           a->occupancy.blocks_per_sm == b->occupancy.blocks_per_sm &&
           a->stack_bytes == b->stack_bytes && a->heap_bytes == b->heap_bytes &&
           repeat->device == device_current() &&
           memcmp(a->params, b->params, b->kernel->entry->param_bytes) == 0;
}

static void drop_copies(struct repeat *repeat) {
    for (size_t i = 0; repeat->after && i < repeat->touched.n; i++) free(repeat->after[i]);
    free(repeat->before);
    free(repeat->after);
    free(repeat->seen);
    repeat->before = NULL;
    repeat->after = NULL;
    repeat->seen = NULL;
    copied_bytes -= repeat->copied;
    repeat->copied = 0;
    repeat->complete = false;
}

static void repeat_forget(struct repeat **place) {
    struct repeat *repeat = *place;
    if (!repeat) return;
    drop_copies(repeat);
    free((void *)(uint64_t)repeat->launch.params);
    free(repeat->touched.items);
    free(repeat->found.items);
    free(repeat);
    *place = NULL;
}

void repeat_forget_all(void) {
    for (size_t i = 0; i < MAX_REPEATS; i++) repeat_forget(&repeats[i]);
}

static struct repeat *repeat_new(const struct launch *launch) {
    struct repeat *repeat = need(calloc(1, sizeof *repeat));
    size_t bytes = launch->kernel->entry->param_bytes;
    void *params = need(malloc(bytes + 1));
    memcpy(params, launch->params, bytes);
    repeat->launch = (struct launch){.kernel = launch->kernel,
                                     .shape = launch->shape,
                                     .params = params,
                                     .occupancy = launch->occupancy,
                                     .stack_bytes = launch->stack_bytes,
                                     .heap_bytes = launch->heap_bytes};
    repeat->device = device_current();
    return repeat;
}

/* The place of the launch; of a new one, the place that was not used for the longest time. */
struct repeat *repeat_open(const struct launch *launch) {
    struct repeat **place = &repeats[0];
    bool known = false;
    if (!may_be_skipped(launch)) return NULL;
    for (size_t i = 0; i < MAX_REPEATS && !known; i++) {
        known = repeats[i] && same_launch(repeats[i], launch);
        bool longer = *place && (!repeats[i] || repeats[i]->used < (*place)->used);
        if (known || longer) place = &repeats[i];
    }
    if (!known) {
        repeat_forget(place);
        *place = repeat_new(launch);
    }
    (*place)->used = ++calls;
    (*place)->near = launch->l2_near;
    return *place;
}

/* ---- What it touched ---- */

static void add_piece(struct pieces *pieces, struct piece piece) {
    if (pieces->n == pieces->capacity) {
        pieces->capacity = pieces->capacity ? 2 * pieces->capacity : 16;
        pieces->items = need(realloc(pieces->items, pieces->capacity * sizeof *pieces->items));
    }
    pieces->items[pieces->n++] = piece;
}

static void take_stretch(const struct allocation *allocation, size_t at, size_t bytes,
                         void *context) {
    struct repeat *repeat = context;
    for (size_t n; bytes; at += n, bytes -= n) {
        n = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
        add_piece(&repeat->found, (struct piece){allocation->address + at, n, allocation->serial});
    }
}

/* Not worth while for a short launch that may be the only one. */
void repeat_take_touched(struct repeat *repeat, const struct counters *counters) {
    bool is_long = counters->inst_executed >= LONG_LAUNCH;
    repeat->finds = repeat->before || (!repeat->knows && (repeat->ran || is_long));
    repeat->found.n = 0;
    if (repeat->finds) memory_touched(take_stretch, repeat);
}

static bool same_pieces(const struct pieces *a, const struct pieces *b) {
    return a->n == b->n && (!a->n || memcmp(a->items, b->items, a->n * sizeof *a->items) == 0);
}

/* The allocation that the piece lies in, if that is still there. */
static struct allocation *allocation_of(const struct piece *piece) {
    struct allocation *allocation = memory_find(piece->address, piece->bytes);
    return allocation && allocation->serial == piece->serial && memory_reached(allocation)
               ? allocation
               : NULL;
}

static char *host_of_piece(const struct piece *piece, const struct allocation *allocation) {
    return (char *)(piece->address + (uint64_t)allocation->delta);
}

/* ---- Before a launch ---- */

/* Are the piece's bytes as they were before the run that was copied? */
static bool is_as_before(struct repeat *repeat, size_t i, const char *before) {
    const struct piece *piece = &repeat->touched.items[i];
    const struct allocation *allocation = allocation_of(piece);
    if (!allocation) return false;
    if (memory_is_followed(allocation) && repeat->seen[i] == allocation->changed) return true;
    if (memcmp(before, host_of_piece(piece, allocation), piece->bytes) != 0) return false;
    repeat->seen[i] = allocation->changed;
    return true;
}

static void store_again(const struct repeat *repeat) {
    const struct piece *pieces = repeat->touched.items;
    for (size_t i = 0; i < repeat->touched.n; i++) {
        if (!repeat->after[i]) continue;
        memcpy(host_of_piece(&pieces[i], allocation_of(&pieces[i])), repeat->after[i],
               pieces[i].bytes);
        memory_changed_at(pieces[i].address);
    }
}

/* Pieces that it left as they were are still as before, though others in the same allocation have
 * changed. */
static void see_again(struct repeat *repeat) {
    for (size_t i = 0; i < repeat->touched.n; i++)
        if (!repeat->after[i]) repeat->seen[i] = allocation_of(&repeat->touched.items[i])->changed;
}

/* What comes later from the L2 counts less. */
static double held_pieces(const struct repeat *repeat) {
    const struct l2 *l2 = l2_current();
    double held = 0;
    for (size_t i = 0; l2 && i < repeat->touched.n; i++) {
        bool copied = false;
        double likely = l2_holds(l2, repeat->touched.items[i].address / SECTOR_BYTES, &copied);
        held += copied ? likely / 4 : repeat->near ? likely : likely / 2;
    }
    return held;
}

bool repeat_serves(struct repeat *repeat, struct counters *counters, struct timing *timing) {
    const char *before = repeat->before;
    if (!repeat->complete || repeat->constants != memory_constants()) return false;
    for (size_t i = 0; i < repeat->touched.n; before += repeat->touched.items[i++].bytes)
        if (!is_as_before(repeat, i, before)) return false;
    if (fabs(held_pieces(repeat) - repeat->held) > HELD_MORE * (double)repeat->touched.n)
        return false;
    for (size_t i = 0; i < repeat->touched.n; i++) {
        const struct piece *piece = &repeat->touched.items[i];
        struct allocation *allocation = allocation_of(piece);
        memory_managed_touched(allocation, piece->address - allocation->address, piece->bytes,
                               repeat->after[i]);
    }
    store_again(repeat);
    see_again(repeat);
    repeat->misses = 0;
    for (size_t i = 0; i < repeat->touched.n; i++)
        l2_touch(repeat->device, repeat->touched.items[i].address, repeat->touched.items[i].bytes);
    *counters = repeat->counters;
    *timing = repeat->timing;
    return true;
}

/* Room for the copies, taken from launches that were not used for longer. */
static bool make_room(const struct repeat *repeat, size_t bytes) {
    while (copied_bytes + bytes > COPIED_BYTES) {
        struct repeat *oldest = NULL;
        for (size_t i = 0; i < MAX_REPEATS; i++)
            if (repeats[i] && repeats[i] != repeat && repeats[i]->copied)
                if (!oldest || repeats[i]->used < oldest->used) oldest = repeats[i];
        if (!oldest) return false;
        drop_copies(oldest);
    }
    return true;
}

static void count_copied(struct repeat *repeat, size_t bytes) {
    repeat->copied += bytes;
    copied_bytes += bytes;
}

/* The copies were of no use: none are made for a while. */
static void miss(struct repeat *repeat) {
    repeat->misses += repeat->misses < MOST_MISSES;
    repeat->left_out = (1u << repeat->misses) - 1;
    drop_copies(repeat);
}

void repeat_begin(struct repeat *repeat) {
    size_t bytes = 0, n = repeat->touched.n;
    if (repeat->complete) miss(repeat);
    if (!repeat->knows || (repeat->left_out && repeat->left_out--)) return;
    for (size_t i = 0; i < n; i++) {
        if (!allocation_of(&repeat->touched.items[i])) return;
        bytes += repeat->touched.items[i].bytes;
    }
    if (!make_room(repeat, bytes)) return;
    repeat->before = malloc(bytes + 1);
    repeat->after = calloc(n + 1, sizeof *repeat->after);
    repeat->seen = calloc(n + 1, sizeof *repeat->seen);
    if (!repeat->before || !repeat->after || !repeat->seen) return drop_copies(repeat);
    count_copied(repeat, bytes);
    char *to = repeat->before;
    for (size_t i = 0; i < n; to += repeat->touched.items[i++].bytes) {
        const struct piece *piece = &repeat->touched.items[i];
        memcpy(to, host_of_piece(piece, allocation_of(piece)), piece->bytes);
    }
    repeat->constants = memory_constants();
    repeat->held = held_pieces(repeat);
}

/* ---- After it ---- */

/* Copies the pieces that it changed. False: there is no room. */
static bool copy_changed(struct repeat *repeat) {
    const char *before = repeat->before;
    for (size_t i = 0; i < repeat->touched.n; before += repeat->touched.items[i++].bytes) {
        const struct piece *piece = &repeat->touched.items[i];
        const struct allocation *allocation = allocation_of(piece);
        const char *now = host_of_piece(piece, allocation);
        repeat->seen[i] = allocation->changed;
        if (memcmp(before, now, piece->bytes) == 0) continue;
        repeat->seen[i] = 0;
        if (!make_room(repeat, piece->bytes)) return false;
        repeat->after[i] = malloc(piece->bytes);
        if (!repeat->after[i]) return false;
        memcpy(repeat->after[i], now, piece->bytes);
        count_copied(repeat, piece->bytes);
    }
    return true;
}

void repeat_end(struct repeat *repeat, const struct counters *counters,
                const struct timing *timing) {
    repeat->ran = true;
    if (!repeat->finds) return;
    if (repeat->before && !same_pieces(&repeat->touched, &repeat->found)) miss(repeat);
    if (repeat->before && !copy_changed(repeat)) drop_copies(repeat);
    struct pieces known = repeat->touched;
    repeat->touched = repeat->found;
    repeat->found = known;
    repeat->knows = true;
    repeat->complete = repeat->before;
    repeat->counters = *counters;
    repeat->timing = *timing;
}

void repeat_drop(struct repeat *repeat) {
    drop_copies(repeat);
    repeat->knows = false;
}
