/* Tests of sector and bank counting against plain definitions: a set of sectors, a list of words
 * per bank. */

#define EXEC_ISA plain
#include "simt/access/pattern.h"
#include "unit.h"

/* ---- Sectors ---- */

static uint32_t distinct(const uint64_t *values, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;
        while (j < i && values[j] != values[i]) j++;
        count += j == i;
    }
    return count;
}

TEST(any_order_of_sectors_is_counted) {
    for (int trial = 0; trial < 20000; trial++) {
        uint64_t sectors[32];
        uint32_t n = (uint32_t)rand() % 33, spread = 1u << rand() % 12;
        for (uint32_t i = 0; i < n; i++)
            sectors[i] = trial % 4 == 0   ? i / 3
                         : trial % 4 == 1 ? 1000 - i
                                          : (uint64_t)rand() % spread;
        uint32_t wanted = distinct(sectors, n);
        assert_int_equal(distinct_values(sectors, n), wanted);
        assert_int_equal(distinct(sectors, wanted), wanted);
    }
}

/* Against a map of bytes. */
TEST(any_order_of_accesses_covers_its_bytes) {
    for (int trial = 0; trial < 20000; trial++) {
        uint64_t addresses[32], sectors[32];
        uint32_t n = 1 + (uint32_t)rand() % 32, size = 1u << rand() % 5, span = 1u << rand() % 8,
                 covered = 0;
        bool wanted[128 * 16] = {false};
        for (uint32_t i = 0; i < n; i++) {
            addresses[i] = (trial % 3 == 0 ? i / 3 : (uint64_t)rand() % span) * size;
            sectors[i] = addresses[i] >> SECTOR_SHIFT;
            memset(wanted + addresses[i], true, size);
        }
        for (uint32_t i = 0; i < sizeof wanted; i++) covered += wanted[i];
        assert_int_equal(distinct_bytes(addresses, n, size, distinct_values(sectors, n)), covered);
    }
}

TEST(textbook_strides) {
    static const struct {
        uint32_t stride, sectors;
    } cases[] = {{1, 4}, {2, 8}, {3, 12}, {4, 16}, {8, 32}, {32, 32}, {0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t sectors[32];
        for (uint32_t l = 0; l < 32; l++)
            sectors[l] = (uint64_t)l * cases[i].stride * 4 >> SECTOR_SHIFT;
        assert_int_equal(distinct_values(sectors, 32), cases[i].sectors);
    }
}

TEST(local_words_of_a_warp_lie_side_by_side) {
    uint32_t offset[32] = {0};
    assert_int_equal(sectors_local(offset, 4, 0xFFFFFFFF), 4);
    assert_int_equal(sectors_local(offset, 8, 0xFFFFFFFF), 8);
    assert_int_equal(sectors_local(offset, 4, 0x00000101), 2);
    for (uint32_t l = 0; l < 32; l++) offset[l] = 4 * l;
    assert_int_equal(sectors_local(offset, 4, 0xFFFFFFFF), 32);
}

TEST(one_local_offset_for_all_is_counted_by_groups) {
    static const uint32_t masks[] = {0xFFFFFFFF, 1,          0x80000000, 0x00FF0000,
                                     0x01010101, 0x7FFFFFFE, 0x00000180};
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++) offset[l] = 24;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        for (unsigned size = 1; size <= 16; size *= 2)
            assert_int_equal(sectors_local_row(size, masks[i]),
                             sectors_local(offset, size, masks[i]));
}

/* ---- Banks ---- */

static uint32_t passes_of_stride(uint32_t words, uint32_t bytes) {
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++) offset[l] = l * words * 4;
    return bank_request(offset, bytes, 0xFFFFFFFF).wavefronts;
}

TEST(strides_conflict_by_their_power_of_two) {
    for (uint32_t stride = 0; stride <= 64; stride++) {
        assert_int_equal(passes_of_stride(stride, 4), bank_passes_strided(stride));
        if (stride % 2) assert_int_equal(passes_of_stride(stride, 4), 1);
    }
    assert_int_equal(passes_of_stride(32, 4), 32);
    assert_int_equal(passes_of_stride(33, 4), 1);
    assert_int_equal(passes_of_stride(2, 4), 2);
}

