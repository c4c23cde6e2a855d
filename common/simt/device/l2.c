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
#define ALL_SECTORS   0xFFu
#define ROW_SECTORS   (SECTOR_ROW * GROUP_SECTORS)
#define PAIR_FIRSTS   0x55u
#define AGE_SHIFT     8
#define AGE_UNIT      65536.0 /* bytes */
#define AGE_MASK      0xFFFFFFu

/* Of l2_room(): what lies nearer is there, what lies further is gone. On an H200, 8 MB that a
 * kernel reads are there after 16 MB of others, and 56, 22, 11 and 0 % of them after 24, 32, 48 and
 * 64 MB. */
#define KEPT_WHOLE 0.8
#define KEPT_NONE  1.35
/* Copies from the host that an engine makes update what the L2 holds. Of others the last 3.2 MB are
 * there on an H200, until the next cudaFree(), or until launches displace them with the rest. */
#define COPIES_KEPT 0.107

#define FEWEST_TO_SWEEP 65536 /* groups */

/* By group: bits of sectors, and its age << AGE_SHIFT in AGE_UNITs. */
struct l2_part {
    struct sector_set groups;
    double clock;
    uint32_t now;      /* age of what comes now */
    uint32_t sweep_at; /* groups at which those that are gone are thrown away */
    bool of_copies;    /* from the host */
};

struct l2 {
    struct l2_part own, copies;
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
    for (int i = 0; i < MAX_DEVICES; i++) l2s[i].copies.of_copies = true;
}

bool l2_is_followed(void) {
    return room > 0;
}

void l2_drop_copies(int device) {
    sector_set_free(&l2s[device].copies.groups);
}

void l2_flush(int device) {
    sector_set_free(&l2s[device].own.groups);
    l2_drop_copies(device);
}

void l2_forget(void) {
    sector_set_free(&touching.groups);
    memset(&touching, 0, sizeof touching);
}

static uint32_t age_of(double clock) {
    return (uint32_t)(int64_t)floor(clock / AGE_UNIT) & AGE_MASK;
}

/* How likely the L2 still has what came at that time. */
static double kept_since(const struct l2_part *part, uint32_t age) {
    double distance = ((part->now - age) & AGE_MASK) * AGE_UNIT / room;
    if (part->of_copies) return distance < COPIES_KEPT;
    if (distance <= KEPT_WHOLE) return 1;
    return distance < KEPT_NONE ? (KEPT_NONE - distance) / (KEPT_NONE - KEPT_WHOLE) : 0;
}

/* ---- What it holds ---- */

const struct l2 *l2_current(void) {
    const struct l2 *l2 = &l2s[device_current()];
    return l2->own.groups.n || l2->copies.groups.n ? l2 : NULL;
}

/* Bits of the group's sectors that the part holds, so likely. row: of the part, the group's. */
static uint32_t held_bits(const struct l2_part *part, const struct sector_row *row, uint64_t group,
                          double *likely) {
    uint32_t word = row ? row->words[group % SECTOR_ROW] : 0;
    *likely = word ? kept_since(part, word >> AGE_SHIFT) : 0;
    return *likely > 0 ? word % (1u << AGE_SHIFT) : 0;
}

static const struct sector_row *row_of(const struct l2_part *part, uint64_t group) {
    return sector_set_row(&part->groups, group / SECTOR_ROW);
}

struct l2_group l2_look(const struct l2 *l2, uint64_t sector) {
    uint64_t group = sector / GROUP_SECTORS;
    struct l2_group found;
    found.own = held_bits(&l2->own, row_of(&l2->own, group), group, &found.own_share);
    found.copies = held_bits(&l2->copies, row_of(&l2->copies, group), group, &found.copies_share);
    return found;
}

double l2_group_holds(const struct l2_group *group, uint64_t sector, bool *copied) {
    uint32_t bit = sector % GROUP_SECTORS;
    double own = group->own >> bit & 1 ? group->own_share : 0,
           copies = group->copies >> bit & 1 ? group->copies_share : 0;
    *copied = copies > own;
    return fmax(own, copies);
}

double l2_holds(const struct l2 *l2, uint64_t sector, bool *copied) {
    const struct l2_group group = l2_look(l2, sector);
    return l2_group_holds(&group, sector, copied);
}

/* ---- What comes ---- */

/* What was looked at last: rows, an age. */
struct looked {
    uint64_t number; /* of the rows, + 1 */
    const struct sector_row *own, *copies;
    struct sector_row *touching;
    uint32_t age; /* + 1 */
    double share; /* that is kept of what came then */
};

static double own_share(const struct l2 *l2, struct looked *looked, uint32_t age) {
    if (looked->age != age + 1) {
        looked->age = age + 1;
        looked->share = kept_since(&l2->own, age);
    }
    return looked->share;
}

/* Of up to GROUP_SECTORS bits, mostly all. */
static uint32_t count(uint32_t bits) {
    return bits == ALL_SECTORS ? GROUP_SECTORS : (uint32_t)__builtin_popcount(bits);
}

