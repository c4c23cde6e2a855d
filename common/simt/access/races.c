/* access/races.c: see machine/races.h. */
#include "request.h"

#include "lib/memory.h"
#include "simt/machine/races.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARERS                                                                               \
    (1u << 20) /* of a worker; kernels that share so much are not followed further */
#define FIRST_SLOTS 1024
#define SAVES       256

/* ---- While the grid runs ---- */

/* What a block accessed in a line that another one owns. */
struct race_sharer {
    struct race_line *line; /* NULL: an empty slot */
    uint32_t block;         /* its index plus 1 */
    uint32_t loaded, stored;
    uint32_t changed; /* words whose values its stores changed after the line was shared: the
                        owner's, too */
};

/* Bytes of lines before they were written, as long as the lines find room. */
struct race_saves {
    struct race_saves *next;
    uint32_t n;
    struct {
        char *at;
        size_t size;
        char bytes[1 << RACE_LINE_SHIFT];
    } lines[SAVES];
};

static size_t sharer_slot(const struct race_sharers *table, const struct race_line *line,
                          uint32_t block) {
    uint64_t hash = ((uint64_t)line ^ (uint64_t)block << 32) * 0x9E3779B97F4A7C15ull;
    size_t slot = (size_t)(hash >> 32) & (table->capacity - 1);
    while (table->slots[slot].line &&
           (table->slots[slot].line != line || table->slots[slot].block != block))
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static void races_grow(struct race_sharers *table) {
    struct race_sharers old = *table;
    table->capacity = old.capacity ? 2 * old.capacity : FIRST_SLOTS;
    table->slots = need(calloc(table->capacity, sizeof *table->slots));
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].line)
            table->slots[sharer_slot(table, old.slots[i].line, old.slots[i].block)] = old.slots[i];
    free(old.slots);
}

/* The block's entry for a line that it does not own. NULL: there are too many. */
static struct race_sharer *sharer_of(struct race_sharers *table, struct race_line *line,
                                     uint32_t block) {
    if (table->n == MOST_SHARERS) return NULL;
    if (2 * table->n >= table->capacity) races_grow(table);
    struct race_sharer *sharer = &table->slots[sharer_slot(table, line, block)];
    if (sharer->line) return sharer;
    table->n++;
    sharer->line = line;
    sharer->block = block;
    return sharer;
}

/* Memory for saves of launches to come, so that the system need not clear it each time. */
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static struct race_saves *spare;

static struct race_saves *take_saves(void) {
    pthread_mutex_lock(&spare_lock);
    struct race_saves *saves = spare;
    if (saves) spare = saves->next;
    pthread_mutex_unlock(&spare_lock);
    return saves ? saves : need(malloc(sizeof *saves));
}

/* Set bits of a line's state. Returns it as it was. A worker that runs the blocks alone needs no
 * host atomic, which would take most of the time. */
static uint8_t set_state(const struct worker *worker, struct race_line *line, uint8_t bits) {
    if (worker->atomic) return __atomic_fetch_or(&line->state, bits, __ATOMIC_ACQ_REL);
    uint8_t before = line->state;
    line->state = before | bits;
    return before;
}

/* One worker saves the line, the others wait for it: none may write before. */
static void save(struct worker *worker, struct race_line *line, const char *low, const char *high) {
    if (worker->atomic && (set_state(worker, line, RACE_SAVING) & RACE_SAVING)) {
        while (!(__atomic_load_n(&line->state, __ATOMIC_ACQUIRE) & RACE_SAVED))
            ;
        return;
    }
    struct race_saves *saves = worker->race_saves;
    if (!saves || saves->n == SAVES) {
        saves = take_saves();
        saves->next = worker->race_saves;
        saves->n = 0;
        worker->race_saves = saves;
    }
    saves->lines[saves->n].at = (char *)low;
    saves->lines[saves->n].size = (size_t)(high - low);
    if (high - low ==
        sizeof saves->lines[0].bytes) /* most are whole; a length that is known needs no call */
        memcpy(saves->lines[saves->n++].bytes, low, sizeof saves->lines[0].bytes);
    else
        memcpy(saves->lines[saves->n++].bytes, low, (size_t)(high - low));
    set_state(worker, line, RACE_SAVING | RACE_SAVED);
}

