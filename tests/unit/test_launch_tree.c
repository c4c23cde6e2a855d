/* Tests of when a tree of launches is done, in the constants of a GPU that there is not. */

#include "simt/time/launch_tree.h"
#include "unit.h"

enum {
    FIRST = 1500,
    CHAIN = 1000,
    TAIL = 900,
    IN_TURN = 600,
    AT_ONCE = 10,
    BY_BLOCKS = 13,
    FORGET = 4,
    FORGET_AFTER = 3
};
enum { FIRST_CYCLES = 900, CHAIN_CYCLES = 400, AT_ONCE_CYCLES = 50 };
enum {
    FIRST_BYTES = 50000,
    CHAIN_BYTES = 700,
    IN_TURN_BYTES = 30,
    AT_ONCE_BYTES = 500,
    PENDING = 2048
};

static const struct gpu gpu = {.nested_first_ns = FIRST,
                               .nested_chain_ns = CHAIN,
                               .nested_tail_ns = TAIL,
                               .nested_in_turn_ns = IN_TURN,
                               .nested_at_once_ns = AT_ONCE,
                               .nested_forget_ns = FORGET,
                               .nested_by_blocks_ns = BY_BLOCKS,
                               .nested_forget_after = FORGET_AFTER,
                               .nested_first_cycles = FIRST_CYCLES,
                               .nested_chain_cycles = CHAIN_CYCLES,
                               .nested_at_once_cycles = AT_ONCE_CYCLES,
                               .nested_first_bytes = FIRST_BYTES,
                               .nested_chain_bytes = CHAIN_BYTES,
                               .nested_in_turn_bytes = IN_TURN_BYTES,
                               .nested_at_once_bytes = AT_ONCE_BYTES};

static const struct launch_sums none = {0};

static void assert_ns(double got, double want) {
    if (got < want - 1e-6 || got > want + 1e-6) fail_msg("%g ns, not %g", got, want);
}

static void put_in(struct launch_tree *tree, struct child *child, double length_ns,
                   const struct launch_sums *below) {
    launch_tree_add(tree, &gpu, child, launch_tree_start(tree, &gpu, child), length_ns, below);
}

/* Put a grid in that takes length_ns, with what is launched below it; after another one in its
 * stream, or NULL. */
static struct child launch(struct launch_tree *tree, struct child *before, double length_ns,
                           const struct launch_sums *below) {
    struct child child = {.before = before};
    put_in(tree, &child, length_ns, below);
    return child;
}

static void launch_into(struct launch_tree *tree, uint64_t stream, double length_ns,
                        const struct launch_sums *below) {
    struct child child = {.stream = stream};
    put_in(tree, &child, length_ns, below);
}

/* Until a grid's children are done, and what they come to: what its own parent puts in. */
static struct launch_tree settled(struct launch_tree tree) {
    launch_tree_settle(&tree);
    return tree;
}

static void assert_bytes(const struct launch_tree *tree, double want) {
    double got = launch_sums_bytes(&tree->sums, &gpu, PENDING);
    if (got < want - 1e-6 || got > want + 1e-6) fail_msg("%g bytes, not %g", got, want);
}

TEST(nothing_launched_takes_no_time) {
    struct launch_tree tree = settled((struct launch_tree){0});
    assert_ns(tree.end_ns, 0);
    assert_int_equal(tree.sums.launches, 0);
    assert_bytes(&tree, 0);
}

TEST(a_chain_is_its_links) {
    struct launch_tree below = {0};
    for (int links = 1; links <= 23; links++) {
        struct launch_tree tree = {0};
        launch(&tree, NULL, 5 + below.end_ns, &below.sums);
        below = settled(tree);
        assert_ns(below.end_ns, links * (CHAIN + 5));
        assert_int_equal(below.sums.launches, links);
        assert_bytes(&below, FIRST_BYTES + links * CHAIN_BYTES);
    }
}

