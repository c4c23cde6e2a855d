/* Tests of when work starts and ends: streams, engines, room for blocks, priorities, hardware
 * queues. */

#include "simt/time/work.h"
#include "unit.h"

/* The model's time never goes back, so each test begins later than the ones before it. */
static double epoch;
enum { EPOCH_NS = 1000000 };

int before_each(void **state) {
    (void)state;
    work_finish_all();
    epoch += EPOCH_NS;
    work_advance(epoch);
    return 0;
}

/* Work that is ready ready_ns after the epoch, after `before`. */
static struct work *make(enum work_engine engine, struct work *before, double ready_ns,
                         double length_ns) {
    struct work *work = work_new();
    work->engine = engine;
    work->rounds = 1;
    work->ready_ns = epoch + ready_ns;
    work->length_ns = length_ns;
    work_after(work, before);
    return work;
}

static struct work *add(enum work_engine engine, struct work *before, double ready_ns,
                        double length_ns) {
    struct work *work = make(engine, before, ready_ns, length_ns);
    work_enqueue(work);
    return work;
}

/* A kernel that fills so much of the device, or fills it so often, in a hardware queue of its own.
 */
static struct work *add_kernel(struct work *before, int priority, double rounds, double length_ns) {
    static unsigned queue;
    struct work *work = make(WORK_COMPUTE, before, 0, length_ns);
    work->priority = priority;
    work->rounds = rounds;
    work->queue = queue++;
    work_enqueue(work);
    return work;
}

static void check(struct work *work, double start_ns, double end_ns) {
    assert_float_equal(work_finish(work) - epoch, end_ns, 1e-6);
    assert_float_equal(work->start_ns - epoch, start_ns, 1e-6);
    work_release(work);
}

TEST(a_stream_keeps_its_order) {
    struct work *copy = add(WORK_TO_DEVICE, NULL, 10, 100);
    struct work *kernel = add(WORK_COMPUTE, copy, 0, 50);
    struct work *event = add(WORK_NO_ENGINE, kernel, 0, 0);
    check(event, 160, 160);
    check(kernel, 110, 160);
    check(copy, 10, 110);
}

/* A kernel alone ends exactly its length after its start, however many rounds it has. */
TEST(a_kernel_alone_takes_its_length) {
    static const double rounds[] = {0.01, 0.7, 1, 1.5, 3, 7.3, 255, 256, 257, 1e6 + 0.5};
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; i++) {
        struct work *work = add_kernel(NULL, 0, rounds[i], 777.7);
        double end = work_finish(work);
        assert_true(end == work->start_ns + 777.7);
        work_release(work);
    }
}

TEST(copies_of_one_direction_take_turns) {
    struct work *one = add(WORK_TO_DEVICE, NULL, 0, 100), *two = add(WORK_TO_DEVICE, NULL, 0, 100);
    struct work *back = add(WORK_TO_HOST, NULL, 0, 100), *beside = add_kernel(NULL, 0, 5, 100);
    check(back, 0, 100);
    check(beside, 0, 100);
    check(one, 0, 100);
    check(two, 100, 200);
}

/* A copy that waits for its stream does not keep another one from the engine. */
TEST(the_copy_that_is_ready_goes_first) {
    struct work *kernel = add_kernel(NULL, 0, 1, 300), *after = add(WORK_TO_HOST, kernel, 0, 100);
    struct work *later = add(WORK_TO_HOST, NULL, 50, 100);
    check(later, 50, 150);
    check(after, 300, 400);
    work_release(kernel);
}

TEST(devices_have_their_own_engines) {
    struct work *one = add(WORK_TO_DEVICE, NULL, 0, 100), *two = make(WORK_TO_DEVICE, NULL, 0, 100);
    two->device = 1;
    work_enqueue(two);
    check(two, 0, 100);
    check(one, 0, 100);
}