/* Find the group's rows. */
static void look(const struct l2 *l2, struct looked *looked, uint64_t group) {
    uint64_t number = group / SECTOR_ROW;
    if (looked->number == number + 1) return;
    looked->number = number + 1;
    looked->own = row_of(&l2->own, group);
    looked->copies = row_of(&l2->copies, group);
    looked->touching = touching.too_much ? NULL : sector_set_make_row(&touching.groups, number);
}

/* The launch touches these sectors of a group, and loads those in `loaded`. False: what else it
 * touches makes no difference. */
static bool touch_group(const struct l2 *l2, struct looked *looked, uint64_t group, uint32_t bits,
                        uint32_t loaded) {
    uint32_t i = group % SECTOR_ROW;
    look(l2, looked, group);
    uint32_t word = looked->own ? looked->own->words[i] : 0, held = word % (1u << AGE_SHIFT);
    double share = held ? own_share(l2, looked, word >> AGE_SHIFT) : 0, copied;
    touching.sectors += count(bits);
    if (share > 0) {
        touching.kept += share * count(bits & held);
        touching.found += share * count(loaded & held);
    }
    if (looked->copies) {
        uint32_t copies = held_bits(&l2->copies, looked->copies, group, &copied);
        touching.found += copied * count(loaded & copies & (share > 0 ? ~held : ~0u));
    }
    if (!touching.too_much) *sector_row_word(&touching.groups, looked->touching, i) |= bits;
    touching.too_much |= touching.sectors * SECTOR_BYTES > KEPT_NONE * room;
    return !touching.too_much || l2->own.groups.n || l2->copies.groups.n;
}

/* The same of all groups of a row, where the L2 has the same of each, all of it or nothing. False:
 * they must be touched one by one. */
static bool touch_row(const struct l2 *l2, struct looked *looked, uint64_t group, uint32_t bits,
                      uint32_t loaded) {
    static const struct sector_row nothing;
    look(l2, looked, group);
    const uint32_t *words = looked->own ? looked->own->words : nothing.words;
    double sectors = touching.sectors + SECTOR_ROW * count(bits);
    if (touching.too_much && !l2->own.groups.n && !l2->copies.groups.n) return false;
    if (looked->copies || memcmp(words, words + 1, (SECTOR_ROW - 1) * sizeof *words) != 0 ||
        (!touching.too_much && sectors * SECTOR_BYTES > KEPT_NONE * room))
        return false;
    uint32_t held = words[0] % (1u << AGE_SHIFT);
    double share = held ? own_share(l2, looked, words[0] >> AGE_SHIFT) : 0;
    if (share > 0 && share < 1) return false;
    touching.sectors = sectors;
    touching.kept += share * SECTOR_ROW * count(bits & held);
    touching.found += share * SECTOR_ROW * count(loaded & held);
    for (uint32_t i = 0; !touching.too_much && i < SECTOR_ROW; i++)
        *sector_row_word(&touching.groups, looked->touching, i) |= bits;
    return true;
}

/* A bit for each of up to 8 marks, set where it is not 0: adding 0x7F carries into the top bit, and
 * the product moves the bytes' lowest bits into the top byte. */
static uint32_t bits_of(const uint8_t *marks, size_t n) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7Full;
    uint64_t all = 0;
    if (n == sizeof all)
        memcpy(&all, marks, sizeof all); /* one load */
    else
        memcpy(&all, marks, n);
    return (uint32_t)((((((all & low) + low) | all) & ~low) >> 7) * 0x0102040810204080ull >> 56);
}

void l2_touch_marked(const struct allocation *allocation) {
    const struct l2 *l2 = &l2s[device_current()];
    uint64_t sector = allocation->address / SECTOR_BYTES;
    const uint8_t *loads = allocation->touched, *stores = loads + memory_touch_sectors(allocation);
    struct looked looked = {0};
    if (room <= 0) return;
    for (size_t first, end = 0; memory_touch_next(allocation, &first, &end);)
        for (size_t i = first, next; i < end; i = next) {
            uint64_t group = (sector + i) / GROUP_SECTORS;
            if ((sector + i) % ROW_SECTORS == 0 && end - i >= ROW_SECTORS &&
                memory_marks_same(loads + i, ROW_SECTORS) &&
                memory_marks_same(stores + i, ROW_SECTORS)) {
                uint32_t loaded = loads[i] ? ALL_SECTORS : 0,
                         bits = stores[i] ? ALL_SECTORS : loaded;
                next = i + ROW_SECTORS;
                if (!bits || touch_row(l2, &looked, group, bits, loaded)) continue;
            }
            next = (size_t)((group + 1) * GROUP_SECTORS - sector);
            next = next < end ? next : end;
            uint32_t loaded = bits_of(loads + i, next - i) << (sector + i) % GROUP_SECTORS,
                     stored = bits_of(stores + i, next - i) << (sector + i) % GROUP_SECTORS;
            /* The DRAM gives two sectors at once. */
            uint32_t pairs = (loaded | loaded >> 1) & PAIR_FIRSTS;
            uint32_t bits = stored | pairs | pairs << 1;
            if (bits && !touch_group(l2, &looked, group, bits, loaded)) return;
        }
}