TEST(the_first_launch_of_all_takes_longer) {
    struct launch_tree tree = {0};
    assert_ns(launch_tree_end(&tree, &gpu), 0);
    launch(&tree, NULL, 5, &none);
    assert_ns(launch_tree_end(&tree, &gpu), FIRST + 5);
    launch(&tree, NULL, 5, &none);
    assert_ns(launch_tree_end(&tree, &gpu), BY_BLOCKS + FIRST + 5);
}

TEST(siblings_in_one_stream_wait_for_each_other) {
    struct launch_tree tree = {0};
    struct child first = launch(&tree, NULL, 70, &none), second = launch(&tree, &first, 70, &none);
    launch(&tree, &second, 70, &none);
    assert_ns(settled(tree).end_ns, CHAIN + 2 * IN_TURN + 3 * 70);
    assert_bytes(&tree, FIRST_BYTES + CHAIN_BYTES + 2 * IN_TURN_BYTES);
}

/* Of the two in one stream only the deeper one's places count: the first one's are free by then. */
TEST(a_place_is_used_again) {
    struct launch_tree below = {0}, tree = {0};
    launch(&below, NULL, 5, &none);
    launch(&below, NULL, 5, &none);
    struct child first = launch(&tree, NULL, 5, &none);
    launch(&tree, &first, 5, &below.sums);
    assert_bytes(&tree, FIRST_BYTES + 3 * CHAIN_BYTES + IN_TURN_BYTES);
}

/* In other streams of the block or in other blocks: nothing stands before them. */
TEST(siblings_that_do_not_wait_run_side_by_side) {
    struct launch_tree tree = {0};
    launch(&tree, NULL, 70, &none);
    launch(&tree, NULL, 500, &none);
    launch(&tree, NULL, 70, &none);
    assert_ns(settled(tree).end_ns, BY_BLOCKS + CHAIN + 500);
    assert_bytes(&tree, FIRST_BYTES + 3 * CHAIN_BYTES);
}

TEST(a_launch_waits_for_all_that_the_one_before_it_launched) {
    struct launch_tree below = {0}, tree = {0};
    launch(&below, NULL, 5, &none);
    below = settled(below);
    struct child first = launch(&tree, NULL, 7 + below.end_ns, &below.sums);
    launch(&tree, &first, 0, &none);
    tree = settled(tree);
    assert_ns(tree.end_ns, CHAIN + 7 + CHAIN + 5 + IN_TURN);
    assert_int_equal(tree.sums.launches, 3);
}

TEST(a_stream_that_is_free_still_waits_for_the_launch) {
    struct launch_tree tree = {0};
    struct child first = launch(&tree, NULL, 0, &none);
    for (int i = 0; i < 499; i++) launch(&tree, NULL, 0, &none);
    launch(&tree, &first, 0, &none); /* the first is done long before this one is taken in */
    assert_ns(tree.end_ns, 500 * BY_BLOCKS + CHAIN);
}

TEST(tail_launches_come_when_all_else_is_done) {
    const struct launch_sums two = {.launches = 2};
    struct launch_tree tree = {0};
    launch(&tree, NULL, 300, &none);
    tree = settled(tree);
    launch_into(&tree, STREAM_TAIL, 40, &two);
    launch_into(&tree, STREAM_TAIL, 40, &none);
    assert_ns(tree.end_ns, CHAIN + 300 + 2 * (TAIL + 40));
    assert_int_equal(tree.sums.launches, 5);
    assert_bytes(&tree, FIRST_BYTES + CHAIN_BYTES);
}

TEST(many_launches_are_bound_by_their_rate) {
    struct launch_tree tree = {0};
    for (int i = 0; i < 4096; i++) launch(&tree, NULL, 1, &none);
    assert_ns(settled(tree).end_ns, 4095 * BY_BLOCKS + CHAIN + 1);
    assert_bytes(&tree, FIRST_BYTES + PENDING * CHAIN_BYTES);
}