TEST(small_kernels_run_side_by_side) {
    struct work *kernels[4], *fifth;
    for (int i = 0; i < 4; i++) kernels[i] = add_kernel(NULL, 0, 0.25, 100);
    fifth = add_kernel(NULL, 0, 0.25, 100);
    for (int i = 0; i < 4; i++) check(kernels[i], 0, 100);
    check(fifth, 100, 200);
}

/* The blocks that find no room start when the first kernel's have ended. */
TEST(a_kernel_starts_in_the_room_that_is_left) {
    struct work *first = add_kernel(NULL, 0, 0.75, 100), *second = add_kernel(NULL, 0, 0.75, 60);
    check(first, 0, 100);
    check(second, 0, 160);
}

TEST(a_large_kernel_keeps_later_ones_out) {
    struct work *large = add_kernel(NULL, 0, 4, 400), *small = add_kernel(NULL, 0, 0.5, 10);
    check(small, 400, 410);
    check(large, 0, 400);
}

/* Its last round leaves room. */
TEST(the_end_of_a_kernel_leaves_room) {
    struct work *large = add_kernel(NULL, 0, 3.5, 400), *small = add_kernel(NULL, 0, 0.5, 10);
    check(small, 300, 310);
    check(large, 0, 400);
}

/* It waits for blocks, not for the kernel: that one's last round is half as wide, and leaves room.
 */
TEST(a_higher_priority_goes_first) {
    struct work *low = add_kernel(NULL, 0, 4, 400);
    work_advance(epoch + 50);
    struct work *high = add_kernel(NULL, -5, 0.5, 100), *also_low = add_kernel(NULL, 0, 0.25, 10);
    check(high, 100, 200);
    check(also_low, 400, 410);
    check(low, 0, 500);
}

/* Enqueued while an earlier one still waits, it comes first. */
TEST(a_later_kernel_can_come_first) {
    struct work *running = add_kernel(NULL, 0, 1, 100), *low = add_kernel(NULL, 0, 1, 100);
    work_advance(epoch + 50);
    struct work *high = add_kernel(NULL, -1, 1, 100);
    check(high, 100, 200);
    check(low, 200, 300);
    work_release(running);
}

/* The kernel after one that waits for its stream waits too. */
TEST(a_hardware_queue_keeps_its_order) {
    for (unsigned apart = 0; apart <= 1; apart++) {
        struct work *copy = add(WORK_TO_DEVICE, NULL, 0, 100);
        struct work *after = make(WORK_COMPUTE, copy, 0, 50),
                    *other = make(WORK_COMPUTE, NULL, 0, 50);
        after->rounds = other->rounds = 0.1;
        after->queue = 3;
        other->queue = 3 + apart;
        work_enqueue(after);
        work_enqueue(other);
        check(other, apart ? 0 : 100, apart ? 50 : 150);
        check(after, 100, 150);
        work_release(copy);
        before_each(state);
    }
}

TEST(the_128th_kernel_is_the_last_to_start) {
    enum { N = 130 };
    struct work *kernels[N];
    for (int i = 0; i < N; i++) kernels[i] = add_kernel(NULL, 0, 0.001, 100);
    for (int i = 0; i < N; i++) check(kernels[i], i < 128 ? 0 : 100, i < 128 ? 100 : 200);
}

TEST(what_is_pending_is_counted) {
    struct work *one = add(WORK_TO_DEVICE, NULL, 0, 100), *two = add(WORK_TO_DEVICE, NULL, 0, 100);
    assert_int_equal(work_pending(), 2);
    assert_ptr_equal(work_oldest(), one);
    work_advance(epoch + 100);
    assert_true(one->done && !two->done);
    assert_int_equal(work_pending(), 1);
    assert_float_equal(work_finish_device(0) - epoch, 200, 1e-6);
    assert_float_equal(work_finish_device(1), 0, 0);
    assert_int_equal(work_pending(), 0);
    work_release(one);
    work_release(two);
}
