/* test_similar.c: which texts look alike. */
#include "grade/class/similar.h"
#include "unit.h"

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

#define PRINTED(...)                                                                               \
    printed((const struct similar_text[]){__VA_ARGS__},                                            \
            sizeof((const struct similar_text[]){__VA_ARGS__}) / sizeof(struct similar_text))

/* The line above the groups. */
#define HEAD "Text that at most 10 submissions share: tokens, and who (= the same text)\n"

TEST(names_layout_and_comments_do_not_count) {
    const char *renamed = "/* mine */ for (int k = 1; k < m; k++)\n{ total[k] = first[k]\n+ "
                          "second[k] * 7; } // done\n";
    assert_string_equal(PRINTED({"bob", renamed}, {"alice", LOOP}, {"carl", SWAP}),
                        HEAD "   34  alice = bob\n");
    assert_string_equal(PRINTED({"alice", LOOP}, {"bob", SWAP}), "");
}

TEST(share_of_one_text_in_another) {
    assert_string_equal(PRINTED({"alice", LOOP}, {"bob", LOOP SWAP}), HEAD "   34  alice, bob\n");
    /* 136 of 140 tokens. */
    assert_string_equal(PRINTED({"alice", LOOP LOOP LOOP LOOP "a = b;\n"},
                                {"bob", "x++; " LOOP LOOP LOOP LOOP SWAP}),
                        HEAD "  136  alice, bob\n");
    /* 34 of 71 tokens, and of 74. */
    assert_string_equal(
        PRINTED({"alice", LOOP SWAP},
                {"bob", LOOP "do { u -= v / w; w <<= 3; } while (v[w] != u && v < w || !u);\n"}),
        "");
}

TEST(a_keyword_is_no_name_and_short_texts_say_nothing) {
    const char *other = "for (int i = 0; i < n; i++) { return[i] = a[i] + b[i] * 2; }\n";
    assert_string_equal(PRINTED({"alice", LOOP}, {"bob", other}), "");
    assert_string_equal(PRINTED({"alice", "x = y;"}, {"bob", "x = y;"}, {"carl", ""}), "");
    assert_string_equal(PRINTED({"alice", "/* open"}, {"bob", "\"open \\\n \?\?= \x80"}), "");
}

TEST(groups_and_the_same_texts_in_them) {
    assert_string_equal(PRINTED({"a", LOOP}, {"b", LOOP SWAP}, {"c", LOOP SWAP}, {"d", LOOP}),
                        HEAD "   73  a = d, b = c\n");
    assert_string_equal(PRINTED({"a", LOOP}, {"b", SWAP}, {"c", LOOP}, {"d", SWAP}),
                        HEAD "   39  b = d\n   34  a = c\n");
}

/* Of a class of 60 that follows one text, each with a line of its own, two have another's line,
 * too. */
TEST(what_many_have_is_usual) {
    enum { N = 60 };
    static char bodies[N][4096], names[N][8];
    struct similar_text texts[N];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "s%02d", i);
        for (int k = 0; k < 20; k++) strcat(bodies[i], LOOP);
        int line = i == 41 ? 7 : i;
        for (int k = 0; k < 6; k++) strcat(bodies[i], line >> k & 1 ? "x = y;\n" : "++z;\n");
        for (int k = 0; k < 20; k++) strcat(bodies[i], SWAP);
        texts[i] = (struct similar_text){names[i], bodies[i]};
    }
    assert_string_equal(printed(texts, N), HEAD "   52  s07 = s41\n");
    for (int i = 0; i < N; i++) strcpy(bodies[i], LOOP SWAP);
    assert_string_equal(printed(texts, N), "");
}

/* More groups than a screen has lines. */
TEST(a_screenful) {
    enum { N = 60 };
    static const char *const kinds[] = {"x = y;", "++z;",   "a[b]--;", "!c;",
                                        "d * e;", "f / g;", "h % 3;",  "i | j;"};
    static char bodies[N][4096], names[N][8];
    struct similar_text texts[N];
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "s%02d", i);
        unsigned number = ((unsigned)i / 2 + 1) * 2654435761u;
        for (int k = 0; k < 40; k++) {
            number = number * 1103515245 + 12345;
            strcat(bodies[i], kinds[number >> 20 & 7]);
        }
        texts[i] = (struct similar_text){names[i], bodies[i]};
    }
    const char *text = printed(texts, N), *tail = "\n... and 10 groups more\n";
    assert_string_equal(text + strlen(text) - strlen(tail), tail);
}

/* One text of a megabyte, all of one run, costs no more than its length. */
TEST(one_long_text) {
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 1);
    memset(text, ';', SIZE);
    text[SIZE] = '\0';
    assert_string_equal(PRINTED({"alice", text}, {"bob", LOOP}), "");
    free(text);
}