/* Those of a block follow each other; those of many blocks, which are to be forgotten, are taken in
 * faster. */
TEST(blocks_launch_side_by_side) {
    struct launch_tree tree = {0};
    for (size_t i = 0; i < 400; i++) {
        struct child child = {.stream = STREAM_FORGET, .nth = i % 50};
        put_in(&tree, &child, 1, &none);
    }
    tree = settled(tree);
    assert_ns(tree.end_ns, FORGET_AFTER * AT_ONCE + (399 - FORGET_AFTER) * FORGET + CHAIN + 1);
    assert_bytes(&tree, FIRST_BYTES + 400 * AT_ONCE_BYTES);
}

TEST(a_block_is_bound_by_its_own_rate) {
    struct launch_tree tree = {0};
    for (size_t i = 0; i < 400; i++) {
        struct child child = {.stream = STREAM_FORGET, .nth = i};
        put_in(&tree, &child, 1, &none);
    }
    assert_ns(settled(tree).end_ns, 399 * AT_ONCE + CHAIN + 1);
}

/* Each link of a chain waits for those of all other chains, but a chain alone for none. */
TEST(chains_of_many_blocks_wait_for_each_other) {
    struct launch_tree tree = {0}, alone = {0};
    const struct launch_sums two = {.launches = 2, .taken_ns = 2 * BY_BLOCKS};
    for (int i = 0; i < 200; i++) launch(&tree, NULL, 2 * CHAIN, &two);
    tree = settled(tree);
    assert_int_equal(tree.sums.launches, 600);
    assert_ns(tree.end_ns, 3 * (CHAIN + 199 * BY_BLOCKS));
    launch(&alone, NULL, 2 * CHAIN, &two);
    assert_ns(settled(alone).end_ns, 3 * CHAIN);
}

/* The runtime works for each launch below the host's kernel, and longer for the first. */
TEST(the_runtime_works_for_each_launch) {
    struct launch_tree below = {0}, tree = {0};
    assert_ns(launch_sums_cycles(&tree.sums, &gpu), 0);
    launch(&below, NULL, 5, &none);
    launch_into(&below, STREAM_FORGET, 5, &none);
    launch(&tree, NULL, 5, &below.sums);
    assert_ns(launch_sums_cycles(&tree.sums, &gpu), FIRST_CYCLES + CHAIN_CYCLES + AT_ONCE_CYCLES);
}

/* A profiler on an H200 shows, above an empty kernel's time, 6 us for a launch, 47 for 8 of a
 * thread, 13 for those of 32 threads, 19 of 64 blocks and 25 of 512, and nothing of what they do.
 */
TEST(a_kernel_is_shown_until_it_has_launched) {
    struct launch_tree one = {0}, turns = {0}, threads = {0}, blocks = {0}, many = {0};
    assert_ns(launch_tree_launching(&one, true), 0);
    launch(&one, NULL, 50000, &none);
    assert_ns(launch_tree_launching(&one, false), 6200);
    assert_ns(launch_tree_launching(&one, true), 21200);
    for (size_t i = 0; i < 512; i++) {
        struct child of_thread = {.nth = i, .nth_of_thread = i}, of_block = {.nth = i};
        if (i < 8) put_in(&turns, &of_thread, 1, &none);
        if (i < 32) put_in(&threads, &of_block, 1, &none);
        if (i < 64) launch(&blocks, NULL, 1, &none);
        launch(&many, NULL, 1, &none);
    }
    assert_ns(launch_tree_launching(&turns, false), 6200 + 7 * (6200 + 250));
    assert_ns(launch_tree_launching(&threads, false), 6200 + 31 * 250);
    assert_ns(launch_tree_launching(&blocks, false), 6000 + 64 * 200);
    assert_ns(launch_tree_launching(&many, false), 26000);
}
