/* Tests of the checker's shadow memory. */
#include "kernel.h"

#include "simt/check/check.h"

#define BITS 80

TEST(bits_are_set_found_and_cleared_at_any_place) {
    for (size_t from = 0; from < 24; from++)
        for (size_t n = 1; from + n <= 48; n++) {
            uint8_t bits[BITS / 8] = {0};
            bits_set(bits, from, n);
            for (size_t i = 0; i < BITS; i++)
                assert_int_equal(bits_any(bits, i, 1), i >= from && i < from + n);
            if (from) assert_false(bits_any(bits, 0, from));
            assert_true(bits_any(bits, 0, from + 1));
            assert_false(bits_any(bits, from + n, BITS - from - n));
            bits_clear(bits, from);
            for (size_t i = 0; i < BITS; i++)
                assert_int_equal(bits_any(bits, i, 1), i > from && i < from + n);
        }
}

/* Copies on the device carry along what is not initialised. */
TEST(copies_keep_what_nobody_wrote) {
    struct allocation *from = memory_allocate(64, ALLOC_DEVICE, NULL),
                      *to = memory_allocate(64, ALLOC_DEVICE, NULL);
    check_enable();
    check_host_wrote(from->address + 8, 5);
    check_host_copied(to->address + 16, from->address, 32);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(shadow_written(shadow_of(to), i, 1), i >= 24 && i < 29);
    uint8_t host[8] = {0};
    check_host_copied(to->address, (uintptr_t)host, sizeof host);
    assert_true(shadow_written(shadow_of(to), 7, 1));
    memory_free(from->address);
    memory_free(to->address);
}

TEST(variables_and_host_memory_count_as_written) {
    static const enum allocation_kind kinds[] = {ALLOC_GLOBAL_VAR, ALLOC_CONST_VAR, ALLOC_MANAGED,
                                                 ALLOC_PINNED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct allocation *allocation = memory_allocate(16, kinds[i], "x");
        assert_true(shadow_written(shadow_of(allocation), 0, 1));
        memory_free(allocation->address);
    }
}
