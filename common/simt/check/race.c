/*
 * check/race.c: two threads access the same bytes, at least one writes, and nothing orders them
 * (check/sync.c says what does). For each word the shadow keeps the last write, the last one that
 * was no atomic, and the last reads of two threads; a race with an access before those may be
 * missed.
 *
 * No race is
 *
 *   - atomics among themselves, and with relaxed, acquiring, releasing or volatile accesses: these
 *     accesses are how threads tell each other something. Within a warp, though, volatile is not
 *     enough, unless a lane waits in a loop for what it reads: the volatile code of old textbooks
 *     trusts that a warp's lanes run in step.
 *   - a write of the value that is there already, beside another write: whichever is last, memory
 *     is the same. This also goes for lanes that write one value to one place at once. A read
 *     beside that write is a race.
 *   - a plain read beside atomics, where the thread passes what it read to atomicCAS as the
 *     expected value: after a wrong read the atomicCAS fails and the thread tries again. The CUDA
 *     Programming Guide's atomicAdd of doubles begins like that.
 *
 * Any other plain access beside an atomic is a race, whatever the atomic does and whatever the
 * values are.
 */
#include "check.h"

#include <string.h>

#define SPECIAL (ACCESS_ATOMIC | ACCESS_VOLATILE | ACCESS_STRONG)

/* The thread of a lane, counted in its block. */
static uint32_t thread_of(const struct warp *w, uint32_t lane) {
    return w->index * WARP_SIZE + lane;
}

/* ---- May these two be at once? ---- */

/* Volatile and nothing stronger: no atomic, no memory order, no loop that waits for it. */
static bool is_bare_volatile(uint8_t flags) {
    return flags & ACCESS_VOLATILE && !(flags & (ACCESS_ATOMIC | ACCESS_STRONG | ACCESS_POLLS));
}

/* Does the atomic confirm what the read gave? */
static bool is_confirmed(uint8_t read, uint8_t atomic) {
    return read & ACCESS_EXPECTS && atomic & ACCESS_ATOMIC;
}

/* May two accesses of these flags happen at once? Both must be special, or one confirms the other.
 * Within a warp, bare volatile is not enough; a read that polls makes the write that it waits for
 * legal too. */
static bool may_conflict(uint8_t a, uint8_t b, bool same_warp) {
    if (is_confirmed(a, b) || is_confirmed(b, a)) return true;
    if (!(a & SPECIAL) || !(b & SPECIAL)) return false;
    bool lockstep =
        same_warp && (is_bare_volatile(a) || is_bare_volatile(b)) && !((a | b) & ACCESS_POLLS);
    return !lockstep;
}

/* Is the lane's access to these bytes of a word a race with the earlier one? The cheap questions
 * first: most accesses are ordered by a barrier, or are the thread's own. */
static bool is_race(const struct check_request *r, uint32_t lane, uint8_t bytes, uint8_t flags,
                    const struct access *earlier) {
    const struct block *block = r->w->block;
    epoch horizon = r->is_shared ? block->check->barrier : r->w->worker->grid->check->start;
    if (earlier->when < horizon || !(earlier->bytes & bytes)) return false;
    /* Shared memory is seen by one block only. */
    bool mine = r->is_shared || earlier->block == (uint32_t)r->w->block->index;
    if (mine && earlier->thread == thread_of(r->w, lane)) return false;
    if (may_conflict(earlier->flags, flags, mine && earlier->thread / WARP_SIZE == r->w->index))
        return false;
    return !check_ordered(r->w, lane, earlier, r->is_shared);
}

/* ---- Values ---- */

/* Element e of the value that the lane stores. */
static uint64_t race_element(const struct check_request *r, uint32_t lane, uint32_t e) {
    const struct op *op = r->op;
    uint32_t ref = op->vector > 1 ? op->refs[e] : op->b;
    const void *values = row(r->w, ref);
    return op->flags & OP_WIDE ? ((const uint64_t *)values)[lane]
                               : ((const uint32_t *)values)[lane];
}

/* Does the lane store what is there already? host has the bytes as they are before the store. */
static bool stores_what_is_there(const struct check_request *r, uint32_t lane) {
    const struct op *op = r->op;
    if (op->check.value_unknown) return false;
    for (uint32_t e = 0; e < op->vector; e++) {
        uint64_t value = race_element(r, lane, e);
        if (memcmp(&value, r->host[lane] + e * op->size, op->size) != 0) return false;
    }
    return true;
}

