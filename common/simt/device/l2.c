/*
 * device/l2.c: groups of sectors in the order in which they came. A clock counts the bytes that
 * came into the L2; a group's age is the clock's time at which all that its launch touched would
 * have begun to come, if none had been there.
 *
 *   clock   ----|=== launch A ===|== B ==|===== C =====|  now
 *               ^ age of A's groups      |<- distance of C's: what C touched
 *               |<------------- distance of A's -------------->|
 */
#include "l2.h"

#include "current.h"
#include "gpu.h"
#include "sector_set.h"
#include "touched.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define GROUP_SECTORS 8 /* 256 bytes: bits of a word */
#define PAIR_FIRSTS   0x55u
#define AGE_SHIFT     8
#define AGE_UNIT      65536.0 /* bytes */
#define AGE_MASK      0xFFFFFFu

/* Of l2_room(): what lies nearer is there, what lies further is gone. On an H200, 8 MB that a
 * kernel reads are there after 16 MB of others, and 56, 22, 11 and 0 % of them after 24, 32, 48 and
 * 64 MB. */
#define KEPT_WHOLE 0.8
#define KEPT_NONE  1.35

#define FEWEST_TO_SWEEP 65536 /* groups */

/* By group: bits of sectors, and its age << AGE_SHIFT in AGE_UNITs. */
struct l2 {
    struct sector_set groups;
    double clock;
    uint32_t sweep_at; /* groups at which those that are gone are thrown away */
};

static struct l2 l2s[MAX_DEVICES];
static double room; /* 0: not followed */

/* What the launch under way touches: by group the bits of its sectors. Where that is more than an
 * L2 keeps, nothing remains of it, and no more of it is looked at once the L2 is known to have had
 * nothing. */
static struct {
    struct sector_set groups;
    double sectors, kept, found; /* touched; of these those that the L2 held; of those loaded */
    bool too_much;
} touching;

double l2_room(const struct gpu *gpu) {
    return (double)gpu->l2_bytes / gpu->l2_parts;
}

void l2_follow(const struct gpu *gpu) {
    room = l2_room(gpu);
}

void l2_flush(int device) {
    sector_set_free(&l2s[device].groups);
}

void l2_forget(void) {
    sector_set_free(&touching.groups);
    memset(&touching, 0, sizeof touching);
}

static uint32_t age_of(double clock) {
    return (uint32_t)(int64_t)floor(clock / AGE_UNIT) & AGE_MASK;
}

/* How likely the L2 still has what came at that time. */
static double kept_since(const struct l2 *l2, uint32_t age) {
    double distance = ((age_of(l2->clock) - age) & AGE_MASK) * AGE_UNIT / room;
    return fmin(1, fmax(0, (KEPT_NONE - distance) / (KEPT_NONE - KEPT_WHOLE)));
}

/* ---- What it holds ---- */

const struct l2 *l2_current(void) {
    const struct l2 *l2 = &l2s[device_current()];
    return l2->groups.n ? l2 : NULL;
}

double l2_holds(const struct l2 *l2, uint64_t sector) {
    /* only looks, though the set is not const there */
    struct sector_set groups = l2->groups;
    const uint32_t *word = sector_set_known(&groups, sector / GROUP_SECTORS);
    if (!word || !(*word >> sector % GROUP_SECTORS & 1)) return 0;
    return kept_since(l2, *word >> AGE_SHIFT);
}

/* ---- What comes ---- */

/* The launch touches these sectors of a group, and loads those in `loaded`. False: what else it
 * touches makes no difference. */
static bool touch_group(const struct l2 *l2, uint64_t group, uint32_t bits, uint32_t loaded) {
    struct sector_set groups = l2->groups;
    const uint32_t *held = sector_set_known(&groups, group);
    double share = held ? kept_since(l2, *held >> AGE_SHIFT) : 0;
    touching.sectors += __builtin_popcount(bits);
    if (share > 0) touching.kept += share * __builtin_popcount(bits & *held);
    if (share > 0) touching.found += share * __builtin_popcount(loaded & *held);
    if (!touching.too_much) *sector_set_find(&touching.groups, group) |= bits;
    touching.too_much |= touching.sectors * SECTOR_BYTES > KEPT_NONE * room;
    return !touching.too_much || l2->groups.n;
}

