/*
 * unit.h: the frame of a program of unit tests. TEST(name) { ... } is a test, and is run in its
 * place in the file. A file may define functions that run before and after all tests, or each.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 0, or the tests fail. */
__attribute__((weak)) int before_all(void **state), after_all(void **state);
__attribute__((weak)) int before_each(void **state), after_each(void **state);

static struct CMUnitTest unit_tests[64];
static size_t unit_test_count;

/* Each adds itself to the list before main: the constructors run in the order of their priorities.
 */
#define TEST(test)                                                                                 \
    static void test(void **state);                                                                \
    __attribute__((constructor(1000 + __COUNTER__))) static void add_##test(void) {                \
        unit_tests[unit_test_count++] =                                                            \
            (struct CMUnitTest)cmocka_unit_test_setup_teardown(test, before_each, after_each);     \
    }                                                                                              \
    static void test(void **state __attribute__((unused)))

int main(void) {
    return _cmocka_run_group_tests("tests", unit_tests, unit_test_count, before_all, after_all);
}