/* Do two lanes store the same value? */
static bool stores_the_same(const struct check_request *r, uint32_t lane, uint32_t other) {
    for (uint32_t e = 0; e < r->op->vector; e++) {
        uint64_t a = race_element(r, lane, e), b = race_element(r, other, e);
        if (memcmp(&a, &b, r->op->size) != 0) return false;
    }
    return true;
}

/* ---- The words of an access ---- */

static struct access *last_of(const struct shadow *shadow, size_t word, enum last_access which) {
    return &shadow->last[which * shadow->nwords + word];
}

/* Byte mask of bytes [from, end) in the word that begins at start. */
static uint8_t mask_in(size_t start, size_t from, size_t end) {
    size_t low = from > start ? from - start : 0,
           high = end < start + WORD_BYTES ? end - start : WORD_BYTES;
    return (uint8_t)((1u << high) - (1u << low));
}

#define EACH_WORD(r, l)                                                                            \
    for (size_t start = (r)->offset[l] / WORD_BYTES * WORD_BYTES,                                  \
                end = (r)->offset[l] + (r)->bytes;                                                 \
         start < end; start += WORD_BYTES)

/* A store that changes nothing races with no plain write. */
static bool races_with_write(const struct check_request *r, uint32_t l, uint8_t bytes,
                             uint8_t flags, const struct access *write) {
    bool changes_nothing = flags & ACCESS_SILENT && !(write->flags & ACCESS_ATOMIC);
    return !changes_nothing && is_race(r, l, bytes, flags, write);
}

/*
 * Compare the lane's access with what the word's shadow remembers:
 *
 *   a read    write, or if that is an atomic, the last plain write
 *   a write   the same, and the reads by threads of one warp and of another
 */
static void check_word(struct check_request *r, uint32_t l, uint8_t bytes, uint8_t flags,
                       size_t word) {
    const struct access *write = last_of(r->shadow[l], word, LAST_WRITE),
                        *plain = last_of(r->shadow[l], word, LAST_PLAIN),
                        *read = last_of(r->shadow[l], word, LAST_READ),
                        *other = last_of(r->shadow[l], word, LAST_OTHER_READ);
    if (races_with_write(r, l, bytes, flags, write))
        report_race(r, l, write);
    else if (write->flags & ACCESS_ATOMIC && races_with_write(r, l, bytes, flags, plain))
        report_race(r, l, plain);
    if (!(flags & ACCESS_WRITE)) return;
    if (is_race(r, l, bytes, flags, read))
        report_race(r, l, read);
    else if (is_race(r, l, bytes, flags, other))
        report_race(r, l, other);
    else if (r->shadow[l]->has_far &&
             is_race(r, l, bytes, flags, last_of(r->shadow[l], word, LAST_FAR_READ)))
        report_race(r, l, last_of(r->shadow[l], word, LAST_FAR_READ));
}

static bool same_thread(const struct access *a, const struct access *b) {
    return a->thread == b->thread && a->block == b->block;
}

/* Bytes that the same thread accessed at the same time stay remembered. */
static void race_note(struct access *slot, struct access access) {
    if (same_thread(slot, &access) && slot->when == access.when && slot->site == access.site)
        access.bytes |= slot->bytes;
    *slot = access;
}

static bool same_warp(const struct access *a, const struct access *b) {
    return a->thread / WARP_SIZE == b->thread / WARP_SIZE && a->block == b->block;
}

/* Where the last read moves to, as this one takes its place; LAST_READ: nowhere. Of the lanes that
 * read at once, the first and the last stay. */
static enum last_access place_of_read(struct shadow *shadow, size_t word, const struct access *last,
                                      const struct access *access) {
    if (last->when == NOT_YET || same_thread(last, access)) return LAST_READ;
    if (!same_warp(last, access)) {
        shadow->has_far = true;
        return LAST_FAR_READ;
    }
    const struct access *other = last_of(shadow, word, LAST_OTHER_READ);
    bool at_once =
        same_warp(other, access) && other->when == access->when && other->site == access->site;
    return at_once ? LAST_READ : LAST_OTHER_READ;
}

/* Keep the access in its word. An atomic moves a plain write away, a read by another thread the
 * last read. */
static void remember(struct shadow *shadow, size_t word, const struct access *access) {
    bool writes = access->flags & ACCESS_WRITE, atomic = access->flags & ACCESS_ATOMIC;
    struct access *last = last_of(shadow, word, writes ? LAST_WRITE : LAST_READ);
    bool moves = writes && atomic && !(last->flags & ACCESS_ATOMIC) && last->when != NOT_YET;
    enum last_access to = !writes ? place_of_read(shadow, word, last, access)
                          : moves ? LAST_PLAIN
                                  : LAST_WRITE;
    struct access *kept = last_of(shadow, word, to);
    if (kept != last) *kept = *last;
    race_note(last, *access);
}