void l2_touch_marked(const struct allocation *allocation) {
    const struct l2 *l2 = &l2s[device_current()];
    uint64_t sector = allocation->address / SECTOR_BYTES;
    const uint8_t *loads = allocation->touched, *stores = loads + memory_touch_sectors(allocation);
    if (room <= 0) return;
    for (size_t first, end = 0; memory_touch_next(allocation, &first, &end);)
        for (size_t i = first, next; i < end; i = next) {
            uint32_t stored = 0, loaded = 0;
            uint64_t group = (sector + i) / GROUP_SECTORS;
            next = (size_t)((group + 1) * GROUP_SECTORS - sector);
            next = next < end ? next : end;
            for (size_t k = i; k < next; k++) {
                loaded |= (uint32_t)loads[k] << (sector + k) % GROUP_SECTORS;
                stored |= (uint32_t) !!stores[k] << (sector + k) % GROUP_SECTORS;
            }
            /* The DRAM gives two sectors at once. */
            uint32_t pairs = (loaded | loaded >> 1) & PAIR_FIRSTS;
            uint32_t bits = stored | pairs | pairs << 1;
            if (bits && !touch_group(l2, group, bits, loaded)) return;
        }
}

double l2_found(void) {
    return touching.found;
}

/* Throw away what is gone. */
static void sweep(struct l2 *l2) {
    struct sector_set all = l2->groups;
    l2->groups = (struct sector_set){0};
    for (uint32_t i = 0; i < all.size; i++) {
        const struct sector_slot *slot = &all.slots[i];
        if (slot->key && slot->value % (1u << AGE_SHIFT) &&
            kept_since(l2, slot->value >> AGE_SHIFT) > 0)
            *sector_set_find(&l2->groups, slot->key - 1) = slot->value;
    }
    sector_set_free(&all);
    l2->sweep_at = 2 * l2->groups.n > FEWEST_TO_SWEEP ? 2 * l2->groups.n : FEWEST_TO_SWEEP;
}

void l2_settle(int device) {
    struct l2 *l2 = &l2s[device];
    uint32_t before = age_of(l2->clock);
    l2->clock += (touching.sectors - touching.kept) * SECTOR_BYTES;
    uint32_t age = age_of(l2->clock - touching.sectors * SECTOR_BYTES);
    bool turned = age_of(l2->clock) < before; /* old ages would be young again */
    if (touching.too_much || turned) sector_set_free(&l2->groups);
    for (uint32_t i = 0; !touching.too_much && i < touching.groups.size; i++) {
        const struct sector_slot *slot = &touching.groups.slots[i];
        if (!slot->key) continue;
        uint32_t *word = sector_set_find(&l2->groups, slot->key - 1);
        bool there = kept_since(l2, *word >> AGE_SHIFT) > 0;
        *word = (there ? *word % (1u << AGE_SHIFT) : 0) | slot->value | age << AGE_SHIFT;
    }
    if (l2->groups.n > l2->sweep_at) sweep(l2);
    l2_forget();
}

void l2_touch(int device, uint64_t address, size_t bytes) {
    uint64_t first = address / SECTOR_BYTES,
             end = (address + bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    if (room <= 0) return;
    for (uint64_t i = first, next; i < end; i = next) {
        next = (i / GROUP_SECTORS + 1) * GROUP_SECTORS;
        uint32_t bits = (1u << GROUP_SECTORS) - (1u << i % GROUP_SECTORS);
        if (next > end) bits &= (1u << end % GROUP_SECTORS) - 1;
        if (!touch_group(&l2s[device], i / GROUP_SECTORS, bits, bits)) return;
    }
}