TEST(wide_words_need_more_passes_without_conflict) {
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++) offset[l] = 8 * l;
    struct passes two = bank_request(offset, 8, 0xFFFFFFFF);
    assert_int_equal(two.wavefronts, 2);
    assert_int_equal(two.least, 2);
    for (uint32_t l = 0; l < 32; l++) offset[l] = 16 * l;
    struct passes four = bank_request(offset, 16, 0xFFFFFFFF);
    assert_int_equal(four.wavefronts, 4);
    assert_int_equal(four.least, 4);
}

TEST(one_address_for_all_is_a_broadcast) {
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++) offset[l] = 64;
    assert_int_equal(bank_request(offset, 4, 0xFFFFFFFF).wavefronts, 1);
    assert_int_equal(bank_request(offset, 8, 0xFFFFFFFF).wavefronts, 1);
    assert_int_equal(bank_passes_atomic(offset, 0xFFFFFFFF), 32);
    assert_int_equal(bank_passes_atomic(offset, 0x11), 2);
}

TEST(inactive_lanes_do_not_conflict) {
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++) offset[l] = l * 128;
    assert_int_equal(bank_request(offset, 4, 0x00000001).wavefronts, 1);
    assert_int_equal(bank_request(offset, 4, 0x00010001).wavefronts, 2);
}

TEST(bytes_of_one_word_share_a_pass) {
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++) offset[l] = l;
    assert_int_equal(bank_request(offset, 1, 0xFFFFFFFF).wavefronts, 1);
}

/* As an H200 counts them (smsp__sass_average_data_bytes_per_wavefront_mem_shared). */
TEST(what_several_lanes_read_counts_once) {
    uint32_t offset[32];
    for (uint32_t l = 0; l < 32; l++) offset[l] = l * 4;
    assert_int_equal(bank_request(offset, 4, 0xFFFFFFFF).bytes, 128);
    assert_int_equal(bank_request(offset, 4, 0x0000000F).bytes, 16);
    for (uint32_t l = 0; l < 32; l++)
        offset[l] = l / 16 * 64; /* a word for each half of the warp */
    assert_int_equal(bank_request(offset, 4, 0xFFFFFFFF).bytes, 8);
    for (uint32_t l = 0; l < 32; l++)
        offset[l] = l % 8 * 16; /* the same 128 bytes in each quarter */
    assert_int_equal(bank_request(offset, 16, 0xFFFFFFFF).bytes, 128);
    for (uint32_t l = 0; l < 32; l++) offset[l] = l;
    assert_int_equal(bank_request(offset, 1, 0xFFFFFFFF).bytes, 32);
}

/* ---- Patterns ---- */

/* Lanes somewhere in 4 KiB: evenly spaced, in groups, or anywhere. */
static void place_lanes(uint64_t address[32], uint32_t size, int trial) {
    uint32_t stride = (uint32_t)rand() % 9;
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t at = trial % 3 == 0   ? l * stride
                      : trial % 3 == 1 ? l / 16 * stride
                                       : (uint32_t)rand() % (4096 / size);
        address[l] = at * size;
    }
}

static struct lane_pattern *last_of(struct lane_patterns *all) {
    return &all->of[all->last];
}

/* The first lane moves, the others with it: what is kept must be what another look at all lanes
 * gives. */