/* The words of the line at host address `at` whose values the lanes' store will change. */
static uint32_t changed_words(struct warp *w, const struct op *op, const struct request *r,
                              uint64_t at) {
    const struct races *races = w->worker->grid->races;
    uint32_t word = (1u << (op->size >> races->word_shift)) - 1, changed = 0;
    EACH_ACTIVE(r->mask) {
        uint64_t offset = (uint64_t)host_of(r, l) - at;
        if (offset >> races->shift) continue;
        for (uint32_t e = 0; e < op->vector; e++, offset += op->size) {
            const char *value = row(w, op->vector > 1 ? op->refs[e] : op->b);
            value += l * (op->flags & OP_WIDE ? sizeof(uint64_t) : sizeof(uint32_t));
            bool differs = memcmp((const char *)(at + offset), value, op->size) != 0;
            changed |= differs ? word << (offset >> races->word_shift) : 0;
        }
    }
    return changed;
}

/* Note the words. at: the line's host address. */
static void note_words(struct warp *w, const struct op *op, const struct request *r, bool writes,
                       struct race_line *line, uint64_t at, uint32_t words) {
    uint32_t me = (uint32_t)w->block->index + 1;
    uint32_t *loaded = line->loaded, *stored = line->stored,
             before = line->stored[RACE_OWNER] | line->stored[RACE_OTHERS];
    uint32_t known = 0; /* to be changed */
    if (line->owner != me) {
        struct race_sharer *sharer = sharer_of(&w->worker->race_sharers, line, me);
        if (!sharer) {
            __atomic_store_n(&w->worker->grid->races->incomplete, true, __ATOMIC_RELAXED);
            return;
        }
        if (writes) __atomic_fetch_or(&line->stored[RACE_OTHERS], words, __ATOMIC_RELAXED);
        loaded = &sharer->loaded, stored = &sharer->stored, known = sharer->changed;
    }
    *(writes ? stored : loaded) |= words;
    if (!writes || !(before & words & ~known)) return;
    uint32_t changed = changed_words(w, op, r, at);
    struct race_sharer *changer = changed ? sharer_of(&w->worker->race_sharers, line, me) : NULL;
    if (changer) changer->changed |= changed;
}

/* A line's bytes, of which those of the allocation count. */
static void save_line(struct warp *w, const struct alloc_cache *alloc_cache, struct race_line *line,
                      uint64_t first) {
    const struct races *races = w->worker->grid->races;
    uint64_t end = first + ((uint64_t)1 << races->shift), delta = (uint64_t)alloc_cache->delta;
    uint64_t low = first > alloc_cache->start ? first : alloc_cache->start;
    uint64_t high = end < alloc_cache->end ? end : alloc_cache->end;
    save(w->worker, line, (const char *)(low + delta), (const char *)(high + delta));
}

/* Note the words of a line, at first. True: a block stored words that another one accessed. Each of
 * two threads notes its own before it looks at the other's, so one of them sees both. */
static bool words_clash(const struct worker *worker, struct race_line *line, enum race_who who,
                        bool writes, uint32_t words) {
    uint32_t *mine = &(writes ? line->stored : line->loaded)[who], clash = 0;
    if (words & ~*mine) {
        if (worker->atomic)
            __atomic_fetch_or(mine, words, __ATOMIC_SEQ_CST);
        else
            *mine |= words;
    }
    for (int i = 0; i <= RACE_OTHERS; i++)
        if (i != (int)who || who == RACE_OTHERS)
            clash |= __atomic_load_n(&line->stored[i], __ATOMIC_SEQ_CST) |
                     (writes ? __atomic_load_n(&line->loaded[i], __ATOMIC_SEQ_CST) : 0);
    return clash & words;
}

