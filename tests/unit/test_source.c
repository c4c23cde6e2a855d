/* test_source.c: finding a student's regions in a lab file. */
#include "lib/die.h"
#include "lib/source.h"
#include "unit.h"

/* Parse a text that must be refused; the message must have these words. */
static void assert_refused(const char *text, const char *words) {
    struct source source;
    assert_false(source_parse(&source, text, "lab.cu"));
    if (strstr(failure, words) == NULL) fail_msg("`%s` is not in `%s`", words, failure);
    source_free(&source);
}

TEST(regions_are_found) {
    struct source source;
    const char *text = "a\n  // BEGIN SOLUTION first\nb\n  // END SOLUTION\n// BEGIN SOLUTION "
                       "second_2: why\n// END SOLUTION\nc";
    assert_true(source_parse(&source, text, "lab.cu"));
    assert_int_equal(source.lines_n, 7);
    assert_int_equal(source.regions_n, 2);
    const struct region *second = source_region(&source, "second_2");
    assert_non_null(second);
    assert_int_equal(second->begin, 4);
    assert_int_equal(second->end, 5);
    assert_null(source_region(&source, "third"));
    source_free(&source);
}

TEST(empty_text_has_no_lines) {
    struct source source;
    assert_true(source_parse(&source, "", "lab.cu"));
    assert_int_equal(source.lines_n, 0);
    source_free(&source);
    assert_true(source_parse(&source, "\n\n", "lab.cu"));
    assert_int_equal(source.lines_n, 2);
    source_free(&source);
}

TEST(bad_marks_are_refused_with_their_line) {
    assert_refused("x\n// BEGIN SOLUTION a\n", "lab.cu:2: region a has no");
    assert_refused("// END SOLUTION\n", "lab.cu:1: `// END SOLUTION` without");
    assert_refused("// BEGIN SOLUTION a\n// BEGIN SOLUTION b\n",
                   "lab.cu:2: a region begins before");
    assert_refused("// BEGIN SOLUTION\n// END SOLUTION\n",
                   "lab.cu:1: `// BEGIN SOLUTION` needs a name");
    assert_refused("// BEGIN SOLUTION a\n// END SOLUTION\n// BEGIN SOLUTION a\n// END SOLUTION\n",
                   "lab.cu:3: a second region a");
}

TEST(too_many_regions_are_refused) {
    char text[SOURCE_MAX_REGIONS * 64 + 128] = "";
    for (int i = 0; i <= SOURCE_MAX_REGIONS; i++) {
        sprintf(text + strlen(text), "// BEGIN SOLUTION r%d\n// END SOLUTION\n", i);
    }
    assert_refused(text, "too many regions");
}

TEST(helpers_are_no_region) {
    const char *text = "// BEGIN HELPERS\nint f();\n/* end helpers */\n// BEGIN SOLUTION a\n"
                       "// END SOLUTION\n// BEGIN HELPERS\n";
    struct source source;
    assert_true(source_parse(&source, text, "lab.cu"));
    assert_int_equal(source.regions_n, 1);
    assert_string_equal(source.helpers.name, "helpers");
    assert_int_equal(source.helpers.begin, 0);
    assert_int_equal(source.helpers.end, 2);
    source_free(&source);
    source_salvage(&source, "// BEGIN HELPERS\n// BEGIN SOLUTION a\n// END HELPERS\n", "lab.cu");
    assert_string_equal(source.helpers.name, "");
    source_free(&source);
}

TEST(a_missing_file_is_named) {
    struct source source;
    assert_false(source_read(&source, "/no/such/file.cu"));
    assert_string_equal(failure, "/no/such/file.cu: No such file or directory");
    source_free(&source);
}

TEST(words_after_white_space) {
    assert_string_equal(line_after("  \t// TODO(x", "// TODO("), "x");
    assert_null(line_after("int x; // TODO(", "// TODO("));
}

TEST(a_fault_is_handed_out_in_place_of_a_todo) {
    const char *text = "// BEGIN SOLUTION a\n    // TODO(\"one\",\n    //      \"two\");\n    a;\n"
                       "    // WAS: if (i <= n) b;\n    if (i < n) b; // MENDED\n// END SOLUTION\n"
                       "// BEGIN SOLUTION b\n// TODO(\"b\");\nb;\n// END SOLUTION\n";
    struct source source;
    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    assert_true(source_parse(&source, text, "lab.cu"));
    assert_true(source_put_handed_out(out, &source, &source.regions[0]));
    assert_true(source_put_handed_out(out, &source, &source.regions[1]));
    fclose(out);
    assert_string_equal(printed, "    a;\n    if (i <= n) b;\nTODO(\"b\");\n");
    free(printed);
    source_free(&source);
}
