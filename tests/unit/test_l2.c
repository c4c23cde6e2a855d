/* Tests of what an L2 of 16 MB holds between launches. */

#include "simt/device/gpu.h"
#include "simt/device/l2.h"
#include "simt/device/sector_set.h"
#include "unit.h"

enum { MB = 1 << 20, SECTOR = 32, APART = 64 * MB };

static const struct gpu gpu = {.l2_bytes = 32 * MB, .l2_parts = 2};

int before_each(void **state) {
    (void)state;
    l2_follow(&gpu);
    l2_flush(0);
    return 0;
}

static void touch(uint64_t address, size_t bytes) {
    l2_touch(0, address, bytes);
    l2_settle(0);
}

/* In hundredths. */
static int held(uint64_t address) {
    const struct l2 *l2 = l2_current();
    bool copied;
    return l2 ? (int)(100 * l2_holds(l2, address / SECTOR, &copied) + 0.5) : 0;
}

static bool is_copy(uint64_t address) {
    bool copied;
    l2_holds(l2_current(), address / SECTOR, &copied);
    return copied;
}

TEST(what_was_touched_is_there_until_others_displace_it) {
    assert_int_equal(held(0), 0);
    touch(0, 4 * MB);
    assert_int_equal(held(0), 100);
    assert_int_equal(held(4 * MB - 1), 100);
    assert_int_equal(held(4 * MB), 0);
    touch(APART, 8 * MB);
    assert_int_equal(held(0), 100);
    touch(2 * (uint64_t)APART, 4 * MB); /* 16 MB since */
    assert_in_range(held(0), 60, 67);
    touch(3 * (uint64_t)APART, 4 * MB);
    assert_in_range(held(0), 16, 22);
    touch(4 * (uint64_t)APART, 4 * MB);
    assert_int_equal(held(0), 0);
    l2_flush(0);
    assert_int_equal(held(4 * (uint64_t)APART), 0);
}

TEST(what_is_touched_again_displaces_nothing_and_is_found) {
    touch(0, 8 * MB);
    for (int i = 0; i < 10; i++) touch(APART, 4 * MB);
    assert_int_equal(held(0), 100);
    l2_touch(0, 0, 2 * MB);
    l2_touch(0, 2 * (uint64_t)APART, 2 * MB);
    assert_int_equal((int)l2_found(), 2 * MB / SECTOR);
    assert_int_equal(held(2 * (uint64_t)APART), 0); /* not before the launch is over */
    l2_forget();
    l2_settle(0);
    assert_int_equal(held(2 * (uint64_t)APART), 0);
}

TEST(nothing_stays_of_more_than_it_has_room_for) {
    touch(0, MB);
    touch(APART, 48 * MB);
    assert_int_equal(held(0), 0);
    assert_int_equal(held(APART + 48 * MB - 1), 0);
    touch(0, SECTOR);
    assert_int_equal(held(0), 100);
    assert_int_equal(held(SECTOR), 0);
}

TEST(a_copy_from_the_host_updates_what_is_there) {
    touch(0, MB);
    l2_copy(0, 0, 2 * MB);
    assert_int_equal(held(0), 100);
    assert_false(is_copy(0));
    assert_true(is_copy(2 * MB - SECTOR));
}

TEST(launches_displace_copies_with_the_rest) {
    l2_copy(0, 0, MB);
    touch(APART, 4 * MB);
    assert_int_equal(held(MB - SECTOR), 100);
    touch(2 * (uint64_t)APART, 16 * MB);
    assert_int_equal(held(MB - SECTOR), 0);
}

/* 1.7 MB of 16. */
TEST(the_last_copies_from_the_host_are_there) {
    l2_copy(0, 0, MB);
    l2_copy(0, APART, 16 * MB);
    assert_int_equal(held(0), 0);
    assert_int_equal(held(APART + 14 * MB), 0);
    assert_int_equal(held(APART + 15 * MB), 100);
    l2_copy(0, 0, MB);
    assert_true(is_copy(0));
    assert_int_equal(held(APART + 16 * MB - SECTOR), 100);
    touch(2 * (uint64_t)APART, 4 * MB);
    l2_touch(0, 0, MB);
    assert_int_equal((int)l2_found(), MB / SECTOR);
    l2_settle(0);
    assert_false(is_copy(0));
    l2_drop_copies(0);
    assert_int_equal(held(0), 100);
    assert_int_equal(held(APART + 16 * MB - SECTOR), 0);
}

/* Keys in rows and far from each other, some of which come again. */
TEST(a_set_of_sectors_keeps_each_word_and_lists_it_once) {
    enum { KEYS = 3000 };
    struct sector_set set = {0};
    uint64_t at = 0, key, seen = 0;
    for (uint64_t i = 0; i < KEYS; i++) {
        *sector_set_find(&set, i % 3 ? i : i << 33) += (uint32_t)i;
        *sector_set_find(&set, i % 3 ? i : i << 33) += 1;
    }
    assert_int_equal(set.n, KEYS);
    for (const uint32_t *word; (word = sector_set_next(&set, &at, &key)); seen++)
        assert_int_equal(*word, (key >> 33 ? key >> 33 : key) + 1);
    assert_int_equal(seen, KEYS);
    assert_int_equal(*sector_set_known(&set, 7), 8);
    assert_null(sector_set_known(&set, 9)); /* beside 8 and 10, but not there */
    assert_null(sector_set_known(&set, 1ull << 50));
    sector_set_free(&set);
    assert_null(sector_set_known(&set, 7));
}