double l2_found(void) {
    return touching.found;
}

/* Throw away what is gone. */
static void sweep(struct l2_part *part) {
    struct sector_set all = part->groups;
    const uint32_t *word;
    part->groups = (struct sector_set){0};
    for (uint64_t at = 0, group; (word = sector_set_next(&all, &at, &group));)
        if (*word % (1u << AGE_SHIFT) && kept_since(part, *word >> AGE_SHIFT) > 0)
            *sector_set_find(&part->groups, group) = *word;
    sector_set_free(&all);
    part->sweep_at = 2 * part->groups.n > FEWEST_TO_SWEEP ? 2 * part->groups.n : FEWEST_TO_SWEEP;
}

/* So many bytes come. Where old ages would be young again, nothing is there any more. */
static void advance(struct l2_part *part, double bytes) {
    uint32_t before = part->now;
    part->clock += bytes;
    part->now = age_of(part->clock);
    if (part->now < before) sector_set_free(&part->groups);
}

/* These sectors of the row's group i came at that time. there: what came before is not gone. */
static void came(struct l2_part *part, struct sector_row *row, uint32_t i, bool there,
                 uint32_t bits, uint32_t age) {
    uint32_t *word = sector_row_word(&part->groups, row, i);
    *word = (there ? *word % (1u << AGE_SHIFT) : 0) | bits | age << AGE_SHIFT;
}

void l2_settle(int device) {
    struct l2_part *own = &l2s[device].own;
    struct looked looked = {0};
    double bytes = (touching.sectors - touching.kept) * SECTOR_BYTES;
    advance(own, bytes);
    advance(&l2s[device].copies, bytes * COPIES_KEPT);
    uint32_t age = age_of(own->clock - touching.sectors * SECTOR_BYTES);
    if (touching.too_much) sector_set_free(&own->groups);
    for (uint32_t i = 0; !touching.too_much && i < touching.groups.size; i++) {
        const struct sector_row *from = &touching.groups.rows[i];
        if (!from->key) continue;
        struct sector_row *row = sector_set_make_row(&own->groups, from->key - 1);
        for (uint32_t k = 0; k < SECTOR_ROW; k++) {
            bool there = own_share(&l2s[device], &looked, row->words[k] >> AGE_SHIFT) > 0;
            if (from->known >> k & 1) came(own, row, k, there, from->words[k], age);
        }
    }
    if (own->groups.n > own->sweep_at) sweep(own);
    l2_forget();
}

/* Bits of the group's sectors from `first` on and before `end`; *next: the group after it. */
static uint32_t bits_between(uint64_t first, uint64_t end, uint64_t *next) {
    *next = (first / GROUP_SECTORS + 1) * GROUP_SECTORS;
    uint32_t bits = (1u << GROUP_SECTORS) - (1u << first % GROUP_SECTORS);
    return *next > end ? bits & ((1u << end % GROUP_SECTORS) - 1) : bits;
}

void l2_touch(int device, uint64_t address, size_t bytes) {
    uint64_t end = (address + bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    struct looked looked = {0};
    if (room <= 0) return;
    for (uint64_t i = address / SECTOR_BYTES, next; i < end; i = next) {
        uint32_t bits = bits_between(i, end, &next);
        uint64_t after = i + ROW_SECTORS;
        if (i % ROW_SECTORS == 0 && after <= end &&
            touch_row(&l2s[device], &looked, i / GROUP_SECTORS, ALL_SECTORS, ALL_SECTORS)) {
            next = after;
            continue;
        }
        if (!touch_group(&l2s[device], &looked, i / GROUP_SECTORS, bits, bits)) return;
    }
}

void l2_copy(int device, uint64_t address, size_t bytes) {
    struct l2_part *copies = &l2s[device].copies;
    uint64_t end = (address + bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
    size_t last = (size_t)fmin((double)bytes, COPIES_KEPT * room);
    if (room <= 0) return;
    advance(copies, (double)(bytes - last));
    for (uint64_t i = (address + bytes - last) / SECTOR_BYTES, next; i < end; i = next) {
        const struct l2_part *own = &l2s[device].own;
        uint64_t group = i / GROUP_SECTORS;
        double likely;
        uint32_t held = held_bits(own, row_of(own, group), group, &likely),
                 bits = bits_between(i, end, &next) & ~held;
        if (!bits) continue;
        advance(copies, SECTOR_BYTES * __builtin_popcount(bits));
        struct sector_row *row = sector_set_make_row(&copies->groups, group / SECTOR_ROW);
        bool there = kept_since(copies, row->words[group % SECTOR_ROW] >> AGE_SHIFT) > 0;
        came(copies, row, group % SECTOR_ROW, there, bits, copies->now);
    }
    if (copies->groups.n > copies->sweep_at) sweep(copies);
}