/* The first byte of a line, as the device sees it. */
static uint64_t line_address(const struct races *races, const struct alloc_cache *alloc_cache,
                             const struct race_line *line) {
    return ((alloc_cache->start >> races->shift) + (uint64_t)(line - alloc_cache->races))
           << races->shift;
}

void races_note(struct warp *w, int kind, const struct alloc_cache *alloc_cache,
                struct race_line *line, uint32_t words) {
    struct races *races = w->worker->grid->races;
    bool writes = kind != REQUEST_LOAD;
    uint32_t me = (uint32_t)w->block->index + 1;
    if (writes && races->saves && !(__atomic_load_n(&line->state, __ATOMIC_ACQUIRE) & RACE_SAVED))
        save_line(w, alloc_cache, line, line_address(races, alloc_cache, line));
    if (!alloc_cache->watched || kind > REQUEST_STORE) return; /* atomics are no race */
    bool alone = !w->worker->atomic, owns = race_take_line(&line->owner, me, alone);
    if (races->exact) {
        uint8_t now = (owns ? 0 : RACE_SHARED) | (writes ? RACE_STORED : 0);
        if ((__atomic_load_n(&line->state, __ATOMIC_RELAXED) & now) != now)
            set_state(w->worker, line, now);
    } else {
        enum race_who who = owns                                       ? RACE_OWNER
                            : race_take_line(&line->second, me, alone) ? RACE_SECOND
                                                                       : RACE_OTHERS;
        if (words_clash(w->worker, line, who, writes, words))
            __atomic_store_n(&races->suspect, true, __ATOMIC_RELAXED);
    }
}

void races_note_words(struct warp *w, const struct op *op, const struct request *r, int kind,
                      const struct alloc_cache *alloc_cache, struct race_line *line,
                      uint32_t words) {
    uint64_t at =
        line_address(w->worker->grid->races, alloc_cache, line) + (uint64_t)alloc_cache->delta;
    races_note(w, kind, alloc_cache, line, words);
    if (alloc_cache->watched && kind <= REQUEST_STORE)
        note_words(w, op, r, kind == REQUEST_STORE, line, at, words);
}

/* ---- Before ---- */

/* The map of an allocation whose first byte lies in the middle of a line begins with that line. */
static void map(struct allocation *allocation, void *context) {
    struct races *races = context;
    if (allocation->races) return;
    size_t lines = (allocation->size >> races->shift) + 2;
    if (lines > allocation->race_lines) {
        free(allocation->race_map);
        allocation->race_map = need(calloc(lines, sizeof *allocation->race_map));
        allocation->race_lines = lines;
    }
    allocation->races = allocation->race_map;
    races->mapped =
        need(realloc(races->mapped, (races->nmapped + 1) * sizeof(struct allocation *)));
    races->mapped[races->nmapped++] = allocation;
}

/* What is stored to has a map. What is loaded, too, is watched. */
static void watch(struct allocation *allocation, void *context) {
    *(bool *)context |= allocation->races != NULL;
    allocation->races_watched = allocation->races != NULL;
}

/* A kernel whose launch was suspect before is watched exactly at once. */
struct races *races_open(const struct grid *grid, bool save) {
    const struct launch *launch = grid->launch;
    const struct stored *stored = grid->kernel->stored;
    if (!stored || launch->cooperative || launch->check || grid->nblocks < 2) return NULL;
    struct races *races = need(calloc(1, sizeof *races));
    bool in_place = false;
    races->exact = launch->suspect;
    races->word_shift =
        races->exact ? (uint32_t)__builtin_ctz(stored_smallest(stored)) : RACE_WORD_SHIFT;
    races->shift = races->word_shift + RACE_WORDS_SHIFT;
    races->saves = save;
    races->final_state = RACE_STORED | (save ? RACE_SAVING | RACE_SAVED : 0);
    stored_each(stored, grid->params, false, map, races);
    stored_each(stored, grid->params, true, watch, &in_place);
    if (in_place) return races;
    races_close(races);
    return NULL;
}

