/* Tests of the device's address space: bounds, guards, stale addresses, host memory, touched
 * sectors. */
#include "kernel.h"
#include "simt/device/current.h"
#include "simt/device/touched.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(an_allocation_is_found_by_any_address_inside_it) {
    struct allocation *a = memory_allocate(1000, ALLOC_DEVICE, NULL);
    assert_int_equal(a->address % 256, 0);
    assert_ptr_equal(memory_find(a->address, 1000), a);
    assert_ptr_equal(memory_find(a->address + 999, 1), a);
    assert_null(memory_find(a->address + 999, 2));
    assert_null(memory_find(a->address + 1000, 1));
    assert_null(memory_find(a->address - 1, 1));
    assert_true(memory_free(a->address));
}

TEST(neighbours_do_not_touch) {
    struct allocation *a = memory_allocate(4096, ALLOC_DEVICE, NULL),
                      *b = memory_allocate(4096, ALLOC_DEVICE, NULL);
    assert_true(b->address > a->address + a->size);
    assert_null(memory_find(a->address + a->size, 1));
    memory_free(a->address);
    memory_free(b->address);
}

TEST(freed_memory_stays_invalid_and_is_remembered) {
    bool freed;
    struct allocation *a = memory_allocate(64, ALLOC_DEVICE, NULL);
    uintptr_t address = a->address;
    assert_true(memory_free(address));
    assert_false(memory_free(address));
    struct allocation *b = memory_allocate(64, ALLOC_DEVICE, NULL);
    assert_true(b->address != address);
    assert_null(memory_find(address, 4));
    assert_int_equal(memory_nearest(address + 4, &freed)->address, address);
    assert_true(freed);
    memory_free(b->address);
}

TEST(empty_allocations_have_addresses_of_their_own) {
    struct allocation *a = memory_allocate(0, ALLOC_DEVICE, NULL),
                      *b = memory_allocate(0, ALLOC_DEVICE, NULL);
    assert_true(a->address != b->address);
    assert_null(memory_find(a->address, 1));
    memory_free(a->address);
    memory_free(b->address);
}

static size_t count_of(const void *bytes, size_t size, char wanted) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++) n += ((const char *)bytes)[i] == wanted;
    return n;
}

/* Another process would map the file that memory_share() gives. */
TEST(shared_memory_is_one_and_outlives_its_owner) {
    const size_t size = 10000;
    size_t used = memory_used(0);
    struct allocation *a = memory_allocate(size, ALLOC_DEVICE, NULL);
    memset(host(a), 1, size);
    int file = memory_share(a);
    assert_true(file >= 0);
    assert_int_equal(memory_share(a), file);
    assert_int_equal(count_of(host(a), size, 1), size);
    struct allocation *b = memory_import(dup(file), size);
    assert_int_equal(memory_used(0) - used, size);
    assert_int_equal(count_of(host(b), size, 1), size);
    memset(host(a), 2, size);
    assert_int_equal(count_of(host(b), size, 2), size);
    memory_free(a->address);
    assert_int_equal(count_of(host(b), size, 2), size);
    memory_free(b->address);
    a = memory_allocate(size, ALLOC_DEVICE, NULL);
    assert_int_equal(count_of(host(a), size, 0), size);
    memory_free(a->address);
}

/* What allocations of this size and kind hold: one of fresh memory, filled and freed, and then
 * another. */
static void assert_holds(size_t size, enum allocation_kind kind, int fresh, int again) {
    struct allocation *a = memory_allocate(size, kind, NULL);
    assert_int_equal(count_of(host(a), size, fresh), size);
    memset(host(a), 7, size);
    uintptr_t address = a->address;
    memory_free(address);
    a = memory_allocate(size, kind, NULL);
    assert_true(a->address != address);
    assert_int_equal(count_of(host(a), size, again), size);
    memset(host(a), 0, size);
    memory_free(a->address);
}

TEST(fresh_memory_is_zero_and_small_freed_memory_comes_again) {
    memory_reset();
    assert_holds(1000, ALLOC_DEVICE, 0, 0); /* nothing beside it */
    struct allocation *neighbour = memory_allocate(16, ALLOC_DEVICE, NULL);
    assert_holds(1000, ALLOC_DEVICE, 0, 7);
    assert_holds(1 << 20, ALLOC_DEVICE, 0, 7);
    assert_holds(2 << 20, ALLOC_DEVICE, 0, 0);
    assert_holds(64, ALLOC_DEVICE_HEAP, 0, 7);
    assert_holds(1000, ALLOC_MANAGED, 0, 0);
    assert_holds(16, ALLOC_GLOBAL_VAR, 0, 0);
    assert_holds(8192, ALLOC_GLOBAL_VAR, 0, 0);
    memory_reset();
    for (int i = 0; i < 200; i++) {
        struct allocation *a =
            memory_allocate(5000 + 512 * (size_t)i, ALLOC_DEVICE, NULL); /* none fits */
        assert_int_equal(count_of(host(a), a->size, 0), a->size);
        memset(host(a), 7, a->size);
        memory_free(a->address);
        memory_free(neighbour->address);
    }
}

