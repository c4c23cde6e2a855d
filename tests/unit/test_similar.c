/* test_similar.c: which texts look alike. */
#include "grade/similar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 34 tokens in a line: more than the shortest run that counts. */
#define LOOP "for (int i = 0; i < n; i++) { sum[i] = a[i] + b[i] * 2; }\n"
#define SWAP "while (x > y) { unsigned t = x; x = y % t; y = (t - x) / 3u; z[t] ^= x | y; }\n"

/* What is printed of the texts; freed by the next call. */
static const char *printed(const struct similar_text *texts, size_t n) {
    static char *text;
    size_t size;
    free(text);
    FILE *out = open_memstream(&text, &size);
    similar_print(out, texts, n);
    fclose(out);
    return text;
}

#define PRINTED(...)                                                                                                   \
    printed((const struct similar_text[]){__VA_ARGS__},                                                                \
            sizeof((const struct similar_text[]){__VA_ARGS__}) / sizeof(struct similar_text))

static void names_layout_and_comments_do_not_count(void **state) {
    (void)state;
    const char *renamed = "/* mine */ for (int k = 1; k < m; k++)\n{ total[k] = first[k]\n+ second[k] * 7; } // done\n";
    assert_string_equal(PRINTED({"bob", renamed}, {"alice", LOOP}, {"carl", SWAP}), "100 %  the same: alice, bob\n");
    assert_string_equal(PRINTED({"alice", LOOP}, {"bob", SWAP}), "");
}

static void share_of_one_text_in_another(void **state) {
    (void)state;
    assert_string_equal(PRINTED({"alice", LOOP}, {"bob", LOOP SWAP}), "100 %  of alice is in bob\n");
    /* 136 of 140 tokens. */
    assert_string_equal(PRINTED({"alice", LOOP LOOP LOOP LOOP "a = b;\n"}, {"bob", "x++; " LOOP LOOP LOOP LOOP SWAP}),
                        " 97 %  of alice is in bob\n");
}

static void a_keyword_is_no_name_and_short_texts_say_nothing(void **state) {
    (void)state;
    const char *other = "for (int i = 0; i < n; i++) { return[i] = a[i] + b[i] * 2; }\n";
    assert_string_equal(PRINTED({"alice", LOOP}, {"bob", other}), "");
    assert_string_equal(PRINTED({"alice", "x = y;"}, {"bob", "x = y;"}, {"carl", ""}), "");
    assert_string_equal(PRINTED({"alice", "/* open"}, {"bob", "\"open \\\n \?\?= \x80"}), "");
}

static void same_texts_stand_for_one_in_the_pairs(void **state) {
    (void)state;
    assert_string_equal(PRINTED({"a", LOOP}, {"b", LOOP SWAP}, {"c", LOOP SWAP}, {"d", LOOP}),
                        "100 %  the same: a, d\n100 %  the same: b, c\n100 %  of a is in b\n");
}

/* A class of texts that are all alike has n * (n - 1) pairs: the first are printed, the rest counted. */
static void many_alike(void **state) {
    (void)state;
    enum { N = 60 };
    static char bodies[N][8192], names[N][8];
    struct similar_text texts[N];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "s%02d", i);
        for (int k = 0; k < 60; k++) strcat(bodies[i], LOOP);
        for (int k = 0; k <= i; k++) strcat(bodies[i], "x;\n");
        texts[i] = (struct similar_text){names[i], bodies[i]};
    }
    const char *text = printed(texts, N), *tail = "... and 1540 pairs more\n"; /* 60 * 59 - 2000 */
    assert_memory_equal(text, "100 %  of s00 is in s01\n", 24);
    assert_string_equal(text + strlen(text) - strlen(tail), tail);
}

/* One text of a megabyte, all of one run, costs no more than its length. */
static void one_long_text(void **state) {
    (void)state;
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1);
    memset(text, ';', SIZE);
    text[SIZE] = '\0';
    assert_string_equal(PRINTED({"alice", text}, {"bob", LOOP}), "");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_layout_and_comments_do_not_count),
        cmocka_unit_test(share_of_one_text_in_another),
        cmocka_unit_test(a_keyword_is_no_name_and_short_texts_say_nothing),
        cmocka_unit_test(same_texts_stand_for_one_in_the_pairs),
        cmocka_unit_test(many_alike),
        cmocka_unit_test(one_long_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