/* ---- After ---- */

void races_collect(struct races *races, struct worker *worker) {
    const struct race_sharers *table = &worker->race_sharers;
    if (!races || !table->n) return;
    races->sharers =
        need(realloc(races->sharers, (races->nsharers + table->n) * sizeof *races->sharers));
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].line) races->sharers[races->nsharers++] = table->slots[i];
}

static int by_line(const void *one, const void *other) {
    const struct race_sharer *a = one, *b = other;
    return (a->line > b->line) - (a->line < b->line);
}

/* The words of a line that a block stores and another one stores or loads. sharers: n blocks beside
 * the owner. Several that store the same value do no harm. */
static uint32_t raced_words(const struct race_line *line, const struct race_sharer *sharers,
                            size_t n) {
    uint32_t once = line->stored[RACE_OWNER], twice = 0, changed = 0, raced;
    for (size_t i = 0; i < n; i++) {
        changed |= sharers[i].changed;
        twice |= once & sharers[i].stored;
        once |= sharers[i].stored;
    }
    raced = line->loaded[RACE_OWNER] & (twice | (once & ~line->stored[RACE_OWNER]));
    for (size_t i = 0; i < n; i++)
        raced |= sharers[i].loaded & (twice | (once & ~sharers[i].stored));
    return raced | (twice & changed);
}

uint64_t races_bytes(struct races *races) {
    uint64_t bytes = 0;
    if (races->nsharers) qsort(races->sharers, races->nsharers, sizeof *races->sharers, by_line);
    for (size_t i = 0, end; i < races->nsharers; i = end) {
        for (end = i; end < races->nsharers && races->sharers[end].line == races->sharers[i].line;)
            end++;
        uint32_t raced = raced_words(races->sharers[i].line, races->sharers + i, end - i);
        bytes += (uint64_t)__builtin_popcount(raced) << races->word_shift;
    }
    return bytes;
}

bool races_undo(struct races *races, struct worker *workers, unsigned n) {
    if (races->incomplete || !races->saves) return false;
    for (unsigned i = 0; i < n; i++)
        for (const struct race_saves *saves = workers[i].race_saves; saves; saves = saves->next)
            for (uint32_t k = 0; k < saves->n; k++)
                memcpy(saves->lines[k].at, saves->lines[k].bytes, saves->lines[k].size);
    return true;
}

/* Make zeros of the lines that the grid touched. */
static void clear_lines(const struct races *races, const struct allocation *allocation) {
    uint64_t address = allocation->address, base = address / SECTOR_BYTES * SECTOR_BYTES;
    for (size_t first, end = 0; memory_touch_next(allocation, &first, &end);) {
        uint64_t from = base + first * SECTOR_BYTES, last = base + end * SECTOR_BYTES - 1;
        if (from < address) from = address;
        if (last >= address + allocation->size) last = address + allocation->size - 1;
        struct race_line *line =
            allocation->races + ((from >> races->shift) - (address >> races->shift));
        memset(line, 0, ((last >> races->shift) - (from >> races->shift) + 1) * sizeof *line);
    }
}

void races_close(struct races *races) {
    if (!races) return;
    for (size_t i = 0; i < races->nmapped; i++) {
        clear_lines(races, races->mapped[i]);
        races->mapped[i]->races = NULL;
        races->mapped[i]->races_watched = false;
    }
    free(races->mapped);
    free(races->sharers);
    free(races);
}

void races_worker_close(struct worker *worker) {
    pthread_mutex_lock(&spare_lock);
    while (worker->race_saves) {
        struct race_saves *saves = worker->race_saves;
        worker->race_saves = saves->next;
        saves->next = spare;
        spare = saves;
    }
    pthread_mutex_unlock(&spare_lock);
    free(worker->race_sharers.slots);
}