TEST(the_host_cannot_follow_a_device_pointer) {
    struct allocation *a = memory_allocate(64, ALLOC_DEVICE, NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile int *)a->address = 1;
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
    memory_free(a->address);
}

TEST(managed_and_adopted_memory_is_the_hosts) {
    int own[16];
    size_t before = memory_used(0);
    struct allocation *m = memory_allocate(64, ALLOC_MANAGED, NULL),
                      *r = memory_adopt(own, sizeof own, ALLOC_PINNED);
    assert_int_equal(m->delta, 0);
    *(int *)m->address = 7;
    assert_ptr_equal(memory_host((uintptr_t)own + 4, 4), own + 1);
    assert_int_equal(memory_used(0) - before, 64);
    memory_free(m->address);
    assert_true(memory_free(r->address));
    own[3] = 1;
}

TEST(too_much_is_refused) {
    assert_null(memory_allocate((size_t)1 << 50, ALLOC_DEVICE, NULL));
    assert_null(memory_allocate(SIZE_MAX - 100, ALLOC_DEVICE, NULL));
}

/* The allocation's map, all of whose pages a kernel may touch. */
static uint8_t *touch_map(struct allocation *a) {
    uintptr_t from = a->address, to = a->address + a->size;
    uint8_t *map = memory_touch_map(a);
    memory_touch_pages(a, &from, &to);
    return map;
}

TEST(touched_sectors_are_counted_once) {
    struct touched touched = {0}, again = {0};
    struct allocation *a = memory_allocate(1024, ALLOC_DEVICE, NULL);
    uint8_t *loads = touch_map(a), *stores = loads + memory_touch_sectors(a);
    loads[0] = loads[5] = 1;
    stores[5] = stores[8] = stores[9] = stores[13] = 4; /* bytes */
    stores[10] = SECTOR_BYTES;
    memory_touch_collect(&touched);
    assert_int_equal(touched.loaded, 2);
    assert_int_equal(touched.stored, 5);
    assert_int_equal(touched.either, 6);
    assert_int_equal(touched.fetched, 4); /* 0 with 1, 5 with 4 */
    assert_int_equal(touched.partial, 3); /* 8, 9, 13: 5 is loaded, 10 whole */
    assert_int_equal(touched.partial_lines, 2);
    memory_touch_collect(&again);
    assert_int_equal(again.either, 0);
    memory_free(a->address);
}

/* From the first sector that was touched to the last; the map stays. */
TEST(what_will_be_touched_follows_from_both_ends) {
    struct touched expected = {0}, touched = {0};
    struct allocation *a = memory_allocate(1024, ALLOC_DEVICE, NULL);
    struct allocation *b = memory_allocate(1024, ALLOC_DEVICE, NULL);
    uint8_t *loads = touch_map(a), *stores = loads + memory_touch_sectors(a);
    touch_map(b);
    loads[2] = loads[9] = 1;
    stores[4] = stores[20] = 4;
    memory_touch_expect(&expected);
    assert_int_equal(expected.loaded, 8);
    assert_int_equal(expected.fetched, 8);
    assert_int_equal(expected.stored, 17);
    assert_int_equal(expected.either, 19);
    assert_int_equal(expected.partial, 0);
    memory_touch_collect(&touched);
    assert_int_equal(touched.loaded, 2);
    assert_int_equal(touched.stored, 2);
    memory_free(a->address);
    memory_free(b->address);
}

struct stretches {
    size_t n, at[8], bytes[8];
};
static void take_stretch(const struct allocation *a, size_t at, size_t bytes, void *context) {
    (void)a;
    struct stretches *stretches = context;
    stretches->at[stretches->n] = at;
    stretches->bytes[stretches->n++] = bytes;
}

