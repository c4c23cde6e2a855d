/* Tests of when a tree of launches is done, in the constants of a GPU that there is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "simt/launch_tree.h"

enum { CHAIN = 1000, TAIL = 900, IN_TURN = 600, AT_ONCE = 10 };

static const struct gpu gpu = {
    .nested_chain_ns = CHAIN, .nested_tail_ns = TAIL, .nested_in_turn_ns = IN_TURN, .nested_at_once_ns = AT_ONCE};

static void assert_ns(double got, double want) {
    if (got < want - 1e-6 || got > want + 1e-6) fail_msg("%g ns, not %g", got, want);
}

/* Put a grid in that takes length_ns, and makes so many launches in its tree; after another one in its stream, or NULL.
 */
static struct child launch(struct launch_tree *tree, struct child *before, double length_ns, uint64_t launches) {
    struct child child = {.before = before};
    launch_tree_add(tree, &child, launch_tree_start(tree, &gpu, &child), length_ns, launches);
    return child;
}

static void launch_tail(struct launch_tree *tree, double length_ns, uint64_t launches) {
    struct child child = {.stream = STREAM_TAIL};
    launch_tree_add(tree, &child, launch_tree_start(tree, &gpu, &child), length_ns, launches);
}

/* Until a grid's children are done, and how many they are: what its own parent puts in. */
static struct launch_tree settled(struct launch_tree tree) {
    launch_tree_settle(&tree, &gpu);
    return tree;
}

static void nothing_launched_takes_no_time(void **state) {
    (void)state;
    struct launch_tree tree = settled((struct launch_tree){0});
    assert_ns(tree.end_ns, 0);
    assert_int_equal(tree.launches, 0);
}

static void a_chain_is_its_links(void **state) {
    (void)state;
    struct launch_tree below = {0};
    for (int links = 1; links <= 23; links++) {
        struct launch_tree tree = {0};
        launch(&tree, NULL, 5 + below.end_ns, below.launches);
        below = settled(tree);
        assert_ns(below.end_ns, links * (CHAIN + 5));
        assert_int_equal(below.launches, links);
    }
}

static void siblings_in_one_stream_wait_for_each_other(void **state) {
    (void)state;
    struct launch_tree tree = {0};
    struct child first = launch(&tree, NULL, 70, 0), second = launch(&tree, &first, 70, 0);
    launch(&tree, &second, 70, 0);
    assert_ns(settled(tree).end_ns, CHAIN + 2 * IN_TURN + 3 * 70);
}

/* In other streams of the block or in other blocks: nothing stands before them. */
static void siblings_that_do_not_wait_run_side_by_side(void **state) {
    (void)state;
    struct launch_tree tree = {0};
    launch(&tree, NULL, 70, 0);
    launch(&tree, NULL, 500, 0);
    launch(&tree, NULL, 70, 0);
    assert_ns(settled(tree).end_ns, AT_ONCE + CHAIN + 500);
}

static void a_launch_waits_for_all_that_the_one_before_it_launched(void **state) {
    (void)state;
    struct launch_tree below = {0}, tree = {0};
    launch(&below, NULL, 5, 0);
    below = settled(below);
    struct child first = launch(&tree, NULL, 7 + below.end_ns, below.launches);
    launch(&tree, &first, 0, 0);
    tree = settled(tree);
    assert_ns(tree.end_ns, CHAIN + 7 + CHAIN + 5 + IN_TURN);
    assert_int_equal(tree.launches, 3);
}

static void a_stream_that_is_free_still_waits_for_the_launch(void **state) {
    (void)state;
    struct launch_tree tree = {0};
    struct child first = launch(&tree, NULL, 0, 0);
    for (int i = 0; i < 499; i++) launch(&tree, NULL, 0, 0);
    launch(&tree, &first, 0, 0); /* the first is done long before this one is taken in */
    assert_ns(tree.end_ns, 500 * AT_ONCE + CHAIN);
}

static void tail_launches_come_when_all_else_is_done(void **state) {
    (void)state;
    struct launch_tree tree = {0};
    launch(&tree, NULL, 300, 0);
    tree = settled(tree);
    launch_tail(&tree, 40, 2);
    launch_tail(&tree, 40, 0);
    assert_ns(tree.end_ns, CHAIN + 300 + 2 * (TAIL + 40));
    assert_int_equal(tree.launches, 5);
}

static void many_launches_are_bound_by_their_rate(void **state) {
    (void)state;
    struct launch_tree tree = {0};
    for (int i = 0; i < 4096; i++) launch(&tree, NULL, 1, 0);
    assert_ns(settled(tree).end_ns, 4095 * AT_ONCE + CHAIN + 1);
}

/* Chains of many blocks are short one by one, but all their links go through the same door. */
static void the_rate_binds_the_whole_tree(void **state) {
    (void)state;
    struct launch_tree tree = {0};
    for (int i = 0; i < 200; i++) launch(&tree, NULL, 2 * CHAIN, 2);
    tree = settled(tree);
    assert_int_equal(tree.launches, 600);
    assert_ns(tree.end_ns, 599 * AT_ONCE + CHAIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_launched_takes_no_time),
        cmocka_unit_test(a_chain_is_its_links),
        cmocka_unit_test(siblings_in_one_stream_wait_for_each_other),
        cmocka_unit_test(siblings_that_do_not_wait_run_side_by_side),
        cmocka_unit_test(a_launch_waits_for_all_that_the_one_before_it_launched),
        cmocka_unit_test(a_stream_that_is_free_still_waits_for_the_launch),
        cmocka_unit_test(tail_launches_come_when_all_else_is_done),
        cmocka_unit_test(many_launches_are_bound_by_their_rate),
        cmocka_unit_test(the_rate_binds_the_whole_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