TEST(a_pattern_that_moves_keeps_its_counts) {
    static struct warp w;
    static struct lane_patterns operations[5]; /* one for each size */
    for (int trial = 0; trial < 5000; trial++) {
        uint32_t size = 1u << rand() % 5,
                 mask = trial % 2 ? 0xFFFFFFFF : (uint32_t)rand() << 16 ^ (uint32_t)rand() ^ 1;
        struct lane_patterns *kept = &operations[__builtin_ctz(size)];
        uint64_t address[32];
        if (!mask) continue;
        place_lanes(address, size, trial);
        for (int move = 0; move < 8; move++) {
            uint64_t by = (uint64_t)(rand() % 64) * size, addresses[32], sectors[32];
            uint32_t offset[32], n = 0;
            for (uint32_t l = 0; l < 32; l++) {
                address[l] += by;
                offset[l] = (uint32_t)address[mask >> l & 1 ? l : (uint32_t)first_lane(mask)];
                if (mask >> l & 1)
                    addresses[n] = address[l], sectors[n++] = address[l] >> SECTOR_SHIFT;
            }
            uint64_t first = address[first_lane(mask)];
            assert_true(pattern_of(&w, kept, address, mask, size));
            pattern_sectors(last_of(kept), size, first);
            assert_int_equal(last_of(kept)->nsectors, distinct(sectors, n));
            assert_int_equal(last_of(kept)->asked, size * distinct(addresses, n));
            for (uint32_t i = 0, at = 0; i < n; i++) {
                bool again = false;
                for (uint32_t j = 0; j < i; j++) again |= sectors[j] == sectors[i];
                if (!again)
                    assert_int_equal((first >> SECTOR_SHIFT) +
                                         (uint64_t)last_of(kept)->sectors[at++],
                                     sectors[i]);
            }
            struct passes passes = pattern_passes(last_of(kept), (uint32_t)first, size);
            struct passes wanted = bank_request(offset, size, mask);
            assert_memory_equal(&passes, &wanted, sizeof passes);
            assert_int_equal(pattern_passes_atomic(last_of(kept), (uint32_t)first),
                             bank_passes_atomic(offset, mask));
        }
    }
}

TEST(lanes_too_far_apart_have_no_pattern) {
    static struct warp w;
    struct lane_patterns kept = {.last = 0};
    uint64_t address[32] = {0};
    assert_true(pattern_of(&w, &kept, address, 0xFFFFFFFF, 4));
    address[7] = 0x80000000;
    assert_false(pattern_of(&w, &kept, address, 0xFFFFFFFF, 4));
    assert_true(pattern_of(&w, &kept, address, 0xFFFFFF7F, 4));
    assert_int_equal(last_of(&kept)->shape, LANES_SAME);
}

/* rows: a group's distance from the group before it; columns: a lane's from the lane before it in
 * its group. */
TEST(lanes_have_shapes) {
    static const struct {
        uint32_t rows, columns, mask;
        enum lane_shape shape;
    } cases[] = {
        {32, 4, 0xFFFFFFFF, LANES_SIDE_BY_SIDE}, {0, 0, 0xFFFFFFFF, LANES_SAME},
        {0, 0, 0x00FFF0F0, LANES_SAME},          {100, 0, 0xFFFFFFFF, LANES_SAME_BY_8},
        {100, 4, 0xFFFFFFFF, LANES_ROWS_OF_8},   {0, 4, 0xFFFFFFFF, LANES_ROWS_OF_8},
        {100, 8, 0xFFFFFFFF, LANES_ANYHOW},      {32, 4, 0x7FFFFFFF, LANES_ANYHOW},
        {100, 4, 0xFFFFFFFE, LANES_ANYHOW},      {100, 0, 0xFFFFFFFE, LANES_ANYHOW},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct warp w;
        struct lane_patterns kept = {.last = 0};
        uint64_t address[32];
        for (uint32_t l = 0; l < 32; l++)
            address[l] = 4096 + l / 8 * cases[i].rows + l % 8 * cases[i].columns;
        assert_true(pattern_of(&w, &kept, address, cases[i].mask, 4));
        if (last_of(&kept)->shape != cases[i].shape)
            fail_msg("case %zu: %d is not %d", i, last_of(&kept)->shape, cases[i].shape);
        address[31] += 4;
        assert_true(pattern_of(&w, &kept, address, cases[i].mask, 4));
        assert_int_equal(last_of(&kept)->step[31],
                         cases[i].mask >> 31
                             ? (int32_t)(address[31] - address[__builtin_ctz(last_of(&kept)->mask)])
                             : 0);
    }
}