/* Gaps of less than a page are part of a stretch, and it ends with the allocation. */
TEST(what_was_touched_comes_in_stretches) {
    struct stretches stretches = {0};
    struct touched touched = {0};
    struct allocation *a = memory_allocate(40010, ALLOC_DEVICE, NULL);
    uint8_t *loads = touch_map(a), *stores = loads + memory_touch_sectors(a);
    loads[3] = stores[4] = stores[30] = 1;
    for (int i = 400; i < 611; i++) loads[i] = 1;
    loads[1250] = 1; /* the last one, of which the allocation has 10 bytes */
    memory_touched(take_stretch, &stretches);
    assert_int_equal(stretches.n, 3);
    assert_int_equal(stretches.at[0], 3 * 32);
    assert_int_equal(stretches.bytes[0], 28 * 32);
    assert_int_equal(stretches.at[1], 400 * 32);
    assert_int_equal(stretches.bytes[1], 211 * 32);
    assert_int_equal(stretches.at[2], 40000);
    assert_int_equal(stretches.bytes[2], 10);
    memory_touch_collect(&touched);
    memory_free(a->address);
}

/* Loads change nothing. The host may write to what is not followed. */
TEST(changes_have_numbers) {
    struct touched touched = {0};
    struct allocation *a = memory_allocate(1024, ALLOC_DEVICE, NULL),
                      *m = memory_allocate(64, ALLOC_MANAGED, NULL);
    struct allocation *c = memory_allocate(64, ALLOC_CONST_VAR, NULL);
    uint64_t first = a->changed, constants = memory_constants();
    assert_true(first > 0 && m->changed > first);
    touch_map(a)[1] = 1;
    memory_touch_collect(&touched);
    assert_int_equal(a->changed, first);
    touch_map(a)[memory_touch_sectors(a)] = 4;
    memory_touch_collect(&touched);
    assert_true(a->changed > m->changed);
    assert_int_equal(memory_constants(), constants);
    memory_changed_at(c->address + 60);
    assert_true(c->changed > a->changed);
    assert_true(memory_constants() > constants);
    assert_true(memory_is_followed(a) && !memory_is_followed(m));
    memory_free(a->address);
    memory_free(m->address);
    memory_free(c->address);
}

static void count_visit(const struct allocation *a, void *context) {
    uint64_t *last = context;
    assert_true(a->serial > *last);
    *last = a->serial;
}

TEST(reset_frees_all_and_visits_go_by_age) {
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) memory_allocate(32, i % 2 ? ALLOC_MANAGED : ALLOC_DEVICE, NULL);
    memory_each(count_visit, &last);
    assert_true(last >= 100);
    memory_reset();
    assert_int_equal(memory_used(0), 0);
}

TEST(memory_has_a_device_and_its_peers_reach_it) {
    unsigned access = 1u << 1;
    devices_set_count(3);
    device_use(2);
    struct allocation *a = memory_allocate(64, ALLOC_DEVICE, NULL),
                      *m = memory_allocate(32, ALLOC_MANAGED, NULL);
    assert_int_equal(a->device, 2);
    assert_int_equal(memory_used(2), 96);
    assert_int_equal(memory_used(1), 0);
    assert_true(memory_reached(a) && !memory_is_remote(a));
    device_use(1);
    assert_true(!memory_reached(a) && memory_is_remote(a));
    assert_true(memory_reached(m) && !memory_is_remote(m));
    device_set_peer(2, 1, true); /* the other way round does not help */
    assert_false(memory_reached(a));
    device_set_peer(1, 2, true);
    assert_true(memory_reached(a));
    device_set_peer(1, 2, false);
    assert_false(memory_reached(a));
    a->access = &access;
    assert_true(memory_reached(a));
    memory_reset(); /* device 1 has nothing */
    assert_int_equal(memory_used(2), 96);
    device_use(2);
    memory_reset();
    assert_int_equal(memory_used(2), 0);
    device_use(0);
}

TEST(a_device_gets_no_other_devices_bytes) {
    struct allocation *neighbour = memory_allocate(16, ALLOC_DEVICE, NULL),
                      *a = memory_allocate(64, ALLOC_DEVICE, NULL);
    memset(memory_host(a->address, 64), 5, 64);
    memory_free(a->address);
    for (int device = 1; device >= 0; device--) {
        device_use(device);
        a = memory_allocate(64, ALLOC_DEVICE, NULL);
        assert_int_equal(*(char *)memory_host(a->address, 64), device == 0 ? 5 : 0);
        memory_free(a->address);
    }
    memory_free(neighbour->address);
}

TEST(what_a_peer_owns_is_not_in_the_footprint) {
    struct touched touched = {0};
    struct allocation *own = memory_allocate(64, ALLOC_DEVICE, NULL);
    device_use(1);
    struct allocation *other = memory_allocate(64, ALLOC_DEVICE, NULL);
    device_use(0);
    touch_map(own)[0] = touch_map(other)[0] = touch_map(other)[1] = 1;
    memory_touch_collect(&touched);
    assert_int_equal(touched.loaded, 1);
    assert_null(other->touched);
    memory_free(own->address);
    memory_free(other->address);
}