/* ---- Lanes that store to one place at once ---- */

/* The lane's access, now. */
static struct access race_access_of(const struct check_request *r, uint32_t lane, uint8_t bytes) {
    return (struct access){.when = check_now(),
                           .block = (uint32_t)r->w->block->index,
                           .site = r->site,
                           .thread = (uint16_t)thread_of(r->w, lane),
                           .flags = r->flags,
                           .bytes = bytes};
}

/* Do the lanes' addresses rise, so that no two overlap? The usual case. */
static bool is_rising(const struct check_request *r) {
    uint64_t end = 0;
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        if (r->address[l] < end) return false;
        end = r->address[l] + r->bytes;
    }
    return true;
}

/* Two lanes of one instruction that store different values to one address race with each other. */
static void race_check_lanes(struct check_request *r) {
    if (r->flags & (ACCESS_READ | ACCESS_ATOMIC) || r->op->check.value_unknown || is_rising(r))
        return;
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest);
        for (uint32_t more = rest & (rest - 1); more; more &= more - 1) {
            uint32_t k = (uint32_t)__builtin_ctz(more);
            if (r->address[k] != r->address[l] || stores_the_same(r, l, k)) continue;
            struct access earlier = race_access_of(r, l, 0);
            report_race(r, k, &earlier);
        }
    }
}

/* The lane's access as it is: a store may turn out to change nothing. */
static uint8_t flags_of(const struct check_request *r, uint32_t lane) {
    bool plain_store = (r->flags & (ACCESS_READ | ACCESS_WRITE)) == ACCESS_WRITE;
    return plain_store && stores_what_is_there(r, lane) ? r->flags | ACCESS_SILENT : r->flags;
}

/* Check the words of the lane's access. */
static void check_lane(struct check_request *r, uint32_t l, uint8_t flags) {
    EACH_WORD(r, l) check_word(r, l, mask_in(start, r->offset[l], end), flags, start / WORD_BYTES);
}

/* Remember the lane's access in its words. */
static void remember_lane(struct check_request *r, uint32_t l, uint8_t flags) {
    EACH_WORD(r, l) {
        struct access access = race_access_of(r, l, mask_in(start, r->offset[l], end));
        access.flags = flags;
        remember(r->shadow[l], start / WORD_BYTES, &access);
    }
}

/* Who looks at a word, by an operation of which others know, comes after the one that stored to it
 * last, once that is ordered (check/sync.c). */
static void look(struct check_request *r, uint32_t l) {
    if (!(r->flags & ACCESS_READ) || !(r->flags & SPECIAL)) return;
    struct access own = race_access_of(r, l, 0);
    EACH_WORD(r, l) {
        const struct access *write = last_of(r->shadow[l], start / WORD_BYTES, LAST_WRITE);
        if (!same_thread(write, &own)) check_acquire(r->w, write->when, r->op->check.looks_relaxed);
    }
}

/* The work of other streams. A store that changes nothing counts as a read. */
static void check_order(struct check_request *r, uint32_t l, uint8_t flags) {
    bool writes = flags & ACCESS_WRITE && !(flags & ACCESS_SILENT);
    enum order_access access = flags & SPECIAL ? ORDER_ATOMIC : writes ? ORDER_WRITE : ORDER_READ;
    order_access(r->shadow[l], r->offset[l], r->bytes, access, r->address[l]);
}

/* All lanes are checked before any is remembered: they access at once. But atomics of one
 * instruction on one word come one after the other. */
void check_race(struct check_request *r) {
    uint8_t flags[WARP_SIZE];
    race_check_lanes(r);
    for (uint32_t rest = r->mask; rest; rest &= rest - 1)
        if (r->shadow[__builtin_ctz(rest)]->last) look(r, (uint32_t)__builtin_ctz(rest));
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest);
        flags[l] = flags_of(r, l);
        if (r->shadow[l]->last) check_lane(r, l, flags[l]);
    }
    for (uint32_t rest = r->mask; rest; rest &= rest - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(rest);
        if (r->shadow[l]->last) look(r, l), remember_lane(r, l, flags[l]);
        if (!r->is_shared) check_order(r, l, flags[l]);
    }
}
